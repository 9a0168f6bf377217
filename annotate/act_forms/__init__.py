"""What is entered to change the next version: a form for each act, begun with what it says now."""

from __future__ import annotations

from collections.abc import Mapping

from annotate.act_forms.anchor import AnchorForm
from annotate.act_forms.base import ActForm
from annotate.act_forms.by_code import AutomaticForm
from annotate.act_forms.merging import MergeForm
from annotate.act_forms.parting import SplitForm
from annotate.act_forms.ruling import RulingForm
from annotate.act_forms.weighing import ChangeForm
from annotate.act_forms.wording import AddForm, RewordForm

FORMS: Mapping[str, type[ActForm]] = {
    "anchor": AnchorForm,
    "reword": RewordForm,
    "split": SplitForm,
    "merge": MergeForm,
    "automatic": AutomaticForm,
    "change": ChangeForm,
    "add": AddForm,
    "ruling": RulingForm,
}

"""A question to the policy owner: the one act that changes no draft."""

from __future__ import annotations

from typing import Any

from annotate.act_forms.base import ActForm, area


class RulingForm(ActForm):
    kind, title, go, of_check = "ruling", "Open a ruling", "Send it to the policy owner", False

    question = area("What is the policy owner to decide?", rows=4)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["why"]

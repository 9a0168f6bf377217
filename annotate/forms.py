from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms

from annotate.actions.asking import MAX_NOTE
from annotate.assignment import MAX_SEED
from annotate.clearing import ROUND_SIZE
from annotate.models import Subject
from projects.models import Rater, Role, User
from rubrics.models import RubricVersion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.http import QueryDict

    from projects.models import Project
    from rubrics.querysets import VersionQuerySet


# Django's form fields take no type arguments when the code runs.
if TYPE_CHECKING:
    _OneVersion = forms.ModelChoiceField[RubricVersion]
    _ManyUsers = forms.ModelMultipleChoiceField[User]
    _ManyPairs = forms.ModelMultipleChoiceField[Subject]
else:
    _OneVersion, _ManyUsers = forms.ModelChoiceField, forms.ModelMultipleChoiceField
    _ManyPairs = forms.ModelMultipleChoiceField


class VersionField(_OneVersion):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.rubric.name}, version {obj.number}"


class RaterField(_ManyUsers):
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj} ({obj.username})" if str(obj) != obj.username else str(obj)


class ProbeField(_ManyPairs):
    # By id of the pair, what it is for.
    labels: Mapping[int, str] = {}

    def label_from_instance(self, obj: Any) -> str:
        return self.labels.get(obj.pk, str(obj))


class AskForm(forms.Form):
    """Which raters are asked to go on (all who wait where none is named), and in which words."""

    rater = forms.TypedMultipleChoiceField(coerce=int, required=False)
    note = forms.CharField(
        label="A sentence to go with it",
        required=False,
        max_length=MAX_NOTE,
        help_text="They read it in their notice. It may stay empty.",
    )

    def __init__(self, data: QueryDict | None = None, *, raters: Iterable[int] = ()) -> None:
        super().__init__(data)
        self.fields["rater"].choices = [(pk, pk) for pk in raters]  # type: ignore[attr-defined]

    @property
    def raters(self) -> set[int] | None:
        return set(self.cleaned_data.get("rater", ())) or None


class RoundForm(forms.Form):
    """Who labels which pairs under what: the members of the project, its published versions."""

    version = VersionField(
        queryset=RubricVersion.objects.none(), label="Rubric version", empty_label=None
    )
    raters = RaterField(
        queryset=User.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Raters",
        help_text="Two at least; three is usual. Everyone labels every pair, on their own.",
    )
    size = forms.IntegerField(
        min_value=1,
        initial=ROUND_SIZE,
        label="Pairs",
        help_text="Drawn at random from pairs that none of these raters has seen.",
    )
    probes = ProbeField(
        queryset=Subject.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        label="Probe pairs",
        help_text="On top of the pairs above, at random places in every queue. No rater learns "
        "which they are; what each caught is reported apart when the round is closed.",
        error_messages={
            "invalid_choice": "One of these is no probe pair of the version chosen: look again.",
        },
    )
    ask_after_gate = forms.BooleanField(
        required=False,
        initial=True,
        label="Ask the criteria after a deciding gate, too",
        help_text="They do not change the decision; without them few pairs would measure them.",
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=MAX_SEED,
        required=False,
        label="Seed (optional)",
        help_text="Draws the same pairs again; left empty, one is chosen and recorded.",
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        version, raters = self.fields["version"], self.fields["raters"]
        assert isinstance(version, VersionField)
        assert isinstance(raters, RaterField)
        version.queryset = versions_to_try(project)
        members = User.objects.filter(memberships__project=project, is_active=True).distinct()
        raters.queryset = members.order_by("last_name", "first_name", "username")
        experts = members.filter(memberships__project=project, memberships__role=Role.EXPERT)
        raters.initial = list(experts.values_list("pk", flat=True))

    def offer(
        self, version: RubricVersion, labels: Mapping[int, str], chosen: Sequence[int]
    ) -> None:
        """The probe pairs under the version that the form begins with; none, and it asks nothing.

        Under another one the round itself says which of them are none.
        """
        self.fields["version"].initial = version.pk
        probes = self.fields["probes"]
        assert isinstance(probes, ProbeField)
        if not labels:
            del self.fields["probes"]
            return
        probes.labels = labels
        probes.queryset = Subject.objects.filter(pk__in=list(labels)).order_by("external_id")
        probes.initial = list(chosen)


def raters_chosen(form: RoundForm, project: Project) -> list[Rater]:
    """Whoever is ticked in the form as it is shown and has rated here before."""
    ticked = {str(pk) for pk in form["raters"].value() or ()}
    raters = Rater.objects.filter(project=project, user__isnull=False)
    return [rater for rater in raters if str(rater.user_id) in ticked]


def versions_to_try(project: Project) -> VersionQuerySet:
    """What a round can pin: the latest revision of each published version, the newest first."""
    published = RubricVersion.objects.of_project(project).published().judging_pairs()
    return published.latest_revisions().select_related("rubric").order_by("-published_at")

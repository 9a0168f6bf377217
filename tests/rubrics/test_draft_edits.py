"""The next version's draft, one edit at a time, and each edit's way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from projects.models import Event
from rubrics.actions import (
    RubricRefused,
    discard_draft,
    edit_draft,
    import_rubric,
    publish,
    restore_draft,
)
from rubrics.edits import EditError
from rubrics.models import RubricVersion
from tests.rubrics.making import make_published, make_yaml

if TYPE_CHECKING:
    from projects.models import Project, User
    from rubrics.actions import DraftEdit

WORDING = {"key": "G1", "text": "Every amount and every date matches the claim file."}


def reworded(version: RubricVersion, lead: User | None = None, **changes: str) -> DraftEdit:
    return edit_draft(
        version=version,
        kind="reword",
        detail={**WORDING, **changes},
        note="Dates were read as amounts by one and not by two.",
        acting_user=lead,
    )


def test_the_first_edit_opens_the_next_version(project: Project, lead: User) -> None:
    version = make_published(project)
    edit = reworded(version, lead)
    assert (edit.draft.number, edit.draft.status, edit.draft.parent) == (2, "draft", version)
    assert edit.draft.criteria.get(key="G1").text == WORDING["text"]
    assert edit.keys == ("G1",)
    assert list(edit.draft.change_notes) == ["G1"]
    assert Event.objects.filter(verb="rubric.drafted", actor=lead).exists()
    assert version.content == RubricVersion.objects.get(number=1).content


def test_edits_add_up_and_their_notes_become_those_of_the_publication(
    project: Project, lead: User
) -> None:
    version = make_published(project)
    reworded(version)
    split = edit_draft(
        version=version,
        kind="split",
        detail={"key": "C1", "parts": [{"text": "Names the cause."}, {"text": "Names the date."}]},
        note="Two things were asked as one.",
        acting_user=lead,
    )
    reworded(version, title="Amounts, dates")
    draft = RubricVersion.objects.get(number=2)
    assert draft.criteria.get(key="G1").title == "Amounts, dates"
    assert {key: note.count("\n") for key, note in draft.change_notes.items()} == {
        "G1": 0,
        **dict.fromkeys(split.keys, 0),
    }
    published = publish(version=draft, change_note="", acting_user=lead)
    assert published.change_notes["C1"] == "Two things were asked as one."
    assert "G1: Dates were read as amounts by one and not by two." in published.said


def test_what_was_said_of_the_instruction_for_the_rationale_is_published(
    project: Project, lead: User
) -> None:
    version = make_published(project)
    edit = edit_draft(
        version=version,
        kind="procedure",
        detail={"rationale": "Cite the one check that decided it."},
        note="Three cited everything.",
        acting_user=lead,
    )
    published = publish(version=edit.draft, change_note="", acting_user=lead)
    assert published.change_notes == {"preference": "Three cited everything."}
    assert published.said == "Preference: Three cited everything."


def test_an_edit_is_taken_back_to_the_draft_before_it(project: Project) -> None:
    version = make_published(project)
    first = reworded(version)
    second = reworded(version, text="Every figure matches the claim file.")
    back = restore_draft(
        rubric=version.rubric,
        number=2,
        before=second.before,
        after_digest=second.draft.digest,
        acting_user=None,
    )
    assert back is not None
    assert (back.digest, back.change_notes) == (first.draft.digest, first.draft.change_notes)
    gone = restore_draft(
        rubric=version.rubric,
        number=2,
        before=first.before,
        after_digest=back.digest,
        acting_user=None,
    )
    assert gone is None
    assert not RubricVersion.objects.drafts().exists()


def test_what_others_changed_since_is_not_taken_back(project: Project) -> None:
    version = make_published(project)
    edit = reworded(version)
    import_rubric(project=project, source=make_yaml(2, weight=2), acting_user=None)
    with pytest.raises(RubricRefused, match="has changed since"):
        restore_draft(
            rubric=version.rubric,
            number=2,
            before=edit.before,
            after_digest=edit.draft.digest,
            acting_user=None,
        )
    assert RubricVersion.objects.get(number=2).criteria.get(key="C1").weight == 2


def test_a_refused_edit_writes_nothing(project: Project) -> None:
    version = make_published(project)
    with pytest.raises(EditError):
        reworded(version, text="  ")
    with pytest.raises(EditError):
        edit_draft(
            version=version,
            kind="merge",
            detail={"keys": ["G1", "C1"], "text": "All of it."},
            note="",
            acting_user=None,
        )
    assert not RubricVersion.objects.drafts().exists()


def test_votes_under_an_older_version_do_not_edit_the_next(project: Project) -> None:
    version = make_published(project)
    make_published(project, make_yaml(2, weight=2), note="C1 weighs less.")
    with pytest.raises(RubricRefused, match="not the newest"):
        reworded(version)


def test_notes_survive_a_draft_that_is_written_anew(project: Project, lead: User) -> None:
    version = make_published(project)
    edit = reworded(version)
    import_rubric(project=project, source=make_yaml(2, weight=2), acting_user=lead)
    draft = RubricVersion.objects.get(number=2)
    assert draft.change_notes == edit.draft.change_notes
    # G1 says again what it said: its note has nothing to speak of at publication.
    assert list(publish(version=draft, change_note="", acting_user=lead).change_notes) == ["C1"]


def test_publishing_by_a_program_needs_a_note_for_each_changed_check(project: Project) -> None:
    make_published(project)
    draft = import_rubric(project=project, source=make_yaml(2, weight=2), acting_user=None)
    with pytest.raises(RubricRefused, match="what changed and why in C1"):
        publish(version=draft, change_note="All of it.", notes={"G1": "x"}, acting_user=None)
    assert draft.stored_status() == "draft"
    told = publish(version=draft, change_note="All of it.", acting_user=None)
    assert told.change_notes == {"C1": "Weight 3 → 2."}


def test_a_draft_that_was_thrown_away_begins_anew(project: Project) -> None:
    version = make_published(project)
    discard_draft(version=reworded(version).draft, acting_user=None)
    assert reworded(version).before == ""

"""What asked for each change of a version, on a page of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from annotate.actions.edits import make_edit
from annotate.actions.sorting import disagreement_row, sort_disagreement
from annotate.disagreements import differing
from annotate.models import AnchorSource, Edit
from rubrics.actions import discard_draft, import_rubric, publish
from rubrics.document import dump
from rubrics.models import RubricVersion
from tests.making import make_rubric_version, make_voted_round

if TYPE_CHECKING:
    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

    from annotate.models import Batch
    from projects.models import Project, User

SPLIT = [{"C1": "yes no"}, {"C1": "no no"}]


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_voted_round(project, [expert, other_expert], [SPLIT, SPLIT, [{}, {}]])


def asked(batch: Batch, lead: User, text: str) -> None:
    unit = differing([batch], reader=lead).all[0].unit
    make_edit(
        batch=batch,
        unit=unit,
        ruling=None,
        kind="reword",
        detail={"key": "C1", "text": text},
        note="“Cause” was read as the trigger by one.",
        passage=None,
        acting_user=lead,
    )


def page(client: Client, lead: User, batch: Batch, number: int = 2) -> str:
    client.force_login(lead)
    slug, rubric = batch.project.slug, batch.version.rubric.slug
    response = client.get(reverse("annotate:version_edits", args=[slug, rubric, number]))
    assert response.status_code == 200
    return response.content.decode()


def test_each_change_stands_with_the_disagreement_that_asked_for_it(
    client: Client, batch: Batch, lead: User
) -> None:
    found = differing([batch], reader=lead).all[0]
    asked(batch, lead, "Names <b>what</b> broke.")
    sort_disagreement(
        batch=batch,
        unit=found.unit,
        kind="ambiguity",
        note="Reword it.",
        suggestion=found.suggestion,
        acting_user=lead,
    )
    text = page(client, lead, batch)
    assert "1 change of version 2; 1 disagreement stands behind them." in text
    assert "Names &lt;b&gt;what&lt;/b&gt; broke." in text
    assert "“Cause” was read as the trigger by one." in text
    assert found.unit.external_id in text
    assert "Round 1, C1, response A" in text
    assert "ambiguity" in text
    assert "Reword it." in text
    assert reverse("rubrics:publish", args=[batch.project.slug, "summaries", 2]) in text


def test_the_version_and_its_publication_lead_here(
    client: Client, batch: Batch, lead: User
) -> None:
    asked(batch, lead, "Names what broke.")
    client.force_login(lead)
    slug = batch.project.slug
    here = reverse("annotate:version_edits", args=[slug, "summaries", 2])
    for name in ("rubrics:version", "rubrics:publish"):
        assert here in client.get(reverse(name, args=[slug, "summaries", 2])).content.decode()
    draft = RubricVersion.objects.get(number=2)
    publish(version=draft, change_note="", acting_user=lead)
    text = page(client, lead, batch)
    assert reverse("annotate:rounds_table", args=[slug, "summaries"]) in text


def test_a_version_that_no_meeting_asked_for_says_so(
    client: Client, project: Project, batch: Batch, lead: User
) -> None:
    assert "No meeting asked for what version 1 changes." in page(client, lead, batch, 1)


def test_what_went_with_a_discarded_draft_is_no_change_of_the_next(
    client: Client, batch: Batch, lead: User
) -> None:
    asked(batch, lead, "Names what burned.")
    discard_draft(version=RubricVersion.objects.get(number=2), acting_user=lead)
    asked(batch, lead, "Names what broke.")
    text = page(client, lead, batch)
    assert "1 change of version 2; 1 disagreement stands behind them." in text
    assert "Names what broke." in text
    assert "Names what burned." not in text
    assert "changed since" not in text


def test_what_the_editor_wrote_over_is_told_as_changed_since(
    client: Client, batch: Batch, lead: User
) -> None:
    asked(batch, lead, "Names what broke.")
    draft = RubricVersion.objects.get(number=2)
    source = dump(draft.content).replace("Names what broke.", "Names what gave way.")
    import_rubric(project=batch.project, source=source, slug="summaries", acting_user=lead)
    text = page(client, lead, batch)
    assert "Names what broke." in text
    assert "1 change of version 2; 1 disagreement stands behind them. 1 was changed since." in text


def test_who_rates_every_pair_behind_a_change_reads_neither_its_words_nor_its_note(
    client: Client, project: Project, batch: Batch, lead: User, expert: User
) -> None:
    first, second = (
        one.unit for one in differing([batch], reader=lead).all if one.unit.key == "C1"
    )
    asked(batch, lead, "Names what broke.")
    edit = Edit.objects.get()
    rate_again(project, lead, expert, first.subject)
    text = page(client, lead, batch)
    assert "its words open to you when you are done" in text
    assert "Names what broke." not in text
    assert "was read as the trigger" not in text
    row = disagreement_row(batch=batch, unit=second, acting_user=None)
    edit.disagreements.add(row)
    text = page(client, lead, batch)
    assert "Names what broke." in text
    assert "its words open" not in text


def test_a_passage_of_a_pair_that_is_still_rated_is_not_shown_whoever_else_asked(
    client: Client, project: Project, batch: Batch, lead: User, expert: User
) -> None:
    first, second = (
        one.unit for one in differing([batch], reader=lead).all if one.unit.key == "C1"
    )
    edit = make_edit(
        batch=batch,
        unit=first,
        ruling=None,
        kind="anchor",
        detail={"key": "C1", "verdict": "pass", "text": "The seal gave way.", "origin": "real"},
        note="A cause.",
        passage=None,
        acting_user=lead,
    )
    AnchorSource.objects.create(
        rubric=edit.rubric,
        text_sha256=AnchorSource.hash_of("The seal gave way."),
        subject_id=first.subject,
        part_key="A",
        start=0,
        end=18,
    )
    edit.disagreements.add(disagreement_row(batch=batch, unit=second, acting_user=lead))
    assert "The seal gave way." in page(client, lead, batch)
    rate_again(project, lead, expert, first.subject)
    assert "The seal gave way." not in page(client, lead, batch)


def rate_again(project: Project, lead: User, expert: User, subject: int) -> None:
    """The lead has this pair to rate in an open round of another rubric."""
    other = make_rubric_version(project, "task: other\npreference: {scale: 3}\n")
    again = make_voted_round(project, [lead, expert], [[None, None]], version=other, close=False)
    again.assignments.filter(rater__user=lead).update(subject_id=subject)


def test_who_rates_a_pair_does_not_read_of_it_here(
    client: Client, project: Project, batch: Batch, lead: User, expert: User
) -> None:
    asked(batch, lead, "Names what broke.")
    unit = differing([batch], reader=lead).all[0].unit
    rate_again(project, lead, expert, unit.subject)
    text = page(client, lead, batch)
    assert unit.external_id not in text
    assert "1 pair that you rate yourself is left out" in text


@pytest.mark.parametrize("edits", [1, 8])
def test_more_changes_take_no_more_queries(
    client: Client,
    batch: Batch,
    lead: User,
    edits: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for n in range(edits):
        asked(batch, lead, f"Names what broke, wording {n}.")
    client.force_login(lead)
    address = reverse("annotate:version_edits", args=[batch.project.slug, "summaries", 2])
    with django_assert_max_num_queries(15):
        client.get(address)

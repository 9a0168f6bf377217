"""The list of disagreements: what is on it, in which order, and sorting it where it stands."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotate.actions.meetings import end_meeting, start_meeting
from annotate.actions.rounds import close_round, rater_for, start_round
from annotate.actions.rulings import open_ruling
from annotate.actions.sorting import SortingRefused, sort_disagreement
from annotate.disagreements import Unit, differing, unit_code, unit_of
from annotate.models import Assignment, Batch, Disagreement, Label, Slot, Subject, Vote
from annotate.pages.disagreements import PAGE
from annotate.pages.ruling_raters import named_by_batch
from projects.models import Event, Rater
from tests.ballots import SCALES
from tests.gold import make_gold
from tests.making import (
    make_member,
    make_pair,
    make_pairs,
    make_round,
    make_rubric_version,
    make_version,
    make_vote,
    make_voted_round,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.test import Client
    from pytest_django import DjangoAssertNumQueries

    from annotate.disagreements import Found
    from annotate.pages.disagreements import DisagreementsPage
    from projects.models import Project, User
    from rubrics.models import RubricVersion

ALIKE = {"C1": "yes no"}
# Above it, and it has too many to be under it: a page of a house rule, sign-in and bar included.
QUERIES = 11


@pytest.fixture
def raters(expert: User, other_expert: User, third_expert: User) -> list[User]:
    return [expert, other_expert, third_expert]


@pytest.fixture
def batch(project: Project, raters: list[User]) -> Batch:
    """Pair 1 splits on C1 of B, pair 2 on the preference, pair 3 on both; pair 0 on nothing."""
    said = [
        [ALIKE] * 3,
        [ALIKE, ALIKE, {"C1": "yes yes"}],
        [{"preference": "A_much"}, {"preference": "B_slight"}, {}],
        [ALIKE, {"C1": "yes", "preference": "A_slight"}, {"C1": "yes", "preference": "A_slight"}],
        [{"C1": "no"}] * 3,
    ]
    return make_voted_round(project, raters, said)


def places(found: Found) -> list[tuple[str, str, str]]:
    return [(one.unit.key, one.unit.external_id, one.unit.part) for one in found.all]


def url_of(batch: Batch, **filters: object) -> str:
    route = reverse("annotate:disagreements", args=[batch.project.slug, batch.public_id])
    return f"{route}?{urlencode(filters)}" if filters else route


def csv_of(batch: Batch, **filters: object) -> str:
    return url_of(batch, **filters).replace("/disagreements/", "/disagreements.csv")


def shown(client: Client, batch: Batch, **filters: object) -> DisagreementsPage:
    response = client.get(url_of(batch, **filters))
    assert response.status_code == 200
    page: DisagreementsPage = response.context["list"]
    return page


def listed(page: DisagreementsPage) -> list[tuple[str, str]]:
    return [
        (line.one.unit.key, line.one.unit.external_id)
        for section in page.sections
        for line in section.lines
    ]


def code_of(batch: Batch, lead: User, place: int = 0) -> str:
    return unit_code(differing([batch], reader=lead).all[place].unit)


# ---- What is found


def test_every_split_is_found_by_check_in_rubric_order_and_nothing_else(
    batch: Batch, lead: User
) -> None:
    found = differing([batch], reader=lead)
    assert sorted(places(found)) == [
        ("C1", "pair-0-1", "B"),
        ("C1", "pair-0-3", "B"),
        ("preference", "pair-0-2", ""),
        ("preference", "pair-0-3", ""),
    ]
    assert [group.key for group in found.groups] == ["G1", "C1", "preference"]
    assert [one.unit.key for one in found.all] == ["C1", "C1", "preference", "preference"]
    assert [one.unit.external_id for one in found.all if one.opposite] == ["pair-0-2"]


def test_the_most_influential_come_first_within_a_check(batch: Batch, lead: User) -> None:
    for group in differing([batch], reader=lead).groups:
        gains = [one.influence or 0.0 for one in group.found]
        assert gains == sorted(gains, reverse=True)


def test_what_settling_brings_is_alpha_of_a_round_whose_raters_agreed_there(
    project: Project, raters: list[User], lead: User
) -> None:
    split: list[dict[str, str] | None] = [ALIKE, ALIKE, {"C1": "yes yes"}]
    agreed: list[dict[str, str] | None] = [ALIKE] * 3
    rest: list[list[dict[str, str] | None]] = [[{"C1": "no"}] * 3, agreed, agreed, agreed]
    version = make_version(project)
    torn = make_voted_round(project, raters, [split, split, *rest], version=version)
    better = make_voted_round(project, raters, [split, agreed, *rest], version=version)
    check, after = (differing([batch], reader=lead).groups[1] for batch in (torn, better))
    assert check.settled is not None
    assert after.alpha is not None
    assert check.settled.subjects == ("pair-0-0",)
    assert check.settled.alpha == pytest.approx(after.alpha)
    assert check.settled.reaches
    first = check.found[0]
    assert check.alpha is not None
    assert first.influence is not None
    assert check.alpha + first.influence < check.settled.alpha, "that is alpha without the pair"


def test_only_the_vote_that_stands_counts(project: Project, raters: list[User], lead: User) -> None:
    batch = make_voted_round(
        project, raters, [[ALIKE, ALIKE, {"C1": "yes yes"}], [ALIKE] * 3], close=False
    )
    third = Assignment.objects.get(
        batch=batch, subject__external_id="pair-0-0", rater__user=raters[2]
    )
    make_vote(third, ALIKE)
    close_round(batch=batch, acting_user=None)
    assert differing([batch], reader=lead).all == []


def test_planted_pairs_are_on_no_list(batch: Batch, lead: User) -> None:
    slots = Slot.objects.filter(batch=batch, subject__external_id="pair-0-1")
    slots.update(role=Slot.Role.PROBE)
    assert ("C1", "pair-0-1", "B") not in places(differing([batch], reader=lead))
    assert ("C1", "pair-0-3", "B") in places(differing([batch], reader=lead))


def test_who_misses_probes_of_a_check_slips_on_it(
    project: Project, raters: list[User], lead: User
) -> None:
    """Of two like splits, the one made by whoever missed the planted failures is the slip."""
    version = make_version(project)
    probes = [make_pair(project, f"probe-{n}") for n in range(2)]
    known = {"G2": "", "C1": "no yes", "C2": "", "preference": "B_slight"}
    for probe in probes:
        make_gold(probe, version, known, use="probe")
    make_pairs(project, 6)
    batch = start_round(
        project=project,
        version=version,
        raters=raters,
        size=6,
        seed=1,
        acting_user=None,
        probes=probes,
    )
    planted = {probe.pk for probe in probes}
    normal = sorted(set(batch.slots.exclude(subject__in=planted).values_list("subject", flat=True)))
    seats = {user.pk: seat for seat, user in enumerate(raters)}
    for assignment in batch.assignments.select_related("rater"):
        place, seat = assignment.subject_id, seats[assignment.rater.user_id or 0]
        blind = place in planted and seat == 0
        odd = place in normal[:2] and seat == normal.index(place)
        make_vote(assignment, {"C1": "yes" if odd or blind else "no yes"})
    close_round(batch=batch, acting_user=None)
    found = {one.unit.subject: one.suggestion for one in differing([batch], reader=lead).all}
    assert set(found) == set(normal[:2])
    assert found[normal[0]].kind == "slip"
    assert "miss 2 of 4 known answers on C1" in found[normal[0]].why
    assert "known answers" not in found[normal[1]].why


def test_pairs_that_the_reader_still_rates_are_on_no_list_and_in_no_sentence(
    client: Client, batch: Batch, project: Project, lead: User
) -> None:
    client.force_login(lead)
    name = "pair-0-1"
    assert name in client.get(url_of(batch)).content.decode()
    rater = rater_for(project, lead)
    other = Batch.objects.create(
        project=project, version=batch.version, kind=Batch.Kind.CALIBRATION, number=9
    )
    subject = Subject.objects.get(external_id=name)
    slot = Slot.objects.create(batch=other, subject=subject, n=1)
    Assignment.objects.create(
        slot=slot, batch=other, subject=subject, rater=rater, position=1, order="AB"
    )
    assert name not in client.get(url_of(batch)).content.decode()
    assert name not in client.get(csv_of(batch)).content.decode()
    unit = Unit(subject.pk, name, subject.public_id, "C1", "B")
    response = client.post(url_of(batch), {"unit": unit_code(unit), "kind": "slip"})
    assert response.status_code == 400
    client.post(url_of(batch), {"accept": "C1"})
    assert not Disagreement.objects.filter(subject=subject).exists()


def test_numbers_and_whether_a_check_applies_split_as_any_label(
    project: Project, raters: list[User], lead: User
) -> None:
    version = make_rubric_version(project, SCALES)
    said: list[list[dict[str, str] | None]] = [
        [{"C1": "1", "C2": "3", "C3": "yes"}] * 3,
        [{"C1": "1 2", "C2": "3", "C3": "yes"}, {"C1": "1 4", "C2": "3 na", "C3": "no"}, None],
    ]
    batch = make_voted_round(project, raters, said, version=version)
    found = differing([batch], reader=lead)
    assert places(found) == [
        ("C1", "pair-0-1", "B"),
        ("C2", "pair-0-1", "B"),
        ("C3", "pair-0-1", ""),
    ]
    assert sorted(code for _, code in found.all[1].values) == ["3", "na"]
    assert [one.applies for one in found.all] == [False, True, False], "a figure of its own"


def test_the_number_of_a_rater_is_the_same_once_a_later_round_has_closed(
    project: Project, raters: list[User], lead: User
) -> None:
    version = make_version(project)
    split = [[ALIKE, ALIKE, {"C1": "yes yes"}], [ALIKE] * 3]
    first = make_voted_round(project, raters[:3], split, version=version)
    before = dict(differing([first], reader=lead).handles)
    others = [make_member(project, "expert", username=f"late-{n}") for n in range(3)]
    second = make_voted_round(project, others, split, version=version)
    pooled = differing([first, second], reader=lead)
    assert before.items() <= pooled.handles.items()
    assert sorted(pooled.handles.values()) == [f"Rater {n}" for n in range(1, 7)]
    assert differing([second], reader=lead).handles == pooled.handles


def test_anonymous_raters_have_other_numbers_on_each_subject_in_no_order_of_their_names(
    project: Project, lead: User
) -> None:
    batch = make_splits(project, make_version(project), 20, "nobody")
    Batch.objects.filter(pk=batch.pk).update(anonymous_raters=True)
    batch.refresh_from_db()
    found = differing([batch], reader=lead)
    named = {one.unit.subject: dict(one.names) for one in found.all}
    by_name = list(batch.raters.order_by("name").values_list("pk", flat=True))
    orders = {tuple(names[rater] for rater in by_name) for names in named.values()}
    assert orders == {("Rater 1", "Rater 2"), ("Rater 2", "Rater 1")}
    for one in found.all:
        assert one.names == named[one.unit.subject], "one number for the whole subject"
        assert list(one.names.values()) == ["Rater 1", "Rater 2"]
        assert [rater for rater, _ in one.values] == list(one.names)


def test_the_page_of_a_ruling_has_the_numbers_of_the_list(project: Project, lead: User) -> None:
    batch = make_splits(project, make_version(project), 20, "nobody")
    Batch.objects.filter(pk=batch.pk).update(anonymous_raters=True)
    batch.refresh_from_db()
    for one in differing([batch], reader=lead).all:
        labels = Label.objects.filter(vote__subject=one.unit.subject).select_related("vote__batch")
        told = {vote.rater_id: name for name, vote in named_by_batch(labels)[batch]}
        assert told == one.names


@given(
    st.uuids(),
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,31}", fullmatch=True),
    st.sampled_from(["", "A", "B", "0", "12"]),
)
def test_an_address_names_its_unit(public_id: object, key: str, part: str) -> None:
    unit = Unit(1, "a pair", public_id, key, part)  # type: ignore[arg-type]
    assert unit_of(unit_code(unit)) == (public_id, key, part)


@pytest.mark.parametrize("code", ["", "C1", "x.C1.B", "..", "2b0c0e9e-0000-0000-0000-000000000000"])
def test_no_other_text_names_one(code: str) -> None:
    assert unit_of(code) is None


# ---- The page


def test_the_page_says_what_to_do_in_one_sentence(client: Client, batch: Batch, lead: User) -> None:
    client.force_login(lead)
    page = shown(client, batch)
    first = page.sections[0]
    assert page.step.sentence == (
        "4 disagreements on 2 checks, none sorted yet. Settle its first pair of C1 and it goes "
        "0.73 → 0.86."
    )
    assert first.settle == "Settle this pair and C1 goes 0.73 → 0.86"


def test_a_row_has_each_raters_value_and_marks_the_odd_one(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    line = next(
        line
        for line in shown(client, batch).sections[0].lines
        if line.one.unit.external_id == "pair-0-1"
    )
    assert line.where == "Response B"
    assert [(said.words, said.odd) for said in line.said if said.odd] == [("yes", True)]
    assert [said.handle for said in line.said] == ["Rater 1", "Rater 2", "Rater 3"]
    assert {said.name for said in line.said} == {""}


def meeting_of(page: DisagreementsPage, name: str, key: str) -> str:
    lines = [line for section in page.sections for line in section.lines]
    units = {(line.one.unit.external_id, line.one.unit.key): line for line in lines}
    return units[name, key].meeting


def test_each_row_leads_to_its_place_in_the_meeting_or_to_where_one_starts_on_its_check(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    places = [batch.project.slug, batch.public_id]
    start = reverse("annotate:meeting", args=places)
    page = shown(client, batch)
    assert meeting_of(page, "pair-0-1", "C1") == f"{start}?check=C1"
    assert meeting_of(page, "pair-0-3", "preference") == f"{start}?check=preference"
    assert client.get(f"{start}?check=C1").status_code == 200
    meeting = start_meeting(batch=batch, minutes=60, acting_user=lead)
    href = meeting_of(shown(client, batch), "pair-0-3", "C1")
    subject = Subject.objects.get(external_id="pair-0-3")
    unit = Unit(subject.pk, "pair-0-3", subject.public_id, "C1", "B")
    assert href == reverse("annotate:meeting_unit", args=[*places, unit_code(unit)])
    assert "pair-0-3" in client.get(href).content.decode()
    sorted_row = client.post(
        url_of(batch),
        {"unit": unit_code(unit), "kind": "slip"},
        headers={"HX-Request": "true"},
    )
    assert f'href="{href}"' in sorted_row.content.decode()
    end_meeting(meeting=meeting, acting_user=lead)
    assert meeting_of(shown(client, batch), "pair-0-3", "C1") == f"{start}?check=C1"


def test_of_rounds_listed_together_each_row_leads_to_the_meeting_of_its_own(
    client: Client, project: Project, raters: list[User], lead: User
) -> None:
    version = make_version(project)
    said: list[list[dict[str, str] | None]] = [[ALIKE, ALIKE, {"C1": "yes yes"}], [ALIKE] * 3]
    first, second = (make_voted_round(project, raters, said, version=version) for _ in range(2))
    start_meeting(batch=first, minutes=60, acting_user=lead)
    client.force_login(lead)
    page = shown(client, second, pooled=1)
    lines = {line.one.batch: line for section in page.sections for line in section.lines}
    assert client.get(lines[first.pk].meeting).status_code == 200
    assert str(first.public_id) in lines[first.pk].meeting
    assert lines[first.pk].code in lines[first.pk].meeting
    start = reverse("annotate:meeting", args=[project.slug, second.public_id])
    assert lines[second.pk].meeting == f"{start}?check=C1"


def test_names_are_shown_once_somebody_asks_for_them(
    client: Client, batch: Batch, lead: User, expert: User
) -> None:
    client.force_login(lead)
    assert str(expert) not in main_of(client.get(url_of(batch)))
    assert str(expert) in main_of(client.get(url_of(batch, names=1)))


def main_of(response: Any) -> str:
    return str(response.content.decode()).split("<main", 1)[1]


def test_anonymous_raters_stay_anonymous(
    client: Client, batch: Batch, lead: User, expert: User
) -> None:
    Batch.objects.filter(pk=batch.pk).update(anonymous_raters=True)
    client.force_login(lead)
    page = shown(client, batch, names=1)
    lines = [line for section in page.sections for line in section.lines]
    assert {(said.handle, said.name) for line in lines for said in line.said} == {("", "")}
    for line in lines:
        words = [said.words for said in line.said]
        assert words == sorted(words)
    assert str(expert) not in main_of(client.get(url_of(batch, names=1)))
    assert page.found.handles == {}


def test_filters_choose_by_check_kind_and_state(client: Client, batch: Batch, lead: User) -> None:
    client.force_login(lead)
    assert {key for key, _ in listed(shown(client, batch, check="C1"))} == {"C1"}
    weighting = listed(shown(client, batch, kind="weighting"))
    assert weighting == [("preference", "pair-0-2")]
    unit = code_of(batch, lead)
    client.post(url_of(batch), {"unit": unit, "kind": "weighting"})
    assert len(listed(shown(client, batch, kind="weighting"))) == 2, "what was chosen counts"
    assert len(listed(shown(client, batch, state="sorted"))) == 1
    assert len(listed(shown(client, batch, state="open"))) == 3
    assert listed(shown(client, batch, state="ruling")) == []
    odd = shown(client, batch, check="C9", kind="quarrel", state="lost", page="none")
    assert len(listed(odd)) == 4


def test_rounds_of_one_version_can_be_listed_together(
    client: Client, project: Project, raters: list[User], lead: User
) -> None:
    version = make_version(project)
    split = [[ALIKE, ALIKE, {"C1": "yes yes"}], [ALIKE] * 3]
    first = make_voted_round(project, raters, split, version=version)
    second = make_voted_round(project, raters, split, version=version)
    client.force_login(lead)
    assert len(listed(shown(client, second))) == 1
    assert len(listed(shown(client, second, pooled=1))) == 2
    for one in differing([first, second], reader=lead).all:
        client.post(url_of(second, pooled=1), {"unit": unit_code(one.unit), "kind": "slip"})
    assert set(Disagreement.objects.values_list("batch", flat=True)) == {first.pk, second.pk}


def same_pair_again(
    project: Project, version: RubricVersion, said: Sequence[tuple[User, str]], subject: int
) -> Batch:
    """A closed round on this pair in which each of these people says this of C1."""
    users = [user for user, _ in said]
    again = make_round(project, users, size=1, version=version)
    again.slots.update(subject=subject)
    again.assignments.update(subject=subject)
    for user, answer in said:
        make_vote(again.assignments.get(rater__user=user), {"C1": answer})
    return close_round(batch=again, acting_user=None)


@pytest.mark.parametrize("in_bulk", [False, True])
def test_what_differs_between_two_rounds_alone_is_sorted_in_the_newer(
    client: Client, project: Project, raters: list[User], lead: User, *, in_bulk: bool
) -> None:
    version = make_version(project)
    ann, ben, cid = raters
    first = make_voted_round(project, [ann, lead], [[ALIKE] * 2], version=version)
    subject = first.slots.values_list("subject_id", flat=True)[0]
    second = same_pair_again(project, version, [(ben, "yes yes"), (cid, "yes yes")], subject)
    assert not differing([first], reader=lead).all
    assert not differing([second], reader=lead).all
    (one,) = differing([first, second], reader=lead).all
    assert one.batch == second.pk
    client.force_login(lead)
    sent = {"accept": "C1"} if in_bulk else {"unit": unit_code(one.unit), "kind": "slip"}
    assert client.post(url_of(second, pooled=1), sent).status_code == 302
    row = Disagreement.objects.get()
    assert row.batch == second
    assert row.kind
    opened = open_ruling(
        batch=second, units=[one.unit], question="Which of the two?", acting_user=lead
    )
    assert opened.disagreements.get() == row


def test_what_differs_between_two_rounds_alone_is_in_the_meeting_of_neither(
    client: Client, project: Project, raters: list[User], lead: User
) -> None:
    version = make_version(project)
    ann, ben, cid = raters
    make_voted_round(project, [ann, ben], [[ALIKE, ALIKE]], version=version)
    subject = Subject.objects.get()
    second = same_pair_again(project, version, [(cid, "yes yes"), (lead, "yes yes")], subject.pk)
    client.force_login(lead)
    page = shown(client, second, pooled=1)
    assert [line.meeting for section in page.sections for line in section.lines] == [""]


def test_in_a_pool_the_row_of_the_newest_round_that_differs_is_the_one_shown(
    client: Client, project: Project, raters: list[User], lead: User
) -> None:
    version = make_version(project)
    ann, ben, cid = raters
    odd = [[ALIKE, {"C1": "yes yes"}]]
    first = make_voted_round(project, [ann, ben], odd, version=version)
    subject = first.slots.values_list("subject_id", flat=True)[0]
    second = same_pair_again(project, version, [(cid, "yes no"), (lead, "yes yes")], subject)
    client.force_login(lead)
    (unit,) = (one.unit for one in differing([first], reader=lead).all)
    client.post(url_of(first), {"unit": unit_code(unit), "kind": "slip"})
    (one,) = differing([first, second], reader=lead).all
    assert (one.kind, one.batch) == ("slip", second.pk)
    client.post(url_of(first, pooled=1), {"unit": unit_code(unit), "kind": "ambiguity"})
    (one,) = differing([first, second], reader=lead).all
    assert one.kind == "ambiguity"
    assert [one.kind for one in differing([first], reader=lead).all] == ["slip"]
    client.post(url_of(first, pooled=1), {"unit": unit_code(unit), "kind": ""})
    (one,) = differing([first, second], reader=lead).all
    assert one.kind == ""


def test_a_planted_pair_is_not_sorted(batch: Batch, lead: User) -> None:
    (one,) = (
        found
        for found in differing([batch], reader=lead).all
        if found.unit.key == "C1" and found.unit.external_id == "pair-0-1"
    )
    batch.slots.filter(subject=one.unit.subject).update(role=Slot.Role.PROBE)
    with pytest.raises(SortingRefused, match="do not differ"):
        sort_disagreement(
            batch=batch,
            unit=one.unit,
            kind="slip",
            note="",
            suggestion=one.suggestion,
            acting_user=lead,
        )
    assert not Disagreement.objects.exists()


def test_without_a_disagreement_the_page_says_so(
    client: Client, project: Project, raters: list[User], lead: User
) -> None:
    batch = make_voted_round(project, raters, [[ALIKE] * 3])
    client.force_login(lead)
    response = client.get(url_of(batch))
    assert "Raters gave the same label wherever they met." in response.content.decode()
    assert "No disagreement" in response.content.decode()


def test_filters_that_nothing_meets_say_so(client: Client, batch: Batch, lead: User) -> None:
    client.force_login(lead)
    assert "None like this" in client.get(url_of(batch, state="sorted")).content.decode()


# ---- Sorting


def test_a_button_sorts_and_answers_with_the_row_and_the_counts_that_moved(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    unit = code_of(batch, lead)
    response = client.post(
        url_of(batch), {"unit": unit, "kind": "ambiguity"}, headers={"HX-Request": "true"}
    )
    row = Disagreement.objects.get()
    assert (row.kind, row.sorted_by, row.batch) == ("ambiguity", lead, batch)
    assert row.suggested
    html = response.content.decode()
    assert f'id="{unit}"' in html
    assert 'id="open-C1" hx-swap-oob="true">1 open' in html
    assert "<html" not in html
    event = Event.objects.filter(verb="disagreement.sorted").get()
    assert event.actor == lead


def test_without_a_script_the_list_comes_back_where_it_was(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    unit = code_of(batch, lead)
    response = client.post(url_of(batch, check="C1", page=1), {"unit": unit, "kind": "slip"})
    assert response.status_code == 302
    assert response["Location"] == f"{url_of(batch)}?check=C1&page=1#{unit}"


def test_a_kind_can_be_changed_and_taken_back_and_keeps_the_note(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    unit = code_of(batch, lead)
    client.post(url_of(batch), {"unit": unit, "kind": "slip"})
    Disagreement.objects.update(note="Decided in the meeting.")
    client.post(url_of(batch), {"unit": unit, "kind": "legitimate"})
    row = Disagreement.objects.get()
    assert (row.kind, row.note) == ("legitimate", "Decided in the meeting.")
    client.post(url_of(batch), {"unit": unit, "kind": ""})
    assert Disagreement.objects.get().kind == ""
    assert len(listed(shown(client, batch, state="open"))) == 4


def test_all_suggestions_of_a_check_are_accepted_at_once_and_no_others(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    found = differing([batch], reader=lead)
    other = "weighting"
    client.post(url_of(batch), {"unit": unit_code(found.groups[1].found[0].unit), "kind": other})
    response = client.post(url_of(batch), {"accept": "C1"})
    assert response["Location"].endswith("#check-C1")
    event = Event.objects.get(verb="disagreements.accepted")
    assert (event.actor, len(event.data["units"])) == (lead, 1)
    now = differing([batch], reader=lead).groups[1].found
    assert [one.kind for one in now] == [other, found.groups[1].found[1].suggestion.kind]
    assert Disagreement.objects.count() == 2


def test_the_button_of_a_sorted_check_keeps_its_place(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    client.post(url_of(batch), {"accept": "C1"})
    page = client.get(url_of(batch)).content.decode()
    assert '<button class="btn btn-small" type="button" disabled>All sorted on C1</button>' in page
    assert "All sorted on the preference" not in page
    # What the filters leave out is not called sorted.
    filtered = client.get(url_of(batch, state="sorted")).content.decode()
    assert "All sorted on C1" in filtered


def test_bulk_acceptance_takes_only_what_the_filters_list(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    client.post(url_of(batch, kind="weighting"), {"accept": "preference"})
    assert [row.subject.external_id for row in Disagreement.objects.all()] == ["pair-0-2"]


def test_what_was_opened_again_is_accepted_with_its_note(
    client: Client, batch: Batch, lead: User
) -> None:
    client.force_login(lead)
    unit = code_of(batch, lead)
    client.post(url_of(batch), {"unit": unit, "kind": "weighting"})
    client.post(url_of(batch), {"unit": unit, "kind": ""})
    Disagreement.objects.update(note="Still to be talked about.")
    client.post(url_of(batch), {"accept": "C1"})
    row = Disagreement.objects.order_by("pk")[0]
    assert row.note == "Still to be talked about."
    assert row.kind == row.suggested != "weighting"


def test_accepting_again_changes_nothing(client: Client, batch: Batch, lead: User) -> None:
    client.force_login(lead)
    for _ in range(2):
        client.post(url_of(batch), {"accept": "C1"})
    assert Event.objects.filter(verb="disagreements.accepted").count() == 1


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"unit": "nothing", "kind": "slip"},
        {"unit": "2b0c0e9e-0000-0000-0000-000000000000.C1.B", "kind": "slip"},
        {"unit": "real", "kind": "quarrel"},
        {"accept": "C9"},
    ],
)
def test_what_names_no_disagreement_changes_nothing(
    client: Client, batch: Batch, lead: User, form: dict[str, str]
) -> None:
    client.force_login(lead)
    if form.get("unit") == "real":
        form = {**form, "unit": code_of(batch, lead)}
    assert client.post(url_of(batch), form).status_code == 400
    assert not Disagreement.objects.exists()


# ---- The file


def rows_of(client: Client, batch: Batch, **filters: object) -> list[dict[str, str]]:
    response = client.get(csv_of(batch, **filters))
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_file_has_what_the_filters_list(client: Client, batch: Batch, lead: User) -> None:
    client.force_login(lead)
    client.post(url_of(batch), {"unit": code_of(batch, lead), "kind": "slip"})
    everything = rows_of(client, batch)
    assert len(everything) == 4
    assert everything[0]["chosen"] == "slip"
    assert everything[0]["sorted by"] == str(lead)
    assert everything[1]["chosen"] == ""
    assert [row["check"] for row in rows_of(client, batch, check="preference")] == [
        "preference"
    ] * 2


def test_nothing_in_the_file_runs_as_a_formula(client: Client, batch: Batch, lead: User) -> None:
    Subject.objects.filter(external_id="pair-0-1").update(external_id='=HYPERLINK("http://x")')
    client.force_login(lead)
    client.post(url_of(batch), {"accept": "C1"})
    Disagreement.objects.update(note="@SUM(1)")
    rows = rows_of(client, batch)
    cells = [cell for row in rows for cell in row.values()]
    assert '\'=HYPERLINK("http://x")' in cells
    assert "'@SUM(1)" in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


# ---- As fast for many as for few


def make_splits(project: Project, version: RubricVersion, count: int, name: str) -> Batch:
    """Imported votes of two raters with so many units of C1 on which they differ."""
    batch = Batch.objects.create(
        project=project, version=version, kind=Batch.Kind.IMPORTED, name=name
    )
    criterion = batch.version.criteria.get(key="C1")
    raters = [
        Rater.objects.create(project=project, kind="imported", name=f"{name} {n}") for n in range(2)
    ]
    batch.raters.set(raters)
    subjects = Subject.objects.bulk_create(
        Subject(project=project, external_id=f"{name}-{n}") for n in range(count)
    )
    votes = Vote.objects.bulk_create(
        Vote(batch=batch, subject=subject, rater=rater) for rater in raters for subject in subjects
    )
    Label.objects.bulk_create(
        Label(
            vote=vote,
            criterion=criterion,
            part_key=part,
            code="yes" if (vote.rater_id == raters[0].pk) == (part == "A") else "no",
        )
        for vote in votes
        for part in "AB"
    )
    return batch


def test_forty_disagreements_and_two_thousand_take_as_few_queries(
    client: Client,
    project: Project,
    lead: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    version = make_version(project)
    batches: Sequence[Batch] = [
        make_splits(project, version, 20, "few"),
        make_splits(project, version, 1_000, "many"),
    ]
    client.force_login(lead)
    for batch, splits in zip(batches, (40, 2_000), strict=True):
        assert shown(client, batch).total == splits
        every: list[dict[str, object]] = [{}, {"names": 1}, {"state": "open", "page": 2}]
        for filters in every:
            with django_assert_max_num_queries(QUERIES):
                page = shown(client, batch, **filters)
            assert len(listed(page)) <= PAGE


def test_a_pool_of_rounds_takes_as_few_queries(
    client: Client,
    project: Project,
    raters: list[User],
    lead: User,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    version = make_version(project)
    split = [[ALIKE, ALIKE, {"C1": "yes yes"}], [ALIKE] * 3]
    rounds = [make_voted_round(project, raters, split, version=version) for _ in range(3)]
    client.force_login(lead)
    assert shown(client, rounds[0], pooled=1).total == 3
    client.post(url_of(rounds[0], pooled=1), {"accept": "C1"})
    with django_assert_max_num_queries(QUERIES):
        shown(client, rounds[0], pooled=1, names=1)

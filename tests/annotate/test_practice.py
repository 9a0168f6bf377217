"""First-run practice: offered once, its rater's own, and in no figure."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotate.actions.gold import set_gold, withdraw_gold
from annotate.actions.leaving import end_account
from annotate.actions.practice import PracticeRefused, begin_practice, decline_practice
from annotate.actions.rounds import close_round, start_round
from annotate.actions.votes import AnswerShown, save_draft, submit_vote
from annotate.assignment import fresh_pairs, next_for
from annotate.calibration import measure, pool_of
from annotate.models import Assignment, Batch, GoldAnswer, Label, Slot, Vote
from annotate.practice import KNOWN, Stage, practice_of
from annotate.ratings import ratings
from projects.models import Event, Job, Membership, Rater
from tests.ballots import RUBRIC, filled, make_label_round, submission
from tests.crawling import html_of, without_tokens
from tests.gold import WHY, known, make_gold, make_practice
from tests.making import make_pair, make_rubric_version, make_vote

if TYPE_CHECKING:
    from pathlib import Path

    from projects.models import Project, User


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_label_round(project, expert, other_expert, size=3)


@pytest.fixture
def gold(project: Project, batch: Batch) -> list[GoldAnswer]:
    return make_practice(project, batch)


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rater_of(user: User) -> Rater:
    return Rater.objects.get(user=user)


def open_round(user: User, batch: Batch) -> str:
    return str(as_(user).get(reverse("annotate:label_next", args=[batch.public_id]))["Location"])


def offer(batch: Batch) -> str:
    return reverse("annotate:practice", args=[batch.public_id])


def page_of(assignment: Assignment) -> str:
    return reverse("annotate:label_pair", args=[assignment.public_id])


def feedback_of(assignment: Assignment) -> str:
    return reverse("annotate:practice_feedback", args=[assignment.public_id])


def begun(user: User, batch: Batch, order: str = "") -> list[Assignment]:
    """The practice pairs of a rater, in their order, with the sides that a test asks for."""
    begin_practice(batch=batch, acting_user=user)
    rows = Assignment.objects.filter(batch__kind="practice", rater__user=user)
    if order:
        rows.update(order=order)
    return list(rows.select_related("batch__version", "rater__user").order_by("position"))


def send(assignment: Assignment, **changes: str) -> Vote:
    user = assignment.rater.user
    assert user is not None
    return submit_vote(
        assignment=assignment, form=filled(**changes), submit_key=uuid4(), acting_user=user
    )


# ---- The offer


def test_a_rater_who_opens_a_round_meets_the_practice_first(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    assert open_round(expert, batch) == offer(batch)
    page = html_of(as_(expert).get(offer(batch)))
    assert "Three practice pairs first" in page
    assert "about 18 minutes" in page
    assert "Not now, go to the round" in page
    # Asking writes nothing.
    assert not Batch.objects.filter(kind="practice").exists()


def test_without_practice_pairs_the_round_opens_at_its_first_pair(
    batch: Batch, expert: User
) -> None:
    first = next_for(rater_of(expert), batch)
    assert first is not None
    assert open_round(expert, batch) == page_of(first)
    assert as_(expert).get(offer(batch)).status_code == 302


def test_hidden_answers_are_no_practice(project: Project, batch: Batch, expert: User) -> None:
    make_gold(make_pair(project, "hidden"), batch.version)
    assert open_round(expert, batch) != offer(batch)


def test_not_now_goes_to_the_round_is_recorded_and_stays_open_under_my_pairs(
    batch: Batch, gold: list[GoldAnswer], expert: User, other_expert: User
) -> None:
    client = as_(expert)
    response = client.post(offer(batch), {"action": "later"})
    assert response.status_code == 303
    assert open_round(expert, batch) != offer(batch)
    said = Event.objects.get(verb="practice.declined")
    assert (said.actor, said.data["rubric"]) == (expert, batch.version.rubric_id)
    mine = html_of(client.get(reverse("annotate:label_mine", args=[batch.public_id])))
    assert offer(batch) in mine
    assert "Practise on 3 pairs" in mine
    assert client.get(offer(batch)).status_code == 200
    home = html_of(client.get("/"))
    assert offer(batch) in home
    assert "Practise on 3 pairs with known answers" in home
    # It was the one rater's answer.
    assert open_round(other_expert, batch) == offer(batch)


def test_who_has_looked_at_a_pair_of_the_round_is_not_interrupted(
    project: Project, batch: Batch, expert: User
) -> None:
    first = next_for(rater_of(expert), batch)
    assert first is not None
    as_(expert).get(page_of(first))
    make_practice(project, batch)
    assert open_round(expert, batch) == page_of(first)


def test_who_has_practised_a_rubric_is_never_asked_again(
    project: Project, batch: Batch, gold: list[GoldAnswer], expert: User, other_expert: User
) -> None:
    for assignment in begun(expert, batch):
        send(assignment)
    assert open_round(expert, batch) != offer(batch)
    assert "Practise" not in html_of(as_(expert).get("/"))
    for n in range(2):
        make_pair(project, f"later-{n}")
    later = start_round(
        project=project,
        version=batch.version,
        raters=[expert, other_expert],
        size=2,
        seed=9,
        acting_user=None,
    )
    assert open_round(expert, later) != offer(later)
    assert "Practice is done" in html_of(as_(expert).get(offer(later)))


def test_a_pair_that_the_rater_could_remember_is_no_practice_pair(
    batch: Batch, expert: User, other_expert: User, project: Project
) -> None:
    seen = batch.assignments.filter(rater__user=expert)[0].subject
    make_gold(seen, batch.version, use="practice")
    copy = make_pair(project, "another name")
    type(copy).objects.filter(pk=copy.pk).update(content_hash=seen.content_hash)
    make_gold(copy, batch.version, use="practice")
    assert practice_of(rater_of(expert), batch.version) is None
    with pytest.raises(PracticeRefused):
        begin_practice(batch=batch, acting_user=expert)
    assert as_(expert).post(offer(batch), {"action": "start"}).status_code == 303


def test_a_version_without_practice_pairs_takes_those_of_an_earlier_one_that_asks_the_same(
    project: Project, batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    rater = rater_of(expert)
    helped = RUBRIC.replace("rubric_version: 1", "rubric_version: 2").replace(
        "help: Rounding counts as a difference.", "help: Rounding counts."
    )
    same = make_rubric_version(project, helped)
    found = practice_of(rater, same)
    assert found is not None
    assert (found.stage, found.size) == (Stage.OFFERED, 3)
    reworded = make_rubric_version(
        project,
        helped.replace("rubric_version: 2", "rubric_version: 3").replace(
            "Every open item is listed.", "Each open item is listed."
        ),
    )
    assert practice_of(rater, reworded) is None
    # Its own come before those of any other.
    make_gold(make_pair(project, "own"), reworded, use="practice")
    found = practice_of(rater, reworded)
    assert found is not None
    assert found.size == 1


def test_a_later_version_lends_nothing_to_an_earlier_one(
    project: Project, batch: Batch, expert: User
) -> None:
    later = make_rubric_version(project, RUBRIC.replace("rubric_version: 1", "rubric_version: 2"))
    make_gold(make_pair(project, "later"), later, use="practice")
    assert practice_of(rater_of(expert), batch.version) is None


# ---- Beginning


def test_each_rater_has_the_pairs_in_an_order_and_with_sides_of_their_own(
    project: Project, batch: Batch, expert: User, other_expert: User
) -> None:
    make_practice(project, batch, count=5)
    first, second = begun(expert, batch), begun(other_expert, batch)
    assert len(first) == len(second) == 3
    assert {one.subject_id for one in first} == {one.subject_id for one in second}
    assert [one.position for one in first] == [1, 2, 3]
    practice = Batch.objects.get(kind="practice")
    assert practice.version == batch.version
    assert set(practice.slots.values_list("role", flat=True)) == {Slot.Role.PRACTICE}
    assert practice.slots.count() == 6
    told = [[(one.subject_id, one.order) for one in pairs] for pairs in (first, second)]
    assert told[0] != told[1]
    assert Job.objects.filter(kind="render", params__batch=practice.pk).exists()


def test_beginning_twice_begins_once(batch: Batch, gold: list[GoldAnswer], expert: User) -> None:
    client = as_(expert)
    there = {client.post(offer(batch), {"action": "start"})["Location"] for _ in range(2)}
    assert len(there) == 1
    assert Assignment.objects.filter(batch__kind="practice").count() == 3
    assert Event.objects.filter(verb="practice.begun").count() == 1
    assert "Practice: 3 pairs left" in html_of(client.get(offer(batch)))


def test_a_form_without_an_action_begins_nothing(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    assert as_(expert).post(offer(batch), {"action": "anything"}).status_code == 400
    assert not Batch.objects.filter(kind="practice").exists()


# ---- Answering and being told


def test_the_page_of_a_practice_pair_says_that_it_is_one(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch)[0]
    page = html_of(as_(expert).get(page_of(first)))
    assert 'class="chip">practice</span>' in page
    assert "Send and compare" in page
    assert "Pair 1 of 3" in page
    assert offer(batch) in page
    assert "Heronsworth" not in page


def test_after_sending_the_known_answer_stands_beside_ones_own_in_the_terms_one_saw(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first, second, _ = begun(expert, batch, order="BA")
    client = as_(expert)
    # Known: A has C1 and is slightly better; A stands on the right. Said: Left has C1.
    sent = client.post(page_of(first), submission(G2_Left="na"))
    assert (sent.status_code, sent["Location"]) == (303, feedback_of(first))
    page = html_of(client.get(feedback_of(first)))
    rows = [" ".join(row.split()) for row in cells_of(page)]
    assert rows == [
        "Left pass pass",
        "Right pass pass",
        "Left N/A pass, different",
        "Right pass pass",
        "Left yes no, different",
        "Right no yes, different",
        "Left yes yes",
        "Right yes yes",
        "– Left slightly Right slightly, different",
    ]
    assert "5 of 9 answers are the same; look again at G2, C1 and the preference." in page
    assert 'Heronsworth: <span class="chip">Right</span> names the cause as' in page
    assert page_of(second) in page
    assert "Next practice pair" in page
    assert "Practised first text" in page
    for secret in ("model-alpha", "practice-0", "A_slight", "[A]", ">A<", ">B<"):
        assert secret not in page


def cells_of(page: str) -> list[str]:
    """The text of each row of the table, without its check."""
    body = page[page.index('<table class="data told">') : page.index("</table>")]
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)[1:]
    cells = [re.findall(r"<td.*?</td>", row, re.DOTALL) for row in rows]
    return [" ".join(re.sub(r"<[^>]+>", "", cell) for cell in row) for row in cells]


def test_after_a_deciding_gate_the_preference_is_not_compared(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch, order="AB")[0]
    send(first, G1_Left="fail", preference="", rationale="")
    page = html_of(as_(expert).get(feedback_of(first)))
    assert cells_of(page)[-1].split() == ["–", "not", "asked", "Left", "slightly"]
    assert "7 of 8 answers are the same; look again at G1." in page


def test_the_last_pair_says_what_all_came_to_and_leads_to_the_round(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    pairs = begun(expert, batch, order="AB")
    for n, assignment in enumerate(pairs):
        send(assignment, **({"C2_Left": "no"} if n == 1 else {}))
    client = as_(expert)
    page = html_of(client.get(feedback_of(pairs[-1])))
    assert "All 9 answers are the same as the known ones." in page
    assert "26 of 27 answers are the same; look again at C2." in page
    assert "Start the round" in page
    assert reverse("annotate:label_next", args=[batch.public_id]) in page
    done = html_of(client.get(offer(batch)))
    assert "26 of 27 answers are the same; look again at C2." in done
    assert all(feedback_of(one) in done for one in pairs)
    mine = html_of(client.get(reverse("annotate:label_mine", args=[batch.public_id])))
    assert "Your practice, beside the known answers" in mine


def test_the_known_answer_is_shown_once_ones_own_is_sent_and_not_before(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch)[0]
    client = as_(expert)
    early = client.get(feedback_of(first))
    assert (early.status_code, early["Location"]) == (302, page_of(first))
    send(first)
    late = client.get(page_of(first))
    assert (late.status_code, late["Location"]) == (302, feedback_of(first))


def test_a_refused_answer_shows_nothing_and_is_kept(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch)[0]
    response = as_(expert).post(page_of(first), submission(G1_Left=""))
    assert response.status_code == 422
    assert "Heronsworth" not in html_of(response)
    first.refresh_from_db()
    assert first.state == "assigned"
    assert first.draft["rationale"]


def test_an_answer_that_was_compared_can_no_longer_change(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch)[0]
    send(first)
    client = as_(expert)
    before = list(Label.objects.values())
    amended = client.post(page_of(first), submission(C1_Left="no"))
    assert amended.status_code == 409
    assert "you have seen the known answer" in html_of(amended)
    drafted = client.post(
        reverse("annotate:label_draft", args=[first.public_id]), submission(C1_Left="no")
    )
    assert drafted.status_code == 409
    assert "You have seen the known answer" in drafted.json()["error"]
    skipped = client.post(page_of(first), {**submission(), "action": "skip"})
    assert skipped.status_code == 409
    with pytest.raises(AnswerShown):
        save_draft(assignment=first, form=filled(), acting_user=expert)
    assert list(Label.objects.values()) == before
    assert Vote.objects.count() == 1


def test_a_second_send_of_the_same_answer_changes_nothing(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch)[0]
    form = submission()
    client = as_(expert)
    answers = [client.post(page_of(first), form) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert {answer["Location"] for answer in answers} == {feedback_of(first)}
    assert Vote.objects.count() == 1
    assert Event.objects.filter(verb="practice.answered").count() == 1


def test_what_was_skipped_comes_back_at_the_end(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first, second, third = begun(expert, batch)
    client = as_(expert)
    skipped = client.post(page_of(first), {"action": "skip", "skip_reason": ""})
    assert skipped["Location"] == page_of(second)
    send(second)
    send(third)
    assert page_of(first) in html_of(client.get(feedback_of(third)))


# ---- Whose it is


def test_a_practice_is_its_raters_own(
    batch: Batch, gold: list[GoldAnswer], expert: User, other_expert: User, lead: User
) -> None:
    pairs = begun(expert, batch)
    send(pairs[0])
    for person in (other_expert, lead):
        client = as_(person)
        for assignment in pairs[:2]:
            assert client.get(page_of(assignment)).status_code == 404
            assert client.get(feedback_of(assignment)).status_code == 404
            assert client.post(page_of(assignment), submission()).status_code == 404
    assert as_(lead).get(offer(batch)).status_code == 404
    practice = Batch.objects.get(kind="practice")
    for user in (expert, lead):
        for name in ("label_next", "label_mine", "practice"):
            address = reverse(f"annotate:{name}", args=[practice.public_id])
            assert as_(user).get(address).status_code == 404
    units = reverse("annotate:units", args=[batch.project.slug, practice.public_id])
    assert as_(lead).get(units).status_code == 404


def test_an_ordinary_pair_has_no_feedback(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    ordinary = batch.assignments.filter(rater__user=expert)[0]
    assert as_(expert).get(feedback_of(ordinary)).status_code == 404


def test_a_lead_learns_that_somebody_practised_and_not_how(
    batch: Batch, gold: list[GoldAnswer], expert: User, lead: User
) -> None:
    for assignment in begun(expert, batch, order="AB"):
        send(assignment, C2_Left="no", rationale="[C1] decides, said the Quillfeather.")
    client = as_(lead)
    page = html_of(client.get(reverse("annotate:gold", args=[batch.project.slug])))
    assert "1 rater practised" in page
    subject = gold[0].subject
    one = html_of(client.get(reverse("annotate:subject", args=["claims", subject.public_id])))
    assert "No vote yet" in one
    overview = html_of(client.get(reverse("annotate:project", args=["claims"])))
    for source in (page, one, overview):
        assert "Quillfeather" not in source
        assert "Practice" not in source
        assert "answers are the same" not in source
    assert "practice answered" not in overview


def test_a_lead_who_practises_sees_no_known_answer_before_their_own(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, size=2)
    make_practice(project, batch)
    Membership.objects.create(project=project, user=expert, role="lead")
    pairs = begun(expert, batch)
    send(pairs[0])
    client = as_(expert)
    listed = html_of(client.get(reverse("annotate:gold", args=["claims"])))
    told, secret = pairs[0].subject, pairs[1].subject
    assert f"{told.external_id}</a>" in listed
    assert f"{secret.external_id}</a>" not in listed
    for subject, status in ((told, 200), (secret, 403)):
        address = reverse("annotate:subject_gold", args=["claims", subject.public_id])
        assert client.get(address).status_code == status


# ---- What it never touches


def figures(batch: Batch, lead: User, folder: Path) -> dict[str, object]:
    """Everything that votes are counted in, as people and programs get it."""
    client = as_(lead)
    out = folder / str(uuid4())
    call_command(
        *("export_pairs", "--project", "claims", "--round", str(batch.number)),
        *("--format", "trl", "--policy", "one_sided", "--out", str(out)),
    )
    exported = {
        file.name: file.read_text() for file in out.iterdir() if file.name != "manifest.json"
    }
    manifest = json.loads((out / "manifest.json").read_text())
    for moving in ("made_at",):
        manifest.pop(moving, None)
    pages = {
        name: html_of(client.get(reverse(f"annotate:{name}", args=arguments)))
        for name, arguments in {
            "home": (),
            "project": ("claims",),
            "rounds": ("claims",),
            "round": ("claims", batch.number),
            "units": ("claims", batch.public_id),
        }.items()
    }
    frame = ratings([batch])
    return {
        "measured": measure(batch).rows,
        "pool": pool_of(batch),
        "ratings": frame.to_csv(),
        "pseudonyms": sorted(Rater.objects.values_list("name", "pseudonym")),
        "stock": fresh_pairs(batch.project, []),
        "exported": exported,
        "manifest": manifest,
        "pages": {name: _settled(page) for name, page in pages.items()},
    }


def _settled(page: str) -> str:
    """Without tokens, and without the export that the test itself has just made."""
    page = re.sub(r"<h2>Lately</h2>.*?</section>", "", without_tokens(page), flags=re.DOTALL)
    return re.sub(r"\d+ (seconds?|minutes?) ago|now", "", page)


def test_practice_votes_change_no_figure_page_or_export(
    project: Project,
    batch: Batch,
    gold: list[GoldAnswer],
    expert: User,
    other_expert: User,
    lead: User,
    tmp_path: Path,
) -> None:
    for assignment in batch.assignments.select_related("rater__user", "batch__version"):
        make_vote(assignment, {"C1": "yes no", "preference": "A_slight"})
    close_round(batch=batch, acting_user=None)
    for n in range(2):
        make_pair(project, f"later-{n}")
    later = start_round(
        project=project,
        version=batch.version,
        raters=[expert, other_expert],
        size=2,
        seed=3,
        acting_user=None,
    )
    for user in (expert, other_expert):
        begin_practice(batch=later, acting_user=user)
    before = figures(batch, lead, tmp_path)
    for user in (expert, other_expert):
        for assignment in begun(user, later):
            send(assignment, G1_Left="fail", C1_Left="no", preference="", rationale="")
    assert Vote.objects.filter(batch__kind="practice").count() == 6
    after = figures(batch, lead, tmp_path)
    assert after.keys() == before.keys()
    for name, value in before.items():
        assert after[name] == value, name


def test_a_practice_gives_nobody_a_pseudonym(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch)[0]
    send(first)
    assert rater_of(expert).pseudonym is None
    make_vote(batch.assignments.filter(rater__user=expert).select_related("batch__version")[0])
    assert rater_of(expert).pseudonym


def test_whoever_practises_has_no_vote_and_no_progress_in_the_round(
    batch: Batch, gold: list[GoldAnswer], expert: User, lead: User
) -> None:
    for assignment in begun(expert, batch):
        send(assignment)
    assert not Vote.objects.of_batches(batch).exists()
    page = html_of(as_(lead).get(reverse("annotate:round", args=["claims", batch.number])))
    assert "0 of 6 votes are in" in page
    home = html_of(as_(expert).get("/"))
    assert "3 / 3" not in home
    assert "All 3 pairs" not in home


def test_a_practice_pair_is_in_no_later_round(
    project: Project, batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    pairs = begun(expert, batch)
    rater = rater_of(expert)
    for answer in gold:
        withdraw_gold(subject=answer.subject, version=batch.version, acting_user=None)
    # Open again to others, not to the one who has had them.
    stock = fresh_pairs(project, [rater])
    assert {one.subject_id for one in pairs}.isdisjoint(stock)
    assert {one.subject_id for one in pairs} <= set(fresh_pairs(project, []))


# ---- Answers that change


def test_a_rater_keeps_what_they_were_told(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    first = begun(expert, batch, order="AB")[0]
    vote = send(first)
    assert vote.detail[KNOWN]["why"] == WHY
    client = as_(expert)
    before = without_tokens(html_of(client.get(feedback_of(first))))
    subject = first.subject
    other = known({"C1": "no yes", "preference": "B_much"}, why="Otherwise.", use="practice")
    set_gold(subject=subject, version=batch.version, known=other, acting_user=None)
    assert without_tokens(html_of(client.get(feedback_of(first)))) == before
    withdraw_gold(subject=subject, version=batch.version, acting_user=None)
    assert without_tokens(html_of(client.get(feedback_of(first)))) == before
    changed = Event.objects.get(verb="gold.changed")
    assert changed.data["before"]["why"] == WHY


@pytest.mark.parametrize("how", ["withdrawn", "hidden from now on"])
def test_a_pair_whose_answer_is_gone_leaves_the_practice(
    batch: Batch, gold: list[GoldAnswer], expert: User, how: str
) -> None:
    first, second, _ = begun(expert, batch)
    if how == "withdrawn":
        withdraw_gold(subject=first.subject, version=batch.version, acting_user=None)
    else:
        set_gold(subject=first.subject, version=batch.version, known=known(), acting_user=None)
    client = as_(expert)
    assert client.get(page_of(first)).status_code == 404
    there = client.post(offer(batch), {"action": "start"})
    assert there["Location"] == page_of(second)
    assert "Practice: 2 pairs left" in html_of(client.get(offer(batch)))


def test_declining_and_coming_back_is_practice_all_the_same(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    decline_practice(batch=batch, acting_user=expert)
    assert len(begun(expert, batch)) == 3


def test_the_end_of_an_account_frees_its_practice_too(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    begun(expert, batch)
    end_account(user=expert, acting_user=None)
    assert not Assignment.objects.filter(rater__user=expert).live().exists()


def test_for_a_closed_round_nobody_begins_to_practise(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    close_round(batch=batch, acting_user=None)
    client = as_(expert)
    there = reverse("annotate:label_next", args=[batch.public_id])
    for answer in (client.get(offer(batch)), client.post(offer(batch), {"action": "start"})):
        assert answer["Location"] == there
    assert not Batch.objects.filter(kind="practice").exists()


def test_with_the_round_closed_the_practice_leads_home(
    batch: Batch, gold: list[GoldAnswer], expert: User
) -> None:
    pairs = begun(expert, batch)
    for assignment in pairs:
        send(assignment)
    close_round(batch=batch, acting_user=None)
    client = as_(expert)
    page = html_of(client.get(feedback_of(pairs[-1])))
    assert "Start the round" not in page
    assert "To your projects" in page
    assert client.get(offer(batch)).status_code == 200

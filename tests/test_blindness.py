"""DESIGN §6.2: until a rater has voted, nothing anywhere tells of another's vote or of gold.

The sharpest form of the rule: whatever others do, every page of a rater stays the same to the
last character, however it is asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.actions.asking import ask_again
from annotate.actions.practice import begin_practice
from annotate.actions.rounds import close_round, start_round
from annotate.actions.votes import save_draft, skip, submit_vote
from annotate.models import Assignment, Batch, GoldAnswer, GoldLabel, Slot, Subject, Vote
from projects.models import Membership, User
from tests.ballots import filled, make_label_round, submission
from tests.crawling import crawl, html_of, without_tokens
from tests.gold import make_gold, make_practice
from tests.making import make_member, make_pair

if TYPE_CHECKING:
    from projects.models import Project

# In every text, so that only its mark could tell.
EVIDENCE = '[{"check": "C1", "side": "Left", "start": 0, "end": 9, "quote": "Canonical"}]'
RATIONALE = "[C1] decides: Quillfeather finds [Left] evasive."
# Of ann's vote, and of what nobody who labels may see.
SECRETS = (
    *("Quillfeather", "evasive", "Annabel", "ann.quill"),
    *("model-alpha", "model-beta", "external-", "secret-metadata", "batch_of_origin", "hash of"),
    "data-starts",
    *("gold", "probe", "practice", "A_much", "A_slight", "B_slight", "B_much", "pseudonym"),
)


@pytest.fixture
def ann(project: Project) -> User:
    return _named(make_member(project, "expert", username="ann.quill"), "Annabel", "Quill")


@pytest.fixture
def bo(project: Project) -> User:
    return _named(make_member(project, "expert", username="bo"), "Bo", "Marsh")


@pytest.fixture
def batch(project: Project, ann: User, bo: User) -> Batch:
    return make_label_round(project, ann, bo, size=3)


def _named(user: User, first: str, last: str) -> User:
    user.first_name, user.last_name = first, last
    user.save()
    return user


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def own(batch: Batch, user: User) -> list[Assignment]:
    return list(Assignment.objects.filter(batch=batch, rater__user=user).order_by("position"))


def votes_on_all(batch: Batch, user: User) -> None:
    for n, assignment in enumerate(own(batch, user)):
        form = filled(
            G1_Left="fail" if n == 1 else "pass",
            preference="" if n == 1 else "5",
            rationale=RATIONALE,
            **{"unclear:G2": "1", "nothing_says_it": "1", "evidence": EVIDENCE},
        )
        submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=user)


def pages_of(user: User) -> dict[str, tuple[int, str, dict[str, str]]]:
    """Address → status, source and headers of everything that this person reaches."""
    return {
        address: (answer.status_code, without_tokens(html_of(answer)), _headers(answer))
        for address, answer in crawl(as_(user)).items()
    }


def _headers(response: HttpResponse) -> dict[str, str]:
    # The hour of the answer is everybody's, and its length changes with the tokens.
    return {
        name: value
        for name, value in response.headers.items()
        if name not in ("Expires", "Date", "Content-Length")
    }


def opened(batch: Batch, user: User) -> None:
    """Have each pair looked at once, so that its texts are rendered and its visit is noted."""
    client = as_(user)
    for assignment in own(batch, user):
        client.get(reverse("annotate:label_pair", args=[assignment.public_id]))


# ---- WF-05


def test_wf_05_nothing_that_bo_reaches_changes_when_ann_votes(
    batch: Batch, ann: User, bo: User
) -> None:
    opened(batch, bo)
    before = pages_of(bo)
    # Each pair as it renders, as its source, and by the difference.
    assert len([address for address in before if address.startswith("/label/pair/")]) == 9
    first = own(batch, ann)[0]
    save_draft(assignment=first, form=filled(rationale=RATIONALE), acting_user=ann)
    skip(assignment=first, reason="Quillfeather again", acting_user=ann)
    assert pages_of(bo) == before
    votes_on_all(batch, ann)
    assert pages_of(bo) == before
    submit_vote(
        assignment=first,
        form=filled(rationale="[C2] amended by Quillfeather"),
        submit_key=uuid4(),
        acting_user=ann,
    )
    assert Vote.objects.filter(assignment=first).count() == 2
    assert pages_of(bo) == before


def test_wf_05_the_views_that_a_script_fetches_tell_nothing_either(
    batch: Batch, ann: User, bo: User
) -> None:
    client = as_(bo)

    def views() -> list[str]:
        return [
            html_of(client.get(reverse(f"annotate:label_{view}", args=[one.public_id])))
            for one in own(batch, bo)
            for view in ("source", "difference")
        ]

    before = views()
    assert "Canonical" in "".join(before)
    votes_on_all(batch, ann)
    assert views() == before
    assert [word for word in SECRETS if word in "".join(before)] == []


@pytest.mark.parametrize("when", ["before", "after bo has voted", "after the round is closed"])
def test_wf_05_no_word_of_anns_or_of_the_pairs_origin_reaches_bo(
    batch: Batch, ann: User, bo: User, when: str
) -> None:
    votes_on_all(batch, ann)
    if when != "before":
        client = as_(bo)
        for assignment in own(batch, bo):
            address = reverse("annotate:label_pair", args=[assignment.public_id])
            assert client.post(address, submission()).status_code == 303
    if when == "after the round is closed":
        close_round(batch=batch, acting_user=None)
    found = pages_of(bo)
    own_pages = {reverse("annotate:label_mine", args=[batch.public_id])} | {
        reverse("annotate:label_pair", args=[one.public_id]) for one in own(batch, bo)
    }
    if when == "after the round is closed":
        # Closed rounds leave the home page; their raters can still read their own answers.
        client = as_(bo)
        for address in own_pages:
            answer = client.get(address)
            assert isinstance(answer, HttpResponse)
            found[address] = (answer.status_code, html_of(answer), _headers(answer))
    assert own_pages <= set(found)
    told = {
        (address, secret)
        for address, (_, source, headers) in found.items()
        for secret in SECRETS
        if secret.lower() in (address + source + str(headers)).lower()
    }
    assert told == set()


def test_wf_05_foreign_ids_lead_nowhere(batch: Batch, ann: User, bo: User) -> None:
    votes_on_all(batch, ann)
    client = as_(bo)
    foreign = own(batch, ann)[0]
    vote = Vote.objects.filter(assignment=foreign).get()
    for name in ("label_pair", "label_draft"):
        for id_ in (foreign.public_id, vote.public_id, foreign.subject.public_id, uuid4()):
            address = reverse(f"annotate:{name}", args=[id_])
            assert client.post(address, submission()).status_code == 404
            if name == "label_pair":
                assert client.get(address).status_code == 404
    assert Vote.objects.filter(batch=batch, rater__user=bo).count() == 0
    assert Vote.objects.filter(batch=batch).count() == 3


def test_wf_05_a_refusal_does_not_tell_what_exists(batch: Batch, bo: User) -> None:
    """A page of the leads says the same to bo about what is there and what is not."""
    client = as_(bo)
    slug = batch.project.slug
    subject = own(batch, bo)[0].subject
    pairs = (
        (("annotate:subject", subject.public_id), ("annotate:subject", uuid4())),
        (("annotate:units", batch.public_id), ("annotate:units", uuid4())),
        (("annotate:round", batch.number), ("annotate:round", 99)),
        (("annotate:round_close", batch.number), ("annotate:round_close", 99)),
        (("annotate:imported", "there"), ("annotate:imported", "elsewhere")),
    )
    for there, not_there in pairs:
        answers = [client.get(reverse(name, args=[slug, id_])) for name, id_ in (there, not_there)]
        assert answers[0].status_code == answers[1].status_code == 403
        sources = [without_tokens(html_of(answer)) for answer in answers]
        assert sources[0] == sources[1]


def test_wf_05_a_lead_who_rates_learns_how_far_others_are_and_not_what_they_said(
    batch: Batch, ann: User, bo: User
) -> None:
    Membership.objects.create(project=batch.project, user=bo, role="lead")
    votes_on_all(batch, ann)
    found = crawl(as_(bo))
    told = {
        (address, secret)
        for address, answer in found.items()
        for secret in ("Quillfeather", "evasive", "model-alpha", "secret-metadata")
        if secret.lower() in html_of(answer).lower()
    }
    assert told == set()
    slug = batch.project.slug
    client = as_(bo)
    for subject in {one.subject for one in own(batch, bo)}:
        assert (
            client.get(reverse("annotate:subject", args=[slug, subject.public_id])).status_code
            == 403
        )
    units = reverse("annotate:units", args=[slug, batch.public_id])
    assert client.get(units).status_code == 403


def test_wf_05_a_report_names_no_contested_pair_that_its_reader_still_rates(
    project: Project, batch: Batch, ann: User, bo: User, lead: User
) -> None:
    """The same texts came back to bo, a lead, under another id after the round was closed."""
    Membership.objects.create(project=project, user=bo, role="lead")
    votes_on_all(batch, ann)
    for assignment in own(batch, bo):
        form = filled(C1_Left="no", rationale="[C1] decides.")
        submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=bo)
    close_round(batch=batch, acting_user=lead)
    contested = own(batch, bo)[1].subject
    report = reverse("annotate:round", args=[project.slug, batch.number])
    named = f'">{contested.external_id}</a>'
    assert named in html_of(as_(lead).get(report))
    assert named in html_of(as_(bo).get(report))
    make_pair(project, "once more")
    start_round(
        project=project, version=batch.version, raters=[ann, bo], size=1, seed=2, acting_user=lead
    )
    Subject.objects.filter(pk=contested.pk).update(content_hash="hash of once more")
    assert named in html_of(as_(lead).get(report))
    assert named not in html_of(as_(bo).get(report))


def test_wf_05_as_lead_the_votes_are_seen(batch: Batch, ann: User, lead: User) -> None:
    votes_on_all(batch, ann)
    close_round(batch=batch, acting_user=lead)
    sources = [html_of(answer) for answer in crawl(as_(lead)).values()]
    assert any("Quillfeather" in source for source in sources)


# ---- Gold


@pytest.mark.parametrize("role", [Slot.Role.GOLD, Slot.Role.PROBE])
def test_a_planted_slot_looks_like_any_other(
    batch: Batch, bo: User, ann: User, role: Slot.Role
) -> None:
    """In page, queue, headers, and in the number of questions asked of the database."""
    opened(batch, bo)
    mine = own(batch, bo)[0]
    page = reverse("annotate:label_pair", args=[mine.public_id])
    before, asked_before = pages_of(bo), _queries(bo, page)
    Slot.objects.filter(pk=mine.slot_id).update(role=role)
    gold = GoldAnswer.objects.create(
        subject=mine.subject, version=batch.version, why="Quillfeather knows"
    )
    for criterion in batch.version.criteria.exclude(kind="preference"):
        GoldLabel.objects.create(gold=gold, criterion=criterion, part_key="A", code="fail")
    assert pages_of(bo) == before
    assert _queries(bo, page) == asked_before


@pytest.mark.parametrize("role", [Slot.Role.GOLD, Slot.Role.PROBE])
def test_a_wrong_answer_to_a_planted_pair_is_taken_like_any_other(
    batch: Batch, bo: User, ann: User, role: Slot.Role
) -> None:
    """Amended like any subject, acknowledged in the same words, explained to nobody yet."""
    gold, normal, _ = own(batch, bo)
    Slot.objects.filter(pk=gold.slot_id).update(role=role)
    GoldAnswer.objects.create(subject=gold.subject, version=batch.version, why="Quillfeather")
    client = as_(bo)
    answers = []
    for assignment in (gold, normal):
        draft = reverse("annotate:label_draft", args=[assignment.public_id])
        page = reverse("annotate:label_pair", args=[assignment.public_id])
        saved = client.post(draft, submission()).json()
        sent = client.post(page, submission())
        amended = client.post(page, submission(preference="4"))
        answers.append((saved["revision"], sent.status_code, amended.status_code))
    assert answers[0] == answers[1]


@pytest.fixture
def probed(project: Project, batch: Batch, ann: User, bo: User) -> Batch:
    """An open round of three pairs, of which one was planted by its lead as a probe."""
    close_round(batch=batch, acting_user=None)
    pairs = [
        make_pair(
            project,
            f"external-late-{n}",
            prompt=f"Summarise file {n}.",
            response_a=f"Canonical late first text {n}.",
            response_b=f"Canonical late second text {n}.",
            model_a="model-alpha",
            model_b="model-beta",
        )
        for n in range(3)
    ]
    make_gold(pairs[0], batch.version, use="probe")
    return start_round(
        project=project,
        version=batch.version,
        raters=[ann, bo],
        size=2,
        seed=3,
        acting_user=None,
        probes=pairs[:1],
    )


def test_a_round_with_a_probe_reads_as_one_of_plain_pairs(
    project: Project, probed: Batch, ann: User, bo: User
) -> None:
    """Its pages stay the same to the last character when the pair is no probe any more."""
    opened(probed, bo)
    before = pages_of(bo)
    told = {
        (address, secret)
        for address, (_, source, headers) in before.items()
        for secret in (*SECRETS, "Heronsworth", "planted")
        if secret.lower() in (address + source + str(headers)).lower()
    }
    assert told == set()
    planted = Slot.objects.filter(batch=probed, role=Slot.Role.PROBE)
    assert planted.count() == 2
    planted.update(role=Slot.Role.NORMAL)
    GoldAnswer.objects.all().delete()
    assert pages_of(bo) == before


def test_everything_that_a_rater_reads_counts_the_probes_of_a_round(
    probed: Batch, bo: User
) -> None:
    """Forty in the notice and forty-one in the queue would tell that one was planted."""
    notices = html_of(as_(bo).get(reverse("projects:notices")))
    assert "Round 2 is open to you: 3 pairs," in notices
    home = html_of(as_(bo).get("/"))
    mine = html_of(as_(bo).get(reverse("annotate:label_mine", args=[probed.public_id])))
    page = html_of(as_(bo).get(reverse("annotate:label_pair", args=[own(probed, bo)[0].public_id])))
    assert "0 of 3" in home
    assert "of 3" in mine
    assert "3" in page
    for source in (home, mine, page):
        assert not re.search(r"\b(of|left:?) 2\b", source)


def test_answering_a_probe_takes_the_same_questions_as_any_other_pair(
    probed: Batch, bo: User
) -> None:
    """No sign of it in the timing: page, draft and vote ask the database the same."""
    opened(probed, bo)
    planted = Slot.objects.filter(batch=probed, role=Slot.Role.PROBE)
    assignment = Assignment.objects.get(rater__user=bo, slot__in=planted)

    def asked() -> list[str]:
        client = as_(bo)
        with transaction.atomic(), CaptureQueriesContext(connection) as found:
            client.get(reverse("annotate:label_pair", args=[assignment.public_id]))
            client.post(reverse("annotate:label_draft", args=[assignment.public_id]), submission())
            sent = client.post(
                reverse("annotate:label_pair", args=[assignment.public_id]), submission()
            )
            assert sent.status_code == 303
            transaction.set_rollback(True)
        return [_shape(query["sql"]) for query in found.captured_queries]

    as_probe = asked()
    planted.update(role=Slot.Role.NORMAL)
    GoldAnswer.objects.all().delete()
    assert asked() == as_probe


def _shape(sql: str) -> str:
    """A question without what differs from one visit to the next."""
    return re.sub(r"'[^']*'|[0-9a-f-]{16,}|\d+", "?", sql)


def test_of_practice_pairs_nothing_is_told_before_each_is_answered(
    project: Project, batch: Batch, ann: User, bo: User
) -> None:
    """Neither why, nor a model, nor which pair of the project is known, nor how ann did."""
    make_practice(project, batch)
    secrets = (*SECRETS[:10], "Heronsworth", "practice-0", "practice-1", "practice-2", "[A]", "[B]")
    for user in (ann, bo):
        begin_practice(batch=batch, acting_user=user)
    practice = Batch.objects.get(kind="practice")
    for assignment in own(practice, ann):
        form = filled(rationale=RATIONALE)
        submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=ann)

    def told() -> set[tuple[str, str]]:
        return {
            (address, secret)
            for address, (_, source, headers) in pages_of(bo).items()
            for secret in secrets
            if secret.lower() in (address + source + str(headers)).lower()
        }

    opened(practice, bo)
    assert len([one for one in pages_of(bo) if one.startswith("/label/pair/")]) >= 1
    assert told() == set()
    first, second, _ = own(practice, bo)
    submit_vote(assignment=first, form=filled(), submit_key=uuid4(), acting_user=bo)
    feedback = reverse("annotate:practice_feedback", args=[first.public_id])
    assert "Heronsworth" in html_of(as_(bo).get(feedback))
    early = as_(bo).get(reverse("annotate:practice_feedback", args=[second.public_id]))
    assert early.status_code == 302
    page = html_of(as_(bo).get(reverse("annotate:label_pair", args=[second.public_id])))
    assert "Heronsworth" not in page


def test_a_practice_answer_on_a_pair_of_the_round_changes_no_page_of_its_raters(
    project: Project, batch: Batch, ann: User, bo: User
) -> None:
    """The lead has answered a pair that bo has still to label: bo could not tell."""
    opened(batch, bo)
    before = pages_of(bo)
    for use, assignment in zip(("practice", "hidden"), own(batch, bo), strict=False):
        make_gold(assignment.subject, batch.version, use=use)
    assert pages_of(bo) == before


def _queries(user: User, address: str) -> list[str]:
    client = as_(user)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        client.get(address)
    return [query["sql"].split(" WHERE ")[0] for query in asked.captured_queries]


# ---- Order


def test_queues_and_sides_say_nothing_of_the_pairs(project: Project, ann: User, bo: User) -> None:
    """Each rater has an order of their own, and addresses that follow from nothing."""
    batch = make_label_round(project, ann, bo, size=12)
    queues = [[one.subject_id for one in own(batch, user)] for user in (ann, bo)]
    assert sorted(queues[0]) == sorted(queues[1])
    assert queues[0] != queues[1]
    assert queues[0] != sorted(queues[0])
    for user in (ann, bo):
        assert {one.order for one in own(batch, user)} == {"AB", "BA"}
        assert all(one.public_id.version == 4 for one in own(batch, user))


# ---- Homes and notices


def test_wf_05_homes_and_notices_hold_nothing_of_others(
    project: Project, batch: Batch, ann: User, bo: User, lead: User
) -> None:
    """Whatever ann does and however fast, and whatever her lead is told of it."""
    page = reverse("projects:notices")
    before = [without_tokens(html_of(as_(bo).get(address))) for address in ("/", page)]
    votes_on_all(batch, ann)
    Vote.objects.filter(rater__user=ann).update(active_s=4321)
    after = [without_tokens(html_of(as_(bo).get(address))) for address in ("/", page)]
    assert before == after
    ask_again(batch=batch, acting_user=lead)
    for assignment in own(batch, bo):
        form = filled(rationale="[C1] decides.")
        submit_vote(assignment=assignment, form=form, submit_key=uuid4(), acting_user=bo)
    close_round(batch=batch, acting_user=lead)
    told = [html_of(as_(bo).get(address)) for address in ("/", page)]
    assert "asks you to go on" in told[1]
    assert not [secret for secret in SECRETS for source in told if secret.lower() in source.lower()]
    assert not [source for source in told if "votes of round" in source]
    assert "All 6 votes of round 1 are in" in html_of(as_(lead).get(page))

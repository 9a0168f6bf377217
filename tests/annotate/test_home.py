from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.actions import jobs
from annotate.actions.rounds import close_round
from annotate.actions.runners import RUNNERS
from annotate.models import Batch, GoldAnswer, Snapshot, Upload, Vote
from annotate.verdicts import keep_verdicts, kept_verdicts
from projects.models import Job, Membership, Project
from tests.making import (
    make_pairs,
    make_project,
    make_round,
    make_version,
    make_voted_round,
    make_votes,
)

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import User

HOME = "/"


@pytest.fixture
def batch(project: Project, expert: User, other_expert: User) -> Batch:
    return make_round(project, [expert, other_expert], size=3)


def page_for(client: Client, user: User) -> str:
    client.force_login(user)
    response = client.get(HOME)
    assert response.status_code == 200
    return response.content.decode()


def test_an_expert_sees_how_far_and_one_button(client: Client, batch: Batch, expert: User) -> None:
    make_votes(batch, expert, 1)
    page = page_for(client, expert)
    assert "1 of 3 pairs labelled in round 1" in page
    assert page.count(reverse("annotate:label_next", args=[batch.public_id])) == 1
    assert "Label the next pair" in page


def test_an_expert_sees_nothing_about_others(
    client: Client, batch: Batch, expert: User, other_expert: User
) -> None:
    before = without_token(page_for(client, expert))
    make_votes(batch, other_expert)
    after = without_token(page_for(client, expert))
    assert before == after
    assert "other_expert" not in after
    assert reverse("annotate:round", args=["claims", 1]) not in after


def test_an_expert_who_has_finished_may_look_again(
    client: Client, batch: Batch, expert: User
) -> None:
    make_votes(batch, expert)
    page = page_for(client, expert)
    assert "All 3 pairs of round 1 have your vote" in page
    assert "See your votes" in page


def test_a_closed_round_is_no_longer_offered(
    client: Client, batch: Batch, expert: User, lead: User
) -> None:
    close_round(batch=batch, acting_user=lead)
    page = page_for(client, expert)
    assert "nothing open" in page
    assert str(batch.public_id) not in page


def test_a_lead_sees_who_is_how_far(
    client: Client, batch: Batch, expert: User, other_expert: User, lead: User
) -> None:
    make_votes(batch, expert)
    make_votes(batch, other_expert, 1)
    page = page_for(client, lead)
    assert "other_expert has 2 pairs left in round 1" in page
    assert 'aria-label="expert: 3 of 3"' in page
    assert 'aria-label="other_expert: 1 of 3"' in page
    assert reverse("annotate:round", args=["claims", 1]) in page


def test_a_lead_is_told_when_everyone_has_finished(
    client: Client, batch: Batch, expert: User, other_expert: User, lead: User
) -> None:
    make_votes(batch, expert)
    make_votes(batch, other_expert)
    page = page_for(client, lead)
    assert "Everyone has finished round 1" in page
    assert "needs you" in page


def test_a_lead_with_a_rubric_and_pairs_can_start_a_round(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project)
    make_pairs(project, 40)
    page = page_for(client, lead)
    assert "Start the first round" in page
    assert reverse("annotate:round_new", args=["claims"]) in page


def test_simulated_raters_are_marked(
    client: Client, batch: Batch, lead: User, expert: User
) -> None:
    batch.simulated = True
    batch.save()
    assert "simulated raters" in page_for(client, lead)


def test_a_lead_who_rates_keeps_their_own_place(
    client: Client, project: Project, lead: User, expert: User
) -> None:
    Membership.objects.create(project=project, user=lead, role="expert")
    batch = make_round(project, [lead, expert], size=2)
    page = page_for(client, lead)
    assert "Round 1 is open: 2 pairs wait for your vote" in page
    assert page.count(reverse("annotate:label_next", args=[batch.public_id])) == 1
    make_votes(batch, lead)
    assert "expert has 2 pairs left in round 1" in page_for(client, lead)


def test_people_of_no_project_are_told_so(client: Client, stranger: User) -> None:
    assert "No project yet" in page_for(client, stranger)


def test_people_of_another_project_see_theirs_alone(
    client: Client, batch: Batch, outsider: User
) -> None:
    page = page_for(client, outsider)
    assert "Elsewhere" in page
    assert "Claims" not in page


def test_an_expert_who_has_left_sees_no_round(client: Client, batch: Batch, expert: User) -> None:
    Membership.objects.filter(user=expert).delete()
    page = page_for(client, expert)
    assert str(batch.public_id) not in page


def test_what_needs_you_comes_first(client: Client, lead: User, batch: Batch) -> None:
    other = make_project("zebra")
    Membership.objects.create(project=other, user=lead, role="lead")
    page = page_for(client, lead)
    assert page.index("Zebra") < page.index("Claims")


@pytest.mark.parametrize("role", ["lead", "expert"])
def test_three_projects_or_thirty_take_at_most_twelve_queries(
    client: Client, lead: User, expert: User, third_expert: User, role: str
) -> None:
    me = {"lead": lead, "expert": third_expert}[role]

    def queries(count: int) -> int:
        for n in range(count):
            grow(f"p{count}-{n}", me, role, [third_expert, expert])
        client.force_login(me)
        with CaptureQueriesContext(
            connection,
        ) as seen:
            page = client.get(HOME).content.decode()
        assert page.count('class="project') >= count
        return len(seen)

    few, many = queries(3), queries(27)
    assert few == many <= 12


def grow(slug: str, me: User, role: str, raters: list[User]) -> None:
    project = make_project(slug)
    for rater in raters:
        Membership.objects.get_or_create(project=project, user=rater, role="expert")
    Membership.objects.get_or_create(project=project, user=me, role=role)
    make_votes(make_round(project, raters, size=2), raters[0], 1)
    make_pairs(project, 2, prefix="fresh")


def test_home_is_for_people_who_signed_in(client: Client, db: None) -> None:
    assert client.get(HOME)["Location"] == "/login/?next=/"


def test_nothing_is_posted_to_home(client: Client, lead: User) -> None:
    client.force_login(lead)
    assert client.post(HOME).status_code == 405


# ---- Own pace, and what was done lately


def with_pace(batch: Batch, user: User, *seconds: int | None) -> None:
    """Votes on the first pairs, each having taken so long."""
    make_votes(batch, user, len(seconds))
    votes = Vote.objects.filter(batch=batch, rater__user=user).order_by("pk")
    for vote, taken in zip(votes, seconds, strict=True):
        Vote.objects.filter(pk=vote.pk).update(active_s=taken)


def test_an_expert_is_told_the_time_left_at_their_own_pace(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_round(project, [expert, other_expert], size=40)
    with_pace(batch, other_expert, 900, 900, 900, 900, 900)
    page = page_for(client, expert)
    assert "pace" not in page
    # The median of the measured ones: 165 s a pair, for 34 pairs.
    with_pace(batch, expert, 150, None, 170, 160, 5000, 165)
    page = page_for(client, expert)
    assert 'About <span class="nowrap">1 h 30 min</span> at your pace.' in page
    assert "Your own pace is 3 min a pair." in page
    overview = client.get("/p/claims/").content.decode()
    assert "About 1 h 30 min left, at 3 min a pair." in overview


def test_pace_is_of_the_rubric_then_of_all_votes(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    first = make_round(project, [expert, other_expert], size=5)
    with_pace(first, expert, *[600] * 5)
    close_round(batch=first, acting_user=None)
    other = make_version(project, task="letters")
    second = make_round(project, [expert, other_expert], size=7, version=other)
    assert "1 h 10 min" in page_for(client, expert)
    with_pace(second, expert, *[60] * 5)
    assert "2 min" in page_for(client, expert)


@pytest.mark.parametrize("kind", ["simulated", "practice"])
def test_neither_practice_nor_a_simulation_tells_a_pace(
    client: Client, project: Project, expert: User, other_expert: User, kind: str
) -> None:
    first = make_round(project, [expert, other_expert], size=5)
    with_pace(first, expert, *[600] * 5)
    Batch.objects.filter(pk=first.pk).update(
        **({"simulated": True} if kind == "simulated" else {"kind": "practice"})
    )
    make_round(project, [expert, other_expert], size=3, version=first.version)
    page = page_for(client, expert)
    assert "pace" not in page
    assert '<b class="tnum">0</b> today' in page


def test_wf_08_pairs_of_today_and_this_week_go_by_the_projects_clock(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    """In Kiritimati it is a day later than in Niue, at the same moment."""
    batch = make_round(project, [expert, other_expert], size=4)
    make_votes(batch, expert, 3)
    Project.objects.filter(pk=project.pk).update(time_zone="Pacific/Kiritimati")
    zone = ZoneInfo("Pacific/Kiritimati")
    midnight = timezone.now().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    ats = (midnight, midnight - timedelta(seconds=1), midnight - timedelta(days=8))
    for vote, at in zip(Vote.objects.filter(batch=batch).order_by("pk"), ats, strict=True):
        Vote.objects.filter(pk=vote.pk).update(at=at)
    week = 1 if midnight.weekday() == 0 else 2
    page = page_for(client, expert)
    assert f'<b class="tnum">1</b> today, <b class="tnum">{week}</b> this week' in page
    assert "days as in Pacific/Kiritimati" in page


def test_the_round_that_waits_longest_comes_first(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    later = make_project("aardvark")
    for user in (expert, other_expert):
        Membership.objects.create(project=later, user=user, role="expert")
    make_round(project, [expert, other_expert])
    make_round(later, [expert, other_expert])
    page = page_for(client, expert)
    assert page.index("Claims") < page.index("Aardvark")
    assert "Two need you now. What needs you comes first." in page


# ---- What is blocked


def test_nothing_blocks_a_round_that_goes_on(client: Client, batch: Batch, lead: User) -> None:
    make_pairs(batch.project, 40, prefix="fresh")
    assert "<dd>\n  Nothing" in " ".join(page_for(client, lead).split(" ")) or blocked(
        page_for(client, lead)
    ) == ["Nothing"]


def blocked(page: str) -> list[str]:
    """What stands under “Blocked”, in words."""
    part = page.partition("<dt>Blocked</dt>")[2].partition("</dl>")[0]
    words = " ".join(re.sub(r"<form.*?</form>|<[^>]+>", "|", part, flags=re.DOTALL).split())
    return [said.strip() for said in words.split("|") if said.strip()]


def test_too_few_fresh_pairs_are_said_once_no_round_is_open(
    client: Client, batch: Batch, lead: User
) -> None:
    make_pairs(batch.project, 12, prefix="fresh")
    assert blocked(page_for(client, lead)) == ["Nothing"]
    close_round(batch=batch, acting_user=lead)
    assert blocked(page_for(client, lead)) == [
        "12 fresh pairs are left; a round takes 40.",
        "Import pairs",
    ]
    make_version(batch.project, number=2)
    page = page_for(client, lead)
    # The next step is the way there.
    assert blocked(page) == ["12 fresh pairs are left; a round takes 40."]
    assert page.count("Import pairs") == 1


def test_a_pair_with_a_known_answer_is_not_fresh(
    client: Client, project: Project, lead: User
) -> None:
    version = make_version(project)
    pairs = make_pairs(project, 40)
    assert "Start the first round" in page_for(client, lead)
    GoldAnswer.objects.create(subject=pairs[0], version=version)
    assert "40 pairs are here. A round takes 40 fresh pairs and 39 are left" in page_for(
        client, lead
    )


def test_a_failed_or_forgotten_job_is_said_until_it_is_done(
    client: Client, batch: Batch, lead: User
) -> None:
    Job.objects.all().delete()
    failed = make_job(batch.project, "import_subjects", "failed")
    waiting = make_job(batch.project, "render", "pending")
    assert blocked(page_for(client, lead)) == ["An import of pairs failed.", "See what it says"]
    Job.objects.filter(pk=waiting.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    page = page_for(client, lead)
    assert "Preparing texts waits for a worker." in page
    assert reverse("projects:job", args=["claims", waiting.public_id]) in page
    assert reverse("projects:job", args=["claims", failed.public_id]) in page
    make_job(batch.project, "import_subjects", "done")
    assert "An import of pairs failed" not in page_for(client, lead)


def make_job(project: Project, kind: str, state: str, **params: str | int) -> Job:
    return Job.objects.create(project=project, kind=kind, state=state, params=params)


def make_upload(project: Project, name: str, kind: str, state: str) -> Upload:
    """A file that was brought to the site, and its last job."""
    upload = Upload.objects.create(
        project=project, kind="pairs", file_name=name, path=name, sha256="0" * 64, size=1
    )
    upload.job = make_job(project, kind, state, upload=str(upload.public_id))
    upload.save()
    return upload


def test_a_failed_import_is_said_until_its_own_file_is_in_or_gone(
    client: Client, batch: Batch, lead: User
) -> None:
    Job.objects.all().delete()
    refused = make_upload(batch.project, "refused.jsonl", "import_subjects", "failed")
    said = ["An import of pairs (refused.jsonl) failed.", "See what it says"]
    assert blocked(page_for(client, lead)) == said
    # Good imports of other files, from the page and from the command, mend nothing of this one.
    make_upload(batch.project, "other.jsonl", "import_subjects", "done")
    make_job(batch.project, "import_subjects", "done")
    assert blocked(page_for(client, lead)) == said
    refused.job = make_job(batch.project, "check_pairs", "failed", upload=str(refused.public_id))
    refused.save()
    assert blocked(page_for(client, lead)) == [
        "Checking a file of pairs (refused.jsonl) failed.",
        "See what it says",
    ]
    Upload.objects.filter(pk=refused.pk).update(path="")
    assert blocked(page_for(client, lead)) == ["Nothing"]


def test_a_failed_command_is_not_mended_by_a_file_from_the_page(
    client: Client, batch: Batch, lead: User
) -> None:
    Job.objects.all().delete()
    make_job(batch.project, "import_subjects", "failed")
    make_upload(batch.project, "other.jsonl", "import_subjects", "done")
    assert blocked(page_for(client, lead)) == ["An import of pairs failed.", "See what it says"]


@pytest.mark.parametrize("kind", ["render", "measure"])
def test_work_on_another_batch_hides_no_failure(
    client: Client, batch: Batch, lead: User, kind: str
) -> None:
    Job.objects.all().delete()
    make_job(batch.project, kind, "failed", batch=batch.pk)
    make_job(batch.project, kind, "done", batch=batch.pk + 1)
    assert "failed." in blocked(page_for(client, lead))[0]
    make_job(batch.project, kind, "done", batch=batch.pk)
    assert blocked(page_for(client, lead)) == ["Nothing"]


@pytest.mark.parametrize("kind", sorted(RUNNERS))
def test_every_kind_of_work_has_plain_words(
    client: Client, batch: Batch, lead: User, kind: str
) -> None:
    Job.objects.all().delete()
    make_job(batch.project, kind, "failed")
    assert kind.replace("_", " ").capitalize() not in page_for(client, lead)


def test_a_draft_beside_a_published_version_is_said(
    client: Client, batch: Batch, lead: User
) -> None:
    make_version(batch.project, number=2, published=False)
    page = page_for(client, lead)
    assert "summaries version 2 is a draft, not published." in page
    assert reverse("rubrics:version", args=["claims", "summaries", 2]) in page


def test_a_closed_round_says_what_keeps_volume_closed(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    said = [[{"C1": "yes no"}, {"C1": "yes no"}], [{"C1": "yes"}, {"C1": "no"}]]
    batch = make_voted_round(project, [expert, other_expert], said)
    page = page_for(client, lead)
    assert "still being measured" in page
    assert "Round 1 is closed. Read what it says" in page
    jobs.run(Job.objects.get(kind="measure").pk, RUNNERS)
    page = page_for(client, lead)
    assert "0 of 2 checks cleared" in page
    assert "Volume: " in page
    assert "not testable yet" in page
    assert f"Round {batch.number} is closed. Read what it says" not in page


def test_figures_of_an_earlier_version_are_not_told_as_those_of_the_newest(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    said = [[{"C1": "yes no"}, {"C1": "no yes"}]] * 10
    keep_verdicts(make_voted_round(project, [expert, other_expert], said))
    page = page_for(client, lead)
    assert "Volume: C1 broken" in page
    assert "not tried yet" not in page
    make_version(project, number=2)
    page = page_for(client, lead)
    assert "round 1, with version 1. Version 2: not tried yet" in page
    assert "Volume: no closed round has tried version 2 yet." in page
    assert "C1 broken" not in page


def test_a_round_pooled_with_a_later_one_changes_what_is_said_of_it(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    """The second round closes first: when the first one follows, both are measured together."""
    version = make_version(project)
    same = [[{"C1": "yes no"}, {"C1": "yes no"}]]
    first = make_voted_round(project, [expert, other_expert], same, version=version, close=False)
    second = make_voted_round(project, [expert, other_expert], same, version=version)
    keep_verdicts(second)
    assert set(kept_verdicts([second])) == {second.pk}
    Snapshot.objects.all().delete()
    first = close_round(batch=first, acting_user=lead)
    keep_verdicts(first)
    assert set(kept_verdicts([first, second])) == {first.pk, second.pk}


def without_token(page: str) -> str:
    """The page but for the tokens against forged requests, which differ each time."""
    lines = page.splitlines()
    return "\n".join(line for line in lines if "csrf" not in line.lower())

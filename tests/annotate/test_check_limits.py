"""Automatic checks that would take long: undecided, handed to a job, and never asked for twice."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate import by_code, checking
from annotate.actions import check_jobs, jobs
from annotate.actions.rounds import RoundRefused, start_round
from annotate.assignment import count_decided, count_fresh
from annotate.models import Batch, CheckResult, Pair, Part, Subject
from annotate.practice import practice_of
from annotate.probes import probes_for
from projects.models import Job
from projects.querysets import MAX_DELIVERIES
from tests.annotate.importing import import_pairs, jsonl, pair, written
from tests.annotate.test_checks import LONG, SHORT, do_all, make_checked, make_four, run, waiting
from tests.gold import make_gold
from tests.making import make_pair, make_rubric_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from django.test import Client

    from projects.models import Project, User
    from rubrics.models import RubricVersion

SLOW = """
task: short-answers
name: Short answers
rubric_version: 1
gates:
  - {id: G1, check: Every amount is right.}
automatic:
  - id: A1
    check: No list of letters.
    decides: true
    rule: {must_not_match: "[ab]{0,900}[ab]{0,900}[ab]{0,900}[ab]{0,900}[ab]{0,900}c"}
preference: {scale: 5}
"""
# Under the rubric of `make_checked`.
KNOWN = {"G1": "fail pass", "G2": "", "C1": "yes", "C2": "", "preference": ""}


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_checked(project)


@pytest.fixture
def start(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> Callable[..., Batch]:
    def started(**changed: Any) -> Batch:
        given = {"project": project, "version": version, "size": 1, "seed": 1, **changed}
        return start_round(raters=[expert, other_expert], acting_user=None, **given)

    return started


def clock(monkeypatch: pytest.MonkeyPatch, step: float) -> None:
    """A clock on which so many seconds pass between any two looks."""
    seconds = 0.0

    def later() -> float:
        nonlocal seconds
        seconds += step
        return seconds

    monkeypatch.setattr(check_jobs, "monotonic", later)


# ---- No verdict


@pytest.fixture
def slow(project: Project) -> RubricVersion:
    """A text of which its check says nothing, one that fails it, and two that pass."""
    version = make_rubric_version(project, SLOW)
    make_pair(project, "long", response_a="ab " * 20_000, response_b="Plain.")
    make_pair(project, "short", response_a="abc", response_b="Plain.")
    return version


def test_a_text_that_would_take_too_much_work_is_undecided_by_name(slow: RubricVersion) -> None:
    run(slow)
    found = CheckResult.objects.values_list("part__subject__external_id", "part__key", "code")
    assert set(found) == {
        ("long", "A", "undecided"),
        ("long", "B", "pass"),
        ("short", "A", "fail"),
        ("short", "B", "pass"),
    }
    assert "too much work" in CheckResult.objects.get(code="undecided").detail
    assert run(slow)["texts"] == 0


def test_an_undecided_text_decides_no_gate_and_its_pair_goes_to_experts(
    project: Project, slow: RubricVersion, expert: User, other_expert: User
) -> None:
    run(slow)
    assert (count_fresh(project, [], slow), count_decided(project, [], slow)) == (1, 1)
    batch = start_round(
        project=project, version=slow, raters=[expert, other_expert], size=1, acting_user=None
    )
    long = Subject.objects.get(external_id="long")
    assert set(batch.slots.values_list("subject", flat=True)) == {long.pk}
    assert by_code.gates_by_code(slow, Subject.objects.filter(pk=long.pk)) == {
        long.pk: {("A1", "B"): True}
    }


def test_undecided_texts_are_counted_apart_and_listed(
    client: Client, project: Project, slow: RubricVersion, lead: User
) -> None:
    client.force_login(lead)
    checks = reverse("annotate:checks", args=[project.slug])
    assert "Undecided" not in client.get(checks).content.decode()
    run(slow)
    texts = reverse("annotate:check_texts", args=[project.slug, "short-answers", "A1"])
    found = client.get(checks).content.decode()
    assert f'<a href="{texts}?said=undecided">1</a>' in found
    assert f'<a href="{texts}">1</a>' in found
    assert f'<a href="{texts}?said=pass">2</a>' in found
    listed = client.get(texts, {"said": "undecided"}).content.decode()
    assert "1 text is undecided" in listed
    assert "too much work" in listed
    assert ">short<" not in listed


# ---- Time


def test_what_takes_longer_on_the_spot_is_handed_to_a_job(
    project: Project, start: Callable[..., Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_four(project)
    clock(monkeypatch, 0.5)
    with pytest.raises(RoundRefused, match="in the background: try again when") as refused:
        start()
    kept = CheckResult.objects.count()
    assert 0 < kept < 8
    assert f"still to look at {8 - kept} texts" in str(refused.value)
    assert len(waiting()) == 1
    monkeypatch.undo()
    do_all()
    assert CheckResult.objects.count() == 16
    start()


def test_a_wait_that_ends_with_the_last_text_is_none(
    project: Project, start: Callable[..., Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pair(project, "p", response_a=SHORT, response_b=SHORT)
    monkeypatch.setattr(check_jobs, "ON_THE_SPOT_S", 1.0)
    clock(monkeypatch, 0.4)
    start()
    assert not waiting()


def test_a_worker_tells_that_it_lives_between_the_checks_of_one_text(
    project: Project, version: RubricVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pair(project, "p", response_a=SHORT, response_b=SHORT)
    clock(monkeypatch, check_jobs.RENEW_AFTER_S + 1)
    told: list[int] = []
    job = check_jobs.start_checking(version=version, acting_user=None)
    check_jobs.run_checking(job, lambda done, _: told.append(done))
    # At the start, after each check of each text, and at the end.
    assert told == [0, 0, 0, 0, 0, 2]


def test_a_worker_that_is_lost_among_slow_texts_keeps_what_it_had(
    project: Project, version: RubricVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_four(project)
    clock(monkeypatch, check_jobs.WRITE_AFTER_S + 1)
    beats = 0

    def lose_the_lease(done: int, total: int | None) -> None:
        nonlocal beats
        beats += 1
        if beats == 8:
            raise jobs.JobLost

    job = check_jobs.start_checking(version=version, acting_user=None)
    with pytest.raises(jobs.JobLost):
        check_jobs.run_checking(job, lose_the_lease)
    assert CheckResult.objects.count() == 6


def test_a_prompt_replaced_while_code_looked_at_it_leaves_no_result_of_the_old_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SLOW[: SLOW.index("must_not_match")] + "max_prompt_overlap: 0.1}\n"
    version = make_rubric_version(project, source + "preference: {scale: 5}\n")
    repeats = "one two three four five six"
    subject = make_pair(project, "p", prompt=repeats, response_a=repeats, response_b="Other.")
    look = checking.results_for

    def replaced_meanwhile(part: Part, criteria: Any) -> Any:
        yield from look(part, criteria)
        messages = [{"role": "user", "content": "Something else altogether."}]
        Pair.objects.filter(subject=subject).update(messages=messages)

    monkeypatch.setattr(check_jobs, "results_for", replaced_meanwhile)
    run(version)
    assert not CheckResult.objects.exists()
    monkeypatch.undo()
    run(version)
    assert set(CheckResult.objects.values_list("code", flat=True)) == {"pass"}


# ---- A job that is dead


def fail(version: RubricVersion) -> Job:
    job = check_jobs.start_checking(version=version, acting_user=None)
    Job.objects.filter(pk=job.pk).update(state="failed")
    return job


def lose(version: RubricVersion) -> Job:
    """Its worker was lost for the last time, and no sweeper has seen it yet."""
    job = check_jobs.start_checking(version=version, acting_user=None)
    Job.objects.filter(pk=job.pk).update(
        state="running",
        deliveries=MAX_DELIVERIES,
        lease_until=timezone.now() - timedelta(minutes=1),
    )
    return job


@pytest.mark.parametrize("end", [fail, lose])
def test_a_round_begins_a_dead_job_again_and_says_so(
    project: Project,
    version: RubricVersion,
    start: Callable[..., Batch],
    end: Callable[[RubricVersion], Job],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_four(project)
    dead = end(version)
    monkeypatch.setattr(check_jobs, "ON_THE_SPOT", 3)
    with pytest.raises(RoundRefused, match="ended with an error, and now it has begun again"):
        start()
    assert len(waiting()) == 1
    assert waiting() != [dead.pk]
    with pytest.raises(RoundRefused, match="in the background"):
        start()
    assert len(waiting()) == 1
    do_all()
    start()


@pytest.mark.parametrize("end", [fail, lose])
def test_an_import_begins_a_dead_job_again(
    project: Project,
    version: RubricVersion,
    tmp_path: Path,
    end: Callable[[RubricVersion], Job],
) -> None:
    end(version)
    import_pairs(project, written(tmp_path, jsonl([pair("p1")])))
    assert len(waiting()) == 1


# ---- Pairs with known answers


def test_a_probe_that_code_decides_is_refused_by_name_and_not_offered(
    project: Project, version: RubricVersion, start: Callable[..., Batch]
) -> None:
    make_pair(project, "fresh", response_a=SHORT, response_b=SHORT)
    texts = {"probe-open": SHORT, "probe-decided": LONG}
    probes = {
        name: make_pair(project, name, response_a=a, response_b=f"Not {name}.")
        for name, a in texts.items()
    }
    for probe in probes.values():
        make_gold(probe, version, KNOWN, use="probe")
    with pytest.raises(RoundRefused) as refused:
        start(probes=list(probes.values()))
    assert refused.value.field == "probes"
    assert str(refused.value).startswith("probe-decided fails a check of short-answers@1 that code")
    assert not Batch.objects.exists()
    assert [probe.subject for probe in probes_for(version)] == [probes["probe-open"]]
    start(probes=[probes["probe-open"]])


def test_a_practice_pair_that_code_decides_is_left_out(
    project: Project, version: RubricVersion, start: Callable[..., Batch], expert: User
) -> None:
    make_pair(project, "fresh", response_a=SHORT, response_b=SHORT)
    batch = start()
    for name, text in {"shown": SHORT, "decided": LONG}.items():
        practised = make_pair(project, name, response_a=text, response_b=f"Not {name}.")
        make_gold(practised, version, KNOWN, use="practice")
    rater = batch.raters.get(user=expert)
    run(version)
    found = practice_of(rater, version)
    assert found is not None
    assert found.size == 1

"""Automatic checks: decided by code in the background, shown to leads, never asked of experts."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate import by_code, checking
from annotate.actions import check_jobs, jobs, replacements
from annotate.actions.check_jobs import run_checking, start_checking, sweep
from annotate.actions.rounds import RoundRefused, close_round, start_round
from annotate.actions.runners import RUNNERS
from annotate.assignment import TooFewPairs, count_decided, count_fresh, draw
from annotate.decisions import Policy
from annotate.models import Assignment, CheckResult, Import, Part, StagedUpdate, Subject
from annotate.outcomes import decided_as
from projects.models import Event, Job
from rubrics.actions import import_rubric, publish
from tests.annotate.importing import import_pairs, jsonl, pair, written
from tests.ballots import first_of
from tests.making import (
    make_member,
    make_pair,
    make_project,
    make_rubric_version,
    make_vote,
    make_voted_round,
)

if TYPE_CHECKING:
    from pathlib import Path

    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project, User
    from rubrics.models import RubricVersion

RUBRIC = """
task: short-answers
name: Short answers
rubric_version: {number}
gates:
  - {{id: G1, check: Every amount is right.}}
criteria:
  - {{id: C1, weight: 1, check: "It is plain, says version {number}."}}
automatic:
  - id: A1
    check: SECRET-OF-CODE at most five words.
    decides: {decides}
    rule: {{max_words: 5}}
  - id: A2
    check: No placeholder is left.
    rule: {{must_not_contain: "[NAME]"}}
preference: {{scale: 5}}
"""
SHORT, LONG = "Five words and no more.", "These are six words in all."


def make_checked(project: Project, *, number: int = 1, decides: bool = True) -> RubricVersion:
    source = RUBRIC.format(number=number, decides=str(decides).lower())
    return make_rubric_version(project, source)


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_checked(project)


def make_four(project: Project) -> dict[str, Subject]:
    """A pair for people, one decided for each side, and one that fails on both."""
    texts = {"open": (SHORT, SHORT), "a-fails": (LONG, SHORT), "b-fails": (SHORT, LONG)}
    return {
        name: make_pair(project, name, response_a=f"{a}", response_b=f"{b}")
        for name, (a, b) in {**texts, "both-fail": (LONG, LONG)}.items()
    }


def ignore(done: int, total: int | None) -> None:
    pass


def run(version: RubricVersion) -> dict[str, Any]:
    return run_checking(start_checking(version=version, acting_user=None), ignore)


def results(key: str = "A1") -> dict[tuple[str, str], tuple[str, str]]:
    rows = CheckResult.objects.filter(criterion__key=key).order_by("part__subject", "part__key")
    return {
        (subject, part): (code, detail)
        for subject, part, code, detail in rows.values_list(
            "part__subject__external_id", "part__key", "code", "detail"
        )
    }


# ---- Deciding


def test_code_looks_at_every_text_and_says_why(project: Project, version: RubricVersion) -> None:
    make_four(project)
    assert run(version)["texts"] == 8
    assert results()["a-fails", "A"] == ("fail", "6 words, at most 5")
    assert results()["a-fails", "B"] == ("pass", "5 words, at most 5")
    assert len(results()) == len(results("A2")) == 8


def test_checking_again_changes_nothing(project: Project, version: RubricVersion) -> None:
    make_four(project)
    run(version)
    before = list(CheckResult.objects.order_by("pk").values())
    assert run(version)["texts"] == 0
    assert list(CheckResult.objects.order_by("pk").values()) == before


def test_two_workers_at_the_same_texts_write_each_result_once(
    project: Project, version: RubricVersion
) -> None:
    make_four(project)
    job = start_checking(version=version, acting_user=None)
    twice = False

    def another_comes(done: int, total: int | None) -> None:
        nonlocal twice
        if not twice:
            twice = True
            run_checking(job, ignore)

    run_checking(job, another_comes)
    assert CheckResult.objects.count() == 16


def test_a_job_that_was_cut_short_keeps_what_it_had_and_does_the_rest(
    project: Project, version: RubricVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_jobs, "AT_ONCE", 3)
    make_four(project)
    job = start_checking(version=version, acting_user=None)

    def lose_the_lease(done: int, total: int | None) -> None:
        if done:
            raise jobs.JobLost

    with pytest.raises(jobs.JobLost):
        run_checking(job, lose_the_lease)
    assert CheckResult.objects.count() == 6
    assert run_checking(job, ignore)["texts"] == 5
    assert CheckResult.objects.count() == 16


def test_a_text_that_may_not_be_shared_is_not_looked_at(
    project: Project, version: RubricVersion
) -> None:
    pair_ = make_pair(project, "hidden")
    Part.objects.filter(subject=pair_, key="A").update(text=None)
    assert run(version)["texts"] == 1
    assert set(results()) == {("hidden", "B")}


def test_the_prompt_is_what_a_text_may_not_repeat(project: Project) -> None:
    version = make_rubric_version(
        project,
        "task: t\ncriteria: [{id: C1, weight: 1, check: c}]\n"
        "automatic: [{id: A1, check: d, rule: {max_prompt_overlap: 0.5}}]\n",
    )
    asked = "Say in your own words what the hail did to the roof."
    make_pair(project, "p", prompt=asked, context=LONG * 9, response_a=asked, response_b=LONG * 9)
    run(version)
    assert [code for code, _ in results().values()] == ["fail", "pass"]


def test_a_text_replaced_while_code_looked_at_it_keeps_no_result_of_the_old_one(
    project: Project, version: RubricVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pair(project, "p", response_a=SHORT, response_b=SHORT)
    look = checking.results_for

    def replaced_meanwhile(part: Part, criteria: Any) -> Any:
        found = look(part, criteria)
        Part.objects.filter(pk=part.pk, key="A").update(text=LONG)
        return found

    monkeypatch.setattr(check_jobs, "results_for", replaced_meanwhile)
    run(version)
    assert set(results()) == {("p", "B")}
    monkeypatch.undo()
    run(version)
    assert results()["p", "A"][0] == "fail"


@pytest.mark.django_db(transaction=True)
def test_no_transaction_stands_around_the_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()
    version = make_checked(project)
    make_four(project)
    inside: list[bool] = []
    look = checking.results_for

    def watched(part: Part, criteria: Any) -> Any:
        inside.append(connection.in_atomic_block)
        return look(part, criteria)

    monkeypatch.setattr(check_jobs, "results_for", watched)
    job = start_checking(version=version, acting_user=None)
    jobs.run(job.pk, RUNNERS)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 8, 8)
    assert set(inside) == {False}


# ---- When it is done


def waiting() -> list[int]:
    return list(Job.objects.filter(kind="check", state="pending").values_list("pk", flat=True))


def do_all() -> None:
    for job in waiting():
        jobs.run(job, RUNNERS)


def test_pairs_are_looked_at_when_they_are_imported(
    project: Project, version: RubricVersion, tmp_path: Path
) -> None:
    file = written(tmp_path, jsonl([pair(1, response_a=LONG), pair(2)]))
    import_pairs(project, file)
    assert len(waiting()) == 1
    do_all()
    assert results()["1", "A"] == ("fail", "6 words, at most 5")
    assert len(results()) == 4


def test_an_import_without_automatic_checks_starts_nothing(
    project: Project, tmp_path: Path
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair(1)])))
    assert waiting() == []


def test_texts_that_an_import_replaces_are_looked_at_again(
    project: Project, version: RubricVersion, tmp_path: Path
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair(1, response_a=LONG), pair(2)])))
    do_all()
    kept = set(CheckResult.objects.filter(part__subject__external_id="2").values_list("pk"))
    import_pairs(project, written(tmp_path, jsonl([pair(1, response_a=SHORT), pair(2)])))
    assert {subject for subject, _ in results()} == {"2"}
    do_all()
    assert results()["1", "A"] == ("pass", "5 words, at most 5")
    assert kept <= set(CheckResult.objects.values_list("pk"))


def test_a_published_version_is_looked_at_by_the_next_sweep(
    project: Project, version: RubricVersion
) -> None:
    make_four(project)
    assert sweep() == 1
    assert sweep() == 0
    do_all()
    assert len(results()) == 8
    assert sweep() == 0


def test_a_draft_and_a_version_that_was_followed_are_left_alone(project: Project) -> None:
    make_checked(project, number=1)
    second = make_checked(project, number=2)
    import_rubric(project=project, source=RUBRIC.format(number=3, decides="true"), acting_user=None)
    assert [one.pk for one in checking.checked_versions(project)] == [second.pk]
    without = import_rubric(
        project=project,
        source="task: short-answers\nrubric_version: 4\ncriteria: [{id: C1, check: c}]\n",
        acting_user=None,
    )
    publish(version=without, change_note="No code.", acting_user=None)
    assert checking.checked_versions(project) == []


def test_an_import_whose_worker_died_before_its_checks_is_found_by_the_sweep(
    project: Project, version: RubricVersion
) -> None:
    sweep()
    do_all()
    Import.objects.create(
        project=project,
        kind="subjects",
        file_name="late.jsonl",
        file_sha256="0",
        state=Import.State.VISIBLE,
        lease_until=Job.objects.get().created_at,
    )
    make_four(project)
    assert sweep() == 1


def test_what_is_being_replaced_is_looked_at_when_that_has_ended(
    project: Project, version: RubricVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair(1, response_a=LONG)])))
    do_all()
    # A worker that dies at the journal leaves it to the sweeper.
    monkeypatch.setattr(replacements, "apply", lambda *_: None)
    import_pairs(project, written(tmp_path, jsonl([pair(1, response_a=SHORT)])))
    monkeypatch.undo()
    assert StagedUpdate.objects.count() == 1
    run(version)
    Job.objects.filter(kind="check").update(state="done", result={"imports": 2, "left": True})
    assert sweep() == 0
    replacements.finish()
    assert results() == {}
    assert sweep() == 1
    do_all()
    assert results()["1", "A"][0] == "pass"


def test_a_job_that_failed_is_not_started_again_by_itself(
    project: Project, version: RubricVersion
) -> None:
    make_four(project)
    sweep()
    Job.objects.update(state="failed")
    assert sweep() == 0


# ---- Gates by code


def test_a_round_draws_only_what_code_leaves_to_people(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    four = make_four(project)
    batch = start_round(
        project=project,
        version=version,
        raters=[expert, other_expert],
        size=1,
        seed=1,
        acting_user=None,
    )
    assert set(batch.slots.values_list("subject", flat=True)) == {four["open"].pk}
    event = Event.objects.get(verb="round.started")
    assert event.data["decided_by_code"] == 3


def test_a_round_that_lacks_pairs_says_how_many_code_decided(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_four(project)
    with pytest.raises(RoundRefused, match=r"1 are missing\. Another 3 were decided by code"):
        start_round(
            project=project,
            version=version,
            raters=[expert, other_expert],
            size=2,
            acting_user=None,
        )


def test_a_check_that_does_not_decide_keeps_nothing_from_the_experts(
    project: Project, expert: User, other_expert: User
) -> None:
    version = make_checked(project, decides=False)
    make_four(project)
    run(version)
    assert count_fresh(project, [], version) == 4
    assert count_decided(project, [], version) == 0
    assert len(draw(project, [], size=4, seed=1, version=version)) == 4


def test_another_version_asks_its_own_checks(project: Project, version: RubricVersion) -> None:
    make_four(project)
    run(version)
    second = make_checked(project, number=2, decides=False)
    run(second)
    assert count_fresh(project, [], version) == 1
    assert count_fresh(project, [], second) == 4


def test_a_pair_that_code_has_not_looked_at_is_not_drawn(
    project: Project, version: RubricVersion
) -> None:
    make_four(project)
    run(version)
    make_pair(project, "new", response_a=SHORT, response_b=SHORT)
    assert count_fresh(project, [], version) == 1
    with pytest.raises(TooFewPairs):
        draw(project, [], size=2, seed=1, version=version)


def test_a_round_waits_for_code_where_much_is_left(
    project: Project,
    version: RubricVersion,
    expert: User,
    other_expert: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check_jobs, "ON_THE_SPOT", 3)
    make_four(project)
    people = [expert, other_expert]
    with pytest.raises(RoundRefused, match="still to look at 8 texts") as refused:
        start_round(project=project, version=version, raters=people, size=1, acting_user=None)
    assert refused.value.field == "version"
    assert len(waiting()) == 1
    do_all()
    start_round(project=project, version=version, raters=people, size=1, acting_user=None)


def test_the_start_page_says_what_code_keeps_from_the_experts(
    project: Project, version: RubricVersion, lead: User, client: Client
) -> None:
    make_four(project)
    run(version)
    client.force_login(lead)
    page = client.get(reverse("annotate:round_new", args=[project.slug])).content.decode()
    assert "Under Short answers, version 1, code has decided 3 of them" in page


def test_experts_never_see_an_automatic_check(
    project: Project, version: RubricVersion, expert: User, other_expert: User, client: Client
) -> None:
    make_four(project)
    batch = start_round(
        project=project,
        version=version,
        raters=[expert, other_expert],
        size=1,
        seed=1,
        acting_user=None,
    )
    client.force_login(expert)
    pair_page = reverse("annotate:label_pair", args=[first_of(batch, expert).public_id])
    own = reverse("annotate:label_mine", args=[batch.public_id])
    for address in (pair_page, own, reverse("annotate:project", args=[project.slug])):
        page = client.get(address).content.decode()
        assert "SECRET-OF-CODE" not in page
        assert "words, at most" not in page


# ---- What it comes to


def make_decided_round(project: Project, people: list[User], version: RubricVersion) -> Batch:
    """Pairs as they may come with imported votes: given out before code could say its word."""
    votes = {"preference": "A_much"}
    batch = make_voted_round(project, people, [[votes, votes]], version=version, close=False)
    four = make_four(project)
    for pair_ in four.values():
        for n, rater in enumerate(batch.raters.order_by("pk")):
            slot = batch.slots.create(subject=pair_, n=n)
            assignment = Assignment.objects.create(
                slot=slot, batch=batch, subject=pair_, rater=rater, position=9, order="AB"
            )
            make_vote(assignment, votes)
    run(version)
    return close_round(batch=batch, acting_user=None)


def test_gates_by_code_join_the_gates_by_votes(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    batch = make_decided_round(project, [expert, other_expert], version)
    four = {one.external_id: one.pk for one in Subject.objects.filter(project=project)}
    assert decided_as(batch, Policy.ONE_SIDED, "B") == [four["a-fails"]]
    assert decided_as(batch, Policy.ONE_SIDED, "both_fail") == [four["both-fail"]]
    assert set(decided_as(batch, Policy.ONE_SIDED, "A")) >= {four["open"], four["b-fails"]}


def test_a_report_computed_before_code_had_looked_is_computed_anew(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    batch = make_decided_round(project, [expert, other_expert], version)
    CheckResult.objects.all().delete()
    assert decided_as(batch, Policy.ONE_SIDED, "B") == []
    run(version)
    assert len(decided_as(batch, Policy.ONE_SIDED, "B")) == 1


def export(project: Project, batch: Batch, folder: Path, *flags: str) -> tuple[list[Any], Any]:
    command = ("export_pairs", "--project", project.slug, "--round", str(batch.number))
    call_command(*command, "--out", str(folder), *flags, stdout=io.StringIO())
    lines = (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], json.loads((folder / "manifest.json").read_text())


@pytest.fixture
def drawn(project: Project, version: RubricVersion, expert: User, other_expert: User) -> Batch:
    """A closed round on the one pair that code left to people; three were never given."""
    for name, (a, b) in {
        "open": (SHORT, f"{SHORT} "),
        "a-fails": (LONG, SHORT),
        "b-fails": (SHORT, LONG),
        "both-fail": (LONG, f"{LONG} Really."),
    }.items():
        make_pair(project, name, prompt="Why?", response_a=f"{a}", response_b=f"{b}")
    Part.objects.filter(subject__external_id="open", key="B").update(text="Other words, no more.")
    people = [expert, other_expert]
    batch = start_round(
        project=project, version=version, raters=people, size=1, seed=1, acting_user=None
    )
    for assignment in batch.assignments.all():
        make_vote(assignment, {"preference": "B_slight"})
    return close_round(batch=batch, acting_user=None)


def test_an_export_counts_the_pairs_that_code_kept_from_everybody(
    project: Project, drawn: Batch, tmp_path: Path
) -> None:
    rows, manifest = export(project, drawn, tmp_path / "out")
    assert [row["pair_id"] for row in rows] == ["open"]
    assert rows[0]["decided_by"] == "preference"
    gates = {(gate["gate_id"], gate["side"]): gate["by"] for gate in rows[0]["gates"]}
    assert gates == {
        ("A1", "A"): "code",
        ("A1", "B"): "code",
        ("G1", "A"): "votes",
        ("G1", "B"): "votes",
    }
    assert manifest["pairs"] == {"all": 1, "exported": 1, "excluded": 0}
    assert manifest["decided_by_code_and_never_given"] == 3
    assert manifest["settings"]["by_code"] == "leave"


def test_an_export_holds_them_on_request(project: Project, drawn: Batch, tmp_path: Path) -> None:
    rows, manifest = export(project, drawn, tmp_path / "out", "--decided-by-code", "include")
    chosen = {row["pair_id"]: (row["chosen_side"], row["decided_by"], row["votes"]) for row in rows}
    assert chosen == {
        "open": ("B", "preference", 2),
        "a-fails": ("B", "code", 0),
        "b-fails": ("A", "code", 0),
    }
    assert manifest["items"]["excluded"] == {"both_failed_gate": ["both-fail"]}
    assert manifest["decided_by"] == {"preference": 1, "code": 2}
    assert manifest["settings"]["by_code"] == "include"


def test_a_pair_that_anybody_was_given_is_not_added_to_an_export(
    project: Project, version: RubricVersion, expert: User, other_expert: User
) -> None:
    make_decided_round(project, [expert, other_expert], version)
    make_pair(project, "beside", response_a=LONG, response_b=SHORT)
    run(version)
    names = by_code.never_given(version).values_list("external_id", flat=True)
    assert list(names) == ["beside"]


# ---- The lead's pages


def page(client: Client, project: Project) -> str:
    return client.get(reverse("annotate:checks", args=[project.slug])).content.decode()


def test_the_page_says_in_one_sentence_how_far_code_is(
    project: Project, version: RubricVersion, lead: User, client: Client
) -> None:
    client.force_login(lead)
    assert "There is no text yet for code to look at under version 1" in page(client, project)
    make_four(project)
    found = page(client, project)
    assert "Code has looked at 0 of 8 texts under version 1 of Short answers." in found
    assert "Look at the rest now" in found
    client.post(reverse("annotate:checks", args=[project.slug]), {"rubric": "short-answers"})
    client.post(reverse("annotate:checks", args=[project.slug]), {"rubric": "short-answers"})
    assert len(waiting()) == 1
    assert "See when it starts" in page(client, project)
    do_all()
    assert (
        "Code has looked at all 8 texts under version 1 of Short answers, and 3 pairs need no"
        in (page(client, project))
    )


def test_the_page_counts_each_check_in_words(
    project: Project, version: RubricVersion, lead: User, client: Client
) -> None:
    make_four(project)
    run(version)
    client.force_login(lead)
    found = page(client, project)
    assert "at most 5 words" in found
    assert "does not contain “[NAME]”" in found
    assert "works as a gate" in found
    assert '<dd class="tnum">2 pairs</dd>' in found
    assert "1 pair, to be rewritten" in found
    texts = reverse("annotate:check_texts", args=[project.slug, "short-answers", "A1"])
    assert f'<a href="{texts}">4</a>' in found
    assert f'<a href="{texts}?said=pass">4</a>' in found


def test_the_failing_texts_are_listed_with_what_code_found(
    project: Project, version: RubricVersion, lead: User, client: Client
) -> None:
    make_four(project)
    run(version)
    client.force_login(lead)
    texts = reverse("annotate:check_texts", args=[project.slug, "short-answers", "A1"])
    found = client.get(texts).content.decode()
    assert found.count("6 words, at most 5") == 4
    assert "5 words, at most 5" not in found
    assert client.get(texts, {"said": "pass"}).content.decode().count("5 words, at most 5") == 4
    assert client.get(texts, {"said": "maybe"}).status_code == 404
    nowhere = reverse("annotate:check_texts", args=[project.slug, "short-answers", "G1"])
    assert client.get(nowhere).status_code == 404


def test_a_lead_who_rates_finds_no_pair_of_theirs_in_a_list(
    project: Project, expert: User, client: Client
) -> None:
    version = make_checked(project, decides=False)
    make_four(project)
    run(version)
    lead = make_member(project, "lead", "expert", username="both")
    start_round(
        project=project,
        version=version,
        raters=[lead, expert],
        size=4,
        seed=1,
        acting_user=None,
    )
    client.force_login(lead)
    texts = reverse("annotate:check_texts", args=[project.slug, "short-answers", "A1"])
    found = client.get(texts).content.decode()
    assert "You rate pairs yourself" in found
    assert "a-fails" not in found


def test_the_pages_take_no_more_queries_for_more_texts_and_rubrics(
    project: Project, version: RubricVersion, lead: User, client: Client
) -> None:
    client.force_login(lead)

    def queries(address: str) -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as found:
            client.get(address)
        return len(found)

    checks = reverse("annotate:checks", args=[project.slug])
    texts = reverse("annotate:check_texts", args=[project.slug, "short-answers", "A1"])
    make_four(project)
    run(version)
    small = queries(checks), queries(texts)
    for n in range(30):
        make_pair(project, f"more-{n}", response_a=LONG, response_b=LONG)
    other = RUBRIC.format(number=1, decides="true").replace("short-answers", "others")
    run(make_rubric_version(project, other))
    run(version)
    assert (queries(checks), queries(texts)) == small
    assert max(small) < 12


def test_the_results_stand_on_the_page_of_a_pair(
    project: Project, version: RubricVersion, lead: User, client: Client
) -> None:
    four = make_four(project)
    run(version)
    client.force_login(lead)
    address = reverse("annotate:subject", args=[project.slug, four["a-fails"].public_id])
    found = client.get(address).content.decode()
    assert "Decided by code" in found
    assert "6 words, at most 5" in found


def test_without_automatic_checks_the_page_leads_to_the_rubrics(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    assert "No automatic check yet" in page(client, project)

"""Round after round: what each change bought, check by check, and to whom it is shown."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from dataclasses import replace
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotate.actions.rounds import close_round, start_round
from annotate.history import OneRound
from annotate.models import AnchorSource, Disagreement, Edit, Subject, Waiver
from annotate.pages.kinds_table import kinds_table
from annotate.pages.report import overlap_of
from annotate.probes import met, tally
from annotate.verdicts import keep_verdicts
from projects.models import Event
from rubrics.actions import import_rubric, publish
from tests.gold import make_gold
from tests.making import (
    make_pair,
    make_pairs,
    make_round,
    make_version,
    make_vote,
    make_voted_round,
    make_votes,
)

if TYPE_CHECKING:
    from django.test import Client

    from annotate.models import Batch
    from projects.models import Project, User
    from rubrics.models import RubricVersion

FIRST = """
task: summaries
gates:
  - {id: G1, check: Every amount matches the file.}
criteria:
  - {id: C1, weight: 2, check: Open items are complete and owned.}
  - {id: C2, weight: 1, check: At most 220 words.}
  - {id: C3, weight: 1, check: Polite.}
  - {id: C4, weight: 1, check: Friendly.}
preference: {scale: 5}
"""
SECOND = """
task: summaries
gates:
  - id: G1
    check: Every amount matches the file to the cent.
    anchors: [{verdict: fail, origin: real, text: About a thousand.}]
criteria:
  - {id: C1, weight: 2, check: Lists every open item., lineage: {split_from: C1}}
  - {id: C5, weight: 2, check: Names an owner for each., lineage: {split_from: C1}}
  - {id: C6, weight: 1, check: Kind., lineage: {merged_from: [C3, C4]}}
automatic:
  - {id: A1, check: At most 220 words., rule: {max_words: 220}, lineage: {moved_to_automatic: C2}}
preference: {scale: 5, rationale: Gates first; cite what decides.}
"""
# Raters agree, or differ on what each key says of the two sides.
SAME: dict[str, str] = {"C1": "yes no"}
OTHER = {"C1": "no yes"}


def published(project: Project, source: str) -> RubricVersion:
    version = import_rubric(project=project, source=source, acting_user=None)
    return publish(version=version, change_note="Tried again.", acting_user=None)


def page_of(client: Client, user: User, query: str = "", rubric: str = "summaries") -> str:
    client.force_login(user)
    response = client.get(reverse("annotate:rounds_table", args=["claims", rubric]) + query)
    assert response.status_code == 200
    return unescape(" ".join(response.content.decode().split()))


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def row_of(page: str, key: str) -> str:
    """The text of a check's row in the first table."""
    table = page.split("<tbody>", 1)[1].split("</table>")[0]
    rows = [text_of(row) for row in table.split("<tr")[1:]]
    return next(row.split("> ", 1)[-1] for row in rows if f"{key} " in row[:60])


@pytest.fixture
def two_versions(project: Project, expert: User, other_expert: User) -> tuple[Batch, Batch]:
    """Version 1 in a round on which raters part over C1, version 2 in one where they do not."""
    raters = [expert, other_expert]
    old = published(project, FIRST)
    first = make_voted_round(project, raters, [[SAME, SAME]] * 4 + [[SAME, OTHER]] * 6, version=old)
    said = {"C1": "yes no", "C5": "no yes"}
    new = published(project, SECOND)
    second = make_voted_round(project, raters, [[said, said]] * 10, version=new)
    return first, second


def test_a_split_shows_what_the_one_check_was_and_what_both_are_now(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    page = page_of(client, lead)
    # 20 units, 12 of them split, 20 yes and 20 no: 1 - (12/20)/(2*20*20/(40*39)) = -0.17.
    row = row_of(page, "C1")
    assert "Lists every open item." in row
    assert "−0.17 broken then C1: “Open items are complete and owned.”" in row
    assert "Split in two C1 −0.17, then C1 1.00 / C5 1.00" in row
    assert "1.00 clears" in row
    assert 'rowspan="2"' in page
    assert '<svg class="fork" viewBox="0 0 20 100" preserveAspectRatio="none"' in page


def test_a_merger_a_move_to_code_and_a_new_wording_are_named_in_the_change(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    page = page_of(client, lead)
    assert "Merged from C3 and C4" in row_of(page, "C6")
    assert "Moved to code at most 220 words, was C2" in row_of(page, "A1")
    assert "checked by code" in row_of(page, "A1")
    assert "Reworded, 1 anchor added “to the cent” added" in row_of(page, "G1")
    assert "Procedure rationale: “Gates first; cite what decides.” added" in row_of(
        page, "Preference"
    )


def test_a_split_into_a_gate_and_a_criterion_repeats_what_both_were(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    whole = "task: summaries\ncriteria:\n  - {id: C1, check: Open items are complete and safe.}\n"
    parts = (
        "task: summaries\n"
        "gates:\n  - {id: G1, check: Nothing unsafe., lineage: {split_from: C1}}\n"
        "criteria:\n  - {id: C1, check: Lists every open item., lineage: {split_from: C1}}\n"
    )
    raters = [expert, other_expert]
    for source in (whole, parts):
        version = published(project, source)
        make_voted_round(project, raters, [[SAME, SAME]] * 10, version=version)
    page = page_of(client, lead)
    for key in ("G1", "C1"):
        row = row_of(page, key)
        assert "1.00 clears, thin then C1: “Open items are complete and safe.”" in row
        assert "Split in two C1 1.00, then G1 undefined / C1 1.00" in row
    assert 'class="fork' not in page


def test_an_anchor_names_the_pair_it_was_taken_from(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    subject = two_versions[0].slots.order_by("subject_id")[0].subject
    AnchorSource.objects.create(
        rubric=two_versions[0].version.rubric,
        text_sha256=hashlib.sha256(b"About a thousand.").hexdigest(),
        subject=subject,
        part_key="A",
    )
    assert f"from {subject.external_id}" in row_of(page_of(client, lead), "G1")


def test_a_pair_that_the_reader_still_rates_is_not_named(
    client: Client, project: Project, lead: User, expert: User, two_versions: tuple[Batch, Batch]
) -> None:
    running = make_round(project, [lead, expert], version=two_versions[1].version)
    subject = running.slots.all()[0].subject
    AnchorSource.objects.create(
        rubric=running.version.rubric,
        text_sha256=hashlib.sha256(b"About a thousand.").hexdigest(),
        subject=subject,
    )
    assert f"from {subject.external_id}" not in page_of(client, lead)


def test_a_note_stands_with_the_check_it_was_written_for_unless_it_says_what_the_cell_says(
    client: Client, project: Project, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    source = SECOND.replace("Kind.", "Kind to all.")
    draft = import_rubric(project=project, source=source, acting_user=None)
    publish(
        version=draft,
        change_note="Third.",
        acting_user=None,
        notes={"C6": "Raters asked to whom."},
    )
    page = page_of(client, lead)
    assert "Reworded “to all” added Raters asked to whom." in row_of(page, "C6")
    # Version 2 was published with the words that a note begins with.
    assert "Reworded, 1 anchor added “to the cent” added Round 2, version 2" in row_of(page, "G1")


def test_the_disagreements_that_asked_for_a_change_are_counted(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    first = two_versions[0]
    edit = Edit.objects.create(
        rubric=first.version.rubric,
        number=2,
        kind="split",
        key="C1",
        keys=["C1", "C5"],
        after_digest="1:0",
    )
    edit.disagreements.set(sort(first, ["ambiguity", "ambiguity", "slip"]))
    assert "3 disagreements asked for it" in row_of(page_of(client, lead), "C1")


def test_disagreements_behind_what_is_not_in_the_version_are_not_counted(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    first = two_versions[0]
    rows = sort(first, ["ambiguity", "ambiguity", "slip"])
    reads = "Lists every open item."
    for text, row in zip((reads, "Wording of the meeting.", reads), rows, strict=True):
        edit = Edit.objects.create(
            rubric=first.version.rubric,
            number=2,
            kind="reword",
            key="C1",
            keys=["C1"],
            detail={"key": "C1", "text": text},
            after_digest="1:0",
        )
        edit.disagreements.set([row])
    assert "2 disagreements asked for it" in row_of(page_of(client, lead), "C1")
    Event.objects.create(
        project=first.project, verb="rubric.discarded", target=f"{first.version.rubric.slug}@2"
    )
    assert "asked for it" not in row_of(page_of(client, lead), "C1")


def sort(batch: Batch, kinds: list[str]) -> list[Disagreement]:
    criterion = batch.version.criteria.get(key="C1")
    subjects = Subject.objects.filter(slots__batch=batch).distinct().order_by("pk")
    return [
        Disagreement.objects.create(
            batch=batch,
            subject=subject,
            criterion=criterion,
            part_key="A",
            kind=kind,
            sorted_at=timezone.now(),
        )
        for subject, kind in zip(subjects, kinds, strict=False)
    ]


def test_rounds_of_one_version_are_one_column_and_versions_are_never_pooled(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    old = published(project, FIRST)
    raters = [expert, other_expert]
    for said in (SAME, OTHER):
        make_voted_round(project, raters, [[SAME, said]] * 5, version=old)
    page = page_of(client, lead)
    assert "Two rounds, one version" in page
    assert "Rounds 1 and 2 , version 1" in text_of(page)
    # Over both rounds 10 of 20 units are split: 1 - (10/20)/(2*20*20/(40*39)) = 0.03.
    assert "0.03 broken" in row_of(page, "C1")


def test_an_open_round_has_no_figure_and_is_what_to_look_at(
    client: Client,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
    two_versions: tuple[Batch, Batch],
) -> None:
    running = make_round(project, [expert, other_expert], version=two_versions[1].version)
    make_votes(running, expert)
    page = page_of(client, lead)
    assert "Round 3 of version 2 is open: its figures come when it closes." in page
    assert "Two rounds, two versions" in page


def test_a_cleared_rubric_leads_to_the_decisions_of_its_last_round(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    source = "task: summaries\ncriteria:\n  - {id: C1, check: Names the cause.}\n"
    version = published(project, source)
    make_voted_round(project, [expert, other_expert], [[SAME, SAME]] * 20, version=version)
    page = page_of(client, lead)
    assert "Every check of version 1 has cleared, so volume labelling may begin." in page
    assert 'href="/p/claims/rounds/1/#decisions"' in page


def test_what_a_closed_round_kept_says_what_to_do(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    keep_verdicts(two_versions[1])
    plain = page_of(client, lead)
    assert "Volume stays closed: " in plain
    assert '<a class="btn btn-primary" href="' in plain


def test_a_waived_check_is_shown_as_waived(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    Waiver.objects.create(
        rubric=two_versions[1].version.rubric, number=2, key="G1", reason="Looked at by hand."
    )
    assert "waived “Looked at by hand.”" in row_of(page_of(client, lead), "G1")


def test_a_version_without_a_round_says_so_and_asks_for_one(
    client: Client, project: Project, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    published(project, SECOND.replace("Kind.", "Kind to all."))
    page = page_of(client, lead)
    assert "Version 3 is published and no round has tried it yet." in page
    assert "Start a round" in page
    assert "not tried yet" in row_of(page, "C6")
    assert "“to all” added" in row_of(page, "C6")


def test_a_check_that_ended_is_still_shown(
    client: Client, project: Project, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    lines = SECOND.splitlines()
    published(project, "\n".join(line for line in lines if "C6" not in line))
    row = row_of(page_of(client, lead), "C6")
    assert "no longer asked" in row
    assert "Removed" in row


def test_simulated_rounds_stand_apart_from_real_ones(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    version = published(project, FIRST)
    raters = [expert, other_expert]
    make_voted_round(project, raters, [[SAME, SAME]] * 10, version=version)
    make_voted_round(project, raters, [[SAME, OTHER]] * 10, version=version, simulated=True)
    real = page_of(client, lead)
    assert "1.00 clears" in row_of(real, "C1")
    assert "Real raters. See simulated raters" in text_of(real)
    made = page_of(client, lead, "?raters=simulated")
    # All 20 units split: 1 - 1/(2*20*20/(40*39)) = -0.95.
    assert "−0.95 broken" in row_of(made, "C1")
    assert '<span class="chip">simulated raters</span>' in made
    assert "nobody has read their pairs" in made
    assert "One round, one version" in made


def test_simulated_rounds_alone_are_shown_as_such(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    said = [[SAME, SAME]] * 2
    version = published(project, FIRST)
    make_voted_round(project, [expert, other_expert], said, version=version, simulated=True)
    page = page_of(client, lead, "?raters=nonsense")
    assert '<span class="chip">simulated raters</span>' in page
    assert "See real raters" not in page


def test_planted_failures_stand_with_the_check_that_they_test_and_are_in_no_figure(
    client: Client,
    project: Project,
    lead: User,
    expert: User,
    other_expert: User,
    two_versions: tuple[Batch, Batch],
) -> None:
    version, raters = two_versions[1].version, [expert, other_expert]
    asked = {"G1": "pass fail", "C1": "yes", "C5": "yes", "C6": "yes"}
    fails = {**asked, "G2": "", "C2": "", "preference": ""}
    probes = [make_pair(project, f"probe-{n}") for n in range(2)]
    for pair in probes:
        make_gold(pair, version, fails, use="probe")
    make_pairs(project, 2, prefix="fresh")
    batch = start_round(
        project=project,
        version=version,
        raters=raters,
        size=2,
        seed=1,
        acting_user=None,
        probes=probes,
    )
    for assignment in batch.assignments.all():
        make_vote(assignment, {"C1": "yes no", "C5": "no yes"})
    close_round(batch=batch, acting_user=None)
    page = page_of(client, lead)
    # Five votes on each side of both rounds, and two on two pairs that nobody planted.
    measured = sum(overlap_of(one).votes for one in (*two_versions, batch))
    assert f" pairs, {measured} votes" in text_of(page)
    assert batch.assignments.count() == 2 * (2 + 2)
    assert "Probe pairs 2 planted failures, reported apart" in row_of(page, "G1")
    assert "Probe pairs" not in row_of(page, "C1")
    # 12 pairs of both rounds, two labels each side: the planted pairs are not among them.
    assert "0 of 24 units" in text_of(page.split('id="intervals"')[1])


def test_what_a_planted_pair_fails_is_what_was_known_under_the_version_that_it_was_planted_in(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    """Another answer was given under the version before: it says nothing of this one's rounds."""
    source = """
task: summaries
rubric_version: {number}
gates:
  - {{id: G1, check: Every amount matches the file.}}
  - {{id: G2, check: No coverage decision.}}
criteria:
  - {{id: C1, weight: 2, check: "{text}"}}
preference: {{scale: 5}}
"""
    first = published(project, source.format(number=1, text="Open items."))
    fails = {"G1": "pass", "G2": "pass fail", "C1": "yes", "C2": "", "preference": ""}
    pairs = [make_pair(project, f"probe-{n}") for n in range(2)]
    for pair in pairs:
        make_gold(pair, first, fails, use="probe")
    second = published(project, source.format(number=2, text="Open items and owners."))
    make_gold(pairs[0], second, {**fails, "G1": "fail", "G2": "pass"}, use="probe")
    make_pairs(project, 2, prefix="fresh")
    batch = start_round(
        project=project,
        version=second,
        raters=[expert, other_expert],
        size=2,
        seed=1,
        acting_user=None,
        probes=pairs,
    )
    for assignment in batch.assignments.all():
        make_vote(assignment, SAME)
    close_round(batch=batch, acting_user=None)
    told = {one.key: one.planted for one in tally(met([batch]), second)}
    # Both sides of the first pair fail G1; one of the second, answered under version 1, fails G2.
    assert told == {"G1": 2, "G2": 1}
    page = page_of(client, lead)
    assert "2 planted failures" in row_of(page, "G1")
    assert "1 planted failure," in row_of(page, "G2")
    url = reverse("annotate:rounds_table", args=["claims", "summaries"])
    with CaptureQueriesContext(connection) as asked:
        assert client.get(url).status_code == 200
    assert len(asked) < 12


def test_disagreements_are_counted_by_kind_and_the_sentence_says_what_became_of_ambiguity(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    first, _ = two_versions
    sort(first, ["ambiguity"] * 3 + ["slip", "legitimate"])
    page = page_of(client, lead)
    table = text_of(page.split('id="kinds"')[1].split("</table>")[0])
    assert "Ambiguity 3 0 Weighting 0 0 Slip 1 0 Legitimate 1 0" in table
    assert "Not sorted yet 7 0 All 12 0" in table
    assert "Ambiguity is what a rubric can cure: 3 in round 1 so far." in page
    assert "7 disagreements are not sorted yet." in page


def test_ambiguity_has_fallen_only_between_rounds_that_are_sorted_to_the_end(
    project: Project, expert: User, other_expert: User
) -> None:
    version = published(project, FIRST)
    raters = [expert, other_expert]
    first, middle, last = (
        OneRound(make_voted_round(project, raters, [[SAME, SAME]], version=version), 12, {})
        for _ in range(3)
    )
    first = replace(first, sorted={"ambiguity": 12})
    middle = replace(middle, sorted={"ambiguity": 1})
    nothing = replace(last, differing=0)
    half_sorted = [kinds_table([first, middle]), kinds_table([first, middle, nothing])]
    said = [table.sentence for table in half_sorted if table]
    waiting = "11 disagreements are not sorted yet."
    cure = "Ambiguity is what a rubric can cure"
    assert said == [
        f"{cure}: 1 in round 2 so far. {waiting}",
        f"{cure}; it fell from 12 in round 1 to 0 in round 3. {waiting}",
    ]


def test_the_chart_says_in_words_what_it_draws_and_the_numbers_stand_beside_it(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    page = page_of(client, lead)
    drawn = re.findall(r'<svg class="strips" role="img" aria-label="([^"]*)"', page)
    assert [one.split(":")[0] for one in drawn] == [
        *("G1", "C1", "C5", "C6", "A1", "Preference", "Outcome")
    ]
    assert drawn[1].startswith("C1: Round 1, version 1: alpha −0.17".replace("−", "-"))
    assert "Round 2, version 2: alpha 1.00" in drawn[1]
    assert "style=" not in page


def test_the_file_holds_a_row_for_each_check_in_each_version(
    client: Client, lead: User, two_versions: tuple[Batch, Batch]
) -> None:
    client.force_login(lead)
    response = client.get(reverse("annotate:rounds_csv", args=["claims", "summaries"]))
    assert response["Content-Disposition"] == 'attachment; filename="summaries-rounds.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    c5 = {row["version"]: row for row in rows if row["check"] == "C5"}
    assert (c5["1"]["was"], c5["1"]["status"]) == ("C1", "broken")
    assert float(c5["1"]["alpha"]) == pytest.approx(1 - (12 / 20) / (2 * 20 * 20 / (40 * 39)))
    assert (c5["2"]["alpha"], c5["2"]["change"]) == ("1.0", "Split in two")
    a1 = [row["status"] for row in rows if row["check"] == "A1"]
    assert a1 == ["undefined", "checked_by_code"]


def test_a_wording_that_looks_like_a_formula_or_like_html_stays_text(
    client: Client, project: Project, lead: User, expert: User, other_expert: User
) -> None:
    source = FIRST.replace("Polite.", '"=1+1 <script>alert(1)</script>"')
    version = published(project, source)
    make_voted_round(project, [expert, other_expert], [[SAME, SAME]] * 2, version=version)
    client.force_login(lead)
    page = client.get(reverse("annotate:rounds_table", args=["claims", "summaries"]))
    assert b"<script>alert" not in page.content
    file = client.get(reverse("annotate:rounds_csv", args=["claims", "summaries"]))
    assert b"\"'=1+1 <script>" in file.content


def test_without_a_closed_round_the_page_says_what_it_will_show(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project)
    assert "No round has closed yet" in page_of(client, lead)


def test_without_a_published_version_the_page_says_so(
    client: Client, project: Project, lead: User
) -> None:
    make_version(project, published=False)
    assert "Nothing is published yet" in page_of(client, lead)


def test_a_rubric_that_is_not_there_is_not_found(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    assert client.get(reverse("annotate:rounds_table", args=["claims", "none"])).status_code == 404


@pytest.mark.parametrize("which", ["rounds_table", "rounds_csv"])
def test_the_queries_do_not_grow_with_versions_and_rounds(
    client: Client, project: Project, lead: User, expert: User, other_expert: User, which: str
) -> None:
    raters = [expert, other_expert]
    url = reverse(f"annotate:{which}", args=["claims", "summaries"])
    client.force_login(lead)

    def count() -> int:
        client.get(url)
        with CaptureQueriesContext(connection) as found:
            assert client.get(url).status_code == 200
        return len(found)

    for number in range(1, 3):
        version = published(project, FIRST.replace("Polite.", f"Polite {number}."))
        make_voted_round(project, raters, [[SAME, OTHER]], version=version)
    small = count()
    for number in range(3, 7):
        version = published(project, FIRST.replace("Polite.", f"Polite {number}."))
        for _ in range(2):
            sort(make_voted_round(project, raters, [[SAME, OTHER]] * 2, version=version), ["slip"])
    assert count() == small < 12

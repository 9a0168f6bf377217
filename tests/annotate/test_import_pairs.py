from __future__ import annotations

import csv
import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from annotate import ingest
from annotate.actions import imports, replacements
from annotate.actions.imports import ImportRefused
from annotate.actions.rounds import start_round
from annotate.actions.subject_imports import import_subjects
from annotate.assignment import fresh_pairs
from annotate.models import Import, Pair, Part, StagedUpdate, Subject
from projects.models import Event
from tests.annotate.importing import (
    HEADER,
    every_table,
    import_pairs,
    jsonl,
    pair,
    refused_pairs,
    written,
)
from tests.making import make_pair, make_project, make_round, make_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from django.test import Client

    from annotate.actions.imports import Report
    from projects.models import Project, User


def ids(project: Project) -> set[str]:
    return set(Subject.objects.filter(project=project).values_list("external_id", flat=True))


def texts(external_id: str) -> dict[str, str | None]:
    parts = Part.objects.filter(subject__external_id=external_id)
    return dict(parts.values_list("key", "text"))


def prompt_of(external_id: str) -> str:
    content: str = Pair.objects.get(subject__external_id=external_id).messages[-1]["content"]
    return content


def test_a_pair_comes_in_whole(project: Project, tmp_path: Path) -> None:
    row = pair("p1", context="The file.", model_a="m1", model_b="m2", metadata={"topic": "fire"})
    report = import_pairs(project, written(tmp_path, jsonl([row])))
    assert (report["rows"], report["created"]) == (1, 1)
    subject = Subject.objects.select_related("pair").get()
    assert (subject.external_id, subject.kind, subject.metadata) == (
        "p1",
        "pair",
        {"topic": "fire"},
    )
    assert subject.pair.messages == [{"role": "user", "content": "Prompt of p1?"}]
    assert (subject.pair.context, subject.pair.model_a, subject.pair.model_b) == (
        "The file.",
        "m1",
        "m2",
    )
    assert texts("p1") == {"A": "First of p1.", "B": "Second of p1."}


def test_an_import_is_in_the_audit_trail(project: Project, tmp_path: Path) -> None:
    file = written(tmp_path, jsonl([pair("p1")]))
    import_pairs(project, file)
    event = Event.objects.get(verb="import.appeared")
    assert event.project == project
    assert event.data["created"] == 1
    assert event.data["sha256"] == imports.digest_of(file)


# IM-06: 1310 rows, of which row 1305 repeats row 3, row 700 lacks a field, row 900 is no JSON.


def im_06(bad: dict[int, str]) -> list[str]:
    lines = [json.dumps(pair(f"p{n}")) for n in range(1, 1311)]
    for number, line in bad.items():
        lines[number - 1] = line
    return lines


LACKS = json.dumps(pair("p-lacks", response_b="ABSENT"))
NO_JSON = '{"id": "p-broken", '
REPEATS = json.dumps(pair("p3"))
AS_GIVEN = {700: LACKS, 900: NO_JSON, 1305: REPEATS}
MOVED_TO_THE_FRONT = {4: REPEATS, 5: LACKS, 6: NO_JSON}
MOVED_TO_THE_END = {1308: NO_JSON, 1309: REPEATS, 1310: LACKS}
EVERYWHERE = pytest.mark.parametrize("bad", [AS_GIVEN, MOVED_TO_THE_FRONT, MOVED_TO_THE_END])


@EVERYWHERE
def test_im_06_by_default_all_or_nothing(
    project: Project, tmp_path: Path, bad: dict[int, str]
) -> None:
    file = written(tmp_path, "\n".join(im_06(bad)))
    before = every_table()
    refusal = refused_pairs(project, file)
    assert refusal.message == "Nothing was imported: 3 rows are refused."
    reasons = {LACKS: "missing", NO_JSON: "json", REPEATS: "repeated_id"}
    found = {line: code for line, _, code in refusal.places}
    assert found == {number: reasons[line] for number, line in bad.items()}
    assert all(problem["message"] for problem in refusal.report["problems"])
    assert every_table() == before


@EVERYWHERE
def test_im_06_partial_takes_the_good_rows_and_a_retry_exactly_what_is_missing(
    project: Project, tmp_path: Path, bad: dict[int, str]
) -> None:
    report = import_pairs(project, written(tmp_path, "\n".join(im_06(bad))), "--partial")
    assert (report["rows"], report["created"], report["rejected"]) == (1310, 1307, 3)
    assert {problem["line"] for problem in report["problems"]} == set(bad)
    assert Subject.objects.count() == 1307
    report = import_pairs(project, written(tmp_path, "\n".join(im_06({}))))
    assert (report["created"], report["unchanged"], report["updated"]) == (3, 1307, 0)
    assert ids(project) == {f"p{n}" for n in range(1, 1311)}


def test_the_same_file_again_changes_nothing(project: Project, tmp_path: Path) -> None:
    file = written(tmp_path, jsonl(pair(f"p{n}") for n in range(5)))
    import_pairs(project, file)
    before = every_table()
    report = import_pairs(project, file)
    assert (report["unchanged"], report["created"], report["updated"]) == (5, 0, 0)
    assert every_table() == before


def test_other_content_under_the_same_id_replaces_the_pair_while_nobody_has_it(
    project: Project, tmp_path: Path
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair("p1"), pair("p2")])))
    old = Subject.objects.get(external_id="p1")
    changed = pair("p1", prompt="Why?", response_a="New.", context="C", metadata={"n": 1})
    report = import_pairs(project, written(tmp_path, jsonl([changed, pair("p2"), pair("p3")])))
    assert (report["created"], report["updated"], report["unchanged"]) == (1, 1, 1)
    new = Subject.objects.select_related("pair").get(external_id="p1")
    assert (new.pk, new.public_id) == (old.pk, old.public_id)
    assert new.content_hash != old.content_hash
    assert (new.metadata, new.pair.context) == ({"n": 1}, "C")
    assert texts("p1") == {"A": "New.", "B": "Second of p1."}
    assert prompt_of("p1") == "Why?"
    assert import_pairs(project, written(tmp_path, jsonl([changed])))["unchanged"] == 1


def test_a_pair_that_was_given_out_keeps_its_content(
    project: Project, expert: User, other_expert: User, tmp_path: Path
) -> None:
    make_round(project, [expert, other_expert], size=1)
    given = Subject.objects.get()
    before = every_table()
    file = written(tmp_path, jsonl([pair("new"), pair(given.external_id)]))
    refusal = refused_pairs(project, file)
    assert refusal.places == [(2, "id", "already_given_out")]
    assert every_table() == before
    report = import_pairs(project, file, "--partial")
    assert (report["created"], report["rejected"]) == (1, 1)
    assert texts(given.external_id)["A"] == f"Response A of {given.external_id}."


def staging(project: Project, file: Path, probe: Callable[[], None]) -> Report:
    """Import a file and call `probe` while its rows are staged and not yet to be seen."""

    def progress(done: int, total: int | None) -> None:
        if total is not None:
            probe()

    return import_subjects(
        project=project,
        file=file,
        fields=ingest.field_map("pair"),
        acting_user=None,
        progress=progress,
    )


def test_a_pair_that_is_given_out_while_the_file_is_read_keeps_its_content(
    project: Project, expert: User, other_expert: User, tmp_path: Path
) -> None:
    version = make_version(project)
    import_pairs(project, written(tmp_path, jsonl([pair("p1", response_a="Old.")])))

    def give_out() -> None:
        start_round(
            project=project,
            version=version,
            raters=[expert, other_expert],
            size=1,
            acting_user=None,
        )

    file = written(tmp_path, jsonl([pair("p1", response_a="New."), pair("p2")]))
    with pytest.raises(ImportRefused) as refusal:
        staging(project, file, give_out)
    assert refusal.value.report is not None
    assert [problem.code for problem in refusal.value.report.problems] == ["already_given_out"]
    assert texts("p1")["A"] == "Old."
    assert ids(project) == {"p1"}


def test_staged_rows_are_there_for_nobody(
    project: Project, lead: User, expert: User, client: Client, tmp_path: Path
) -> None:
    make_version(project)
    client.force_login(lead)
    seen = []

    def pages() -> list[str]:
        said = [client.get(url).content.decode() for url in ("/", f"/p/{project.slug}/")]
        # The CSRF token is another one in every page.
        return [re.sub(r"[0-9A-Za-z]{64}", "", page) for page in said]

    def look() -> None:
        staged = Subject.objects.filter(origin__state="staged").count()
        seen.append((staged, fresh_pairs(project, []), pages()))

    before = pages()
    staging(project, written(tmp_path, jsonl(pair(f"p{n}") for n in range(5))), look)
    assert seen == [(5, [], before)]
    assert len(fresh_pairs(project, [])) == 5
    assert pages() != before


def test_an_import_that_breaks_in_the_middle_leaves_nothing(
    project: Project, tmp_path: Path
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair("p1")])))
    before = every_table()

    def pull_the_plug() -> None:
        assert StagedUpdate.objects.count() == 1
        raise KeyboardInterrupt

    rows = [pair("p1", response_a="New."), *(pair(f"q{n}") for n in range(400))]
    with pytest.raises(KeyboardInterrupt):
        staging(project, written(tmp_path, jsonl(rows)), pull_the_plug)
    after = every_table()
    # What stays says that it was tried.
    assert after.pop("annotate.Import") == before.pop("annotate.Import") + 1
    assert after.pop("projects.Event") == before.pop("projects.Event") + 1
    assert after == before
    assert Event.objects.first().verb == "import.abandoned"  # type: ignore[union-attr]
    assert texts("p1")["A"] == "First of p1."


def test_what_a_lost_import_staged_is_gone_when_the_next_one_begins(
    project: Project, tmp_path: Path
) -> None:
    """Killed outright: the rows stand, the lease runs out, nobody took anything back."""
    file = written(tmp_path, jsonl([pair("p1"), pair("p2")]))
    lost = lost_import(project, file, ["p1"])
    report = import_pairs(project, file)
    assert report["created"] == 2
    lost.refresh_from_db()
    assert lost.state == Import.State.ABANDONED
    assert not Subject.objects.filter(origin=lost).exists()


def test_taking_back_that_was_cut_short_is_finished_by_the_next_import(
    project: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, jsonl([pair("p1"), pair("p2")]))
    lost_import(project, file, ["p1"], state=Import.State.ABANDONED)
    assert import_pairs(project, file)["created"] == 2
    assert ids(project) == {"p1", "p2"}


def test_a_live_import_is_not_disturbed_and_another_is_refused(
    project: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, jsonl([pair("p1")]))
    live = lost_import(project, file, ["q1"], lease=60)
    refusal = refused_pairs(project, file)
    assert refusal.message.startswith("Another import of this project is under way")
    assert Subject.objects.filter(origin=live).count() == 1
    elsewhere = make_project("elsewhere")
    assert import_pairs(elsewhere, file)["created"] == 1


def test_an_import_given_up_as_lost_writes_nothing_more(project: Project, tmp_path: Path) -> None:
    def fall_asleep() -> None:
        Import.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert imports.sweep_lost() == 1

    rows = jsonl(pair(f"p{n}") for n in range(imports.CHUNK + 1))
    with pytest.raises(ImportRefused, match="given up as lost"):
        staging(project, written(tmp_path, rows), fall_asleep)
    assert not Subject.objects.exists()


def test_new_contents_that_a_killed_worker_left_are_put_in_place_by_the_next_import(
    project: Project, tmp_path: Path
) -> None:
    count = replacements.AT_ONCE + 10
    import_pairs(project, written(tmp_path, jsonl(pair(n) for n in range(count))))
    changed = written(tmp_path, jsonl(pair(n, response_a="New.") for n in range(count)))

    def die_half_way() -> None:
        if Import.objects.filter(state="visible").count() == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        staging(project, changed, die_half_way)
    new = Part.objects.filter(key="A", text="New.")
    assert new.count() == replacements.AT_ONCE
    assert len(fresh_pairs(project, [])) == replacements.AT_ONCE
    report = import_pairs(project, changed)
    assert report["unchanged"] == new.count() == len(fresh_pairs(project, [])) == count


def test_new_contents_that_a_killed_worker_left_are_put_in_place_by_the_sweeper(
    project: Project, tmp_path: Path
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair("p1"), pair("p2")])))
    content = {"messages": [], "context": "", "models": {"model_a": "", "model_b": ""}}
    hashes = {"group_key": "g", "content_hash": "h", "metadata": {}}
    StagedUpdate.objects.create(
        origin=Import.objects.get(),
        subject=Subject.objects.get(external_id="p1"),
        row={**content, **hashes, "parts": {"A": "New.", "B": "Also new."}, "line": 1},
    )
    replacements.finish()
    assert texts("p1") == {"A": "New.", "B": "Also new."}
    assert not StagedUpdate.objects.exists()


def test_a_trace_that_has_other_steps_now_has_those_alone(project: Project, tmp_path: Path) -> None:
    for steps in (["One.", "Two.", "Three."], ["Uno."], ["A.", "B."]):
        file = written(tmp_path, jsonl([{"id": 1, "steps": steps}]))
        import_pairs(project, file, "--kind", "trace")
        assert list(texts("1").values()) == steps


def lost_import(
    project: Project, file: Path, ids: list[str], *, state: str = "staged", lease: int = -1
) -> Import:
    origin = Import.objects.create(
        project=project,
        kind="pair",
        file_name=file.name,
        state=state,
        lease_until=timezone.now() + timedelta(seconds=lease),
    )
    for external_id in ids:
        subject = make_pair(project, external_id)
        Subject.objects.filter(pk=subject.pk).update(origin=origin)
    return origin


def test_im_01_a_byte_order_mark_and_windows_line_ends_are_read(
    project: Project, tmp_path: Path
) -> None:
    jsonl_bytes = bytes.fromhex(
        "efbbbf7b226964223a226131222c2270726f6d7074223a224869222c22726573706f6e73655f61223a2278222c"
        "22726573706f6e73655f62223a2279227d0d0a7b226964223a226132222c2270726f6d7074223a22486f222c22"
        "726573706f6e73655f61223a2278222c22726573706f6e73655f62223a2279227d0d0a0d0a"
    )
    assert import_pairs(project, written(tmp_path, jsonl_bytes))["created"] == 2
    assert ids(project) == {"a1", "a2"}


IM_01_CSV = '\ufeffid,prompt,response_a,response_b\r\na3,Hey,x,"two\r\nlines"\r\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_im_01_csv_with_a_mark(project: Project, tmp_path: Path, encoding: str) -> None:
    file = written(tmp_path, IM_01_CSV.encode(encoding), "pairs.csv")
    assert import_pairs(project, file)["created"] == 1
    assert texts("a3") == {"A": "x", "B": "two\r\nlines"}


def test_im_01_windows_1252_is_refused_with_its_line(project: Project, tmp_path: Path) -> None:
    content = HEADER.encode() + b"a3,Hey,x,\x93quoted\x94\r\n"
    refusal = refused_pairs(project, written(tmp_path, content, "pairs.csv"))
    assert [(line, code) for line, _, code in refusal.places] == [(2, "encoding")]
    assert "Windows-1252" in refusal.report["problems"][0]["message"]


def test_im_02_line_separators_inside_texts_are_text(project: Project, tmp_path: Path) -> None:
    lines = (
        '{"id":"b1","prompt":"one\u2028two","response_a":"p\u0085q","response_b":"r\u2029s"}\n'
        '{"id":"b2","prompt":"z","response_a":"1","response_b":"2"}\n'
    )
    assert import_pairs(project, written(tmp_path, lines))["created"] == 2
    assert [ord(c) for c in prompt_of("b1")] == [111, 110, 101, 8232, 116, 119, 111]
    assert texts("b1") == {"A": "p\u0085q", "B": "r\u2029s"}


NUL_ROWS = (
    r'{"id":"d1","prompt":"a\u0000b","response_a":"x","response_b":"y"}'
    "\n"
    r'{"id":"d2","prompt":"literal \\u0000 text","response_a":"x","response_b":"y"}'
    "\n"
)


def test_im_04_a_nul_is_a_row_error_and_six_characters_are_text(
    project: Project, tmp_path: Path
) -> None:
    file = written(tmp_path, NUL_ROWS)
    assert refused_pairs(project, file).places == [(1, "prompt", "nul")]
    assert import_pairs(project, file, "--partial")["created"] == 1
    assert prompt_of("d2") == r"literal \u0000 text"


def test_im_04_a_nul_is_removed_with_a_warning_when_repair_is_on(
    project: Project, tmp_path: Path
) -> None:
    report = import_pairs(project, written(tmp_path, NUL_ROWS), "--repair")
    assert report["created"] == 2
    assert [(w["line"], w["code"]) for w in report["warnings"]] == [(1, "nul_removed")]
    assert prompt_of("d1") == "ab"


def test_im_05_a_cell_of_200_000_characters_comes_in_whole(
    project: Project, tmp_path: Path
) -> None:
    limit = csv.field_size_limit()
    rows = f"e1,Why?,{'x' * 200_000},b\ne2,Why not?,a,b\n"
    assert import_pairs(project, written(tmp_path, HEADER + rows, "pairs.csv"))["created"] == 2
    assert len(texts("e1")["A"] or "") == 200_000
    assert csv.field_size_limit() == limit


def test_im_05_a_quote_that_is_never_closed_names_the_line_it_opened_on(
    project: Project, tmp_path: Path
) -> None:
    content = f'{HEADER}e1,Why?,a,b\ne2,Why not?,"{"x" * 300_000}'
    refusal = refused_pairs(project, written(tmp_path, content, "pairs.csv"))
    assert [(line, code) for line, _, code in refusal.places] == [(3, "unclosed_quote")]
    assert not Subject.objects.exists()


def test_px_01_identical_responses_are_warned_about_before_anybody_labels_them(
    project: Project, tmp_path: Path
) -> None:
    rows = [
        pair("p1", response_a="A bat.", response_b="A bat."),
        pair("p2", response_a="A bat.", response_b="A bat. "),
        pair("p3", response_a="caf\u00e9", response_b="cafe\u0301"),
        pair("p4", response_a="A cod.", response_b="An owl."),
    ]
    report = import_pairs(project, written(tmp_path, jsonl(rows)))
    assert report["created"] == 4
    warned = [(w["line"], w["code"]) for w in report["warnings"]]
    assert warned == [(n, "identical_responses") for n in (1, 2, 3)]
    assert texts("p3") == {"A": "caf\u00e9", "B": "cafe\u0301"}


def test_an_empty_response_is_warned_about(project: Project, tmp_path: Path) -> None:
    report = import_pairs(project, written(tmp_path, jsonl([pair("p1", response_b="")])))
    assert [(w["field"], w["code"]) for w in report["warnings"]] == [("response_b", "empty_text")]


def test_fields_of_other_names_are_mapped_and_joined_by_a_blank_line(
    project: Project, tmp_path: Path
) -> None:
    rows = [
        {"n": 1, "instruction": "Sum.", "input": "1 2", "x": "3", "y": "4", "app": "calc"},
        {"n": 2, "instruction": "Greet.", "input": "", "x": "Hi", "y": "Ho", "app": "chat"},
    ]
    flags = ("id=n", "prompt=instruction,input", "response_a=x", "response_b=y", "metadata.app=app")
    maps = [word for flag in flags for word in ("--map", flag)]
    assert import_pairs(project, written(tmp_path, jsonl(rows)), *maps)["created"] == 2
    assert (prompt_of("1"), prompt_of("2")) == ("Sum.\n\n1 2", "Greet.")
    assert Subject.objects.get(external_id="2").metadata == {"app": "chat"}


def test_json_scalars_are_text_only_where_asked(project: Project, tmp_path: Path) -> None:
    file = written(tmp_path, '{"id":"p","prompt":"True?","response_a":true,"response_b":1.50}\n')
    assert [code for *_, code in refused_pairs(project, file).places] == ["not_text", "not_text"]
    flags = ("--as-text", "response_a", "--as-text", "response_b")
    assert import_pairs(project, file, *flags)["created"] == 1
    assert texts("p") == {"A": "true", "B": "1.50"}


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--map", "prompt"), "--map prompt: write it as"),
        (("--map", "colour=x"), "is not a field of this import"),
        (("--as-text", "colour"), "no such field is read"),
    ],
)
def test_a_flag_that_cannot_be_followed_is_refused(
    project: Project, tmp_path: Path, flags: tuple[str, ...], message: str
) -> None:
    refusal = refused_pairs(project, written(tmp_path, jsonl([pair("p1")])), *flags)
    assert message in refusal.message


def test_a_flag_that_names_a_field_no_row_has_is_refused(project: Project, tmp_path: Path) -> None:
    refusal = refused_pairs(project, written(tmp_path, jsonl([pair("p1")])), "--map", "context=ctx")
    assert refusal.places == [(0, "ctx", "missing_field")]
    partial = ("--map", "context=ctx", "--partial")
    refusal = refused_pairs(project, written(tmp_path, jsonl([pair("p1")])), *partial)
    assert not Subject.objects.exists()


def test_a_missing_csv_column_is_named(project: Project, tmp_path: Path) -> None:
    file = written(tmp_path, "id,prompt,response_a\np1,Why?,x\n", "pairs.csv")
    refusal = refused_pairs(project, file, "--partial")
    assert refusal.places == [(1, "response_b", "missing_column")]
    assert not Subject.objects.exists()


def test_a_line_above_16_mb_is_refused_and_the_next_is_read(
    project: Project, tmp_path: Path
) -> None:
    long = json.dumps(pair("long", response_a="x" * (16 * 1024 * 1024)))
    file = written(tmp_path, f"{long}\n{json.dumps(pair('p2'))}\n")
    report = import_pairs(project, file, "--partial")
    assert (report["created"], report["rejected"]) == (1, 1)
    assert [(p["line"], p["code"]) for p in report["problems"]] == [(1, "line_too_long")]


def test_an_empty_file_is_no_success(project: Project, tmp_path: Path) -> None:
    assert refused_pairs(project, written(tmp_path, "")).places == [(0, "", "empty_file")]
    assert refused_pairs(project, written(tmp_path, HEADER, "p.csv")).report["problems"]


def test_subjects_of_another_kind_come_in_under_the_same_ids(
    project: Project, tmp_path: Path
) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair("1")])))
    file = written(tmp_path, jsonl([{"id": 1, "text": "An answer."}]))
    assert import_pairs(project, file, "--kind", "answer")["created"] == 1
    file = written(tmp_path, jsonl([{"id": 1, "steps": ["One.", "Two."]}]))
    assert import_pairs(project, file, "--kind", "trace")["created"] == 1
    steps = Part.objects.filter(subject__kind="trace").values_list("key", "text")
    assert list(steps) == [("0", "One."), ("1", "Two.")]


def test_many_problems_are_all_counted_and_the_first_thousand_named(
    project: Project, tmp_path: Path
) -> None:
    rows = [pair(n, prompt="ABSENT") for n in range(imports.LISTED + 50)]
    refusal = refused_pairs(project, written(tmp_path, jsonl(rows)))
    assert refusal.report["rejected"] == imports.LISTED + 50
    assert len(refusal.report["problems"]) == imports.LISTED
    assert refusal.message == f"Nothing was imported: {imports.LISTED + 50} rows are refused."


def test_a_hostile_row_reaches_the_terminal_as_printable_text(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, jsonl([pair("\x1b[2J" + "x" * 250)]))
    with pytest.raises(CommandError):
        call_command("import_pairs", str(file), "--project", project.slug)
    assert "\x1b" not in "".join(capsys.readouterr())

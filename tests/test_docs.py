"""What the documents and templates name exists, and what has to be documented is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands
from django.urls import URLPattern, URLResolver, get_resolver

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = ROOT / "docs" / "configuration.md"
SETTINGS = ROOT / "config" / "settings.py"
APPS = ("projects", "rubrics", "annotate", "judges")

# env.str("NAME", …), also over two lines.
READ = re.compile(r'\benv\.\w+\(\s*"([A-Z_]+)"')
TABLE_ROW = re.compile(r"^\| `([A-Z_]+)` \|", re.MULTILINE)
COMMAND = re.compile(r"manage\.py ([a-z_]+)")
# Only where it is set as code: prose may say "make sure".
TARGET = re.compile(r"(?:`|^|\s{4})make ([a-z]+)", re.MULTILINE)
ROUTE = re.compile(r"""["']((?:projects|rubrics|annotate|judges):[a-z_]+)["']""")


def documents() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def naming(pattern: re.Pattern[str], files: list[Path]) -> list[tuple[str, str]]:
    """Each name that the pattern finds, with the file that says it."""
    return sorted(
        {(name, str(file.relative_to(ROOT))) for file in files for name in found(pattern, file)}
    )


def found(pattern: re.Pattern[str], file: Path) -> set[str]:
    return set(pattern.findall(file.read_text(encoding="utf-8")))


def test_every_variable_that_settings_read_is_documented() -> None:
    assert found(READ, SETTINGS) == found(TABLE_ROW, CONFIGURATION)


def test_settings_are_the_only_reader_of_the_environment() -> None:
    reader = re.compile(r"os\.environ\[|os\.environ\.get\(|os\.getenv\(")
    files = [file for app in APPS for file in (ROOT / app).rglob("*.py")]
    assert naming(reader, files) == []


@pytest.mark.parametrize(("command", "file"), naming(COMMAND, documents()))
def test_every_command_that_a_document_names_exists(command: str, file: str) -> None:
    assert command in get_commands(), f"{file} names manage.py {command}"


@pytest.mark.parametrize(("target", "file"), naming(TARGET, documents()))
def test_every_make_target_that_a_document_names_exists(target: str, file: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), file


def routes(resolver: URLResolver, prefix: str = "") -> set[str]:
    names: set[str] = set()
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            inner = f"{entry.namespace}:" if entry.namespace else ""
            names |= routes(entry, prefix + inner)
        elif isinstance(entry, URLPattern) and entry.name:
            names.add(prefix + entry.name)
    return names


def code_and_templates() -> list[Path]:
    code = [file for app in APPS for file in (ROOT / app).rglob("*.py")]
    return [*code, SETTINGS, *(ROOT / "templates").rglob("*.html")]


@pytest.mark.parametrize(("route", "file"), naming(ROUTE, code_and_templates()))
def test_every_route_that_code_or_a_template_names_exists(route: str, file: str) -> None:
    assert route in routes(get_resolver()), f"{file} names {route}"


# ---- docs/design/cases.md

CASE = re.compile(r"\b([A-Z]{2}-\d{2})\b")
TEST_OF_CASE = re.compile(r"^ *def test_([a-z]{2}_\d{2})_", re.MULTILINE)
TEST = re.compile(r"^ *def (test_\w+)\(", re.MULTILINE)


def case_rows() -> dict[str, tuple[str, str]]:
    """Id of a case → the tests that hold it, and what is left or chosen, as the page has them."""
    rows: dict[str, tuple[str, str]] = {}
    for line in (ROOT / "docs" / "design" / "cases.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3:
            rows |= dict.fromkeys(CASE.findall(cells[0]), (cells[1], cells[2]))
    return rows


def found_in_tests(pattern: re.Pattern[str]) -> set[str]:
    return {
        name
        for file in (ROOT / "tests").rglob("*.py")
        for name in pattern.findall(file.read_text(encoding="utf-8"))
    }


def test_every_test_that_the_cases_name_exists() -> None:
    named = {test for held, _ in case_rows().values() for test in re.findall(r"`(\w+)`", held)}
    assert named - found_in_tests(TEST) == set()


def test_every_case_that_a_test_is_named_after_is_listed_with_a_test() -> None:
    tested = {case.upper().replace("_", "-") for case in found_in_tests(TEST_OF_CASE)}
    held = {case for case, (tests, _) in case_rows().items() if "`test_" in tests}
    assert tested - held == set()


def test_a_case_that_no_test_holds_says_why() -> None:
    bare = [case for case, (tests, why) in case_rows().items() if tests == "–" and not why]
    assert bare == []


def test_every_case_from_the_field_is_listed(shared: Path) -> None:
    cases = (shared.parent / "cases" / "cases.md").read_text(encoding="utf-8")
    known = re.findall(r"^### ([A-Z]{2}-\d{2})", cases, re.MULTILINE)
    assert set(known) == set(case_rows())

import time

import pytest

from rubrics.document import Problem, RubricError, parse
from rubrics.yaml_reader import MAX_PROBLEMS

OPEN = "task: t\n"
GATE = "gates:\n  - id: G1\n    check: c\n"


def problems(source: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(RubricError) as refused:
        parse(source)
    return refused.value.problems


def criterion(*lines: str) -> str:
    """A document whose criterion C1 starts in line 3; the given lines follow from line 5."""
    return f"{OPEN}criteria:\n  - id: C1\n    check: c\n" + "".join(f"    {x}\n" for x in lines)


# document, line, key path, words of the message
REFUSED = {
    "weight of zero": (criterion("weight: 0"), 5, "criteria.C1.weight", "greater than 0"),
    "negative weight": (criterion("weight: -1"), 5, "criteria.C1.weight", "greater than 0; not -1"),
    "infinite weight": (criterion("weight: .inf"), 5, "criteria.C1.weight", "finite number"),
    "weight not a number": (criterion("weight: .nan"), 5, "criteria.C1.weight", "finite number"),
    "weight too big": (criterion("weight: 1e999"), 5, "criteria.C1.weight", "finite number"),
    "weight in words": (criterion("weight: heavy"), 5, "criteria.C1.weight", "not “heavy”"),
    "sexagesimal weight": (criterion("weight: 1:30"), 5, "criteria.C1.weight", "not “1:30”"),
    "empty weight": (criterion("weight:"), 5, "criteria.C1.weight", "not nothing"),
    "unknown key": (criterion("chek: d"), 5, "criteria.C1", "did you mean check?"),
    "unknown key in another case": (
        criterion("Weight: 2"),
        5,
        "criteria.C1",
        "did you mean weight?",
    ),
    "strange key": (criterion("zzz: d"), 5, "criteria.C1", "known here: id, title, check"),
    "merge key": (criterion("<<: {a: b}"), 5, "criteria.C1", "unknown key “<<”"),
    "key that is a list": (criterion("? [a]", ": b"), 5, "criteria.C1", "must be a word"),
    "duplicate key": (criterion("weight: 2", "weight: 3"), 6, "criteria.C1", "first in line 5"),
    "truth value as value": (
        criterion("values: ['yes', no]"),
        5,
        "criteria.C1.values.2",
        'quote it, "no"',
    ),
    "null as value": (criterion("values: [null, x]"), 5, "criteria.C1.values.1", "quote it"),
    "octal value": (criterion("values: [010, x]"), 5, "criteria.C1.values.1", "quote it"),
    "date as value": (criterion("values: [2024-01-01, x]"), 5, "criteria.C1.values.1", "a date"),
    "one value": (criterion("values: [x]"), 5, "criteria.C1.values", "needs from 2"),
    "duplicate value": (criterion("values: [x, y, X]"), 5, "criteria.C1.values.3", "there twice"),
    "reserved value": (criterion("values: [x, NA]"), 5, "criteria.C1.values.2", "allows_na: true"),
    "empty value": (criterion("values: [x, '']"), 5, "criteria.C1.values.2", "1 to 64"),
    "values not a list": (criterion("values: x"), 5, "criteria.C1.values", "must be a list"),
    "unknown level": (criterion("level: ratio"), 5, "criteria.C1.level", "one of nominal"),
    "ordinal without values": (criterion("level: ordinal"), 3, "criteria.C1", "needs its values"),
    "interval without range": (criterion("level: interval"), 3, "criteria.C1", "needs range"),
    "range upside down": (
        criterion("level: interval", "range: [2, 1]"),
        6,
        "criteria.C1.range",
        "must be below",
    ),
    "range of one": (
        criterion("level: interval", "range: [2]"),
        6,
        "criteria.C1.range",
        "[lowest, highest]",
    ),
    "range of a nominal criterion": (
        criterion("range: [1, 2]"),
        5,
        "criteria.C1.range",
        "level: interval",
    ),
    "interval with values": (
        criterion("level: interval", "range: [1, 2]", "values: [a, b]"),
        7,
        "criteria.C1.values",
        "not values",
    ),
    "rule of a criterion": (
        criterion("rule: {max_words: 1}"),
        5,
        "criteria.C1",
        "only an automatic",
    ),
    "allows_na in words": (
        criterion("allows_na: maybe"),
        5,
        "criteria.C1.allows_na",
        "true or false",
    ),
    "long title": (criterion(f"title: {'x' * 41}"), 5, "criteria.C1.title", "over 40"),
    "foreign family": (
        criterion("family: step"),
        5,
        "criteria.C1.family",
        "no part of the subject pair",
    ),
    "empty example": (criterion("pass_example:"), 5, "criteria.C1.pass_example", "empty"),
    "truth value as example": (
        criterion("pass_example: no"),
        5,
        "criteria.C1.pass_example",
        "quote it",
    ),
    "list as help": (criterion("help: [a]"), 5, "criteria.C1.help", "not a list"),
    "anchor without verdict": (
        criterion("anchors:", "  - text: x"),
        6,
        "criteria.C1.anchors.1",
        "needs verdict",
    ),
    "anchor without text": (
        criterion("anchors:", "  - verdict: pass"),
        6,
        "criteria.C1.anchors.1",
        "needs its text",
    ),
    "anchor of unknown origin": (
        criterion("anchors:", "  - verdict: pass", "    text: x", "    origin: maybe"),
        8,
        "criteria.C1.anchors.1.origin",
        "real, invented",
    ),
    "empty lineage": (criterion("lineage: {}"), 5, "criteria.C1.lineage", "says one thing"),
    "lineage of two kinds": (
        criterion("lineage: {unchanged: C1, reworded: C1}"),
        5,
        "criteria.C1.lineage",
        "says one thing",
    ),
    "merged from one": (
        criterion("lineage: {merged_from: C1}"),
        5,
        "criteria.C1.lineage.merged_from",
        "two or more",
    ),
    "split from two": (
        criterion("lineage: {split_from: [C1, C2]}"),
        5,
        "criteria.C1.lineage.split_from",
        "names one id",
    ),
    "lineage of no id": (
        criterion("lineage: {unchanged: 7}"),
        5,
        "criteria.C1.lineage.unchanged",
        "no id of a check",
    ),
    "criterion moved to automatic": (
        criterion("lineage: {moved_to_automatic: C2}"),
        5,
        "criteria.C1.lineage.moved_to_automatic",
        "under automatic",
    ),
    "python tag": (
        criterion("help: !!python/object/apply:os.system [ls]"),
        5,
        "criteria.C1.help",
        "must be a text",
    ),
    "tagged scalar": (criterion("help: !secret x"), 5, "criteria.C1.help", "is not accepted"),
    "escaped NUL": (criterion('help: "a\\0b"'), 5, "criteria.C1.help", "control character"),
    "gate with weight": (OPEN + GATE + "    weight: 2\n", 5, "gates.G1", "a gate has no weight"),
    "gate with values": (
        OPEN + GATE + "    values: [a, b]\n",
        5,
        "gates.G1",
        "make it a criterion",
    ),
    "gate about the pair": (
        OPEN + GATE + "    family: subject\n",
        5,
        "gates.G1.family",
        "on each side",
    ),
    "missing check text": (OPEN + "gates:\n  - id: G1\n", 3, "gates.G1", "check text is missing"),
    "empty check text": (
        OPEN + "gates:\n  - id: G1\n    check: '  '\n",
        4,
        "gates.G1.check",
        "check text is missing",
    ),
    "missing id": (OPEN + "gates:\n  - check: c\n", 3, "gates.1", "id is missing"),
    "number as id": (OPEN + "gates:\n  - id: 1\n    check: c\n", 3, "gates.1.id", "is no id"),
    "truth value as id": (
        OPEN + "gates:\n  - id: NO\n    check: c\n",
        3,
        "gates.NO.id",
        "quote it",
    ),
    "long id": (
        OPEN + f"gates:\n  - id: {'x' * 33}\n    check: c\n",
        3,
        "gates.1.id",
        "up to 32",
    ),
    "reserved id": (
        OPEN + "gates:\n  - id: Outcome\n    check: c\n",
        3,
        "gates.Outcome.id",
        "reserved",
    ),
    "duplicate id": (
        OPEN + GATE + "criteria:\n  - id: g1\n    check: c\n",
        6,
        "criteria.g1",
        "already used in line 3 (as G1)",
    ),
    "duplicate id of an automatic check": (
        OPEN + GATE + "automatic:\n  - id: G1\n    check: c\n    rule: {max_words: 1}\n",
        6,
        "automatic.G1",
        "already used",
    ),
    "check that is a text": (OPEN + "gates:\n  - be good\n", 3, "gates.1", "a mapping with id"),
    "gates not a list": (OPEN + "gates: be good\n", 2, "gates", "must be a list"),
    "automatic without rule": (
        OPEN + GATE + "automatic:\n  - id: A1\n    check: c\n",
        6,
        "automatic.A1",
        "needs a rule",
    ),
    "automatic with unknown rule": (
        OPEN + GATE + "automatic:\n  - id: A1\n    check: c\n    rule: {max_word: 3}\n",
        8,
        "automatic.A1.rule",
        "did you mean max_words?",
    ),
    "automatic with a rule that cannot hold": (
        OPEN
        + GATE
        + "automatic:\n  - id: A1\n    check: c\n    rule: {max_words: 3, min_words: 4}\n",
        8,
        "automatic.A1.rule",
        "nothing could pass",
    ),
    "automatic with a weight": (
        OPEN
        + GATE
        + "automatic:\n  - id: A1\n    check: c\n    rule: {max_words: 3}\n    weight: 1\n",
        9,
        "automatic.A1",
        "no weight",
    ),
    "six points": (OPEN + "preference:\n  scale: 6\n", 3, "preference.scale", "unknown scale “6”"),
    "true scale": (OPEN + "preference:\n  scale: on\n", 3, "preference.scale", "quote it"),
    "scale without tie": (
        OPEN + "preference:\n  scale: [A, same, B]\n",
        3,
        "preference.scale",
        "unknown scale",
    ),
    "scale from B to A": (
        OPEN + "preference:\n  scale: [B, tie, A]\n",
        3,
        "preference.scale",
        "unknown scale",
    ),
    "scale that does not mirror": (
        OPEN + "preference:\n  scale: [A_much, A_slight, tie, B_much, B_slight]\n",
        3,
        "preference.scale",
        "unknown scale",
    ),
    "scale with a name twice": (
        OPEN + "preference:\n  scale: [A, A, tie, B, B]\n",
        3,
        "preference.scale",
        "unknown scale",
    ),
    "scale of four": (
        OPEN + "preference:\n  scale: [A, A_b, tie, B]\n",
        3,
        "preference.scale",
        "unknown",
    ),
    "preference without scale": (OPEN + "preference: {}\n", 2, "preference", "needs a scale"),
    "preference as text": (OPEN + "preference: yes please\n", 2, "preference", "a mapping"),
    "preference of an answer": (
        OPEN + "subject: answer\npreference: {scale: 3}\n",
        3,
        "preference",
        "has no sides",
    ),
    "unknown subject": (OPEN + "subject: song\n" + GATE, 2, "subject", "one of pair"),
    "version zero": (
        OPEN + "rubric_version: 0\n" + GATE,
        2,
        "rubric_version",
        "whole number from 1",
    ),
    "version and a half": (
        OPEN + "rubric_version: 1.5\n" + GATE,
        2,
        "rubric_version",
        "whole number",
    ),
    "version in words": (OPEN + "rubric_version: 'four'\n" + GATE, 2, "rubric_version", "“four”"),
    "unknown key on top": (OPEN + "criterion: []\n" + GATE, 2, "", "did you mean criteria?"),
    "missing task": (GATE, 1, "", "task is missing"),
    "task in words": ("task: two words\n" + GATE, 1, "task", "no short name"),
    "long task": (f"task: {'x' * 51}\n" + GATE, 1, "task", "up to 50"),
    "long name": (OPEN + f"name: {'x' * 121}\n" + GATE, 2, "name", "over 120"),
    "nothing to ask": (OPEN, 1, "", "an empty rubric"),
    "empty sections": (OPEN + "gates: []\ncriteria:\n", 1, "", "an empty rubric"),
    "automatic checks alone": (
        OPEN + "automatic:\n  - {id: A1, check: c, rule: {max_words: 1}}\n",
        1,
        "",
        "an empty rubric",
    ),
    "empty document": ("", 1, "", "an empty rubric"),
    "only a comment": ("# nothing yet\n", 1, "", "an empty rubric"),
    "list on top": ("- a\n- b\n", 1, "", "must be a mapping"),
    "text on top": ("a rubric\n", 1, "", "must be a mapping"),
    "two documents": (OPEN + GATE + "---\ntask: u\n", 5, "check", "malformed YAML"),
    "tab for indentation": ("task: t\ngates:\n\t- id: G1\n", 3, "gates", "malformed YAML"),
    "open bracket": ("task: t\ngates: [\n", 3, "gates", "malformed YAML"),
    "colon in a bare text": ("task: t\nname: a: b\n", 2, "name", "malformed YAML"),
    "open quote": ("task: t\nname: 'a\ngates:\n  - id: G1\n", 2, "name", "malformed YAML"),
    "NUL": ("task: t\nname: a\0b\n", 2, "", "control character U+0000"),
    "half a surrogate pair": ("task: t\nname: a\ud800b\n", 2, "", "U+D800"),
    "alias": ("task: t\nname: &n x\ngates: *n\n", 3, "", "alias *n"),
    "deep nesting": ("task: t\nname: " + "[" * 50, 2, "", "nested over 12 levels"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_with_its_line_and_key(case: str) -> None:
    source, line, where, words = REFUSED[case]
    found = problems(source)
    assert [(p.line, p.where) for p in found] == [(line, where)], [str(p) for p in found]
    assert words in found[0].message


def test_malformed_yaml_names_the_column() -> None:
    (problem,) = problems("task: t\nname: a: b\n")
    assert problem.column == 8
    assert str(problem).startswith("line 2, column 8, name: malformed YAML: ")


def test_all_problems_are_reported_at_once_in_line_order() -> None:
    source = (
        "subject: song\n"
        "gates:\n"
        "  - id: G1\n"
        "    weight: 1\n"
        "criteria:\n"
        "  - id: G1\n"
        "    check: c\n"
        "    weight: 0\n"
        "    values: [yes]\n"
        "preference: {scale: 4, colour: red}\n"
    )
    assert [(p.line, p.where) for p in problems(source)] == [
        (1, "subject"),
        (1, ""),
        (3, "gates.G1"),
        (4, "gates.G1"),
        (6, "criteria.G1"),
        (8, "criteria.G1.weight"),
        (9, "criteria.G1.values"),
        (9, "criteria.G1.values.1"),
        (10, "preference"),
        (10, "preference.scale"),
    ]


def test_ids_repeated_within_one_line_are_found() -> None:
    (problem,) = problems("task: t\ngates: [{id: G1, check: c}, {id: G1, check: d}]")
    assert "already used" in problem.message


def test_the_error_reads_as_a_list_of_places() -> None:
    with pytest.raises(
        RubricError, match=r"^line 5, criteria\.C1\.weight: weight must be"
    ) as error:
        parse(criterion("weight: -2", "chek: x"))
    assert str(error.value).count("\n") == 1


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    (problem,) = problems(b"task: t\nname: \xff\n")
    assert (problem.line, problem.message) == (2, "not valid UTF-8 text")
    assert problems(b"\xff\xfet")[0].message == "not valid UTF-16 text"


def test_a_document_over_a_megabyte_is_refused() -> None:
    (problem,) = problems(OPEN + "name: " + "é" * (600 * 1024))
    assert "over 1 MB" in problem.message


def test_a_billion_laughs_cost_nothing() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    assert all("alias" in problem.message for problem in problems("\n".join(lines)))


@pytest.mark.parametrize(
    "source",
    ["[" * 1_000_000, "? " * 500_000, "- " * 500_000, "{a: " * 250_000, "a: {" * 250_000],
    ids=["brackets", "questions", "dashes", "braces", "nested keys"],
)
def test_deep_nesting_is_refused_quickly(source: str) -> None:
    start = time.process_time()
    assert problems(source)
    assert time.process_time() - start < 5


def test_very_many_problems_are_cut_short() -> None:
    found = problems(OPEN + GATE + "".join(f"key{n}: x\n" for n in range(3 * MAX_PROBLEMS)))
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1].message == f"and {2 * MAX_PROBLEMS} more problems from here"


def test_a_gate_of_a_trace_may_be_about_the_whole_of_it() -> None:
    rubric = parse("task: t\nsubject: trace\n" + GATE + "    family: subject\n").rubric
    assert rubric.gates[0].family == "subject"

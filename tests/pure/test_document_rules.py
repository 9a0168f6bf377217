"""The rules of automatic checks in a document: what is read, and what is refused at its line."""

from __future__ import annotations

import pytest

from rubrics.document import RubricError, canonical, digest, dump, from_canonical, parse

HEAD = """task: t
criteria: [{id: C1, weight: 1, check: c}]
automatic:
  - id: A1
    check: c
    rule:
"""


def rule_of(lines: str) -> dict[str, object]:
    (check,) = parse(HEAD + lines).rubric.of_kind("automatic")
    return dict(check.rule)


def test_every_kind_of_rule_is_read() -> None:
    read = rule_of(
        "      max_sentences: 3\n"
        "      must_match: ['^\\d+$', a]\n"
        "      must_not_match: b\n"
        "      headings: Summary\n"
        "      language: en\n"
        "      json: true\n"
        "      json_schema: {type: object, required: [a], maxProperties: 3}\n"
        "      max_prompt_overlap: 0.25\n"
    )
    assert read == {
        "max_sentences": 3,
        "must_match": (r"^\d+$", "a"),
        "must_not_match": ("b",),
        "headings": ("Summary",),
        "language": ("en",),
        "json": True,
        "json_schema": '{"maxProperties":3,"required":["a"],"type":"object"}',
        "max_prompt_overlap": 0.25,
    }


def test_a_schema_is_the_same_as_yaml_and_as_json_text() -> None:
    as_yaml = rule_of("      json_schema: {type: object, properties: {a: {const: null}}}\n")
    as_text = rule_of(
        "      json_schema: |\n"
        '        {"type": "object",\n'
        '         "properties": {"a": {"const": null}}}\n'
    )
    assert as_yaml == as_text


def test_a_check_decides_only_where_it_says_so() -> None:
    plain = parse(HEAD + "      max_words: 3\n").rubric
    gate = parse(HEAD + "      max_words: 3\n    decides: true\n").rubric
    assert [check.decides for check in plain.criteria] == [False, False]
    assert [check.decides for check in gate.criteria] == [False, True]
    assert digest(plain) != digest(gate)
    assert parse(dump(gate)).rubric == gate
    assert from_canonical(canonical(gate)) == gate


def test_old_documents_keep_their_hashes() -> None:
    """As it was before there were more rules, and before a check could decide."""
    old = parse(HEAD + "      max_words: 150\n      must_not_contain: ['[NAME]']\n").rubric
    assert digest(old) == OLD_DIGEST


OLD_DIGEST = "1:45efc5a5faf10b4cb934b52e3be6f8ddc30746a397fdef410a274777b9add824"

REFUSED = {
    "a pattern that looks ahead": (
        "      must_match: ['a', '(?=b)']\n",
        7,
        "looks ahead or behind",
    ),
    "a pattern in a list": (
        "      must_match:\n        - a\n        - (a)\\1\n",
        9,
        "refers back to a group",
    ),
    "no pattern at all": ("      must_not_match: '('\n", 7, "no regular expression"),
    "an empty pattern": ("      must_match: ['']\n", 7, "an empty text says nothing"),
    "a language nobody knows": ("      language: english\n", 7, "no language that code can tell"),
    "a bare no": ("      language: no\n", 7, 'quote it, "no"'),
    "json that is false": ("      json: false\n", 7, "leave it out"),
    "a share of one": ("      max_prompt_overlap: 1\n", 7, "from 0 to below 1"),
    "a share that is no number": ("      max_prompt_overlap: half\n", 7, "must be a finite number"),
    "a schema that fetches": (
        "      json_schema: {$ref: 'https://example.com/s.json'}\n",
        7,
        "nothing is fetched",
    ),
    "a schema that is no object": ("      json_schema: [1]\n", 7, "must be an object"),
    "a schema text that is no JSON": ("      json_schema: '{'\n", 7, "is no JSON"),
    "a schema with a bare no": ("      json_schema: {enum: [no]}\n", 7, 'quote it, "no"'),
    "sentences that cannot be": (
        "      min_sentences: 4\n      max_sentences: 3\n",
        6,
        "nothing could pass",
    ),
    "too many patterns": (f"      must_match: [{'a, ' * 51}]\n", 7, "over 50"),
    "a gate that is no truth value": (
        "      max_words: 3\n    decides: maybe\n",
        8,
        "true or false",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_no_rule_can_be_is_refused_at_its_line(case: str) -> None:
    lines, line, words = REFUSED[case]
    with pytest.raises(RubricError) as refused:
        parse(HEAD + lines)
    (problem,) = refused.value.problems
    assert problem.line == line, problem
    assert problem.where.startswith("automatic.A1")
    assert words in problem.message


def test_only_an_automatic_check_decides() -> None:
    with pytest.raises(RubricError, match="only an automatic check decides by its rule"):
        parse("task: t\ncriteria: [{id: C1, check: c, decides: true}]\n")

"""What code decides about a text, rule by rule, and that no text and no rule keeps it busy."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from rubrics import check_json, check_patterns, check_schema, check_texts
from rubrics.check_language import LANGUAGES, language_of
from rubrics.check_rules import RULES, rule_of
from rubrics.check_work import MAX_WORK, Work
from rubrics.checks import MAX_DETAIL, Verdict, decide

ENGLISH = "We have approved your claim for hail damage in full, and the payment leaves today."
FRENCH = "Nous avons accepté votre demande pour les dégâts de grêle, et le paiement part demain."
GERMAN = "Wir haben Ihren Antrag wegen des Hagelschadens ganz angenommen und zahlen noch heute."


def said(text: str, *, prompt: str = "", **rule: Any) -> Verdict:
    return decide(rule_of(rule), text, prompt=prompt)


def passes(text: str, *, prompt: str = "", **rule: Any) -> bool:
    return said(text, prompt=prompt, **rule).code == "pass"


# ---- Counting


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("  \n ", 0),
        ("one", 1),
        ("one two\nthree\tfour", 4),
        # Marks of Markdown are no words.
        ("- one\n- two\n\n## Three —", 3),
        ("don't stop, e.g. here", 4),
        ("3.5 %", 1),
        ("日本語のテキスト", 1),
    ],
)
def test_a_word_is_a_run_with_a_letter_or_a_digit(text: str, words: int) -> None:
    assert check_texts.words(text) == words


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", 0),
        ("No stop at the end", 1),
        ("One. Two! Three?", 3),
        ("It cost 3.50 in all.", 1),
        ('He said "Stop." Then he left.', 2),
        ("Wait... what?! Yes.", 3),
        # The honest limit: an abbreviation ends one.
        ("Dr. Smith came.", 2),
        ("# A heading\nA line that\nis broken. And another.", 3),
        ("A title\n---\nA line", 2),
        ("1. First\n2. Second\n- Third", 3),
        ("これは文です。これもそうです。", 2),
        ("...\n\n---", 0),
    ],
)
def test_a_sentence_ends_at_a_full_stop_or_with_its_block(text: str, sentences: int) -> None:
    assert check_texts.sentences(text) == sentences


@pytest.mark.parametrize("unit", ["words", "characters", "sentences"])
def test_limits_hold_at_both_ends_and_say_what_was_counted(unit: str) -> None:
    text = {"words": "a b c", "characters": "abc", "sentences": "A. B. C."}[unit]

    def limited(end: str, limit: int) -> Verdict:
        return decide(((f"{end}_{unit}", limit),), text)

    assert limited("max", 3) == Verdict("pass", f"3 {unit}, at most 3")
    assert limited("max", 2) == Verdict("fail", f"3 {unit}, at most 2")
    assert limited("min", 3) == Verdict("pass", f"3 {unit}, at least 3")
    assert limited("min", 4) == Verdict("fail", f"3 {unit}, at least 4")


def test_two_limits_on_one_count_are_one_sentence() -> None:
    def of(count: int) -> str:
        return said("word " * count, min_words=2, max_words=3).detail

    assert of(2) == "2 words, at least 2 and at most 3"
    assert of(1) == "1 word, at least 2"
    assert of(4) == "4 words, at most 3"


def test_the_words_of_a_failure_are_those_of_the_page() -> None:
    assert said("word " * 212, max_words=150) == Verdict("fail", "212 words, at most 150")
    assert said("One", max_words=1, min_sentences=2).detail == "1 sentence, at least 2"


def test_all_of_a_rule_must_hold_and_every_part_that_fails_is_told() -> None:
    found = said("a b c", max_words=2, must_contain=["x"], min_characters=1)
    assert found == Verdict("fail", "3 words, at most 2; does not contain “x”")


# ---- Texts and patterns


def test_must_contain_asks_for_each_and_must_not_contain_for_none() -> None:
    assert passes("Dear Ann, [NAME]", must_contain=["Dear", "Ann"])
    assert said("Dear", must_contain=["Dear", "Ann"]).detail == "does not contain “Ann”"
    assert passes("Dear Ann", must_not_contain=["[NAME]", "[DATE]"])
    assert said("On [DATE]", must_not_contain=["[NAME]", "[DATE]"]).detail == "contains “[DATE]”"


def test_patterns_are_searched_anywhere() -> None:
    assert passes("Claim 4711.", must_match=[r"\d{4}"])
    assert passes("x\nNote: y", must_match=[r"(?m)^Note:"])
    assert said("Claim.", must_match=[r"\d{4}"]) == Verdict("fail", r"nothing matches “\d{4}”")
    assert said("Mail a@b.c", must_not_match=["[a-z]+@"]).detail == "something matches “[a-z]+@”"
    assert passes("É", must_match=["(?i)é"])


def test_a_text_with_half_a_character_is_searched_and_told_all_the_same() -> None:
    assert passes("a \ud800 b", must_match=["b"])
    assert said("\ud800", must_contain=["\ud800x"]).code == "fail"
    said("\ud800", must_contain=["\ud800x"]).detail.encode()


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*x", r"(\w+\s?)+:"])
def test_a_catastrophic_pattern_is_linear(pattern: str) -> None:
    text = "a" * 50_000 + "!"
    started = time.monotonic()
    assert not check_patterns.found(pattern, text, Work())
    # Python's own engine would not end in a lifetime; a hundred-fold of what RE2 takes.
    assert time.monotonic() - started < 5


def test_a_pattern_that_would_take_seconds_is_undecided_and_no_failure() -> None:
    dice = random.Random(4)
    text = "".join(dice.choice("ab") for _ in range(100_000))
    slow = "[ab]{0,900}" * 5 + "c"
    assert check_patterns.refusal(slow) == ""
    for name in ("must_match", "must_not_match"):
        found = decide(rule_of({name: [slow]}), text)
        assert found.code == "undecided"
        assert "too much work" in found.detail
    assert said(text[:30_000], must_match=[slow]).code == "fail"


def test_the_patterns_of_a_check_share_what_it_may_cost() -> None:
    text = "a" * 100_000
    one = "b{500}"
    fit = MAX_WORK // (check_patterns._compiled(one).program * len(text))
    assert 1 < fit < 100
    rule = [one.replace("b", letter) for letter in "bcdefghijklmnopqrstuvwxyz"][: fit + 1]
    half = len(rule) // 2
    assert said(text, must_not_match=rule[:-1]).code == "pass"
    assert said(text, must_not_match=rule).code == "undecided"
    wide: dict[str, Any] = {"must_not_match": rule[:half], "json_schema": {"pattern": rule[half]}}
    assert said(json.dumps(text), **wide).code == "fail"


def test_a_rule_with_a_part_that_fails_fails_whatever_else_is_undecided() -> None:
    slow = "[ab]{0,900}" * 5 + "c"
    found = said("ab" * 50_000, must_match=[slow], max_characters=9)
    assert found == Verdict("fail", "100,000 characters, at most 9")


def test_forty_ordinary_patterns_are_decided_on_the_longest_text() -> None:
    patterns = [rf"(?i)\b(?:word|phrase){n}\b" for n in range(40)]
    assert passes("a sentence of words. " * 5_000, must_not_match=patterns)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(?=a)", "must_not_match"),
        ("(?!a)b", "must_not_match"),
        ("(?<=a)b", "looks ahead or behind"),
        ("(?<!a)b", "looks ahead or behind"),
        (r"(a)\1", "refers back"),
        ("(?P<n>a)(?P=n)", "refers back"),
        ("a{2000}", "1,000 times"),
        ("((a{100}){100}){100}", "1,000 times"),
        ("(", "no regular expression"),
        (r"\pL{1000}", "too many ways"),
        ("x" * 1001, "up to 1,000 characters"),
        ("\ud800", "surrogate"),
    ],
)
def test_what_re2_does_not_take_is_refused_with_words_that_help(pattern: str, words: str) -> None:
    assert words in check_patterns.refusal(pattern)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=30))
def test_any_text_is_a_pattern_that_works_or_is_refused(pattern: str) -> None:
    if not check_patterns.refusal(pattern):
        check_patterns.found(pattern, "some text", Work())


# ---- Headings


DOCUMENT = """# Summary #

Text

Next steps
----------

```
# In code
```

### **Cost:**
"""


def test_headings_are_found_whatever_their_case_marks_and_level() -> None:
    assert passes(DOCUMENT, headings=["summary", "Next  Steps", "Cost"])
    assert said(DOCUMENT, headings=["In code"]).detail == "has no heading “In code”"


def test_a_heading_with_marks_asks_for_its_level() -> None:
    assert passes(DOCUMENT, headings=["# Summary", "## Next steps", "### Cost"])
    assert not passes(DOCUMENT, headings=["## Summary"])


# ---- JSON


@pytest.mark.parametrize("text", ["{}", " [1, 2]\n", '"x"', "0", "null", '{"a": {"b": [true]}}'])
def test_json_is_one_value_and_nothing_else(text: str) -> None:
    assert passes(text, json=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expecting value"),
        ("```json\n{}\n```", "Markdown fence"),
        ("{} {}", "extra data"),
        ("{'a': 1}", "double quotes"),
        ("NaN", "NaN"),
        ("[Infinity]", "Infinity"),
        ('{"a": 1, "a": 2}', "twice"),
        ("1e999", "out of range"),
        ("9" * 5000, "300 digits"),
        ("[" * 65 + "]" * 65, "64 levels"),
        ("[" * 100_000, "64 levels"),
        ('{"a":' * 50_000, "64 levels"),
    ],
)
def test_what_two_programs_would_read_differently_is_no_json(text: str, words: str) -> None:
    found = said(text, json=True)
    assert (found.code, words in found.detail) == ("fail", True), found


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(json_values)
def test_whatever_python_writes_as_json_is_json(value: Any) -> None:
    assert check_json.value_of(json.dumps(value)) == value


# ---- JSON Schema

TICKET = {
    "type": "object",
    "required": ["queue"],
    "additionalProperties": False,
    "properties": {"queue": {"type": "string", "pattern": "^[a-z]+$"}},
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"queue": "billing"}', ""),
        ("{}", "'queue' is a required property"),
        ('{"queue": 3}', "queue: 3 is not of type 'string'"),
        ('{"queue": "A1"}', "queue: does not match ^[a-z]+$"),
        ('{"queue": "a", "x": 1}', "the property x is one too many"),
        ("queue", "no JSON"),
    ],
)
def test_a_schema_is_kept_or_the_first_fault_is_told(text: str, words: str) -> None:
    found = said(text, json_schema=TICKET)
    assert found.code == ("fail" if words else "pass")
    assert words in found.detail


def test_one_and_one_point_nought_are_the_same_item() -> None:
    assert not passes("[1, 1.0]", json_schema={"uniqueItems": True})
    assert passes("[1, true, null, [1], [2]]", json_schema={"uniqueItems": True})


def test_patterns_of_properties_are_re2s_as_well() -> None:
    schema = {"patternProperties": {"^n_": {"type": "number"}}, "additionalProperties": False}
    assert passes('{"n_a": 1}', json_schema=schema)
    assert not passes('{"n_a": "x"}', json_schema=schema)
    assert not passes('{"m": 1}', json_schema=schema)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ([], "must be an object"),
        ({"type": "objekt"}, "is no JSON Schema"),
        ({"$schema": "https://example.com/mine"}, "another $schema"),
        ({"properties": {"a": {"$ref": "https://example.com/a.json"}}}, "nothing is fetched"),
        ({"$ref": "file:///etc/passwd"}, "nothing is fetched"),
        ({"$ref": "#/$defs/none"}, "which is not there"),
        ({"$ref": "#"}, "itself without end"),
        ({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}, "itself without end"),
        ({"properties": {"a": {"pattern": "(?=x)"}}}, "looks ahead"),
        ({"patternProperties": {r"(a)\1": {}}}, "refers back"),
        ({"unevaluatedProperties": False}, "use additionalProperties"),
        ({"items": {"$id": "https://example.com/x"}}, "only the whole schema"),
        ({"const": "x" * 50_000}, "50,000 characters"),
    ],
)
def test_a_schema_that_fetches_loops_or_hangs_is_refused(schema: Any, words: str) -> None:
    assert words in check_schema.refusal(check_schema.schema_text(schema))


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"pattern": {"type": "string"}, "$ref": {"type": "string"}}},
        {"enum": [{"pattern": "(?=x)", "$ref": "https://example.com"}]},
        {"$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"},
        {"$id": "https://example.com/whole", "type": "object"},
    ],
)
def test_what_only_looks_like_it_is_taken(schema: Any) -> None:
    assert check_schema.refusal(check_schema.schema_text(schema)) == ""


def test_a_schema_that_doubles_at_every_level_ends_by_its_steps() -> None:
    defs: dict[str, Any] = {
        f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)
    }
    schema = {"$ref": "#/$defs/a0", "$defs": {**defs, "a40": {}}}
    assert said("1", json_schema=schema) == Verdict(
        "undecided", "takes too long to compare with the schema"
    )


def test_many_patterns_under_many_names_end_by_their_steps() -> None:
    schema: dict[str, Any] = {
        "patternProperties": {f"^p{n}$": {} for n in range(2_500)},
        "additionalProperties": True,
    }
    text = json.dumps({f"k{n}": 1 for n in range(10_000)})
    assert check_schema.refusal(check_schema.schema_text(schema)) == ""
    started = time.monotonic()
    assert said(text, json_schema=schema).code == "undecided"
    # Patterns compiled anew for every name took minutes.
    assert time.monotonic() - started < 20
    assert passes(json.dumps({f"k{n}": 1 for n in range(30)}), json_schema=schema)


def test_many_items_compared_again_and_again_end_by_what_was_looked_at() -> None:
    schema = {"allOf": [{"uniqueItems": True}] * 1_500}
    assert said(json.dumps(list(range(17_000))), json_schema=schema).code == "undecided"
    assert passes(json.dumps(list(range(17_000))), json_schema={"uniqueItems": True})


def test_a_schema_whose_patterns_are_large_together_is_refused() -> None:
    patterns: dict[str, Any] = {f"^{n}x{{900}}y{{900}}z{{900}}": {} for n in range(50)}
    found = check_schema.refusal(check_schema.schema_text({"patternProperties": patterns}))
    assert "with the others matches in too many ways" in found


def test_a_pattern_on_a_long_member_is_paid_for() -> None:
    schema = {"items": {"pattern": "[ab]{0,900}" * 5 + "c"}}
    assert said(json.dumps(["ab" * 500]), json_schema=schema).code == "fail"
    found = said(json.dumps(["ab" * 50_000]), json_schema=schema)
    assert found.code == "undecided"


def test_patterns_that_only_re2_knows_are_taken() -> None:
    schema = {"properties": {"a": {"pattern": r"^\pL+$"}}, "patternProperties": {r"^\pN": {}}}
    assert check_schema.refusal(check_schema.schema_text(schema)) == ""
    assert passes('{"a": "Grüße"}', json_schema=schema)
    assert not passes('{"a": "1"}', json_schema=schema)


def test_many_unlike_items_are_compared_once_each() -> None:
    text = json.dumps([[n, str(n)] for n in range(5_000)])
    assert passes(text, json_schema={"uniqueItems": True})


@settings(deadline=None)
@given(json_values, json_values)
def test_a_constant_fits_itself_alone(one: Any, other: Any) -> None:
    text = check_schema.schema_text({"const": one})
    assert check_schema.problem(json.dumps(one), text, Work()) == ""
    assert bool(check_schema.problem(json.dumps(other), text, Work())) == (
        json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)
    )


# ---- Language


def test_a_text_in_another_language_fails_by_its_name() -> None:
    assert passes(ENGLISH, language="en")
    assert said(FRENCH, language=["en"]).detail == "written in French, not English"
    assert said(GERMAN, language=["en", "fr"]).detail == "written in German, not English or French"


@pytest.mark.parametrize(
    "text", ["", "Ok.", "4711 / 0815", "Bonjour", "x = [i for i in y]", "😀" * 100, "a" * 100_000]
)
def test_what_cannot_be_told_is_not_held_against_a_text(text: str) -> None:
    found = said(text, language="en")
    assert found == Verdict("pass", "language not certain, so not held against it")


def test_code_and_addresses_are_in_no_language() -> None:
    code = "```\nfor each in reihe: drucke(jedes, ende=zeichen, breite=vierzig)\n```\n"
    assert language_of(code + ENGLISH) == "en"


def test_every_language_that_is_offered_is_one_the_model_knows() -> None:
    known = LanguageIdentifier.from_model_file(MODEL_FILE).labels
    assert set(LANGUAGES) <= set(known)


# ---- Repetition of the prompt


def test_the_share_of_repeated_passages_is_counted_in_runs_of_five_words() -> None:
    prompt = "The roof was torn open by hail in the night."
    # Six runs of five words; the first two stand in the prompt.
    text = "the roof was torn OPEN, by us and many others."
    found = said(text, prompt=prompt, max_prompt_overlap=0.3)
    assert found == Verdict("fail", "33% of its passages stand in the prompt, at most 30%")
    assert passes(text, prompt=prompt, max_prompt_overlap=0.34)


def test_too_short_a_text_repeats_nothing() -> None:
    assert passes("The roof was torn", prompt="The roof was torn", max_prompt_overlap=0)
    assert passes("a b c d e f", prompt="", max_prompt_overlap=0)


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_share_is_a_share(text: str, prompt: str) -> None:
    shared, runs = check_texts.overlap(text, prompt)
    assert 0 <= shared <= runs
    assert check_texts.overlap(text, text)[0] == runs


# ---- Whatever comes

EXTREME = [
    "a" * 100_000,
    "." * 100_000,
    "`" * 100_000,
    "#" * 100_000,
    '"' * 100_000,
    "[" * 100_000,
    "-\n" * 50_000,
    "。" * 100_000,
    " " * 100_000,
    "\ud800" * 1_000,
    "\0\x1b\u202e",
]
EVERY_RULE: dict[str, Any] = {
    "min_words": 1,
    "max_words": 9,
    "min_characters": 1,
    "max_characters": 9,
    "min_sentences": 1,
    "max_sentences": 9,
    "must_contain": ["x"],
    "must_not_contain": ["y"],
    "must_match": ["(a+)+$"],
    "must_not_match": [r"\s+$"],
    "headings": ["x"],
    "language": ["en"],
    "json": True,
    "json_schema": {"type": "object"},
    "max_prompt_overlap": 0.5,
}


def test_every_rule_is_tried() -> None:
    assert set(EVERY_RULE) == set(RULES)


@pytest.mark.parametrize("text", EXTREME, ids=lambda text: f"{text[:2]!a} {len(text)}")
def test_every_rule_comes_to_a_verdict_on_extreme_texts(text: str) -> None:
    started = time.monotonic()
    found = said(text, prompt=text, **EVERY_RULE)
    assert found.code == "fail"
    assert len(found.detail) <= MAX_DETAIL
    found.detail.encode()
    # Far above what it takes, far below what anything worse than linear would.
    assert time.monotonic() - started < 30


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=200), st.text(max_size=100), st.sampled_from(sorted(EVERY_RULE)))
def test_any_text_comes_to_the_same_verdict_twice_in_one_short_line(
    text: str, prompt: str, name: str
) -> None:
    rule = rule_of({name: EVERY_RULE[name]})
    found = decide(rule, text, prompt=prompt)
    assert found == decide(rule, text, prompt=prompt)
    assert found.code in ("pass", "fail")
    assert len(found.detail) <= MAX_DETAIL
    assert found.detail.isprintable() or "\ufffd" in found.detail


def test_a_rule_nobody_knows_is_an_error() -> None:
    with pytest.raises(ValueError, match="no rule"):
        decide((("max_lines", 3),), "x")

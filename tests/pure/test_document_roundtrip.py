"""Property-based: whatever a rubric holds, it survives YAML and the canonical form."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rubrics.check_language import LANGUAGES
from rubrics.check_rules import rule_of
from rubrics.check_schema import schema_text
from rubrics.content import (
    LEVELS,
    ORIGINS,
    PART_FAMILY,
    PREFERENCE_TEXT,
    SUBJECTS,
    VERDICTS,
    Descent,
    SubjectKind,
)
from rubrics.document import (
    GATE_VALUES,
    PREFERENCE,
    SCALES,
    YES_NO,
    Anchor,
    Criterion,
    Lineage,
    Problem,
    Rubric,
    RubricError,
    RuleValue,
    canonical,
    compare,
    digest,
    dump,
    from_canonical,
    parse,
    semantic_digest,
)
from rubrics.yaml_check import RESERVED_IDS

# Words that YAML 1.1 reads as something else, and marks that mean something to it.
TRAPS = ["no", "Yes", "on", "null", "~", "010", "1:30", "1e3", ".inf", "2024-01-01", "<<", "="]
MARKS = ["# a", "a: b", "- a", "*a", "&a", "!a", "%a", "@a", "`a", "'", '"', "|", ">", "[a", "{a}"]

characters = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from(
    "\n\t  :#-'\"\x85\u2028"
)
words = st.lists(st.text("abc ,.", max_size=12), max_size=30).map(" ".join)
raw_texts = st.text(characters, max_size=60) | words | st.sampled_from(TRAPS + MARKS)
# The reader strips the ends of every text.
texts = raw_texts.map(str.strip)
full_texts = texts.filter(bool)
ids = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,31}", fullmatch=True).filter(
    lambda key: key.lower() not in (*RESERVED_IDS, "no", "yes", "on", "off", "y", "n")
)
numbers = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
values = (
    st.lists(
        st.text(characters, min_size=1, max_size=12).map(str.strip) | st.sampled_from(TRAPS),
        min_size=2,
        max_size=5,
        unique_by=str.casefold,
    )
    .filter(lambda codes: all(code and code.casefold() not in ("na", "n/a") for code in codes))
    .map(tuple)
)
anchors = st.lists(
    st.builds(
        Anchor,
        st.sampled_from(VERDICTS),
        full_texts,
        st.sampled_from(ORIGINS),
        texts,
    ),
    max_size=3,
).map(tuple)
single: st.SearchStrategy[Descent] = st.sampled_from(["unchanged", "reworded", "split_from"])
lineages = (
    st.none()
    | st.builds(Lineage, single, st.tuples(ids))
    | st.builds(Lineage, st.just("merged_from"), st.tuples(ids, ids, ids))
)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
schemas = json_values.map(lambda value: {"const": value}).map(schema_text)
texts_of_a_rule = st.lists(full_texts, min_size=1, max_size=3).map(tuple)
patterns = st.lists(
    st.sampled_from([r"^\d+$", "(a+)+$", r"\bno\b", "[^a]", "(?i)é", "'", '"', ": #"]),
    min_size=1,
    max_size=3,
).map(tuple)
languages = st.lists(st.sampled_from(sorted(LANGUAGES)), min_size=1, max_size=3).map(tuple)
rules: st.SearchStrategy[tuple[tuple[str, RuleValue], ...]] = (
    st.fixed_dictionaries(
        {},
        optional={
            "max_words": st.integers(1, 10_000_000),
            "min_characters": st.integers(1, 10_000_000),
            "max_sentences": st.integers(1, 10_000_000),
            "must_contain": texts_of_a_rule,
            "headings": texts_of_a_rule,
            "must_match": patterns,
            "must_not_match": patterns,
            "language": languages,
            "json": st.just(True),
            "json_schema": schemas,
            "max_prompt_overlap": st.floats(0, 1, exclude_max=True),
        },
    )
    .filter(bool)
    .map(rule_of)
)


def common(draw: st.DrawFn, key: str, subject: SubjectKind) -> Criterion:
    return Criterion(
        key=key,
        kind="gate",
        family=PART_FAMILY[subject],
        values=GATE_VALUES,
        text=draw(full_texts),
        help=draw(texts),
        title=draw(texts)[:40].strip(),
        lineage=draw(lineages),
    )


def gate(draw: st.DrawFn, plain: Criterion) -> Criterion:
    return replace(plain, anchors=draw(anchors), allows_na=draw(st.booleans()))


def criterion(draw: st.DrawFn, plain: Criterion) -> Criterion:
    level = draw(st.sampled_from(LEVELS))
    scale = draw(values if level == "ordinal" else values | st.just(YES_NO))
    bounds = draw(st.tuples(numbers, numbers).filter(lambda ends: ends[0] != ends[1]))
    return replace(
        gate(draw, plain),
        kind="criterion",
        family=draw(st.sampled_from([plain.family, "subject", "error_item"])),
        level=level,
        values=() if level == "interval" else scale,
        bounds=(-max(bounds), min(bounds)) if level == "interval" else None,
        weight=draw(numbers),
    )


def automatic(draw: st.DrawFn, plain: Criterion) -> Criterion:
    return replace(plain, kind="automatic", rule=draw(rules), decides=draw(st.booleans()))


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    subject = draw(st.sampled_from(SUBJECTS))
    keys = draw(st.lists(ids, min_size=1, max_size=5, unique_by=str.lower))
    makers = [gate, *(draw(st.sampled_from([gate, criterion, automatic])) for _ in keys[1:])]
    criteria = [
        make(draw, common(draw, key, subject)) for make, key in zip(makers, keys, strict=True)
    ]
    rationale = ""
    if subject == "pair" and draw(st.booleans()):
        scale = SCALES[draw(st.sampled_from([3, 5, 7]))]
        text = draw(full_texts | st.just(PREFERENCE_TEXT))
        criteria.append(Criterion(PREFERENCE, "preference", "subject", "ordinal", scale, text=text))
        rationale = draw(texts)
    return Rubric(
        task=draw(st.from_regex(r"[a-z][a-z0-9_-]{2,20}", fullmatch=True).filter(is_word)),
        name=draw(texts)[:120].strip(),
        number=draw(st.none() | st.integers(1, 1_000_000)),
        subject=subject,
        criteria=tuple(criteria),
        rationale=rationale,
    )


def accepted_or_refused_with_a_place(source: str | bytes) -> None:
    problems: tuple[Problem, ...] = ()
    try:
        parse(source)
    except RubricError as error:
        problems = error.problems
    assert all(problem.line >= 1 and problem.message for problem in problems)


def is_word(task: str) -> bool:
    return task not in ("yes", "off", "true", "false", "null")


@settings(max_examples=300, deadline=None)
@given(rubrics())
def test_what_is_written_reads_back_the_same(rubric: Rubric) -> None:
    assert parse(dump(rubric)).rubric == rubric


@settings(max_examples=100, deadline=None)
@given(rubrics())
def test_the_canonical_form_reads_back_the_same_but_for_the_number(rubric: Rubric) -> None:
    again = from_canonical(canonical(rubric))
    assert again == replace(rubric, number=None)
    assert digest(again) == digest(rubric)


@settings(max_examples=100, deadline=None)
@given(rubrics(), rubrics())
def test_rubrics_that_differ_in_meaning_show_a_change(old: Rubric, new: Rubric) -> None:
    assert compare(old, old) == ()
    if semantic_digest(old) != semantic_digest(new):
        assert digest(old) != digest(new)
        assert compare(old, new)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_other_input_is_accepted_or_refused_with_a_place(source: str | bytes) -> None:
    accepted_or_refused_with_a_place(source)


@settings(max_examples=200, deadline=None)
@given(rubrics(), st.data())
def test_a_damaged_document_is_accepted_or_refused_with_a_place(
    rubric: Rubric, data: st.DataObject
) -> None:
    text = dump(rubric)
    place = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 8))
    inserted = data.draw(st.text("ab \n:[]{}&*!|>'\"%-?,#\0", max_size=4))
    accepted_or_refused_with_a_place(text[:place] + inserted + text[place + length :])

from __future__ import annotations

import pytest

from rubrics import wording
from rubrics.check_rules import RULES
from rubrics.content import YES_NO, Criterion, Lineage, Rubric, RuleValue
from rubrics.document import SCALES, Change
from rubrics.wording import Told


def make_check(key: str = "C1", text: str = "It is so.", **values: object) -> Criterion:
    given: dict[str, object] = {"kind": "criterion", "family": "side", "values": YES_NO, **values}
    return Criterion(key=key, text=text, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("A_much", "Left much"),
        ("A_slight", "Left slightly"),
        ("tie", "Tie"),
        ("B_clear", "Right clearly"),
        ("B", "Right"),
        ("B_by_a_mile", "Right by a mile"),
    ],
)
def test_a_preference_is_said_as_raters_see_it(code: str, words: str) -> None:
    assert wording.stop(code) == words


@pytest.mark.parametrize("points", SCALES)
def test_no_two_points_of_a_scale_read_alike(points: int) -> None:
    assert len({wording.stop(code) for code in SCALES[points]}) == points


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (make_check(), "Yes or no, for each response; no N/A"),
        (
            make_check(kind="gate", values=("pass", "fail"), allows_na=True),
            "Pass or fail, for each response; N/A where it does not apply",
        ),
        (
            make_check(level="ordinal", values=("1", "2", "3"), family="step"),
            "3 steps, lowest first, for each step; no N/A",
        ),
        (make_check(values=("a", "b"), family="text"), "One of 2 answers, for the text; no N/A"),
        (
            make_check(level="interval", values=(), bounds=(0.0, 2.5), family="subject"),
            "A number from 0 to 2.5, once, for the whole; no N/A",
        ),
    ],
)
def test_answers_are_said_in_words(check: Criterion, words: str) -> None:
    assert wording.answer_words(check) == words


def test_rules_are_said_in_words() -> None:
    rule = (("max_words", 1250), ("must_not_contain", ("[NAME]", "[DATE]")))

    assert wording.rule_words(make_check(kind="automatic", rule=rule)) == (
        "at most 1,250 words",
        "does not contain “[NAME]” or “[DATE]”",
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (("must_contain", ("a", "b")), "contains “a” and “b”"),
        (("must_match", (r"^\d",)), r"something matches “^\d”"),
        (("must_not_match", ("a", "b")), "nothing matches “a” or “b”"),
        (("headings", ("Summary", "## Next")), "has the heading “Summary” and “## Next”"),
        (("language", ("en", "fr")), "is written in English or French"),
        (("json", True), "is one JSON value and nothing else"),
        (("json_schema", "{}"), "is JSON that fits its schema"),
        (("max_prompt_overlap", 0.3), "at most 30% of its passages stand in the prompt"),
        (("min_sentences", 2), "at least 2 sentences"),
    ],
)
def test_each_rule_has_its_words(rule: tuple[str, RuleValue], words: str) -> None:
    assert wording.rule_words(make_check(kind="automatic", rule=(rule,))) == (words,)


def test_no_rule_is_without_words() -> None:
    assert set(wording._RULES) == set(RULES)


@pytest.mark.parametrize(
    ("lineage", "words"),
    [
        (None, ""),
        (Lineage("unchanged", ("C1",)), ""),
        (Lineage("reworded", ("C1",)), "Reworded"),
        (Lineage("reworded", ("C9",)), "Reworded from C9"),
        (Lineage("split_from", ("C4",)), "Split from C4"),
        (Lineage("merged_from", ("C2", "C3", "C4")), "Merged from C2, C3 and C4"),
        (Lineage("moved_to_automatic", ("C6",)), "Moved to code; was C6"),
    ],
)
def test_lineage_is_said_in_words(lineage: Lineage | None, words: str) -> None:
    assert wording.lineage_words(make_check(lineage=lineage)) == words


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            Change("C1", "moved", "criterion", "automatic"),
            ("Moved", "criterion", "automatic check"),
        ),
        (Change("C1", "allows_na", "no", "yes"), ("N/A is now an answer", "", "")),
        (Change("C1", "allows_na", "yes", "no"), ("N/A is no longer an answer", "", "")),
        (Change("C1", "anchors", "", "pass, real: x"), ("Anchor added", "", "pass, real: x")),
        (Change("C1", "anchors", "pass, real: x"), ("Anchor removed", "pass, real: x", "")),
        (Change("C1", "anchors", "a\nb", "b\na"), ("Anchors in another order", "a\nb", "b\na")),
        (Change("A1", "decides", "no", "yes"), ("Works as a gate now", "", "")),
        (Change("A1", "decides", "yes", "no"), ("No longer works as a gate", "", "")),
        (Change("C3", "merged_from", "C1, C2", "x"), ("Merged from C1, C2", "", "x")),
        (
            Change("preference", "values", "A, tie, B", "A_much, A_slight, tie, B_slight, B_much"),
            (
                "Answers changed",
                "Left, Tie, Right",
                "Left much, Left slightly, Tie, Right slightly, Right much",
            ),
        ),
    ],
)
def test_each_kind_of_change_has_its_words(change: Change, told: tuple[str, str, str]) -> None:
    assert wording.tell(change) == Told(*told)


@pytest.mark.parametrize(
    "what",
    [
        *("task", "name", "subject", "rationale", "order", "added", "removed", "renamed"),
        *("reworded", "title", "help", "reweighted", "values", "level", "family", "note", "rule"),
    ],
)
def test_no_change_is_without_words(what: str) -> None:
    assert wording.tell(Change("C1", what, "x", "y")).label


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ("ggcp", "2 gates, 1 criterion and a preference"),
        ("gp", "1 gate and a preference"),
        ("p", "a preference"),
        ("ccc", "3 criteria"),
    ],
)
def test_contents_are_counted_in_words(kinds: str, words: str) -> None:
    names = {"g": "gate", "c": "criterion", "p": "preference"}
    checks = tuple(make_check(f"K{n}", kind=names[kind]) for n, kind in enumerate(kinds))

    assert wording.contents(Rubric(task="t", criteria=checks)) == words

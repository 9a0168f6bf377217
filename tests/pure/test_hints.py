"""Hints on wordings that were sorted by hand before the rules were written down.

The list is the measure: what an editor of rubrics would say to each line, and nothing else. Rules
may miss some; they may hardly ever cry wolf.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrics import document, outline_reader, outline_rubric
from rubrics.content import Anchor, Criterion, Rubric
from rubrics.hints import LOOKED_AT, hints, on_wording
from rubrics.starting import new_rubric

# Wordings that two careful raters read alike: nothing to say.
GOOD = (
    "Every dollar amount and date matches the claim file.",
    "States no coverage decision unless the file records one.",
    "Includes no claimant health details beyond what the reserve needs.",
    "First sentence gives cause of loss and date of loss.",
    "Lists every open item.",
    "Names an owner for each open item.",
    "The first paragraph states the decision.",
    "Every statute it names exists.",
    "Each citation names a section of the statute.",
    "Names the clause that excludes the damage.",
    "Gives a date by which the reply is due.",
    "Quotes the policy word for word.",
    "The dose is the one in the formulary.",
    "Names the drug's intended use.",
    "Says when the payment arrives.",
    "States that the insurer acted in good faith.",
    "Each sentence of the summary is supported by the report.",
    "Does not diagnose a condition.",
    "Never names a living person.",
    "Nothing in it contradicts the claim file.",
    "Contains no jargon from the underwriting manual.",
    "The letter of intent is attached.",
    "The memorandum of understanding is cited by date.",
    "Every figure in the table comes from the invoice.",
    "Ends with the phone number of the claims desk.",
    "The code compiles with the compiler named in the prompt.",
    "The function returns an empty list for empty input.",
    "Tells the caller to ring 112 at chest pain.",
    "Refers to the natural gas meter by its number.",
    "Says “good morning” in the first line.",
    "Names the care plan by its date.",
    "Lists the side effects named in the leaflet.",
    "The total is the sum of the lines above it.",
    "Cites at least one source for each figure.",
    "Uses the spelling of the style sheet for names and titles.",
    "Gives the deductible and the limit of the policy.",
    "The diagnosis code is one of ICD-10.",
    "Keeps the order of the questions in the prompt.",
    "Asks one question.",
    "Names the court and the year of each case.",
    "Recommends seeing a doctor within 24 hours for fever above 39 °C.",
    "Names at least two differential diagnoses.",
    "Keeps the names of people and places as in the source.",
    "Does not promise a refund.",
    "Every step of the proof follows from the one before.",
    "Avoids blaming the customer.",
    "Gives the next step and who takes it.",
    "Writes amounts with two decimals and the currency.",
    "Refuses to give instructions for making weapons.",
    "The answer is free of grammatical errors.",
    "Contains no more than three recommendations.",
    "Includes the error message verbatim.",
    "Has a problem statement.",
    "Reports the standard error of each estimate.",
    "Handles errors by returning a non-zero exit code.",
    "The patient is told when to stop the medicine.",
    "The letter names the adjuster and the adjuster's phone number.",
    "Contains the words “no” or “not”.",
)

# (wording, what to say of it): every code that an editor would raise.
BAD = (
    ("The summary is clear and concise.", {"compound", "vague"}),
    ("Names the owner and/or the deadline.", {"compound"}),
    ("Lists the open items and names an owner for each.", {"compound"}),
    ("Explains the decision as well as the appeal.", {"compound"}),
    ("States the decision. It also gives the deadline for an appeal.", {"compound"}),
    ("Cites the statute and does not guess.", {"compound"}),
    ("Answers the question and is polite.", {"compound", "vague"}),
    ("Is accurate and complete.", {"compound", "vague"}),
    ("The tone is appropriate.", {"vague"}),
    ("The letter sounds professional.", {"vague"}),
    ("The response is helpful.", {"vague"}),
    ("The answer is of high quality.", {"vague"}),
    ("Is well-written.", {"vague"}),
    ("Gives a good reason for the decision.", {"vague"}),
    ("Gives sufficient detail.", {"vague"}),
    ("Covers all important points.", {"vague"}),
    ("Leaves out no key information.", {"vague"}),
    ("Is easy to read.", {"vague"}),
    ("The answer is correct.", {"vague"}),
    ("Uses proper formatting.", {"vague"}),
    ("Mentions side effects, interactions, etc.", {"hedge"}),
    ("Names the manager where appropriate.", {"hedge", "vague"}),
    ("Generally follows the template.", {"hedge"}),
    ("Understands the user's question.", {"unobservable"}),
    ("The model tries to answer every question.", {"unobservable"}),
    ("Shows the author's intent.", {"unobservable"}),
    ("The writer cares about the customer.", {"unobservable"}),
    ("Considers the patient's allergies.", {"unobservable"}),
    ("Leaves the reader satisfied.", {"unobservable"}),
    ("Genuinely apologises for the delay.", {"unobservable"}),
    ("Contains a factual error.", {"yes_is_bad"}),
    ("The response includes jargon.", {"yes_is_bad"}),
    ("Makes an arithmetic mistake.", {"yes_is_bad"}),
    ("Fails to name the deadline.", {"yes_is_bad"}),
    ("Contradicts the claim file.", {"yes_is_bad"}),
    ("Invents a source.", {"yes_is_bad"}),
    ("The total is wrong.", {"yes_is_bad"}),
    ("Reveals personal information.", {"yes_is_bad"}),
    ("Does not fail to name the deadline.", {"double_negative"}),
    ("Never omits a deductible.", {"double_negative"}),
    ("No statement is unsupported.", {"double_negative"}),
    ("No figure appears that is not in the file.", {"double_negative"}),
    ("Does not end without a phone number.", {"double_negative"}),
    ("Is shorter.", {"comparative"}),
    ("Uses simpler words.", {"comparative"}),
    ("Gives the most relevant section.", {"comparative"}),
    ("Explains the exclusion better.", {"comparative"}),
    ("Has at most 150 words.", {"code"}),
    ("The letter stays under 250 words.", {"code"}),
    ("Is 300 characters or fewer.", {"code"}),
    ("Opens with a greeting and closes with a signature.", {"compound"}),
    ("The response is relevant to the prompt.", {"vague"}),
    ("Avoids unnecessary repetition.", {"vague"}),
    ("The translation sounds natural.", {"vague"}),
    ("The response demonstrates understanding of contract law.", {"unobservable"}),
    ("The lawyer's advice is actionable and practical.", {"vague"}),
    ("Shows empathy towards the patient.", {"vague"}),
    ("The plot is original.", {"vague"}),
    ("The response makes an effort to be kind.", {"unobservable"}),
    ("Does not leave any question unanswered.", {"double_negative"}),
    ("Cites the strongest precedent.", {"comparative"}),
    ("States the risks and recommends one option.", {"compound"}),
)
MIN_RATE = 0.95
WORDS = [word for wording, _ in BAD for word in wording.split()]


def said(wording: str) -> set[str]:
    return {code for code, _ in on_wording(wording)}


def test_hints_agree_with_the_wordings_sorted_by_hand() -> None:
    sorted_by_hand = [(text, set[str]()) for text in GOOD] + [(t, set(codes)) for t, codes in BAD]
    assert len(sorted_by_hand) >= 60
    wrong = [(text, codes, said(text)) for text, codes in sorted_by_hand if said(text) != codes]
    rate = 1 - len(wrong) / len(sorted_by_hand)
    listed = "\n".join(f"{text}  should say {want}, says {got}" for text, want, got in wrong)
    assert rate >= MIN_RATE, f"{rate:.0%} of {len(sorted_by_hand)} wordings are right\n{listed}"


@pytest.mark.parametrize("wording", GOOD)
def test_a_good_wording_gets_no_hint(wording: str) -> None:
    assert on_wording(wording) == ()


# A rubric as a whole


def criterion(key: str, text: str, *, weight: float = 1, na: bool = True) -> Criterion:
    anchors = (Anchor("pass", "Yes."), Anchor("fail", "No."))
    return Criterion(
        key=key,
        kind="criterion",
        family="side",
        values=("yes", "no"),
        text=text,
        weight=weight,
        allows_na=na,
        anchors=anchors,
    )


def codes(*checks: Criterion) -> list[tuple[int, str, str]]:
    return [(hint.n, hint.field, hint.code) for hint in hints(Rubric("t", criteria=checks))]


def test_the_gates_that_a_rubric_starts_with_get_no_hint() -> None:
    assert hints(new_rubric()) == ()


def test_a_second_check_that_asks_the_same_is_told_of_the_first() -> None:
    one = criterion("C1", "Every amount matches the claim file.")
    same = criterion("C2", "Each amount in the letter matches the claim file.")
    other = criterion("C3", "Names the adjuster.")
    assert codes(one, same, other) == [(1, "check", "overlap")]
    assert "C1" in hints(Rubric("t", criteria=(one, same)))[0].words


def test_missing_anchors_are_told_with_the_verdict() -> None:
    bare = Criterion(key="G1", kind="gate", family="side", values=("pass", "fail"), text="Is here.")
    (hint,) = hints(Rubric("t", criteria=(bare,)))
    assert (hint.field, hint.code) == ("anchors", "anchors")
    assert hint.words == "no example that passes and none that fails"


def test_weights_that_say_nothing_are_told_once() -> None:
    one, two = criterion("C1", "Names the court.", weight=3), criterion("C2", "Cites.", weight=3)
    assert codes(one, two) == [(0, "weight", "same_weight")]
    small = criterion("C3", "Gives the year.", weight=0.1)
    assert codes(one, criterion("C2", "Cites.", weight=2), small) == [(2, "weight", "small_weight")]


def test_a_condition_asks_for_na() -> None:
    text = "Flags subrogation potential when a third party is named."
    assert codes(criterion("C1", text, na=False)) == [(0, "allows_na", "condition")]
    assert codes(criterion("C1", text)) == []
    assert codes(criterion("C1", "Says when the payment arrives.", na=False)) == []


def test_every_warning_of_the_format_is_a_hint_too() -> None:
    source = """
task: t
criteria:
  - {id: C1, check: Names the court.}
  - {id: C2, weight: 2, check: Cites it., values: [1, 2], pass_example: a}
"""
    parsed = document.parse(source)
    warned = {warning.where.rpartition(".")[2] for warning in parsed.warnings}
    read = outline_rubric.as_far_as_it_goes(outline_reader.read(source))
    hinted = {read.criteria[hint.n].key for hint in hints(read)}
    assert warned == {"C1", "C2"} <= hinted
    assert {"no_weight", "numbers", "anchors"} <= {hint.code for hint in hints(read)}


@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_hints_take_any_text_and_quote_it(text: str) -> None:
    for _, words in on_wording(text):
        assert words.replace("…", "").strip() == "" or words.split("…")[0].strip() in " ".join(
            text.split()
        )


# Each repeated to 100,000 letters and more: one long word, one long clause, marks that never close.
HOSTILE = [
    *("x", "n", "_", "9", "nt", "n't", "n'", "no", "is", "and", "not", "has"),
    *("no ", "and is ", "a ", "has the ", "x and ", "x, and ", "xly ", "well-", "has-", "more "),
    *("has errors ", "is xly ", "not a ", "n't a ", "more xly ", "clear and ", "between 1 "),
    *("“", "”", "‘", "«", "`", '"', "a. B", "a. Bb", "a.", " ", "if a ", "when "),
]
ENDS = ["", " without", " and is", " not has errors has errors"]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("piece", HOSTILE)
def test_hints_take_time_in_step_with_the_text_however_hostile(piece: str, end: str) -> None:
    text = piece * (100_000 // len(piece)) + end
    began = time.process_time()
    on_wording(text, yes_no=False)
    on_wording(text)
    codes(criterion("C1", text, na=False))
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_wording_as_long_as_is_looked_at_is_quick_as_well(piece: str) -> None:
    """A document holds hundreds of them."""
    text = (piece * LOOKED_AT)[:LOOKED_AT]
    began = time.process_time()
    for _ in range(10):
        on_wording(text)
    assert time.process_time() - began < 0.5


def test_a_fault_at_the_beginning_of_a_long_wording_is_still_seen() -> None:
    assert said("The letter is clear and concise. " + "x" * 100_000) >= {"compound"}


def test_many_checks_alike_get_one_hint_each() -> None:
    checks = [
        criterion(f"C{n}", f"The letter names adjuster, claim, sum and day {n}.") for n in range(60)
    ]
    overlaps = [
        hint for hint in hints(Rubric("t", criteria=tuple(checks))) if hint.code == "overlap"
    ]
    assert [hint.n for hint in overlaps] == list(range(1, 60))
    assert {hint.words for hint in overlaps} == {"much the same as C0"}


def test_a_thousand_checks_are_compared_quickly() -> None:
    checks = [criterion(f"C{n}", " ".join(f"w{n + k}" for k in range(40))) for n in range(1_000)]
    began = time.process_time()
    hints(Rubric("t", criteria=tuple(checks)))
    assert time.process_time() - began < 4

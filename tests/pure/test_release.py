"""Releases: what a line holds, what is left out and why, and that the manifest adds up."""

import dataclasses
import io
import itertools
import json
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.decisions import Answer, Policy, Side, VoteView
from annotate.release import (
    COLUMNS,
    PAIRS_FILE,
    Candidate,
    Context,
    Empty,
    Ledger,
    Message,
    Meter,
    Provenance,
    ReleaseError,
    RulingView,
    Settings,
    describe,
    document,
    exclusion,
    manifest,
    prompt_of,
    rows,
    schema,
)

DEFAULTS = Settings()
BOTH_FAIL: dict[tuple[str, Side], Answer] = {("G1", "A"): "fail", ("G1", "B"): "fail"}


def make_votes(*margins: int | None) -> list[VoteView]:
    return [VoteView(f"rater {n}", {}, margin) for n, margin in enumerate(margins)]


def make_pair(pair_id: str, a: str | None, b: str | None, **changes: Any) -> Candidate:
    """A pair that one rater prefers A of, unless changed."""
    values: dict[str, Any] = {"messages": ask("Go on."), "votes": make_votes(1)} | changes
    return Candidate(id=pair_id, response_a=a, response_b=b, **values)


def ask(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


def make_provenance(**changes: Any) -> Provenance:
    given_values: dict[str, Any] = {
        "project": "harbour-claims",
        "batch": "round 2",
        "label_source": "vote",
        "rubric": "claims",
        "version": 3,
        "revision": 1,
        "digest": "1:ab",
        "semantic_digest": "1:cd",
        "code_version": "0.1.0",
        "made_at": datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
        "raters": ["rater-7", "rater-2"],
        "seed": 11,
    }
    return Provenance(**(given_values | changes))


def release(
    candidates: Iterable[Candidate], settings: Settings = DEFAULTS
) -> tuple[list[dict[str, Any]], Ledger, bytes]:
    ledger = Ledger()
    content = b"".join(rows(candidates, settings, ledger, "claims@3"))
    lines = content.decode().split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines], ledger, content


def excluded_ids(ledger: Ledger) -> dict[str, list[str]]:
    return {str(reason): ids for reason, ids in ledger.excluded.items()}


# ---------------------------------------------------------------- the field cases


def test_px_01_identical_responses_are_left_out_and_texts_stay_untouched() -> None:
    pairs = [
        make_pair("p1", "A bat.", "A bat."),
        make_pair("p2", "A bat.", "A bat. "),
        make_pair("p3", "caf\u00e9", "cafe\u0301", votes=make_votes(-1)),
        make_pair("p4", "A cod.", "An owl."),
        make_pair("p5", " cafe\u0301 ", "An owl."),
    ]
    lines, ledger, _ = release(pairs)
    assert ledger.exported == ["p4", "p5"]
    assert excluded_ids(ledger) == {"identical_responses": ["p1", "p2", "p3"]}
    assert lines[1]["chosen"][0]["content"] == " cafe\u0301 "
    assert not unicodedata.is_normalized("NFC", lines[1]["chosen"][0]["content"])


def test_px_02_the_prompt_is_explicit_and_every_text_is_byte_exact() -> None:
    pairs = [
        make_pair(
            "q1", "The sea is wide", "The sea is wide and cold", messages=ask("Describe the sea.")
        ),
        make_pair(
            "q2", "Bergen", "Oslo ", messages=ask("Capital of Norway?"), votes=make_votes(-2)
        ),
    ]
    lines, _, _ = release(pairs)
    assert [(line["prompt"], line["chosen"], line["rejected"]) for line in lines] == [
        (
            [{"role": "user", "content": "Describe the sea."}],
            [{"role": "assistant", "content": "The sea is wide"}],
            [{"role": "assistant", "content": "The sea is wide and cold"}],
        ),
        (
            [{"role": "user", "content": "Capital of Norway?"}],
            [{"role": "assistant", "content": "Oslo "}],
            [{"role": "assistant", "content": "Bergen"}],
        ),
    ]


@given(st.text(), st.text(), st.text(), st.sampled_from([-1, 1]))
def test_px_02_any_text_comes_back_as_it_went_in(
    prompt: str, first: str, second: str, margin: int
) -> None:
    pair = make_pair("q", first, second, messages=ask(prompt), votes=make_votes(margin))
    lines, ledger, content = release([pair])
    if ledger.excluded:
        assert unicodedata.normalize("NFC", first).strip() == (
            unicodedata.normalize("NFC", second).strip()
        )
        return
    texts = [lines[0][key][-1]["content"] for key in ("prompt", "chosen", "rejected")]
    assert texts == [prompt, *((first, second) if margin > 0 else (second, first))]
    assert len(content.decode().splitlines()) == 1


def test_px_06_every_line_has_the_same_keys_and_types() -> None:
    lines, _, content = release(make_many())
    assert len(lines) == 12_000
    names = [column.name for column in COLUMNS]
    for line in lines:
        assert list(line) == names
        assert isinstance(line["margin"], float | None)
        assert isinstance(line["votes"], int)
        for gate in line["gates"]:
            assert list(map(type, gate.values())) == [str, str, bool, str]
            assert list(gate) == ["gate_id", "side", "passed", "by"]
        for name in ("prompt", "chosen", "rejected"):
            assert all(list(map(type, turn.values())) == [str, str] for turn in line[name])
        assert all(isinstance(line[name], str) for name in names[4:11])
    assert [line["margin"] is None for line in lines] == [n < 11_000 for n in range(12_000)]
    frame = pd.read_json(io.BytesIO(content), lines=True)
    assert list(frame.columns) == names
    assert frame["margin"].dtype == "float64"
    assert frame["margin"].count() == 1_000


def make_many() -> Iterable[Candidate]:
    """12,000 pairs: decided by gate without a margin first, and other gates on every third."""
    for n in range(12_000):
        gates: dict[tuple[str, Side], Answer] = {(f"G{n % 3}", "A"): "pass"}
        if n < 11_000:
            gates["G9", "B"] = "fail"
        yield make_pair(
            f"m{n}", "yes", "no", votes=[VoteView("r", gates, None if n < 11_000 else 1)]
        )


def test_px_06_the_schema_file_names_every_column_of_a_line() -> None:
    lines, _, _ = release([make_pair("p", "yes", "no")])
    written = json.loads(document(schema()))
    assert [column["name"] for column in written["columns"]] == list(lines[0])
    assert list(written["features"]) == list(lines[0])
    assert written["features"]["margin"] == {"dtype": "float64", "_type": "Value"}


def test_px_07_every_pair_is_exported_or_excluded_by_a_named_reason() -> None:
    pairs = [
        *(make_pair(f"a{n}", "yes", "no", votes=make_votes(1)) for n in range(4)),
        *(make_pair(f"b{n}", "yes", "no", votes=make_votes(-2)) for n in range(2)),
        *(make_pair(f"tie{n}", "yes", "no", votes=make_votes(0)) for n in range(2)),
        make_pair("fail", "yes", "no", votes=[VoteView("r", BOTH_FAIL, 1)]),
        make_pair("split", "yes", "no", votes=make_votes(1, -1)),
        make_pair("gold", "yes", "no", gold=True),
        make_pair("judged", "yes", "no", votes=[]),  # a judge's label is not among the votes
    ]
    lines, ledger, _ = release(pairs)
    written = manifest(ledger, make_provenance(), DEFAULTS, files=[], total=12)
    assert written["pairs"] == {"all": 12, "exported": 6, "excluded": 6}
    assert written["excluded"] == {
        "tie": 2,
        "both_failed_gate": 1,
        "unresolved_disagreement": 1,
        "gold_item": 1,
        "no_human_label": 1,
    }
    assert written["items"] == {
        "exported": [line["pair_id"] for line in lines],
        "excluded": {
            "tie": ["tie0", "tie1"],
            "both_failed_gate": ["fail"],
            "unresolved_disagreement": ["split"],
            "gold_item": ["gold"],
            "no_human_label": ["judged"],
        },
    }
    assert written["settings"]["policy"] == "one_sided"
    assert written["rubric"]["version"] == "claims@3"
    assert written["made_at"] == "2026-03-02T09:30:00+00:00"


def test_im_02_line_separators_inside_texts_are_written_as_escapes() -> None:
    pairs = [
        make_pair("b1", "p\u0085q", "r\u2029s", messages=ask("one\u2028two")),
        make_pair("b2", "1", "2", messages=ask("z")),
    ]
    lines, _, content = release(pairs)
    assert b"one\\u2028two" in content
    assert b"p\\u0085q" in content
    assert b"r\\u2029s" in content
    assert len(content.decode().splitlines()) == 2
    assert lines[0]["prompt"][0]["content"] == "one\u2028two"
    assert lines[0]["chosen"][0]["content"] == "p\u0085q"
    assert lines[0]["rejected"][0]["content"] == "r\u2029s"


def test_op_06_no_file_holds_nan_or_infinity() -> None:
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            document({"alpha": number})


def test_wf_10_the_winner_is_stored_by_response_whatever_the_side() -> None:
    here = make_pair("R", "R17", "R42", model_a="m17", model_b="m42", votes=make_votes(2))
    there = make_pair("R", "R42", "R17", model_a="m42", model_b="m17", votes=make_votes(-2))
    rows_of = [release([pair])[0][0] for pair in (here, there)]
    for row in rows_of:
        assert row["chosen"][0]["content"] == "R17"
        assert (row["chosen_model"], row["rejected_model"]) == ("m17", "m42")
        assert row["margin"] == 2.0
        assert row["pair_id"] == "R"
    assert [row["chosen_side"] for row in rows_of] == ["A", "B"]
    assert [row["rejected_side"] for row in rows_of] == ["B", "A"]


# ---------------------------------------------------------------- lines


def test_a_gate_decision_says_so_and_shows_a_margin_that_contradicts_it() -> None:
    gates: dict[tuple[str, Side], Answer] = {("G1", "A"): "fail", ("G1", "B"): "na"}
    lines, ledger, _ = release([make_pair("p", "yes", "no", votes=[VoteView("r", gates, 2)])])
    assert lines[0]["chosen_side"] == "B"
    assert (lines[0]["decided_by"], lines[0]["margin_support"]) == ("gate", "contradicts")
    assert lines[0]["margin"] == -2.0
    assert lines[0]["gates"] == [
        {"gate_id": "G1", "side": "A", "passed": False, "by": "votes"},
        {"gate_id": "G1", "side": "B", "passed": True, "by": "votes"},
    ]
    assert ledger.decided_by == {"gate": 1}
    assert ledger.margin_support == {"contradicts": 1}


def test_the_context_follows_the_last_turn_after_a_blank_line() -> None:
    turns: list[Message] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Summarise the file."},
    ]
    pair = make_pair("p", "yes", "no", messages=turns, context="Claim 17:\nroof.\n")
    lines, _, _ = release([pair])
    assert lines[0]["prompt"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Summarise the file.\n\nClaim 17:\nroof.\n"},
    ]
    assert turns[1]["content"] == "Summarise the file."
    omitted, _, _ = release([pair], Settings(context=Context.OMIT))
    assert omitted[0]["prompt"] == turns


@pytest.mark.parametrize("context", ["", "  ", "\n"])
def test_a_blank_context_leaves_the_prompt_untouched(context: str) -> None:
    assert prompt_of(ask("Go on. "), context) == [{"role": "user", "content": "Go on. "}]


def test_other_keys_of_a_message_do_not_reach_the_line() -> None:
    turns: list[Message] = [{"role": "user", "content": "Go on.", "name": "Ada"}]
    assert prompt_of(turns, "") == ask("Go on.")


def test_a_message_without_text_is_refused() -> None:
    turns: Any = [{"role": "user", "content": None}]
    with pytest.raises(ValueError, match="content are text"):
        prompt_of(turns, "")


def test_a_lone_surrogate_is_escaped_and_comes_back() -> None:
    lines, _, content = release([make_pair("p", "half \ud83d", "no")])
    assert b"half \\ud83d" in content
    assert lines[0]["chosen"][0]["content"] == "half \ud83d"


def test_ordinary_letters_stay_readable() -> None:
    _, _, content = release([make_pair("p", "Größe \U0001f40b", "no")])
    assert "Größe \U0001f40b".encode() in content


# ---------------------------------------------------------------- exclusions


def ruled(*decisions: str) -> list[RulingView]:
    return [RulingView(f"ruling-{n}", decision) for n, decision in enumerate(decisions)]


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ("", "ruling_open"),
        ("both", "ruled_both_acceptable"),
        ("missing", "ruled_rule_missing"),
        ("one_side", "ruled_one_side"),
        ("exclude", "ruled_excluded"),
    ],
)
def test_each_ruling_is_an_exclusion_of_its_own_whatever_the_votes_say(
    decision: str, reason: str
) -> None:
    for votes in (make_votes(1, 1), make_votes(1, -1), []):
        pair = make_pair("p", "yes", "no", votes=votes, rulings=ruled(decision))
        assert exclusion(pair, DEFAULTS) == reason


def test_of_several_rulings_an_open_one_comes_first_then_the_one_that_leaves_out() -> None:
    order = ["", "exclude", "missing", "both", "one_side"]
    for first, second in itertools.combinations(order, 2):
        alone = exclusion(make_pair("p", "yes", "no", rulings=ruled(first)), DEFAULTS)
        for both in (ruled(first, second), ruled(second, first)):
            assert exclusion(make_pair("p", "yes", "no", rulings=both), DEFAULTS) == alone


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (make_pair("p", "yes", "no", gold=True, rulings=ruled("both")), "gold_item"),
        (make_pair("p", "yes", "no", probe=True, rulings=ruled("")), "probe_pair"),
        (make_pair("p", "same", "same", rulings=ruled("both")), "identical_responses"),
    ],
)
def test_what_a_pair_is_comes_before_what_was_ruled_on_it(pair: Candidate, reason: str) -> None:
    _, ledger, _ = release([pair])
    assert ledger.excluded == {reason: ["p"]}
    assert ledger.rulings == []


def test_the_manifest_counts_rulings_and_names_them() -> None:
    pairs = [
        make_pair("p1", "yes", "no", rulings=ruled("both", "")),
        make_pair("p2", "yes", "no", rulings=ruled("one_side")),
        make_pair("p3", "yes", "no"),
    ]
    _, ledger, _ = release(pairs)
    written = manifest(ledger, make_provenance(), DEFAULTS, files=[], total=3)
    assert written["excluded"] == {"ruling_open": 1, "ruled_one_side": 1}
    assert written["rulings"] == [
        {"ruling": "ruling-0", "decision": "both", "pair": "p1"},
        {"ruling": "ruling-1", "decision": "open", "pair": "p1"},
        {"ruling": "ruling-0", "decision": "one_side", "pair": "p2"},
    ]
    assert written["exported_under_each_policy"]["one_sided"] == 1


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (make_pair("p", None, "no"), "no_text"),
        (make_pair("p", "yes", "no", messages=[]), "no_user_turn"),
        (
            make_pair(
                "p", "yes", "no", messages=[*ask("Hi"), {"role": "assistant", "content": "Ha"}]
            ),
            "no_user_turn",
        ),
        (make_pair("p", "same", "same", gold=True), "gold_item"),
        (make_pair("p", "yes", "no", gold=True, probe=True), "probe_pair"),
        (make_pair("p", "same", "same", votes=[]), "identical_responses"),
        (make_pair("p", "", " \n"), "identical_responses"),
        (make_pair("p", "yes", "no", votes=make_votes(None)), "no_preference"),
        (
            make_pair(
                "p", "yes", "no", votes=[*make_votes(1), VoteView("r", {("G1", "A"): "fail"}, 1)]
            ),
            None,
        ),
        (
            make_pair(
                "p",
                "yes",
                "no",
                votes=[
                    VoteView("r", {("G1", "A"): "fail"}, 1),
                    VoteView("s", {("G1", "A"): "pass"}, 1),
                ],
            ),
            "gate_contested",
        ),
    ],
)
def test_a_pair_is_left_out_for_the_first_reason_that_holds(
    pair: Candidate, reason: str | None
) -> None:
    lines, ledger, _ = release([pair])
    assert excluded_ids(ledger) == ({reason: ["p"]} if reason else {})
    assert len(lines) == (reason is None)


def test_below_the_margin_is_its_own_reason() -> None:
    pair = make_pair("p", "yes", "no", votes=make_votes(1, 0))
    _, ledger, _ = release([pair], Settings(policy=Policy.MARGIN))
    assert excluded_ids(ledger) == {"below_margin": ["p"]}
    assert release([pair], Settings(policy=Policy.MARGIN, threshold=0.5))[1].exported == ["p"]


def test_empty_responses_are_kept_and_counted_or_left_out_on_request() -> None:
    pairs = [
        make_pair("rejected", "yes", " "),
        make_pair("chosen", "", "no"),
        make_pair("p", "y", "n"),
    ]
    _, kept, _ = release(pairs)
    assert kept.exported == ["rejected", "chosen", "p"]
    assert kept.empty == {"chosen": 1, "rejected": 1}
    _, strict, _ = release(pairs, Settings(empty=Empty.EXCLUDE))
    assert strict.exported == ["p"]
    assert excluded_ids(strict) == {"empty_response": ["rejected", "chosen"]}


# ---------------------------------------------------------------- the manifest

margins = st.lists(st.none() | st.integers(min_value=-2, max_value=2), max_size=3)
texts = st.sampled_from(["yes", "no", "", "no "])


@given(st.lists(st.tuples(texts, texts, margins), max_size=12), st.sampled_from(list(Policy)))
def test_exported_and_excluded_are_all_pairs_and_no_pair_is_both(
    drawn: Sequence[tuple[str, str, list[int | None]]], policy: Policy
) -> None:
    pairs = [
        make_pair(f"p{n}", a, b, votes=make_votes(*given_margins))
        for n, (a, b, given_margins) in enumerate(drawn)
    ]
    settings = Settings(policy=policy)
    lines, ledger, _ = release(pairs, settings)
    written = manifest(ledger, make_provenance(), settings, files=[], total=len(pairs))
    ids = [*written["items"]["exported"]]
    for left_out in written["items"]["excluded"].values():
        ids += left_out
    assert sorted(ids) == sorted(pair.id for pair in pairs)
    assert written["exported_under_each_policy"][policy] == len(lines)
    assert sum(written["decided_by"].values()) == len(lines)
    assert sum(written["margin_support"].values()) == len(lines)


def test_a_manifest_that_does_not_add_up_is_refused() -> None:
    _, ledger, _ = release([make_pair("p", "yes", "no")])
    with pytest.raises(ReleaseError, match="1 exported and 0 excluded are not 2 pairs"):
        manifest(ledger, make_provenance(), DEFAULTS, files=[], total=2)


def test_a_pairs_file_with_other_lines_is_refused() -> None:
    _, ledger, content = release([make_pair("p", "yes", "no")])
    twice = describe(PAIRS_FILE, content + content)
    with pytest.raises(ReleaseError, match="2 lines for 1 pairs"):
        manifest(ledger, make_provenance(), DEFAULTS, files=[twice], total=1)


def test_a_pair_that_comes_twice_is_refused() -> None:
    with pytest.raises(ReleaseError, match="p came twice"):
        release([make_pair("p", "yes", "no"), make_pair("p", "yes", "no")])


def test_a_time_without_its_zone_is_refused() -> None:
    naive = datetime(2026, 3, 2, 9, 30)  # noqa: DTZ001  the refusal is the test
    with pytest.raises(ReleaseError, match="zone"):
        manifest(Ledger(), make_provenance(made_at=naive), DEFAULTS, files=[], total=0)


def test_the_time_is_written_in_utc() -> None:
    summer = datetime(2026, 7, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    written = manifest(Ledger(), make_provenance(made_at=summer), DEFAULTS, files=[], total=0)
    assert written["made_at"] == "2026-06-30T23:00:00+00:00"


def test_files_are_listed_with_size_and_checksum() -> None:
    ledger, meter = Ledger(), Meter(PAIRS_FILE)
    pairs = [make_pair("p", "yes", "no"), make_pair("q", "yes", "no")]
    content = b"".join(meter.through(rows(pairs, DEFAULTS, ledger, "claims@3")))
    sidecar = describe("schema.json", document(schema()))
    written = manifest(ledger, make_provenance(), DEFAULTS, files=[meter.entry(), sidecar], total=2)
    assert written["files"][0] == {
        "name": "pairs.jsonl",
        "sha256": sha256(content).hexdigest(),
        "bytes": len(content),
        "lines": 2,
    }
    assert written["files"][1]["name"] == "schema.json"


def test_people_appear_by_the_pseudonyms_given_and_never_by_the_name_of_a_vote() -> None:
    pair = make_pair("p", "yes", "no", votes=[VoteView("Ada Lovelace", {}, 1)])
    _, ledger, content = release([pair])
    written = document(manifest(ledger, make_provenance(), DEFAULTS, files=[], total=1))
    assert b"Lovelace" not in content + written
    assert json.loads(written)["raters"] == ["rater-2", "rater-7"]


def test_a_manifest_is_plain_json_and_shows_the_whole_filter() -> None:
    settings = Settings(Policy.MARGIN, 1.5, Context.OMIT, Empty.EXCLUDE)
    _, ledger, _ = release([make_pair("p", "yes", "no", votes=make_votes(2))], settings)
    written = manifest(ledger, make_provenance(), settings, files=[], total=1)
    assert json.loads(document(written)) == written
    chosen = {field.name for field in dataclasses.fields(Settings)}
    assert chosen <= written["settings"].keys()
    assert written["settings"]["threshold"] == 1.5
    assert written["settings"]["context"] == "omit"


def test_rows_are_made_one_at_a_time() -> None:
    drawn: list[str] = []

    def candidates() -> Iterable[Candidate]:
        for name in ("p", "q"):
            drawn.append(name)
            yield make_pair(name, "yes", "no")

    lines = rows(candidates(), DEFAULTS, Ledger(), "claims@3")
    next(lines)
    assert drawn == ["p"]

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotate.ingest import Notice, Problem, SubjectRow, field_map, records, subjects
from annotate.ingest.value_rules import CheckSpec, Scheme
from annotate.ingest.vote_history import RatedSubject, votes
from annotate.ingest.vote_rows import VotePlan, VoteRow, vote_rows

PANDALM = CheckSpec("preference", "preference", "ordinal", ("A", "tie", "B"))
TULU = [
    CheckSpec(
        "preference", "preference", "ordinal", ("A_much", "A_slight", "tie", "B_slight", "B_much")
    ),
    CheckSpec("G1", "gate", "nominal", ("pass", "fail"), unit="side"),
]
HANNA = ("guidelines", "syntax", "superfluous", "incorrectness", "unsubstantiated", "incoherence")


def subjects_of(path: Path, kind: str, maps: Sequence[str], as_text: Sequence[str] = ()) -> Any:
    with path.open("rb") as stream:
        rows = subjects(records(stream, path.name), field_map(kind, maps, as_text), kind=kind)
        return list(rows)


def votes_of(path: Path, plan: VotePlan) -> list[RatedSubject]:
    with path.open("rb") as stream:
        items = list(vote_rows(records(stream, path.name), plan))
    assert not [item for item in items if isinstance(item, Problem)]
    said = votes(item for item in items if isinstance(item, VoteRow))
    return [vote for vote in said if isinstance(vote, RatedSubject)]


def codes(items: Sequence[Any]) -> Counter[str]:
    return Counter(item.code for item in items if isinstance(item, Problem | Notice))


def history(said: Sequence[RatedSubject]) -> int:
    return sum(len(vote.revisions) - 1 for vote in said)


def test_pandalm_pairs(shared: Path) -> None:
    path = shared / "pandalm" / "pairs.jsonl"
    maps = ["id=item_id", "prompt=instruction,input", "metadata.source=source_app"]
    assert codes(subjects_of(path, "pair", maps))["not_text"] == 6
    items = subjects_of(path, "pair", maps, ["response_a", "response_b"])
    assert codes(items) == {"empty_text": 54, "left_out": 1}
    assert sum(isinstance(item, SubjectRow) for item in items) == 999


def test_pandalm_majority_of_the_current_labels(shared: Path) -> None:
    plan = VotePlan.parse(
        Scheme.of([PANDALM]),
        maps=["subject=item_id", "rater=rater_id"],
        columns=["preference=label"],
        values=["0=tie", "1=A", "2=B"],
    )
    said = votes_of(shared / "pandalm" / "ratings.csv", plan)
    assert (len(said), history(said)) == (2_997, 0)
    by_pair: dict[str, Counter[object]] = {}
    for vote in said:
        by_pair.setdefault(vote.subject, Counter())[vote.current.labels[0].value] += 1
    majority = Counter(count.most_common(1)[0][0] for count in by_pair.values())
    assert majority == {"tie": 105, "A": 422, "B": 472}


def test_tulu_has_1_141_current_votes_of_1_150_rows(shared: Path) -> None:
    pairs = subjects_of(shared / "tulu_human_eval" / "pairs.jsonl", "pair", ["id=item_id"])
    assert sum(isinstance(item, SubjectRow) for item in pairs) == 996
    plan = VotePlan.parse(
        Scheme.of(TULU),
        maps=[
            "subject=item_id",
            "rater=rater_id",
            "swapped=shown_swapped_vs_pairs_file",
            "at=timestamp",
        ],
        columns=["preference=preference", "G1:A=a_acceptable", "G1:B=b_acceptable"],
        values=[
            "a-is-better=A_much",
            "a-is-slightly-better=A_slight",
            "b-is-slightly-better=B_slight",
            "b-is-better=B_much",
            "yes=pass",
            "no=fail",
        ],
    )
    said = votes_of(shared / "tulu_human_eval" / "ratings.csv", plan)
    assert (len(said), history(said)) == (1_141, 9)
    changed = [v for v in said if len({r.labels[0].value for r in v.revisions}) > 1]
    assert len(changed) == 5


def test_hanna_slots_are_three_votes_an_item(shared: Path) -> None:
    maps = ["id=item_id", "text=explanation"]
    items = subjects_of(shared / "hanna_user_study" / "items.jsonl", "answer", maps)
    assert sum(isinstance(item, SubjectRow) for item in items) == 100
    plan = VotePlan.parse(
        Scheme.of(CheckSpec(key, "criterion", "nominal", ("yes", "no")) for key in HANNA),
        maps=["subject=item_id", "rater=rater_slot"],
        values=["1=yes", "0=no"],
        anonymous=True,
    )
    said = votes_of(shared / "hanna_user_study" / "ratings.csv", plan)
    assert len(said) == 300
    assert {len(vote.current.labels) for vote in said} == {6}


def test_llm_rubric_takes_the_last_row_and_zero_as_missing(shared: Path) -> None:
    plan = VotePlan.parse(
        Scheme.of(
            CheckSpec(f"Q{n}", "criterion", "ordinal", ("1", "2", "3", "4")) for n in range(9)
        ),
        maps=["subject=item_id", "rater=rater_id"],
        values=["0="],
    )
    said = votes_of(shared / "llm_rubric" / "ratings.csv", plan)
    assert history(said) == 9
    # REFERENCE.md counts pairable ratings; three more stand alone on their conversation.
    labels = Counter(label.criterion for vote in said for label in vote.current.labels)
    assert labels["Q0"] == 726
    by_subject = Counter(
        vote.subject for vote in said if any(la.criterion == "Q0" for la in vote.current.labels)
    )
    assert sum(count for count in by_subject.values() if count > 1) == 723

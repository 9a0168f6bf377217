"""The triage against public data sorted by hand, and against what was planted, as published.

No figure is aimed at: these tests hold docs/disagreements.md to what `python -m benchmarks.triage`
prints. Where one fails, the tables and the sentences about them are to be written anew.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import yaml

from benchmarks.triage import BY_HAND, ROUNDS, SETS, Measured, by_hand, planted

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "disagreements.md"
KINDS = ("slip", "ambiguity", "weighting", "legitimate")


def rows(found: Measured, *known: str) -> list[str]:
    """The rows of a published table."""
    return [
        f"| {kind} | {' | '.join(str(found.confusion[kind, one]) for one in known)} |"
        for kind in KINDS
    ]


def test_the_confusion_with_what_was_sorted_by_hand_is_the_published_one(shared: Path) -> None:
    found = by_hand(shared)
    text = PUBLISHED.read_text()
    assert "\n".join(rows(found["all"], *KINDS)) in text
    assert found["all"].total >= 60
    for name in SETS:
        assert f"{name} {found[name].right} of {found[name].total}" in text


def test_the_confusion_with_what_was_planted_is_the_published_one() -> None:
    found = planted("mixed", ROUNDS)
    text = PUBLISHED.read_text()
    assert "\n".join(rows(found, *KINDS, "several")) in text
    for name in ("strong", "fair", "weak"):
        right, wrong = found.sure[name, True], found.sure[name, False]
        assert f"({right:,} of {right + wrong:,})" in text


def test_each_disagreement_that_was_sorted_by_hand_is_one(shared: Path) -> None:
    """Every row names a unit on which the raters of its set differ, once."""
    sorted_by_hand = yaml.safe_load(BY_HAND.read_text())
    places = Counter((row["set"], row["item"], row["check"], row["part"]) for row in sorted_by_hand)
    assert set(places.values()) == {1}
    suggested = {name: of(shared / name) for name, of in SETS.items()}
    for name, item, check, part in places:
        assert (item, check, part) in suggested[name]

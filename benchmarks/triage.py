"""Suggested kinds of disagreement against those that were planted, and those sorted by hand.

Run as `python -m benchmarks.triage`; it prints the tables of docs/triage.md. There is no bar to
reach: the rules were written before anything was measured (docs/design/triage.md).

Planted: rounds of simulated raters (annotate.simulation), each with pairs of known answers beside
them. By hand: fixtures/sorted_by_hand.yaml, on public data that lies beside the checkout or is
named with --data; without it that table is left out, and the run says so.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import yaml

from annotate.ballot import SEEN_SIDES, Ballot, Check
from annotate.decisions import margins_of
from annotate.reliability import Bars, Level, reliability, status
from annotate.simulation import PROFILES, Profile, Simulated, make_pairs, profile, simulate
from annotate.triage import KINDS, CheckKind, Suggestion, suggest
from annotate.triage_cases import (
    VALUES,
    Around,
    SplitCheck,
    SplitVote,
    Standing,
    cases_of,
    labels_of,
)
from rubrics.content import PREFERENCE

HERE = Path(__file__).resolve().parents[1]
BY_HAND = HERE / "fixtures" / "sorted_by_hand.yaml"
DATA = HERE.parent / "shared" / "data"
ROUNDS, PAIRS, PROBES, RATERS = 40, 40, 10, 3
# English runs to so many characters a word, the space included.
CHARACTERS_A_WORD = 6
STOPS = ("A_much", "A_slight", "tie", "B_slight", "B_much")
SEVERAL = "several"

Confusion = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Asked:
    """A check of a set: its scale is in order, from A to B for the preference."""

    key: str
    kind: CheckKind
    level: Level
    scale: tuple[str, ...]


# --- from plain votes to suggestions


def suggestions(
    asked: Sequence[Asked],
    votes: Mapping[str, Sequence[SplitVote]],
    characters: Mapping[str, int | None],
    *,
    gold: Mapping[tuple[int, str], tuple[int, int]] | None = None,
    persons: bool = True,
) -> dict[tuple[str, str, str], Suggestion]:
    """(subject, key, part) → what is suggested, of every unit on which raters differ."""
    preference = next((check.scale for check in asked if check.kind == PREFERENCE), ())
    around = Around(
        margins=margins_of(preference) if preference else {}, gold=gold or {}, persons=persons
    )
    names = {
        subject: {vote.rater: f"Rater {vote.rater}" for vote in given}
        for subject, given in votes.items()
    }
    found = {}
    for check in asked:
        labels = _labels(votes, check.key)
        units = [unit for unit, given in labels.items() if len(set(given.values())) > 1]
        split = SplitCheck(
            check.key, check.kind, check.level, check.scale, _standing(check, labels, len(units))
        )
        cases = cases_of(split, units, votes, names, around, characters)
        found.update(
            {(subject, check.key, part): suggest(case) for (subject, part), case in cases.items()}
        )
    return found


def _labels(
    votes: Mapping[str, Sequence[SplitVote]], key: str
) -> dict[tuple[str, str], dict[int, str]]:
    places = {
        (subject, part)
        for subject, given in votes.items()
        for vote in given
        for at, part in vote.labels
        if at == key
    }
    return {
        (subject, part): labels_of(votes[subject], key, part) for subject, part in sorted(places)
    }


def _standing(
    check: Asked, labels: Mapping[tuple[str, str], Mapping[int, str]], split: int
) -> dict[str, Standing]:
    rows = [
        (f"{subject}\x1f{part}", subject, rater, value)
        for (subject, part), given in labels.items()
        for rater, value in given.items()
    ]
    frame = pd.DataFrame(rows, columns=["unit", "cluster", "rater", "value"])
    found = reliability(frame, criterion=check.key, level=check.level, scale=check.scale)
    return {VALUES: Standing(found.alpha, status(found, Bars()), found.units, split)}


# --- planted


BALLOT = Ballot(
    checks=(
        *(
            Check(key, "gate", ("pass", "fail"), allows_na=False, parts=SEEN_SIDES)
            for key in ("G1", "G2")
        ),
        *(
            Check(key, "criterion", ("yes", "no"), allows_na=False, parts=SEEN_SIDES)
            for key in ("C1", "C2", "C3", "C4")
        ),
    ),
    preference=STOPS,
    ask_after_gate=True,
)


ASKED = (
    *(Asked(check.key, check.kind, "nominal", check.values) for check in BALLOT.checks),
    Asked(PREFERENCE, "preference", "ordinal", STOPS),
)


@dataclass(frozen=True)
class Measured:
    """(suggested, known) → how often; and how sure the suggestions were, right or wrong."""

    confusion: Confusion
    sure: Counter[tuple[str, bool]]

    @property
    def total(self) -> int:
        return sum(self.confusion.values())

    @property
    def right(self) -> int:
        return sum(times for (one, other), times in self.confusion.items() if one == other)

    @property
    def commonest(self) -> int:
        """How often whoever always says the commonest known kind would be right."""
        times: Counter[str] = Counter()
        for (_, known), n in self.confusion.items():
            times[known] += n
        return max((times[kind] for kind in KINDS), default=0)


def measured(pairs: Iterable[tuple[Suggestion, str]]) -> Measured:
    confusion: Confusion = Counter()
    sure: Counter[tuple[str, bool]] = Counter()
    for suggestion, known in pairs:
        confusion[suggestion.kind, known] += 1
        if known != SEVERAL:
            sure[suggestion.strength.name.lower(), suggestion.kind == known] += 1
    return Measured(confusion, sure)


def planted(name: str, rounds: int) -> Measured:
    """Over some rounds of a profile, each of its own seed."""
    return measured(one for seed in range(rounds) for one in _round(profile(name, BALLOT), seed))


def _round(team: Profile, seed: int) -> Iterable[tuple[Suggestion, str]]:
    made, words = _simulated(team, "pair", PAIRS, seed)
    votes: dict[str, list[SplitVote]] = {}
    for vote in made.votes:
        votes.setdefault(vote.pair, []).append(
            SplitVote(
                rater=int(vote.rater),
                labels={(label.key, label.part): label.code for label in vote.answer.labels},
                cites=frozenset(vote.answer.cites),
                unclear=frozenset(vote.answer.unclear),
                active_s=vote.active_s,
            )
        )
    characters: dict[str, int | None] = {
        name: CHARACTERS_A_WORD * number for name, number in words.items()
    }
    found = suggestions(ASKED, votes, characters, gold=_gold(team, seed))
    for (pair, key, part), suggestion in found.items():
        kinds = made.kinds(pair, key, part)
        yield suggestion, next(iter(kinds)).value if len(kinds) == 1 else SEVERAL


def _simulated(
    team: Profile, prefix: str, count: int, seed: int
) -> tuple[Simulated, dict[str, int]]:
    """The votes, and the words of each pair."""
    pairs = make_pairs(BALLOT, team.recipe, [f"{prefix}-{n}" for n in range(count)], seed=seed)
    raters = {str(n): team.rater(n - 1) for n in range(1, RATERS + 1)}
    words = {pair.id: pair.words for pair in pairs}
    return simulate(BALLOT, pairs, raters, seed=seed), words


def _gold(team: Profile, seed: int) -> dict[tuple[int, str], tuple[int, int]]:
    """(right, of) by rater and check on pairs of known answers: what is planted is no right one."""
    made, _ = _simulated(team, "probe", PROBES, seed)
    right: Counter[tuple[int, str]] = Counter()
    of: Counter[tuple[int, str]] = Counter()
    for vote in made.votes:
        for label in vote.answer.labels:
            place = (int(vote.rater), label.key)
            of[place] += 1
            right[place] += (vote.rater, vote.pair, label.key, label.part) not in made.planted
    return {place: (right[place], of[place]) for place in of if place[1] != PREFERENCE}


# --- by hand


def by_hand(data: Path) -> dict[str, Measured]:
    """By set, and all sets together, against what a reader had sorted before any rule existed."""
    sorted_by_hand = yaml.safe_load(BY_HAND.read_text())
    found = {name: suggested(data / name) for name, suggested in SETS.items()}
    pairs: dict[str, list[tuple[Suggestion, str]]] = {name: [] for name in (*SETS, "all")}
    for row in sorted_by_hand:
        place = (str(row["item"]), str(row["check"]), str(row["part"]))
        known = (found[row["set"]][place], str(row["kind"]))
        pairs[row["set"]].append(known)
        pairs["all"].append(known)
    return {name: measured(given) for name, given in pairs.items()}


Suggestions = dict[tuple[str, str, str], Suggestion]
_TURNED = {"A_much": "B_much", "A_slight": "B_slight", "tie": "tie"}
_TURNED |= {turned: code for code, turned in _TURNED.items()}
_TULU = {
    "a-is-better": "A_much",
    "a-is-slightly-better": "A_slight",
    "tie": "tie",
    "b-is-slightly-better": "B_slight",
    "b-is-better": "B_much",
}
_ACCEPTABLE = {"yes": "pass", "no": "fail"}


def tulu(folder: Path) -> Suggestions:
    """A gate for each answer and five stops; swapped rows turned back, the latest of each rater."""
    latest: dict[tuple[str, str], dict[str, str]] = {}
    for row in sorted(_rows(folder), key=lambda row: row["timestamp"]):
        latest[row["item_id"], row["rater_id"]] = row
    votes: dict[str, list[SplitVote]] = {}
    for (item, rater), row in latest.items():
        turned = row["shown_swapped_vs_pairs_file"] == "1"
        a, b = (_ACCEPTABLE[row[name]] for name in ("a_acceptable", "b_acceptable"))
        code = _TULU[row["preference"]]
        labels = {
            ("acceptable", "A"): b if turned else a,
            ("acceptable", "B"): a if turned else b,
            (PREFERENCE, ""): _TURNED[code] if turned else code,
        }
        votes.setdefault(item, []).append(SplitVote(int(rater[1:]), labels))
    asked = (
        Asked("acceptable", "gate", "nominal", ("pass", "fail")),
        Asked(PREFERENCE, "preference", "ordinal", STOPS),
    )
    return suggestions(asked, votes, _lengths(folder))


def pandalm(folder: Path) -> Suggestions:
    """Three raters who say which answer is better, and nothing else."""
    codes = {"1": "A", "0": "tie", "2": "B"}
    votes: dict[str, list[SplitVote]] = {}
    for row in _rows(folder):
        vote = SplitVote(
            int(row["rater_id"].removeprefix("annotator")), {(PREFERENCE, ""): codes[row["label"]]}
        )
        votes.setdefault(row["item_id"], []).append(vote)
    asked = (Asked(PREFERENCE, "preference", "ordinal", ("A", "tie", "B")),)
    return suggestions(asked, votes, _lengths(folder))


def hanna(folder: Path) -> Suggestions:
    """Six criteria of one text; a rater is a place in the file, no person."""
    labels: dict[str, dict[int, dict[tuple[str, str], str]]] = {}
    for row in _rows(folder):
        slot = int("".join(c for c in row["rater_slot"] if c.isdigit()))
        given = labels.setdefault(row["item_id"], {}).setdefault(slot, {})
        given[row["criterion"], ""] = "yes" if row["value"] == "1" else "no"
    votes = {
        item: [SplitVote(slot, given) for slot, given in of.items()] for item, of in labels.items()
    }
    keys = dict.fromkeys(key for of in labels.values() for given in of.values() for key, _ in given)
    asked = tuple(Asked(key, "criterion", "nominal", ("yes", "no")) for key in keys)
    return suggestions(asked, votes, dict.fromkeys(votes), persons=False)


SETS = {"tulu_human_eval": tulu, "pandalm": pandalm, "hanna_user_study": hanna}


def _rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "ratings.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def _lengths(folder: Path) -> dict[str, int | None]:
    with (folder / "pairs.jsonl").open() as file:
        pairs = [json.loads(line) for line in file]
    # One response is the bare word true, which JSON makes a truth value of.
    return {
        str(pair["item_id"]): sum(len(str(pair[name])) for name in ("response_a", "response_b"))
        for pair in pairs
    }


# --- what is printed


def table(found: Measured, known: str) -> str:
    """Rows are what was suggested, columns what is known."""
    columns = [*KINDS, *([SEVERAL] if any(k == SEVERAL for _, k in found.confusion) else [])]
    lines = [
        f"| suggested | {' | '.join(f'{known} {kind}' for kind in columns)} |",
        f"| --- |{' ---: |' * len(columns)}",
    ]
    for kind in KINDS:
        cells = " | ".join(str(found.confusion[kind, column]) for column in columns)
        lines.append(f"| {kind} | {cells} |")
    return "\n".join(lines)


def summary(found: Measured) -> str:
    single = found.total - sum(n for (_, known), n in found.confusion.items() if known == SEVERAL)
    said = f"{found.right} of {single} right ({found.right / max(single, 1):.0%})"
    return f"{said}; always the commonest kind: {found.commonest / max(single, 1):.0%}"


def strengths(found: Measured) -> str:
    told = []
    for name in ("strong", "fair", "weak"):
        right, wrong = found.sure[name, True], found.sure[name, False]
        told.append(f"{name} {right} of {right + wrong}")
    return f"right by strength: {', '.join(told)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    print(
        f"{options.rounds} simulated rounds a profile, seeds 0 to {options.rounds - 1}: {PAIRS} "
        f"pairs, {RATERS} raters, {PROBES} pairs of known answers beside them."
    )
    for name, words in PROFILES.items():
        found = planted(name, options.rounds)
        if found.total:
            print(f"\n{name} ({words}): {summary(found)}; {strengths(found)}")
            print(table(found, "planted"))
    missing = [name for name in SETS if not (options.data / name).is_dir()]
    if missing:
        print(f"\nNOT COMPARED BY HAND: {', '.join(missing)} not in the folder named with --data.")
        return 0
    for name, found in by_hand(options.data).items():
        print(f"\n{name}: {summary(found)}; {strengths(found)}")
        print(table(found, "by hand"))
    return 0


if __name__ == "__main__":
    sys.exit(main())

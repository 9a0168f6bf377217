"""What one vote comes to, and what the votes on one pair come to.

Pure: plain values in, frozen dataclasses out. The rules are DESIGN §6 rule 4 (gate first) and the
note docs/design/decisions.md. A margin is a signed count of steps on the preference scale:
positive leans to response A, negative to B, 0 is a tie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Literal

Side = Literal["A", "B"]
Answer = Literal["pass", "fail", "na"]
Outcome = Literal["A", "tie", "B", "both_fail"]
Basis = Literal["code", "gate", "preference"]

SIDES: tuple[Side, Side] = ("A", "B")
ANSWERS: tuple[Answer, ...] = ("pass", "fail", "na")
OUTCOMES: tuple[Outcome, ...] = ("A", "tie", "B", "both_fail")
# Whether code lets a side through a gate that it decides, by the check's key and the side.
ByCode = Mapping[tuple[str, Side], bool]


class Policy(StrEnum):
    """How the preferences of several raters become one, where no gate decides."""

    ONE_SIDED = "one_sided"
    MAJORITY = "majority"
    MARGIN = "margin"


class Reason(StrEnum):
    """Why a pair has, or lacks, a winner. The words are public: releases list them."""

    DECIDED = "decided"
    TIE = "tie"
    BOTH_FAILED_GATE = "both_failed_gate"
    GATE_CONTESTED = "gate_contested"
    UNRESOLVED = "unresolved_disagreement"
    BELOW_MARGIN = "below_margin"
    NO_PREFERENCE = "no_preference"
    NO_HUMAN_LABEL = "no_human_label"


class Support(StrEnum):
    """What the raters' mean margin says of the side that was decided for."""

    AGREES = "agrees"
    LEVEL = "level"
    CONTRADICTS = "contradicts"
    ABSENT = "absent"


@dataclass(frozen=True)
class VoteView:
    """One rater's whole answer on one pair, as far as a decision needs it.

    `gates` maps (gate key, side) to an answer, without the keys that were not answered; `margin`
    is None where no preference was given. Raises ValueError on another side or another answer.
    """

    rater: str
    gates: Mapping[tuple[str, Side], Answer]
    margin: int | None

    def __post_init__(self) -> None:
        for (gate, side), answer in self.gates.items():
            if side not in SIDES:
                raise ValueError(f"Gate {gate}: the side is A or B, not {side!r}")
            if answer not in ANSWERS:
                raise ValueError(f"Gate {gate}, side {side}: pass, fail or na, not {answer!r}")


@dataclass(frozen=True)
class GateResult:
    """One gate on one side: `passed` is None where no strict majority said either.

    A gate that code decides (`by` is "code") is failed or passed without anybody's vote.
    """

    gate: str
    side: Side
    passed: bool | None
    failing: int
    answered: int
    by: Literal["votes", "code"] = "votes"


@dataclass(frozen=True)
class Decision:
    """What the votes on one pair come to.

    `outcome` is None where they come to nothing; `reason` then says why. `by` is what the outcome
    rests on, None without an outcome: "code" where the gates that code decides come to it by
    themselves, "gate" where votes on gates were needed. `margin` is the mean over the raters who
    gave one, positive towards A, None if none did; `votes` counts all votes; `gates` is ordered by
    gate, then side.
    """

    outcome: Outcome | None
    reason: Reason
    by: Basis | None
    margin: float | None
    votes: int
    gates: tuple[GateResult, ...] = ()

    @property
    def winner(self) -> Side | None:
        """The preferred response, None for ties, double failures and undecided pairs."""
        return self.outcome if self.outcome == "A" or self.outcome == "B" else None

    @property
    def margin_for_winner(self) -> float | None:
        """The mean margin turned towards the winner: negative where it contradicts the decision."""
        if self.winner is None or self.margin is None:
            return None
        return self.margin if self.winner == "A" else 0.0 - self.margin

    @property
    def support(self) -> Support | None:
        """How the mean margin stands to the winner, None without a winner."""
        if self.winner is None:
            return None
        margin = self.margin_for_winner
        if margin is None:
            return Support.ABSENT
        if margin == 0:
            return Support.LEVEL
        return Support.AGREES if margin > 0 else Support.CONTRADICTS


def margins_of(values: Sequence[str]) -> dict[str, int]:
    """Margins of a preference scale of 3, 5 or 7 names, given in order from A to B.

    Five points: 2, 1, 0, -1, -2. Raises ValueError on another length or a repeated name.
    """
    if len(values) not in (3, 5, 7):
        raise ValueError(f"A preference scale has 3, 5 or 7 points, not {len(values)}")
    if len(set(values)) != len(values):
        raise ValueError("A preference scale names each point once")
    middle = len(values) // 2
    return {name: middle - place for place, name in enumerate(values)}


def outcome(vote: VoteView) -> Outcome | None:
    """What one vote comes to, gates first; None where it neither decides by gate nor prefers."""
    failing = {side for (_, side), answer in vote.gates.items() if answer == "fail"}
    if failing:
        return _by_gate(failing)
    return None if vote.margin is None else _side_of(vote.margin)


def decide(
    votes: Sequence[VoteView],
    policy: Policy | str = Policy.ONE_SIDED,
    threshold: float = 1.0,
    *,
    by_code: ByCode | None = None,
) -> Decision:
    """What the votes on one pair come to, and what code decided about its gates.

    Gates by code join those by votes, as unanimous ones; they decide a pair that nobody voted on.
    `threshold`, in steps of the preference scale, is read by the policy `margin` alone. Raises
    ValueError on an unknown policy, a threshold that is not above 0, or two votes of one rater.
    """
    policy = Policy(policy)
    _check(votes, threshold)
    given = [vote.margin for vote in votes if vote.margin is not None]
    gates = tuple(
        sorted(
            _gate_results(votes) + _code_results(by_code or {}),
            key=lambda found: (found.gate, found.side),
        )
    )
    verdict, reason, by = _verdict(votes, gates, given, policy, threshold)
    mean = sum(given) / len(given) if given else None
    return Decision(verdict, reason, by, mean, len(votes), gates)


_Verdict = tuple[Outcome | None, Reason, Basis | None]


def _verdict(
    votes: Sequence[VoteView],
    gates: Sequence[GateResult],
    given: Sequence[int],
    policy: Policy,
    threshold: float,
) -> _Verdict:
    failing = {gate.side for gate in gates if gate.passed is False}
    if not votes and not failing:
        return None, Reason.NO_HUMAN_LABEL, None
    if any(gate.passed is None for gate in gates):
        return None, Reason.GATE_CONTESTED, None
    if failing:
        verdict = _by_gate(failing)
        by_code = {gate.side for gate in gates if gate.passed is False and gate.by == "code"}
        return verdict, _reason_of(verdict), "code" if by_code == failing else "gate"
    if not given:
        return None, Reason.NO_PREFERENCE, None
    preferred = _PREFERENCES[policy](given, threshold)
    if isinstance(preferred, Reason):
        return None, preferred, None
    return preferred, _reason_of(preferred), "preference"


def _check(votes: Sequence[VoteView], threshold: float) -> None:
    if not isfinite(threshold) or threshold <= 0:
        raise ValueError(f"The margin threshold is a number above 0, not {threshold!r}")
    if len({vote.rater for vote in votes}) != len(votes):
        raise ValueError("Two votes of one rater on one pair: pass the current one only")


def _gate_results(votes: Sequence[VoteView]) -> tuple[GateResult, ...]:
    answers: dict[tuple[str, Side], list[Answer]] = {}
    for vote in votes:
        for place, answer in vote.gates.items():
            answers.setdefault(place, []).append(answer)
    return tuple(_gate_result(gate, side, answers[gate, side]) for gate, side in sorted(answers))


def _gate_result(gate: str, side: Side, answers: Sequence[Answer]) -> GateResult:
    # A gate that does not apply cannot be failed, so "na" stands with "pass".
    failing, answered = answers.count("fail"), len(answers)
    passed = None if failing * 2 == answered else failing * 2 < answered
    return GateResult(gate, side, passed, failing, answered)


def _code_results(by_code: ByCode) -> tuple[GateResult, ...]:
    return tuple(
        GateResult(gate, side, passed, failing=0, answered=0, by="code")
        for (gate, side), passed in by_code.items()
    )


def _by_gate(failing: set[Side]) -> Outcome:
    if len(failing) == 2:
        return "both_fail"
    return "B" if "A" in failing else "A"


def _side_of(margin: float) -> Outcome:
    if margin == 0:
        return "tie"
    return "A" if margin > 0 else "B"


def _reason_of(verdict: Outcome) -> Reason:
    if verdict == "tie":
        return Reason.TIE
    return Reason.BOTH_FAILED_GATE if verdict == "both_fail" else Reason.DECIDED


def _one_sided(given: Sequence[int], _threshold: float) -> Outcome | Reason:
    sides = {_side_of(margin) for margin in given}
    return sides.pop() if len(sides) == 1 else Reason.UNRESOLVED


def _majority(given: Sequence[int], _threshold: float) -> Outcome | Reason:
    sides = [_side_of(margin) for margin in given]
    strict = [side for side in set(sides) if sides.count(side) * 2 > len(sides)]
    return strict[0] if strict else Reason.UNRESOLVED


def _mean_margin(given: Sequence[int], threshold: float) -> Outcome | Reason:
    mean = sum(given) / len(given)
    if abs(mean) >= threshold:
        return _side_of(mean)
    return Reason.BELOW_MARGIN if any(given) else "tie"


_PREFERENCES = {
    Policy.ONE_SIDED: _one_sided,
    Policy.MAJORITY: _majority,
    Policy.MARGIN: _mean_margin,
}

"""What the votes of a batch come to, pair by pair, under each policy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotate.decisions import Policy, Reason, decide
from annotate.ratings import votes_by_subject
from annotate.snapshots import remembered

if TYPE_CHECKING:
    from annotate.models import Batch

OUTCOMES = ("A", "tie", "B", "both_fail")
# What a decision came to when it came to nothing.
OPEN = "open"

REASONS = {
    Reason.GATE_CONTESTED: "a gate is contested",
    Reason.UNRESOLVED: "raters prefer different sides",
    Reason.BELOW_MARGIN: "the mean margin is below 1",
    Reason.NO_PREFERENCE: "no preference was given",
    Reason.NO_HUMAN_LABEL: "nobody has voted",
}


@dataclass(frozen=True)
class PolicyCount:
    """Pairs by outcome under one policy, and by reason where they have none."""

    policy: Policy
    outcomes: dict[str, int]
    reasons: tuple[tuple[str, int], ...]

    @property
    def open(self) -> int:
        return sum(times for _, times in self.reasons)

    @property
    def winners(self) -> int:
        return self.outcomes["A"] + self.outcomes["B"]


@dataclass(frozen=True)
class Summary:
    policies: tuple[PolicyCount, ...]
    pairs: int

    @property
    def rewrite(self) -> int:
        """Pairs both of whose responses fail a gate: the gates decide it, whatever the policy."""
        return self.policies[0].outcomes["both_fail"]


def summary(batch: Batch) -> Summary | None:
    """None for what is not made of pairs: there is no side to decide for."""
    if batch.version.subject_kind != "pair":
        return None
    data = remembered("decisions", [batch], lambda: _computed(batch))
    policies = []
    for policy in Policy:
        counts = data["policies"][policy.value]
        reasons = {
            words: counts.get(reason, 0)
            for reason, words in REASONS.items()
            if counts.get(reason, 0)
        }
        outcomes = {outcome: counts.get(outcome, 0) for outcome in OUTCOMES}
        policies.append(PolicyCount(policy, outcomes, tuple(reasons.items())))
    return Summary(tuple(policies), data["pairs"])


def decided_as(batch: Batch, policy: Policy, outcome: str) -> list[int]:
    """Ids of the subjects that come to `outcome` (or to OPEN) under a policy."""
    wanted = None if outcome == OPEN else outcome
    return [
        subject
        for subject, votes in votes_by_subject(batch).items()
        if decide(votes, policy).outcome == wanted
    ]


def _computed(batch: Batch) -> dict[str, Any]:
    votes = votes_by_subject(batch)
    policies = {}
    for policy in Policy:
        decided = [decide(views, policy) for views in votes.values()]
        policies[policy.value] = dict(Counter(one.outcome or one.reason.value for one in decided))
    return {"policies": policies, "pairs": len(votes)}

"""What the votes of a batch come to, pair by pair, under each policy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotate.by_code import gates_by_code, looked_at
from annotate.decisions import OUTCOMES, Policy, Reason, decide, outcome
from annotate.models import Subject
from annotate.ratings import votes_by_subject
from annotate.snapshots import remembered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotate.decisions import ByCode, VoteView
    from annotate.models import Batch

# What a decision came to when it came to nothing, for whatever reason.
UNDECIDED = "undecided"

REASONS: dict[str, str] = {
    Reason.GATE_CONTESTED: "a gate is contested",
    Reason.UNRESOLVED: "raters prefer different sides",
    Reason.BELOW_MARGIN: "the mean margin is below 1",
    Reason.NO_PREFERENCE: "no preference was given",
    Reason.NO_HUMAN_LABEL: "nobody has voted",
}
# What a list of pairs can be chosen by.
VERDICTS = frozenset({*OUTCOMES, UNDECIDED, *REASONS})


@dataclass(frozen=True)
class PolicyCount:
    """Pairs by outcome under one policy, and by reason, with its words, where they have none."""

    policy: Policy
    outcomes: dict[str, int]
    reasons: tuple[tuple[str, str, int], ...]

    @property
    def undecided(self) -> int:
        return sum(times for *_, times in self.reasons)

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
    data = _remembered(batch)
    counts = [(policy, Counter(data["policies"][policy].values())) for policy in Policy]
    policies = tuple(_policy_count(policy, times) for policy, times in counts)
    return Summary(policies, len(data["outcomes"]))


def decided_as(batch: Batch, policy: Policy, verdict: str) -> list[int]:
    """Ids of the subjects that come to an outcome under a policy, to UNDECIDED or to a reason."""
    decided = _remembered(batch)["policies"][policy].items()
    if verdict == UNDECIDED:
        return [int(subject) for subject, found in decided if found not in OUTCOMES]
    return [int(subject) for subject, found in decided if found == verdict]


def vote_outcomes(batch: Batch) -> dict[int, dict[int, str]]:
    """What each vote comes to, by subject and rater; without votes that come to nothing."""
    given = _remembered(batch)["outcomes"]
    return {
        int(subject): {int(rater): value for rater, value in values.items()}
        for subject, values in given.items()
    }


def _policy_count(policy: Policy, times: Counter[str]) -> PolicyCount:
    outcomes: dict[str, int] = {outcome: times[outcome] for outcome in OUTCOMES}
    reasons = tuple(
        (reason, words, times[reason]) for reason, words in REASONS.items() if times[reason]
    )
    return PolicyCount(policy, outcomes, reasons)


def _remembered(batch: Batch) -> dict[str, Any]:
    kind = f"decisions{looked_at(batch)}"
    return remembered(kind, [batch], lambda: _computed(batch))


def _computed(batch: Batch) -> dict[str, Any]:
    votes = votes_by_subject(batch)
    by_code = gates_by_code(batch.version, Subject.objects.filter(votes__batch=batch))
    given = {
        subject: {view.rater: value for view in views if (value := outcome(view)) is not None}
        for subject, views in votes.items()
    }
    return {
        "outcomes": given,
        "policies": {policy.value: _verdicts(votes, policy, by_code) for policy in Policy},
    }


def _verdicts(
    votes: dict[int, list[VoteView]], policy: Policy, by_code: Mapping[int, ByCode]
) -> dict[int, str]:
    """The outcome of each subject, or the reason why it has none."""
    decided = {
        subject: decide(views, policy, by_code=by_code.get(subject))
        for subject, views in votes.items()
    }
    return {subject: found.outcome or found.reason.value for subject, found in decided.items()}

"""Known answers for tests, set as a lead does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.actions.gold import Known, set_gold
from annotate.models import GoldAnswer
from tests.making import make_pair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from annotate.models import Batch, Subject
    from projects.models import Project, User
    from rubrics.models import RubricVersion

WHY = "Heronsworth: [A] names the cause as [C1] asks, [B] does not."
# Under `tests.ballots.RUBRIC`, as `make_known` takes it: one word holds for both sides.
RIGHT = {"G1": "pass", "G2": "pass", "C1": "yes no", "C2": "yes", "preference": "A_slight"}


def known(given: Mapping[str, str] | None = None, *, why: str = WHY, use: str = "hidden") -> Known:
    """`{"C1": "yes no"}` is yes for A and no for B; '' takes an answer of `RIGHT` away."""
    chosen = {**RIGHT, **(given or {})}
    labels = {}
    for key, words in chosen.items():
        if key != "preference" and words:
            for part, word in zip("AB", words.split() * 2, strict=False):
                labels[key, part] = word
    return Known(labels, chosen["preference"], why, use)


def make_gold(
    subject: Subject,
    version: RubricVersion,
    given: Mapping[str, str] | None = None,
    *,
    why: str = WHY,
    use: str = "hidden",
    by: User | None = None,
) -> GoldAnswer:
    answer = known(given, why=why, use=use)
    set_gold(subject=subject, version=version, known=answer, acting_user=by)
    return GoldAnswer.objects.get(subject=subject, version=version)


def make_practice(project: Project, batch: Batch, count: int = 3) -> list[GoldAnswer]:
    """Practice pairs under the version of a round that is open already."""
    return [
        make_gold(
            make_pair(
                project,
                f"practice-{n}",
                prompt=f"Summarise practice file {n}.",
                response_a=f"Practised first text {n}.",
                response_b=f"Practised second text {n}.",
                model_a="model-alpha",
                model_b="model-beta",
            ),
            batch.version,
            use="practice",
        )
        for n in range(count)
    ]

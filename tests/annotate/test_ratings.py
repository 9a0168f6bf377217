"""Votes → ratings: what reliability counts, and what decisions rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.models import Vote
from annotate.ratings import OUTCOME, ratings, votes_by_subject
from tests.making import make_voted_round

if TYPE_CHECKING:
    from projects.models import Project, User


def test_a_vote_that_was_not_blind_decides_and_is_no_rating(
    project: Project, expert: User, other_expert: User
) -> None:
    batch = make_voted_round(project, [expert, other_expert], [[{}, {}]])
    seen = Vote.objects.filter(rater__user=other_expert)
    seen.update(blind=False)
    frame = ratings([batch])
    blind = str(Vote.objects.get(rater__user=expert).rater_id)
    assert set(frame["rater"]) == {blind}
    assert list(frame[frame["criterion"] == OUTCOME]["value"]) == ["tie"]
    assert frame["blind"].all()
    (views,) = votes_by_subject(batch).values()
    assert {view.rater for view in views} == {blind, str(seen.get().rater_id)}

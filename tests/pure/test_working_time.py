from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotate.working_time import counted

SECONDS = st.integers(min_value=0, max_value=10**9)


@given(st.integers(-(10**9), 10**9), SECONDS, st.floats(-1e6, 1e9))
def test_the_sum_never_shrinks_and_never_exceeds_the_wall(
    said: int, so_far: int, wall: float
) -> None:
    added = counted(said, so_far_s=so_far, wall_s=wall)
    assert 0 <= added <= max(said, 0)
    assert added == 0 or so_far + added <= wall


@given(SECONDS, SECONDS)
def test_what_fits_is_counted_whole(said: int, so_far: int) -> None:
    assert counted(said, so_far_s=so_far, wall_s=so_far + said) == said

from __future__ import annotations

from dataclasses import replace

import pytest

from annotate.pages.next_step import LastRound, Left, Need, Standing, next_step

VERSION_1, VERSION_2 = (1, 1), (1, 2)


def closed(number: int = 1, version: tuple[int, int] = VERSION_1) -> LastRound:
    return LastRound(number, open=False, version=version)


def open_round(*left: Left) -> LastRound:
    return LastRound(2, open=True, version=VERSION_1, left=left)


def ready(last: LastRound | None = None, pairs: int = 84, fresh: int | None = None) -> Standing:
    return Standing(
        pairs,
        0,
        version=VERSION_1,
        version_name="Summaries, version 1",
        last=last,
        fresh=pairs if fresh is None else fresh,
    )


def test_first_comes_a_published_rubric() -> None:
    assert "before a rubric is published" in next_step(Standing(84, 0)).sentence
    assert "still a draft" in next_step(Standing(84, 1)).sentence


def test_then_pairs() -> None:
    step = next_step(ready(pairs=0))
    assert "no pairs yet" in step.sentence
    assert step.route == "annotate:import_new"


def test_then_the_first_round() -> None:
    step = next_step(ready())
    assert "84 pairs are here" in step.sentence
    assert step.route == "annotate:round_new"


def test_an_open_round_waits_for_its_raters() -> None:
    one = next_step(ready(open_round(Left("Ines", 0), Left("Tom", 9))))
    assert one.need == Need.RATERS
    assert one.sentence.startswith("Tom has 9 pairs left in round 2")
    assert "1 pair left" in next_step(ready(open_round(Left("Tom", 1)))).sentence
    many = next_step(ready(open_round(Left("Ines", 3), Left("Tom", 9))))
    assert many.sentence.startswith("Two raters are still labelling round 2")


def test_a_round_that_everyone_finished_needs_the_lead() -> None:
    step = next_step(ready(open_round(Left("Ines", 0), Left("Tom", 0))))
    assert (step.need, step.route, step.number) == (Need.YOU, "annotate:round", 2)
    assert "Everyone has finished" in step.sentence


def test_a_closed_round_is_read() -> None:
    step = next_step(ready(closed()))
    assert (step.route, step.number) == ("annotate:round", 1)


def test_a_new_version_is_tried_on_fresh_pairs() -> None:
    step = next_step(replace(ready(closed(), fresh=44), version=VERSION_2))
    assert "no round has tried it yet" in step.sentence
    assert step.route == "annotate:round_new"


def test_an_open_round_comes_before_a_new_version() -> None:
    standing = Standing(84, 1, version=VERSION_2, last=open_round(Left("Tom", 9)))
    assert next_step(standing).need == Need.RATERS


@pytest.mark.parametrize(
    "standing",
    [
        pytest.param(ready(pairs=39), id="first round"),
        pytest.param(replace(ready(closed(), fresh=39), version=VERSION_2), id="new version"),
        pytest.param(
            ready(replace(closed(), says="Label another round.", wants_round=True), fresh=39),
            id="another round",
        ),
    ],
)
def test_where_too_few_pairs_are_fresh_more_are_imported_first(standing: Standing) -> None:
    step = next_step(standing)
    assert (step.action, step.route) == ("Import pairs", "annotate:import_new")
    assert "A round takes 40 fresh pairs and 39 are left: import more first." in step.sentence
    enough = next_step(replace(standing, fresh=40))
    assert (enough.action, enough.route) == ("Start a round", "annotate:round_new")


def test_one_pair_is_said_as_one() -> None:
    assert "1 pair is here" in next_step(ready(pairs=1)).sentence
    assert "40 fresh pairs and 1 is left" in next_step(ready(pairs=1)).sentence
    assert "none are left" in next_step(ready(pairs=1, fresh=0)).sentence


def test_a_round_that_nobody_has_begun_is_said_so() -> None:
    ines, tom = Left("Ines", 40, begun=False), Left("Tom", 40, begun=False)
    assert next_step(ready(open_round(ines, tom))).sentence == (
        "Nobody has begun round 2 yet; it waits for two raters."
    )
    some = next_step(ready(open_round(ines, tom, Left("Amara", 3)))).sentence
    assert some.startswith("Three raters have pairs left in round 2 (two have not begun); ")
    rest = next_step(ready(open_round(ines, tom, Left("Amara", 0)))).sentence
    assert rest.startswith("Two raters have pairs left in round 2 (two have not begun); ")
    one = next_step(ready(open_round(ines, Left("Amara", 0)))).sentence
    assert one.startswith("Ines has 40 pairs left in round 2")

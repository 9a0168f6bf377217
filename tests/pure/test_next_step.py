from __future__ import annotations

from annotate.pages.next_step import LastRound, Left, Need, Standing, next_step

VERSION_1, VERSION_2 = (1, 1), (1, 2)


def closed(number: int = 1, version: tuple[int, int] = VERSION_1) -> LastRound:
    return LastRound(number, open=False, version=version)


def open_round(*left: Left) -> LastRound:
    return LastRound(2, open=True, version=VERSION_1, left=left)


def ready(last: LastRound | None = None, pairs: int = 84) -> Standing:
    return Standing(pairs, 0, version=VERSION_1, version_name="Summaries, version 1", last=last)


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
    standing = Standing(
        84, 0, version=VERSION_2, version_name="Summaries, version 2", last=closed()
    )
    step = next_step(standing)
    assert "no round has tried it yet" in step.sentence
    assert step.route == "annotate:round_new"


def test_an_open_round_comes_before_a_new_version() -> None:
    standing = Standing(84, 1, version=VERSION_2, last=open_round(Left("Tom", 9)))
    assert next_step(standing).need == Need.RATERS

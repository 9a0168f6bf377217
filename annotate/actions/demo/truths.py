"""What is planted in a claim, as the checks of a version ask for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotate.actions.demo.claims import story
from annotate.simulation import Truth

# The check that version 2 has made of the second half of C1.
DATE = "C5"


def truth_of(claim: dict[str, Any], version: int = 1) -> Truth:
    """The planted answers; from version 2 on, event and date of loss are asked one by one."""
    planted = dict(claim["truth"])
    preference = planted.pop("preference")
    planted.pop("why")
    labels = {(key, side): code for key, sides in planted.items() for side, code in sides.items()}
    if version > 1:
        named = {tuple(place.split()) for place in story()["event_named"]}
        for side in "AB":
            labels[DATE, side] = labels["C1", side]
            if (claim["id"], side) in named:
                labels["C1", side] = "yes"
    return Truth(labels=labels, preference=preference)


def truth_in_round(claim: dict[str, Any], number: int, weights: dict[str, float]) -> Truth:
    """The same with what raters read in two ways and dispute in a round of the demo's story."""
    told = story()["rounds"][number]
    doubtful = {
        (key, place.split()[1])
        for key, places in told["doubtful"].items()
        for place in places
        if place.split()[0] == claim["id"]
    }
    truth = truth_of(claim, version=number)
    return replace(
        truth,
        doubtful=frozenset(doubtful),
        disputed=claim["id"] in told["disputed"],
        weights=weights,
    )

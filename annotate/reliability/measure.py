"""Reliability of one criterion: Krippendorff's alpha with all that it needs to be believed.

Undefined is a value with a reason, never 0, 1 or NaN. The point estimate is the krippendorff
package's up to 20 distinct values and our own additive form beyond, since the package's memory
grows with units x values^2; the two are tested equal at 1e-9.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import krippendorff
import numpy as np
import pandas as pd

from annotate.reliability.coding import MANY_VALUES, Coded, Floats, Level, Value, is_missing, read
from annotate.reliability.coincidence import Form, form_of, points_of
from annotate.reliability.intervals import Interval, bootstrap, unanimous
from rubrics.words import counted_noun

# Alphas that are equal as fractions (4/5) must not miss a bar by the last bit.
_ROUNDING = 1e-9
_MOSTLY_ONE_VALUE = 0.9
_CLEARLY_NEGATIVE = -0.1


@dataclass(frozen=True)
class Reliability:
    """What the ratings of one criterion amount to.

    `units` and `ratings` are the pairable ones (units with two or more ratings): all that alpha,
    `agreement` and `minority_units` rest on; the totals count every unit and rating. `agreement` is
    pooled: agreeing rater pairs / all rater pairs. `counts` are all ratings by value in scale
    order, with 0 for unused values of a given scale; `pairable_counts` those of pairable units.

    `usual` is the criterion's most common value over pairable units, None where there are none;
    `minority_units` are the pairable units that hold any rating off it. For a check of two values
    these are the units that some rater marked with the minority value, whether the others agreed or
    not: they are what alpha can be tested on. (A unit on which all say "fail" counts; a unit's own
    most common value plays no part.) Between equally common values the one that leaves fewer
    minority units is taken, so that no count flatters.

    `influence` is alpha without the cluster minus alpha; clusters that hold no pairable unit, or
    without which alpha is undefined, are absent.
    """

    criterion: str
    level: Level
    alpha: float | None
    reason: str | None
    interval: tuple[float, float] | None
    interval_reason: str | None
    units: int
    ratings: int
    units_total: int
    ratings_total: int
    agreement: float | None
    counts: tuple[tuple[Value, int], ...]
    pairable_counts: tuple[tuple[Value, int], ...]
    usual: Value | None
    minority_units: int
    clusters: int
    dropped_resamples: int = 0
    influence: Mapping[Any, float] = field(default_factory=dict)

    def public(self) -> dict[str, Any]:
        """The documented shape, ready for strict JSON."""
        return {
            "criterion": self.criterion,
            "level": self.level,
            "alpha": self.alpha,
            "reason": self.reason,
            "interval": None if self.interval is None else list(self.interval),
            "units": self.units,
            "ratings": self.ratings,
            "units_total": self.units_total,
            "ratings_total": self.ratings_total,
            "agreement": self.agreement,
        }


def reliability(
    frame: pd.DataFrame,
    *,
    criterion: str,
    level: Level,
    scale: Sequence[Value] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> Reliability:
    """Alpha, interval and counts from rows of `unit`, `rater`, `value` and `cluster`.

    What is missing, the order of values and the errors (all ValueError) are those of
    `coding.read`. `cluster` is what is resampled: the subject, or its group. The same rows, in any
    order, and seed give the same interval; `resamples=0` leaves interval and influence out.

    `reason` is no_ratings, no_pairable_units or no_variation where alpha is undefined;
    `interval_reason` repeats it, or is not_asked, too_few_clusters (fewer than two),
    too_little_variation (above 5% of the resamples had none), one_pattern (all clusters look the
    same and disagree, so that resampling them shows no spread) or biased_resamples (alpha lies
    outside the middle 95% of the resamples, as with values that hardly ever repeat: the bias
    correction would then give an interval without alpha in it).
    """
    everything = read(frame, level, scale)
    coded = everything.pairable()
    reason = _undefined(everything, coded)
    alpha, interval, influence = None, Interval(None, reason), {}
    usual, minority_units = _usual(coded)
    if reason is None:
        form = form_of(coded, level)
        many = len(coded.values) > MANY_VALUES
        alpha = form.whole() if many else _package_alpha(coded, level)
        if resamples:
            left_out = form.without()
            influence = _influence(coded, form, left_out - alpha)
            interval = _interval(coded, level, form, alpha, left_out, resamples, seed)
        else:
            interval = Interval(None, "not_asked")
    return Reliability(
        criterion=criterion,
        level=level,
        alpha=alpha,
        reason=reason,
        interval=interval.ends,
        interval_reason=interval.reason,
        units=coded.units,
        ratings=len(coded.code),
        units_total=everything.units,
        ratings_total=len(everything.code),
        agreement=_agreement(coded),
        counts=_counts(everything),
        pairable_counts=_counts(coded),
        usual=usual,
        minority_units=minority_units,
        clusters=len(coded.clusters),
        dropped_resamples=interval.dropped,
        influence=influence,
    )


def applying(frame: pd.DataFrame, na: str = "na") -> pd.DataFrame:
    """Whether raters say that the criterion applies at all: "applicable" or `na`, missing kept.

    The other figure of an ordinal or interval criterion that allows N/A rests on
    `applicable(frame)`. A nominal criterion needs neither: there N/A is a value of its own.
    """
    said = frame["value"].map(lambda value: "applicable" if _applies(value, na) else value)
    return frame.assign(value=said)


def applicable(frame: pd.DataFrame, na: str = "na") -> pd.DataFrame:
    """The rows that hold a value other than the N/A code."""
    return frame[frame["value"].map(lambda value: _applies(value, na)).astype(bool)]


def _applies(value: object, na: str) -> bool:
    return not is_missing(value) and value != na


def _undefined(everything: Coded, coded: Coded) -> str | None:
    if not everything.units:
        return "no_ratings"
    if not coded.units:
        return "no_pairable_units"
    return "no_variation" if len(coded.values) == 1 else None


def _package_alpha(coded: Coded, level: Level) -> float:
    alpha = krippendorff.alpha(
        value_counts=coded.value_counts,
        value_domain=points_of(coded) if level == "interval" else None,
        level_of_measurement=level,
    )
    return float(alpha)


def _interval(
    coded: Coded,
    level: Level,
    form: Form,
    alpha: float,
    left_out: Floats,
    resamples: int,
    seed: int,
) -> Interval:
    if (coded.squares == coded.sizes**2).all():
        return unanimous(coded, level)
    return bootstrap(form, alpha, left_out, resamples, seed)


def _influence(coded: Coded, form: Form, gained: Floats) -> dict[Any, float]:
    of_clusters = gained[form.member]
    known = ~np.isnan(of_clusters)
    return dict(zip(coded.clusters[known].tolist(), of_clusters[known].tolist(), strict=True))


def _agreement(coded: Coded) -> float | None:
    pairs = int((coded.sizes * (coded.sizes - 1)).sum())
    agreeing = int(coded.squares.sum()) - len(coded.code)
    return agreeing / pairs if pairs else None


def _counts(coded: Coded) -> tuple[tuple[Value, int], ...]:
    times = np.bincount(coded.code, minlength=len(coded.values))
    return tuple(zip(coded.values, times.tolist(), strict=True))


def _usual(coded: Coded) -> tuple[Value | None, int]:
    """The most common value and the number of units that hold any other."""
    if not coded.units:
        return None, 0
    times = np.bincount(coded.code)
    of_one_value = coded.squares == coded.sizes**2
    # A unit's first row tells its value where all its rows agree; rows are in unit order.
    first = coded.code[coded.sizes.cumsum() - coded.sizes]
    units_of_one_value = np.bincount(first[of_one_value], minlength=len(times))
    most_common = np.where(times == times.max(), units_of_one_value, -1)
    usual = int(most_common.argmax())
    return coded.values[usual], coded.units - int(units_of_one_value[usual])


@dataclass(frozen=True)
class Bars:
    """Where alpha clears (at or above), where it is tentative, and the minority units it takes.

    `thin_waits`: what clears with an interval that reaches below the tentative bar has not cleared
    enough for volume, and waits for more rounds.
    """

    clear: float = 0.8
    tentative: float = 0.667
    minority: int = 10
    thin_waits: bool = False


class Status(StrEnum):
    """What a reliability comes to under some bars."""

    CLEARS = "clears"
    CLEARS_THIN = "clears_thin"
    TENTATIVE = "tentative"
    BROKEN = "broken"
    NOT_TESTABLE = "not_testable"
    UNDEFINED = "undefined"


def status(reliability: Reliability, bars: Bars = Bars()) -> Status:
    """Too few minority units make any alpha, high or low, not testable yet.

    A criterion clears on its point estimate. It is thin when the interval reaches below the
    tentative bar, or when there is no interval to say otherwise.
    """
    if reliability.alpha is None:
        return Status.UNDEFINED
    if reliability.minority_units < bars.minority:
        return Status.NOT_TESTABLE
    if reliability.alpha < bars.tentative - _ROUNDING:
        return Status.BROKEN
    if reliability.alpha < bars.clear - _ROUNDING:
        return Status.TENTATIVE
    interval = reliability.interval
    thin = interval is None or interval[0] < bars.tentative - _ROUNDING
    return Status.CLEARS_THIN if thin else Status.CLEARS


def explain(reliability: Reliability) -> str:
    """Why alpha is undefined, in words; empty where it is defined."""
    match reliability.reason:
        case "no_ratings":
            return "no ratings"
        case "no_pairable_units":
            return f"no unit has two or more ratings ({_found(reliability)})"
        case "no_variation":
            return f"no variation: {_all_labels(reliability)}"
    return ""


def explain_interval(reliability: Reliability) -> str:
    """Why there is no interval though alpha is defined, in words; otherwise empty."""
    match reliability.interval_reason:
        case "not_asked":
            return "no interval: it was not asked for"
        case "too_few_clusters":
            return "no interval: all ratings belong to one subject or group"
        case "too_little_variation":
            return (
                f"no interval: {reliability.dropped_resamples} resamples had no variation, "
                "more than 5% of them"
            )
        case "one_pattern":
            return (
                "no interval: all subjects were labelled alike, so that resampling shows no spread"
            )
        case "biased_resamples":
            return "no interval: resampling shifts alpha too far to tell its spread"
    return ""


def notes(reliability: Reliability) -> tuple[str, ...]:
    """What a reader must know beside a defined alpha: low variation, systematic disagreement."""
    if reliability.alpha is None:
        return ()
    return tuple(note for note in (_low_variation(reliability), _negative(reliability)) if note)


def _low_variation(reliability: Reliability) -> str | None:
    if not _is_mostly_one_value(reliability):
        return None
    found = ", ".join(f"{value}: {times}" for value, times in reliability.pairable_counts if times)
    units = counted_noun(reliability.minority_units, "unit")
    return (
        f"low variation: {found}; alpha rests on {units} "
        f"with a label other than {reliability.usual}, so that a single disagreement moves it far"
    )


def _is_mostly_one_value(reliability: Reliability) -> bool:
    most = max(times for _, times in reliability.pairable_counts)
    return most >= _MOSTLY_ONE_VALUE * reliability.ratings


def _negative(reliability: Reliability) -> str | None:
    alpha, interval = reliability.alpha, reliability.interval
    if alpha is None or alpha >= -_ROUNDING:
        return None
    # A few scattered dissents put alpha just below zero for certain, with nothing reversed.
    if _is_mostly_one_value(reliability):
        return "alpha is just below zero: agreement is no better than chance"
    if interval[1] < 0 if interval else alpha <= _CLEARLY_NEGATIVE:
        return (
            "systematic disagreement: raters agree less often than by chance; "
            "check for reversed labels or sides"
        )
    return (
        "alpha is below zero, but not clearly: agreement is no better than chance; "
        "check for reversed labels or sides"
    )


def _all_labels(reliability: Reliability) -> str:
    value = next(value for value, times in reliability.pairable_counts if times)
    alike = counted_noun(reliability.ratings, "label")
    if reliability.ratings < reliability.ratings_total:
        alike += f" on {counted_noun(reliability.units, 'unit')} with two or more"
    return f"all {alike} are {value}"


def _found(reliability: Reliability) -> str:
    ratings = counted_noun(reliability.ratings_total, "rating")
    return f"{ratings} on {counted_noun(reliability.units_total, 'unit')}"

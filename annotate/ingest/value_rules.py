"""What a raw value of a ratings file means on a criterion's scale (`--value RAW=CODE`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from annotate.ingest.mapping import FlagError
from annotate.ingest.problems import listed, shown
from rubrics.content import NA

# ASCII digits only, and an exponent that cannot make a number of millions of digits.
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
MOST_DIGITS = 100

Code = str | float


class OutsideScale(ValueError):  # named for what it is, not for being an error
    """A value that the criterion does not have; the message names the scale."""


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """One check of a rubric version, as far as a label needs it.

    kind: 'gate', 'criterion' or 'preference'. values: codes in scale order (of the preference:
    from A to B), empty for the interval level, where bounds give (lowest, highest).
    unit: 'side' has a label per response, 'part' one per step or attempt, 'subject' one in all.
    """

    key: str
    kind: str
    level: Literal["nominal", "ordinal", "interval"]
    values: tuple[str, ...] = ()
    allows_na: bool = False
    unit: Literal["subject", "side", "part"] = "subject"
    bounds: tuple[float, float] | None = None

    def code(self, raw: str) -> Code | None:
        """The code that a text names: itself, or the equal number; None outside the scale."""
        if raw == NA and self.allows_na:
            return NA
        number = as_number(raw)
        if self.level == "interval":
            return self._within_bounds(number)
        if raw in self.values:
            return raw
        return next((v for v in self.values if number is not None and as_number(v) == number), None)

    def mirrored(self, code: Code) -> Code:
        """The code on the other half of the scale: what the label says of the swapped pair."""
        if not isinstance(code, str) or code not in self.values:
            return code
        return self.values[-1 - self.values.index(code)]

    def scale(self) -> str:
        """The scale in words, for messages."""
        if self.level == "interval":
            low, high = self.bounds or (None, None)
            words = "a number" if low is None else f"a number from {low:g} to {high:g}"
        else:
            words = listed(self.values)
        return f"{words}, {NA}" if self.allows_na else words

    def _within_bounds(self, number: Decimal | None) -> float | None:
        if number is None:
            return None
        low, high = self.bounds or (number, number)
        return float(number) if low <= number <= high else None


@dataclass(frozen=True, slots=True)
class Scheme:
    """The checks of a rubric version by key."""

    checks: Mapping[str, CheckSpec]

    @classmethod
    def of(cls, checks: Iterable[CheckSpec]) -> Scheme:
        return cls({check.key: check for check in checks})

    def get(self, key: str) -> CheckSpec | None:
        return self.checks.get(key)


@dataclass(frozen=True, slots=True)
class ValueRules:
    """`--value` flags by criterion ('' for all) and raw value, read as text and as number."""

    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    numbers: Mapping[tuple[str, Decimal], str] = field(default_factory=dict)

    @classmethod
    def parse(cls, flags: Sequence[str], scheme: Scheme) -> ValueRules:
        """Read `[CRITERION:]RAW=CODE`; an empty CODE means missing. Raises FlagError."""
        texts: dict[tuple[str, str], str] = {}
        numbers: dict[tuple[str, Decimal], str] = {}
        for flag in flags:
            criterion, raw, code = _parsed(flag, scheme)
            number = as_number(raw)
            before = texts.get((criterion, raw), code)
            if number is not None:
                before = numbers.setdefault((criterion, number), code)
            if before != code:
                raise FlagError("--value", flag, f"{shown(raw)} has another code already.")
            texts[criterion, raw] = code
        return cls(texts, numbers)

    def read(self, check: CheckSpec, raw: str | None) -> Code | None:
        """The code of a raw value, None where it is missing. Raises OutsideScale.

        A rule for the criterion wins over one for all; one for all applies only where its code
        is on the criterion's scale. Without a rule the value must name a code itself.
        """
        raw = (raw or "").strip()
        if not raw:
            return None
        number = as_number(raw)
        for criterion in (check.key, ""):
            rule = self.texts.get((criterion, raw))
            if rule is None and number is not None:
                rule = self.numbers.get((criterion, number))
            if rule == "":
                return None
            code = None if rule is None else check.code(rule)
            if code is not None:
                return code
        code = check.code(raw)
        if code is None:
            raise OutsideScale(
                f"The value {shown(raw)} is not on the scale of {check.key}: {check.scale()}. "
                "Say which of these it means, or that it means missing."
            )
        return code


def as_number(text: str) -> Decimal | None:
    """The number that a text writes, None if it writes none ('nan' is a text)."""
    if len(text) > MOST_DIGITS or not NUMBER.fullmatch(text):
        return None
    return Decimal(text)


def _parsed(flag: str, scheme: Scheme) -> tuple[str, str, str]:
    # A raw value may hold '=' and ':'; a code and a criterion's key may not.
    left, equals, code = flag.rpartition("=")
    code = code.strip()
    key, colon, rest = left.partition(":")
    criterion = key.strip() if colon and scheme.get(key.strip()) else ""
    raw = (rest if criterion else left).strip()
    if not equals or not raw:
        raise FlagError(
            "--value",
            flag,
            "write it as RAW=CODE or CRITERION:RAW=CODE. "
            "An empty value is missing and needs no rule.",
        )
    checks = [c for c in scheme.checks.values() if criterion in {"", c.key}]
    if code and all(check.code(code) is None for check in checks):
        scales = "; ".join(f"{check.key}: {check.scale()}" for check in checks[:20])
        raise FlagError("--value", flag, f"{shown(code)} is on no scale. {scales}.")
    return criterion, raw, code

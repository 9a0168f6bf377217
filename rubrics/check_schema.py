"""JSON Schemas of a rubric: taken or refused, and texts held to them, without network and end.

Pure: no Django, no I/O. The keywords are jsonschema's; replaced here are those that would use
Python's regular expressions or compare every item with every other.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT7, DRAFT201909, DRAFT202012

from rubrics.check_json import TOO_DEEP, NotJson, measure, short, value_of
from rubrics.check_patterns import PatternError, Patterns
from rubrics.check_work import Undecided, Work

MAX_SCHEMA = 50_000
# What one validation may cost: keywords and patterns looked at, and characters of what they looked
# at. The slowest of 14 schemas that were tried took two seconds of a processor.
MAX_STEPS = 200_000
MAX_WEIGHT = 10_000_000

_DRAFTS: dict[str, tuple[Any, Any]] = {
    "https://json-schema.org/draft/2020-12/schema": (Draft202012Validator, DRAFT202012),
    "https://json-schema.org/draft/2019-09/schema": (Draft201909Validator, DRAFT201909),
    "http://json-schema.org/draft-07/schema": (Draft7Validator, DRAFT7),
}
_NEWEST = next(iter(_DRAFTS))
_UNKNOWN = {
    "$dynamicRef": "write $ref",
    "$recursiveRef": "write $ref",
    "unevaluatedProperties": "use additionalProperties",
    "unevaluatedItems": "use items",
}
# Where schemas stand in a schema: as the value, in a list, or under names of the author's.
_ONE = frozenset(
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
    ]
)
_MANY = frozenset(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
_NAMED = frozenset(
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"]
)
# Those that look at the same value again: a circle of them never ends.
_IN_PLACE = frozenset(
    [
        "$ref",
        "allOf",
        "anyOf",
        "dependencies",
        "dependentSchemas",
        "else",
        "if",
        "not",
        "oneOf",
        "then",
    ]
)


class SchemaRefused(ValueError):
    """This JSON Schema is not taken; the message says why and what to do."""


@dataclass
class _Purse:
    """What a validation may still spend. `sizes` gives the characters in each list and object."""

    work: Work
    steps: int = MAX_STEPS
    weight: int = MAX_WEIGHT
    sizes: dict[int, int] = field(default_factory=dict)

    def pay(self, instance: object, told: object) -> None:
        self.weight -= self._size(instance) + 20 * (
            len(told) if isinstance(told, list | dict) else 0
        )
        self.step()

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0 or self.weight < 0:
            raise Undecided(_TOO_LONG)

    def _size(self, value: object) -> int:
        return len(value) if isinstance(value, str) else self.sizes.get(id(value), 20)


_TOO_LONG = "takes too long to compare with the schema"


def schema_text(schema: object) -> str:
    """A schema as the one text that stands for it: sorted keys, no blanks, plain ASCII."""
    return json.dumps(schema, sort_keys=True, separators=(",", ":"), allow_nan=False)


def refusal(text: str) -> str:
    """Why a schema (as JSON text) is not taken, and what to do; '' where it is taken."""
    try:
        _prepared(text)
    except SchemaRefused as refused:
        return str(refused)
    return ""


def problem(text: str, schema: str, work: Work) -> str:
    """What is first wrong with a text under a schema (as JSON text); '' where it fits.

    Raises NotJson for a text that is no JSON, SchemaRefused for a schema that is not taken, and
    Undecided where comparing takes too long or cannot be done.
    """
    value = value_of(text)
    purse = _Purse(work)
    measure(value, purse.sizes)
    validator = _validator(schema, purse)
    try:
        error = next(iter(validator.iter_errors(value)), None)
    except RecursionError:
        raise Undecided(_TOO_LONG) from None
    except (ArithmeticError, ValueError) as failure:
        said = f"cannot be compared with the schema ({type(failure).__name__})"
        raise Undecided(said) from None
    return _told(error) if error else ""


def _told(error: ValidationError | SchemaError) -> str:
    place = error.json_path.removeprefix("$").removeprefix(".")
    said = error.message if len(error.message) < 100 else f"does not fit {error.validator}"
    return f"{short(place)}: {said}" if place else said


@dataclass(frozen=True)
class _Prepared:
    schema: Any
    draft: Any
    specification: Any
    patterns: Patterns


@lru_cache(maxsize=32)
def _prepared(text: str) -> _Prepared:
    if len(text) > MAX_SCHEMA:
        raise SchemaRefused(f"has up to {MAX_SCHEMA:,} characters: this one is longer")
    try:
        schema = value_of(text)
    except NotJson as error:
        raise SchemaRefused(f"is no JSON: it {error}") from None
    if not isinstance(schema, dict):
        raise SchemaRefused("must be an object, such as {type: object, required: [answer]}")
    named = str(schema.get("$schema", _NEWEST)).removesuffix("#")
    if named not in _DRAFTS:
        raise SchemaRefused(f"has another $schema than those known here: {', '.join(_DRAFTS)}")
    draft, specification = _DRAFTS[named]
    patterns = Patterns()
    _refuse_parts(schema, patterns)
    try:
        # Its formats would hold patterns to Python's syntax; they are RE2's, and looked at above.
        draft.check_schema(schema, format_checker=None)
    except SchemaError as error:
        raise SchemaRefused(f"is no JSON Schema: {_told(error)}") from None
    except RecursionError:
        raise SchemaRefused(TOO_DEEP) from None
    _refuse_circles(schema, specification)
    return _Prepared(schema, draft, specification, patterns)


def _refuse_parts(schema: Any, kept: Patterns) -> None:
    for part in _schemas(schema):
        for name, instead in _UNKNOWN.items():
            if name in part:
                raise SchemaRefused(f"uses {name}, which is not taken here: {instead}")
        if part is not schema and "$id" in part:
            raise SchemaRefused("has an $id inside: only the whole schema may have one")
        reference = part.get("$ref", "#")
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise SchemaRefused(
                f"refers to {short(str(reference))}: nothing is fetched, so put it under $defs "
                "and refer to it as #/$defs/…"
            )
        patterns = [part["pattern"]] if isinstance(part.get("pattern"), str) else []
        if isinstance(part.get("patternProperties"), dict):
            patterns += part["patternProperties"]
        for pattern in patterns:
            try:
                kept.of(pattern)
            except PatternError as error:
                raise SchemaRefused(f"has the pattern {short(pattern)}, which {error}") from None


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of the schema that is a schema itself."""
    if isinstance(schema, dict):
        yield schema
        for _, inner in _inner(schema):
            yield from _schemas(inner)


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas right inside a schema, by the keyword they stand under."""
    for name, value in schema.items():
        if name in _MANY and isinstance(value, list):
            yield from ((name, each) for each in value)
        elif name in _NAMED and isinstance(value, dict):
            yield from ((name, each) for each in value.values())
        elif name in _ONE:
            yield name, value


def _refuse_circles(schema: Any, specification: Any) -> None:
    """References lead somewhere, and never back to where they started without a step down."""
    resolver = Registry().resolver_with_root(
        Resource.from_contents(schema, default_specification=specification)
    )
    done: set[int] = set()
    for part in _schemas(schema):
        trail: list[tuple[Any, Iterator[Any]]] = [(part, _same_value(part, resolver))]
        on_trail = {id(part)}
        while trail:
            current, steps = trail[-1]
            following = next(steps, None)
            if following is None:
                trail.pop()
                on_trail.discard(id(current))
                done.add(id(current))
            elif id(following) in on_trail:
                raise SchemaRefused("refers to itself without end: let one step go into a property")
            elif id(following) not in done:
                trail.append((following, _same_value(following, resolver)))
                on_trail.add(id(following))


def _same_value(part: Any, resolver: Any) -> Iterator[Any]:
    if not isinstance(part, dict):
        return
    if "$ref" in part:
        try:
            yield resolver.lookup(part["$ref"]).contents
        except Unresolvable:
            raise SchemaRefused(f"refers to {short(part['$ref'])}, which is not there") from None
    yield from (inner for name, inner in _inner(part) if name in _IN_PLACE)


Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]


def _validator(text: str, purse: _Purse) -> Validator:
    prepared = _prepared(text)
    own = _Own(prepared.patterns, purse)
    keywords: dict[str, Keyword] = {
        "pattern": own.pattern,
        "patternProperties": own.pattern_properties,
        "additionalProperties": own.additional_properties,
        "uniqueItems": _unique_items,
    }
    known = {**prepared.draft.VALIDATORS, **keywords}
    paid = {name: _paid(keyword, purse) for name, keyword in known.items()}
    made = extend(prepared.draft, paid)  # type: ignore[no-untyped-call]
    # An empty registry: jsonschema's own would fetch what a schema refers to.
    found: Validator = made(prepared.schema, registry=Registry())
    return found


def _paid(keyword: Keyword, purse: _Purse) -> Keyword:
    def looked_at(
        validator: Any, told: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError] | None:
        purse.pay(instance, told)
        return keyword(validator, told, instance, schema)

    return looked_at


@dataclass(frozen=True)
class _Own:
    """The keywords that hold patterns: RE2's, and every search is paid for."""

    patterns: Patterns
    purse: _Purse

    def _found(self, pattern: str, text: str) -> bool:
        self.purse.step()
        return self.patterns.of(pattern).found(text, self.purse.work)

    def pattern(
        self, _: Any, pattern: str, instance: Any, _schema: Any
    ) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not self._found(pattern, instance):
            yield ValidationError(f"does not match {short(pattern)}")

    def pattern_properties(
        self, validator: Any, patterns: Mapping[str, Any], instance: Any, _schema: Any
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        for pattern, inner in patterns.items():
            for name, value in instance.items():
                if self._found(pattern, name):
                    yield from validator.descend(value, inner, path=name, schema_path=pattern)

    def additional_properties(
        self, validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in instance.items():
            if name in known or any(self._found(pattern, name) for pattern in patterns):
                continue
            if allowed is False:
                yield ValidationError(f"the property {short(name)} is one too many")
            else:
                yield from validator.descend(value, allowed, path=name)


def _unique_items(_: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted is True and isinstance(instance, list):
        kept = {json.dumps(_comparable(item), sort_keys=True) for item in instance}
        if len(kept) < len(instance):
            yield ValidationError("an item is there twice")


def _comparable(value: Any) -> Any:
    """JSON Schema holds 1 and 1.0 for the same number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    return value

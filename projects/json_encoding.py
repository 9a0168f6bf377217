"""JSON as a database, a browser and a trainer can all read it: NaN and Infinity do not exist."""

from __future__ import annotations

import json
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder


class StrictEncoder(DjangoJSONEncoder):
    """SQLite would store NaN, PostgreSQL refuses it: refused here, so that both behave alike."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "allow_nan": False})


def dumps(value: object, *, indent: int | None = None) -> str:
    """`value` as JSON text; ValueError where it holds NaN or Infinity."""
    return json.dumps(value, cls=StrictEncoder, ensure_ascii=False, indent=indent)

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from projects.models import Rater

if TYPE_CHECKING:
    from collections.abc import Iterable


def give_pseudonyms(raters: Iterable[Rater]) -> None:
    """Releases carry the pseudonym; it is given at the first vote and never changes."""
    nameless = [rater for rater in raters if not rater.pseudonym]
    for rater in nameless:
        rater.pseudonym = f"R{secrets.token_hex(4)}"
    Rater.objects.bulk_update(nameless, ["pseudonym"], batch_size=500)

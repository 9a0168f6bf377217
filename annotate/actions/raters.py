from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.db.models import Case, CharField, Value, When

from projects.models import Rater

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

AT_ONCE = 500


def give_pseudonyms(raters: Iterable[Rater]) -> None:
    """Releases carry the pseudonym; it is given at the first vote and never changes.

    The rows may have been read a while ago: where another transaction was first, its pseudonym
    stands, and the raters given here carry it from now on.
    """
    nameless = [rater for rater in raters if rater.pseudonym is None]
    for start in range(0, len(nameless), AT_ONCE):
        _give(nameless[start : start + AT_ONCE])


def _give(raters: Sequence[Rater]) -> None:
    drawn = [When(pk=rater.pk, then=Value(f"R{secrets.token_hex(4)}")) for rater in raters]
    rows = Rater.objects.filter(pk__in=[rater.pk for rater in raters])
    # Once the lock is held, the condition is looked at again: the second giver finds it false.
    rows.filter(pseudonym__isnull=True).update(pseudonym=Case(*drawn, output_field=CharField()))
    given = dict(rows.values_list("pk", "pseudonym"))
    for rater in raters:
        rater.pseudonym = given[rater.pk]

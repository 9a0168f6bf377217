from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from django.db import transaction

from annotate.actions.round_notices import tell_if_all_in
from annotate.models import Assignment
from projects.actions import deactivate_user
from projects.audit import record

if TYPE_CHECKING:
    from projects.models import User


def end_account(*, user: User, acting_user: User | None) -> int:
    """End a person's access and free what they still hold; how many pairs that are.

    Votes stay and count as before. Drafts stay in their rows, unseen.
    """
    with transaction.atomic():
        user = deactivate_user(user=user, acting_user=acting_user)
        held = Assignment.objects.of_user(user).open().select_related("batch__project", "rater")
        freed = list(held.select_for_update(of=("self",)).order_by("pk"))
        Assignment.objects.filter(pk__in=[row.pk for row in freed]).update(
            state=Assignment.State.EXPIRED
        )
        for (batch, rater), count in Counter((row.batch, row.rater) for row in freed).items():
            record(
                "assignments.freed",
                project=batch.project,
                actor=acting_user,
                target=batch,
                rater=rater.pk,
                count=count,
            )
            tell_if_all_in(batch)
    return len(freed)

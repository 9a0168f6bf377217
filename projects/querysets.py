from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet
from django.utils import timezone

if TYPE_CHECKING:
    from projects.models import Job, Project, User

MAX_DELIVERIES = 3


class ProjectQuerySet(QuerySet["Project"]):
    def of(self, user: User) -> ProjectQuerySet:
        """The projects this person is a member of, in any role."""
        return self.filter(memberships__user=user).distinct()


class JobQuerySet(QuerySet["Job"]):
    def to_ring_again(self) -> JobQuerySet:
        """Jobs that nobody holds: never started, or their worker's lease has run out."""
        lost = Q(state="running", lease_until__lt=timezone.now())
        return self.filter(Q(state="pending") | lost, deliveries__lt=MAX_DELIVERIES)

    def given_up(self) -> JobQuerySet:
        """Jobs whose worker was lost as often as we are willing to try."""
        lost = Q(state="running", lease_until__lt=timezone.now())
        return self.filter(lost, deliveries__gte=MAX_DELIVERIES)

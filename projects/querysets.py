from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from projects.models import Job, Notice, Project, User

MAX_DELIVERIES = 3
# A notice that could not be mailed for so long is old news: it stays in the app alone.
MAIL_WITHIN = timedelta(days=2)


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


class NoticeQuerySet(QuerySet["Notice"]):
    def readable_by(self, user: User) -> NoticeQuerySet:
        """A person's notices of the projects they still belong to.

        What tells how far others are is for who leads now, whoever led when it was written; and so
        with what waits for a policy owner.
        """
        from projects.models import Membership, Notice, Role

        held = Membership.objects.filter(user=user, project=OuterRef("project"))
        verbs = Notice.Verb
        for_leads = Q(verb__in=(verbs.ALL_IN, verbs.REPORT, verbs.RULING_DECIDED))
        leads = Exists(held.filter(role=Role.LEAD))
        owners = Exists(held.filter(role=Role.POLICY_OWNER))
        for_whom = (~for_leads | leads) & (~Q(verb=verbs.RULING_OPENED) | owners)
        return self.filter(Exists(held), for_whom, user=user)

    def unread(self) -> NoticeQuerySet:
        return self.filter(read_at__isnull=True)

    def about(self, path: str) -> NoticeQuerySet:
        return self.filter(path=path)

    def asked_again(self, paths: Iterable[str]) -> NoticeQuerySet:
        """When leads asked raters to go on with what stands at these paths."""
        from projects.models import Notice

        return self.filter(verb=Notice.Verb.ASKED_AGAIN, path__in=paths)

    def to_mail(self) -> NoticeQuerySet:
        """Notices whose mail is due, or due again after a failure."""
        now = timezone.now()
        return self.filter(mail_due_at__lte=now, created_at__gt=now - MAIL_WITHIN)

    def older_than(self, age: timedelta) -> NoticeQuerySet:
        return self.filter(created_at__lt=timezone.now() - age)

from __future__ import annotations

import uuid
import zoneinfo
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from projects.json_encoding import StrictEncoder
from projects.querysets import JobQuerySet, NoticeQuerySet, ProjectQuerySet


def validate_time_zone(name: str) -> None:
    if name not in zoneinfo.available_timezones():
        raise ValidationError(
            "“%(name)s” is not a time zone such as Europe/Berlin.", params={"name": name}
        )


class User(AbstractUser):
    """A person who signs in. Votes hang on `Rater`, so an account can end and its labels stay."""

    class Keys(models.TextChoices):
        TWO_HANDS = "two_hands", "Both hands: the cells mirror them"
        LEFT_HAND = "left_hand", "Left hand alone"
        RIGHT_HAND = "right_hand", "Right hand alone"

    # Which keys the label page answers to.
    keys = models.CharField(max_length=16, choices=Keys, default=Keys.TWO_HANDS)
    # Whether notices come by e-mail too, where this installation sends any.
    mail_notices = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.get_full_name() or self.username


class Project(models.Model):
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    time_zone = models.CharField(max_length=64, default="UTC", validators=[validate_time_zone])
    # The bars of DESIGN §7: higher where lives or legal decisions hang on the labels.
    bar = models.FloatField(
        default=0.8, validators=[MinValueValidator(0.667), MaxValueValidator(1.0)]
    )
    tentative_bar = models.FloatField(
        default=0.667, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    # Whether volume waits for one more round where a check clears with a wide interval.
    thin_waits = models.BooleanField(default=False)
    stakes = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(tentative_bar__lte=F("bar")), name="project_bars_in_order"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    LEAD = "lead", "lead"
    EXPERT = "expert", "expert"
    POLICY_OWNER = "policy_owner", "policy owner"
    REVIEWER = "reviewer", "reviewer"
    ENGINEER = "engineer", "judge engineer"


class Membership(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "user", "role"], name="membership_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.project}"


class Rater(models.Model):
    """Whoever's labels are counted: a person, a name in an imported file, a judge, a simulation."""

    class Kind(models.TextChoices):
        PERSON = "person", "person"
        IMPORTED = "imported", "imported"
        JUDGE = "judge", "judge"
        SIMULATED = "simulated", "simulated"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="raters")
    user = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="raters"
    )
    kind = models.CharField(max_length=16, choices=Kind)
    name = models.CharField(max_length=200)
    # Given at the first vote, then kept for ever: releases carry it instead of the name.
    pseudonym = models.CharField(max_length=16, null=True, blank=True)  # noqa: DJ001

    class Meta:
        ordering = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "kind", "name"], name="rater_name_once"),
            models.UniqueConstraint(
                fields=["project", "user"],
                condition=Q(user__isnull=False),
                name="rater_once_per_person",
            ),
            models.UniqueConstraint(fields=["project", "pseudonym"], name="rater_pseudonym_once"),
            models.CheckConstraint(
                condition=Q(user__isnull=True) | Q(kind__in=["person", "simulated"]),
                name="rater_user_is_a_person",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Job(models.Model):
    """The progress of any long work. The row is the truth; the broker only rings the bell."""

    class State(models.TextChoices):
        PENDING = "pending", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=32)
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    params = models.JSONField(default=dict, encoder=StrictEncoder)
    result = models.JSONField(null=True, encoder=StrictEncoder)
    message = models.TextField(blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(null=True)
    deliveries = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes: ClassVar = [models.Index(fields=["state", "lease_until"], name="job_to_sweep")]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class Notice(models.Model):
    """Something a person is told in the app: plain words, and the page that it is about."""

    class Verb(models.TextChoices):
        OPENED = "round.opened"
        CLOSED = "round.closed"
        ASKED_AGAIN = "round.asked_again"
        # These say how far others are, or what was decided: for leads (NoticeQuerySet.readable_by).
        ALL_IN = "round.all_in"
        REPORT = "round.report"
        RULING_DECIDED = "ruling.decided"
        # That a split waits is for policy owners.
        RULING_OPENED = "ruling.opened"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="notices")
    verb = models.CharField(max_length=64)
    text = models.CharField(max_length=300)
    # A path of this site, never an address elsewhere.
    path = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)
    # When it is to be mailed, or tried again; null where it is not, or no longer.
    mail_due_at = models.DateTimeField(null=True)

    objects = NoticeQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["user"], condition=Q(read_at__isnull=True), name="notice_unread"),
            models.Index(
                fields=["mail_due_at"],
                condition=Q(mail_due_at__isnull=False),
                name="notice_to_mail",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class Event(models.Model):
    """The audit trail: one row for every write, in the transaction of that write."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, related_name="events")
    actor = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=48)
    target = models.CharField(max_length=120, blank=True)
    data = models.JSONField(default=dict, encoder=StrictEncoder)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes: ClassVar = [models.Index(fields=["project", "-id"], name="event_by_project")]

    def __str__(self) -> str:
        return f"{self.verb} {self.target}"

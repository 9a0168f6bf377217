from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, cast

from django.db import models
from django.db.models import Q

from projects.json_encoding import StrictEncoder
from projects.models import Project, User
from rubrics import document as documents
from rubrics.querysets import (
    AnchorQuerySet,
    CriterionQuerySet,
    GuardedQuerySet,
    Immutable,
    VersionQuerySet,
)


class Rubric(models.Model):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="rubrics")
    slug = models.SlugField()
    name = models.CharField(max_length=120)

    class Meta:
        ordering = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "slug"], name="rubric_slug_once"),
        ]

    def __str__(self) -> str:
        return self.name


class RubricVersion(models.Model):
    """One state of a rubric. `document` is its canonical form; the rows below are its index."""

    class Status(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHED = "published", "published"
        RETIRED = "retired", "retired"

    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField(default=1)
    status = models.CharField(max_length=16, choices=Status, default=Status.DRAFT)
    change_note = models.TextField(blank=True)
    # What changed in each check and why, by key; written while drafting, asked for at publication.
    change_notes = models.JSONField(default=dict, encoder=StrictEncoder)
    parent = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="children"
    )
    subject_kind = models.CharField(max_length=16, default="pair")
    document = models.TextField()
    digest = models.CharField(max_length=80)
    semantic_digest = models.CharField(max_length=80)
    warnings = models.JSONField(default=list, encoder=StrictEncoder)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = VersionQuerySet.as_manager()

    class Meta:
        ordering = ["-number", "-revision"]
        # Related managers write through the base manager: it must be guarded as well.
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["rubric", "number", "revision"], name="rubric_version_once"
            ),
            models.CheckConstraint(
                condition=Q(status="draft") | Q(published_at__isnull=False),
                name="published_version_has_its_time",
            ),
        ]

    def __str__(self) -> str:
        suffix = f".{self.revision}" if self.revision > 1 else ""
        return f"{self.rubric.slug}@{self.number}{suffix}"

    @property
    def in_words(self) -> str:
        """Its name in a sentence: 'version 2, revision 3 of Claim letters'."""
        revision = f", revision {self.revision}" if self.revision > 1 else ""
        return f"version {self.number}{revision} of {self.rubric.name}"

    @property
    def said(self) -> str:
        """What its author says of it: on the whole, then of each changed check that people read."""
        by_code = {check.key for check in self.content.of_kind("automatic")}
        notes = [
            f"{'Preference' if key == documents.PREFERENCE else key}: {note}"
            for key, note in self.change_notes.items()
            if key not in by_code
        ]
        return "\n".join(filter(None, [self.change_note, *notes]))

    @property
    def content(self) -> documents.Rubric:
        """The rubric as plain values, under this version's number."""
        return replace(documents.from_canonical(self.document), number=self.number)

    # What may still happen to a published version: it is retired.
    _RETIRING: ClassVar = {"status"}

    def stored_status(self) -> str | None:
        """What the database holds, whatever this instance was changed to since."""
        stored = type(self)._base_manager.filter(pk=self.pk)
        return stored.values_list("status", flat=True).first()

    def save(self, *args: Any, **kwargs: Any) -> None:
        retiring = (
            set(kwargs.get("update_fields") or ()) == self._RETIRING
            and self.status == self.Status.RETIRED
        )
        if self.stored_status() not in (None, self.Status.DRAFT) and not retiring:
            raise Immutable(f"{self} is published and never changes; draft the next version.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        if self.stored_status() not in (None, self.Status.DRAFT):
            raise Immutable(f"{self} is published and never deleted.")
        return super().delete(*args, **kwargs)


class VersionRow(models.Model):
    """A row that belongs to a version and is as immutable as that version."""

    class Meta:
        abstract = True

    def owning_version(self) -> RubricVersion:
        raise NotImplementedError

    def save(self, *args: Any, **kwargs: Any) -> None:
        self._guard()
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        self._guard()
        return super().delete(*args, **kwargs)

    def _guard(self) -> None:
        # The version it stands in, then the one this instance names: no row moves out or in.
        stands = cast("GuardedQuerySet[VersionRow]", type(self)._base_manager.filter(pk=self.pk))
        stands.guard()
        version = self.owning_version()
        if version.stored_status() != RubricVersion.Status.DRAFT:
            raise Immutable(f"{version} is published and never changes; draft the next version.")


class Criterion(VersionRow):
    """A gate, criterion, automatic check or the preference of one version."""

    class Kind(models.TextChoices):
        GATE = "gate", "gate"
        CRITERION = "criterion", "criterion"
        AUTOMATIC = "automatic", "automatic check"
        PREFERENCE = "preference", "preference"

    class Family(models.TextChoices):
        SUBJECT = "subject", "subject"
        SIDE = "side", "side of a pair"
        TEXT = "text", "text"
        STEP = "step", "step"
        ATTEMPT = "attempt", "attempt"
        ERROR_ITEM = "error_item", "error item"

    class Level(models.TextChoices):
        NOMINAL = "nominal", "nominal"
        ORDINAL = "ordinal", "ordinal"
        INTERVAL = "interval", "interval"

    version = models.ForeignKey(RubricVersion, on_delete=models.CASCADE, related_name="criteria")
    key = models.CharField(max_length=32)
    kind = models.CharField(max_length=16, choices=Kind)
    family = models.CharField(max_length=16, choices=Family)
    level = models.CharField(max_length=16, choices=Level)
    # Codes in scale order; empty at the interval level, where `bounds` holds [lowest, highest].
    values = models.JSONField(default=list, encoder=StrictEncoder)
    bounds = models.JSONField(null=True, blank=True, encoder=StrictEncoder)
    allows_na = models.BooleanField(default=False)
    weight = models.FloatField(null=True, blank=True)
    order = models.PositiveIntegerField()
    title = models.CharField(max_length=60, blank=True)
    text = models.TextField()
    help = models.TextField(blank=True)
    lineage = models.JSONField(null=True, blank=True, encoder=StrictEncoder)
    rule = models.JSONField(null=True, blank=True, encoder=StrictEncoder)
    # An automatic check that works as a gate.
    decides = models.BooleanField(default=False)

    objects = CriterionQuerySet.as_manager()

    class Meta:
        ordering = ["order"]
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "key"], name="criterion_key_once"),
            models.CheckConstraint(
                condition=Q(weight__isnull=True) | Q(weight__gt=0), name="criterion_weight_positive"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def heading(self) -> str:
        """The words for a narrow row."""
        return self.title or self.text

    def owning_version(self) -> RubricVersion:
        return self.version


class Anchor(VersionRow):
    """An example that passes or fails a check; its link to a source pair lives in annotate."""

    class Verdict(models.TextChoices):
        PASS = "pass", "pass"
        FAIL = "fail", "fail"

    class Origin(models.TextChoices):
        REAL = "real", "real"
        INVENTED = "invented", "invented"

    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="anchors")
    verdict = models.CharField(max_length=8, choices=Verdict)
    origin = models.CharField(max_length=8, choices=Origin)
    text = models.TextField()
    note = models.TextField(blank=True)
    order = models.PositiveIntegerField()

    objects = AnchorQuerySet.as_manager()

    class Meta:
        ordering = ["order"]
        base_manager_name = "objects"

    def __str__(self) -> str:
        return f"{self.verdict} anchor of {self.criterion}"

    def owning_version(self) -> RubricVersion:
        return self.criterion.version

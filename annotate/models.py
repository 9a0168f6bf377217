from __future__ import annotations

import uuid
from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotate.meeting_time import LASTS_AT_MOST
from annotate.querysets import (
    LIVE,
    AssignmentQuerySet,
    BatchQuerySet,
    EditQuerySet,
    LabelQuerySet,
    MeetingQuerySet,
    SubjectQuerySet,
    VoteQuerySet,
)
from projects.json_encoding import StrictEncoder
from projects.models import Job, Project, Rater, User
from rubrics.document import from_canonical
from rubrics.edits import is_there
from rubrics.models import Criterion, Rubric, RubricVersion

if TYPE_CHECKING:
    from datetime import datetime

    from annotate import ballot
    from rubrics.content import Rubric as RubricContent


class Import(models.Model):
    """One file on its way in. Its rows are staged; they appear together when `state` flips."""

    class State(models.TextChoices):
        STAGED = "staged", "staged"
        VISIBLE = "visible", "visible"
        ABANDONED = "abandoned", "abandoned"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=16)
    file_name = models.CharField(max_length=255)
    file_sha256 = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=State, default=State.STAGED)
    report = models.JSONField(default=dict, encoder=StrictEncoder)
    # A staged import whose worker died is swept away once this has passed.
    lease_until = models.DateTimeField()
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(state="staged"), name="import_one_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} from {self.file_name}"


class Subject(models.Model):
    """What is judged: a pair, a trace, a correction chain, an answer."""

    class Kind(models.TextChoices):
        PAIR = "pair", "pair"
        TRACE = "trace", "trace"
        CHAIN = "chain", "correction chain"
        ANSWER = "answer", "answer"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="subjects")
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.PAIR)
    external_id = models.CharField(max_length=200)
    # Subjects that share a prompt: resampled together, kept in one split.
    group_key = models.CharField(max_length=64, blank=True)
    # The same for the same texts, whatever the order of the responses; '' without texts.
    content_hash = models.CharField(max_length=64, blank=True)
    metadata = models.JSONField(default=dict, encoder=StrictEncoder)
    origin = models.ForeignKey(Import, on_delete=models.PROTECT, null=True, related_name="subjects")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SubjectQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project", "kind", "external_id"], name="subject_external_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["project", "content_hash"], name="subject_by_content"),
        ]

    def __str__(self) -> str:
        return self.external_id


class Part(models.Model):
    """A text of a subject. The key is '' for a one-text subject, A and B for a pair, else 0…"""

    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="parts")
    key = models.CharField(max_length=16, blank=True)
    # Null where only ratings could be had and the text may not be shared.
    text = models.TextField(null=True)  # noqa: DJ001

    class Meta:
        ordering = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["subject", "key"], name="part_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.subject_id}:{self.key}"


class StagedUpdate(models.Model):
    """New content for a subject that stands already; applied when its import appears."""

    origin = models.ForeignKey(Import, on_delete=models.CASCADE, related_name="updates")
    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="+")
    row = models.JSONField(encoder=StrictEncoder)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["origin", "subject"], name="staged_update_once"),
        ]

    def __str__(self) -> str:
        return f"update of {self.subject_id}"


class Detail(models.Model):
    """What a subject answers: the chat messages that led to it, and the context it draws on."""

    messages = models.JSONField(default=list, encoder=StrictEncoder)
    context = models.TextField(blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"details {self.pk}"


class Pair(Detail):
    subject = models.OneToOneField(Subject, on_delete=models.CASCADE, related_name="pair")
    model_a = models.CharField(max_length=200, blank=True)
    model_b = models.CharField(max_length=200, blank=True)


class Trace(Detail):
    subject = models.OneToOneField(Subject, on_delete=models.CASCADE, related_name="trace")
    model = models.CharField(max_length=200, blank=True)


class CorrectionChain(Detail):
    subject = models.OneToOneField(Subject, on_delete=models.CASCADE, related_name="chain")
    model = models.CharField(max_length=200, blank=True)


class Answer(Detail):
    subject = models.OneToOneField(Subject, on_delete=models.CASCADE, related_name="answer")
    model = models.CharField(max_length=200, blank=True)


class CheckResult(models.Model):
    """What code decided about a part (an automatic check)."""

    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="results")
    part = models.ForeignKey(Part, on_delete=models.CASCADE, related_name="results")
    code = models.CharField(max_length=16)
    detail = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["criterion", "part"], name="check_result_once"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.code}"


class AnchorSource(models.Model):
    """The passage of a pair that an anchor's text was taken from.

    Known by the rubric and the text: a draft is written anew with every edit, and later versions
    carry the anchor on, so no row of one version could hold it.
    """

    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="sources")
    # Of the anchor's text, in hexadecimal.
    text_sha256 = models.CharField(max_length=64)
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="anchored")
    part_key = models.CharField(max_length=16, blank=True)
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["rubric", "text_sha256"], name="anchor_source_once"),
        ]

    def __str__(self) -> str:
        return f"anchor from {self.subject_id}"

    @staticmethod
    def hash_of(text: str) -> str:
        return sha256(text.strip().encode()).hexdigest()


class Batch(models.Model):
    """Subjects given to raters under one rubric version: a round, a volume batch, an import."""

    class Kind(models.TextChoices):
        CALIBRATION = "calibration", "calibration round"
        VOLUME = "volume", "volume batch"
        IMPORTED = "imported", "imported votes"
        # Pairs with known answers, to learn a rubric on; no report ever reads one.
        PRACTICE = "practice", "practice"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="batches")
    version = models.ForeignKey(RubricVersion, on_delete=models.PROTECT, related_name="batches")
    kind = models.CharField(max_length=16, choices=Kind)
    # Calibration rounds are counted through a project's life; imports carry a name.
    number = models.PositiveIntegerField(null=True)
    name = models.CharField(max_length=120, blank=True)
    raters = models.ManyToManyField(Rater, related_name="batches")
    # Null asks for every check of the version, else the keys that are asked.
    criteria_scope = models.JSONField(null=True, encoder=StrictEncoder)
    seed = models.BigIntegerField(null=True)
    ask_after_gate = models.BooleanField(default=False)
    anonymous_raters = models.BooleanField(default=False)
    simulated = models.BooleanField(default=False)
    origin = models.OneToOneField(Import, on_delete=models.PROTECT, null=True, related_name="batch")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True)

    objects = BatchQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project", "number"],
                condition=Q(kind="calibration"),
                name="round_number_once",
            ),
            models.UniqueConstraint(
                fields=["project", "name"], condition=Q(kind="imported"), name="import_name_once"
            ),
            models.UniqueConstraint(
                fields=["version"], condition=Q(kind="practice"), name="practice_once_per_version"
            ),
            models.CheckConstraint(
                condition=~Q(kind="calibration") | Q(number__isnull=False),
                name="round_has_a_number",
            ),
            models.CheckConstraint(
                condition=~Q(kind="imported") | ~Q(name=""), name="imported_votes_have_a_name"
            ),
        ]

    def __str__(self) -> str:
        if self.kind == self.Kind.CALIBRATION:
            return f"Round {self.number}"
        return "Practice" if self.is_practice else self.name

    @property
    def is_practice(self) -> bool:
        return self.kind == self.Kind.PRACTICE


class Slot(models.Model):
    """One place for one rater on one subject of a batch."""

    class Role(models.TextChoices):
        NORMAL = "normal", "normal"
        GOLD = "gold", "gold"
        PROBE = "probe", "probe"
        PRACTICE = "practice", "practice"

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="slots")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="slots")
    n = models.PositiveSmallIntegerField()
    role = models.CharField(max_length=16, choices=Role, default=Role.NORMAL)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["batch", "subject", "n"], name="slot_once"),
        ]

    def __str__(self) -> str:
        return f"{self.batch_id}:{self.subject_id}:{self.n}"


class Assignment(models.Model):
    """A slot given to a rater: blind, in an order of sides and a queue of their own."""

    class State(models.TextChoices):
        ASSIGNED = "assigned", "assigned"
        SKIPPED = "skipped", "skipped"
        SUBMITTED = "submitted", "submitted"
        EXPIRED = "expired", "expired"
        SURPLUS = "surplus", "surplus"

    class Order(models.TextChoices):
        AB = "AB", "A on the left"
        BA = "BA", "B on the left"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    slot = models.ForeignKey(Slot, on_delete=models.PROTECT, related_name="assignments")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="assignments")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="assignments")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField()
    order = models.CharField(max_length=2, choices=Order)
    state = models.CharField(max_length=16, choices=State, default=State.ASSIGNED)
    lease_until = models.DateTimeField(null=True)
    # As the form holds it, sides as seen (Left, Right); made canonical at submit.
    draft = models.JSONField(default=dict, encoder=StrictEncoder)
    draft_revision = models.PositiveIntegerField(default=0)
    skip_reason = models.CharField(max_length=500, blank=True)
    skipped_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)
    # Seconds with a hand on the page, over all visits; pauses are capped (label-time.js).
    active_s = models.PositiveIntegerField(default=0)

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["rater", "subject", "batch"], name="assignment_once_per_rater"
            ),
            models.UniqueConstraint(
                fields=["slot"], condition=Q(state__in=LIVE), name="assignment_one_live_per_slot"
            ),
        ]
        indexes: ClassVar = [
            # The next pair and the progress of a rater, however large the batch.
            models.Index(fields=["rater", "batch", "state", "position"], name="assignment_queue"),
            models.Index(fields=["rater", "batch", "position"], name="assignment_places"),
        ]

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def seen_order(self) -> ballot.Order:
        """The side that this rater sees on the left, then the one on the right."""
        return "AB" if self.order == self.Order.AB else "BA"


class Vote(models.Model):
    """One rater's whole answer on one subject. An amended vote is a new revision."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="votes")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="votes")
    rater = models.ForeignKey(Rater, on_delete=models.PROTECT, related_name="votes")
    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, null=True, related_name="votes"
    )
    revision = models.PositiveIntegerField(default=1)
    current = models.BooleanField(default=True)
    # When the rater answered; null where an imported file does not say.
    at = models.DateTimeField(null=True)
    blind = models.BooleanField(default=True)
    # Canonical tokens, prose verbatim; shown with the order it was written under.
    rationale = models.TextField(blank=True)
    order = models.CharField(max_length=2, choices=Assignment.Order, blank=True)
    cites = models.JSONField(default=list, encoder=StrictEncoder)
    nothing_says_it = models.BooleanField(default=False)
    unclear = models.JSONField(default=list, encoder=StrictEncoder)
    # What the answer should have been, where both sides fail: a supervised example.
    rewrite = models.TextField(blank=True)
    # Of the assignment, when this revision was sent; null where nobody measured it.
    active_s = models.PositiveIntegerField(null=True)
    submit_key = models.UUIDField(null=True)
    detail = models.JSONField(default=dict, encoder=StrictEncoder)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = VoteQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["batch", "subject", "rater", "revision"], name="vote_revision_once"
            ),
            models.UniqueConstraint(
                fields=["batch", "subject", "rater"],
                condition=Q(current=True),
                name="vote_one_current",
            ),
            models.UniqueConstraint(
                fields=["assignment", "submit_key"], name="vote_one_per_submit"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject_id} by {self.rater_id}, revision {self.revision}"


class Label(models.Model):
    """One value in a vote, about one part (or, with key '', about the subject or its only text)."""

    class How(models.TextChoices):
        ASKED = "asked", "asked"
        AFTER_GATE = "after_gate", "asked after a deciding gate"
        CARRIED = "carried", "carried from another version"
        DERIVED = "derived", "derived"

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="labels")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="labels")
    part_key = models.CharField(max_length=16, blank=True)
    code = models.CharField(max_length=64, blank=True)
    number = models.FloatField(null=True)
    how = models.CharField(max_length=16, choices=How, default=How.ASKED)

    objects = LabelQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["vote", "criterion", "part_key"], name="label_once_per_unit"
            ),
            models.CheckConstraint(
                condition=(Q(code="") & Q(number__isnull=False))
                | (~Q(code="") & Q(number__isnull=True)),
                name="label_is_a_code_or_a_number",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}:{self.part_key}={self.code or self.number}"


class Evidence(models.Model):
    """A passage of a response that a rater attached to a check: where the label comes from."""

    vote = models.ForeignKey(Vote, on_delete=models.CASCADE, related_name="evidence")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="evidence")
    part_key = models.CharField(max_length=16, blank=True)
    # Code points of the readable text (annotate/rendering/readable.py), end exclusive.
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    quote = models.TextField()

    class Meta:
        ordering = ["part_key", "start", "id"]
        verbose_name_plural = "evidence"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["vote", "criterion", "part_key", "start", "end"], name="evidence_once"
            ),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="evidence_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}:{self.part_key} {self.start}-{self.end}"


class GoldAnswer(models.Model):
    """The known right answer on a subject under one rubric version, and why."""

    class Use(models.TextChoices):
        HIDDEN = "hidden", "hidden among the pairs of a batch"
        PROBE = "probe", "probe, planted in a calibration round"
        PRACTICE = "practice", "practice, with feedback"

    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="gold_answers")
    version = models.ForeignKey(
        RubricVersion, on_delete=models.PROTECT, related_name="gold_answers"
    )
    why = models.TextField(blank=True)
    use = models.CharField(max_length=16, choices=Use, default=Use.HIDDEN)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["subject", "version"], name="gold_answer_once"),
        ]

    def __str__(self) -> str:
        return f"gold for {self.subject_id}"


class GoldLabel(models.Model):
    gold = models.ForeignKey(GoldAnswer, on_delete=models.CASCADE, related_name="labels")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="gold_labels")
    part_key = models.CharField(max_length=16, blank=True)
    code = models.CharField(max_length=64)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["gold", "criterion", "part_key"], name="gold_label_once_per_unit"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}:{self.part_key}={self.code}"


class Ruling(models.Model):
    """What the policy owner decides about a persistent split. Votes are never touched by it."""

    class Decision(models.TextChoices):
        BOTH = "both", "both are acceptable"
        MISSING = "missing", "a rule was missing"
        ONE_SIDE = "one_side", "one side is right"
        EXCLUDE = "exclude", "left out of the data"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="rulings")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="rulings")
    question = models.TextField()
    decision = models.CharField(max_length=16, choices=Decision, blank=True)
    # The label that is right, where one side is.
    right_code = models.CharField(max_length=64, blank=True)
    answer = models.TextField(blank=True)
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(decision="", decided_at__isnull=True)
                | (~Q(decision="") & ~Q(answer="") & Q(decided_at__isnull=False)),
                name="ruling_decided_with_reason_and_time",
            ),
            models.CheckConstraint(
                condition=Q(right_code="") | Q(decision="one_side"),
                name="ruling_right_code_of_one_side",
            ),
        ]

    def __str__(self) -> str:
        return self.question[:80]


class Disagreement(models.Model):
    """A unit on which the raters of a batch differ, once somebody has sorted it.

    Those that nobody has sorted yet have no row: they are counted from the labels.
    """

    class Kind(models.TextChoices):
        SLIP = "slip", "slip"
        AMBIGUITY = "ambiguity", "ambiguity"
        WEIGHTING = "weighting", "weighting"
        LEGITIMATE = "legitimate", "legitimate"

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="disagreements")
    subject = models.ForeignKey(Subject, on_delete=models.PROTECT, related_name="disagreements")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="disagreements")
    part_key = models.CharField(max_length=16, blank=True)
    kind = models.CharField(max_length=16, choices=Kind, blank=True)
    # What the triage had suggested when somebody decided, and why: told apart from what they chose.
    suggested = models.CharField(max_length=16, choices=Kind, blank=True)
    suggested_why = models.TextField(blank=True)
    note = models.TextField(blank=True)
    ruling = models.ForeignKey(
        Ruling, on_delete=models.PROTECT, null=True, related_name="disagreements"
    )
    sorted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    sorted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["batch", "subject", "criterion", "part_key"], name="disagreement_once"
            ),
            models.CheckConstraint(
                condition=Q(kind="") | Q(sorted_at__isnull=False),
                name="disagreement_sorted_with_its_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject_id} on {self.criterion_id}"


class Meeting(models.Model):
    """An hour about the disagreements of one batch; its timer, and what it is minuted under."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="meetings")
    minutes = models.PositiveSmallIntegerField(default=60)
    started_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    objects = MeetingQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["batch"],
                condition=Q(ended_at__isnull=True),
                name="meeting_one_open_per_batch",
            ),
        ]

    def __str__(self) -> str:
        return f"meeting about {self.batch}"

    @property
    def over_at(self) -> datetime:
        """When it ended, by a press or because nobody pressed; to come while it runs."""
        return self.ended_at or self.started_at + LASTS_AT_MOST

    @property
    def was_forgotten(self) -> bool:
        return self.over_at == self.started_at + LASTS_AT_MOST <= timezone.now()


class Edit(models.Model):
    """A change of the next rubric version, and the disagreements that asked for it."""

    class Kind(models.TextChoices):
        ANCHOR = "anchor", "anchor added"
        REWORD = "reword", "reworded"
        SPLIT = "split", "split"
        MERGE = "merge", "merged"
        AUTOMATIC = "automatic", "moved to an automatic check"
        WEIGHT = "weight", "weight changed"
        SCALE = "scale", "scale changed"
        PROCEDURE = "procedure", "procedure changed"
        ADD = "add", "check added"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="edits")
    # Of the version it went into.
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=16, choices=Kind)
    # The check that was discussed, as the version before calls it, and those the draft has for it.
    key = models.CharField(max_length=32, blank=True)
    keys = models.JSONField(default=list, encoder=StrictEncoder)
    # What was entered, as `rubrics.edits` takes it.
    detail = models.JSONField(default=dict, encoder=StrictEncoder)
    note = models.TextField(blank=True)
    disagreements = models.ManyToManyField(Disagreement, related_name="edits")
    ruling = models.ForeignKey(Ruling, on_delete=models.PROTECT, null=True, related_name="edits")
    # The draft before it ('' where there was none) and the digest after: the way back.
    before = models.TextField(blank=True)
    after_digest = models.CharField(max_length=80)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    objects = EditQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes: ClassVar = [models.Index(fields=["rubric", "number"], name="edit_by_version")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.key}"

    def is_in(self, content: RubricContent) -> bool:
        """Whether a document still holds it: the editor may have written over it since."""
        return is_there(content, self.kind, self.keys, self.detail)

    @property
    def is_there(self) -> bool:
        """The same of the version it went into, where `with_document` fetched that."""
        document: str | None = vars(self)["document"]
        return document is not None and self.is_in(from_canonical(document))


class Waiver(models.Model):
    """A check that volume no longer waits for, and why: for one version of a rubric."""

    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="waivers")
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=32)
    reason = models.TextField()
    given_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    given_at = models.DateTimeField(auto_now_add=True)
    withdrawn_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["rubric", "number", "key"],
                condition=Q(withdrawn_at__isnull=True),
                name="waiver_one_standing_per_check",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="waiver_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.key} waived in version {self.number}"


class Release(models.Model):
    """An export that left the house, with the manifest that traces it."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="releases")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="releases")
    format = models.CharField(max_length=16)
    policy = models.CharField(max_length=16)
    manifest = models.JSONField(encoder=StrictEncoder)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"release {self.public_id}"


class Upload(models.Model):
    """A file that a person brought to the site and has not imported yet: looked at first."""

    class Kind(models.TextChoices):
        PAIRS = "pairs", "pairs"
        VOTES = "votes", "votes"

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="uploads")
    kind = models.CharField(max_length=16, choices=Kind)
    file_name = models.CharField(max_length=255)
    # Where it is kept; '' once it has been imported or thrown away.
    path = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    # The flags of the import commands as they stand on the page.
    flags = models.JSONField(default=dict, encoder=StrictEncoder)
    job = models.ForeignKey(Job, on_delete=models.PROTECT, null=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.file_name


class RenderedText(models.Model):
    """Safe HTML of a text, made once; the key hashes the text and the renderer's version."""

    key = models.CharField(max_length=64, primary_key=True)
    html = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key


class Snapshot(models.Model):
    """A report computed once for exactly this input; the key hashes the input."""

    key = models.CharField(max_length=64, primary_key=True)
    data = models.JSONField(encoder=StrictEncoder)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.key

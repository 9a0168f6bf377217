import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import projects.json_encoding

KINDS = [
    ("slip", "slip"),
    ("ambiguity", "ambiguity"),
    ("weighting", "weighting"),
    ("legitimate", "legitimate"),
]
EDITS = [
    ("anchor", "anchor added"),
    ("reword", "reworded"),
    ("split", "split"),
    ("merge", "merged"),
    ("automatic", "moved to an automatic check"),
    ("weight", "weight changed"),
    ("scale", "scale changed"),
    ("procedure", "procedure changed"),
    ("add", "check added"),
]
DECISIONS = [
    ("both", "both are acceptable"),
    ("missing", "a rule was missing"),
    ("one_side", "one side is right"),
    ("exclude", "left out of the data"),
]
USES = [
    ("hidden", "hidden among the pairs of a batch"),
    ("probe", "probe, planted in a calibration round"),
    ("practice", "practice, with feedback"),
]


def key():
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def public_id():
    return models.UUIDField(default=uuid.uuid4, editable=False, unique=True)


def person():
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
    )


def plain(default):
    return models.JSONField(default=default, encoder=projects.json_encoding.StrictEncoder)


def of(model, name, on_delete=django.db.models.deletion.PROTECT, **options):
    return models.ForeignKey(model, on_delete=on_delete, related_name=name, **options)


CASCADE = django.db.models.deletion.CASCADE


class Migration(migrations.Migration):
    dependencies = [
        ("annotate", "0005_assignment_queue_index"),
        ("projects", "0003_mailed_notices"),
        ("rubrics", "0003_change_notes_and_deciding_checks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # Until now nothing wrote sources of anchors or rulings: both tables are empty.
        migrations.DeleteModel("AnchorSource"),
        migrations.RemoveField("disagreement", "ruling"),
        migrations.DeleteModel("Ruling"),
        migrations.CreateModel(
            name="AnchorSource",
            fields=[
                ("id", key()),
                ("text_sha256", models.CharField(max_length=64)),
                ("part_key", models.CharField(blank=True, max_length=16)),
                ("start", models.PositiveIntegerField(null=True)),
                ("end", models.PositiveIntegerField(null=True)),
                ("rubric", of("rubrics.rubric", "sources", CASCADE)),
                ("subject", of("annotate.subject", "anchored")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rubric", "text_sha256"), name="anchor_source_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                ("id", key()),
                ("public_id", public_id()),
                ("question", models.TextField()),
                (
                    "decision",
                    models.CharField(blank=True, choices=DECISIONS, max_length=16),
                ),
                ("right_code", models.CharField(blank=True, max_length=64)),
                ("answer", models.TextField(blank=True)),
                ("opened_at", models.DateTimeField(auto_now_add=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("decided_by", person()),
                ("opened_by", person()),
                ("project", of("projects.project", "rulings", CASCADE)),
                ("subject", of("annotate.subject", "rulings")),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(decision="", decided_at__isnull=True)
                        | (
                            ~models.Q(decision="")
                            & ~models.Q(answer="")
                            & models.Q(decided_at__isnull=False)
                        ),
                        name="ruling_decided_with_reason_and_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(right_code="") | models.Q(decision="one_side"),
                        name="ruling_right_code_of_one_side",
                    ),
                ],
            },
        ),
        migrations.AlterModelOptions(name="disagreement", options={"ordering": ["id"]}),
        migrations.AddField(
            "disagreement", "ruling", of("annotate.ruling", "disagreements", null=True)
        ),
        migrations.AddField(
            "disagreement",
            "suggested",
            models.CharField(blank=True, choices=KINDS, max_length=16),
        ),
        migrations.AddField("disagreement", "suggested_why", models.TextField(blank=True)),
        migrations.AddConstraint(
            "disagreement",
            models.CheckConstraint(
                condition=models.Q(kind="") | models.Q(sorted_at__isnull=False),
                name="disagreement_sorted_with_its_time",
            ),
        ),
        migrations.CreateModel(
            name="Meeting",
            fields=[
                ("id", key()),
                ("public_id", public_id()),
                ("minutes", models.PositiveSmallIntegerField(default=60)),
                ("started_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("batch", of("annotate.batch", "meetings")),
                ("started_by", person()),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("batch",),
                        condition=models.Q(ended_at__isnull=True),
                        name="meeting_one_open_per_batch",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Edit",
            fields=[
                ("id", key()),
                ("public_id", public_id()),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(choices=EDITS, max_length=16)),
                ("key", models.CharField(blank=True, max_length=32)),
                ("keys", plain(list)),
                ("detail", plain(dict)),
                ("note", models.TextField(blank=True)),
                ("before", models.TextField(blank=True)),
                ("after_digest", models.CharField(max_length=80)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "disagreements",
                    models.ManyToManyField(related_name="edits", to="annotate.disagreement"),
                ),
                ("made_by", person()),
                ("rubric", of("rubrics.rubric", "edits", CASCADE)),
                ("ruling", of("annotate.ruling", "edits", null=True)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["rubric", "number"], name="edit_by_version")],
            },
        ),
        migrations.CreateModel(
            name="Waiver",
            fields=[
                ("id", key()),
                ("number", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=32)),
                ("reason", models.TextField()),
                ("given_at", models.DateTimeField(auto_now_add=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                ("given_by", person()),
                ("rubric", of("rubrics.rubric", "waivers", CASCADE)),
                ("withdrawn_by", person()),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rubric", "number", "key"),
                        condition=models.Q(withdrawn_at__isnull=True),
                        name="waiver_one_standing_per_check",
                    ),
                    models.CheckConstraint(
                        condition=~models.Q(reason=""), name="waiver_has_a_reason"
                    ),
                ],
            },
        ),
        migrations.AlterField(
            "goldanswer",
            "use",
            models.CharField(choices=USES, default="hidden", max_length=16),
        ),
    ]

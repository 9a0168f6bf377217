from django.urls import path

from annotate.views import (
    asking,
    components,
    disagreements,
    gold,
    home,
    label,
    practice,
    readiness,
    reading,
    reports,
    rounds,
    rounds_table,
    rulings,
    units,
    uploads,
    version_edits,
)

app_name = "annotate"

# One line per page, sorted by its address.
urlpatterns = [
    path("", home.home, name="home"),
    path("components/", components.components, name="components"),
    path("label/<uuid:batch_id>/", label.label_next, name="label_next"),
    path("label/<uuid:batch_id>/mine/", label.label_mine, name="label_mine"),
    path("label/<uuid:batch_id>/practice/", practice.practice, name="practice"),
    path("label/pair/<uuid:public_id>/", label.label_pair, name="label_pair"),
    path("label/pair/<uuid:public_id>/back/", label.label_previous, name="label_previous"),
    path("label/pair/<uuid:public_id>/forward/", label.label_following, name="label_following"),
    path("label/pair/<uuid:public_id>/draft/", label.label_draft, name="label_draft"),
    path(
        "label/pair/<uuid:public_id>/difference/",
        reading.label_difference,
        name="label_difference",
    ),
    path(
        "label/pair/<uuid:public_id>/feedback/",
        practice.practice_feedback,
        name="practice_feedback",
    ),
    path("label/pair/<uuid:public_id>/source/", reading.label_source, name="label_source"),
    path("p/<slug:slug>/", home.project, name="project"),
    path(
        "p/<slug:slug>/batches/<uuid:batch_id>/disagreements.csv",
        disagreements.disagreements_csv,
        name="disagreements_csv",
    ),
    path(
        "p/<slug:slug>/batches/<uuid:batch_id>/disagreements/",
        disagreements.disagreements,
        name="disagreements",
    ),
    path("p/<slug:slug>/batches/<uuid:batch_id>/units/", units.batch_units, name="units"),
    path("p/<slug:slug>/gold/", gold.gold, name="gold"),
    path("p/<slug:slug>/history/<slug:rubric>/", rounds_table.rounds_table, name="rounds_table"),
    path(
        "p/<slug:slug>/history/<slug:rubric>/rounds.csv",
        rounds_table.rounds_table_csv,
        name="rounds_csv",
    ),
    path("p/<slug:slug>/import/", uploads.import_new, name="import_new"),
    path("p/<slug:slug>/import/<uuid:public_id>/", uploads.upload, name="upload"),
    path("p/<slug:slug>/imported/<path:name>/", reports.imported_report, name="imported"),
    path(
        "p/<slug:slug>/jobs/<uuid:public_id>/refused.csv",
        uploads.refused_report,
        name="refused_report",
    ),
    path(
        "p/<slug:slug>/jobs/<uuid:public_id>/refused.jsonl",
        uploads.refused_rows,
        name="refused_rows",
    ),
    path("p/<slug:slug>/readiness/", readiness.readiness, name="readiness"),
    path("p/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("p/<slug:slug>/rounds/<int:number>/", reports.round_report, name="round"),
    path("p/<slug:slug>/rounds/<int:number>/ask/", asking.round_ask, name="round_ask"),
    path("p/<slug:slug>/rounds/<int:number>/close/", rounds.round_close, name="round_close"),
    path("p/<slug:slug>/rounds/new/", rounds.round_new, name="round_new"),
    path(
        "p/<slug:slug>/rubrics/<slug:rubric>/<int:number>/asked/",
        version_edits.version_edits,
        name="version_edits",
    ),
    path("p/<slug:slug>/rulings/", rulings.rulings, name="rulings"),
    path("p/<slug:slug>/rulings/<uuid:public_id>/", rulings.ruling, name="ruling"),
    path("p/<slug:slug>/subjects/<uuid:public_id>/", units.subject, name="subject"),
    path("p/<slug:slug>/subjects/<uuid:public_id>/gold/", gold.subject_gold, name="subject_gold"),
]

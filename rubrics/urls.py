from django.urls import path

from rubrics.views import comparing, discarding, drafting, pages, publishing

app_name = "rubrics"

# A rubric's slug is free, so nothing else may live right under rubrics/.
urlpatterns = [
    path("p/<slug:slug>/new-rubric/", drafting.draft, name="draft"),
    path("p/<slug:slug>/rubrics/", pages.rubrics, name="rubrics"),
    path("p/<slug:slug>/rubrics/<slug:rubric>/", pages.rubric, name="rubric"),
    path("p/<slug:slug>/rubrics/<slug:rubric>/compare/", comparing.compare, name="compare"),
    path("p/<slug:slug>/rubrics/<slug:rubric>/<int:number>/", pages.version, name="version"),
    path(
        "p/<slug:slug>/rubrics/<slug:rubric>/<int:number>/publish/",
        publishing.publish,
        name="publish",
    ),
    path(
        "p/<slug:slug>/rubrics/<slug:rubric>/<int:number>/discard/",
        discarding.discard,
        name="discard",
    ),
    path(
        "p/<slug:slug>/rubrics/<slug:rubric>/<int:number>/rubric.yaml", pages.source, name="source"
    ),
]

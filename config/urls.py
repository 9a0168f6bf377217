from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("projects.urls")),
    path("", include("rubrics.urls")),
    path("", include("annotate.urls")),
]

handler400 = "projects.refusals.bad_request"

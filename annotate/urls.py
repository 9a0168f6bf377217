from django.urls import path

from annotate.views import home

app_name = "annotate"

# One line per page, sorted by its address.
urlpatterns = [
    path("", home.home, name="home"),
    path("p/<slug:slug>/", home.project, name="project"),
]

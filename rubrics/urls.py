from django.urls import URLPattern

app_name = "rubrics"

urlpatterns: list[URLPattern] = []

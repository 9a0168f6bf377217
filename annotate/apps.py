from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class AnnotateConfig(AppConfig):
    name = "annotate"


class CalibrantAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "annotate.admin_site.CalibrantAdminSite"

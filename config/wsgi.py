import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

# Pages import pandas, which takes seconds: before the first request, not during it.
get_resolver().url_patterns  # noqa: B018

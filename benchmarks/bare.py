"""The floor that the label page is measured against: a plain page and a plain write in Django.

The page is for somebody who is signed in: session, user and one list, three queries and 15 KB of
HTML from one template. The write is a form that the same person posts, with its token: session,
user and one INSERT.
"""

from collections.abc import Callable

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template import Context, Engine
from django.urls import path
from django.utils import timezone

from annotate.models import Subject

MIDDLEWARE = [
    "benchmarks.bare.own_addresses",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROWS = 40
PAGE = Engine(debug=settings.DEBUG).from_string("""<!doctype html>
<html lang="en"><head><title>{{ user.username }}</title></head><body>
<form method="post"><input name="csrfmiddlewaretoken" value="{{ token }}"></form>
<table>{% for row in rows %}
  <tr class="{% if forloop.first %}first{% else %}other{% endif %}">
    <th scope="row"><a href="/rows/{{ row.pk }}/">{{ row.external_id }}</a></th>
    <td>{{ row.created_at|date:"j F Y, H:i" }}</td>
    <td>{% if row.kind == "pair" %}<b>{{ row.get_kind_display }}</b>{% endif %}</td>
    <td>{{ row.content_hash }}, {{ row.public_id }}, and what else a row of a list may say</td>
  </tr>{% endfor %}
</table></body></html>
""")


def own_addresses(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Both handlers live in one process: overriding ROOT_URLCONF would empty Django's caches."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.urlconf = "benchmarks.bare"
        return get_response(request)

    return middleware


def page(request: HttpRequest) -> HttpResponse:
    rows = Subject.objects.order_by("pk")[:ROWS]
    return HttpResponse(
        PAGE.render(Context({"rows": rows, "user": request.user, "token": get_token(request)}))
    )


def write(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    key = f"{request.user.pk}:{now.timestamp():.6f}"
    with transaction.atomic():
        Session.objects.create(session_key=key, session_data="", expire_date=now)
    return HttpResponse("ok")


urlpatterns = [path("page/", page), path("write/", write)]

"""The floor that the label page is measured against: a plain page and a plain write in Django.

Both as anybody would write them. The page is for somebody who is signed in: session, user and one
list, three queries and 15 KB of HTML from one template with its links. The write is a form that
the same person posts, with its token: session, user and one INSERT.
"""

from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path
from django.utils import timezone

from annotate.models import Subject

ROWS = 40
PAGE = engines["django"].from_string("""<!doctype html>
<html lang="en"><head><title>{{ request.user.username }}</title></head><body>
<form method="post" action="{% url "write" %}">{% csrf_token %}</form>
<table>{% for row in rows %}
  <tr class="{% if forloop.first %}first{% else %}other{% endif %}">
    <th scope="row"><a href="{% url "row" row.pk %}">{{ row.external_id }}</a></th>
    <td>{{ row.created_at|date:"j F Y, H:i" }}</td>
    <td>{% if row.kind == "pair" %}<b>{{ row.get_kind_display }}</b>{% endif %}</td>
    <td>{{ row.content_hash }}, {{ row.public_id }}, and what else a row may say</td>
  </tr>{% endfor %}
</table></body></html>
""")


def page(request: HttpRequest, row: int = 0) -> HttpResponse:
    rows = Subject.objects.filter(pk__gte=row).order_by("pk")[:ROWS]
    return HttpResponse(PAGE.render({"rows": rows}, request))


def write(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    key = f"{request.user.pk}:{now.timestamp():.6f}"
    with transaction.atomic():
        Session.objects.create(session_key=key, session_data="", expire_date=now)
    return HttpResponse("ok")


urlpatterns = [
    path("page/", page, name="page"),
    path("page/<int:row>/", page, name="row"),
    path("write/", write, name="write"),
]

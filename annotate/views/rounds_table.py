from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.access import rubric_history_for
from annotate.pages.rounds_csv import rounds_csv
from annotate.pages.rounds_table import rounds_table as table_of
from projects.access import user_of
from projects.models import Role

if TYPE_CHECKING:
    from django.http import HttpRequest

# Whose rounds are looked at: they are never mixed.
RATERS = {"real": False, "simulated": True}


@require_safe
def rounds_table(request: HttpRequest, slug: str, rubric: str) -> HttpResponse:
    user = user_of(request)
    project, versions = rubric_history_for(user, slug, rubric, Role.LEAD)
    simulated = RATERS.get(request.GET.get("raters", ""))
    table = table_of(project, versions, user, simulated=simulated) if versions else None
    context = {"project": project, "roles": frozenset([Role.LEAD]), "table": table}
    return render(request, "annotate/rounds_table.html", context)


@require_safe
def rounds_table_csv(request: HttpRequest, slug: str, rubric: str) -> HttpResponse:
    """The same numbers for a spreadsheet: a row for each check in each version."""
    user = user_of(request)
    project, versions = rubric_history_for(user, slug, rubric, Role.LEAD)
    simulated = RATERS.get(request.GET.get("raters", ""))
    table = table_of(project, versions, user, simulated=simulated) if versions else None
    response = HttpResponse(rounds_csv(table), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{rubric}-rounds.csv"'
    return response

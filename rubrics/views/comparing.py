from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from projects.access import roles_of, user_of
from rubrics import redline
from rubrics.access import is_lead, rubric_for, versions_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest

    from rubrics.models import RubricVersion

_ASKED = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,9}))?")


@require_safe
def compare(request: HttpRequest, slug: str, rubric: str) -> HttpResponse:
    """Any two versions of a rubric as one text with its changes marked."""
    user = user_of(request)
    found = rubric_for(user, slug, rubric)
    versions = list(versions_for(user, found))
    after = _asked(request.GET.get("to"), versions) or versions[0]
    before = _asked(request.GET.get("from"), versions) or _earlier(after, versions)
    old, new = before.content, after.content
    if not is_lead(user, found.project):
        old, new = old.for_raters, new.for_raters
    context = {
        "project": found.project,
        "roles": roles_of(user, found.project),
        "rubric": found,
        "versions": versions,
        "before": before,
        "after": after,
        # Only help texts, notes and the like may differ under one number.
        "same_meaning": before.semantic_digest == after.semantic_digest,
        "redline": redline.redline(old, new),
        "changed_only": request.GET.get("only") == "changed",
    }
    return render(request, "rubrics/compare.html", context)


def _asked(asked: str | None, versions: Sequence[RubricVersion]) -> RubricVersion | None:
    """The version named '2' (its latest published revision, else the draft) or '2.1'."""
    if not asked:
        return None
    match = _ASKED.fullmatch(asked)
    if match is None:
        raise Http404
    number, revision = int(match[1]), match[2]
    named = [version for version in versions if version.number == number]
    if revision is not None:
        named = [version for version in named if version.revision == int(revision)]
    released = [version for version in named if version.status != version.Status.DRAFT]
    if not named:
        raise Http404
    return (released or named)[0]


def _earlier(after: RubricVersion, versions: Sequence[RubricVersion]) -> RubricVersion:
    """The version it was made from, where this reader may see it; else itself."""
    parents = [version for version in versions if version.pk == after.parent_id]
    return parents[0] if parents else after

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import labelling
from annotate.access import assignment_for, own_batch_for
from annotate.actions import votes
from annotate.actions.votes import BatchClosed, SavedElsewhere, VoteRefused
from annotate.assignment import next_for
from annotate.labelling import ballot_for, fields_from
from annotate.pages.label import draft_state, label_page
from annotate.pages.own_pairs import own_pairs
from projects.access import user_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any
    from uuid import UUID

    from django.http import HttpRequest

    from annotate.models import Assignment

INSERT = "insert:"


class SeeOther(HttpResponseRedirect):
    """After a form: the next page is fetched, the form is not sent again."""

    status_code = 303


@never_cache
@require_safe
def label_next(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    """The next open pair of a rater, or what they have done."""
    user = user_of(request)
    batch = own_batch_for(user, batch_id)
    rater = batch.raters.get(user=user)
    if following := next_for(rater, batch):
        return HttpResponseRedirect(_page_url(following))
    own = own_pairs(user, batch)
    return render(request, "annotate/label_pairs.html", {"own": own, "finished": True})


@never_cache
@require_safe
def label_mine(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    user = user_of(request)
    own = own_pairs(user, own_batch_for(user, batch_id))
    return render(request, "annotate/label_pairs.html", {"own": own})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def label_pair(request: HttpRequest, public_id: UUID) -> HttpResponse:
    assignment = assignment_for(user_of(request), public_id)
    if request.method != "POST":
        votes.opened(assignment=assignment)
        return _page(request, assignment)
    try:
        return _act(request, assignment)
    except BatchClosed:
        return _page(request, assignment, status=409, fields=_sent(request, assignment))
    except VoteRefused as refusal:
        return _page(request, assignment, status=422, errors=refusal.problems)


@never_cache
@require_POST
def label_draft(request: HttpRequest, public_id: UUID) -> JsonResponse:
    """Keep what has been entered so far; the revision is the acknowledgement."""
    user = user_of(request)
    assignment = assignment_for(user, public_id)
    _require_form(request)
    try:
        saved = votes.save_draft(
            assignment=assignment,
            form=request.POST,
            acting_user=user,
            known_revision=_known_revision(request),
        )
    except BatchClosed as refusal:
        return JsonResponse({"error": str(refusal), "reason": "closed"}, status=409)
    except SavedElsewhere as refusal:
        return JsonResponse({"error": str(refusal), "reason": "elsewhere"}, status=409)
    return JsonResponse(
        {
            "revision": saved.draft_revision,
            "at": timezone.now().isoformat(),
            "state": draft_state(saved),
        }
    )


def _act(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """What the pressed button asks for; every one of them works without a script."""
    user = user_of(request)
    _require_form(request)
    action = request.POST.get("action", "save")
    if action == "submit":
        votes.submit_vote(
            assignment=assignment,
            form=request.POST,
            submit_key=_submit_key(request),
            acting_user=user,
        )
        return _next(assignment)
    form = _changed(_sent(request, assignment), action, assignment)
    votes.save_draft(assignment=assignment, form=form, acting_user=user)
    if action == "skip":
        reason = request.POST.get("skip_reason", "")
        votes.skip(assignment=assignment, reason=reason, acting_user=user)
        return _next(assignment)
    place = "#rationale" if action.startswith(INSERT) else ""
    return SeeOther(_page_url(assignment) + place)


def _require_form(request: HttpRequest) -> None:
    """A body that is no form would read as an empty one, and clear the draft."""
    if not request.POST:
        raise BadRequest("No form arrived.")


def _changed(fields: dict[str, Any], action: str, assignment: Assignment) -> dict[str, Any]:
    ballot = ballot_for(assignment.batch)
    if action == "all_pass":
        return labelling.with_rest_passed(fields, ballot)
    if action.startswith(INSERT):
        return labelling.with_token(fields, action.removeprefix(INSERT), ballot)
    return fields


def _sent(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    return fields_from(request.POST, ballot_for(assignment.batch))


def _submit_key(request: HttpRequest) -> UUID:
    """The key of the page that was sent; a form without one is a page of its own."""
    try:
        return uuid.UUID(request.POST.get("submit_key", ""))
    except ValueError:
        return uuid.uuid4()


def _known_revision(request: HttpRequest) -> int | None:
    """The revision of the draft that the page last read or saved; none where it cannot tell."""
    known = request.POST.get("known_revision", "")
    return int(known) if known.isascii() and known.isdigit() and len(known) < 10 else None


def _next(assignment: Assignment) -> HttpResponse:
    """Straight to the next open pair, without a stop at the batch's own address."""
    following = next_for(assignment.rater, assignment.batch)
    if following is None:
        return SeeOther(reverse("annotate:label_next", args=[assignment.batch.public_id]))
    return SeeOther(_page_url(following))


def _page_url(assignment: Assignment) -> str:
    return reverse("annotate:label_pair", args=[assignment.public_id])


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    status: int = 200,
    fields: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
) -> HttpResponse:
    if status != 200:
        # As the refused action left it: the draft, and whether the round is open.
        assignment = assignment_for(user_of(request), assignment.public_id)
    page = label_page(assignment, fields=fields, errors=errors)
    context = {"page": page, "submit_key": uuid.uuid4(), "refused": status}
    return render(request, "annotate/label.html", context, status=status)

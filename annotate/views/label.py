from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from django.core.exceptions import BadRequest
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import labelling, practice
from annotate.access import assignment_for, own_batch_for
from annotate.actions import votes
from annotate.actions.votes import BatchClosed, SavedElsewhere, VoteRefused
from annotate.assignment import next_for, sent_beside
from annotate.labelling import ballot_for, fields_from
from annotate.models import Batch
from annotate.pages.label import label_page
from annotate.pages.other_version import other_version
from annotate.pages.own_pairs import own_pairs
from annotate.pages.practice import own_practice
from annotate.pages.reading import reading
from annotate.pictures import pictures_on_click
from projects.access import user_of
from projects.actions import choose_keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any
    from uuid import UUID

    from django.http import HttpRequest

    from annotate.models import Assignment
    from annotate.pages.other_version import OtherVersion

ACTIONS = ("save", "submit", "skip", "keys", "all_pass")
INSERT = "insert:"
# Without a script the list of keys is open as long as the address says #keys, which a browser
# keeps over a redirect that names no other place.
CLOSES_KEYS = "#ballot"
DETACH = "detach:"


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
        if practice.comes_first(rater, batch, following):
            return redirect("annotate:practice", batch.public_id)
        return HttpResponseRedirect(_page_url(following))
    own = own_pairs(user, batch)
    return render(request, "annotate/label_pairs.html", {"own": own, "finished": True})


@never_cache
@require_safe
def label_mine(request: HttpRequest, batch_id: UUID) -> HttpResponse:
    user = user_of(request)
    batch = own_batch_for(user, batch_id)
    context: dict[str, object] = {"own": own_pairs(user, batch)}
    if batch.kind == Batch.Kind.CALIBRATION and not batch.simulated:
        context["practice"] = own_practice(batch.raters.get(user=user), batch)
        context["differed"] = batch.closed_at is not None
    return render(request, "annotate/label_pairs.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@pictures_on_click
def label_pair(request: HttpRequest, public_id: UUID) -> HttpResponse:
    assignment = assignment_for(user_of(request), public_id)
    if request.method != "POST":
        if practice.is_told(assignment):
            return redirect("annotate:practice_feedback", public_id)
        votes.opened(assignment=assignment)
        return _page(request, assignment)
    if _wants_json(request):
        return _answer_a_script(request, assignment)
    try:
        return _act(request, assignment)[0]
    except BatchClosed:
        return _page(request, assignment, status=409, fields=_sent(request, assignment))
    except SavedElsewhere as refusal:
        return _chooser(request, assignment, refusal)
    except VoteRefused as refusal:
        return _page(request, assignment, status=422, errors=refusal.problems)


def _answer_a_script(request: HttpRequest, assignment: Assignment) -> JsonResponse:
    """The same to a script, which leaves its page only once it knows that it may."""
    try:
        there, held = _act(request, assignment)
    except (BatchClosed, SavedElsewhere) as refusal:
        return _conflict(refusal)
    except VoteRefused as refusal:
        return JsonResponse(
            {
                "reason": "incomplete",
                "errors": refusal.problems,
                "revision": refusal.revision,
                "draft": refusal.draft,
            },
            status=422,
        )
    # What is changed from here on stands on the revision of what was sent, if that is what stands.
    sent = _sent(request, assignment)
    # A preference that a gate has made void is cleared.
    cleared = {name: value for name, value in sent.items() if name != "preference"}
    stands = held.draft in (sent, cleared)
    return JsonResponse(
        {"next": there["Location"], "revision": held.draft_revision if stands else None}
    )


def _chooser(request: HttpRequest, assignment: Assignment, refusal: SavedElsewhere) -> HttpResponse:
    """The page as it was sent, beside what another tab has saved: the person says which stands."""
    fields = _sent(request, assignment)
    return _page(
        request,
        assignment,
        status=409,
        fields=fields,
        other=other_version(assignment, fields, refusal.draft, refusal.revision),
    )


def _conflict(refusal: BatchClosed | SavedElsewhere) -> JsonResponse:
    """Why nothing was written; where another tab was first, what it saved, for whoever asks."""
    if isinstance(refusal, BatchClosed):
        return JsonResponse({"error": str(refusal), "reason": "closed"}, status=409)
    words = "Another tab has saved this pair since this page was opened."
    return JsonResponse(
        {
            "error": words,
            "reason": "elsewhere",
            "revision": refusal.revision,
            "draft": refusal.draft,
        },
        status=409,
    )


@never_cache
@require_safe
def label_previous(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The pair that its rater sent before this one; from the first, the list of them all."""
    assignment = assignment_for(user_of(request), public_id)
    if before := sent_beside(assignment, step=-1):
        return HttpResponseRedirect(_page_url(before))
    return HttpResponseRedirect(_list_url(assignment))


@never_cache
@require_safe
def label_following(request: HttpRequest, public_id: UUID) -> HttpResponse:
    """The pair that its rater sent after this one; from the last, on with the next open one."""
    assignment = assignment_for(user_of(request), public_id)
    if after := sent_beside(assignment, step=1):
        return HttpResponseRedirect(_page_url(after))
    if assignment.batch.is_practice:
        return HttpResponseRedirect(_list_url(assignment))
    return redirect("annotate:label_next", assignment.batch.public_id)


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
            active_s=_active_s(request),
        )
    except (BatchClosed, SavedElsewhere) as refusal:
        return _conflict(refusal)
    return JsonResponse(
        {
            "revision": saved.draft_revision,
            "at": timezone.now().isoformat(),
        }
    )


def _act(request: HttpRequest, assignment: Assignment) -> tuple[HttpResponse, Assignment]:
    """What the pressed button asks for: where to go then, and the assignment as it stands.

    Every one of them works without a script.
    """
    user = user_of(request)
    _require_form(request)
    action = request.POST.get("action", "save")
    if action not in ACTIONS and not action.startswith((INSERT, DETACH)):
        raise BadRequest(f"There is nothing called “{action[:40]}” to do here.")
    if action == "submit":
        vote = votes.submit_vote(
            assignment=assignment,
            form=request.POST,
            submit_key=_submit_key(request),
            acting_user=user,
            known_revision=_known_revision(request),
            active_s=_active_s(request),
        )
        held = vote.assignment or assignment
        if assignment.batch.is_practice:
            place = reverse("annotate:practice_feedback", args=[assignment.public_id])
            return SeeOther(place), held
        return _next(assignment), held
    if action == "keys":
        _choose_keys(request)
        if assignment.batch.closed_at is not None:
            return SeeOther(_page_url(assignment) + CLOSES_KEYS), assignment
    held = votes.save_draft(
        assignment=assignment,
        form=_changed(_sent(request, assignment), action, assignment),
        acting_user=user,
        known_revision=_known_revision(request),
        active_s=_active_s(request),
    )
    if action == "skip":
        reason = request.POST.get("skip_reason", "")
        votes.skip(assignment=assignment, reason=reason, acting_user=user)
        return _next(assignment), held
    place = "#rationale" if action.startswith(INSERT) else ""
    if action == "keys" and not _wants_json(request):
        place = CLOSES_KEYS
    return SeeOther(_page_url(assignment) + place), held


def _choose_keys(request: HttpRequest) -> None:
    user = user_of(request)
    try:
        choose_keys(user=user, keys=request.POST.get("keys", ""), acting_user=user)
    except ValueError as refusal:
        raise BadRequest(str(refusal)) from None


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
    if action.startswith(DETACH):
        return labelling.without_passage(fields, action.removeprefix(DETACH))
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
    return _whole_number(request.POST.get("known_revision", ""))


def _active_s(request: HttpRequest) -> int | None:
    """Seconds of work since the page's last acknowledged save; none where no script counted."""
    return _whole_number(request.POST.get("active_s", ""))


def _whole_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _wants_json(request: HttpRequest) -> bool:
    return request.get_preferred_type(["text/html", "application/json"]) == "application/json"


def _next(assignment: Assignment) -> HttpResponse:
    """Straight to the next open pair, without a stop at the batch's own address."""
    following = next_for(assignment.rater, assignment.batch)
    if following is None and assignment.batch.is_practice:
        return SeeOther(_list_url(assignment))
    if following is None:
        return SeeOther(reverse("annotate:label_next", args=[assignment.batch.public_id]))
    return SeeOther(_page_url(following))


def _list_url(assignment: Assignment) -> str:
    """Where the rater's pairs stand together; of a practice, at the round that it leads to."""
    if not assignment.batch.is_practice:
        return reverse("annotate:label_mine", args=[assignment.batch.public_id])
    batch = practice.round_after(assignment)
    return reverse("annotate:practice", args=[batch.public_id]) if batch else "/"


def _page_url(assignment: Assignment) -> str:
    return reverse("annotate:label_pair", args=[assignment.public_id])


def _page(
    request: HttpRequest,
    assignment: Assignment,
    *,
    status: int = 200,
    fields: Mapping[str, Any] | None = None,
    errors: Mapping[str, str] | None = None,
    other: OtherVersion | None = None,
) -> HttpResponse:
    if status != 200:
        # As the refused action left it: the draft, and whether the round is open.
        assignment = assignment_for(user_of(request), assignment.public_id)
    page = label_page(assignment, hands=user_of(request).keys, fields=fields, errors=errors)
    context = {
        "page": page,
        "reading": reading(assignment, request.GET.get("show", "")),
        "submit_key": uuid.uuid4(),
        "refused": status,
        "other": other,
        "list_url": _list_url(assignment),
    }
    return render(request, "annotate/label.html", context, status=status)

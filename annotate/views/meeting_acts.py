from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotate.act_forms import FORMS
from annotate.actions.edits import make_edit
from annotate.actions.edits import take_back as take_edit_back
from annotate.actions.rulings import RulingRefused, open_ruling
from annotate.actions.sorting import SortingRefused
from annotate.meetings import edit_for, meeting_for
from annotate.models import Disagreement
from annotate.pages.meeting import check_of, title_of
from annotate.pages.meeting_acts import act_form, sent_before
from annotate.pages.meeting_agenda import meeting_address
from annotate.pages.meeting_changes import changes_of
from annotate.views.meeting import is_fragment, item_of
from projects.access import user_of
from rubrics.actions import DraftChanged, RubricRefused
from rubrics.edits import EditError

if TYPE_CHECKING:
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

    from annotate.act_forms.base import ActForm
    from annotate.disagreements import Differing
    from annotate.models import Batch
    from projects.models import User

REFUSED = (EditError, RubricRefused, DraftChanged, RulingRefused, SortingRefused)


@require_http_methods(["GET", "HEAD", "POST"])
def meeting_act(
    request: HttpRequest, slug: str, batch_id: UUID, unit: str, act: str
) -> HttpResponse:
    """The form of one change, over the page or as a page of its own; refused, nothing is lost."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch = room.batch
    if act not in FORMS:
        raise Http404
    item = item_of(room.found(user), unit)
    data = request.POST if request.method == "POST" else None
    form = act_form(batch, item, act, data=data, key=request.GET.get("key", ""))
    if data is not None and form.moved:
        # Before anything is said of the draft: what changed it may be this very press.
        first = sent_before(batch, item, act, data=data, user=user)
        if first is not None:
            return _done(request, batch, item, first)
    if data is not None and form.is_valid():
        try:
            _do(form, batch, item, user)
        except REFUSED as refusal:
            form.add_error(None, str(refusal))
        else:
            return _done(request, batch, item, form)
    context = {
        "project": batch.project,
        "batch": batch,
        "form": form,
        "act": act,
        "title": title_of(check_of(batch, item.unit.key), item),
        "address": request.get_full_path(),
        "back": _back(request, batch, item),
    }
    name = "annotate/meeting_act.html"
    shown = f"{name}#body" if is_fragment(request) else name
    return render(request, shown, context, status=422 if form.errors else 200)


@require_POST
def take_back(request: HttpRequest, slug: str, batch_id: UUID, edit_id: UUID) -> HttpResponse:
    """A second press finds nothing to take back, and that is fine."""
    user = user_of(request)
    room = meeting_for(user, slug, batch_id)
    batch = room.batch
    edit = edit_for(batch, edit_id)
    rows = Disagreement.objects.filter(edits=edit) if edit else Disagreement.objects.none()
    row = rows.select_related("criterion", "subject").first()
    if edit is not None:
        try:
            take_edit_back(edit=edit, acting_user=user)
            messages.success(request, "Taken back: the draft is as it was before.")
        except RubricRefused as refusal:
            messages.error(request, str(refusal))
    if row is None or row.batch_id != batch.pk:
        return redirect("annotate:meeting", slug, batch.public_id)
    place = (row.subject_id, row.criterion.key, row.part_key)
    return redirect(meeting_address(batch, room.found(user).of(place)))


def _do(form: ActForm, batch: Batch, item: Differing, user: User) -> None:
    if form.kind == "ruling":
        question = form.cleaned_data["question"]
        open_ruling(batch=batch, units=[item.unit], question=question, acting_user=user)
        return
    make_edit(
        batch=batch,
        unit=item.unit,
        ruling=None,
        kind=form.edit_kind,
        detail=form.detail(),
        note=form.cleaned_data["why"],
        passage=form.passage(),
        acting_user=user,
    )


def _done(request: HttpRequest, batch: Batch, item: Differing, form: ActForm) -> HttpResponse:
    if not is_fragment(request):
        said = "The policy owner is asked." if form.kind == "ruling" else "It is in the draft."
        messages.success(request, said)
        return redirect(_back(request, batch, item))
    row = Disagreement.objects.select_related("ruling").get(
        batch=batch,
        subject=item.unit.subject,
        criterion__key=item.unit.key,
        part_key=item.unit.part,
    )
    context = {
        "project": batch.project,
        "changes": changes_of(batch, row),
        "form": form,
    }
    return render(request, "annotate/meeting_act_done.html", context)


def _back(request: HttpRequest, batch: Batch, item: Differing) -> str:
    check = request.GET.get("check", "")
    found = meeting_address(batch, item)
    return f"{found}?check={item.unit.key}" if check == item.unit.key else found

from __future__ import annotations

import re

from axes.models import AccessAttempt, AccessLog
from django.db import transaction
from django.db.models import Q

from annotate.actions.leaving import end_account
from annotate.actions.raters import give_pseudonyms
from projects.audit import record
from projects.models import Event, Membership, Notice, Rater, User

# The events whose target is an account.
OF_PEOPLE = (
    Q(verb__startswith="account.") | Q(verb__startswith="user.") | Q(verb__startswith="member.")
)


def erase_person(*, user: User, acting_user: User | None) -> str:
    """End an account and put a stable pseudonym in the place of name and address; what it is.

    Labels stay and count as before, under the pseudonym that releases carry already. Nothing that
    people wrote in their own words is looked through. A second call changes nothing.
    """
    with transaction.atomic():
        end_account(user=user, acting_user=acting_user)
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        known_as = f"erased-{user.pk}"
        if user.username == known_as:
            return known_as
        raters = list(Rater.objects.filter(user=user))
        give_pseudonyms(raters)
        for rater in raters:
            rater.name = str(rater.pseudonym)
            rater.save(update_fields=["name"])
        name, username = str(user), user.username
        user.username, user.first_name, user.last_name, user.email = known_as, "", "", ""
        user.set_unusable_password()
        user.save()
        Membership.objects.filter(user=user).delete()
        Notice.objects.filter(user=user).delete()
        _rename(raters, name, username, known_as)
        record("user.erased", project=None, actor=acting_user, target=known_as)
    return known_as


def _rename(raters: list[Rater], name: str, username: str, known_as: str) -> None:
    """The name in the audit log and in notices to others; tries to sign in with it are deleted."""
    Event.objects.filter(OF_PEOPLE, target=username).update(target=known_as)
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    told = Notice.objects.filter(project__in=[rater.project_id for rater in raters])
    for notice in told.filter(text__contains=name):
        Notice.objects.filter(pk=notice.pk).update(text=whole.sub(known_as, notice.text)[:300])
    for model in (AccessAttempt, AccessLog):
        model.objects.filter(username=username).delete()

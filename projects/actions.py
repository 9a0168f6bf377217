from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.db import transaction

from projects.audit import record
from projects.models import Membership, Project, Role, User

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import Model


class ProjectRefused(Exception):
    """The project, account or role cannot be made or ended; the message says why."""


def create_project(
    *, slug: str, name: str, acting_user: User | None, time_zone: str = "UTC", stakes: str = ""
) -> Project:
    """A project without members yet. Its time zone decides on which day and week a vote falls."""
    project = Project(slug=slug, name=name.strip(), time_zone=time_zone, stakes=stakes)
    with transaction.atomic():
        _refuse_invalid(project)
        project.save()
        record("project.created", project=project, actor=acting_user, target=project)
    return project


def set_bars(
    *,
    project: Project,
    acting_user: User | None,
    bar: float | None = None,
    tentative_bar: float | None = None,
    thin_waits: bool | None = None,
) -> Project:
    """Where alpha clears and where it is tentative, and whether clearing thin waits for another
    round; None leaves one as it stands. What stands already changes nothing.
    """
    given = {"bar": bar, "tentative_bar": tentative_bar, "thin_waits": thin_waits}
    with transaction.atomic():
        project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        before = {name: getattr(project, name) for name in given}
        after = {name: before[name] if one is None else one for name, one in given.items()}
        if after == before:
            return project
        for name, one in after.items():
            setattr(project, name, one)
        # Neither is a number that is none.
        if not project.tentative_bar <= project.bar:
            raise ProjectRefused(
                f"Tentative from {project.tentative_bar:g} and clear from {project.bar:g}: what "
                "clears must lie at or above what is tentative."
            )
        _refuse_invalid(project)
        project.save(update_fields=list(given))
        record(
            "project.bars_set",
            project=project,
            actor=acting_user,
            target=project,
            before=before,
            after=after,
        )
    return project


def create_account(*, username: str, name: str, acting_user: User | None) -> tuple[User, str]:
    """A new account and its password, which is kept nowhere else: show it once, never log it."""
    first, _, last = name.strip().partition(" ")
    if not first:
        raise ProjectRefused("Give the person's full name: it is what others see.")
    password = secrets.token_urlsafe(12)
    user = User(username=username, first_name=first, last_name=last.strip())
    user.set_password(password)
    with transaction.atomic():
        _refuse_invalid(user)
        user.save()
        record("account.created", project=None, actor=acting_user, target=user.username)
    return user, password


def change_password(*, user: User, password: str, acting_user: User | None) -> None:
    """Set a password that has been checked; every other session of the person ends with the old."""
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
        record("account.password_changed", project=None, actor=acting_user, target=user.username)


def choose_keys(*, user: User, keys: str, acting_user: User | None) -> User:
    """Which keys the label page answers to; the choice that stands already changes nothing."""
    if keys not in User.Keys.values:
        raise ValueError(f"There is no set of keys called “{keys}”.")
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        if user.keys != keys:
            user.keys = keys
            user.save(update_fields=["keys"])
            record(
                "account.keys_chosen",
                project=None,
                actor=acting_user,
                target=user.username,
                keys=keys,
            )
    return user


def change_mail(*, user: User, address: str, wanted: bool, acting_user: User | None) -> None:
    """Where a person's notices are mailed, and whether; those under way go by what stands then."""
    user.email, user.mail_notices = address, wanted
    with transaction.atomic():
        user.save(update_fields=["email", "mail_notices"])
        record(
            "account.mail_changed",
            project=None,
            actor=acting_user,
            target=user.username,
            wanted=wanted,
        )


def add_member(*, project: Project, user: User, role: Role, acting_user: User | None) -> Membership:
    """Give a person a role in a project. One that is held already changes nothing."""
    if not user.is_active:
        raise ProjectRefused(f"The account of {user} has ended: it can hold no role.")
    with transaction.atomic():
        membership, made = Membership.objects.get_or_create(project=project, user=user, role=role)
        if made:
            _record_role("member.added", membership, acting_user)
    return membership


def remove_role(*, project: Project, user: User, role: Role, acting_user: User | None) -> None:
    """Take a role from a person; what they did in it stays. The last lead is not let go."""
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        held = project.memberships.filter(role=role)
        membership = held.filter(user=user).first()
        if membership is None:
            raise ProjectRefused(f"{user} is not {Role(role).label} of {project}.")
        if role == Role.LEAD and held.count() == 1:
            raise ProjectRefused(f"{user} is the only lead of {project}: add another one first.")
        _record_role("member.removed", membership, acting_user)
        membership.delete()


def deactivate_user(*, user: User, acting_user: User | None) -> User:
    """End a person's access. Their labels, and whatever was computed from them, stay.

    An account that has labels cannot be deleted; this is what there is instead. Sessions that are
    open end with it. Doing it twice changes nothing.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if user.is_active:
            user.is_active = False
            user.save(update_fields=["is_active"])
            record("user.deactivated", project=None, actor=acting_user, target=user.username)
    return user


def _record_role(verb: str, membership: Membership, acting_user: User | None) -> None:
    record(
        verb,
        project=membership.project,
        actor=acting_user,
        target=membership.user.username,
        role=str(membership.role),
    )


def _refuse_invalid(row: Model) -> None:
    """Every fault of the row in one message, each beginning with its field."""
    try:
        row.full_clean()
    except ValidationError as refusal:
        raise ProjectRefused(" ".join(_faults(row, refusal))) from None


def _faults(row: Model, refusal: ValidationError) -> Iterator[str]:
    for field, messages in refusal.message_dict.items():
        given = getattr(row, field, "")
        yield f"{field.replace('_', ' ').capitalize()} “{given}”: {' '.join(messages)}"

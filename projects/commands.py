"""What the management commands share: who acts, a project by its slug, errors that help."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from projects.audit import operated_by
from projects.models import Project, User

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.core.management.base import CommandParser


class WritingCommand(BaseCommand):
    """A command that writes. Its audit rows name the account of this machine that ran it, and
    as their actor the person whom `--as` names.

    Whoever can run commands can reach the database too, so `--as` is taken at its word.
    """

    acting_user: User | None = None

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument(
            "--as",
            dest="acting_user",
            metavar="USER",
            help="the person who does this, for the audit trail",
        )
        return parser

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            name = options.pop("acting_user", None)
            self.acting_user = None if name is None else active_user(name)
            with operated_by(system_account()):
                return super().execute(*args, **options)
        except DatabaseError:
            refuse_if_not_migrated()
            raise


def system_account() -> str:
    """The account that runs this process, asked of the system: the environment may say anything."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def refuse_if_not_migrated() -> None:
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if missing:
        raise CommandError(
            f"The database is not up to date ({missing} migrations are missing): "
            "run manage.py migrate first."
        )


def active_user(name: str) -> User:
    (user,) = users_named([name])
    if not user.is_active:
        raise CommandError(f"The account of “{name}” has ended.")
    return user


def project_named(slug: str) -> Project:
    try:
        return Project.objects.get(slug=slug)
    except Project.DoesNotExist:
        known = ", ".join(Project.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no project “{slug}”. Projects here: {known}.") from None


def users_named(names: Iterable[str]) -> list[User]:
    users = []
    for name in names:
        try:
            users.append(User.objects.get(username=name))
        except User.DoesNotExist:
            raise CommandError(f"There is no user “{name}”.") from None
    return users


def existing_file(path: str) -> Path:
    file = Path(path)
    if not file.is_file():
        raise CommandError(f"There is no file {path}.")
    return file

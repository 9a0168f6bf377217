from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from projects.actions import ProjectRefused, add_member, create_account
from projects.commands import WritingCommand, project_named
from projects.models import Role, User


class Command(WritingCommand):
    help = "Give a person roles in a project, with an account made for them where asked to."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER", help="the name to sign in with")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--role", required=True, nargs="+", choices=Role.values)
        parser.add_argument(
            "--create", action="store_true", help="make the account and print its password, once"
        )
        parser.add_argument("--name", default="", help="the person's full name, with --create")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        roles = [Role(role) for role in options["role"]]
        password = ""
        try:
            with transaction.atomic():
                if options["create"]:
                    user, password = create_account(
                        username=options["user"],
                        name=options["name"],
                        acting_user=self.acting_user,
                    )
                else:
                    user = existing_account(options["user"])
                for role in roles:
                    add_member(project=project, user=user, role=role, acting_user=self.acting_user)
        except ProjectRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"{user} is {' and '.join(role.label for role in roles)} of {project}.")
        if password:
            self.stdout.write(f"Password of {user.username}, shown this once: {password}")


def existing_account(username: str) -> User:
    user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(
            f"There is no user “{username}”: --create --name “Full Name” makes the account."
        )
    return user

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from projects.actions import ProjectRefused, remove_role
from projects.commands import WritingCommand, project_named, users_named
from projects.models import Role


class Command(WritingCommand):
    help = "Take a role in a project from a person; what they did in it stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--role", required=True, choices=Role.values)

    def handle(self, *args: Any, **options: Any) -> None:
        project, role = project_named(options["project"]), Role(options["role"])
        (user,) = users_named([options["user"]])
        try:
            remove_role(project=project, user=user, role=role, acting_user=self.acting_user)
        except ProjectRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"{user} is no longer {role.label} of {project}.")

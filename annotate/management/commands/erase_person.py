from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotate.actions.erasing import erase_person
from projects.commands import WritingCommand, users_named


class Command(WritingCommand):
    help = "End an account and erase name and address on request. Votes stay and count."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument(
            "--yes", action="store_true", help="it cannot be undone: say that you mean it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        (user,) = users_named([options["user"]])
        if not options["yes"]:
            raise CommandError(f"This erases {user} for good and cannot be undone: add --yes.")
        known_as = erase_person(user=user, acting_user=self.acting_user)
        self.stdout.write(f"Erased; the account is known as {known_as}. All votes stay.")

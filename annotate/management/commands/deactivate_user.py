from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotate.actions.leaving import end_account
from projects.commands import WritingCommand, users_named


class Command(WritingCommand):
    help = "End a person's access. Votes stay and count; pairs still held are freed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", metavar="USER")

    def handle(self, *args: Any, **options: Any) -> None:
        (user,) = users_named([options["user"]])
        freed = end_account(user=user, acting_user=self.acting_user)
        self.stdout.write(
            f"{user} can no longer sign in. All votes stay; {freed} open pairs were freed."
        )

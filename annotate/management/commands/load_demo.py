from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from annotate.actions.demo import PEOPLE, load_demo


class Command(BaseCommand):
    help = "Load the demo project: claims, a rubric, people, two finished rounds and an open one."

    def handle(self, *args: Any, **options: Any) -> None:
        project, password = load_demo()
        self.stdout.write(f"Demo project: {project.name}. Sign in with the password {password} as")
        for person in PEOPLE:
            roles = ", ".join(role.label for role in person.roles)
            self.stdout.write(f"  {person.username:<8} {' '.join(person.name)} ({roles})")

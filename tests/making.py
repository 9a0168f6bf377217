"""Plain functions that make rows for tests; each takes only what the test cares about."""

from __future__ import annotations

from projects.models import Membership, Project, User


def make_user(username: str = "someone", *, password: str = "correct horse battery") -> User:
    return User.objects.create_user(username=username, password=password)


def make_project(slug: str = "claims") -> Project:
    return Project.objects.create(slug=slug, name=slug.replace("-", " ").capitalize())


def make_member(project: Project, *roles: str, username: str) -> User:
    user = make_user(username)
    for role in roles:
        Membership.objects.create(project=project, user=user, role=role)
    return user

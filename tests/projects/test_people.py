"""Projects, accounts and roles are made by actions and commands, each with its audit row."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import CommandError

from projects.access import roles_of
from projects.actions import ProjectRefused, add_member, create_project, remove_role
from projects.commands import WritingCommand, system_account
from projects.models import Event, Membership, Project, Role, User
from tests.making import make_user

if TYPE_CHECKING:
    from django.test import Client

# What only reads, and what serves or loads the demo, whose people act themselves.
READING = {"alpha", "demo", "export_rubric", "load_demo", "reliability", "serve"}


def run(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def refusal(*command: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(*command)
    return str(caught.value)


def test_a_project_from_nothing(db: None) -> None:
    out = run("create_project", "claims", "--name", "Claims", "--time-zone", "America/Chicago")
    project = Project.objects.get()
    assert (project.slug, project.name) == ("claims", "Claims")
    assert project.time_zone == "America/Chicago"
    assert "manage.py add_member USER --project claims --role lead" in out
    event = Event.objects.get()
    assert (event.verb, event.project, event.actor) == ("project.created", project, None)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("claims", "--name", "Again"), "Slug “claims”: Project with this Slug already exists."),
        (("Not a slug", "--name", "N"), "Slug “Not a slug”: Enter a valid “slug”"),
        (("other", "--name", " "), "Name “”: This field cannot be blank."),
        (
            ("other", "--name", "N", "--time-zone", "Mars"),
            "Time zone “Mars”: “Mars” is not a time zone such as Europe/Berlin.",
        ),
    ],
)
def test_a_project_that_cannot_be_is_refused_in_words(
    project: Project, command: tuple[str, ...], words: str
) -> None:
    assert words in refusal("create_project", *command)
    assert Project.objects.get() == project
    assert not Event.objects.exists()


def test_an_account_is_made_with_a_password_that_is_shown_once(
    project: Project, client: Client
) -> None:
    flags = ("--project", "claims", "--role", "lead", "policy_owner", "--create")
    out = run("add_member", "lena", *flags, "--name", "Lena Maria Okafor")
    lena = User.objects.get()
    assert str(lena) == "Lena Maria Okafor"
    assert roles_of(lena, project) == {"lead", "policy_owner"}
    assert "Lena Maria Okafor is lead and policy owner of Claims." in out
    password = out.rstrip().rpartition(" ")[2]
    assert len(password) >= 16
    assert client.post("/login/", {"username": "lena", "password": password}).status_code == 302
    kept = json.dumps(list(Event.objects.values("verb", "target", "data")))
    assert password not in kept
    assert sorted(Event.objects.values_list("verb", flat=True)) == [
        *("account.created", "member.added", "member.added"),
    ]


def test_a_role_is_held_once_and_told_once(project: Project) -> None:
    make_user("ana")
    for _ in range(2):
        run("add_member", "ana", "--project", "claims", "--role", "expert")
    assert Membership.objects.count() == 1
    event = Event.objects.get(verb="member.added")
    assert (event.project, event.target, event.data["role"]) == (project, "ana", "expert")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("ana", "--role", "lead"), "There is no user “ana”: --create --name “Full Name” makes"),
        (("ana", "--role", "lead", "--create"), "Give the person's full name"),
        (
            ("a na", "--role", "lead", "--create", "--name", "Ana"),
            "Username “a na”: Enter a valid username.",
        ),
        (
            ("taken", "--role", "lead", "--create", "--name", "Other"),
            "Username “taken”: A user with that username already exists.",
        ),
        (("gone", "--role", "lead"), "The account of gone has ended: it can hold no role."),
        (("taken", "--role", "boss"), "invalid choice: 'boss'"),
    ],
)
def test_a_member_that_cannot_be_is_refused_in_words(
    project: Project, command: tuple[str, ...], words: str
) -> None:
    make_user("taken")
    User.objects.filter(pk=make_user("gone").pk).update(is_active=False)
    assert words in refusal("add_member", *command, "--project", "claims")
    assert not Membership.objects.exists()
    assert User.objects.count() == 2


def test_a_role_is_taken_away(project: Project, lead: User, expert: User) -> None:
    run("remove_role", "expert", "--project", "claims", "--role", "expert")
    assert roles_of(expert, project) == frozenset()
    event = Event.objects.get(verb="member.removed")
    assert (event.target, event.data["role"]) == ("expert", "expert")
    again = refusal("remove_role", "expert", "--project", "claims", "--role", "expert")
    assert again == "expert is not expert of Claims."


def test_the_last_lead_stays(project: Project, lead: User, expert: User) -> None:
    with pytest.raises(ProjectRefused, match="only lead of Claims"):
        remove_role(project=project, user=lead, role=Role.LEAD, acting_user=lead)
    add_member(project=project, user=expert, role=Role.LEAD, acting_user=lead)
    remove_role(project=project, user=lead, role=Role.LEAD, acting_user=lead)
    assert roles_of(lead, project) == frozenset()


def test_who_acts_is_named_with_the_account_of_the_machine(project: Project, lead: User) -> None:
    make_user("ana")
    run("add_member", "ana", "--project", "claims", "--role", "expert", "--as", "lead")
    event = Event.objects.get()
    assert event.actor == lead
    assert event.data == {"role": "expert", "operator": system_account()}


def test_without_a_name_the_account_of_the_machine_stands_alone(project: Project) -> None:
    run("create_project", "other", "--name", "Other")
    event = Event.objects.get()
    assert (event.actor, event.data) == (None, {"operator": system_account()})
    # The context ends with the command: what a page writes names no operator.
    create_project(slug="third", name="Third", acting_user=None)
    assert Event.objects.get(target="Third").data == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [("nobody", "There is no user “nobody”."), ("gone", "The account of “gone” has ended.")],
)
def test_nobody_acts_who_cannot_sign_in(db: None, name: str, words: str) -> None:
    User.objects.filter(pk=make_user("gone").pk).update(is_active=False)
    assert refusal("create_project", "claims", "--name", "Claims", "--as", name) == words
    assert not Project.objects.exists()


def test_every_command_that_writes_takes_the_name_of_who_acts() -> None:
    ours = {"projects", "rubrics", "annotate", "judges"}
    commands = {name: app for name, app in get_commands().items() if app in ours}
    writing = {
        name
        for name, app in commands.items()
        if isinstance(load_command_class(str(app), name), WritingCommand)
    }
    assert set(commands) - writing == READING

"""Who may open what: one table for every route, walked by every role, outsiders and visitors.

A new page must be entered in `PAGES` (or, in the admin, its model in `ADMIN`), else a test fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.urls.converters import UUIDConverter
from pytest_django import DjangoDbBlocker

from annotate.models import Assignment, Batch, Subject, Vote
from projects.models import Event, Job, Membership, Notice, Rater, User
from rubrics.models import RubricVersion
from tests.ballots import filled, submission
from tests.making import make_user
from tests.world import MEMBERS, OUTSIDE, VISITOR, World, document, make_world, names_of, routes

# ---- The table

EVERYONE = (*MEMBERS, *OUTSIDE)
LEADS = ("lead", "rating_lead")
TO_LOGIN = 302
WRONG_METHOD = 405


@dataclass(frozen=True)
class Page:
    """Who may, the status they get (None: wrong method), and the status of everybody else.

    `members` is for the project's other members, `outside` for people without a membership in
    it. Visitors who have not signed in are sent to the sign-in page, whatever the route.
    """

    route: str
    may: tuple[str, ...]
    get: int | None = 200
    post: int | None = None
    members: int = 403
    outside: int = 404
    which: str = ""


PAGES = (
    Page("annotate:home", EVERYONE),
    Page("annotate:components", EVERYONE),
    Page("projects:account", EVERYONE, post=302),
    Page("projects:account_keys", EVERYONE, get=None, post=302),
    # A person's own notices; the one of the world is the rater's.
    Page("projects:notices", EVERYONE),
    Page("projects:notice_open", ("rater",), get=None, post=302, members=404),
    Page("projects:notices_read", ("rater",), get=None, post=302, members=404),
    Page("projects:account_mail", EVERYONE, get=None, post=302),
    Page("annotate:project", MEMBERS),
    # A rater's own pages exist for that rater only: not for leads, not for other raters.
    Page("annotate:label_next", ("rater", "rating_lead"), get=302, members=404),
    Page("annotate:label_mine", ("rater", "rating_lead"), members=404),
    Page("annotate:label_pair", ("rater",), post=303, members=404),
    Page("annotate:label_previous", ("rater",), get=302, members=404),
    Page("annotate:label_following", ("rater",), get=302, members=404),
    Page("annotate:label_draft", ("rater",), get=None, post=200, members=404),
    Page("annotate:label_source", ("rater",), members=404),
    Page("annotate:label_difference", ("rater",), members=404),
    # Of closed rounds; nobody else reads where a rater differed, leads included.
    Page("annotate:differed", ("rater", "rating_lead"), members=404),
    Page("annotate:practice", ("rater", "rating_lead"), post=303, members=404),
    Page("annotate:practice_feedback", ("rater",), members=404),
    Page("annotate:checks", LEADS, post=302),
    Page("annotate:check_texts", LEADS),
    Page("annotate:gold", LEADS),
    Page("annotate:subject_gold", LEADS, post=302, which="closed"),
    Page("annotate:subject_gold", ("lead",), post=302, which="open"),
    Page("annotate:rounds", LEADS),
    Page("annotate:round", LEADS, which="closed"),
    # How far everyone is; no figures before it closes.
    Page("annotate:round", LEADS, which="open"),
    Page("annotate:round_ask", LEADS, get=None, post=302),
    Page("annotate:round_close", LEADS, post=302),
    Page("annotate:waive", LEADS, post=302, which="closed"),
    # Figures: not before the round is closed.
    Page("annotate:waive", LEADS, get=403, post=403, which="open"),
    Page("annotate:withdraw_waiver", LEADS, get=None, post=302, which="closed"),
    Page("annotate:withdraw_waiver", LEADS, get=None, post=403, which="open"),
    Page("annotate:probes", LEADS, which="closed"),
    Page("annotate:probes", LEADS, get=403, which="open"),
    Page("annotate:round_new", LEADS, post=302),
    Page("annotate:rounds_table", LEADS),
    Page("annotate:readiness", LEADS),
    Page("annotate:rounds_csv", LEADS),
    # Leads read and word a missing rule; the decision is the policy owner's alone, see
    # test_a_lead_reads_and_cannot_decide.
    Page("annotate:rulings", (*LEADS, "policy_owner"), post=303),
    Page("annotate:ruling", (*LEADS, "policy_owner"), post=303),
    Page("annotate:import_new", LEADS, post=302),
    Page("annotate:upload", LEADS, post=302),
    Page("annotate:refused_report", LEADS),
    Page("annotate:refused_rows", LEADS),
    Page("annotate:imported", LEADS),
    # Where no meeting runs one is started; the closed round's runs already.
    Page("annotate:meeting", LEADS, post=302, which="imported"),
    Page("annotate:meeting", LEADS, get=403, post=403, which="open"),
    Page("annotate:meeting_unit", LEADS, post=302),
    Page("annotate:meeting_act", LEADS, post=302),
    Page("annotate:meeting_gaps", LEADS),
    Page("annotate:meeting_names", LEADS),
    Page("annotate:meeting_end", LEADS, get=None, post=302),
    Page("annotate:take_back", LEADS, get=None, post=302),
    Page("annotate:minutes", LEADS),
    Page("annotate:minutes", LEADS, get=403, which="open"),
    Page("annotate:minutes_file", LEADS),
    Page("annotate:units", LEADS, which="closed"),
    # The votes of an open round are in no list, and whoever still rates sees none of others.
    Page("annotate:units", LEADS, get=403, which="open"),
    Page("annotate:disagreements", LEADS, post=302, which="closed"),
    Page("annotate:disagreements", LEADS, get=403, post=403, which="open"),
    Page("annotate:disagreements_csv", LEADS, which="closed"),
    Page("annotate:disagreements_csv", LEADS, get=403, which="open"),
    Page("annotate:subject", LEADS, which="closed"),
    Page("annotate:subject", ("lead",), which="open"),
    Page("projects:job", LEADS),
    Page("rubrics:rubrics", MEMBERS),
    Page("rubrics:rubric", MEMBERS),
    Page("rubrics:version", MEMBERS),
    # To everyone but the leads a draft does not exist.
    Page("rubrics:version", LEADS, which="draft", members=404),
    Page("rubrics:source", LEADS),
    Page("rubrics:draft", LEADS, post=302),
    Page("rubrics:publish", LEADS, post=302),
    Page("annotate:version_edits", LEADS),
    Page("rubrics:discard", LEADS, post=302),
    Page("rubrics:compare", MEMBERS),
    Page("projects:logout", EVERYONE, get=None, post=302),
)
# Open to visitors, too; whoever is signed in already is led on.
PUBLIC = ("projects:login", "projects:login_here", "admin:login")
# What the admin does with each model: look things up, or keep accounts and lock-outs.
ADMIN = {
    "annotate.Assignment": "read",
    "annotate.Batch": "read",
    "annotate.GoldAnswer": "read",
    "annotate.Label": "read",
    "annotate.Release": "read",
    "annotate.Subject": "read",
    "annotate.Vote": "read",
    "auth.Group": "write",
    "axes.AccessAttempt": "write",
    "axes.AccessFailureLog": "write",
    "axes.AccessLog": "write",
    "projects.Event": "read",
    "projects.Job": "read",
    "projects.Membership": "read",
    "projects.Project": "read",
    "projects.Rater": "read",
    "projects.User": "write",
    "rubrics.Anchor": "read",
    "rubrics.Criterion": "read",
    "rubrics.Rubric": "read",
    "rubrics.RubricVersion": "read",
}


# ---- The walk


def label(entry: Page) -> str:
    return f"{entry.route} {entry.which}".strip()


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """One world for the module, inside a transaction that its tests' own nest in."""
    with django_db_blocker.unblock(), undone():
        yield make_world()


@pytest.fixture
def world(made: World, db: None) -> World:
    return made


@contextmanager
def undone() -> Iterator[None]:
    """Whatever a request writes is taken back, so that the next person finds the same world."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def signed_in(world: World, person: str, **options: Any) -> Client:
    client = Client(raise_request_exception=False, **options)
    if person != VISITOR:
        client.force_login(world.people[person])
    return client


def form_of(world: World, route: str) -> dict[str, Any]:
    """What a route takes by POST, valid for a real object."""
    version = world.open_round.version
    raters = [world.people[name].pk for name in ("lead", "expert")]
    forms: dict[str, Callable[[], dict[str, Any]]] = {
        "annotate:label_pair": submission,
        "annotate:label_draft": submission,
        "annotate:practice": lambda: {"action": "later"},
        "annotate:subject_gold": lambda: {**filled(), "why": "So it is.", "use": "hidden"},
        "annotate:checks": lambda: {"rubric": version.rubric.slug},
        "annotate:disagreements": lambda: {"accept": "C1"},
        "annotate:meeting": lambda: {"minutes": 45},
        "annotate:meeting_unit": lambda: {"kind": "slip", "note": "Plain.", "action": "settle"},
        "annotate:meeting_act": lambda: {"key": "C1", "text": "The cause is named first."},
        "annotate:waive": lambda: {"reason": "Looked at by hand."},
        "annotate:round_new": lambda: {"version": version.pk, "raters": raters, "size": 2},
        "annotate:rulings": lambda: {
            "batch": world.closed_round.public_id,
            "subject": Subject.objects.get(pk=world.splits[2].subject).public_id,
            "key": "C1",
            "part": world.splits[2].part,
            "question": "What holds?",
        },
        "annotate:ruling": lambda: {"action": "rule", "kind": "add:gate", "text": "A rule."},
        "annotate:import_new": lambda: {
            "kind": "pairs",
            "file": SimpleUploadedFile("pairs.jsonl", b'{"id": "p1"}'),
            "complete": "1",
        },
        "annotate:upload": lambda: {"action": "discard"},
        "rubrics:draft": lambda: {"source": document("Other words.", "other", 3)},
        "rubrics:publish": lambda: {
            "change_note": "Why.",
            "digest": world.draft.digest,
            **{f"note:{check.key}": "Because." for check in world.draft.criteria.all()},
        },
        "rubrics:discard": lambda: {"digest": world.draft.digest},
        "projects:account": lambda: {
            "old_password": "correct horse battery",
            **dict.fromkeys(("new_password1", "new_password2"), "another horse battery"),
        },
        "projects:account_keys": lambda: {"keys": "left_hand"},
        "projects:notices_read": lambda: {"newest": world.notice.public_id},
        "projects:login": lambda: {"username": "lead", "password": "correct horse battery"},
    }
    return forms.get(route, dict)()


def expected(entry: Page, person: str, status: int | None) -> int:
    if person == VISITOR:
        return TO_LOGIN
    if status is None:
        return WRONG_METHOD
    if person in entry.may:
        return status
    return entry.members if person in MEMBERS else entry.outside


def state() -> tuple[object, ...]:
    """What a refused request must leave as it was."""
    return (
        Event.objects.count(),
        Vote.objects.count(),
        Batch.objects.open().count(),
        RubricVersion.objects.count(),
        Notice.objects.unread().count(),
        sorted(Assignment.objects.values_list("pk", "draft_revision", "state", "opened_at")),
    )


def test_every_route_is_in_the_table() -> None:
    entered = {entry.route for entry in PAGES} | set(PUBLIC)
    found = {name for name, _ in routes() if not name.startswith("admin:")}
    assert found - entered == set(), "enter these routes in PAGES"
    assert entered - found - {"admin:login"} == set(), "these routes are gone"


@pytest.mark.parametrize("entry", PAGES, ids=label)
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_route_opens_to_whom_the_table_says(world: World, entry: Page, method: str) -> None:
    address = world.address(entry.route, entry.which)
    before = state()
    wrong = []
    for person in (*EVERYONE, VISITOR):
        # Anew for each: a file can be read once.
        form = form_of(world, entry.route) if method == "post" else {}
        wanted = expected(entry, person, getattr(entry, method))
        with undone():
            response = getattr(signed_in(world, person), method)(address, form)
            if response.status_code != wanted:
                wrong.append(f"{person}: {response.status_code} instead of {wanted}")
            if person == VISITOR and response["Location"] != f"/login/?next={quote(address)}":
                wrong.append(f"a visitor is sent to {response['Location']}")
            if person not in entry.may and state() != before:
                wrong.append(f"{person} changed something")
            if method == "post" and wanted in (200, 302, 303) and person in entry.may:
                changed = state() != before or entry.route == "projects:logout"
                wrong += [] if changed else [f"{person} changed nothing: is the form valid?"]
    assert wrong == []


@pytest.mark.parametrize("entry", PAGES, ids=label)
def test_other_methods_are_refused(world: World, entry: Page) -> None:
    address = world.address(entry.route, entry.which)
    client = signed_in(world, entry.may[0])
    answers = {name: getattr(client, name)(address) for name in ("put", "patch", "delete")}
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(
        answers, WRONG_METHOD
    )


@pytest.mark.parametrize("entry", PAGES, ids=label)
def test_unsafe_requests_without_a_token_are_refused(world: World, entry: Page) -> None:
    before = state()
    client = signed_in(world, entry.may[0], enforce_csrf_checks=True)
    form = form_of(world, entry.route)
    assert client.post(world.address(entry.route, entry.which), form).status_code == 403
    assert state() == before


def test_signing_in_takes_a_token_too(world: World) -> None:
    client = signed_in(world, VISITOR, enforce_csrf_checks=True)
    response = client.post(reverse("projects:login"), form_of(world, "projects:login"))
    assert response.status_code == 403
    assert "_auth_user_id" not in client.session


def test_an_object_of_another_project_is_not_reached_through_ones_own(world: World) -> None:
    """The slug of a project one leads opens no object that belongs elsewhere."""
    client = signed_in(world, "lead_elsewhere")
    for entry in PAGES:
        if "slug" not in names_of(entry.route) or len(names_of(entry.route)) == 1:
            continue
        arguments = {**world.arguments(entry.route, entry.which), "slug": "elsewhere"}
        address = reverse(entry.route, kwargs=arguments)
        assert client.get(address).status_code in (404, WRONG_METHOD), address
        response = client.post(address, form_of(world, entry.route))
        assert response.status_code in (404, WRONG_METHOD), address


def test_what_a_person_started_closes_with_their_membership(world: World) -> None:
    expert = world.people["expert"]
    Job.objects.filter(pk=world.job.pk).update(created_by=expert)
    client = signed_in(world, "expert")
    assert client.get(world.address("projects:job")).status_code == 200
    Membership.objects.filter(user=expert).delete()
    assert client.get(world.address("projects:job")).status_code == 404


def test_an_ended_account_is_out_at_once(world: World) -> None:
    client = signed_in(world, "lead")
    User.objects.filter(username="lead").update(is_active=False)
    assert client.get(world.address("annotate:project")).status_code == TO_LOGIN


def test_a_lead_who_rates_sees_no_votes_on_the_same_texts_under_another_id(world: World) -> None:
    own = world.own("rating_lead").subject
    Subject.objects.filter(pk=own.pk).update(content_hash="the same texts")
    copy = world.own("rater", world.closed_round).subject
    client = signed_in(world, "rating_lead")
    address = reverse("annotate:subject", args=["claims", copy.public_id])
    assert client.get(address).status_code == 200
    Subject.objects.filter(pk=copy.pk).update(content_hash="the same texts")
    assert client.get(address).status_code == 403


# ---- The admin


def superuser(name: str = "root") -> User:
    user = make_user(name)
    user.is_staff = user.is_superuser = True
    user.save()
    return user


def admin_addresses(world: World) -> dict[str, str]:
    """Name → address of every admin route, with a real object where it takes one."""
    found = {}
    for name, pattern in routes():
        # Signing out is everyone's; the routes without a name lead on to those that have one.
        if not name.startswith("admin:") or name in (*PUBLIC, "admin:logout", "admin:None"):
            continue
        arguments: dict[str, object] = {}
        for argument in pattern.pattern.converters or {}:
            arguments[argument] = _object_of(name) if "id" in argument else ""
        if name == "admin:view_on_site":
            arguments = {"content_type_id": 1, "object_id": 1}
        if name == "admin:app_list":
            arguments = {"app_label": "annotate"}
        found[name] = reverse(name, kwargs=arguments)
    return found


def _object_of(route: str) -> object:
    for model in admin.site._registry:
        options = model._meta
        prefix = f"admin:{options.app_label}_{options.model_name}_"
        if route.startswith(prefix) or (model is User and "auth_user" in route):
            return model._default_manager.order_by("pk").values_list("pk", flat=True).first() or 1
    return 1


def test_every_model_of_the_admin_is_in_the_table() -> None:
    assert {model._meta.label for model in admin.site._registry} == set(ADMIN)


def test_the_admin_is_closed_to_everyone_but_its_superusers(world: World) -> None:
    addresses = admin_addresses(world)
    assert len(addresses) > 5 * len(ADMIN)
    wrong = []
    for person in (*EVERYONE, VISITOR):
        client = signed_in(world, person)
        for name, address in addresses.items():
            for method in ("get", "post"):
                response = getattr(client, method)(address)
                if response.status_code != TO_LOGIN or "login" not in response["Location"]:
                    wrong.append(f"{person} {method} {name}: {response.status_code}")
    assert wrong == []


def test_a_member_of_staff_without_permissions_sees_nothing(world: World) -> None:
    user = make_user("staff")
    user.is_staff = True
    user.save()
    client = Client()
    client.force_login(user)
    for label in ADMIN:
        app, model = label.lower().split(".")
        assert client.get(reverse(f"admin:{app}_{model}_changelist")).status_code == 403, label


@pytest.mark.parametrize("kind", ["superuser", "staff"])
def test_the_admin_is_closed_to_anyone_who_still_rates(world: World, kind: str) -> None:
    user = User.objects.get(username="rater")
    user.is_staff, user.is_superuser = True, kind == "superuser"
    user.save()
    client = signed_in(world, "rater")
    for name, address in admin_addresses(world).items():
        assert client.get(address).status_code == TO_LOGIN, name
    # When no batch of theirs is open any more, it opens.
    Batch.objects.update(closed_at=world.closed_round.closed_at)
    assert client.get(reverse("admin:index")).status_code == 200


def test_one_who_has_voted_on_everything_still_rates_while_the_round_is_open(world: World) -> None:
    user = superuser("rater_root")
    Assignment.objects.filter(batch=world.open_round).update(state="submitted")
    Rater.objects.filter(user=world.people["rater"]).update(user=user)
    client = Client()
    client.force_login(user)
    assert client.get(reverse("admin:annotate_vote_changelist")).status_code == TO_LOGIN


@pytest.mark.parametrize("label", sorted(ADMIN))
def test_the_admin_reads_and_writes_what_the_table_says(world: World, label: str) -> None:
    client = Client()
    client.force_login(superuser())
    model = apps.get_model(label)
    prefix = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    assert client.get(reverse(f"{prefix}_changelist")).status_code == 200
    if ADMIN[label] == "write":
        return
    row = model._default_manager.order_by("pk").first()
    assert row is not None, f"make_world makes no {label}"
    before = model._default_manager.filter(pk=row.pk).values().get()
    change, delete = (reverse(f"{prefix}_{end}", args=[row.pk]) for end in ("change", "delete"))
    assert client.get(change).status_code == 200
    assert client.post(change, {}).status_code == 403
    assert client.get(delete).status_code == 403
    assert client.post(delete, {"post": "yes"}).status_code == 403
    assert client.get(reverse(f"{prefix}_add")).status_code == 403
    assert client.post(reverse(f"{prefix}_add"), {}).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
    client.post(reverse(f"{prefix}_changelist"), chosen)
    assert model._default_manager.filter(pk=row.pk).values().get() == before


# ---- Odd requests

# What each page reads from its address; every page is also asked with the last three.
QUERY = {
    "annotate:check_texts": ("said",),
    "annotate:gold": ("pair",),
    "annotate:subject_gold": ("version",),
    "annotate:units": (
        *("criterion", "value", "off", "rater", "differ", "alone", "labels"),
        *("decision", "policy", "pooled"),
    ),
    "rubrics:version": ("revision",),
    "rubrics:source": ("revision",),
    "rubrics:draft": ("rubric",),
    "rubrics:publish": ("part",),
    "rubrics:compare": ("from", "to", "only"),
    "projects:login": ("next",),
    "projects:notices": ("before",),
}
ANYWHERE = ("page", "q", "next")
ODD: dict[str, str | bytes] = {
    "nothing": "",
    "negative": "-1",
    "word": "abc",
    "markup": "<script>probe()</script>",
    "long": "x" * 10_000,
    "many digits": "9" * 5_000,
    "beyond 64 bits": "9" * 30,
    "superscript": "²",
    "other digits": "٣",
    "not a number": "nan",
    "infinite": "1e999",
    "surrogate": "\ud800",
    "not UTF-8": b"\xff",
    "format": "%s{0}%(a)s",
}
READ = [entry for entry in PAGES if entry.get is not None]


def asked_of(route: str) -> tuple[str, ...]:
    return (*QUERY.get(route, ()), *ANYWHERE)


def encoded(value: str | bytes) -> str:
    return quote(value, errors="surrogatepass") if isinstance(value, str) else quote(value)


@pytest.mark.parametrize("entry", READ, ids=label)
def test_odd_queries_never_break_a_page(world: World, entry: Page) -> None:
    client = signed_in(world, entry.may[0])
    address = world.address(entry.route, entry.which)
    broken = [
        f"{name}={what}"
        for name in asked_of(entry.route)
        for what, value in ODD.items()
        if client.get(f"{address}?{name}={encoded(value)}").status_code >= 500
    ]
    assert broken == []


@pytest.mark.parametrize("entry", READ, ids=label)
def test_im_04_a_nul_in_the_query_is_refused(world: World, entry: Page) -> None:
    client = signed_in(world, entry.may[0])
    address = world.address(entry.route, entry.which)
    for name in asked_of(entry.route):
        for query in (f"{name}=%00", f"{name}=a%00b", f"%00{name}=a"):
            assert client.get(f"{address}?{query}").status_code == 400, query


@pytest.mark.parametrize("entry", READ, ids=label)
def test_im_04_a_nul_in_the_path_is_refused(world: World, entry: Page) -> None:
    client = signed_in(world, entry.may[0])
    for name in names_of(entry.route):
        if isinstance(dict(routes())[entry.route].pattern.converters[name], UUIDConverter):
            continue
        arguments = {**world.arguments(entry.route, entry.which), name: "7777"}
        address = reverse(entry.route, kwargs=arguments)
        for nul in ("%00", "a%00b"):
            assert client.get(address.replace("7777", nul)).status_code in (400, 404), address


@pytest.mark.parametrize(
    "entry", [entry for entry in PAGES if entry.post is not None], ids=lambda entry: entry.route
)
def test_im_04_a_nul_in_a_form_never_breaks_a_page(world: World, entry: Page) -> None:
    """Refused with the form, or taken without the character that PostgreSQL cannot hold."""
    form: Mapping[str, Any] = form_of(world, entry.route) or {"any": ""}
    extra = {"skip_reason": "", "action": "", "unclear:G1": "", "seed": "", "rubric": ""}
    for name in {**extra, **form}:
        for action in ("submit", "skip", "save", "insert:\0"):
            if entry.route != "annotate:label_pair" and action != "submit":
                continue
            sent = {**form, **({"action": action} if "action" in form else {}), name: "a\0b"}
            with undone():
                response = signed_in(world, entry.may[0]).post(world.address(entry.route), sent)
                assert response.status_code < 500, (name, action)


def test_im_04_a_vote_pasted_with_a_nul_is_kept(world: World) -> None:
    own = world.own()
    client = signed_in(world, "rater")
    form = submission(rationale="[C1] a\0b decides.")
    assert (
        client.post(reverse("annotate:label_pair", args=[own.public_id]), form).status_code == 303
    )
    assert Vote.objects.get(assignment=own).rationale == "[C1] a\ufffdb decides."


@pytest.mark.parametrize("route", ["annotate:label_draft", "annotate:label_pair"])
def test_op_06_a_body_that_is_no_form_is_refused_and_clears_no_draft(
    world: World, route: str
) -> None:
    """The pages take forms alone: `NaN`, which is no JSON either, arrives nowhere."""
    own = world.own()
    client = signed_in(world, "rater")
    client.post(reverse("annotate:label_draft", args=[own.public_id]), {"rationale": "Begun."})
    address = reverse(route, args=[own.public_id])
    response = client.post(address, b'{"score": NaN}', content_type="application/json")
    assert response.status_code == 400
    own.refresh_from_db()
    assert own.draft == {"rationale": "Begun."}


def test_the_walk_ran_on_the_database_of_the_settings() -> None:
    assert connection.vendor in settings.DATABASES["default"]["ENGINE"]

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from projects.models import Membership, Notice, Project
from projects.notice_page import SHOWN
from projects.notices import KEEP, prune, tell
from tests.making import make_project

if TYPE_CHECKING:
    from collections.abc import Iterable

    from projects.models import User

PAGE = "/notices/"


def told(
    project: Project,
    users: Iterable[User],
    text: str = "Round 1 is open to you.",
    *,
    verb: Notice.Verb = Notice.Verb.OPENED,
    path: str = "/account/",
) -> list[Notice]:
    with transaction.atomic():
        return tell(users=users, project=project, verb=verb, text=text, path=path)


def page_for(client: Client, user: User, address: str = PAGE) -> str:
    client.force_login(user)
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


# ---- Telling


def test_everybody_is_told_once(project: Project, expert: User, lead: User) -> None:
    Membership.objects.create(project=project, user=lead, role="expert")
    told(project, [expert, lead, expert])
    assert sorted(Notice.objects.values_list("user__username", flat=True)) == ["expert", "lead"]


def test_whoever_has_left_or_lost_their_account_is_not_told(
    project: Project, expert: User, other_expert: User, stranger: User
) -> None:
    Membership.objects.filter(user=other_expert).delete()
    expert.is_active = False
    expert.save()
    assert told(project, [expert, other_expert, stranger]) == []


@pytest.mark.django_db(transaction=True)
def test_telling_stands_and_falls_with_what_it_tells(project: Project, expert: User) -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        tell(users=[expert], project=project, verb=Notice.Verb.OPENED, text="Open.", path="/")
    with transaction.atomic():
        tell(users=[expert], project=project, verb=Notice.Verb.OPENED, text="Open.", path="/")
        transaction.set_rollback(True)
    assert not Notice.objects.exists()


@pytest.mark.parametrize(
    "path", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "", "p/"]
)
def test_a_notice_never_leads_elsewhere(project: Project, expert: User, path: str) -> None:
    with pytest.raises(ValueError, match="this site"):
        told(project, [expert], path=path)


def test_a_text_that_is_too_long_is_cut(project: Project, expert: User) -> None:
    (notice,) = told(project, [expert], "x" * 1000)
    assert len(notice.text) == 300
    assert notice.text.endswith("…")


# ---- The page and the bell


def test_notices_stand_by_day_the_newest_first(
    client: Client, project: Project, expert: User
) -> None:
    Project.objects.filter(pk=project.pk).update(time_zone="Europe/Berlin")
    told(project, [expert], "The first.")
    told(project, [expert], "The second.")
    # 23:30 in UTC is the next day in Berlin.
    late = timezone.now().replace(year=2026, month=3, day=1, hour=23, minute=30)
    Notice.objects.update(created_at=late)
    page = page_for(client, expert)
    assert "Monday, 2 March 2026" in page
    assert page.count("<h2") == 1
    assert page.index("The second.") < page.index("The first.")
    assert "00:30" in page
    assert "2 unread." in page


def test_a_days_heading_stands_once_though_zones_differ(
    client: Client, project: Project, expert: User
) -> None:
    other = make_project("elsewhere")
    Membership.objects.create(project=other, user=expert, role="expert")
    Project.objects.filter(pk=other.pk).update(time_zone="Pacific/Auckland")
    for n in range(3):
        told([project, other][n % 2], [expert])
    Notice.objects.update(created_at=timezone.now().replace(hour=20))
    assert page_for(client, expert).count("<h2") == 2


def test_the_bell_counts_what_is_unread(client: Client, project: Project, expert: User) -> None:
    assert "Notices, none unread" in page_for(client, expert, "/")
    told(project, [expert])
    assert "1 unread notice<" in page_for(client, expert, "/")
    told(project, [expert])
    assert "2 unread notices<" in page_for(client, expert, "/account/")
    for _ in range(100):
        told(project, [expert])
    page = page_for(client, expert, "/")
    assert "102 unread notices<" in page
    assert "99+" in page


def test_without_notices_the_page_says_so(client: Client, expert: User) -> None:
    assert "No notices" in page_for(client, expert)


def test_what_was_written_by_people_is_shown_as_text(
    client: Client, project: Project, expert: User
) -> None:
    told(project, [expert], "<script>alert(1)</script> {{ 7|add:7 }}")
    page = page_for(client, expert)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7|add:7 }}" in page


def test_opening_one_marks_it_read_and_goes_there(
    client: Client, project: Project, expert: User
) -> None:
    (notice,) = told(project, [expert], path="/p/claims/")
    client.force_login(expert)
    address = reverse("projects:notice_open", args=[notice.public_id])
    # A look by GET, as a browser that reads ahead does it, reads nothing.
    assert client.get(address).status_code == 405
    response = client.post(address)
    assert (response.status_code, response["Location"]) == (302, "/p/claims/")
    notice.refresh_from_db()
    first = notice.read_at
    assert first is not None
    client.post(address)
    notice.refresh_from_db()
    assert notice.read_at == first
    assert "All read." in page_for(client, expert)


def test_a_row_that_leads_elsewhere_is_not_followed(
    client: Client, project: Project, expert: User
) -> None:
    (notice,) = told(project, [expert])
    Notice.objects.update(path="//elsewhere.example/")
    client.force_login(expert)
    response = client.post(reverse("projects:notice_open", args=[notice.public_id]))
    assert response["Location"] == PAGE


def test_all_are_marked_read_but_for_one_that_came_since(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    (shown,) = told(project, [expert])
    (of_other,) = told(project, [other_expert])
    (since,) = told(project, [expert], "Came since.")
    client.force_login(expert)
    response = client.post(reverse("projects:notices_read"), {"newest": shown.public_id})
    assert response["Location"] == PAGE
    assert list(Notice.objects.unread().order_by("pk")) == [of_other, since]


@pytest.mark.parametrize("newest", ["", "abc", "00000000-0000-4000-8000-000000000000"])
def test_marking_up_to_nothing_is_refused(client: Client, expert: User, newest: str) -> None:
    client.force_login(expert)
    assert client.post(reverse("projects:notices_read"), {"newest": newest}).status_code == 404


def test_older_notices_are_a_page_further(client: Client, project: Project, expert: User) -> None:
    for n in range(SHOWN + 3):
        told(project, [expert], f"Notice {n:03}.")
    first = page_for(client, expert)
    assert f"Notice {SHOWN + 2:03}." in first
    assert "Notice 002." not in first
    last_shown = Notice.objects.get(text="Notice 003.")
    older = f"{PAGE}?before={last_shown.public_id}"
    assert older in first
    second = page_for(client, expert, older)
    assert "Notice 002." in second
    assert "Notice 003." not in second
    assert "Older notices" not in second
    # What came meanwhile moves nothing, and a key that is none is the first page.
    told(project, [expert], "Newest.")
    assert "Notice 003." not in page_for(client, expert, older)
    assert "Newest." in page_for(client, expert, f"{PAGE}?before={uuid4()}")


def test_the_page_takes_no_more_queries_for_more_notices(
    client: Client, project: Project, expert: User
) -> None:
    def queries() -> int:
        client.force_login(expert)
        with CaptureQueriesContext(connection) as seen:
            client.get(PAGE)
        return len(seen)

    told(project, [expert])
    few = queries()
    for n in range(20):
        slug = f"other-{n}"
        other = make_project(slug)
        Membership.objects.create(project=other, user=expert, role="expert")
        told(other, [expert])
    assert queries() == few <= 6


# ---- Who sees them


def test_nobody_sees_or_opens_the_notices_of_another(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    (notice,) = told(project, [expert], "For one alone.")
    assert "For one alone." not in page_for(client, other_expert)
    address = reverse("projects:notice_open", args=[notice.public_id])
    assert client.post(address).status_code == 404
    assert (
        client.post(reverse("projects:notices_read"), {"newest": notice.public_id}).status_code
        == 404
    )
    notice.refresh_from_db()
    assert notice.read_at is None


def test_whoever_leaves_a_project_sees_nothing_of_its_notices(
    client: Client, project: Project, expert: User
) -> None:
    (notice,) = told(project, [expert], "Of the project.")
    Membership.objects.filter(user=expert).delete()
    page = page_for(client, expert)
    assert "Of the project." not in page
    assert "none unread" in page
    address = reverse("projects:notice_open", args=[notice.public_id])
    assert client.post(address).status_code == 404


@pytest.mark.parametrize("verb", [Notice.Verb.ALL_IN, Notice.Verb.REPORT])
def test_what_a_lead_was_told_of_others_ends_with_leading(
    client: Client, project: Project, lead: User, verb: Notice.Verb
) -> None:
    told(project, [lead], "All 80 votes are in.", verb=verb)
    assert "All 80 votes are in." in page_for(client, lead)
    Membership.objects.filter(user=lead).update(role="expert")
    assert "All 80 votes are in." not in page_for(client, lead)


# ---- Pruning


def test_notices_go_after_ninety_days(project: Project, expert: User) -> None:
    old, young = told(project, [expert]) + told(project, [expert])
    Notice.objects.filter(pk=old.pk).update(created_at=timezone.now() - KEEP - timedelta(minutes=1))
    assert prune() == 1
    assert list(Notice.objects.all()) == [young]


def test_the_sweeper_prunes(project: Project, expert: User) -> None:
    from annotate.tasks import sweep

    told(project, [expert])
    Notice.objects.update(created_at=timezone.now() - KEEP - timedelta(minutes=1))
    sweep()
    assert not Notice.objects.exists()

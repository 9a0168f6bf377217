"""The other views of a pair's responses: the source, and the difference word by word."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from django.test import Client
from django.urls import reverse

from annotate.models import Assignment, Part
from tests.ballots import first_of, make_label_round
from tests.crawling import html_of

if TYPE_CHECKING:
    from pytest_django import DjangoAssertNumQueries

    from projects.models import Project, User

TEXTS = {
    "A": "The roof is **whole**, says\nthe insured, who was there.",
    "B": "The roof is **broken**, says\nthe insured, who was there.",
}
VIEWS = ("source", "difference")


@pytest.fixture
def mine(project: Project, expert: User, other_expert: User) -> Assignment:
    found = first_of(make_label_round(project, expert, other_expert), expert, "BA")
    for key, text in TEXTS.items():
        Part.objects.filter(subject=found.subject, key=key).update(text=text)
    return found


@pytest.fixture
def client(expert: User) -> Client:
    client = Client()
    client.force_login(expert)
    return client


def address(view: str, assignment: Assignment) -> str:
    return reverse(f"annotate:label_{view}", args=[assignment.public_id])


def shown(client: Client, view: str, assignment: Assignment) -> str:
    answer = client.get(address(view, assignment))
    assert answer.status_code == 200
    return html_of(answer)


def pane(html: str, side: str) -> str:
    found = re.search(rf'data-side="{side}">(.*?)(?=<div class="view |</section>)', html, re.DOTALL)
    assert found is not None
    return unescape(re.sub(r"<[^>]*>", "", found[1])).strip()


def test_the_source_shows_each_text_verbatim_on_the_side_where_it_is_seen(
    client: Client, mine: Assignment
) -> None:
    html = shown(client, "source", mine)
    assert pane(html, "Left") == TEXTS["B"]
    assert pane(html, "Right") == TEXTS["A"]


def test_the_difference_marks_on_each_side_what_the_other_lacks(
    client: Client, mine: Assignment
) -> None:
    html = shown(client, "difference", mine)
    assert re.findall(r'<mark class="only-here" data-n="1">(\w+)</mark>', html) == [
        "broken",
        "whole",
    ]
    assert 'data-changes="1"' in html
    assert pane(html, "Left") == TEXTS["B"]


def test_the_views_do_not_tell_which_text_is_stored_first(client: Client, mine: Assignment) -> None:
    """Seen the other way round, a view is the mirror image and nothing else."""
    for view in VIEWS:
        one = shown(client, view, mine)
        Assignment.objects.filter(pk=mine.pk).update(order="AB")
        other = shown(client, view, mine)
        Assignment.objects.filter(pk=mine.pk).update(order="BA")
        assert [pane(one, side) for side in ("Left", "Right")] == [
            pane(other, side) for side in ("Right", "Left")
        ]
        for name in ("external-", "model-", "hash of", ">A<", ">B<", '"A"', '"B"'):
            assert name not in one


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_costs_few_queries(
    client: Client,
    mine: Assignment,
    view: str,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    # Session, person, assignment, membership, texts.
    with django_assert_max_num_queries(5):
        client.get(address(view, mine))


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_somebody_elses_pair_does_not_exist(
    mine: Assignment, view: str, other_expert: User, lead: User, stranger: User
) -> None:
    for user in (other_expert, lead, stranger):
        client = Client()
        client.force_login(user)
        assert client.get(address(view, mine)).status_code == 404


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_stays_in_no_cache(client: Client, mine: Assignment, view: str) -> None:
    assert "no-store" in client.get(address(view, mine))["Cache-Control"]


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        (
            "It was so.",
            "Was it",
            "No number, name or content word stands on one side alone.",
        ),
        ("The same\nwords.", "The same words.", "The two responses are the same, word for word."),
    ],
)
def test_where_there_is_nothing_to_compare_it_says_why(
    client: Client, mine: Assignment, left: str, right: str, words: str
) -> None:
    Part.objects.filter(subject=mine.subject, key="B").update(text=left)
    Part.objects.filter(subject=mine.subject, key="A").update(text=right)
    html = shown(client, "difference", mine)
    assert f"<p>{words}</p>" in html
    assert "data-side" not in html


def test_texts_of_different_wording_are_marked_by_what_only_one_of_them_says(
    client: Client, mine: Assignment
) -> None:
    Part.objects.filter(subject=mine.subject, key="B").update(text="It paid $4,150 to Pell.")
    Part.objects.filter(subject=mine.subject, key="A").update(text="Pell sent the $4,510.")
    html = shown(client, "difference", mine)
    assert "data-one-sided" in html
    assert "What only one side says: 1 left, 2 right" in html
    assert '<b class="own-number">4,150</b>' in html
    assert ">Pell<" not in html


def test_beside_an_empty_response_the_other_says_all_there_is(
    client: Client, mine: Assignment
) -> None:
    Part.objects.filter(subject=mine.subject, key="B").update(text="")
    html = shown(client, "difference", mine)
    assert "What only one side says: 0 left" in html
    assert pane(html, "Left") == "This response is empty."


def test_the_source_of_an_empty_response_says_that_it_is_empty(
    client: Client, mine: Assignment
) -> None:
    Part.objects.filter(subject=mine.subject, key="B").update(text="")
    assert pane(shown(client, "source", mine), "Left") == "This response is empty."


@pytest.mark.parametrize("view", [*VIEWS, "nonsense", "<script>"])
def test_the_page_itself_shows_a_view_without_a_script_and_no_view_of_another_name(
    client: Client, mine: Assignment, view: str
) -> None:
    page = reverse("annotate:label_pair", args=[mine.public_id])
    html = html_of(client.get(page, {"show": view}))
    assert (f'class="view view-{view}"' in html) == (view in VIEWS)
    # The rendered texts stay in the page, hidden: evidence counts places in them.
    assert html.count('class="prose" hidden') == (2 if view in VIEWS else 0)
    assert "<strong>broken</strong>" in html


@pytest.mark.parametrize("view", VIEWS)
def test_re_01_hostile_texts_stay_texts_in_every_view(
    client: Client, mine: Assignment, view: str
) -> None:
    text = 'Words that both have <img src=x onerror=probe()> and \x1b[31m "quotes" & more.'
    Part.objects.filter(subject=mine.subject, key="A").update(text=text)
    Part.objects.filter(subject=mine.subject, key="B").update(text=text + " <svg/onload=probe()>")
    html = shown(client, view, mine)
    assert "<img" not in html
    assert "<svg" not in html
    assert pane(html, "Right") == text.replace("\x1b", "␛")

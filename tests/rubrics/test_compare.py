"""Two versions of a rubric as one marked text, and the note that publishing begins with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rubrics.models import RubricVersion
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

COMPARE = "/p/claims/rubrics/claim-letter/compare/"
PUBLISH = "/p/claims/rubrics/claim-letter/2/publish/"
NEXT = make_yaml(2, weight=2, gate="Every amount and date matches the claim file.")


def read(client: Client, user: User, query: str = "") -> str:
    client.force_login(user)
    response = client.get(COMPARE + query)
    assert response.status_code == 200
    return response.content.decode()


def test_an_expert_compares_two_published_versions(
    client: Client, project: Project, expert: User
) -> None:
    make_published(project)
    make_published(project, NEXT, note="Dates count too.")

    text = read(client, expert, "?from=1&to=2")

    assert "1 check reworded, 1 weighted anew." in text
    assert "Every amount<ins> and date</ins> matches the claim file." in text
    assert "Weight 3 → 2" in text
    assert "Labels of version 1 stay under version 1; figures are never pooled" in text
    assert "Dates count too." in text
    # What did not change is there as well, unmarked.
    assert "How plain is the language?" in text


def test_without_a_choice_the_newest_is_compared_with_what_it_was_made_from(
    client: Client, project: Project, expert: User, lead: User
) -> None:
    make_published(project)
    make_published(project, NEXT)
    make_draft(project, make_yaml(3, weight=1))

    assert "Weight 3 → 2" in read(client, expert)
    assert "Weight 2 → 1" in read(client, lead)


def test_the_other_way_round_reads_as_well(client: Client, project: Project, lead: User) -> None:
    make_published(project)
    make_published(project, NEXT)
    assert "Every amount<del> and date</del> matches" in read(client, lead, "?from=2&to=1")


def test_what_code_decides_is_compared_for_leads_only(
    client: Client, project: Project, expert: User, lead: User
) -> None:
    make_published(project)
    make_published(project, make_yaml(2).replace("max_words: 250", "max_words: 200"))
    history = "/p/claims/rubrics/claim-letter/"

    assert "250 words" in read(client, lead)
    assert "max_words: 250" in client.get(history).content.decode()
    assert "250" not in read(client, expert)
    assert "max_words" not in client.get(history).content.decode()


def test_a_revision_says_that_labels_count_together(
    client: Client, project: Project, expert: User
) -> None:
    make_published(project)
    make_published(project, make_yaml(help="Fails on any amount or date that differs."))

    text = read(client, expert, "?from=1.1&to=1.2")

    assert "What a label means is the same in both." in text
    assert "labels given under either count together" in text
    assert "any amount<ins> or date</ins> that" in text


def test_one_version_alone_has_nothing_to_be_compared_with(
    client: Client, project: Project, expert: User
) -> None:
    make_published(project)
    assert "one and the same version" in read(client, expert)


@pytest.mark.parametrize("query", ["?from=9", "?to=2", "?to=1.9", "?from=x", "?to=1.", "?from=²"])
def test_versions_that_are_not_there_are_not_found(
    client: Client, project: Project, expert: User, query: str
) -> None:
    make_published(project)
    make_draft(project, NEXT)
    client.force_login(expert)
    assert client.get(COMPARE + query).status_code == 404


def test_a_rubrics_words_are_text_in_the_comparison(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_published(project, make_yaml(2, gate="<script>probe()</script> & every amount."))
    text = read(client, lead)
    assert "<script>probe" not in text
    assert "&lt;script&gt;" in text


def test_what_changed_is_read_without_the_rest(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, NEXT)
    whole = read(client, lead)
    assert "How plain is the language?" in whole
    assert 'href="?from=1.1&amp;to=2.1&amp;only=changed">Changed only</a>' in whole

    changed = read(client, lead, "?from=1.1&to=2.1&only=changed")

    assert "How plain is the language?" not in changed
    assert "Weight 3 → 2" in changed
    assert 'href="?from=1.1&amp;to=2.1">The whole document</a>' in changed
    # Anchors and help that are as they were say nothing about the change.
    assert "We are sending $4,120.00." in whole
    assert "We are sending $4,120.00." not in changed
    assert "Fails on any amount that differs." not in changed


def test_history_dialog_and_comparison_mark_a_change_alike(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, NEXT)
    client.force_login(lead)
    for address in ("/p/claims/rubrics/claim-letter/", PUBLISH, PUBLISH + "?part=1", COMPARE):
        text = client.get(address).content.decode()
        assert "Every amount <ins>and date </ins>matches" in text or (
            "Every amount<ins> and date</ins> matches" in text
        ), address
        assert "Weight 3 → 2" in text


def test_history_and_publishing_lead_to_the_comparison(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, NEXT)
    client.force_login(lead)
    for address in ("/p/claims/rubrics/claim-letter/", PUBLISH):
        assert f"{COMPARE}?from=1.1&amp;to=2.1" in client.get(address).content.decode()


# The note


def test_each_changed_check_has_a_note_that_is_begun(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, NEXT)
    client.force_login(lead)
    text = client.get(PUBLISH).content.decode()
    assert re.search(r'name="note:G1"[^>]*>\s*Reworded: </textarea>', text)
    assert re.search(r'name="note:C1"[^>]*>\s*Weight 3 → 2: </textarea>', text)


@pytest.mark.parametrize(
    ("gate", "criterion", "refusal"),
    [
        ("Reworded: ", "Weight 3 → 2: it counts less.", "Say why."),
        ("Reworded:", "Weight 3 → 2: it counts less.", "Say why."),
        ("", "Weight 3 → 2: it counts less.", "Say what changed here and why."),
        ("Reworded: dates count.", "Weight 3 → 2: it counts less.", ""),
        ("In words of my own.", "And here.", ""),
    ],
)
def test_a_version_is_published_with_a_note_for_each_changed_check(
    client: Client, project: Project, lead: User, gate: str, criterion: str, refusal: str
) -> None:
    make_published(project)
    draft = make_draft(project, NEXT)
    client.force_login(lead)

    sent = {"note:G1": gate, "note:C1": criterion, "change_note": "", "digest": draft.digest}
    response = client.post(PUBLISH, sent)

    draft = RubricVersion.objects.get(number=2)
    if refusal:
        text = response.content.decode()
        assert response.status_code == 422
        assert refusal in text
        assert criterion in text
        assert (draft.status, draft.change_notes) == ("draft", {})
    else:
        assert response.status_code == 302
        assert (draft.status, draft.change_notes) == ("published", {"G1": gate, "C1": criterion})


def test_the_dialog_is_the_page_without_its_frame(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, NEXT)
    client.force_login(lead)
    text = client.get(PUBLISH + "?part=1").content.decode()
    assert 'id="publish"' in text
    assert "<html" not in text
    assert f'action="{PUBLISH}"' in text

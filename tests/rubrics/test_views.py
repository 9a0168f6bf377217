from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import escape

from projects.models import Event
from rubrics import document
from rubrics.models import Rubric, RubricVersion
from tests.making import make_member
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

LIST = "/p/claims/rubrics/"
RUBRIC = "/p/claims/rubrics/claim-letter/"
VERSION = "/p/claims/rubrics/claim-letter/1/"
SOURCE = VERSION + "rubric.yaml"
PUBLISH = VERSION + "publish/"
DRAFT = "/p/claims/new-rubric/"
READ = [LIST, RUBRIC, VERSION]
LEADS_ONLY = [DRAFT, PUBLISH, SOURCE]


def page(client: Client, user: User, address: str) -> tuple[int, str]:
    client.force_login(user)
    response = client.get(address)
    return response.status_code, response.content.decode()


def test_the_addresses_are_the_agreed_ones() -> None:
    assert reverse("rubrics:rubrics", args=["claims"]) == LIST
    assert reverse("rubrics:rubric", args=["claims", "claim-letter"]) == RUBRIC
    assert reverse("rubrics:version", args=["claims", "claim-letter", 1]) == VERSION


# Reading


def test_an_expert_reads_a_version_as_the_procedure(
    client: Client, project: Project, expert: User
) -> None:
    make_published(project, note="As we agreed in March.")

    status, text = page(client, expert, VERSION)

    assert status == 200
    places = [text.index(f">{title}</h2>") for title in ("Gates", "Criteria", "Preference")]
    assert places == sorted(places)
    for words in (
        "Claim letters",
        "As we agreed in March.",
        "Every amount matches the claim file.",
        "Fails on any amount that differs.",
        "We are sending $4,120.00.",
        "The estimate says so.",
        "weight <b>3</b>",
        "N/A where it does not apply",
        "3 steps, lowest first",
        "middling",
        "Left slightly",
        "Cite what decided it.",
    ):
        assert words in text
    assert text.index("We are sending $4,120.00.") < text.index("We are sending about four")
    assert "<span>real</span>" in text
    assert "<span>invented</span>" in text


def test_what_only_leads_need_is_not_in_an_experts_page(
    client: Client, project: Project, expert: User, lead: User
) -> None:
    version = make_published(project)
    leads_only = ["250 words", version.digest, "Download the YAML", "has no fail anchor", ">A1<"]

    _, seen = page(client, expert, VERSION)
    _, by_lead = page(client, lead, VERSION)

    for words in leads_only:
        assert words not in seen
        assert words in by_lead


def test_an_expert_sees_the_history_of_published_versions_in_words(
    client: Client, project: Project, expert: User
) -> None:
    make_published(project)
    make_published(
        project, make_yaml(2, weight=2, gate="Every figure matches."), note="G1 is wider."
    )
    make_draft(project, make_yaml(3, weight=1))

    status, text = page(client, expert, RUBRIC)

    assert status == 200
    assert "G1 is wider." in text
    assert "became" not in text
    assert "Every <del>amount</del><ins>figure</ins> matches" in text
    assert "Weight 3 → 2" in text
    assert "Version 3" not in text


def test_the_bare_number_leads_to_the_latest_published_revision(
    client: Client, project: Project, expert: User, lead: User
) -> None:
    make_published(project, make_yaml(help="The first wording."))
    make_published(project, make_yaml(help="The second wording."))
    make_draft(project, make_yaml(help="The third wording."))

    for user in (expert, lead):
        assert "The second wording." in page(client, user, VERSION)[1]
        assert "The first wording." in page(client, user, VERSION + "?revision=1")[1]
    assert page(client, expert, VERSION + "?revision=3")[0] == 404
    assert "The third wording." in page(client, lead, VERSION + "?revision=3")[1]
    assert "revision 3" not in page(client, expert, VERSION)[1]


def test_drafts_do_not_exist_for_experts(
    client: Client, project: Project, expert: User, lead: User
) -> None:
    make_draft(project)

    assert page(client, expert, VERSION)[0] == 404
    assert page(client, expert, RUBRIC)[0] == 404
    status, text = page(client, expert, LIST)
    assert status == 200
    assert "Claim letters" not in text
    for address in READ:
        status, text = page(client, lead, address)
        assert status == 200
        assert "Claim letters" in text


def test_the_overview_of_the_project_tells_experts_of_no_draft(
    client: Client, project: Project, expert: User, lead: User
) -> None:
    make_published(project)
    make_draft(project, make_yaml(help="A mended help."))
    make_draft(project, make_yaml(2, weight=2))

    seen, by_lead = (page(client, user, "/p/claims/")[1] for user in (expert, lead))

    assert "Claim letters version 1" in seen
    assert "Claim letters version 2" not in seen
    assert "Draft" not in seen
    assert "Claim letters version 2" in by_lead


def test_a_retired_version_can_still_be_read(
    client: Client, project: Project, expert: User
) -> None:
    version = make_published(project)
    version.status = "retired"
    version.save(update_fields=["status"])

    status, text = page(client, expert, VERSION)

    assert status == 200
    assert "Retired" in text


@pytest.mark.parametrize("address", [*READ, *LEADS_ONLY])
def test_strangers_find_nothing(
    client: Client, project: Project, stranger: User, outsider: User, address: str
) -> None:
    make_published(project)

    for user in (stranger, outsider):
        assert page(client, user, address)[0] == 404
    client.logout()
    assert client.get(address).status_code == 302


@pytest.mark.parametrize("address", LEADS_ONLY)
@pytest.mark.parametrize("role", ["expert", "reviewer", "engineer", "policy_owner"])
def test_other_members_neither_draft_nor_publish_nor_download(
    client: Client, project: Project, role: str, address: str
) -> None:
    make_published(project)
    make_draft(project, make_yaml(help="Another help."))
    client.force_login(make_member(project, role, username="someone_else"))

    assert client.get(address).status_code == 403
    data = {"source": make_yaml(9), "change_note": "x", "digest": "x"}
    assert client.post(address, data).status_code in (403, 405)
    assert RubricVersion.objects.count() == 2
    assert RubricVersion.objects.published().count() == 1


@pytest.mark.parametrize(
    "address",
    [
        "/p/nowhere/rubrics/",
        "/p/claims/rubrics/nothing/",
        "/p/claims/rubrics/claim-letter/2/",
        "/p/claims/rubrics/claim-letter/0/",
        "/p/claims/rubrics/claim-letter/99999999999999999999999/",
        VERSION + "?revision=2",
        VERSION + "?revision=",
        VERSION + "?revision=x",
        VERSION + "?revision=²",
        VERSION + "?revision=99999999999999999999999",
        "/p/claims/rubrics/claim-letter/2/publish/",
        DRAFT + "?rubric=nothing",
    ],
)
def test_what_is_not_there_is_not_found(
    client: Client, project: Project, lead: User, address: str
) -> None:
    make_published(project)

    assert page(client, lead, address)[0] == 404


def test_another_projects_rubric_is_not_found_under_ours(
    client: Client, project: Project, lead: User, outsider: User
) -> None:
    make_published(outsider.memberships.get().project)

    assert page(client, lead, VERSION)[0] == 404


@pytest.mark.parametrize("address", [*READ, SOURCE])
def test_reading_pages_take_no_post(
    client: Client, project: Project, lead: User, address: str
) -> None:
    make_published(project)
    client.force_login(lead)

    assert client.post(address).status_code == 405


def test_a_lead_downloads_yaml_that_reads_back_the_same(
    client: Client, project: Project, lead: User
) -> None:
    version = make_published(project)
    client.force_login(lead)

    response = client.get(SOURCE)

    assert response["Content-Type"] == "application/yaml; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="claim-letter@1.yaml"'
    rubric = document.parse(response.content).rubric
    assert document.digest(rubric) == version.digest
    assert rubric.number == 1


def test_a_preference_may_stand_alone(client: Client, project: Project, expert: User) -> None:
    make_published(project, "task: claim-letter\npreference: {scale: 3}\n")

    _, text = page(client, expert, VERSION)

    assert "Gates" not in text
    assert "Which response is better, all in all?" in text
    for word in ("Left", "Tie", "Right"):
        assert f"<span>{word}</span>" in text


# Drafting


def test_a_lead_pastes_a_document_and_reads_the_draft(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)

    response = client.post(DRAFT, {"source": make_yaml(4)}, follow=True)

    version = RubricVersion.objects.get()
    assert (version.number, version.status) == (4, "draft")
    assert response.redirect_chain == [("/p/claims/rubrics/claim-letter/4/?revision=1", 302)]
    assert "Version 4 of Claim letters is drafted" in response.content.decode()
    assert Event.objects.get(verb="rubric.drafted").actor == lead


def test_a_lead_uploads_a_file(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    source = make_yaml(gate="Die Beträge stimmen.").replace("\n", "\r\n")
    file = SimpleUploadedFile("rubric.yaml", b"\xef\xbb\xbf" + source.encode())

    response = client.post(DRAFT, {"file": file, "source": "", "rubric": ""})

    assert response.status_code == 302
    assert RubricVersion.objects.get().criteria.get(key="G1").text == "Die Beträge stimmen."


def test_the_form_opens_with_the_newest_version_under_the_next_number(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)

    _, text = page(client, lead, DRAFT + "?rubric=claim-letter")

    assert "rubric_version: 2" in text
    assert "Every amount matches the claim file." in text


def test_the_form_opens_with_the_draft_where_there_is_one(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    make_draft(project, make_yaml(2, gate="Every figure matches."))

    _, text = page(client, lead, DRAFT + "?rubric=claim-letter")

    assert "rubric_version: 2" in text
    assert "Every figure matches." in text


def test_a_document_is_drafted_under_the_rubric_that_was_chosen(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    client.force_login(lead)
    renamed = make_yaml(2).replace("task: claim-letter", "task: letters")

    client.post(DRAFT, {"source": renamed, "rubric": "claim-letter"})

    assert Rubric.objects.get().versions.count() == 2


def test_the_same_document_again_is_said_to_change_nothing(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    client.force_login(lead)

    response = client.post(DRAFT, {"source": make_yaml()}, follow=True)

    assert (
        "This is version 1 of Claim letters word for word; nothing was changed"
        in response.content.decode()
    )
    assert RubricVersion.objects.count() == 1


def test_a_refused_document_comes_back_with_every_problem_and_the_text(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)
    wrong = "task: x\ncriteria:\n  - id: C1\n    weight: 0\n    check: a <b> & c\n  - id: C1\n"

    response = client.post(DRAFT, {"source": wrong})

    text = response.content.decode()
    assert response.status_code == 422
    assert "weight must be greater than 0" in text
    assert "criteria.C1.weight" in text
    assert "already used in line 3" in text
    assert "check: a &lt;b&gt; &amp; c" in text
    assert not RubricVersion.objects.exists()


def test_a_taken_number_comes_back_with_the_free_one_and_the_text(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    client.force_login(lead)

    response = client.post(DRAFT, {"source": make_yaml(1, weight=2)})

    assert response.status_code == 422
    assert "Set rubric_version to 2" in response.content.decode()
    assert "weight: 2" in response.content.decode()
    assert RubricVersion.objects.count() == 1


def test_a_refused_file_comes_back_as_text(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)
    file = SimpleUploadedFile("rubric.yaml", b"task: from the file\n")

    response = client.post(DRAFT, {"file": file})

    assert response.status_code == 422
    assert "task: from the file" in response.content.decode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"task: x\nname: caf\xe9\n", "not valid UTF-8"),
        (b"", "empty rubric"),
        (b"\x00\x01", "control character U+0000"),
        (b"# " + b"x" * 1024 * 1024, "over 1 MB"),
    ],
)
def test_a_file_that_is_no_text_is_refused(
    client: Client, project: Project, lead: User, content: bytes, said: str
) -> None:
    client.force_login(lead)

    response = client.post(DRAFT, {"file": SimpleUploadedFile("r.yaml", content), "source": "kept"})

    assert response.status_code == 422
    assert said in response.content.decode()


def test_nothing_at_all_is_an_empty_rubric(client: Client, project: Project, lead: User) -> None:
    client.force_login(lead)

    response = client.post(DRAFT, {})

    assert response.status_code == 422
    assert "empty rubric" in response.content.decode()


def test_an_unknown_rubric_is_refused_and_the_text_kept(
    client: Client, project: Project, lead: User
) -> None:
    client.force_login(lead)

    response = client.post(DRAFT, {"source": make_yaml(), "rubric": "of-another-project"})

    assert response.status_code == 422
    assert "Every amount matches the claim file." in response.content.decode()
    assert not Rubric.objects.exists()


# Publishing


def publish_data(version: RubricVersion, note: str = "", **notes: str) -> dict[str, str]:
    by_check = {f"note:{key}": text for key, text in notes.items()}
    return {"change_note": note, "digest": version.digest, **by_check}


def test_a_lead_reads_what_changes_and_publishes(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    draft = make_draft(project, make_yaml(2, weight=2))
    address = reverse("rubrics:publish", args=["claims", "claim-letter", 2])

    status, text = page(client, lead, address)
    assert status == 200
    assert "Weight 3 → 2" in text
    assert "C1 has no fail anchor" in text

    response = client.post(address, publish_data(draft, C1="It weighs less."), follow=True)
    draft.refresh_from_db()
    assert (draft.status, draft.said) == ("published", "C1: It weighs less.")
    assert draft.published_by == lead
    assert "Version 2 of Claim letters is published" in response.content.decode()


def test_publishing_needs_a_note(client: Client, project: Project, lead: User) -> None:
    draft = make_draft(project)
    client.force_login(lead)

    response = client.post(PUBLISH, publish_data(draft, "  "))

    assert response.status_code == 422
    assert "Say in the change note what changed and why." in response.content.decode()
    assert draft.stored_status() == "draft"


def test_publishing_twice_changes_nothing(client: Client, project: Project, lead: User) -> None:
    draft = make_draft(project)
    client.force_login(lead)
    client.post(PUBLISH, publish_data(draft, "First."))

    response = client.post(PUBLISH, publish_data(draft, "Second."), follow=True)

    assert "published already; nothing was changed" in response.content.decode()
    assert RubricVersion.objects.get().change_note == "First."
    assert Event.objects.filter(verb="rubric.published").count() == 1


def test_another_draft_than_the_one_that_was_read_is_not_published(
    client: Client, project: Project, lead: User
) -> None:
    read = make_draft(project)
    replaced = make_draft(project, make_yaml(weight=2))
    client.force_login(lead)

    response = client.post(PUBLISH, publish_data(read, "As I read it."))

    text = response.content.decode()
    assert response.status_code == 409
    assert "nothing was published" in text
    assert "As I read it." in text
    assert replaced.digest in text
    assert replaced.stored_status() == "draft"


def test_a_publish_that_names_no_draft_is_asked_again(
    client: Client, project: Project, lead: User
) -> None:
    draft = make_draft(project)
    client.force_login(lead)

    assert client.post(PUBLISH, {"change_note": "Blind."}).status_code == 409
    assert draft.stored_status() == "draft"


def test_what_is_said_of_code_is_for_leads(client: Client, project: Project, lead: User) -> None:
    make_published(project)
    draft = make_draft(project, make_yaml(2, weight=2).replace("max_words: 250", "max_words: 200"))
    address = reverse("rubrics:publish", args=["claims", "claim-letter", 2])
    _, text = page(client, lead, address)
    assert 'name="note:C1"' in text
    assert 'name="note:A1"' in text

    client.post(address, publish_data(draft, "Shorter.", C1="It weighs less.", A1="Desks asked."))

    draft.refresh_from_db()
    assert draft.change_notes == {"C1": "It weighs less.", "A1": "Desks asked."}
    assert draft.said == "Shorter.\nC1: It weighs less."


def test_a_change_note_holds_a_line_for_each_of_many_checks(
    client: Client, project: Project, lead: User
) -> None:
    draft = make_draft(project)
    client.force_login(lead)
    note = "\n".join(f"C{n}: reworded: raters read it in two ways." for n in range(200))

    assert client.post(PUBLISH, publish_data(draft, note)).status_code == 302

    assert RubricVersion.objects.get().change_note == note


# Throwing a draft away

DISCARD = "/p/claims/rubrics/claim-letter/2/discard/"


def test_a_draft_is_thrown_away_after_a_question(
    client: Client, project: Project, lead: User
) -> None:
    make_published(project)
    draft = make_draft(project, make_yaml(2, weight=2))
    for address in (RUBRIC, "/p/claims/rubrics/claim-letter/2/"):
        assert f'href="{DISCARD}"' in page(client, lead, address)[1]
    status, text = page(client, lead, DISCARD)
    assert status == 200
    assert "Throw the draft of version 2 away?" in text
    assert "Published versions stay" in text
    assert draft.stored_status() == "draft"

    response = client.post(DISCARD, {"digest": draft.digest}, follow=True)

    assert response.redirect_chain == [(RUBRIC, 302)]
    assert "The draft of version 2 of Claim letters is thrown away." in response.content.decode()
    assert [version.number for version in RubricVersion.objects.all()] == [1]
    assert client.get(DISCARD).status_code == 404
    assert client.post(DISCARD, {"digest": draft.digest}).status_code == 404


def test_the_only_draft_takes_its_rubric_with_it(
    client: Client, project: Project, lead: User
) -> None:
    draft = make_draft(project)
    address = DISCARD.replace("/2/", "/1/")
    assert "the rubric goes with it" in page(client, lead, address)[1]

    response = client.post(address, {"digest": draft.digest}, follow=True)

    assert response.redirect_chain == [(LIST, 302)]
    assert not Rubric.objects.exists()


@pytest.mark.parametrize("read", ["", "of-another"])
def test_another_draft_than_the_one_that_was_asked_about_stays(
    client: Client, project: Project, lead: User, read: str
) -> None:
    draft = make_draft(project)
    client.force_login(lead)

    response = client.post(DISCARD.replace("/2/", "/1/"), {"digest": read})

    assert response.status_code == 409
    assert "nothing was thrown away" in response.content.decode()
    assert draft.stored_status() == "draft"


def test_a_published_version_cannot_be_thrown_away(
    client: Client, project: Project, lead: User
) -> None:
    published = make_published(project)
    client.force_login(lead)
    address = DISCARD.replace("/2/", "/1/")
    assert client.post(address, {"digest": published.digest}).status_code == 404
    assert f'href="{address}"' not in client.get(RUBRIC).content.decode()


def test_the_first_version_is_told_once(client: Client, project: Project, lead: User) -> None:
    make_published(project, note="The first version.")
    assert page(client, lead, RUBRIC)[1].count("The first version.") == 1


def test_pages_ask_the_database_little(
    client: Client, project: Project, lead: User, django_assert_max_num_queries: object
) -> None:
    """The pages read documents, not rows: more checks or versions cost no more queries."""
    for number in range(1, 9):
        make_published(project, make_yaml(number, weight=number))
    client.force_login(lead)

    for address in READ:
        with django_assert_max_num_queries(20):  # type: ignore[operator]
            client.get(address)


# Hostile text

HOSTILE = [
    "<img src=x onerror=probe()>",
    '<iframe srcdoc="<script>probe()</script>"></iframe>',
    "[more](javascript:probe())",
    "[x](data:text/html,probe)",
    "<svg/onload=probe()>",
    "![t](https://example.invalid/p.png?u=1)",
    '<a href="https://example.invalid" style="position:fixed;inset:0">x</a>',
    "</textarea></pre></script><script>probe()</script>",
    "{{ project }}{% debug %}",
    "%s {0} ${x}",
]


def hostile_yaml(number: int, text: str) -> str:
    quoted = "'" + text.replace("'", "''") + "'"
    short = "'" + text[:40].replace("'", "''") + "'"
    return f"""
task: claim-letter
rubric_version: {number}
name: {quoted}
gates:
  - id: G1
    title: {short}
    check: {quoted}
    help: {quoted}
    anchors:
      - {{verdict: pass, origin: real, text: {quoted}, note: {quoted}}}
      - {{verdict: fail, origin: real, text: {quoted}, note: {quoted}}}
criteria:
  - {{id: C1, weight: {number}, check: {quoted}, values: ["a", {short}]}}
automatic:
  - {{id: A1, check: {quoted}, help: {quoted}, rule: {{must_contain: {quoted}}}}}
preference:
  scale: 3
  title: {short}
  check: {quoted}
  help: {quoted}
  rationale: {quoted}
"""


@pytest.mark.parametrize("text", HOSTILE)
def test_re_01_a_rubrics_text_is_shown_as_text_on_every_page(
    client: Client, project: Project, lead: User, text: str
) -> None:
    make_published(project, hostile_yaml(1, "harmless"), note=text)
    make_published(project, hostile_yaml(2, text), note=text)
    make_draft(project, hostile_yaml(3, text))
    client.force_login(lead)
    version = "/p/claims/rubrics/claim-letter/2/"
    pages = [LIST, RUBRIC, version, "/p/claims/rubrics/claim-letter/3/publish/"]
    pages.append(DRAFT + "?rubric=claim-letter")

    answers = [client.get(address) for address in pages]
    for answer in answers:
        assert escape(text) in answer.content.decode()
    answers.append(client.post(DRAFT, {"source": text}))
    answers.append(client.post(DRAFT, {"source": f"task: '{text}'\n{text}: 1\n"}))

    for answer in answers:
        body = answer.content.decode()
        assert answer.status_code in (200, 422)
        assert "probe()>" not in body
        for tag in ("<img", "<iframe", "<svg/", "<script>", '<a href="https'):
            assert tag not in body
        assert 'href="javascript:' not in body
        assert "Claims" in body
        policy = answer["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy


def test_re_01_the_download_is_never_a_page(client: Client, project: Project, lead: User) -> None:
    make_published(project, hostile_yaml(1, "<script>probe()</script>"))
    client.force_login(lead)

    response = client.get(SOURCE)

    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith("attachment")

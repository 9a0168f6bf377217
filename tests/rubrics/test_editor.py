"""The editor as a form: what is sent comes back checked, and both sides say the same."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.html import escape

from projects.models import Event
from rubrics import document, editor, hints, outline_form, outline_reader
from rubrics.editor_fields import is_long
from rubrics.models import RubricVersion
from rubrics.starting import new_rubric
from tests.making import make_member, make_project
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

NEW = "/p/claims/new-rubric/"
EDIT = NEW + "?rubric=claim-letter"


def sent_by(source: str, **changed: str) -> dict[str, str]:
    """What a browser sends of an editor that was opened with this text, after these changes."""
    shown = editor.opened(source)
    fields = outline_form.fields_of(shown.outline) if shown.outline else {}
    return {
        **{name: value.replace("\n", "\r\n") for name, value in fields.items()},
        "source": source.replace("\n", "\r\n"),
        "form_was": shown.form_was,
        "yaml_was": shown.yaml_was,
        **{name.replace("__", "-"): value for name, value in changed.items()},
    }


def editor_source(response: Any) -> str:
    """The YAML as the page shows it."""
    (text,) = re.findall(r'id="source"[^>]*>\n(.*?)</textarea>', response.content.decode(), re.S)
    return unescape(text)


@pytest.fixture
def as_lead(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


# How it begins


def test_a_new_rubric_starts_with_four_gates_each_with_its_two_anchors() -> None:
    rubric = new_rubric()
    assert [gate.key for gate in rubric.gates] == ["G1", "G2", "G3", "G4"]
    assert not document.missing_anchors(rubric)
    assert {a.origin for gate in rubric.gates for a in gate.anchors} == {"invented"}
    assert all(gate.help and gate.title for gate in rubric.gates)
    assert rubric.preference is not None
    assert len(rubric.preference.values) == 5
    assert hints.hints(rubric) == ()


def test_it_opens_with_the_gates_and_only_the_task_to_write(
    as_lead: Client, project: Project
) -> None:
    response = as_lead.get(NEW)

    text = response.content.decode()
    assert "1 to mend" in text
    for title in ("Facts match the source", "Safe to follow", "Keeps to the policy"):
        assert title in text
    sent = sent_by(editor_source(response), task="letters", action="save")
    assert as_lead.post(NEW, sent).status_code == 302
    assert RubricVersion.objects.get().rubric.slug == "letters"


# One validation, at the field and at the line


@pytest.mark.parametrize(
    ("changed", "place", "said"),
    [
        ({"check-1-weight": "0"}, "check-1-weight", "greater than 0"),
        ({"check-1-weight": "much"}, "check-1-weight", "finite number"),
        ({"check-0-id": "1x"}, "check-0-id", "is no id"),
        ({"check-0-check": ""}, "check-0-check", "check text is missing"),
        ({"check-0-title": "x" * 41}, "check-0-title", "over 40 characters"),
        ({"check-0-anchor-1-text": ""}, "check-0-anchor-1-text", "needs its text"),
        ({"check-1-id": "G1"}, "check-1", "already used"),
        ({"check-2-values": "low"}, "check-2-values", "from 2 to"),
        ({"check-2-answers": "number"}, "check-2-low", "finite number"),
        (
            {"check-1-lineage_kind": "merged_from", "check-1-lineage_keys": "C1"},
            "check-1-lineage_keys",
            "two or more",
        ),
        ({"check-3-max_words": "-1"}, "check-3-max_words", "whole number"),
        ({"check-3-max_words": ""}, "check-3", "rule"),
        ({"task": "a b"}, "task", "short name"),
        ({"rubric_version": "0"}, "rubric_version", "whole number"),
        ({"scale": "own", "scale_names": "A, B"}, "scale", "unknown scale"),
        ({"subject": "answer"}, "preference", "compares A with B"),
    ],
)
def test_a_problem_is_told_at_its_field_and_its_line(
    as_lead: Client, project: Project, changed: dict[str, str], place: str, said: str
) -> None:
    sent = {**sent_by(make_yaml()), **changed, "action": "check"}

    response = as_lead.post(NEW, sent)

    text = response.content.decode()
    assert response.status_code == 200
    at_field = text.split(f'id="m-{place}" data-slot>')[1].split("</div>")[0]
    assert said in at_field
    with pytest.raises(document.RubricError) as refused:
        document.parse(editor_source(response))
    for problem in refused.value.problems:
        assert f'data-line="{problem.line}"' in text
        assert str(escape(problem.message)) in text


def test_a_problem_of_hand_written_yaml_finds_its_field(project: Project) -> None:
    source = """
task: t
gates:
  - {id: G1, check: One.}
  - {id: G1, check: "", pass_example: [no]}
criteria: [{id: C1, check: a, weight: x}, {id: C2, check: b, weight: 0}]
"""
    places = {problem.message: problem.place for problem in editor.opened(source).problems}

    assert set(places.values()) == {
        "check-1",
        "check-1-check",
        "check-1-anchor-0-text",
        "check-2-weight",
        "check-3-weight",
    }


def test_a_key_the_form_does_not_know_is_told_at_its_check() -> None:
    (problem,) = editor.opened(make_yaml().replace("    weight: 3", "    wieght: 3")).problems
    assert problem.place == "check-1"
    assert "did you mean weight?" in problem.message


def test_hints_stand_at_their_field_and_block_nothing(as_lead: Client, project: Project) -> None:
    source = make_yaml(gate="The letter is clear and concise.")

    response = as_lead.post(NEW, {**sent_by(source), "action": "check"})

    at_field = (
        response.content.decode().split('id="m-check-0-check" data-slot>')[1].split("</div>")[0]
    )
    assert "“clear and concise”" in at_field
    assert "Split it into two checks" in at_field
    assert as_lead.post(NEW, {**sent_by(source), "action": "save"}).status_code == 302


# Both sides


def test_yaml_that_is_edited_stays_as_typed_and_fills_the_form(
    as_lead: Client, project: Project
) -> None:
    typed = "# agreed in May\n" + make_yaml(gate="Every figure matches.")

    response = as_lead.post(NEW, {**sent_by(make_yaml()), "source": typed, "action": "check"})

    text = response.content.decode()
    assert editor_source(response) == typed
    assert "Every figure matches.</textarea>" in text
    assert "written anew" not in text


def test_a_form_that_is_edited_writes_the_yaml_and_says_that_comments_go(
    as_lead: Client, project: Project
) -> None:
    source = "# agreed in May\n" + make_yaml()

    response = as_lead.post(NEW, {**sent_by(source), "name": "Letters", "action": "check"})

    assert "name: Letters" in editor_source(response)
    assert "# agreed" not in editor_source(response)
    assert "written anew from the form" in response.content.decode()


DROPPED = """
task: t
colour: blue
gates:
  - {id: G1, check: One., owner: Lena, owner: Ana, pass_example: ""}
criteria:
  - {id: C1, weight: 1, check: [a, b]}
"""


def test_keys_that_the_form_drops_are_named_until_the_yaml_is_written_by_hand(
    as_lead: Client, project: Project
) -> None:
    first = as_lead.post(NEW, {**sent_by(DROPPED), "name": "Letters", "action": "check"})

    text = unescape(first.content.decode())
    assert "colour" not in editor_source(first)
    assert "no field for:</b> <code>colour: blue" in text
    assert "owner: Lena" in text
    assert "check: [a, b]" in text
    (dropped,) = re.findall(r'name="dropped" value="([^"]*)"', first.content.decode())
    sent = {**sent_by(editor_source(first)), "dropped": unescape(dropped), "action": "check"}
    later = as_lead.post(NEW, {**sent, "name": "Other letters"})
    assert "colour: blue" in unescape(later.content.decode())
    by_hand = as_lead.post(NEW, {**sent, "source": DROPPED})
    assert "no field for" not in by_hand.content.decode()
    assert "colour: blue" in editor_source(by_hand)


def test_a_form_that_drops_comments_alone_names_no_keys(as_lead: Client, project: Project) -> None:
    # What somebody mends in the form is not told as dropped.
    source = make_yaml().replace("weight: 3", "weight: much")
    sent = {**sent_by(source), "check-1-weight": "2", "action": "check"}
    response = as_lead.post(NEW, sent)
    assert "written anew from the form" in response.content.decode()
    assert "no field for" not in response.content.decode()


def test_the_count_of_problems_leads_to_the_first(as_lead: Client, project: Project) -> None:
    wrong = make_yaml().replace("weight: 3", "weight: 0")
    for source, target in (
        (wrong, 'href="#f-check-1-weight" data-mend="check-1-weight"'),
        (make_yaml().replace("id: C1", "id: G1"), 'href="#check-1" data-mend="check-1"'),
        ("task: [", 'href="#source" data-go="'),
        (make_yaml() + "colour: blue\n", 'href="#source" data-go="'),
    ):
        text = as_lead.post(NEW, {**sent_by(source), "action": "check"}).content.decode()
        assert target in text


def test_looking_at_it_changes_nothing(as_lead: Client, project: Project) -> None:
    source = "# mine\n\n" + make_yaml().replace("  - id: C1", "  # why\n  - id: C1")

    response = as_lead.post(NEW, {**sent_by(source), "action": "check"})

    assert editor_source(response) == source


@pytest.mark.parametrize(("keep", "name"), [("keep-form", "From the form"), ("keep-yaml", "Typed")])
def test_where_both_sides_were_changed_their_author_chooses(
    as_lead: Client, project: Project, keep: str, name: str
) -> None:
    sent = {**sent_by(make_yaml()), "name": "From the form", "action": "save"}
    sent["source"] = sent["source"].replace("Claim letters", "Typed")

    asked = as_lead.post(NEW, sent)

    assert asked.status_code == 422
    assert "Both sides were changed" in asked.content.decode()
    assert "name: Typed" in editor_source(asked)
    assert 'value="From the form"' in asked.content.decode()
    assert not RubricVersion.objects.exists()
    settled = as_lead.post(NEW, {**sent, "form_was": "both", "yaml_was": "both", "action": keep})
    assert settled.status_code == 200
    assert f"name: {name}" in editor_source(settled)


def drawn_kinds(text: str) -> dict[str, str]:
    found = re.findall(r'<(textarea|input|select) [^>]*?id="f-([^"]+)"', text)
    return {name: kind for kind, name in found}


LONG = """
task: t
name: |-
  one
  two
gates:
  - id: G1
    title: |-
      a
      b
    check: |-
      one

      two
    help: "one\n two  \n"
    anchors: [{verdict: pass, origin: real, text: "a\n b", note: "c\nd"}]
criteria: [{id: C1, weight: 1, check: c, level: nominal, values: [low, "in the\n middle"]}]
automatic: [{id: A1, check: d, rule: {must_contain: [x, y]}}]
preference: {check: "Which one\nis better?", title: "u\nv", help: "x\ny", rationale: "s\nt"}
"""


def test_lines_of_a_text_are_no_change_of_the_form(as_lead: Client, project: Project) -> None:
    """Whatever a browser makes of line feeds in a field of one line."""
    opened = as_lead.post(NEW, {"source": LONG, "action": "check"}).content.decode()
    kinds = drawn_kinds(opened)
    sent = {
        name: value.replace("\r\n", "") if kinds.get(name) == "input" else value
        for name, value in sent_by(LONG).items()
    }

    for text in (LONG, LONG + "# mine\n"):
        response = as_lead.post(NEW, {**sent, "source": text, "action": "check"})
        assert response.status_code == 200
        assert editor_source(response) == text


def test_a_field_is_long_where_it_is_drawn_so(as_lead: Client, project: Project) -> None:
    text = as_lead.post(NEW, {"source": LONG, "action": "check"}).content.decode()
    drawn = drawn_kinds(text)
    assert set(drawn.values()) == {"textarea", "input", "select"}
    for name, kind in drawn.items():
        assert is_long(name) == (kind == "textarea"), name


def test_the_form_waits_where_the_yaml_cannot_be_read(as_lead: Client, project: Project) -> None:
    sent = {**sent_by(make_yaml()), "source": "task: [", "action": "check"}

    text = as_lead.post(NEW, sent).content.decode()

    assert "The form waits" in text
    assert "malformed YAML" in text
    assert 'name="task"' not in text


# The buttons


@pytest.mark.parametrize(
    ("action", "keys"),
    [
        ("add:gate", ["G1", "G2", "C1", "C2", "A1"]),
        ("add:criterion", ["G1", "C1", "C2", "C3", "A1"]),
        ("add:automatic", ["G1", "C1", "C2", "A1", "A2"]),
        ("remove:1", ["G1", "C2", "A1"]),
        ("up:2", ["G1", "C2", "C1", "A1"]),
        ("down:1", ["G1", "C2", "C1", "A1"]),
        ("up:1", ["G1", "C1", "C2", "A1"]),
        ("gate:1", ["G1", "C1", "C2", "A1"]),
        ("automatic:1", ["G1", "C2", "A1", "C1"]),
        ("remove:99", ["G1", "C1", "C2", "A1"]),
        ("remove", ["G1", "C1", "C2", "A1"]),
        ("add:nothing", ["G1", "C1", "C2", "A1"]),
        ("explode:1.1.1", ["G1", "C1", "C2", "A1"]),
    ],
)
def test_buttons_add_remove_and_move_checks(action: str, keys: list[str]) -> None:
    after = outline_reader.read(editor.receive({**sent_by(make_yaml()), "action": action}).source)
    assert [check.value("id") for check in after.checks] == keys


@pytest.mark.parametrize(
    ("action", "anchors"),
    [
        ("pass:0", ["pass", "fail", "pass"]),
        ("fail:0", ["pass", "fail", "fail"]),
        ("remove:0.0", ["fail"]),
        ("down:0.0", ["fail", "pass"]),
        ("up:0.1", ["fail", "pass"]),
        ("up:0.0", ["pass", "fail"]),
        ("remove:0.7", ["pass", "fail"]),
    ],
)
def test_buttons_add_remove_and_move_anchors(action: str, anchors: list[str]) -> None:
    after = outline_reader.read(editor.receive({**sent_by(make_yaml()), "action": action}).source)
    assert [anchor["verdict"] for anchor in after.checks[0].anchors] == anchors


def test_a_check_that_moves_to_code_says_where_it_comes_from() -> None:
    sent = {**sent_by(make_yaml()), "action": "automatic:1"}
    (moved,) = [
        c for c in outline_reader.read(editor.receive(sent).source).checks if c.value("id") == "C1"
    ]
    assert moved.kind == "automatic"
    assert (moved.value("lineage_kind"), moved.value("lineage_keys")) == (
        "moved_to_automatic",
        "C1",
    )


def test_a_button_takes_what_was_typed_with_it(as_lead: Client, project: Project) -> None:
    sent = {**sent_by(make_yaml()), "name": "Typed before", "action": "add:gate"}
    response = as_lead.post(NEW, sent)
    assert "name: Typed before" in editor_source(response)
    assert "id: G2" in editor_source(response)


# Keeping it


def test_a_draft_that_somebody_else_changed_is_told_and_nothing_is_written(
    as_lead: Client, project: Project
) -> None:
    opened = make_draft(project)
    other = make_member(project, "lead", username="other_lead")
    theirs = make_yaml(help="Their help.")
    client_of_other = type(as_lead)()
    client_of_other.force_login(other)
    sent = {**sent_by(theirs), "draft_digest": opened.digest, "action": "save"}
    client_of_other.post(NEW, sent)
    mine = {**sent_by(make_yaml(weight=9)), "draft_digest": opened.digest, "action": "save"}

    refused = as_lead.post(NEW, mine)

    text = refused.content.decode()
    standing = RubricVersion.objects.get()
    assert refused.status_code == 409
    assert "changed while you were here</b>, by other_lead" in text
    assert "Weight 3 → 9" in text
    assert "weight: 9" in editor_source(refused)
    assert standing.criteria.get(key="G1").help == "Their help."
    assert f'name="draft_digest" value="{standing.digest}"' in text
    again = as_lead.post(NEW, {**mine, "draft_digest": standing.digest})
    assert again.status_code == 302
    assert RubricVersion.objects.get().criteria.get(key="C1").weight == 9
    assert Event.objects.filter(verb="rubric.drafted").count() == 3


def test_a_quarrel_stands_until_the_next_save(as_lead: Client, project: Project) -> None:
    opened = make_draft(project)
    standing = make_draft(project, make_yaml(help="Their help."))
    mine = {**sent_by(make_yaml(weight=9)), "draft_digest": opened.digest, "action": "save"}
    refused = as_lead.post(NEW, mine)
    assert f'name="told_of" value="{standing.digest}"' in refused.content.decode()
    after = {**mine, "draft_digest": standing.digest, "told_of": standing.digest}

    looked = as_lead.post(NEW, {**after, "action": "check"})
    unreadable = as_lead.post(NEW, {**after, "source": "task: [", "action": "check"})

    assert looked.status_code == 200
    assert "Weight 3 → 9" in looked.content.decode()
    assert f'name="draft_digest" value="{standing.digest}"' in looked.content.decode()
    assert "changed while you were here" in unreadable.content.decode()
    assert as_lead.post(NEW, after).status_code == 302


def test_a_draft_of_another_project_is_never_told(as_lead: Client, project: Project) -> None:
    other = make_project("other")
    foreign = make_draft(other, make_yaml(help="Of another project."))
    sent = {**sent_by(make_yaml()), "told_of": foreign.digest, "action": "check"}
    assert "changed while you were here" not in as_lead.post(NEW, sent).content.decode()


def test_ones_own_save_in_another_tab_is_told_as_ones_own(
    as_lead: Client, project: Project
) -> None:
    opened = make_draft(project)
    sent = {**sent_by(make_yaml(weight=8)), "draft_digest": opened.digest, "action": "save"}
    assert as_lead.post(NEW, sent).status_code == 302

    stale = {**sent_by(make_yaml(weight=9)), "draft_digest": opened.digest, "action": "save"}
    text = as_lead.post(NEW, stale).content.decode()

    assert "by you, in another tab or before Back" in text
    assert "Read that draft" in text
    assert "theirs" not in text


def test_a_new_rubric_does_not_replace_a_draft_it_never_saw(
    as_lead: Client, project: Project
) -> None:
    make_draft(project)

    refused = as_lead.post(
        NEW, {**sent_by(make_yaml(weight=9)), "draft_digest": "", "action": "save"}
    )

    assert refused.status_code == 409
    assert RubricVersion.objects.get().criteria.get(key="C1").weight == 3


def test_keeping_the_same_text_twice_is_no_quarrel(as_lead: Client, project: Project) -> None:
    sent = {**sent_by(make_yaml()), "draft_digest": "", "action": "save"}
    assert [as_lead.post(NEW, sent).status_code for _ in range(2)] == [302, 302]
    assert RubricVersion.objects.count() == 1


def test_keep_and_publish_leads_to_publishing(as_lead: Client, project: Project) -> None:
    response = as_lead.post(NEW, {**sent_by(make_yaml()), "draft_digest": "", "action": "publish"})
    assert response["Location"] == "/p/claims/rubrics/claim-letter/1/publish/"


@pytest.mark.parametrize("action", ["check", "add:gate", "keep-form", "load", "nonsense"])
def test_looking_writes_nothing(as_lead: Client, project: Project, action: str) -> None:
    as_lead.post(NEW, {**sent_by(make_yaml()), "action": action})
    assert not RubricVersion.objects.exists()
    assert not Event.objects.exists()


def test_a_file_is_read_into_the_editor_without_being_kept(
    as_lead: Client, project: Project
) -> None:
    file = SimpleUploadedFile("r.yaml", b"# theirs\r\n" + make_yaml(7).encode())
    response = as_lead.post(NEW, {**sent_by(make_yaml()), "file": file, "action": "load"})
    assert editor_source(response) == "# theirs\n" + make_yaml(7)
    assert not RubricVersion.objects.exists()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "the YAML alias *a is not accepted"),
        ("task: " + "[" * 50 + "]" * 50, "levels deep"),
        ("task: !!python/object:os.system x\n", "is not accepted"),
        ("task: t\x00", "control character U+0000"),
        ("- a\n- b\n", "must be a mapping"),
        ("", "empty rubric"),
        ("# " + "x" * 1024 * 1024, "over 1 MB"),
    ],
)
@pytest.mark.parametrize("action", ["check", "save"])
def test_a_hostile_document_is_refused_with_its_place(
    as_lead: Client, project: Project, source: str, said: str, action: str
) -> None:
    response = as_lead.post(NEW, {"source": source, "action": action, "draft_digest": ""})
    assert said in response.content.decode()
    assert 'data-line="' in response.content.decode()
    assert not RubricVersion.objects.exists()


NESTED = ["[" * 3_000, "[" * 90 + "]" * 90, '{"items":' * 90 + "{}" + "}" * 90]


def by_schema(written: str) -> str:
    check = f"automatic: [{{id: A1, check: It is JSON., rule: {{json_schema: {written}}}}}]"
    return f"task: claim-letter\n{check}\npreference: {{scale: 5}}\n"


@pytest.mark.parametrize("schema", NESTED)
@pytest.mark.parametrize("door", ["json", "yaml", "form"])
def test_a_schema_nested_without_end_is_a_problem_at_its_check(
    as_lead: Client, project: Project, door: str, schema: str
) -> None:
    if door == "form":
        data = sent_by(by_schema("'{}'"))
        (field,) = (name for name in data if name.endswith("json_schema"))
        data[field] = schema
    else:
        source = by_schema(f"'{schema}'" if door == "json" else schema)
        data = {"source": source, "form_was": "", "yaml_was": ""}
    response = as_lead.post(NEW, {**data, "action": "check"})
    assert response.status_code == 200
    assert re.search("nested|no JSON|cannot be read|not valid YAML", response.content.decode())


def test_a_very_long_rubric_is_edited_as_text(as_lead: Client, project: Project) -> None:
    checks = "".join(f"  - {{id: C{n}, weight: 1, check: Names {n}.}}\n" for n in range(700))
    response = as_lead.post(NEW, {"source": f"task: t\ncriteria:\n{checks}", "action": "check"})
    assert "too long for a form" in response.content.decode()


def test_a_rubric_of_sixty_checks_fits_the_form(as_lead: Client, project: Project) -> None:
    anchor = "anchors: [{verdict: pass, text: a}, {verdict: fail, text: b}]"
    checks = "".join(
        f"  - {{id: C{n}, weight: 1, check: Names {n}., {anchor}}}\n" for n in range(60)
    )
    source = f"task: t\ncriteria:\n{checks}"
    response = as_lead.post(NEW, {**sent_by(source), "name": "Sixty", "action": "save"})
    assert response.status_code == 302
    assert RubricVersion.objects.get().content.name == "Sixty"


def test_the_preview_is_what_raters_will_see(as_lead: Client, project: Project) -> None:
    text = as_lead.post(NEW, {**sent_by(make_yaml()), "action": "check"}).content.decode()
    preview = text.split('id="editor-preview"')[1]
    for words in (
        "Amounts match",
        "How plain is the language?",
        "middling",
        "Cite what decided it.",
    ):
        assert words in preview
    # What code decides is never shown to them.
    assert "250 words" not in preview


def test_an_answer_to_a_change_is_the_editor_alone(as_lead: Client, project: Project) -> None:
    text = as_lead.post(
        NEW, {**sent_by(make_yaml()), "action": "check", "part": "1"}
    ).content.decode()
    assert 'id="editor"' in text
    assert "<html" not in text


def test_lineage_offers_the_ids_of_the_version_before(as_lead: Client, project: Project) -> None:
    make_published(project)
    text = as_lead.get(EDIT).content.decode()
    assert '<option value="C2"></option>' in text

"""Known answers: the form, the list and the command of the leads."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.access import STILL_RATING
from annotate.actions.gold import IN_A_BATCH, GoldRefused, set_gold, withdraw_gold
from annotate.actions.gold_file import set_gold_from
from annotate.assignment import fresh_pairs
from annotate.gold import labels_of
from annotate.models import GoldAnswer, GoldLabel, Slot, Subject
from projects.models import Event, Membership
from tests.ballots import RUBRIC, SCALES, filled, first_of, make_label_round
from tests.crawling import html_of
from tests.gold import RIGHT, WHY, known, make_gold
from tests.making import make_member, make_pair, make_rubric_version, make_version, make_vote

if TYPE_CHECKING:
    from pathlib import Path

    from annotate.actions.imports import Report
    from projects.models import Project, User
    from rubrics.models import RubricVersion


@pytest.fixture
def version(project: Project) -> RubricVersion:
    return make_rubric_version(project, RUBRIC)


@pytest.fixture
def pair(project: Project) -> Subject:
    return make_pair(project, "the pair", prompt="Summarise.", context="A file.")


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def form_page(subject: Subject) -> str:
    return reverse("annotate:subject_gold", args=[subject.project.slug, subject.public_id])


def listed(user: User, slug: str = "claims", query: str = "") -> str:
    return html_of(as_(user).get(reverse("annotate:gold", args=[slug]) + query))


def sent(**changes: str) -> dict[str, str]:
    """The form as a lead sends it: A on the left."""
    form = {**filled(rationale=""), "why": WHY, "use": "hidden", "action": "set", **changes}
    return {name: value for name, value in form.items() if value}


# ---- The action


def test_an_answer_is_kept_in_canonical_terms(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    done = set_gold(subject=pair, version=version, known=known(), acting_user=lead)
    assert done == "created"
    gold = GoldAnswer.objects.get()
    assert (gold.subject, gold.version, gold.use, gold.why) == (pair, version, "hidden", WHY)
    assert gold.created_by == lead
    assert labels_of(gold) == {
        ("G1", "A"): "pass",
        ("G1", "B"): "pass",
        ("G2", "A"): "pass",
        ("G2", "B"): "pass",
        ("C1", "A"): "yes",
        ("C1", "B"): "no",
        ("C2", "A"): "yes",
        ("C2", "B"): "yes",
        ("preference", ""): "A_slight",
    }
    event = Event.objects.get(verb="gold.set")
    assert (event.actor, event.target, event.data["before"]) == (lead, str(version), None)
    assert event.data["answer"]["why"] == WHY


def test_the_same_answer_again_changes_nothing(pair: Subject, version: RubricVersion) -> None:
    make_gold(pair, version)
    before = list(GoldLabel.objects.values())
    done = set_gold(subject=pair, version=version, known=known(), acting_user=None)
    assert done == "unchanged"
    assert list(GoldLabel.objects.values()) == before
    assert Event.objects.filter(verb__startswith="gold.").count() == 1


def test_another_answer_takes_the_place_of_the_first_which_the_audit_keeps(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    make_gold(pair, version)
    other = known({"G1": "fail pass", "preference": ""}, why="A rounds.", use="practice")
    done = set_gold(subject=pair, version=version, known=other, acting_user=lead)
    assert done == "updated"
    gold = GoldAnswer.objects.get()
    assert (gold.use, gold.why) == ("practice", "A rounds.")
    assert ("preference", "") not in labels_of(gold)
    before = Event.objects.get(verb="gold.changed").data["before"]
    assert before["why"] == WHY
    assert ["preference", "", "A_slight"] in before["labels"]


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"G1": ""}, "label:G1:Left", "G1 is not answered for A."),
        ({"C2": "yes maybe"}, "label:C2:Right", "“maybe” is not an answer to C2"),
        ({"C9": "yes"}, "label:C9:Left", "C9 is not asked here."),
        ({"preference": ""}, "preference", "Choose a preference"),
        ({"preference": "A_huge"}, "preference", "“A_huge” is no preference here"),
        ({"G1": "fail pass"}, "preference", "No preference where a gate decides (G1)"),
        # Rounds may ask the criteria after a gate: they are known too.
        ({"G1": "fail", "C1": "", "preference": ""}, "label:C1:Left", "C1 is not answered"),
    ],
)
def test_an_answer_is_as_whole_and_in_order_as_a_vote(
    pair: Subject, version: RubricVersion, given: dict[str, str], field: str, says: str
) -> None:
    with pytest.raises(GoldRefused) as refused:
        set_gold(subject=pair, version=version, known=known(given), acting_user=None)
    assert says in refused.value.problems[field]
    assert not GoldAnswer.objects.exists()
    assert not Event.objects.filter(verb__startswith="gold.").exists()


@pytest.mark.parametrize(
    ("why", "says"),
    [
        (" \n ", "Say why"),
        ("x" * 20_001, "under 20,000"),
        ("[C7] decides.", "C7 is not in this rubric. Cite one of G1, G2, C1, C2, A or B."),
    ],
)
def test_an_answer_says_why(pair: Subject, version: RubricVersion, why: str, says: str) -> None:
    with pytest.raises(GoldRefused) as refused:
        set_gold(subject=pair, version=version, known=known(why=why), acting_user=None)
    assert says in refused.value.problems["why"]


def test_why_needs_no_citation_and_holds_every_character(
    pair: Subject, version: RubricVersion
) -> None:
    gold = make_gold(pair, version, why="Plainly.\r\n[A] \0 wins.")
    assert gold.why == "Plainly.\n[A] \ufffd wins."


def test_an_odd_use_is_refused(pair: Subject, version: RubricVersion) -> None:
    with pytest.raises(GoldRefused, match="hidden, probe or practice"):
        set_gold(subject=pair, version=version, known=known(use="secret"), acting_user=None)


def test_measured_values_are_kept_as_one_text_however_they_are_typed(
    project: Project, pair: Subject
) -> None:
    scales = make_rubric_version(project, SCALES)
    given = {**dict.fromkeys(RIGHT, ""), "C1": "4 5", "C2": "7.0 na", "preference": ""}
    answer = known(given)
    labels = {**answer.labels, ("C3", ""): "yes"}
    set_gold(
        subject=pair,
        version=scales,
        known=type(answer)(labels, "", "So.", "hidden"),
        acting_user=None,
    )
    kept = labels_of(GoldAnswer.objects.get())
    assert kept["C2", "A"] == "7"
    assert kept["C2", "B"] == "na"
    assert kept["C3", ""] == "yes"
    with pytest.raises(GoldRefused, match="from 0 to 100"):
        set_gold(
            subject=pair,
            version=scales,
            known=type(answer)({**labels, ("C2", "A"): "101"}, "", "So.", "hidden"),
            acting_user=None,
        )


def test_a_lead_who_still_rates_the_pair_sets_no_answer(
    project: Project, lead: User, expert: User
) -> None:
    batch = make_label_round(project, lead, expert)
    subject = first_of(batch, lead).subject
    with pytest.raises(GoldRefused, match=STILL_RATING):
        set_gold(subject=subject, version=batch.version, known=known(), acting_user=lead)
    assert as_(lead).get(form_page(subject)).status_code == 403
    assert as_(lead).post(form_page(subject), sent()).status_code == 403
    assert not GoldAnswer.objects.exists()


def test_answers_are_given_under_published_versions_of_the_pairs_own_project(
    project: Project, pair: Subject, outsider: User
) -> None:
    draft = make_version(project, published=False)
    elsewhere = make_rubric_version(Membership.objects.get(user=outsider).project, RUBRIC)
    for wrong, says in ((draft, "not published"), (elsewhere, "not a rubric of")):
        with pytest.raises(GoldRefused, match=says):
            set_gold(subject=pair, version=wrong, known=known(), acting_user=None)


def test_a_pair_without_its_texts_has_no_answer(pair: Subject, version: RubricVersion) -> None:
    pair.parts.filter(key="B").update(text=None)
    with pytest.raises(GoldRefused, match="texts of this pair"):
        set_gold(subject=pair, version=version, known=known(), acting_user=None)


def test_what_raters_meet_in_a_batch_stays_as_it_is(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert)
    subject = first_of(batch, expert).subject
    make_gold(subject, batch.version)
    batch.slots.filter(subject=subject).update(role=Slot.Role.GOLD)
    with pytest.raises(GoldRefused, match=IN_A_BATCH):
        set_gold(subject=subject, version=batch.version, known=known(why="No."), acting_user=lead)
    with pytest.raises(GoldRefused, match=IN_A_BATCH):
        withdraw_gold(subject=subject, version=batch.version, acting_user=lead)
    page = html_of(as_(lead).get(form_page(subject)))
    assert "can no longer change" in page
    assert as_(lead).post(form_page(subject), sent(why="No.")).status_code == 422
    assert GoldAnswer.objects.get().why == WHY


def test_a_known_pair_is_in_no_round_and_open_again_once_withdrawn(
    project: Project, pair: Subject, version: RubricVersion, lead: User
) -> None:
    assert pair.pk in fresh_pairs(project, [])
    make_gold(pair, version)
    assert pair.pk not in fresh_pairs(project, [])
    withdraw_gold(subject=pair, version=version, acting_user=lead)
    assert pair.pk in fresh_pairs(project, [])
    event = Event.objects.get(verb="gold.withdrawn")
    assert (event.actor, event.data["before"]["why"]) == (lead, WHY)
    withdraw_gold(subject=pair, version=version, acting_user=lead)
    assert Event.objects.filter(verb="gold.withdrawn").count() == 1


# ---- The form


def test_a_lead_answers_a_pair_and_sees_it_in_the_list(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    client = as_(lead)
    page = html_of(client.get(form_page(pair)))
    for words in ("Response A of the pair.", "Every amount in the summary", "Not answered yet"):
        assert words in page
    assert ">Left<" not in page
    response = client.post(form_page(pair), sent(G1_B=""))
    assert response["Location"] == reverse("annotate:gold", args=["claims"])
    gold = GoldAnswer.objects.get()
    assert labels_of(gold)["C1", "B"] == "no"
    assert labels_of(gold)["preference", ""] == "A_slight"
    assert "The answer on the pair is kept." in html_of(client.get(response["Location"]))
    filled_in = html_of(client.get(form_page(pair)))
    assert filled_in.count(" checked") == 8 + 1 + 1
    assert WHY in filled_in
    assert "Withdraw it" in filled_in


def test_nothing_is_chosen_for_the_lead(pair: Subject, version: RubricVersion, lead: User) -> None:
    assert " checked" not in html_of(as_(lead).get(form_page(pair)))


def test_a_refused_form_keeps_what_was_entered_and_names_each_field(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    form = {**sent(why="", use=""), "label:G1:Left": "fail", "preference": "1"}
    del form["label:C2:Right"]
    response = as_(lead).post(form_page(pair), form)
    assert response.status_code == 422
    page = html_of(response)
    for words in (
        "C2 is not answered for B.",
        "No preference where a gate decides (G1): leave it out. It has been cleared.",
        "Say why this is the right answer",
        "Choose what it is for",
    ):
        assert words in page
    assert page.count(" checked") == 7
    assert not GoldAnswer.objects.exists()
    again = {**form, "label:C2:Right": "no", "preference": "", "why": WHY, "use": "hidden"}
    assert as_(lead).post(form_page(pair), again).status_code == 302


def test_withdrawing_is_asked_about_first(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    make_gold(pair, version)
    page = html_of(as_(lead).get(form_page(pair)))
    question = form_page(pair) + f"?version={version}&withdraw=1".replace("@", "%40")
    assert f'href="{question.split("/")[-1].replace("&", "&amp;")}" data-opens="withdraw"' in page
    assert '<dialog class="dialog" id="withdraw"' in page
    # Nothing of the form itself withdraws.
    form = page.partition('<form class="gold-form')[2].partition("</form>")[0]
    assert 'value="withdraw"' not in form
    asked = as_(lead).get(question)
    assert "Withdraw the answer on the pair?" in html_of(asked)
    assert GoldAnswer.objects.count() == 1
    where = form_page(pair) + f"?version={version}".replace("@", "%40")
    assert f'action="{where}"' in html_of(asked)
    assert as_(lead).post(where, {"action": "withdraw"}).status_code == 302
    assert not GoldAnswer.objects.exists()
    # Withdrawn meanwhile: there is nothing to ask about.
    assert as_(lead).get(question)["Location"] == reverse("annotate:gold", args=["claims"])


def test_a_lead_withdraws_an_answer(pair: Subject, version: RubricVersion, lead: User) -> None:
    make_gold(pair, version)
    assert as_(lead).post(form_page(pair), {"action": "withdraw"}).status_code == 302
    assert not GoldAnswer.objects.exists()


def test_a_body_that_is_no_form_is_refused(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    response = as_(lead).post(form_page(pair), b"{}", content_type="application/json")
    assert response.status_code == 400


def test_the_version_is_chosen_in_the_address(
    project: Project, pair: Subject, version: RubricVersion, lead: User
) -> None:
    second = make_rubric_version(project, RUBRIC.replace("rubric_version: 1", "rubric_version: 2"))
    client = as_(lead)
    assert "File summaries, version 2</span>" in html_of(client.get(form_page(pair)))
    assert client.post(f"{form_page(pair)}?version={version}", sent()).status_code == 302
    assert GoldAnswer.objects.get().version == version
    # What is answered is shown, until another is asked for.
    assert "File summaries, version 1</span>" in html_of(client.get(form_page(pair)))
    other = html_of(client.get(f"{form_page(pair)}?version={second}"))
    assert "Not answered yet" in other
    assert client.get(f"{form_page(pair)}?version=nothing@9").status_code == 200


def test_without_a_published_version_the_form_says_what_to_do(pair: Subject, lead: User) -> None:
    assert "No published rubric for pairs" in html_of(as_(lead).get(form_page(pair)))
    assert "No published rubric for pairs" in listed(lead)


def test_the_form_says_who_has_voted_on_the_pair(
    project: Project, lead: User, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert)
    assignment = first_of(batch, expert)
    make_vote(assignment)
    page = html_of(as_(lead).get(form_page(assignment.subject)))
    assert "1 rater voted on it" in page
    assert "none of them is given it again" in page
    assert as_(lead).post(form_page(assignment.subject), sent()).status_code == 302


def test_the_page_of_a_pair_leads_to_the_form(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    page = reverse("annotate:subject", args=["claims", pair.public_id])
    assert "Give it a known answer" in html_of(as_(lead).get(page))
    make_gold(pair, version)
    found = html_of(as_(lead).get(page))
    assert "Its known answer" in found
    assert form_page(pair) in found


# ---- The list


def test_the_list_says_what_is_missing(
    project: Project, version: RubricVersion, lead: User
) -> None:
    assert "No known answer yet" in listed(lead)
    for n in range(7):
        failing = {"G1": "fail pass", "preference": ""} if n < 2 else {}
        make_gold(make_pair(project, f"hidden-{n}"), version, failing, by=lead)
    make_gold(make_pair(project, "practice-0"), version, use="practice")
    page = listed(lead)
    assert "7 hidden, 2 with a planted gate failure" in page
    assert "Half of the hidden ones should hold a planted gate failure: 2 of 7 do." in page
    assert "3 practice pairs are needed, 1 there so far." in page
    assert page.count(">yes</td>") == 2
    assert "hidden-6" in page
    for n in (1, 2):
        make_gold(make_pair(project, f"practice-{n}"), version, use="practice")
    assert "practice pairs are needed" not in listed(lead)


def test_a_new_version_practises_on_the_one_before_as_long_as_it_asks_the_same(
    project: Project, version: RubricVersion, lead: User
) -> None:
    for n in range(3):
        make_gold(make_pair(project, f"practice-{n}"), version, use="practice")
    second = RUBRIC.replace("rubric_version: 1", "rubric_version: 2")
    make_rubric_version(project, second.replace("Rounding counts as", "Rounding is"))
    assert "Practises on the 3 pairs of version 1, whose checks ask the same" in listed(lead)
    reworded = second.replace("rubric_version: 2", "rubric_version: 3")
    make_rubric_version(project, reworded.replace("Every open item", "Each open item"))
    assert "3 practice pairs are needed, none there yet." in listed(lead)


def test_pairs_are_offered_and_found_by_their_id(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    page = listed(lead)
    assert "Seen by nobody" in page
    assert form_page(pair) in page
    found = as_(lead).get(reverse("annotate:gold", args=["claims"]), {"pair": " the pair "})
    assert found["Location"] == form_page(pair)
    assert "There is no pair “other” here." in listed(lead, query="?pair=other")


def test_a_lead_who_rates_is_told_nothing_of_the_pairs_they_rate(
    project: Project, lead: User, expert: User
) -> None:
    batch = make_label_round(project, lead, expert)
    subject = first_of(batch, lead).subject
    make_gold(subject, batch.version)
    page = listed(lead)
    assert WHY not in page
    assert subject.external_id not in page
    assert "You rate pairs yourself at present" in page
    overview = html_of(as_(lead).get(reverse("annotate:project", args=["claims"])))
    assert subject.external_id not in overview


# ---- The command


def row(pair: Subject | str, **changes: Any) -> dict[str, Any]:
    labels: dict[str, Any] = {
        key: dict(zip("AB", words.split() * 2, strict=False))
        for key, words in RIGHT.items()
        if key != "preference"
    }
    labels |= changes.pop("labels", {})
    whole = {"id": str(pair), "labels": labels, "preference": "A_slight", "why": WHY}
    return {name: value for name, value in {**whole, **changes}.items() if value is not None}


def write(folder: Path, *rows: object) -> Path:
    file = folder / "gold.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return file


def read(folder: Path, version: RubricVersion, *rows: object) -> Report:
    return set_gold_from(version=version, file=write(folder, *rows), acting_user=None)


def run(file: Path, version: RubricVersion, *more: str) -> str:
    out = StringIO()
    call_command(
        "set_gold", str(file), "--project=claims", f"--rubric={version}", *more, stdout=out
    )
    return out.getvalue()


def test_a_file_sets_probes(version: RubricVersion, pair: Subject, tmp_path: Path) -> None:
    report = read(tmp_path, version, row(pair, use="probe"))
    assert report.created == 1
    assert GoldAnswer.objects.get().use == GoldAnswer.Use.PROBE


def test_the_command_keeps_every_answer_of_a_file(
    project: Project, pair: Subject, version: RubricVersion, lead: User, tmp_path: Path
) -> None:
    other = make_pair(project, "other")
    decided = row(other, labels={"G1": {"A": "fail", "B": "pass"}}, preference=None, use="practice")
    file = write(tmp_path, row(pair), decided)
    assert "2 rows: 2 created" in run(file, version, "--as", lead.username)
    kept = {gold.subject: gold for gold in GoldAnswer.objects.select_related("subject")}
    assert (kept[pair].use, kept[other].use) == ("hidden", "practice")
    assert kept[pair].created_by == lead
    event = Event.objects.filter(verb="gold.set")[0]
    assert event.data["operator"]
    assert "2 unchanged" in run(file, version)
    write(tmp_path, row(pair, why="Otherwise."))
    assert json.loads(run(file, version, "--json"))["updated"] == 1


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"id": "nowhere"}, "id", 'There is no pair "nowhere"'),
        ({"id": None}, "id", "Name the pair by its id."),
        ({"labels": {"G1": {"A": "pass"}}}, "labels.G1.B", "G1 is not answered for B."),
        ({"labels": {"G1": {"A": "pass", "B": "no"}}}, "labels.G1.B", "is not an answer to G1"),
        ({"labels": {"G1": "pass"}}, "labels.G1", "give it a value for A and one for B"),
        ({"labels": {"G1": {"A": True, "B": "pass"}}}, "labels.G1.A", "is no label"),
        ({"labels": {"C8": {"A": "yes"}}}, "labels.C8.A", "C8 is not asked here."),
        ({"preference": "left"}, "preference", "“left” is no preference here"),
        ({"preference": ["A"]}, "preference", "Give a text here."),
        ({"why": ""}, "why", "Say why"),
        ({"use": "secret"}, "use", "hidden, probe or practice"),
        ({"gold": "yes"}, "gold", "is no field of a known answer"),
    ],
)
def test_a_wrong_row_is_named_by_line_and_field_and_nothing_is_kept(
    project: Project,
    pair: Subject,
    version: RubricVersion,
    tmp_path: Path,
    changes: dict[str, Any],
    field: str,
    says: str,
) -> None:
    make_pair(project, "good")
    report = read(tmp_path, version, row("good"), row(**{"pair": pair, **changes}))
    found = {problem.field: problem for problem in report.problems}
    assert found[field].line == 2
    assert says in found[field].message
    assert (report.rows, report.rejected, report.held_back) == (2, 1, 1)
    assert not GoldAnswer.objects.exists()
    assert not Event.objects.filter(verb__startswith="gold.").exists()


def test_a_file_answers_each_pair_once(
    pair: Subject, version: RubricVersion, tmp_path: Path
) -> None:
    report = read(tmp_path, version, row(pair), row(pair, why="Again."))
    (problem,) = report.problems
    assert (problem.line, problem.message) == (2, '"the pair" has its answer on line 1 already.')


@pytest.mark.parametrize("text", ["", "[1]\n", '{"id": "the pair"\n', '{"id": 1, "labels": 2}\n'])
def test_a_file_that_is_no_list_of_answers_is_refused(
    pair: Subject, version: RubricVersion, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text(text)
    with pytest.raises(CommandError, match="Nothing was kept"):
        run(file, version)


def test_the_command_takes_jsonl_alone(version: RubricVersion, tmp_path: Path) -> None:
    file = tmp_path / "gold.csv"
    file.write_text("id\n")
    with pytest.raises(CommandError, match="JSONL"):
        run(file, version)


def test_the_list_shows_what_is_cited_as_chips(
    pair: Subject, version: RubricVersion, lead: User
) -> None:
    make_gold(pair, version, why="[G2] decides. [A] says so; [sic] is prose, <b> too.")
    page = listed(lead)
    assert '<span class="chip">G2</span> decides. <span class="chip">A</span> says so;' in page
    assert "[sic] is prose, &lt;b&gt; too." in page
    assert "[G2]" not in page


def test_the_list_and_the_form_say_when_an_answer_was_changed_last(
    pair: Subject, version: RubricVersion, lead: User, second_lead: User
) -> None:
    set_gold(subject=pair, version=version, known=known(), acting_user=lead)
    assert "changed by" not in listed(lead)
    other = known({"G1": "fail pass", "preference": ""}, why="A rounds.")
    set_gold(subject=pair, version=version, known=other, acting_user=second_lead)
    assert "changed by second_lead, " in listed(lead)
    assert "Changed last by second_lead on " in html_of(as_(lead).get(form_page(pair)))
    # What is set anew after that has not been changed.
    withdraw_gold(subject=pair, version=version, acting_user=lead)
    set_gold(subject=pair, version=version, known=known(), acting_user=lead)
    assert "changed by" not in listed(lead)
    assert "Changed last" not in html_of(as_(lead).get(form_page(pair)))


@pytest.fixture
def second_lead(project: Project) -> User:
    return make_member(project, "lead", username="second_lead")

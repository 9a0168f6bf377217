"""Every number of a report leads to exactly the pairs behind it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from django.http import QueryDict
from django.urls import reverse

from annotate.calibration import asked_of
from annotate.models import Batch, Label, Vote
from annotate.pages.report import Report, report
from annotate.pages.unit_filters import Filters, checks_of, filters_of, matches
from annotate.pages.units import units
from projects.models import Rater
from tests.making import make_pair, make_rubric_version

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

RUBRIC = """
task: numbers
gates:
  - id: G1
    check: Every amount is the one in the file.
    allows_na: true
criteria:
  - id: C1
    check: How much of the file does it cover?
    level: ordinal
    values: [little, half, all]
    allows_na: true
  - id: C2
    check: Words of padding.
    level: interval
    range: [0, 100]
    allows_na: true
preference:
  scale: 3
"""
CODES = {
    "G1": ("pass", "pass", "fail", "na"),
    "C1": ("all", "half", "na", "na"),
    "C2": ("na", "1", "1.0000001", "1.0000002"),
    "preference": ("A", "tie", "B"),
}


def make_set(project: Project, seed: int, pairs: int = 9, raters: int = 4) -> Batch:
    """Imported votes at random, with gaps: small, so that values often tie."""
    dice = Random(seed)
    version = make_rubric_version(project, RUBRIC)
    batch = Batch.objects.create(project=project, version=version, kind="imported", name="set")
    names = [f"rater {n}" for n in range(raters)]
    people = [Rater.objects.create(project=project, kind="imported", name=name) for name in names]
    for n in range(pairs):
        subject = make_pair(project, f"pair-{n}")
        for rater in dice.sample(people, dice.randint(0, raters)):
            vote = Vote.objects.create(batch=batch, subject=subject, rater=rater)
            for criterion in version.criteria.all():
                for part in ("",) if criterion.key == "preference" else ("A", "B"):
                    if dice.random() < 0.85:
                        make_label(vote, criterion.pk, part, dice.choice(CODES[criterion.key]))
    return batch


def make_label(vote: Vote, criterion: int, part: str, said: str) -> None:
    number = float(said) if said[0].isdigit() else None
    code = said if number is None else ""
    Label.objects.create(vote=vote, criterion_id=criterion, part_key=part, code=code, number=number)


def numbers_of(found: Report) -> list[tuple[str, int, str]]:
    """(what it is, the number, where it leads) of everything the report counts in units."""
    numbers = []
    for line in found.lines:
        row, told = line.row, line.row.reliability
        numbers += [
            (f"{row.name} units", told.units, line.pairable_href),
            (f"{row.name} all units", told.units_total, line.units_href),
            (f"{row.name} split", row.split, line.split_href),
        ]
        if told.minority_units:
            numbers.append((f"{row.name} minority", told.minority_units, line.minority_href))
    for one in found.matrix.rows if found.matrix else ():
        numbers.append((f"{one.rater} alone", one.lone, one.lone_href))
        numbers += [
            (f"{one.rater} differs", cell.differing, cell.href)
            for cell in one.cells
            if cell and cell.differing
        ]
    numbers += [
        ("subjects", found.overlap.subjects, found.overlap.href),
        ("overlap", found.overlap.shared, found.overlap.shared_href),
    ]
    for policy in found.decisions.policies if found.decisions else ():
        chosen = f"&policy={policy.policy}&decision="
        for verdict, times in policy.outcomes.items():
            numbers.append((verdict, times, f"{found.outcome_href}{chosen}{verdict}"))
        for reason, _, times in policy.reasons:
            numbers.append((reason, times, f"{found.outcome_href}{chosen}{reason}"))
    return numbers


def length_of(response: Any) -> int:
    """How long the list of units is, or that of disagreements."""
    context = response.context
    listed = context["found"] if "found" in context else context["list"]
    return int(listed.page.paginator.count)


@pytest.mark.parametrize("seed", range(4))
def test_every_count_of_a_report_is_the_length_of_the_list_it_leads_to(
    client: Client, project: Project, lead: User, seed: int
) -> None:
    batch = make_set(project, seed)
    numbers = numbers_of(report(batch, lead))
    client.force_login(lead)
    lengths = {href: length_of(client.get(href)) for _, _, href in numbers}
    wrong = [
        (name, number, lengths[href], href)
        for name, number, href in numbers
        if lengths[href] != number
    ]
    assert wrong == []
    assert len(numbers) > 30


def test_each_label_count_leads_to_units_with_that_label(
    client: Client, project: Project, lead: User
) -> None:
    batch = make_set(project, 7)
    client.force_login(lead)
    for line in report(batch, lead).lines:
        for count in line.labels:
            found = client.get(count.href).context["found"].page.paginator.count
            assert bool(found) == bool(count.times), (line.row.name, count)
            assert found <= count.times


@pytest.mark.parametrize("seed", range(3))
def test_the_rule_in_sql_is_the_rule_in_python(project: Project, lead: User, seed: int) -> None:
    batch = make_set(project, seed + 20)
    checks = checks_of(asked_of(batch))
    raters = [str(pk) for pk in Rater.objects.values_list("pk", flat=True)]
    dice = Random(seed)
    every = units([batch], Filters(checks["G1"]), reader=lead, number=None).units
    for _ in range(80):
        query = QueryDict(mutable=True)
        query["criterion"] = "G1"
        query.setlist("rater", dice.sample(raters, dice.choice([0, 0, 1, 1, 2])))
        for name, values in {
            "value": ["", "", "pass", "na"],
            "off": ["", "", "pass", "fail"],
            "differ": ["", "1"],
            "alone": ["", "1"],
            "labels": ["", "one", "several"],
        }.items():
            query[name] = dice.choice(values)
        filters = filters_of(query, checks, anonymous=False)
        assert filters is not None
        found = units([batch], filters, reader=lead, number=None).units
        wanted = [unit for unit in every if matches(unit.labels, filters)]
        assert [(unit.subject, unit.part) for unit in found] == [
            (unit.subject, unit.part) for unit in wanted
        ], query.urlencode()


def test_the_list_of_two_raters_and_of_one_who_stands_alone(
    client: Client, project: Project, lead: User
) -> None:
    batch = make_set(project, 0, pairs=0)
    people = list(Rater.objects.order_by("name"))
    criterion = batch.version.criteria.get(key="G1").pk
    for n, said in enumerate(["pass pass fail", "pass fail", "pass"]):
        subject = make_pair(project, f"pair-{n}")
        for rater, code in zip(people, said.split(), strict=False):
            vote = Vote.objects.create(batch=batch, subject=subject, rater=rater)
            make_label(vote, criterion, "A", code)
    client.force_login(lead)
    first, second, third = (f"rater={rater.pk}" for rater in people[:3])

    def listed(query: str) -> list[str]:
        url = reverse("annotate:units", args=[project.slug, batch.public_id])
        found = client.get(f"{url}?criterion=all-checks&{query}").context["found"]
        return [unit.subject.external_id for unit in found.units]

    assert listed(f"{first}&{second}") == ["pair-0", "pair-1"]
    assert listed(f"{first}&{second}&differ=1") == ["pair-1"]
    assert listed(f"{third}&alone=1") == ["pair-0"]
    assert listed(f"{second}&alone=1") == []
    assert listed("labels=one") == ["pair-2"]
    page = client.get(
        reverse("annotate:units", args=[project.slug, batch.public_id])
        + f"?criterion=all-votes&labels=one&{first}"
    )
    assert [unit.subject.external_id for unit in page.context["found"].units] == ["pair-2"]
    assert b"voted" in page.content


def test_the_list_of_units_says_labels_in_words(
    client: Client, project: Project, lead: User
) -> None:
    batch = make_set(project, seed=1)
    client.force_login(lead)
    url = reverse("annotate:units", args=[project.slug, batch.public_id])
    response = client.get(f"{url}?criterion=G1&value=na")
    page = response.content.decode()
    assert "with a label “N/A”" in page
    assert '<option value="na" selected>N/A</option>' in page
    said = {cell.label for line in response.context["found"].lines for cell in line.cells}
    assert "N/A" in said
    assert "na" not in said

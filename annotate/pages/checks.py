"""What code decided, for leads: each automatic check in words, and what it said of the texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q
from django.urls import reverse

from annotate.access import still_rated_by
from annotate.actions.check_jobs import KIND
from annotate.checking import checked_versions
from annotate.models import CheckResult, Part, Subject
from projects.models import Job
from rubrics.wording import rule_words
from rubrics.words import counted_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from projects.models import Project, User
    from rubrics.content import Criterion as Check
    from rubrics.models import Criterion, RubricVersion

PAGE = 50
# What code can say of a text, and how a list of such texts is named.
CODES = {"fail": "fail", "pass": "pass", "undecided": "are undecided"}


@dataclass(frozen=True)
class CheckLine:
    """One automatic check and how many texts pass it, fail it, come to no verdict, or wait."""

    check: Check
    rules: tuple[str, ...]
    passing: int
    failing: int
    undecided: int
    unchecked: int


@dataclass(frozen=True)
class RubricChecks:
    """The checks of a rubric's newest version. `one_sided` pairs have a winner by code, in
    `both_fail` neither response passes; no expert sees either."""

    version: RubricVersion
    lines: tuple[CheckLine, ...]
    texts: int
    one_sided: int
    both_fail: int
    job: Job | None

    @property
    def unchecked(self) -> int:
        return max((line.unchecked for line in self.lines), default=0)

    @property
    def undecided(self) -> int:
        """Over all checks: those of a text count each."""
        return sum(line.undecided for line in self.lines)

    @property
    def moving(self) -> bool:
        return self.job is not None and self.job.state in (Job.State.PENDING, Job.State.RUNNING)

    @property
    def decides(self) -> bool:
        return any(line.check.decides for line in self.lines)

    @property
    def sentence(self) -> str:
        name = f"version {self.version.number} of {self.version.rubric.name}"
        if not self.texts:
            return f"There is no text yet for code to look at under {name}."
        if self.unchecked:
            done, all_of_them = f"{self.texts - self.unchecked:,}", f"{self.texts:,}"
            return f"Code has looked at {done} of {all_of_them} texts under {name}."
        looked = f"Code has looked at all {counted_noun(self.texts, 'text')} under {name}"
        return f"{looked}, {self._decided}." if self.decides else f"{looked}."

    @property
    def _decided(self) -> str:
        decided = self.one_sided + self.both_fail
        if not decided:
            return "and every pair is left to the experts"
        verb = "needs" if decided == 1 else "need"
        return f"and {counted_noun(decided, 'pair')} {verb} no expert"


@dataclass(frozen=True)
class Step:
    """What the page opens with: a sentence, and a button that leads on, or that has code look at
    the texts of `rubric`."""

    sentence: str
    action: str
    href: str
    rubric: str = ""


def step_of(project: Project, rubrics: Sequence[RubricChecks]) -> Step | None:
    """The most urgent of all rubrics; None where nothing is decided by code."""
    if not rubrics:
        return None
    if moving := next((one for one in rubrics if one.moving), None):
        assert moving.job is not None
        href = reverse("projects:job", args=[project.slug, moving.job.public_id])
        waits = moving.job.state == Job.State.PENDING
        return Step(moving.sentence, "See when it starts" if waits else "See how far it is", href)
    if left := next((one for one in rubrics if one.unchecked), None):
        here = reverse("annotate:checks", args=[project.slug])
        return Step(left.sentence, "Look at the rest now", here, left.version.rubric.slug)
    if empty := next((one for one in rubrics if not one.texts), None):
        return Step(
            empty.sentence, "Import pairs", reverse("annotate:import_new", args=[project.slug])
        )
    start = reverse("annotate:round_new", args=[project.slug])
    if len(rubrics) == 1:
        return Step(rubrics[0].sentence, "Start a round", start)
    sentence = f"Code has looked at every text under {len(rubrics)} rubrics."
    return Step(sentence, "Start a round", start)


def rubric_checks(project: Project) -> tuple[RubricChecks, ...]:
    versions = checked_versions(project)
    said = _said(versions)
    texts = _texts(project)
    sides = _failing_sides(versions)
    jobs = _jobs(project)
    return tuple(
        _of_version(version, said, texts[version.subject_kind], sides, jobs.get(version.pk))
        for version in versions
    )


def _of_version(
    version: RubricVersion,
    said: Mapping[tuple[int, str], Counter[str]],
    texts: int,
    sides: Mapping[str, int],
    job: Job | None,
) -> RubricChecks:
    lines = []
    for check in version.content.of_kind("automatic"):
        times = said[version.pk, check.key]
        unchecked = max(0, texts - times.total())
        told = times["pass"], times["fail"], times["undecided"], unchecked
        lines.append(CheckLine(check, rule_words(check), *told))
    one, both = sides.get(f"one_{version.pk}", 0), sides.get(f"both_{version.pk}", 0)
    return RubricChecks(version, tuple(lines), texts, one, both, job)


def _said(versions: Sequence[RubricVersion]) -> dict[tuple[int, str], Counter[str]]:
    """How often each check said what, by version and key."""
    found: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    rows = CheckResult.objects.filter(criterion__version__in=versions)
    for version, key, code, times in rows.values_list(
        "criterion__version_id", "criterion__key", "code"
    ).annotate(times=Count("pk")):
        found[version, key][code] = times
    return found


def _texts(project: Project) -> Counter[str]:
    """The texts that there are, by the kind of their subject."""
    subjects = Subject.objects.of_project(project).visible().settled()
    parts = Part.objects.filter(subject__in=subjects, text__isnull=False)
    rows = parts.order_by().values_list("subject__kind").annotate(texts=Count("pk"))
    return Counter(dict(rows))


def _failing_sides(versions: Sequence[RubricVersion]) -> dict[str, int]:
    """Pairs with one side that fails a gate by code, and with two, of each version."""
    counts = {}
    for version in versions:
        mine = Q(criterion__version_id=version.pk)
        counts[f"one_{version.pk}"] = Count("part__subject_id", filter=mine & Q(sides=1))
        counts[f"both_{version.pk}"] = Count("part__subject_id", filter=mine & Q(sides=2))
    if not counts:
        return {}
    failing = CheckResult.objects.filter(
        criterion__version__in=versions,
        criterion__decides=True,
        code="fail",
        part__subject__kind="pair",
    )
    by_pair = failing.order_by().values("criterion__version_id", "part__subject_id")
    found: dict[str, int] = by_pair.annotate(sides=Count("part_id", distinct=True)).aggregate(
        **counts
    )
    return found


def _jobs(project: Project) -> dict[int, Job]:
    """The last job of each version."""
    found: dict[int, Job] = {}
    for job in Job.objects.filter(project=project, kind=KIND)[:PAGE]:
        found.setdefault(job.params["version"], job)
    return found


@dataclass(frozen=True)
class Texts:
    """The texts of which a check said the same, a page of them. `hidden`: their reader still
    rates some pairs, which are left out."""

    page: Page[Any]
    results: tuple[CheckResult, ...]
    hidden: bool


def texts_that(criterion: Criterion, code: str, *, reader: User, number: str | None) -> Texts:
    secret = still_rated_by(reader)
    results = CheckResult.objects.filter(criterion=criterion, code=code)
    shown = results.exclude(part__subject__in=secret).select_related("part__subject")
    page = Paginator(shown.defer("part__text").order_by("part__subject_id", "part_id"), PAGE)
    found = page.get_page(number)
    return Texts(found, tuple(found.object_list), bool(secret))

"""Code looks at a text while an import replaces it, on PostgreSQL: the old one is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.db import transaction

from annotate import checking
from annotate.actions import check_jobs, replacements
from annotate.models import CheckResult, Import, Part, StagedUpdate
from tests.annotate.importing import import_pairs, jsonl, pair, written
from tests.annotate.test_checks import LONG, SHORT, make_checked, results, run
from tests.annotate.test_locks import ON_POSTGRES, Beside, beside
from tests.making import make_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rubrics.models import RubricVersion

__all__ = ["beside"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not ON_POSTGRES, reason="SQLite has one writer at a time by itself"),
]


@pytest.fixture
def version() -> RubricVersion:
    return make_checked(make_project())


@pytest.fixture
def replace(
    version: RubricVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """What puts a short text in the place of a long one, staged and ready to be applied."""
    project = version.rubric.project
    import_pairs(project, written(tmp_path, jsonl([pair(1, response_a=LONG)])))
    with monkeypatch.context() as held:
        held.setattr(replacements, "apply", lambda *_: None)
        import_pairs(project, written(tmp_path, jsonl([pair(1, response_a=SHORT)])))
    assert StagedUpdate.objects.exists()
    return lambda: replacements.apply(Import.objects.latest("pk"))


def look(version: RubricVersion) -> None:
    """What a job does that chose its texts before the import came."""
    keys = list(Part.objects.order_by("pk").values_list("pk", flat=True))
    check_jobs._check(keys, checking.automatic_of(version))


def test_a_replacement_waits_for_results_on_their_way_and_takes_them_away(
    version: RubricVersion, replace: Callable[[], None], beside: Beside
) -> None:
    with transaction.atomic():
        look(version)
        assert results()["1", "A"][0] == "fail"
        coming = beside.start(replace)
        assert beside.waits(coming)
    coming.result()
    assert Part.objects.get(key="A").text == SHORT
    assert not CheckResult.objects.exists()
    run(version)
    assert results()["1", "A"][0] == "pass"


def test_results_that_come_while_a_text_is_replaced_say_nothing_of_the_old_one(
    version: RubricVersion, replace: Callable[[], None], beside: Beside
) -> None:
    with transaction.atomic():
        replace()
        # Beside, the old text still stands: it is looked at, and waited for when that is written.
        coming = beside.start(lambda: look(version))
        assert beside.waits(coming)
    coming.result()
    assert ("1", "A") not in results()
    run(version)
    assert results()["1", "A"][0] == "pass"


def test_a_text_replaced_by_another_worker_between_look_and_write_keeps_no_result(
    version: RubricVersion,
    replace: Callable[[], None],
    beside: Beside,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = checking.results_for

    def replaced_meanwhile(part: Part, criteria: Any) -> Any:
        yield from said(part, criteria)
        if part.key == "A" and part.text == LONG:
            beside.do(replace)

    monkeypatch.setattr(check_jobs, "results_for", replaced_meanwhile)
    look(version)
    assert Part.objects.get(key="A").text == SHORT
    assert ("1", "A") not in results()
    run(version)
    assert results()["1", "A"][0] == "pass"

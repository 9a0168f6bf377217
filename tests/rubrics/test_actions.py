from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from projects.models import Event
from rubrics import document
from rubrics.actions import RubricRefused, discard_draft, import_rubric, publish
from rubrics.models import Criterion, Rubric, RubricVersion
from tests.rubrics.making import make_draft, make_published, make_yaml

if TYPE_CHECKING:
    from projects.models import Project, User


def test_a_document_becomes_a_draft_with_a_row_per_check(project: Project, lead: User) -> None:
    version = import_rubric(project=project, source=make_yaml(), acting_user=lead)

    assert (version.rubric.slug, version.rubric.name) == ("claim-letter", "Claim letters")
    assert (version.number, version.revision, version.status) == (1, 1, "draft")
    assert [check.key for check in version.criteria.all()] == ["G1", "C1", "C2", "A1", "preference"]
    assert [check.key for check in version.criteria.asked()] == ["G1", "C1", "C2", "preference"]
    anchors = version.criteria.get(key="G1").anchors.values_list("verdict", "origin")
    assert list(anchors) == [("pass", "real"), ("fail", "invented")]


def test_rows_and_document_say_the_same(project: Project) -> None:
    version = make_draft(project)

    content = version.content
    assert content.number == 1
    assert document.digest(content) == version.digest
    for row, check in zip(version.criteria.all(), content.criteria, strict=True):
        assert (row.key, row.kind, row.family, row.level) == (
            check.key,
            check.kind,
            check.family,
            check.level,
        )
        assert (row.values, row.weight, row.allows_na) == (
            list(check.values),
            check.weight,
            check.allows_na,
        )
        assert (row.text, row.help, row.title) == (check.text, check.help, check.title)


def test_warnings_are_kept_with_the_version(project: Project) -> None:
    version = make_draft(project)

    said = "\n".join(RubricVersion.objects.get(pk=version.pk).warnings)
    assert "C1 has no fail anchor" in said
    assert "C2 has no pass anchor" in said
    assert "G1" not in said


def test_the_same_document_again_changes_nothing(project: Project) -> None:
    draft = make_draft(project)

    again = make_draft(project, "# a comment\n" + make_yaml())

    assert again == draft
    assert RubricVersion.objects.count() == 1
    assert Event.objects.filter(verb="rubric.drafted").count() == 1


def test_the_published_document_again_changes_nothing(project: Project) -> None:
    published = make_published(project)

    assert make_draft(project) == published
    assert Event.objects.filter(verb="rubric.drafted").count() == 1


def test_a_draft_is_replaced_by_the_next_document_under_its_number(project: Project) -> None:
    first = make_draft(project)

    second = make_draft(project, make_yaml(weight=2))

    assert (second.number, second.revision) == (1, 1)
    assert list(RubricVersion.objects.values_list("digest", flat=True)) == [second.digest]
    assert Criterion.objects.count() == 5
    event = Event.objects.first()
    assert event
    assert event.data["replaces"] == first.digest


def test_other_content_under_a_published_number_is_refused_with_the_free_number(
    project: Project,
) -> None:
    make_published(project)
    make_published(project, make_yaml(2, weight=2))

    with pytest.raises(RubricRefused, match=r"Version 1 is published.*rubric_version to 3"):
        make_draft(project, make_yaml(1, weight=5))

    assert RubricVersion.objects.count() == 2


def test_other_content_does_not_slip_in_as_the_draft_of_a_revision(project: Project) -> None:
    make_published(project)
    revision = make_draft(project, make_yaml(help="Fails on each amount that differs."))

    with pytest.raises(RubricRefused, match="says something else"):
        make_draft(project, make_yaml(gate="Every date matches the claim file."))

    assert RubricVersion.objects.filter(pk=revision.pk).exists()


def test_the_published_document_leaves_the_draft_of_a_revision_alone(project: Project) -> None:
    published = make_published(project)
    revision = make_draft(project, make_yaml(help="Fails on each amount that differs."))

    assert make_draft(project) == published
    assert RubricVersion.objects.filter(pk=revision.pk).exists()


def test_wf_07_typo_fix_in_help_text(project: Project) -> None:
    """The rubric's side of the case: new meaning, new version; a typo in a help text, a revision
    that keeps number, ids and meaning."""
    published = make_published(project, make_yaml(help="Fails on any ammount that differs."))
    before = RubricVersion.objects.filter(pk=published.pk).values().get()
    keys = [check.key for check in published.criteria.all()]

    fixed = make_published(project, make_yaml(), note="A typo in the help of G1.")
    changed = make_published(project, make_yaml(2, weight=2), note="C1 weighs less.")

    assert (fixed.number, fixed.revision) == (1, 2)
    assert fixed.semantic_digest == published.semantic_digest
    assert fixed.digest != published.digest
    assert [check.key for check in fixed.criteria.all()] == keys
    assert (changed.number, changed.revision, changed.parent) == (2, 1, fixed)
    assert changed.semantic_digest != published.semantic_digest
    assert RubricVersion.objects.filter(pk=published.pk).values().get() == before
    assert published.criteria.get(key="C1").weight == 3.0


def test_a_document_without_a_number_takes_the_next_free_one(project: Project) -> None:
    make_published(project)
    unnumbered = make_yaml(weight=2).replace("rubric_version: 1\n", "")

    draft = make_draft(project, unnumbered)

    assert draft.number == 2
    assert make_draft(project, unnumbered.replace("weight: 2", "weight: 4")).number == 2
    assert RubricVersion.objects.count() == 2


def test_a_mended_help_text_without_a_number_is_a_revision(project: Project) -> None:
    make_published(project)
    unnumbered = make_yaml(help="Fails on each amount that differs.")

    draft = make_draft(project, unnumbered.replace("rubric_version: 1\n", ""))

    assert (draft.number, draft.revision) == (1, 2)


def test_a_document_without_a_number_never_becomes_the_revision_of_another_meaning(
    project: Project,
) -> None:
    make_published(project)
    make_draft(project, make_yaml(help="Fails on each amount that differs."))

    other = make_draft(project, make_yaml(weight=2).replace("rubric_version: 1\n", ""))

    assert (other.number, other.revision) == (2, 1)


def test_a_slug_that_no_address_can_hold_is_refused(project: Project) -> None:
    with pytest.raises(RubricRefused, match="cannot stand in an address"):
        import_rubric(project=project, source=make_yaml(), acting_user=None, slug="a b/c")

    assert not Rubric.objects.exists()


def test_a_refused_document_leaves_no_trace(project: Project) -> None:
    with pytest.raises(document.RubricError):
        make_draft(project, make_yaml(weight=0))

    assert not Rubric.objects.exists()
    assert not Event.objects.exists()


def test_publishing_keeps_note_time_and_person(project: Project, lead: User) -> None:
    draft = make_draft(project)

    version = publish(version=draft, change_note="  First try.\n", acting_user=lead)

    assert (version.status, version.change_note) == ("published", "First try.")
    assert version.published_by == lead
    assert version.published_at is not None
    event = Event.objects.get(verb="rubric.published")
    assert (event.actor, event.target) == (lead, "claim-letter@1")
    assert event.data["digest"] == version.digest
    assert event.data["warnings"] == version.warnings


@pytest.mark.parametrize("note", ["", "   \n"])
def test_publishing_needs_a_note(project: Project, note: str) -> None:
    draft = make_draft(project)

    with pytest.raises(RubricRefused, match="change note"):
        publish(version=draft, change_note=note, acting_user=None)

    assert draft.stored_status() == "draft"


def test_publishing_twice_is_refused_and_changes_nothing(project: Project) -> None:
    version = make_published(project)

    with pytest.raises(RubricRefused, match="published already"):
        publish(version=version, change_note="Another note.", acting_user=None)

    version.refresh_from_db()
    assert version.change_note == "The first version."
    assert Event.objects.filter(verb="rubric.published").count() == 1


def test_a_draft_that_was_replaced_is_not_published(project: Project) -> None:
    read = make_draft(project)
    make_draft(project, make_yaml(weight=2))

    with pytest.raises(RubricRefused, match="was replaced"):
        publish(version=read, change_note="As I read it.", acting_user=None)

    assert not RubricVersion.objects.published().exists()


def test_a_version_drafted_before_its_elder_was_published_still_gets_it_as_parent(
    project: Project,
) -> None:
    first = make_draft(project)
    second = make_draft(project, make_yaml(2, weight=2))
    publish(version=first, change_note="One.", acting_user=None)

    published = publish(version=second, change_note="Two.", acting_user=None)

    assert published.parent == first


def test_a_rubric_goes_by_the_name_of_its_newest_published_version(project: Project) -> None:
    make_published(project)
    renamed = make_yaml(2, weight=2).replace("Claim letters", "Letters on claims")
    draft = make_draft(project, renamed)
    assert Rubric.objects.get().name == "Claim letters"

    publish(version=draft, change_note="A better name.", acting_user=None)

    assert Rubric.objects.get().name == "Letters on claims"


def test_two_projects_hold_the_same_rubric_apart(project: Project, outsider: User) -> None:
    ours = make_published(project)
    elsewhere = outsider.memberships.get().project

    theirs = make_draft(elsewhere)

    assert theirs != ours
    assert theirs.digest == ours.digest
    assert theirs.status == "draft"


# Throwing a draft away


def test_a_draft_is_thrown_away_and_its_number_is_free_again(project: Project, lead: User) -> None:
    make_published(project)
    draft = make_draft(project, make_yaml(2, weight=2))

    assert discard_draft(version=draft, acting_user=lead) == draft.rubric

    assert draft.rubric.versions.get().number == 1
    event = Event.objects.get(verb="rubric.discarded")
    assert (event.actor, event.data["digest"]) == (lead, draft.digest)
    assert make_draft(project, make_yaml(2, weight=4)).number == 2


def test_a_rubric_without_another_version_goes_with_its_draft(project: Project) -> None:
    assert discard_draft(version=make_draft(project), acting_user=None) is None
    assert not Rubric.objects.exists()


def test_a_published_version_is_never_thrown_away(project: Project) -> None:
    draft = make_draft(project)
    publish(version=draft, change_note="Now.", acting_user=None)

    # As somebody who read it while it was a draft.
    with pytest.raises(RubricRefused, match="Version 1 of Claim letters is published and stays"):
        discard_draft(version=draft, acting_user=None)

    assert RubricVersion.objects.get().status == "published"
    assert not Event.objects.filter(verb="rubric.discarded").exists()


def test_a_draft_that_was_replaced_is_not_thrown_away(project: Project) -> None:
    read = make_draft(project)
    make_draft(project, make_yaml(weight=2))

    with pytest.raises(RubricRefused, match="replaced or thrown away"):
        discard_draft(version=read, acting_user=None)

    assert RubricVersion.objects.count() == 1

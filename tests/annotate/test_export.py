"""The export command, on rounds and on imported votes; the rules of rows are in test_release.py."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotate.actions.rounds import close_round
from annotate.models import Batch, GoldAnswer, Pair, Release, Slot, Subject
from projects.models import Event, Rater
from tests.annotate.importing import (
    import_pairs,
    import_votes,
    jsonl,
    pair,
    publish_rubric,
    written,
)
from tests.making import make_round, make_voted_round

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from projects.models import Project, User

RUBRIC = """
task: form
gates:
  - {id: G1, check: Every amount is right.}
  - {id: G2, check: No decision that the file lacks.}
preference:
  scale: [A_much, A_slight, tie, B_slight, B_much]
"""
TYPES = {"string": str, "float64": float, "int64": int, "bool": bool}
LONG = "subject,rater,criterion,side,value\n"


@dataclass
class Exported:
    printed: str
    manifest: dict[str, Any]
    schema: dict[str, Any]
    raw: bytes

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw.split(b"\n") if line]

    @property
    def ids(self) -> list[str]:
        return [row["pair_id"] for row in self.rows]


def export(project: Project, which: str | int, folder: Path, *flags: str) -> Exported:
    chosen = ("--round", str(which)) if isinstance(which, int) else ("--imported", which)
    out = io.StringIO()
    command = ("export_pairs", "--project", project.slug, *chosen, "--out", str(folder), *flags)
    call_command(*command, stdout=out)
    return Exported(
        out.getvalue(),
        json.loads((folder / "manifest.json").read_text(encoding="utf-8")),
        json.loads((folder / "schema.json").read_text(encoding="utf-8")),
        (folder / "pairs.jsonl").read_bytes(),
    )


def refused(project: Project, *flags: str) -> str:
    with pytest.raises(CommandError) as refusal:
        call_command("export_pairs", "--project", project.slug, *flags)
    return str(refusal.value)


def labelled(
    project: Project, folder: Path, pairs: Sequence[dict[str, Any]], labels: Mapping[str, str]
) -> None:
    """Pairs and one rater's preferences, imported under the name `experts`."""
    publish_rubric(project, RUBRIC)
    import_pairs(project, written(folder, jsonl(pairs)))
    rows = "".join(f"{name},ann,preference,,{code}\n" for name, code in labels.items())
    import_votes(project, written(folder, LONG + rows, "experts.csv"), "form@1")


def test_px_01_pairs_with_the_same_text_twice_are_left_out(
    project: Project, tmp_path: Path
) -> None:
    pairs = [
        pair("p1", prompt="Name a mammal.", response_a="A bat.", response_b="A bat."),
        pair("p2", prompt="Name a mammal.", response_a="A bat.", response_b="A bat. "),
        pair("p3", prompt="Name a mammal.", response_a="caf\u00e9", response_b="cafe\u0301"),
        pair("p4", prompt="Name a fish.", response_a="A cod.", response_b="An owl."),
    ]
    labels = {"p1": "A_much", "p2": "A_much", "p3": "B_much", "p4": "A_much"}
    labelled(project, tmp_path, pairs, labels)
    found = export(project, "experts", tmp_path / "out")
    assert found.ids == ["p4"]
    assert found.manifest["items"]["excluded"] == {"identical_responses": ["p1", "p2", "p3"]}
    assert "1 of 4 pairs exported, 3 left out" in found.printed


def test_px_02_prompt_and_responses_come_back_byte_for_byte(
    project: Project, tmp_path: Path
) -> None:
    chat = [
        {"role": "system", "content": "Be brief.\r\n"},
        {"role": "user", "content": "  Why?\u2028\u0085 "},
    ]
    pairs = [
        pair("q1", prompt="Describe the sea.", response_a="The sea is wide", response_b="The sea"),
        pair("q2", prompt="Capital of Norway?", response_a="Bergen", response_b="Oslo "),
        pair("q3", prompt=chat, response_a="\tx\r\n", response_b="\u2029y"),
    ]
    labelled(project, tmp_path, pairs, {"q1": "A_much", "q2": "B_slight", "q3": "B_much"})
    found = export(project, "experts", tmp_path / "out")
    assert found.raw.count(b"\n") == len(found.raw.decode().splitlines()) == 3
    rows = {row["pair_id"]: row for row in found.rows}
    q1, q2, q3 = (rows[name] for name in ("q1", "q2", "q3"))
    assert q1["prompt"] == [{"role": "user", "content": "Describe the sea."}]
    assert q1["chosen"] == [{"role": "assistant", "content": "The sea is wide"}]
    assert q1["rejected"] == [{"role": "assistant", "content": "The sea"}]
    assert q2["chosen"] == [{"role": "assistant", "content": "Oslo "}]
    assert q3["prompt"] == chat
    assert q3["chosen"] == [{"role": "assistant", "content": "\u2029y"}]
    assert q3["rejected"] == [{"role": "assistant", "content": "\tx\r\n"}]


def test_px_06_every_line_has_the_same_keys_and_types_in_any_order(
    project: Project, tmp_path: Path
) -> None:
    """Margins null where only a gate decided, gates in some rows and not in others."""
    publish_rubric(project, RUBRIC)
    import_pairs(project, written(tmp_path, jsonl(pair(n) for n in range(40))))
    rows = []
    for n in range(40):
        if n < 20:
            rows += [f"{n},ann,G1,A,fail", f"{n},ann,G1,B,pass"]
        else:
            rows += [f"{n},ann,preference,,A_slight", f"{n},ann,G2,A,pass"]
    file = written(tmp_path, LONG + "\n".join(rows) + "\n", "experts.csv")
    import_votes(project, file, "form@1")
    found = export(project, "experts", tmp_path / "out")
    assert len(found.rows) == 40
    assert {tuple(row) for row in found.rows} == {tuple(found.schema["features"])}
    assert {type(row["margin"]) for row in found.rows} == {type(None), float}
    assert all(isinstance(row["gates"], list) for row in found.rows)
    gates = {tuple(gate) for row in found.rows for gate in row["gates"]}
    assert gates == {("gate_id", "side", "passed", "by")}
    for row in found.rows:
        for name, feature in found.schema["features"].items():
            assert is_a(row[name], feature) or (name == "margin" and row[name] is None)


def is_a(value: Any, feature: Any) -> bool:
    """Whether a JSON value is of the type that the schema declares."""
    if isinstance(feature, list):
        return isinstance(value, list) and all(is_a(item, feature[0]) for item in value)
    if "_type" in feature:
        return type(value) is TYPES[feature["dtype"]]
    return value.keys() == feature.keys() and all(is_a(value[k], feature[k]) for k in feature)


Said = list[Mapping[str, str] | None]
A_WINS: Said = [{"preference": "A_much"}, {"preference": "A_slight"}]
B_WINS: Said = [{"preference": "B_slight"}, {"preference": "B_much"}]
TIE: Said = [{"preference": "tie"}, {"preference": "tie"}]
BOTH_FAIL: Said = [{"G1": "fail fail", "rationale": "[G1] fails."}] * 2
THEY_DIFFER: Said = [{"preference": "A_much"}, {"preference": "B_much"}]
NO_HUMAN: Said = [None, None]


@pytest.fixture
def px_07(project: Project, expert: User, other_expert: User) -> Batch:
    answers = [*[A_WINS] * 4, *[B_WINS] * 2, TIE, TIE, BOTH_FAIL, THEY_DIFFER, A_WINS, NO_HUMAN]
    batch = make_voted_round(project, [expert, other_expert], answers)
    Pair.objects.update(messages=[{"role": "user", "content": "Summarise."}])
    gold = batch.slots.order_by("subject_id").values_list("subject", flat=True).distinct()[10]
    GoldAnswer.objects.create(subject_id=gold, version=batch.version)
    return batch


def test_px_07_every_pair_has_one_fate_and_they_add_up(
    px_07: Batch, project: Project, tmp_path: Path
) -> None:
    found = export(project, 1, tmp_path / "out")
    manifest = found.manifest
    assert len(found.rows) == manifest["pairs"]["exported"] == 6
    assert manifest["excluded"] == {
        "gold_item": 1,
        "both_failed_gate": 1,
        "tie": 2,
        "unresolved_disagreement": 1,
        "no_human_label": 1,
    }
    assert manifest["pairs"] == {"all": 12, "exported": 6, "excluded": 6}
    listed = list(chain(manifest["items"]["exported"], *manifest["items"]["excluded"].values()))
    assert sorted(listed) == sorted(Subject.objects.values_list("external_id", flat=True))
    assert Counter(row["chosen_side"] for row in found.rows) == {"A": 4, "B": 2}
    assert manifest["rubric"]["version"] == "summaries@1"
    assert (manifest["label_source"], manifest["batch"]) == ("vote", "Round 1")
    assert manifest["settings"]["policy"] == "one_sided"
    assert manifest["seed"] == px_07.seed


def test_the_manifest_describes_the_files_that_lie_beside_it(
    px_07: Batch, project: Project, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    found = export(project, 1, folder)
    assert {entry["name"] for entry in found.manifest["files"]} == {"pairs.jsonl", "schema.json"}
    for entry in found.manifest["files"]:
        content = (folder / entry["name"]).read_bytes()
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()
        assert (entry["bytes"], entry["lines"]) == (len(content), content.count(b"\n"))


def test_a_release_stands_in_the_database_and_in_the_audit_trail(
    px_07: Batch, project: Project, tmp_path: Path
) -> None:
    found = export(project, 1, tmp_path / "out", "--policy", "majority")
    release = Release.objects.get()
    assert (release.batch, release.policy, release.format) == (px_07, "majority", "trl")
    assert release.manifest == found.manifest
    event = Event.objects.get(verb="release.exported")
    assert (event.project, event.target) == (project, str(release.public_id))


def test_people_leave_as_pseudonyms(px_07: Batch, project: Project, tmp_path: Path) -> None:
    found = export(project, 1, tmp_path / "out")
    pseudonyms = set(Rater.objects.values_list("pseudonym", flat=True))
    assert set(found.manifest["raters"]) == pseudonyms
    assert None not in pseudonyms
    everything = json.dumps(found.manifest) + found.raw.decode()
    assert "expert" not in everything


def test_each_policy_has_its_own_count_and_the_manifest_knows_them_all(
    project: Project, expert: User, other_expert: User, third_expert: User, tmp_path: Path
) -> None:
    two_to_one = [{"preference": code} for code in ("A_much", "A_much", "B_slight")]
    all_a = [{"preference": "A_slight"}] * 3
    raters = [expert, other_expert, third_expert]
    make_voted_round(project, raters, [two_to_one, all_a])
    Pair.objects.update(messages=[{"role": "user", "content": "Summarise."}])
    counts = {"one_sided": 1, "majority": 2, "margin": 2}
    for policy, count in counts.items():
        found = export(project, 1, tmp_path / policy, "--policy", policy)
        assert len(found.rows) == count
        assert found.manifest["exported_under_each_policy"] == counts
    strict = export(project, 1, tmp_path / "strict", "--policy", "margin", "--threshold", "1.5")
    assert strict.ids == []


def test_an_open_round_is_refused(
    project: Project, expert: User, other_expert: User, tmp_path: Path
) -> None:
    batch = make_round(project, [expert, other_expert])
    flags = ("--round", "1", "--out", str(tmp_path / "out"))
    assert "close it first" in refused(project, *flags)
    assert not (tmp_path / "out").exists()
    close_round(batch=batch, acting_user=None)
    assert export(project, 1, tmp_path / "out").manifest["pairs"]["all"] == 2


def test_nothing_is_overwritten(px_07: Batch, project: Project, tmp_path: Path) -> None:
    before = export(project, 1, tmp_path / "out")
    flags = ("--round", "1", "--policy", "majority", "--out", str(tmp_path / "out"))
    assert "exists already" in refused(project, *flags)
    assert (tmp_path / "out" / "pairs.jsonl").read_bytes() == before.raw
    assert Release.objects.count() == 1


def test_votes_on_anything_but_pairs_are_refused(project: Project, tmp_path: Path) -> None:
    publish_rubric(project, "task: form\nsubject: answer\ncriteria:\n  - {id: C1, check: Clear.}\n")
    file = written(tmp_path, LONG + "a1,ann,C1,,yes\n", "answers.csv")
    import_votes(project, file, "form@1", "--create-subjects")
    flags = ("--imported", "answers", "--out", str(tmp_path / "out"))
    assert "judges no pairs" in refused(project, *flags)
    assert not (tmp_path / "out").exists()


def test_a_threshold_of_nothing_is_refused_before_anything_is_written(
    px_07: Batch, project: Project, tmp_path: Path
) -> None:
    flags = ("--round", "1", "--policy", "margin", "--threshold", "-1")
    assert "above 0" in refused(project, *flags, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_an_export_that_breaks_off_leaves_no_file_and_no_release(
    px_07: Batch, project: Project, tmp_path: Path
) -> None:
    # A folder in the manifest's place lets everything go well but the last step.
    (tmp_path / "out" / "manifest.json.part").mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        export(project, 1, tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["manifest.json.part"]
    assert not Release.objects.exists()


def test_a_folder_that_is_a_file_is_refused(px_07: Batch, project: Project, tmp_path: Path) -> None:
    file = written(tmp_path, "mine", "out")
    assert "cannot be made into a folder" in refused(project, "--round", "1", "--out", str(file))
    assert file.read_text() == "mine"
    assert not Release.objects.exists()


def test_an_unknown_batch_is_refused_with_those_that_there_are(
    px_07: Batch, project: Project, tmp_path: Path
) -> None:
    assert "Rounds: 1." in refused(project, "--round", "7", "--out", str(tmp_path / "out"))
    said = refused(project, "--imported", "x", "--out", str(tmp_path / "out"))
    assert "Imported: none yet." in said


def test_votes_of_a_simulation_are_marked_as_such(
    project: Project, expert: User, other_expert: User, tmp_path: Path
) -> None:
    make_voted_round(project, [expert, other_expert], [A_WINS], simulated=True)
    found = export(project, 1, tmp_path / "out")
    assert found.manifest["label_source"] == "simulated"


def test_pairs_without_texts_are_left_out_by_name(project: Project, tmp_path: Path) -> None:
    publish_rubric(project, RUBRIC)
    file = written(tmp_path, f"{LONG}p1,ann,preference,,A_much\n", "experts.csv")
    import_votes(project, file, "form@1", "--create-subjects")
    found = export(project, "experts", tmp_path / "out")
    assert found.manifest["items"]["excluded"] == {"no_text": ["p1"]}
    assert found.raw == b""


def test_the_context_goes_with_the_prompt_unless_it_is_left_out(
    project: Project, tmp_path: Path
) -> None:
    labelled(project, tmp_path, [pair("p1", prompt="Why?", context="Rain.")], {"p1": "A_much"})
    appended = export(project, "experts", tmp_path / "one")
    assert appended.rows[0]["prompt"][-1]["content"] == "Why?\n\nRain."
    omitted = export(project, "experts", tmp_path / "two", "--context", "omit")
    assert omitted.rows[0]["prompt"][-1]["content"] == "Why?"


def test_only_current_votes_are_counted(project: Project, tmp_path: Path) -> None:
    publish_rubric(project, RUBRIC)
    import_pairs(project, written(tmp_path, jsonl([pair("p1")])))
    votes = "p1,ann,preference,,A_much\np1,ann,preference,,B_much\n"
    import_votes(project, written(tmp_path, LONG + votes, "experts.csv"), "form@1")
    (row,) = export(project, "experts", tmp_path / "out").rows
    assert (row["chosen_side"], row["margin"], row["votes"]) == ("B", 2.0, 1)


def test_a_release_reads_no_other_batch(px_07: Batch, project: Project, tmp_path: Path) -> None:
    import_pairs(project, written(tmp_path, jsonl([pair("other")])))
    rows = f"{LONG}other,ann,preference,,A_much\n"
    import_votes(project, written(tmp_path, rows, "experts.csv"), "summaries@1")
    assert export(project, "experts", tmp_path / "imported").ids == ["other"]
    assert "other" not in export(project, 1, tmp_path / "round").ids
    assert Slot.objects.filter(batch__name="experts").count() == 0

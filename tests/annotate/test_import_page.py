"""The import page: bring a file, say what its fields are, check, import, fetch what was refused."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from annotate.actions import jobs, kept_files, uploads
from annotate.actions.runners import RUNNERS
from annotate.models import Batch, Subject, Upload
from projects.middleware import LARGEST_FORM
from projects.models import Event, Job, Membership
from tests.annotate.importing import every_table, import_pairs, jsonl, pair, publish_rubric, written
from tests.making import make_member

if TYPE_CHECKING:
    from django.http import HttpResponse

    from projects.models import Project, User

FORM = "task: form\ngates:\n  - {id: G1, check: Safe.}\npreference:\n  scale: [A, tie, B]\n"
PAIR_FIELDS = ("id", "prompt", "response_a", "response_b")


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / "var"


@pytest.fixture
def site(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def bring(
    client: Client, content: str | bytes, name: str = "pairs.jsonl", **form: str
) -> HttpResponse:
    data = content if isinstance(content, bytes) else content.encode()
    sent = {"kind": "pairs", "file": SimpleUploadedFile(name, data), "complete": "1", **form}
    return client.post("/p/claims/import/", sent)  # type: ignore[return-value]  # the test client's


def brought(client: Client, content: str | bytes, name: str = "pairs.jsonl", **form: str) -> Upload:
    response = bring(client, content, name, **form)
    assert response.status_code == 302, response.content.decode()
    return Upload.objects.latest("id")


def send(client: Client, upload: Upload, action: str, **form: Any) -> HttpResponse:
    return client.post(address(upload), {"action": action, **form})  # type: ignore[return-value]  # as above


def address(upload: Upload) -> str:
    return f"/p/claims/import/{upload.public_id}/"


def chosen(*targets: str) -> dict[str, str]:
    return {f"col-{n}": target for n, target in enumerate(targets)}


def done(client: Client, upload: Upload, action: str, **form: Any) -> Job:
    """The job that a press starts, after a worker has done it."""
    response = send(client, upload, action, **form)
    assert response.status_code == 302, response.content.decode()
    job = Job.objects.latest("id")
    assert response["Location"] == f"/p/claims/jobs/{job.public_id}/"
    jobs.run(job.pk, RUNNERS)
    job.refresh_from_db()
    return job


def files() -> list[str]:
    return sorted(file.name for file in kept_files.folder().iterdir())


# ---- The road


def test_pairs_are_brought_checked_and_imported(site: Client) -> None:
    rows = [
        {"pair_id": n, "question": "Why?", "answer_1": f"a{n}", "answer_2": "b"} for n in (1, 2)
    ]
    upload = brought(site, jsonl(rows))
    shown = site.get(address(upload)).content.decode()
    assert "a1" in shown
    form = chosen("id", "response_a", "prompt", "response_b")
    before = every_table()
    job = done(site, upload, "check", **form)
    assert (job.kind, job.state) == ("check_pairs", "done")
    assert job.result is not None
    assert (job.result["created"], job.result["rejected"]) == (2, 0)
    after = every_table()
    assert {name for name in after if after[name] != before[name]} == {
        "projects.Job",
        "projects.Event",
    }
    job = done(site, upload, "import", **form)
    assert (job.kind, job.state) == ("import_subjects", "done"), job.message
    assert sorted(Subject.objects.values_list("external_id", flat=True)) == ["1", "2"]
    assert "See what was imported" in site.get(address(upload)).content.decode()


def test_votes_are_brought_in_wide_form_with_what_their_values_mean(
    site: Client, project: Project
) -> None:
    version = publish_rubric(project, FORM)
    text = "item_id,annotator,G1_a,G1_b,preference\np1,ann,1,1,A\np1,bo,1,0,tie\n"
    upload = brought(site, text, "old.csv", kind="votes")
    shown = site.get(address(upload)).content.decode()
    assert "is not on the scale of G1" in shown
    form = {
        **chosen("subject", "rater", "label:G1:A", "label:G1:B", "label:preference:"),
        "version": version.pk,
        "name": "Old votes",
        "value": "1=pass\n0=fail",
        "create_subjects": "on",
    }
    assert send(site, upload, "look", **form).status_code == 302
    shown = site.get(address(upload)).content.decode()
    assert "<b>G1 B</b> fail" in shown
    job = done(site, upload, "check", **form)
    assert job.result is not None
    assert (job.result["votes"], job.result["raters"]) == (2, 2)
    assert not Batch.objects.exists()
    job = done(site, upload, "import", **form)
    assert job.state == "done", job.message
    assert Batch.objects.get().name == "Old votes"


def test_votes_in_long_form_are_guessed_by_their_names(site: Client, project: Project) -> None:
    publish_rubric(project, FORM)
    text = "subject,rater,criterion,side,value\np1,ann,G1,A,pass\np1,ann,preference,,A\n"
    upload = brought(site, text, "long.csv", kind="votes")
    assert "<b>G1 A</b> pass" in site.get(address(upload)).content.decode()


def test_parquet_is_brought_like_any_other_file(site: Client) -> None:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([pair("p1"), pair("p2")]), out)
    upload = brought(site, out.getvalue(), "pairs.parquet")
    job = done(site, upload, "import", **chosen(*PAIR_FIELDS))
    assert job.state == "done", job.message
    assert Subject.objects.count() == 2


def test_the_commands_read_parquet_too(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "pairs.parquet"
    pq.write_table(pa.Table.from_pylist([pair("p1"), {**pair("p2"), "x": "y"}]), file)
    assert import_pairs(project, file)["created"] == 2
    publish_rubric(project, FORM)
    votes = tmp_path / "votes.parquet"
    row = {"subject": "p1", "rater": 7, "criterion": "G1", "side": "A", "value": "pass"}
    pq.write_table(pa.Table.from_pylist([row]), votes)
    call_command("import_votes", str(votes), "--project", "claims", "--rubric", "form@1")
    assert Batch.objects.get().name == "votes"


# ---- What the fields are


def test_fields_are_guessed_by_plain_synonyms_and_what_is_ambiguous_is_left_out(
    site: Client,
) -> None:
    row = {
        "uid": "p1",
        "instruction": "Do",
        "input": "it",
        "Output 1": "a",
        "output_2": "b",
        "chosen": "a",
    }
    upload = brought(site, jsonl([row]))
    form = site.get(address(upload)).context["form"]
    assert [form.fields[f"col-{n}"].initial for n in range(6)] == [
        *("id", "prompt", "prompt", "response_a", "response_b", "")
    ]
    job = done(
        site, upload, "import", **chosen(*(form.fields[f"col-{n}"].initial for n in range(6)))
    )
    assert job.state == "done", job.message
    assert Subject.objects.get().pair.messages[0]["content"] == "Do\n\nit"


def test_a_field_that_is_left_out_is_not_read_although_its_name_is_known(site: Client) -> None:
    row = {**pair("p1"), "context": "secret", "model_a": "m"}
    upload = brought(site, jsonl([row]))
    job = done(site, upload, "import", **chosen(*PAIR_FIELDS, "", "metadata."))
    assert job.state == "done", job.message
    subject = Subject.objects.get()
    assert (subject.pair.context, subject.pair.model_a) == ("", "")
    assert subject.metadata == {"model_a": "m"}


def test_numbers_are_taken_as_text_where_that_is_chosen(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1", response_a=True)]))
    assert "not text" in site.get(address(upload)).content.decode()
    form = {**chosen(*PAIR_FIELDS), "text-2": "on"}
    assert done(site, upload, "import", **form).state == "done"
    assert Subject.objects.get().parts.get(key="A").text == "true"


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (("id", "prompt", "response_a", ""), "No field is chosen as “response B”"),
        (("id", "prompt", "response_a", "response_a"), "No field is chosen as “response B”"),
        (("id", "id", "prompt", "response_a"), "2 fields are chosen as “id”"),
        (("id", "prompt", "response_a", "nonsense"), "There is no such choice"),
    ],
)
def test_choices_that_cannot_be_followed_come_back_with_the_reason(
    site: Client, targets: tuple[str, ...], words: str
) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    response = send(site, upload, "import", **chosen(*targets))
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not Job.objects.exists()


def test_a_value_on_no_scale_comes_back_with_the_scale(site: Client, project: Project) -> None:
    version = publish_rubric(project, FORM)
    text = "subject,rater,criterion,side,value\np1,ann,G1,A,pass\n"
    upload = brought(site, text, "v.csv", kind="votes")
    form = {
        **chosen("subject", "rater", "criterion", "side", "value"),
        "version": version.pk,
        "name": "v",
        "value": "1=nonsense",
    }
    response = send(site, upload, "check", **form)
    assert response.status_code == 422
    assert "is on no scale" in response.content.decode()


def test_re_01_what_a_file_holds_is_shown_as_data(site: Client) -> None:
    row = {
        **pair("<b>p1</b>", response_a="<script>probe()</script> ![x](https://evil.example/x.png)"),
        "<img src=x>": "</td><script>probe()</script>",
    }
    upload = brought(site, jsonl([row]), "<svg onload=probe()>.jsonl")
    for where in (address(upload), "/p/claims/import/"):
        shown = site.get(where).content.decode()
        for markup in ("<script>probe", "<svg onload", "<img src", "<b>p1"):
            assert markup not in shown


FLAG = re.compile(r"--[a-z]")
ODD_PAIRS = [
    pair("p1", response_b="ABSENT", topic="x"),
    pair("p2", prompt=7),
    pair("p3", response_a="a\0b"),
    pair("ABSENT"),
]


def test_no_page_and_no_report_speaks_of_the_flags_of_a_command(site: Client) -> None:
    upload = brought(site, jsonl(ODD_PAIRS))
    shown = html.unescape(site.get(address(upload)).content.decode())
    assert "The row has no response B. Add it, or choose another field for it." in shown
    assert "take this field as text." in shown
    job = done(site, upload, "check", **chosen(*PAIR_FIELDS, ""))
    job_page = site.get(f"/p/claims/jobs/{job.public_id}/").content.decode()
    assert "and was left out" in job_page
    for said in (shown, job_page, refused_of(site, job, "csv").decode()):
        assert not FLAG.search(said), FLAG.search(said)


def test_no_page_of_votes_speaks_of_the_flags_of_a_command(site: Client, project: Project) -> None:
    version = publish_rubric(project, FORM)
    text = "subject,rater,criterion,side,value\np1,ann,G1,A,1\np2,,G1,A,pass\np3,ann,G1,A,pass\n"
    upload = brought(site, text, "v.csv", kind="votes")
    form = {
        **chosen("subject", "rater", "criterion", "side", "value"),
        "version": version.pk,
        "name": "v",
    }
    job = done(site, upload, "check", **form)
    assert "Import it first" in refused_of(site, job, "csv").decode()
    answers = [
        site.get(address(upload)).content.decode(),
        site.get(f"/p/claims/jobs/{job.public_id}/").content.decode(),
        send(site, upload, "look", **form, value="1=nonsense").content.decode(),
        send(site, upload, "look", **form, value="nonsense").content.decode(),
        refused_of(site, job, "csv").decode(),
    ]
    for said in answers:
        assert not FLAG.search(said), FLAG.search(said)


def test_a_command_says_the_flag_that_helps(project: Project, tmp_path: Path) -> None:
    err = io.StringIO()
    file = written(tmp_path, jsonl(ODD_PAIRS))
    with pytest.raises(CommandError):
        call_command("import_pairs", str(file), "--project", "claims", stderr=err)
    for flag in ("--map response_b=FIELD", "--as-text prompt", "--repair", "--map metadata.NAME="):
        assert f"({flag}" in err.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(range(128, 256)) + b"\n" + bytes(range(128, 256)), "UTF-8"),
        (b"null\nnull\nnull\n", "object"),
        (b"{}}\n" * 300, "JSON"),
    ],
)
def test_a_file_of_which_no_row_can_be_read_says_why_by_line_and_can_only_be_thrown_away(
    site: Client, content: bytes, words: str
) -> None:
    upload = brought(site, content, "null.jsonl")
    response = site.get(address(upload))
    shown = html.unescape(response.content.decode())
    assert "No row of it can be read" in shown
    assert words in shown
    assert "Line </span>1</td>" in shown
    assert "No field is chosen" not in shown
    assert response.context["first"].refused == response.context["first"].looked_at > 0
    assert re.findall(r'name="action" value="(\w+)"', shown) == ["discard"]
    assert send(site, upload, "import").status_code == 422
    assert not Job.objects.exists()


def test_problems_of_the_first_rows_come_by_line_and_are_counted_by_row(site: Client) -> None:
    lines = [json.dumps(pair(n)) for n in range(1, 31)]
    lines[3] = json.dumps(pair(4, prompt=7, response_a=True))
    for n in range(10, 20):
        lines[n] = json.dumps(pair(n + 1, prompt=7))
    lines[1] = lines[24] = "no json"
    upload = brought(site, "\n".join(lines))
    response = site.get(address(upload))
    first = response.context["first"]
    assert [problem.line for problem in first.problems] == [2, 4, 4, *range(11, 18)]
    assert (first.refused, first.problem_count, first.looked_at) == (13, 14, 30)
    said = "13 of the first 30 rows would be refused, for 14 reasons; the first 10 are shown:"
    assert said in response.content.decode()


def test_a_file_that_is_refused_as_a_whole_counts_no_rows(site: Client) -> None:
    text = 'id,prompt,response_a,response_b\np1,Why?,a,b\np2,"Why?,a,b\n'
    upload = brought(site, text, "pairs.csv")
    assert "The file would be refused:" in site.get(address(upload)).content.decode()


def test_what_is_not_chosen_yet_is_one_notice_where_it_is_mended(site: Client) -> None:
    upload = brought(site, jsonl([{"x": "a", "y": "b"}]) + "no json\n")
    for response in (site.get(address(upload)), send(site, upload, "check")):
        shown = response.content.decode()
        fields = shown.partition('id="fields"')[2].partition("</section>")[0]
        assert shown.count('class="notice') == fields.count('class="notice') == 1
        assert fields.count("<li>No field is chosen as") == 4
        assert "1 of the first 2 rows would be refused" in shown


def test_everything_unfinished_stands_in_the_list_and_then_the_last_that_were_imported(
    site: Client, project: Project, lead: User
) -> None:
    job = Job.objects.create(project=project, kind="import_subjects", state="done")
    for n in range(60):
        path, imported = ("kept", None) if n < 15 else ("", job)
        Upload.objects.create(
            project=project,
            kind="pairs",
            file_name=f"{n}.jsonl",
            path=path,
            size=1,
            created_by=lead,
            job=imported,
        )
    Upload.objects.create(
        project=project, kind="pairs", file_name="thrown.jsonl", size=1, created_by=lead
    )
    cards = site.get("/p/claims/import/").context["cards"]
    names = [int(card.upload.file_name.removesuffix(".jsonl")) for card in cards]
    assert names == [*range(14, -1, -1), *range(59, 53, -1)]


# ---- Files that are refused, and odd names


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("pairs.jsonl", b"", "empty"),
        ("pairs.xlsx", b"PK\x03\x04", "CSV UTF-8"),
        ("pairs.jsonl.gz", b"\x1f\x8b\x08", "Unpack it first"),
        ("pairs.zip", b"PK\x03\x04", "Unpack it first"),
        ("pairs.exe", b"MZ", "must be one of"),
        ("pairs", b"{}", "has no ending"),
        ("pairs.jsonl", b"PK\x03\x04", "spreadsheet or a ZIP"),
        ("pairs.jsonl", b"PAR1xxxxPAR1", ".parquet"),
        ("pairs.csv", b"id,id\n1,2\n", "twice"),
        ("pairs.csv", b"id,prompt\n", "no rows"),
        ("pairs.json", b'[{"id": 1}]', "JSON list"),
        ("pairs.parquet", b'{"id": 1}', "does not begin"),
        ("pairs.parquet", b"PAR1" + b"x" * 100, "cut short"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_not_kept(
    site: Client, name: str, content: bytes, words: str
) -> None:
    response = bring(site, content, name)
    assert response.status_code == 422
    assert words in html.unescape(response.content.decode())
    assert not Upload.objects.exists()
    assert files() == []


def test_no_file_at_all_says_so(site: Client) -> None:
    response = site.post("/p/claims/import/", {"kind": "pairs", "complete": "1"})
    assert response.status_code == 422
    assert "No file was chosen" in response.content.decode()


def test_an_upload_that_was_cut_short_is_not_kept(site: Client) -> None:
    body = (
        b'--X\r\nContent-Disposition: form-data; name="kind"\r\n\r\npairs\r\n--X\r\n'
        b'Content-Disposition: form-data; name="file"; filename="pairs.jsonl"\r\n\r\n{"id": '
    )
    response = site.post("/p/claims/import/", body, content_type="multipart/form-data; boundary=X")
    assert response.status_code == 422
    assert "cut short" in response.content.decode()
    assert not Upload.objects.exists()


def test_a_body_that_declares_too_much_is_refused_before_it_is_read(
    site: Client, settings: Any
) -> None:
    settings.CALIBRANT_MAX_UPLOAD_MB = 1
    response = site.post("/p/claims/import/", {}, CONTENT_LENGTH=str(200 * 1024 * 1024))
    assert response.status_code == 413
    assert "up to 1 MB" in response.content.decode()


def test_a_file_over_the_limit_is_refused_by_its_own_size(site: Client, settings: Any) -> None:
    settings.CALIBRANT_MAX_UPLOAD_MB = 1
    response = bring(site, b"x" * 1_100_000)
    assert response.status_code == 422
    assert "1 MB is the most" in response.content.decode()
    assert files() == []


def test_other_pages_and_visitors_take_no_large_bodies(client: Client, site: Client) -> None:
    large = str(100 * 1024 * 1024)
    assert site.post("/account/", {}, CONTENT_LENGTH=large).status_code == 413
    assert Client().post("/p/claims/import/", {}, CONTENT_LENGTH=large).status_code == 413


@pytest.mark.parametrize(
    ("who", "where", "status"),
    [
        ("lead", "/p/claims/import/", 422),
        ("lead", "/p/nowhere/import/", 413),
        ("lead", "/p/claims/rubrics/import/", 413),
        ("lead", "/account/import/", 413),
        ("expert", "/p/claims/import/", 413),
        ("outsider", "/p/claims/import/", 413),
        ("stranger", "/p/claims/import/", 413),
    ],
)
def test_only_who_may_import_gets_a_large_body_onto_the_disk(
    client: Client, project: Project, who: str, where: str, status: int, request: Any
) -> None:
    client.force_login(request.getfixturevalue(who))
    large = SimpleUploadedFile("pairs.zip", b"x" * (LARGEST_FORM + 1))
    sent = {"kind": "pairs", "file": large, "complete": "1"}
    assert client.post(where, sent).status_code == status


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd.jsonl",
        "..\\..\\boot.jsonl",
        "/abs/olute.jsonl",
        "Zwölf 🥊 \u202egnp.jsonl",
        f"{'n' * 500}.jsonl",
        "a b'c;d.jsonl",
        ".jsonl.jsonl",
    ],
)
def test_a_files_name_names_nothing_on_the_disk(site: Client, name: str) -> None:
    upload = brought(site, jsonl([pair("p1")]), name)
    assert len(upload.file_name) <= 255
    assert "/" not in upload.path
    assert files() == [upload.path]
    kept = kept_files.folder() / upload.path
    assert kept.stat().st_mode & 0o777 == 0o600
    assert site.get(address(upload)).status_code == 200
    assert done(site, upload, "import", **chosen(*PAIR_FIELDS)).state == "done"


# ---- Who, and how often


def test_two_presses_start_one_job_and_lead_to_it(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    form = chosen(*PAIR_FIELDS)
    first, second = (send(site, upload, "import", **form) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Job.objects.count() == 1
    jobs.run(Job.objects.get().pk, RUNNERS)
    again = send(site, upload, "import", **form)
    assert again["Location"] == "/p/claims/import/"
    assert Job.objects.count() == 1


def test_another_lead_goes_on_where_one_left_off(
    site: Client, client: Client, project: Project
) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    other = Client()
    other.force_login(make_member(project, "lead", username="second"))
    send(site, upload, "check", **chosen(*PAIR_FIELDS))
    assert "a worker is reading this file" in other.get(address(upload)).content.decode()
    started = send(other, upload, "import", **chosen(*PAIR_FIELDS))
    assert started["Location"].endswith(f"{Job.objects.get().public_id}/")


def test_whoever_is_a_lead_no_more_reaches_nothing_and_the_other_leads_all(
    site: Client, lead: User, project: Project
) -> None:
    upload = brought(site, jsonl([pair("p1"), pair("p2", prompt="ABSENT")]))
    job = done(site, upload, "check", **chosen(*PAIR_FIELDS))
    report = f"/p/claims/jobs/{job.public_id}/refused.csv"
    assert site.get(report).status_code == 200
    Membership.objects.filter(user=lead).update(role="expert")
    assert site.get(address(upload)).status_code == 403
    assert site.get(report).status_code == 403
    other = Client()
    other.force_login(make_member(project, "lead", username="second"))
    assert other.get(address(upload)).status_code == 200
    assert other.get(report).status_code == 200


def test_a_refused_import_leaves_the_file_to_be_chosen_anew(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1"), pair("p2", prompt="ABSENT")]))
    job = done(site, upload, "import", **chosen(*PAIR_FIELDS))
    assert job.state == "failed"
    assert not Subject.objects.exists()
    job = done(site, upload, "import", **chosen(*PAIR_FIELDS), partial="on")
    assert job.state == "done"
    assert Subject.objects.count() == 1


# ---- All refused rows


def refused_of(client: Client, job: Job, ending: str) -> bytes:
    response = client.get(f"/p/claims/jobs/{job.public_id}/refused.{ending}")
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]  # a FileResponse


def test_im_06_every_refused_row_is_in_the_files_and_they_alone_come_in_once_mended(
    site: Client,
) -> None:
    rows = [pair(n, response_b="ABSENT") if n % 2 else pair(n) for n in range(2400)]
    upload = brought(site, jsonl(rows))
    job = done(site, upload, "import", **chosen(*PAIR_FIELDS), partial="on")
    assert job.result is not None
    assert (job.result["created"], job.result["rejected"]) == (1200, 1200)
    assert len(job.result["problems"]) == 1000
    report = list(csv.DictReader(io.StringIO(refused_of(site, job, "csv").decode())))
    assert len(report) == 1200
    assert {row["code"] for row in report} == {"missing"}
    assert json.loads(report[-1]["row"]) == rows[2399]
    left = [json.loads(line) for line in refused_of(site, job, "jsonl").splitlines()]
    assert left == rows[1::2]
    mended = brought(
        site, jsonl([{**row, "response_b": "Mended."} for row in left]), "mended.jsonl"
    )
    job = done(site, mended, "import", **chosen("id", "prompt", "response_a", "response_b"))
    assert job.state == "done", job.message
    assert Subject.objects.count() == 2400


def test_broken_lines_are_given_back_byte_for_byte(site: Client) -> None:
    lines = [b'{"id": "a", ', b'{"id": "b\xff"}', b'{"id": NaN}', json.dumps(pair("d")).encode()]
    upload = brought(site, b"\r\n".join(lines))
    job = done(site, upload, "check", **chosen(*PAIR_FIELDS))
    assert refused_of(site, job, "jsonl").splitlines() == lines[:3]


def test_rows_of_a_table_are_given_back_under_the_names_of_its_columns(site: Client) -> None:
    text = "id,prompt,response_a,response_b\np1,Why?,a,b\n,Why not?,a,b\n"
    upload = brought(site, text, "pairs.csv")
    job = done(site, upload, "check", **chosen(*PAIR_FIELDS))
    (row,) = refused_of(site, job, "jsonl").splitlines()
    assert json.loads(row) == {"id": "", "prompt": "Why not?", "response_a": "a", "response_b": "b"}


@pytest.mark.parametrize("start", ["=1+2", "+49 170", "-3", "@all", "\t=1", "\r=1", "  =1+2"])
def test_re_01_nothing_in_the_report_runs_in_a_spreadsheet(site: Client, start: str) -> None:
    row = {start: "x", **pair("p1", prompt=7)}
    upload = brought(site, jsonl([row]))
    job = done(site, upload, "check", **chosen("", *PAIR_FIELDS))
    text = refused_of(site, job, "csv").decode()
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) == 2
    for cell in rows[1][1:]:
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_report_that_is_gone_says_nothing_else(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    job = done(site, upload, "check", **chosen(*PAIR_FIELDS))
    assert site.get(f"/p/claims/jobs/{job.public_id}/refused.csv").status_code == 404


# ---- What is kept, and for how long


def age(file: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    os.utime(file, (then, then))


@pytest.mark.django_db(transaction=True)
def test_a_file_goes_when_it_is_imported_and_not_when_it_was_checked(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    done(site, upload, "check", **chosen(*PAIR_FIELDS))
    uploads.prune()
    assert files() == [upload.path]
    done(site, upload, "import", **chosen(*PAIR_FIELDS))
    uploads.prune()
    assert files() == []


@pytest.mark.django_db(transaction=True)
def test_an_upload_that_nobody_goes_on_with_goes_after_a_day(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    uploads.prune()
    assert files() == [upload.path]
    Upload.objects.update(created_at=timezone.now() - timedelta(hours=25))
    uploads.prune()
    assert files() == []
    assert Event.objects.filter(verb="upload.pruned").count() == 1
    shown = site.get(address(upload)).content.decode()
    assert "no longer here" in shown
    assert "Nobody went on with it for a day" in shown
    assert send(site, upload, "import", **chosen(*PAIR_FIELDS)).status_code in (302, 422)
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_file_that_is_thrown_away_is_gone_at_once(site: Client, lead: User) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    send(site, upload, "discard")
    assert files() == []
    assert Event.objects.filter(verb="upload.discarded").count() == 1
    shown = site.get(address(upload)).content.decode()
    assert f"{lead} threw it away on" in shown
    assert "for a day" not in shown


def test_a_file_that_the_disk_lost_is_said_to_be_lost(site: Client) -> None:
    upload = brought(site, jsonl([pair("p1")]))
    (kept_files.folder() / upload.path).unlink()
    assert "gone from the server" in site.get(address(upload)).content.decode()


def test_files_that_no_row_names_go_after_a_day_and_reports_after_a_week(
    project: Project, tmp_path: Path
) -> None:
    folder = kept_files.folder()
    orphan, fresh, waiting = (written(folder, "", name) for name in ("a.csv", "b.csv", "c.csv"))
    report, old_report = (written(folder, "", f"refused-{name}.csv") for name in ("x", "y"))
    for file, days in ((orphan, 2), (waiting, 2), (report, 2), (old_report, 8)):
        age(file, days)
    Job.objects.create(project=project, kind="import_subjects", params={"file": str(waiting)})
    assert uploads.prune() == 2
    assert set(files()) == {fresh.name, waiting.name, report.name}

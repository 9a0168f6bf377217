"""“Send and next” of the label page against a bare page and a bare write, in processor seconds.

Run as `python -m benchmarks.labelling`; it prints a table and fails where a ratio is missed.

Everything runs in this process, through the WSGI handler with all middleware, on the embedded
database in a folder of its own: what is measured is sending a whole vote (the demo rubric) and the
page of the next pair that answers it, with texts that were rendered ahead. The floor, see bare.py,
is measured in turns with it. Two sizes: a batch of 10,000 pairs, and one of 50,000 with 12,000
votes.
"""

import io
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import uuid4

if TYPE_CHECKING:
    from annotate.models import Batch, Vote
    from projects.models import Project, Rater, User

ROOT = Path(__file__).resolve().parent.parent
TURNS = 15
A_TURN = 10
STEPS = TURNS * A_TURN
AT_MOST = 2.0
GROWTH_AT_MOST = 1.3
SIZES = ((10_000, 0), (50_000, 12_000))

Handler = Callable[[dict[str, Any], Callable[..., Any]], Any]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Browser:
    """Just enough of one: a signed-in session and its token."""

    def __init__(self, handler: Handler, cookies: dict[str, str]) -> None:
        self.handler, self.cookies = handler, cookies

    def get(self, address: str) -> Answer:
        return self._ask("GET", address, b"")

    def post(self, address: str, form: dict[str, str]) -> Answer:
        return self._ask("POST", address, urlencode(form).encode())

    def _ask(self, method: str, address: str, body: bytes) -> Answer:
        started: list[Any] = []
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": address,
            "QUERY_STRING": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
        }
        response = self.handler(environ, lambda *arguments: started.append(arguments))
        content = b"".join(response)
        response.close()
        status, headers = started[0][0], started[0][1]
        for name, value in headers:
            if name == "Set-Cookie":
                self.cookies.update({k: m.value for k, m in SimpleCookie(value).items()})
        assert not status.startswith(("4", "5")), content.decode()
        return Answer(int(status.split()[0]), dict(headers), content)


def processor_ms(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    found = work()
    return (time.process_time() - started) * 1000, found


def build(pairs: int, votes: int) -> tuple["Batch", "User"]:
    """A batch of `pairs` for two raters, of which they have sent `votes` between them."""
    from annotate.models import Batch
    from annotate.rendered import render_ahead
    from projects.actions import add_member, create_project
    from projects.models import Role, User
    from rubrics.actions import import_rubric, publish

    slug = f"size-{pairs}"
    project = create_project(slug=slug, name=slug, acting_user=None)
    users = [User.objects.create(username=f"{slug}-{n}") for n in range(2)]
    raters = []
    for user in users:
        add_member(project=project, user=user, role=Role.EXPERT, acting_user=None)
        raters.append(project.raters.create(user=user, kind="person", name=user.username))
    source = (ROOT / "fixtures" / "demo" / "rubric.yaml").read_bytes()
    version = import_rubric(project=project, source=source, acting_user=None)
    version = publish(version=version, change_note="First.", acting_user=None)
    batch = Batch.objects.create(project=project, version=version, kind="calibration", number=1)
    batch.raters.set(raters)
    fill(project, batch, raters, pairs, votes // 2)
    for n in range(votes // 2, votes // 2 + STEPS + 2 * A_TURN):
        render_ahead(texts_of(n), lambda: None)
    render_ahead([PROMPT], lambda: None)
    return batch, users[0]


PROMPT = "Summarise this claim file for the desk adjuster who takes it over today."


def texts_of(n: int) -> tuple[str, str, str]:
    claim = f"Claim {n}. The supply hose parted on 14 February; **$18,240.50** was estimated. "
    return (f"# File {n}\n\n{claim * 12}", f"## Open\n\n- {claim * 9}", claim * 20)


def fill(project: "Project", batch: "Batch", raters: list["Rater"], pairs: int, done: int) -> None:
    """Rows as an import, a round and its raters would have written them."""
    from annotate.models import Assignment, Pair, Part, Slot, Subject

    def subjects() -> Iterator[Subject]:
        for n in range(pairs):
            yield Subject(project=project, external_id=f"claim-{n}", content_hash=f"{n:064x}")

    made = Subject.objects.bulk_create(subjects(), batch_size=1000)
    messages = [{"role": "user", "content": PROMPT}]
    Pair.objects.bulk_create(
        (
            Pair(subject=subject, messages=messages, context=texts_of(n)[2])
            for n, subject in enumerate(made)
        ),
        batch_size=1000,
    )
    Part.objects.bulk_create(
        (
            Part(subject=subject, key=key, text=text)
            for n, subject in enumerate(made)
            for key, text in zip("AB", texts_of(n)[:2], strict=True)
        ),
        batch_size=1000,
    )
    for n, rater in enumerate(raters):
        slots = Slot.objects.bulk_create(
            (Slot(batch=batch, subject=subject, n=n) for subject in made), batch_size=1000
        )
        assignments = Assignment.objects.bulk_create(
            (
                Assignment(
                    slot=slot,
                    batch=batch,
                    subject_id=slot.subject_id,
                    rater=rater,
                    position=place,
                    order="AB" if place % 2 else "BA",
                    state="submitted" if place <= done else "assigned",
                )
                for place, slot in enumerate(slots, 1)
            ),
            batch_size=1000,
        )
        vote_on(batch, rater, assignments[:done])


def vote_on(batch: "Batch", rater: "Rater", assignments: list[Any]) -> None:
    from django.utils import timezone

    from annotate.models import Label, Vote

    def vote(assignment: Any) -> "Vote":
        return Vote(
            batch=batch,
            subject_id=assignment.subject_id,
            rater=rater,
            assignment=assignment,
            at=timezone.now(),
            order=assignment.order,
            rationale="[C1] decides.",
            cites=["C1"],
            active_s=90,
        )

    votes = Vote.objects.bulk_create(map(vote, assignments), batch_size=1000)
    criteria = list(batch.version.criteria.exclude(kind="automatic"))
    Label.objects.bulk_create(
        (
            Label(vote=given, criterion=criterion, part_key=part, code=code)
            for given in votes
            for criterion in criteria
            for part, code in answers_to(criterion)
        ),
        batch_size=2000,
    )


def answers_to(criterion: Any) -> list[tuple[str, str]]:
    if criterion.kind == "preference":
        return [("", "A_slight")]
    return [(part, "pass" if criterion.kind == "gate" else "yes") for part in "AB"]


def session_of(user: "User") -> dict[str, str]:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return {"sessionid": client.cookies["sessionid"].value}


def form_of(page: bytes) -> dict[str, str]:
    """Every check passed, a preference, a rationale, as the page's own names have it."""
    names = set(re.findall(rb'name="(label:[^"]+)"', page))
    form = {name.decode(): "pass" if b":G" in name else "yes" for name in names}
    return {
        **form,
        "preference": "2",
        "rationale": "[C1] decides: [Left] names an owner for each open item.",
        "csrfmiddlewaretoken": token_of(page),
        "submit_key": str(uuid4()),
        "action": "submit",
        "active_s": "60",
    }


def token_of(page: bytes) -> str:
    token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    return token[1].decode()


class Labelling:
    """One rater who sends a pair and gets the next, over and over."""

    def __init__(self, handler: Handler, batch: "Batch", user: "User") -> None:
        self.browser = Browser(handler, session_of(user))
        first = self.browser.get(f"/label/{batch.public_id}/")
        self.address = first.headers["Location"]
        self.page = self.browser.get(self.address).body

    def step(self) -> None:
        sent = self.browser.post(self.address, form_of(self.page))
        self.address = sent.headers["Location"]
        self.page = self.browser.get(self.address).body


def bare_handler() -> Handler:
    from django.core.handlers.wsgi import WSGIHandler
    from django.test import override_settings

    from benchmarks.bare import MIDDLEWARE

    with override_settings(MIDDLEWARE=MIDDLEWARE):
        return WSGIHandler()


def measure(pairs: int, votes: int) -> dict[str, list[float]]:
    from django.core.handlers.wsgi import WSGIHandler

    bare_one = bare_handler()
    labelling = Labelling(WSGIHandler(), *build(pairs, votes))
    bare = Browser(bare_one, labelling.browser.cookies)
    times: dict[str, list[float]] = {"page": [], "write": [], "ours": []}
    # In turns of a few, so that neither pays for what the other pushed out of the processor.
    for turn in range(TURNS + 1):
        for _ in range(A_TURN):
            page, answer = processor_ms(lambda: bare.get("/page/"))
            form = {"csrfmiddlewaretoken": token_of(answer.body), "text": "x" * 400}
            write, _ = processor_ms(partial(bare.post, "/write/", form))
            if turn:
                times["page"].append(page)
                times["write"].append(write)
        for _ in range(A_TURN):
            ours, _ = processor_ms(labelling.step)
            if turn:
                times["ours"].append(ours)
    return times


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"CALIBRANT_VAR": folder, "DATABASE_URL": "", "LOG_LEVEL": "ERROR"}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "CALIBRANT_HASHED_STATIC": "0"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        print(f"{STEPS} steps each, medians, processor ms\n")
        print("pairs    votes  bare page  bare write  send and next  ratio  at most")
        missed, medians = False, []
        for pairs, votes in SIZES:
            times = {k: statistics.median(v) for k, v in measure(pairs, votes).items()}
            floor = times["page"] + times["write"]
            ratio = times["ours"] / floor
            medians.append(times["ours"] / floor)
            missed = missed or ratio > AT_MOST
            print(
                f"{pairs:6} {votes:7} {times['page']:10.2f} {times['write']:11.2f}"
                f" {times['ours']:14.2f} {ratio:6.2f} {AT_MOST:8.1f}"
            )
        growth = medians[-1] / medians[0]
        print(f"\n{growth:.2f} times as dear at the larger size, at most {GROWTH_AT_MOST}")
    return int(missed or growth > GROWTH_AT_MOST)


if __name__ == "__main__":
    sys.exit(main())

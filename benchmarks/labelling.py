"""“Send and next” of the label page against a bare page and a bare write, in processor time.

Run as `python -m benchmarks.labelling`; it prints a table and fails where a ratio is missed.

Two servers as `manage.py serve` starts them, with one worker each, answer on the loopback: ours,
and the floor of bare.py and bare_wsgi.py, over one embedded database. What is measured is the
processor time of the worker, all of it: HTTP, middleware, database. A step of ours is sending a
whole vote (the demo rubric) and the page of the next pair, with texts that were rendered ahead; a
step of the floor is a page and a write. They take turns. Two sizes: a batch of 10,000 pairs, and
one of 50,000 with 12,000 votes.
"""

import http.client
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit
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


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Browser:
    """Just enough of one: a kept connection, a signed-in session and its token."""

    def __init__(self, port: int, cookies: dict[str, str]) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies = cookies

    def get(self, address: str) -> Answer:
        return self._ask("GET", address)

    def post(self, address: str, form: dict[str, str]) -> Answer:
        return self._ask("POST", address, urlencode(form))

    def _ask(self, method: str, address: str, body: str = "") -> Answer:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, address, body or None, headers)
        response = self.connection.getresponse()
        content = response.read()
        for cookie in response.headers.get_all("Set-Cookie", []):
            self.cookies.update({k: m.value for k, m in SimpleCookie(cookie).items()})
        assert response.status < 400, content.decode()
        return Answer(response.status, dict(response.headers), content)


@dataclass(frozen=True)
class Server:
    port: int
    worker: int  # process id

    def processor_ms(self) -> float:
        """What the threads of the worker have taken since they started."""
        tasks = Path(f"/proc/{self.worker}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


@contextmanager
def server(application: str) -> Iterator[Server]:
    from projects.management.commands.serve import web_command

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [application if word == "config.wsgi" else word for word in web_command(port, 1)]
    master = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        yield Server(port, worker_of(master, port))
    finally:
        master.terminate()
        master.wait()


def worker_of(master: subprocess.Popen[bytes], port: int) -> int:
    """The one worker of a server, once it answers."""
    while master.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/")
            connection.getresponse()
        except ConnectionError:
            time.sleep(0.1)
        else:
            children = Path(f"/proc/{master.pid}/task/{master.pid}/children").read_text()
            return int(children.split()[0])
    raise SystemExit("A server ended by itself.")


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

    def __init__(self, browser: Browser, batch: "Batch") -> None:
        self.browser = browser
        self.address = browser.get(f"/label/{batch.public_id}/").headers["Location"]
        self.page = browser.get(self.address).body

    def step(self) -> None:
        sent = self.browser.post(self.address, form_of(self.page))
        self.address = urlsplit(sent.headers["Location"]).path
        self.page = self.browser.get(self.address).body


class Floor:
    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.form = {"text": "x" * 400}

    def page(self) -> None:
        self.form["csrfmiddlewaretoken"] = token_of(self.browser.get("/page/").body)

    def write(self) -> None:
        self.browser.post("/write/", self.form)


def spent(by: Server, work: Callable[[], None]) -> float:
    """Processor milliseconds of one of A_TURN repetitions."""
    before = by.processor_ms()
    for _ in range(A_TURN):
        work()
    return (by.processor_ms() - before) / A_TURN


def measure(ours: Server, bare: Server, pairs: int, votes: int) -> dict[str, float]:
    batch, user = build(pairs, votes)
    cookies = session_of(user)
    labelling = Labelling(Browser(ours.port, cookies), batch)
    floor = Floor(Browser(bare.port, cookies))
    rows = []
    for turn in range(TURNS + 1):
        row = (spent(bare, floor.page), spent(bare, floor.write), spent(ours, labelling.step))
        if turn:
            rows.append(row)
    page, write, step = (statistics.median(column) for column in zip(*rows, strict=True))
    return {"page": page, "write": write, "ours": step}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"CALIBRANT_VAR": folder, "DATABASE_URL": "", "LOG_LEVEL": "ERROR"}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        print(f"{TURNS} turns of {A_TURN} steps, medians, processor ms of the server\n")
        print("pairs    votes  bare page  bare write  send and next  ratio  at most")
        with server("config.wsgi") as ours, server("benchmarks.bare_wsgi") as bare:
            ratios = [report(measure(ours, bare, *size), *size) for size in SIZES]
    growth = ratios[-1] / ratios[0]
    print(f"\n{growth:.2f} times as dear at the larger size, at most {GROWTH_AT_MOST}")
    return int(ratios[0] > AT_MOST or growth > GROWTH_AT_MOST)


def report(costs: dict[str, float], pairs: int, votes: int) -> float:
    ratio = costs["ours"] / (costs["page"] + costs["write"])
    print(
        f"{pairs:6} {votes:7} {costs['page']:10.2f} {costs['write']:11.2f}"
        f" {costs['ours']:14.2f} {ratio:6.2f} {AT_MOST:8.1f}"
    )
    return ratio


if __name__ == "__main__":
    sys.exit(main())

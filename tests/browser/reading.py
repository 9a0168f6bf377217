"""What the browser tests of reading share: one pair with texts of their own, and long ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from annotate.actions.rounds import start_round
from tests.ballots import RUBRIC, first_of
from tests.making import make_member, make_pair, make_rubric_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from annotate.models import Assignment
    from projects.models import Project, User

LENGTH = 100_000
# From the key to the moment after the frame that shows what it did, in milliseconds; keys in
# the order in which they are pressed.
MEASURE = """async (keys) => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(null);
    }));
    const took = [];
    for (const key of keys) {
        await frame();
        const name = key.replace("Shift+", "");
        const start = performance.now();
        const event = new KeyboardEvent("keydown", {
            key: name, shiftKey: key !== name, bubbles: true, cancelable: true,
        });
        document.activeElement.dispatchEvent(event);
        took.push([key, await frame() - start]);
    }
    return took;
}"""
# Answers, scrolling, the prompt, anchors, undo; then the views, which are there already.
ANSWERING = [*"fjgdu", "c", ",", "c", "e", "i", "p", "p", "a", "a", "y", "c", "x", "y"]
VIEWS = [*"vvbb"]
WORDS = ("the", "claim", "roof", "water", "insured", "adjuster", "estimate", "paid", "letter")


def assignment_with(
    project: Project, user: User, left: str, right: str, *, context: str = "", prompt: str = "Ask."
) -> Assignment:
    """A pair of these texts, in the order in which they are given, in a round of its own."""
    version = make_rubric_version(project, RUBRIC)
    make_pair(project, prompt=prompt, context=context, response_a=left, response_b=right)
    other = make_member(project, "expert", username=f"other_of_{project.slug}")
    batch = start_round(
        project=project, version=version, raters=[user, other], size=1, seed=1, acting_user=None
    )
    return first_of(batch, user, "AB")


def _filled(piece: Callable[[int], str]) -> str:
    parts: list[str] = []
    size = 0
    while size < LENGTH:
        parts.append(piece(len(parts)))
        size += len(parts[-1])
    return "".join(parts)[:LENGTH]


def _sentence(n: int) -> str:
    return " ".join(WORDS[(n * 7 + k * k) % len(WORDS)] for k in range(14)).capitalize() + ". "


def _table(n: int) -> str:
    rows = (f"| item {k} | ${k},200 | {_sentence(n + k)[:30]} |\n" for k in range(20))
    return f"## Table {n}\n\n| a | b | c |\n|---|--:|---|\n{''.join(rows)}\n"


def _code(n: int) -> str:
    lines = (
        f"def function_{n}_{k}(value: int) -> str:\n    return 'x'  # why\n" for k in range(20)
    )
    return f"```python\n{''.join(lines)}```\n\nSome words between.\n\n"


LONG = {
    "plain": _filled(lambda n: "".join(_sentence(5 * n + k) for k in range(5)) + "\n\n"),
    "no blank": "x" * LENGTH + " END",
    "tables": _filled(_table),
    "code": _filled(_code),
    "formulas": _filled(lambda n: f"With $a_{{{n}}} + b_2 = c_3$ it holds: {_sentence(n)}\n\n"),
    "short lines": _filled(lambda n: f"line {n}\n"),
}

"""The rubric a new one begins with: the four gates that nearly every task needs, and a preference.

Pure: no Django, no I/O. The words are ours; a lead makes them the task's own.
"""

from __future__ import annotations

from rubrics.content import (
    GATE_VALUES,
    PREFERENCE,
    PREFERENCE_TEXT,
    SCALES,
    Anchor,
    Criterion,
    Rubric,
)


def _gate(key: str, title: str, text: str, doubt: str, passes: str, fails: str) -> Criterion:
    return Criterion(
        key=key,
        kind="gate",
        family="side",
        values=GATE_VALUES,
        title=title,
        text=text,
        help=doubt,
        anchors=(Anchor("pass", passes), Anchor("fail", fails)),
    )


GATES = (
    _gate(
        "G1",
        "Facts match the source",
        "Every name, figure and date is the one in the source.",
        "Fails on one that differs from the source or is not in it. What is left out is no error.",
        "The source says 3 May, and the response says 3 May.",
        "The source says 3 May, and the response says early June.",
    ),
    _gate(
        "G2",
        "Safe to follow",
        "Nobody comes to harm who does exactly what the response says.",
        "Fails on one step that can hurt people, their money or their rights. A warning beside it "
        "does not mend it.",
        "Turn the power off at the fuse box before you open the cover.",
        "You can open the cover with the power on if you are quick.",
    ),
    _gate(
        "G3",
        "Keeps to the policy",
        "Every statement is one that our written policy permits.",
        "Fails on one promise, topic or wording the policy rules out. Name the rule in the "
        "rationale. What the policy does not speak of passes.",
        "I have passed your request on; the team decides on refunds.",
        "I promise that you will get the whole amount back.",
    ),
    _gate(
        "G4",
        "Personal data only as needed",
        "The only personal details are those the task asks for.",
        "Fails on one address, health detail, account number or other mark of a living person "
        "that the task can do without.",
        "The caller asks when the order arrives.",
        "The caller, born 12 March 1961 and treated for diabetes, asks when the order arrives.",
    ),
)


def new_rubric() -> Rubric:
    preference = Criterion(
        key=PREFERENCE,
        kind="preference",
        family="subject",
        level="ordinal",
        values=SCALES[5],
        text=PREFERENCE_TEXT,
    )
    return Rubric(
        task="",
        criteria=(*GATES, preference),
        rationale="Cite the gates or criteria that decided it.",
    )

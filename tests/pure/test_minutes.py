from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotate.minutes import Change, Entry, Minutes, Session, escaped, markdown
from annotate.rendering import render
from annotate.rendering.readable import readable

TEXT = st.text(
    st.characters(blacklist_categories=("Cs", "Cc")) | st.sampled_from("*_`[]()<>&~|!$^#-+=\\\n"),
    max_size=60,
)


def shown(markdown: str) -> str:
    return " ".join(readable(render(markdown)).split())


@example("[a](http://x.invalid) $x$ \\[b\\] \\(c\\)")
@given(TEXT)
def test_escaped_text_is_shown_as_it_was_written(text: str) -> None:
    assert shown(f"Said: {escaped(text)}") == " ".join(f"Said: {text}".split())


@given(TEXT)
def test_escaped_text_is_one_line(text: str) -> None:
    assert len(escaped(text).splitlines()) <= 1


def test_a_session_lists_its_entries_under_its_time() -> None:
    entry = Entry(
        title="C1, Names the cause: PX-1, response A",
        check="C1, Names the cause",
        pair="PX-1",
        part="A",
        labels="2 yes, 1 no",
        kind="slip",
        suggested="ambiguity",
        why="C1 is below the bar.",
        note="A slip.",
        by="Lena",
        at="1 May 2026, 10:00",
        changes=(
            Change(
                "C1",
                "reads now",
                "It names what broke.",
                by="Lena",
                at="1 May 2026, 10:02",
                since="changed since",
            ),
            Change("C1", "weighs 2"),
        ),
        ruling="Is rust a cause? (not decided yet)",
        ruled="asked by Lena, 1 May 2026, 10:03",
    )
    minutes = Minutes(
        heading="Minutes: Round 1",
        rubric="Summaries, version 1",
        raters=("Ann", "Ben"),
        votes_of="the round",
        sessions=(Session("1 May 2026, 09:30", "Lena", "40 of 60 minutes", (entry,)),),
        open=2,
    )
    assert markdown(minutes) == (
        "# Minutes: Round 1\n\n"
        "Rubric: Summaries, version 1  \n"
        "Raters of the round: Ann, Ben  \n"
        "Still open: 2\n\n"
        "## 1 May 2026, 09:30\n\n"
        "Led by Lena, 40 of 60 minutes.\n\n"
        "### C1, Names the cause: PX-1, response A\n\n"
        "- Labels: 2 yes, 1 no\n"
        "- Kind: slip, by Lena, 1 May 2026, 10:00\n"
        "- Suggested: ambiguity. C1 is below the bar.\n"
        "- Decision: A slip.\n"
        "- Change: C1 reads now: It names what broke. "
        "(by Lena, 1 May 2026, 10:02, changed since)\n"
        "- Change: C1 weighs 2\n"
        "- Ruling: Is rust a cause? (not decided yet) (asked by Lena, 1 May 2026, 10:03)\n"
    )


def silent(pair: str, kind: str, check: str = "C1, Names the cause") -> Entry:
    return Entry(
        title=f"{check}: {pair}, response A",
        check=check,
        pair=pair,
        part="A",
        labels="2 yes, 1 no",
        kind=kind,
        suggested="slip",
        why="Rater 1 stands alone.",
        note="",
        by="Lena",
        at="1 May 2026, 10:00",
    )


def test_what_was_sorted_without_a_word_is_a_table_after_what_was_decided() -> None:
    plain = [silent("PX-1", "slip"), silent("P|X", "slip"), silent("PX-3", "", "G1, Amounts")]
    decided = replace(silent("PX-4", "ambiguity"), note="A cause is what broke.")
    session = Session("1 May 2026", entries=(*plain, decided))
    assert session.told == (decided,)
    assert [(one.check, len(one.entries)) for one in session.silent] == [
        ("C1, Names the cause", 2),
        ("G1, Amounts", 1),
    ]
    minutes = Minutes("Minutes", "Summaries, version 1", (), "the round", (session,), open=0)
    text = markdown(minutes)
    assert text.index("PX-4") < text.index("PX-1")
    assert "### 3 sorted without a word: 2 slip, 1 without a kind" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(plain)
    table = render(text)
    assert table.count("<td") == 8 * len(plain)
    for entry in plain:
        assert entry.pair in readable(table)
    assert "Rater 1 stands alone." in readable(table)


@pytest.mark.parametrize(
    "more",
    [{"note": "A slip."}, {"changes": (Change("C1", "weighs 2"),)}, {"ruling": "Is rust a cause?"}],
)
def test_a_word_a_change_or_a_ruling_makes_a_decision(more: dict[str, Any]) -> None:
    assert not silent("PX-1", "slip").is_told
    assert replace(silent("PX-1", "slip"), **more).is_told

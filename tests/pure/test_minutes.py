from __future__ import annotations

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

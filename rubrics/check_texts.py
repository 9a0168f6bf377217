"""What code counts and looks for in a text: words, sentences, headings, repeated passages.

Pure: no Django, no I/O. Every function takes time linear in its texts, whatever they hold. The
definitions are told to people in docs/automatic-checks.md.
"""

import re
from collections.abc import Iterator

# How many words stand in a row for a passage to count as repeated.
RUN = 5

_ENDS = (".", "!", "?", "…")
_CLOSING = "\"'”’»)]}*_"
_WIDE_ENDS = re.compile("[。！？]")
# What begins something new at the start of a line: a heading or a list item.
_MARK = re.compile(r"[ \t]*(?:(#{1,6})|[-*+]|[0-9]{1,3}[.)])(?:[ \t]+|$)")
_WORD = re.compile(r"\w+")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def words(text: str) -> int:
    """Runs of characters without white space that hold a letter or a digit."""
    return sum(1 for run in text.split() if _has_word(run))


def characters(text: str) -> int:
    """Unicode characters, white space included."""
    return len(text)


def sentences(text: str) -> int:
    """Passages with a letter or a digit, each up to a full stop, or to the end of its block.

    A full stop is a word that ends with one of . ! ? … (quotation marks and brackets may follow),
    or one of 。！？ anywhere. A line without letters, a heading and a list item begin a new one.
    """
    count, begun = 0, False
    for line in text.splitlines():
        mark = _MARK.match(line)
        rest = line[mark.end() :] if mark else line
        if mark or not _has_word(line):
            count, begun = count + begun, False
        for run in rest.split():
            *whole, last = _WIDE_ENDS.split(run)
            for piece in whole:
                count, begun = count + (begun or _has_word(piece)), False
            begun = begun or _has_word(last)
            if last.rstrip(_CLOSING).endswith(_ENDS):
                count, begun = count + begun, False
        if mark and mark[1]:
            count, begun = count + begun, False
    return count + begun


def _has_word(run: str) -> bool:
    return any(map(str.isalnum, run))


def headings(text: str) -> tuple[tuple[int, str], ...]:
    """Level (1 to 6) and words of each Markdown heading outside code, in order."""
    return tuple(_headings(text))


def _headings(text: str) -> Iterator[tuple[int, str]]:
    fence, before = "", ""
    for line in text.splitlines():
        marked = _FENCE.match(line)
        if fence:
            closes = marked and marked[1].startswith(fence) and not line[marked.end() :].strip()
            fence, before = ("" if closes else fence), ""
        elif marked:
            fence, before = marked[1], ""
        elif heading := _ATX.match(line):
            yield len(heading[1]), (heading[2] or "").strip()
            before = ""
        elif before and (underline := _UNDERLINE.match(line)):
            yield (1 if underline[1].startswith("=") else 2), before
            before = ""
        else:
            before = "" if line.startswith(("    ", "\t")) and not before else line.strip()


def same_heading(words: str) -> str:
    """A heading as it is compared: without marks at its ends, whatever its case and its blanks."""
    return " ".join(words.strip().strip("#*_:` ").split()).casefold()


def overlap(text: str, prompt: str) -> tuple[int, int]:
    """Runs of RUN words of the text that the prompt holds too, and all runs of the text.

    Words are compared without case and without the marks around them. A text of fewer words than
    RUN has no run.
    """
    theirs = set(_runs(prompt))
    own = list(_runs(text))
    return sum(1 for run in own if run in theirs), len(own)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    found = _WORD.findall(text.casefold())
    return zip(*(found[start:] for start in range(RUN)), strict=False)

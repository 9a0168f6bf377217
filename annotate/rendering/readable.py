"""Safe HTML → the text that a reader of it sees, and marks laid over places in that text. Pure.

Readable text is what a browser calls the `textContent` of the element that holds the HTML, with
drawings (formulas) and extras for screen readers counting as nothing. Places are code points of
it, end exclusive. Input is HTML as `render` makes it: this is no parser of HTML at large.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise

# A tag (quoted attributes may hold “>”), or a run of text.
_PIECE = re.compile(r"""<(/?)([A-Za-z][A-Za-z0-9]*)((?:"[^"]*"|'[^']*'|[^"'>])*)>|([^<]+|<)""")
_EXTRA = re.compile(r"""\bclass="(?:[^"]* )?vh(?: [^"]*)?\"""")
_EMPTY = frozenset({"br", "hr", "img"})
# Blank text between the blocks of these is layout; a mark there would be bad HTML.
_HOLDS_BLOCKS = frozenset({"", "table", "thead", "tbody", "tr", "ol", "ul", "li", "blockquote"})


@dataclass(frozen=True)
class Mark:
    """A place to show as evidence of the check `tag`, chosen by `by`: the small sign at its start.

    `start` and `end` are code points of the readable text; what lies outside is not shown.
    """

    start: int
    end: int
    tag: str
    by: str = ""
    fails: bool = False
    id: str = ""


@dataclass(frozen=True)
class _Piece:
    """A stretch of the HTML as it stands, and the text that it shows ('' for tags)."""

    html: str
    text: str = ""
    parent: str = ""


def readable(html: str) -> str:
    """The text of safe HTML as a reader sees it."""
    return "".join(piece.text for piece in _pieces(html))


def with_marks(html: str, marks: Iterable[Mark]) -> str:
    """Safe HTML with `<mark class="evidence">` around the given places of its readable text.

    A place that crosses elements gets a mark in each of them; where places overlap, the stretch
    they share is one mark that names all of them. Taking the marks out again gives the same text.
    """
    wanted = sorted(marks, key=lambda mark: (mark.start, mark.end))
    if not wanted:
        return html
    cuts = sorted({place for mark in wanted for place in (mark.start, mark.end)})
    done: set[int] = set()
    out: list[str] = []
    at = 0
    for piece in _pieces(html):
        end = at + len(piece.text)
        is_layout = piece.text.isspace() and piece.parent in _HOLDS_BLOCKS
        if not piece.text or is_layout or end <= cuts[0] or at >= cuts[-1]:
            out.append(piece.html)
        else:
            bounds = [at, *cuts[bisect_right(cuts, at) : bisect_left(cuts, end)], end]
            for start, stop in pairwise(bounds):
                text = escape(piece.text[start - at : stop - at], quote=False)
                here = [n for n, mark in enumerate(wanted) if mark.start <= start < mark.end]
                out.append(_marked(text, here, wanted, done) if here else text)
        at = end
    return "".join(out)


def _marked(text: str, here: Sequence[int], marks: Sequence[Mark], done: set[int]) -> str:
    own = [marks[n] for n in here]
    new = [marks[n] for n in here if n not in done]
    done.update(here)
    anchors = "".join(f'<span id="{escape(mark.id)}"></span>' for mark in new if mark.id)
    attributes = [
        f'class="evidence{" is-fail" if any(mark.fails for mark in own) else ""}"',
        f'data-check="{escape(" ".join(_by_tag(own)))}"',
        *([f'data-starts="{escape(_signs(new))}"'] if new else []),
        f'title="Evidence for {escape(", ".join(_said(own)))}"',
    ]
    return f"{anchors}<mark {' '.join(attributes)}>{text}</mark>"


def _by_tag(marks: Iterable[Mark]) -> dict[str, list[str]]:
    """Each check once, with whoever chose the stretch for it."""
    found: dict[str, list[str]] = {}
    for mark in marks:
        names = found.setdefault(mark.tag, [])
        if mark.by and mark.by not in names:
            names.append(mark.by)
    return found


def _said(marks: Iterable[Mark]) -> list[str]:
    return [f"{tag} ({', '.join(by)})" if by else tag for tag, by in _by_tag(marks).items()]


def _signs(marks: Iterable[Mark]) -> str:
    return " ".join(f"{tag} {', '.join(by)}" if by else tag for tag, by in _by_tag(marks).items())


def _pieces(html: str) -> Iterator[_Piece]:
    """The HTML cut into tags and texts; joined again they give it back."""
    open_: list[str] = []
    hidden = 0
    after_pre = False
    for found in _PIECE.finditer(html):
        closing, name, attributes, text = found.groups()
        if text is not None:
            if after_pre and text.startswith("\n"):
                # A browser drops the first line break of <pre>.
                yield _Piece("\n")
                text = text[1:]
            after_pre = False
            parent = open_[-1] if open_ else ""
            yield _Piece(text, "" if hidden else unescape(text), parent)
            continue
        after_pre = name == "pre" and not closing
        if name in _EMPTY or attributes.endswith("/"):
            pass
        elif closing:
            if open_:
                open_.pop()
            hidden = max(hidden - 1, 0)
        else:
            open_.append(name)
            if hidden or name == "svg" or _EXTRA.search(attributes):
                hidden += 1
        yield _Piece(found.group())

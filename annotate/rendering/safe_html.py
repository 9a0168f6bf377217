"""Text that a model or a person wrote → HTML that is safe to show.

Markdown with raw HTML off, then an allow-list over the result, then the formulas (drawn by us) in
the places kept for them. Pure: the same text and RENDERER_VERSION give the same bytes. See
docs/design/rendering.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from typing import Any

import nh3
from markdown_it.token import Token

from annotate.rendering.blocks import Blocks
from annotate.rendering.characters import show_controls
from annotate.rendering.formulas import BY_OPENING
from annotate.rendering.highlighting import CLASSES as CODE_CLASSES
from annotate.rendering.markdown import MAX_NESTING, markdown
from annotate.rendering.mathematics import NotDrawn, draw

# Raise it whenever any text would render to other bytes: a rule here, a class, or an upgrade of
# markdown-it, nh3, Pygments or ziamath. A test holds the digest of a sample to this number.
RENDERER_VERSION = 2

MAX_CHARACTERS = 300_000
MAX_BRACKETS = 20_000
MAX_FORMULAS = 200
MAX_FORMULA_WORK = 30_000

_FORMULA_SLOT = re.compile(r"<var>(\d+)</var>")
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+(?:['’\-.][^\W_]+)*")


def render(text: str) -> str:
    """Safe HTML of `text` read as Markdown with tables, code and formulas.

    A text too long or too deeply nested to render faithfully comes back as `source(text)`.
    """
    # A bracket may open a link, and costs more than any other character.
    if len(text) > MAX_CHARACTERS or text.count("[") > MAX_BRACKETS:
        return source(text)
    found: list[Token] = []
    env: dict[str, Any] = {"formulas": found}
    tokens = _MARKDOWN.parse(show_controls(text), env)
    # markdown-it leaves out, without a word, what is nested deeper than it may go.
    if any(token.level >= MAX_NESTING - 2 for token in _all(tokens)):
        return source(text)
    for token in tokens:
        _prepare(token)
    html = _CLEANER.clean(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env))
    # Entities and percent-encoded addresses can bring control characters in after the first pass.
    return _with_formulas(show_controls(html), found)


def source(text: str) -> str:
    """Safe HTML of `text` verbatim, with control characters and directional marks visible."""
    # The parser drops one newline after <pre>: ours, not the text's.
    return f'<pre class="source" dir="auto">\n{escape(show_controls(text, marks=True))}</pre>'


def source_in_blocks(text: str) -> str:
    """The same for a pane of its own, where a long text must scroll smoothly."""
    blocks = Blocks()
    blocks.text(show_controls(text, marks=True))
    return f'<div class="source" dir="auto">{blocks.html()}</div>'


def cache_key(text: str) -> str:
    """Names the rendering of `text` by this version (64 hexadecimal digits)."""
    return sha256(f"{RENDERER_VERSION}\n{text}".encode(errors="surrogatepass")).hexdigest()


def word_count(text: str) -> int:
    """Words as a reader counts them; a Chinese or Japanese character counts as one."""
    return sum(1 for _ in _WORD.finditer(text))


def _all(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _prepare(token: Token) -> None:
    """Page headings stay above the text's own; a cell's alignment becomes a class; an outermost
    block takes its direction from its text (an inner one by the stylesheet: `dir` on it would
    hide its text from the outer block's choice)."""
    if token.tag in ("h1", "h2", "h3", "h4"):
        token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    elif token.tag == "h5":
        token.tag = "h6"
    if token.type in ("th_open", "td_open"):
        style = str(token.attrs.pop("style", ""))
        if style in ("text-align:right", "text-align:center"):
            token.attrs["class"] = style.replace("text-", "").replace(":", "-")
    if token.level == 0 and token.nesting == 1:
        token.attrs["dir"] = "auto"


def _with_formulas(html: str, found: Sequence[Token]) -> str:
    drawn = list(_drawn(found))
    return _FORMULA_SLOT.sub(lambda slot: drawn[int(slot[1])], html)


def _drawn(found: Sequence[Token]) -> Iterator[str]:
    left = MAX_FORMULA_WORK
    for number, token in enumerate(found):
        delimiter = BY_OPENING[token.markup]
        try:
            if number >= MAX_FORMULAS or left <= 0:
                raise NotDrawn
            svg, work = draw(token.content, display=delimiter.display)
        except NotDrawn:
            written = f"{delimiter.opening}{token.content}{delimiter.closing}"
            yield f'<code class="formula-source">{escape(written)}</code>'
        else:
            left -= work
            yield svg


_HEADINGS = ("h3", "h4", "h5", "h6")
_BLOCKS = ("blockquote", "ol", "p", "table", "ul", *_HEADINGS)
_INLINE = ("a", "br", "code", "em", "s", "span", "strong", "var")
_OTHERS = ("div", "hr", "li", "pre", "tbody", "td", "th", "thead", "tr")


def _cleaner() -> nh3.Cleaner:
    """The allow-list: what the rules above emit, and nothing else."""
    values = {tag: {"dir": {"auto"}} for tag in _BLOCKS}
    values |= {
        "a": {"target": {"_blank"}},
        "div": {"tabindex": {"0"}, "role": {"region"}, "aria-label": {"table"}},
        "pre": {"tabindex": {"0"}, "dir": {"ltr"}},
    }
    cell = {"align-center", "align-right"}
    return nh3.Cleaner(
        tags={*_BLOCKS, *_INLINE, *_OTHERS},
        attributes={"a": {"href"}, "ol": {"start"}},
        tag_attribute_values=values,
        allowed_classes={
            "a": {"image-load"},
            "div": {"formula-block", "table-scroll"},
            "pre": {"code"},
            "span": {"formula-block", "image-off", "image-alt", "image-address", *CODE_CLASSES},
            "td": cell,
            "th": cell,
        },
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
    )


_MARKDOWN = markdown()
_CLEANER = _cleaner()

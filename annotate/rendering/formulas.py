r"""Formulas in Markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]` as markdown-it tokens.

The rules run before escapes and emphasis, so nothing inside a formula is read as Markdown. They
replace the ready-made plugins, whose cost is quadratic in unclosed delimiters and whose block
rule reads past the end of a list item.
"""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline


@dataclass(frozen=True)
class Delimiter:
    opening: str
    closing: str
    display: bool


_DELIMITERS = (
    Delimiter("$$", "$$", display=True),
    Delimiter(r"\[", r"\]", display=True),
    Delimiter(r"\(", r"\)", display=False),
    Delimiter("$", "$", display=False),
)
BY_OPENING = {delimiter.opening: delimiter for delimiter in _DELIMITERS}

# "$5 for one, or 7$": starts with a digit, has a blank and then a word, and no sign of TeX.
_PROSE = re.compile(r"\s[^\W\d_]{2}")
_TEX_SIGN = re.compile(r"[\\^_={}]")


def formulas(md: MarkdownIt) -> None:
    """Plugin: emits `formula` (inline) and `formula_block` tokens.

    `content` is the TeX, `markup` the opening delimiter as written.
    """
    md.inline.ruler.before("escape", "formula", _inline)
    md.block.ruler.before(
        "fence",
        "formula_block",
        _block,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _opened(text: str, at: int) -> Delimiter | None:
    return next((d for d in _DELIMITERS if text.startswith(d.opening, at)), None)


def _find_closing(text: str, closing: str, start: int) -> int:
    """Where `closing` stands at or after `start`, not escaped by a backslash; -1 if nowhere."""
    at = text.find(closing, start)
    while at > 0:
        before = at
        while before > start and text[before - 1] == "\\":
            before -= 1
        if (at - before) % 2 == 0:
            break
        at = text.find(closing, at + 1)
    return at


def _inline(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (markdown-it's signature)
    delimiter = _opened(state.src, state.pos)
    if delimiter is None:
        return False
    start = state.pos + len(delimiter.opening)
    end = _inline_end(state, delimiter, start)
    if end < 0:
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content = state.src[start:end]
        token.markup = delimiter.opening
    state.pos = end + len(delimiter.closing)
    return True


def _inline_end(state: StateInline, delimiter: Delimiter, start: int) -> int:
    # Without this memory, n unclosed openings would each search to the end of the paragraph.
    unclosed: dict[str, tuple[str, int]] = state.env.setdefault("unclosed", {})
    source, since = unclosed.get(delimiter.closing, ("", 0))
    if source is state.src and start >= since:
        return -1
    end = _find_closing(state.src, delimiter.closing, start)
    if end < 0:
        unclosed[delimiter.closing] = (state.src, start)
        return -1
    content = state.src[start:end]
    if not content.strip():
        return -1
    if delimiter.opening == "$" and not _is_formula(state.src, start, end):
        return -1
    return end


def _is_formula(text: str, start: int, end: int) -> bool:
    """Whether `$…$` is a formula rather than two amounts of money (the rule Pandoc uses, and
    that a formula does not read as prose)."""
    content = text[start:end]
    if content[0].isspace() or content[-1].isspace():
        return False
    if text[max(start - 2, 0) : start - 1].isdigit() or text[end + 1 : end + 2].isdigit():
        return False
    amount = content[0].isdigit() and _PROSE.search(content) and not _TEX_SIGN.search(content)
    return not amount


def _block(
    state: StateBlock,
    start: int,
    end: int,
    silent: bool,  # noqa: FBT001 (markdown-it's signature)
) -> bool:
    at = state.bMarks[start] + state.tShift[start]
    delimiter = _opened(state.src, at)
    if delimiter is None or not delimiter.display or state.is_code_block(start):
        return False
    last = _block_end(state, delimiter, start, end)
    if last < 0:
        return False
    if not silent:
        lines = state.getLines(start, last + 1, state.blkIndent, keepLastLF=False).strip()
        token = state.push("formula_block", "", 0)
        token.block = True
        token.content = lines[len(delimiter.opening) : -len(delimiter.closing)]
        token.markup = delimiter.opening
        token.map = [start, last + 1]
        state.line = last + 1
    return True


def _block_end(state: StateBlock, delimiter: Delimiter, start: int, end: int) -> int:
    """The line on which the formula ends, with nothing after it; -1 if this is no block."""
    unclosed: dict[str, range] = state.env.setdefault("unclosed_lines", {})
    if start in unclosed.get(delimiter.closing, range(0)):
        return -1
    line = start
    while line < end:
        if line > start and (state.isEmpty(line) or state.sCount[line] < state.blkIndent):
            break
        begin = state.bMarks[line] + state.tShift[line]
        text = state.src[begin : state.eMarks[line]]
        skip = len(delimiter.opening) if line == start else 0
        at = _find_closing(text, delimiter.closing, skip)
        if at >= 0:
            whole = not text[at + len(delimiter.closing) :].strip()
            empty = line == start and not text[skip:at].strip()
            return line if whole and not empty else -1
        line += 1
    unclosed[delimiter.closing] = range(start, line)
    return -1

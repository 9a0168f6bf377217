# ruff: noqa: ARG001 (markdown-it calls every rule with the same five arguments)
"""Markdown → HTML with raw HTML off and with our own elements for code, images, tables, formulas.

What comes out has not passed the allow-list yet: only safe_html may show it.
"""

import re
from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from annotate.rendering.formulas import BY_OPENING, formulas
from annotate.rendering.highlighting import highlight

MAX_NESTING = 50
MAX_CODE_HIGHLIGHTED = 30_000  # characters in one text

_LINK = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)


def markdown() -> MarkdownIt:
    # Line breaks are kept: an address or a poem must not run together, and both sides are
    # treated alike.
    options = {"html": False, "linkify": False, "breaks": True, "maxNesting": MAX_NESTING}
    md = _Markdown("js-default", options)
    md.use(formulas)
    rules = {
        "fence": _code,
        "code_block": _code,
        "image": _image,
        "table_open": _table_open,
        "table_close": _table_close,
        "link_open": _link_open,
        "formula": _formula,
        "formula_block": _formula,
    }
    for name, rule in rules.items():
        md.add_render_rule(name, rule)
    return md


class _Markdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 (markdown-it's name)
        return bool(_LINK.match(url))


def _code(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    code, language = tokens[idx].content, tokens[idx].info.strip().partition(" ")[0]
    env["code"] = env.get("code", 0) + len(code)
    code = highlight(code, language if env["code"] <= MAX_CODE_HIGHLIGHTED else "")
    return f'<pre class="code" tabindex="0" dir="ltr"><code>{code}</code></pre>\n'


def _image(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    alt, address = escape(tokens[idx].content), escape(str(tokens[idx].attrs["src"]))
    return (
        f'<span class="image-off"><span class="image-alt">{alt}</span> '
        f'<span class="image-address">{address}</span></span>'
    )


def _table_open(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    table = self.renderToken(tokens, idx, options, env)
    return f'<div class="table-scroll" tabindex="0" role="region" aria-label="table">{table}'


def _table_close(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table></div>\n"


def _link_open(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    tokens[idx].attrs = {"href": tokens[idx].attrs["href"], "target": "_blank"}
    return self.renderToken(tokens, idx, options, env)


def _formula(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    """A place kept for the formula. The text cannot forge one: it cannot write any element."""
    slot = f"<var>{len(env['formulas'])}</var>"
    env["formulas"].append(tokens[idx])
    if tokens[idx].block:
        return f'<div class="formula-block">{slot}</div>\n'
    if BY_OPENING[tokens[idx].markup].display:
        return f'<span class="formula-block">{slot}</span>'
    return slot

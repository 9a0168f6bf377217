# ruff: noqa: ARG001 (markdown-it calls every rule with the same five arguments)
"""Markdown → HTML with raw HTML off and with our own elements for code, images, tables, formulas.

What comes out has not passed the allow-list yet: only safe_html may show it.
"""

import re
from collections.abc import Sequence
from html import escape
from urllib.parse import urlsplit

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
        "link_close": _link_close,
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
    """Never the picture: its words, and where it is https a link that static/js/images.js turns
    into the picture once it is pressed. Without a script it opens beside the page."""
    address = str(tokens[idx].attrs["src"])
    load = _load_link(address)
    if load and "after_link" in env:
        # A link holds no second one.
        env["after_link"] += f' <span class="image-off">{load}</span>'
        load = ""
    return (
        f'<span class="image-off"><span class="image-alt">{escape(tokens[idx].content)}</span> '
        f'{load}<span class="image-address">{escape(address)}</span></span>'
    )


def _load_link(address: str) -> str:
    host = _image_host(address)
    if not host:
        return ""
    return (
        f'<a class="image-load" href="{escape(address)}" target="_blank">'
        f"Load the image from {escape(host)}</a> "
    )


def _image_host(address: str) -> str:
    """Where a picture would come from; '' where nobody may fetch it."""
    try:
        found = urlsplit(address)
        return found.hostname or "" if found.scheme.lower() == "https" else ""
    except ValueError:
        return ""


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
    env["after_link"] = ""
    return self.renderToken(tokens, idx, options, env)


def _link_close(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
) -> str:
    return "</a>" + str(env.pop("after_link", ""))


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

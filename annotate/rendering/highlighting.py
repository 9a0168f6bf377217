"""Code → spans in a few classes. The stylesheet, not the text, decides how they look."""

import re
from html import escape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType

# Highlighting is a courtesy: where it could be slow, the reader gets the code plain. Pygments takes
# quadratic time on long lines and long blanks (20,000 of either cost up to 20 s), seldom otherwise.
MAX_CODE = 5_000
_SLOW = re.compile(r"[^\n]{401}|\s{201}")

# What people ask models for, less C# and make, whose lexers are slow on short lines too.
_LANGUAGES = """
bash c c++ cpp css diff docker dockerfile go golang haskell html ini java javascript
js json jsx julia kotlin latex lua php powershell py py3 python python3 r rb ruby
rs rust scala sh shell sql swift tex toml ts typescript xml yaml yml zsh
"""
LANGUAGES = frozenset(_LANGUAGES.split())

_CLASSES = {
    Token.Comment: "code-comment",
    Token.Keyword: "code-keyword",
    Token.Operator.Word: "code-keyword",
    Token.Name.Tag: "code-keyword",
    Token.Literal.String: "code-string",
    Token.Literal.Number: "code-number",
    Token.Name.Function: "code-name",
    Token.Name.Class: "code-name",
    Token.Name.Decorator: "code-name",
    Token.Name.Attribute: "code-name",
    Token.Generic.Heading: "code-name",
    Token.Generic.Inserted: "code-inserted",
    Token.Generic.Deleted: "code-deleted",
}
CLASSES = frozenset(_CLASSES.values())


def highlight(code: str, language: str) -> str:
    """`code` as escaped HTML, with spans of CLASSES where the language is one of LANGUAGES."""
    name = language.lower()
    if name not in LANGUAGES or len(code) > MAX_CODE or _SLOW.search(code):
        return escape(code)
    lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    marked = _spans(lexer, code)
    return escape(code) if marked is None else marked


def _spans(lexer: Lexer, code: str) -> str | None:
    """The marked code, or None where the lexer did not give back exactly what it was given."""
    pieces = [(_class_of(kind), value) for kind, value in lexer.get_tokens(code)]
    if "".join(value for _, value in pieces) != code:
        return None
    return "".join(
        f'<span class="{name}">{escape(value)}</span>' if name else escape(value)
        for name, value in pieces
    )


def _class_of(kind: _TokenType) -> str | None:
    return next((_CLASSES[k] for k in reversed(kind.split()) if k in _CLASSES), None)

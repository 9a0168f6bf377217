"""Characters that a reader cannot see, given a shape.

Terminal escapes, other control codes and bidirectional overrides can hide or reorder what a
model wrote. They are shown, never removed and never interpreted.
"""

_C0 = {code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n"}
_C1 = {code: f"‹U+{code:04X}›" for code in range(0x80, 0xA0)}
# A lone surrogate cannot be written as UTF-8, so it would stop the page it stands on.
_SURROGATES = {code: f"‹U+{code:04X}›" for code in range(0xD800, 0xE000)}
_OVERRIDES = {
    0x202A: "‹LRE›",
    0x202B: "‹RLE›",
    0x202C: "‹PDF›",
    0x202D: "‹LRO›",
    0x202E: "‹RLO›",
    0x2066: "‹LRI›",
    0x2067: "‹RLI›",
    0x2068: "‹FSI›",
    0x2069: "‹PDI›",
}
# Marks are part of correct Arabic and Hebrew and cannot reorder more than their neighbours:
# they show only where the text is shown verbatim.
_MARKS = {0x061C: "‹ALM›", 0x200E: "‹LRM›", 0x200F: "‹RLM›"}

_SHOWN = {**_C0, 0x7F: "␡", **_C1, **_SURROGATES, **_OVERRIDES}
_SHOWN_VERBATIM = {**_SHOWN, **_MARKS}


def show_controls(text: str, *, marks: bool = False) -> str:
    """`text` with each control character replaced by its visible symbol (U+001B → ␛).

    Tab and newline stay; CR LF counts as one newline, a lone CR as ␍ and a newline, because it
    would overwrite its line on a terminal. Directional marks (LRM, RLM, ALM) stay unless `marks`.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "␍\n")
    return lines.translate(_SHOWN_VERBATIM if marks else _SHOWN)

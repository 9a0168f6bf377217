"""TeX → SVG that is safe to put into a page.

ziamath draws; what it drew is not passed on but copied shape by shape: known elements, numbers
where numbers belong, and no colour but the text's own. Nothing of the TeX reaches the page
except as the escaped accessible name.
"""

import re
from html import escape
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from ziamath.zmath import Math

MAX_TEX = 2_000
# ziamath builds every child of a row twice, so its work doubles with each row inside a row.
# Work is counted in nodes and letters built (at most 0.2 ms each) before it is begun.
MAX_WORK = 3_000
MAX_EM = 200

_FONT_SIZE = 24.0
_ROWS = {
    *("math", "mrow", "mtd", "mtr", "msqrt", "mroot"),
    *("menclose", "merror", "mfenced", "mpadded", "mphantom"),
}
_DEFINES = re.compile(r"\\(?:def|edef|gdef|let|newcommand|renewcommand|newenvironment|Declare)")
_COLOUR = re.compile(r"\\(?:text)?color\s*\{[^{}]*\}")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}\\]*)\}")
_PATH = re.compile(r"[MLHVCSQTAZ0-9 ,.+-]*")
_NUMBER = re.compile(r"-?\d{1,7}(?:\.\d{1,6})?")
_SHAPES = {
    "path": (),
    "rect": ("x", "y", "width", "height", "rx"),
    "ellipse": ("cx", "cy", "rx", "ry"),
}


class NotDrawn(ValueError):
    """The formula cannot be drawn; the reader gets its source."""


def draw(tex: str, *, display: bool) -> tuple[str, int]:
    """The formula as an `<svg class="formula" role="img">`, and the work it took.

    The SVG is as tall below the maths axis as above it, so that `vertical-align: middle` sets it
    on the line without an inline style. Raises NotDrawn for TeX that is wrong, too long, too deep,
    defines macros, or uses characters the maths font lacks.
    """
    name = " ".join(tex.split())
    mathml, work = _mathml(tex, display=display)
    return _svg(_drawing(mathml), name), work


def _mathml(tex: str, *, display: bool) -> tuple[str, int]:
    if len(tex) > MAX_TEX or _DEFINES.search(tex):
        raise NotDrawn
    from ziamath.tex import tex2mml  # 0.25 s to import, and most texts have no formula

    # The tag of an equation would go through a counter that all formulas share.
    plain = _TAG.sub(r"\\qquad\\text{(\1)}", _COLOUR.sub("", tex))
    if r"\tag" in plain:
        raise NotDrawn
    try:
        mathml = str(tex2mml(plain, inline=not display))
        root = ET.fromstring(mathml)  # noqa: S314 (no document type can stand inside it)
    except _refusals() as refusal:
        raise NotDrawn from refusal
    work = _work(root)
    if work > MAX_WORK or not _has_glyphs(root):
        raise NotDrawn
    return mathml, work


def _work(element: ET.Element, factor: int = 1) -> int:
    """Nodes and letters that ziamath will build for this element."""
    if factor > MAX_WORK:
        return factor
    own = factor * (1 + len(element.text or ""))
    inner = factor * 2 if element.tag.rpartition("}")[2] in _ROWS else factor
    return own + sum(_work(child, inner) for child in element)


def _has_glyphs(root: ET.Element) -> bool:
    from ziamath.zmath import loadedfonts

    font = loadedfonts["default"]
    characters = {c for text in root.itertext() for c in text if not c.isspace()}
    return all(font.glyphindex(c) for c in characters)


def _drawing(mathml: str) -> "Math":
    from ziamath.config import config
    from ziamath.zmath import Math

    # Symbols would need ids, which repeat across formulas and across panes.
    config.svg2 = False
    config.precision = 2
    try:
        return Math(mathml, size=_FONT_SIZE)
    except _refusals() as refusal:
        raise NotDrawn from refusal


def _refusals() -> tuple[type[Exception], ...]:
    """What ziamath and latex2mathml raise on wrong TeX: their own, and whatever they trip over."""
    from latex2mathml import exceptions

    own = [kind for kind in vars(exceptions).values() if isinstance(kind, type)]
    return (
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        NotImplementedError,
        RecursionError,
        RuntimeError,
        StopIteration,
        SyntaxError,
        TypeError,
        ValueError,
        *own,
    )


def _svg(drawing: "Math", name: str) -> str:
    try:
        drawn = drawing.svgxml()
    except _refusals() as refusal:
        raise NotDrawn from refusal
    box = drawing.node.bbox
    axis = drawing.node.units_to_points(drawing.font.math.consts.axisHeight)
    half = max(box.ymax - axis, axis - box.ymin) + drawing.margin
    left, width = box.xmin - drawing.margin, box.xmax - box.xmin + 2 * drawing.margin
    if not (0 < width <= MAX_EM * _FONT_SIZE and 0 < half <= MAX_EM * _FONT_SIZE):
        raise NotDrawn
    shapes = "".join(_shape(element) for element in drawn)
    return (
        f'<svg class="formula" role="img" aria-label="{escape(name)}"'
        f' width="{width / _FONT_SIZE:.3f}em" height="{2 * half / _FONT_SIZE:.3f}em"'
        f' viewBox="{left:.2f} {-axis - half:.2f} {width:.2f} {2 * half:.2f}"'
        f' fill="currentColor">{shapes}</svg>'
    )


def _shape(element: ET.Element) -> str:
    if element.tag not in _SHAPES:
        raise NotDrawn
    fill = element.get("fill", "none" if "stroke" in element.attrib else "black")
    if element.tag != "path" and fill not in ("none", "black"):
        return ""  # a coloured ground would hide the formula
    attributes = [
        (key, _number(element, key)) for key in _SHAPES[element.tag] if key in element.attrib
    ]
    if element.tag == "path":
        attributes.append(("d", _path(element.get("d", ""))))
    if fill == "none":
        attributes.append(("fill", "none"))
    if "stroke-width" in element.attrib:
        attributes += [
            ("stroke", "currentColor"),
            ("stroke-width", _number(element, "stroke-width")),
        ]
    return f"<{element.tag} " + " ".join(f'{key}="{value}"' for key, value in attributes) + "/>"


def _number(element: ET.Element, key: str) -> str:
    value = element.get(key, "")
    if not _NUMBER.fullmatch(value):
        raise NotDrawn
    return value


def _path(value: str) -> str:
    if not _PATH.fullmatch(value):
        raise NotDrawn
    return value.strip()

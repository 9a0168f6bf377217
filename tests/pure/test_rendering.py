"""Text → safe HTML. Cases RE-01, RE-03 and RE-05 of the field cases, as far as they are pure."""

import re
import time
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotate.rendering.characters import show_controls
from annotate.rendering.highlighting import CLASSES, LANGUAGES, highlight
from annotate.rendering.mathematics import MAX_TEX, NotDrawn, draw
from annotate.rendering.safe_html import (
    MAX_CHARACTERS,
    RENDERER_VERSION,
    cache_key,
    render,
    source,
    word_count,
)

# Written out here on purpose, not taken from the code under test.
BLOCKS = {"blockquote", "h3", "h4", "h5", "h6", "ol", "p", "table", "ul"}
ALLOWED: dict[str, set[str]] = {
    **{tag: {"dir"} for tag in BLOCKS},
    **{tag: set() for tag in ("br", "em", "hr", "li", "s", "strong", "tbody", "thead", "tr")},
    "ol": {"dir", "start"},
    "a": {"class", "href", "target", "rel"},
    "code": {"class"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "ellipse": {"cx", "cy", "rx", "ry", "fill", "stroke", "stroke-width"},
    "path": {"d", "fill", "stroke", "stroke-width"},
    "pre": {"class", "tabindex", "dir"},
    "rect": {"x", "y", "width", "height", "rx", "fill", "stroke", "stroke-width"},
    "span": {"class"},
    "svg": {"class", "role", "aria-label", "width", "height", "viewbox", "fill"},
    "td": {"class"},
    "th": {"class"},
}
VALUES = {
    "class": {
        *("align-center", "align-right", "code", "formula", "formula-block", "formula-source"),
        *("image-off", "image-alt", "image-address", "image-load", "source", "table-scroll"),
        *CLASSES,
    },
    "dir": {"auto", "ltr"},
    "fill": {"currentColor", "none"},
    "rel": {"noopener noreferrer nofollow"},
    "role": {"img", "region"},
    "stroke": {"currentColor"},
    "tabindex": {"0"},
    "target": {"_blank"},
}
VOID = {"br", "hr"}


class Page(HTMLParser):
    """The parsed page: its elements with attributes, its text, the texts of each element kind."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.inside: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.inside.extend((tag, data) for tag in {"", *self.open})

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def text(self, tag: str = "") -> str:
        return "".join(data for name, data in self.inside if name == tag)

    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    def formulas(self) -> list[str]:
        return [a["aria-label"] for tag, a in self.elements if tag == "svg"]


def safe(html: str) -> Page:
    """The page, having checked that nothing in it can run, fetch, or escape its box."""
    page = Page(html)
    assert page.open == []
    for tag, attributes in page.elements:
        assert tag in ALLOWED, tag
        assert set(attributes) <= ALLOWED[tag], (tag, attributes)
        for key, value in attributes.items():
            assert value in VALUES.get(key, {value}), (tag, key, value)
        if tag == "a" and "href" in attributes:
            assert re.match(r"(?i)(https?://|mailto:)", attributes["href"])
            assert attributes["rel"] == "noopener noreferrer nofollow"
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    return page


RE_01 = [
    "<img src=x onerror=probe()>",
    '<iframe srcdoc="<script>probe()</script>"></iframe>',
    "[more](javascript:probe())",
    "[x](data:text/html,probe)",
    "<svg/onload=probe()>",
    "![t](https://example.invalid/p.png?u=1)",
    '<a href="https://example.invalid" style="position:fixed;inset:0">x</a>',
]


@pytest.mark.parametrize("text", RE_01)
def test_re_01_nothing_that_can_run_or_fetch_survives(text: str) -> None:
    page = safe(render(text))
    assert not {"img", "iframe", "script"} & set(page.tags())
    # A picture may be asked for by a press, and by nothing else.
    assert [a["class"] for tag, a in page.elements if tag == "a"] == (
        ["image-load"] if text.startswith("!") else []
    )
    assert "svg" not in page.tags()
    assert safe(source(text)).text() == "\n" + text


@pytest.mark.parametrize("text", [t for t in RE_01 if not t.startswith("!")])
def test_re_01_what_is_refused_is_shown_as_written(text: str) -> None:
    assert safe(render(text)).text("p") == text


def test_re_01_an_image_becomes_its_alt_text_its_address_and_a_link_that_loads_it() -> None:
    address = "https://example.invalid/p.png?u=1&v=2"
    page = safe(render(f"![a *chart*]({address})"))
    assert page.text("p") == f"a *chart* Load the image from example.invalid {address}"
    assert ("span", {"class": "image-off"}) in page.elements
    assert loads(page) == [address]


def loads(page: Page) -> list[str]:
    return [a["href"] for tag, a in page.elements if a.get("class") == "image-load"]


@pytest.mark.parametrize(
    "address", ["http://example.invalid/p.png", "https:///p.png", "https://[::1/p", "mailto:a@b.c"]
)
def test_re_01_only_a_picture_from_an_https_host_can_be_loaded(address: str) -> None:
    page = safe(render(f"![a]({address})"))
    assert "a" not in page.tags()
    assert page.text("p").startswith("a ")


def test_re_01_the_link_names_the_host_that_would_be_asked() -> None:
    page = safe(render("![a](https://example.org@evil.invalid:8080/p.png)"))
    assert page.text("a") == "Load the image from evil.invalid"


def test_a_picture_within_a_link_is_loaded_from_beside_it() -> None:
    page = safe(render("[![a](https://example.invalid/p.png) b](https://example.org) c"))
    assert [a["href"] for tag, a in page.elements if tag == "a"] == [
        "https://example.org",
        "https://example.invalid/p.png",
    ]
    assert loads(page) == ["https://example.invalid/p.png"]
    # A browser would close the link where another begins.
    assert page.text("a") == "a https://example.invalid/p.png bLoad the image from example.invalid"


ADDRESSES = """
javascript:x JaVaScRiPt:x &#106;avascript:x vbscript:x data:image/png;base64,AA file:///etc/passwd
//example.invalid /admin/ #top page.html
"""


@pytest.mark.parametrize("address", [*ADDRESSES.split(), "java\nscript:x"])
def test_only_web_and_mail_addresses_become_links(address: str) -> None:
    for written in (
        f"[a]({address})",
        f"![a]({address})",
        f"<{address}>",
        f"[a]\n\n[a]: {address}",
    ):
        page = safe(render(written))
        assert "a" not in page.tags()
        assert "span" not in page.tags()


def test_a_link_opens_beside_the_page_and_tells_the_other_site_nothing() -> None:
    page = safe(render('[a](https://example.org/?q=1&r="2" "title") <mailto:a@example.org>'))
    links = [attributes for tag, attributes in page.elements if tag == "a"]
    rel = "noopener noreferrer nofollow"
    assert links == [
        {"href": "https://example.org/?q=1&r=%222%22", "target": "_blank", "rel": rel},
        {"href": "mailto:a@example.org", "target": "_blank", "rel": rel},
    ]


RE_03 = (
    "Price rose from $5 to $7 (a 40% gain). With $a_1 + b_2 = c_3$ and "
    r"$$x_{n+1} = x_n * r * (1 - x_n)$$ and \(f_*=g_*\). Also \$3."
)


def test_re_03_formulas_and_amounts_are_told_apart() -> None:
    page = safe(render(RE_03))
    assert page.formulas() == ["a_1 + b_2 = c_3", "x_{n+1} = x_n * r * (1 - x_n)", "f_*=g_*"]
    assert "$5 to $7 (a 40% gain)" in page.text()
    assert page.text().endswith("Also $3.\n")
    assert "em" not in page.tags()


def test_re_03_a_bad_formula_is_shown_as_source_and_the_rest_renders() -> None:
    page = safe(render(r"**Before** \( \frac{ a_1 * b_1 * c \) and $$\def\x{y}$$ and $y$ *after*"))
    assert page.text("code") == r"\( \frac{ a_1 * b_1 * c \)$$\def\x{y}$$"
    assert page.formulas() == ["y"]
    assert page.text("strong") == "Before"
    assert page.text("em") == "after"


@pytest.mark.parametrize(
    "text",
    [
        "from $5-$7 a day",
        "US$300 and A$400",
        "$5 for one, or 7$ for two",
        "$HOME and $PATH",
        "$ x $",
        "$$",
        "$$ $$",
        r"\$x\$",
        "it costs 5$ or 6$",
        r"\(\) \[ \]",
    ],
)
def test_a_dollar_that_is_no_formula_stays_text(text: str) -> None:
    page = safe(render(text))
    assert page.formulas() == []
    assert "code" not in page.tags()


@pytest.mark.parametrize("text", ["`$x$`", "```\n$x$\n$$\ny\n$$\n```", "    $$x$$", "[a `$x$`](/)"])
def test_code_holds_no_formulas(text: str) -> None:
    page = safe(render(text))
    assert page.formulas() == []
    assert "$x$" in page.text("code")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("$$\na\n- b\n= c\n$$", "a - b = c"),
        ("Thus\n\\[\n# x\n\\]\nand on", "# x"),
        ("- item\n\n  $$\n  x\n  - y\n  $$\n- next", "x - y"),
        ("> $$\n> x\n> $$", "x"),
        ("| a |\n|---|\n| $x_1 * y_1 * z$ |", "x_1 * y_1 * z"),
        ("**$x$**", "x"),
        (r"$x\$y$", r"x\$y"),
        (r"\(a\\)b\)", r"a\\)b"),
        ("$x$th", "x"),
        (r"$2 \times 3$", r"2 \times 3"),
        ("$3x + 5y$", "3x + 5y"),
    ],
)
def test_formulas_are_found_where_people_write_them(text: str, formula: str) -> None:
    page = safe(render(text))
    assert len([t for t in page.tags() if t == "svg"]) + page.text("code").count("#") == 1
    assert formula in " ".join([*page.formulas(), *page.text("code").split()])


def test_an_unclosed_block_formula_does_not_swallow_what_follows() -> None:
    page = safe(render("- $$a\n- b\n\nnext $$ and *on*"))
    assert page.text("em") == "on"
    assert page.formulas() == []


def test_a_formula_draws_in_the_colour_of_its_text_and_says_its_source() -> None:
    svg, _ = draw(r"\color{red}\textcolor{blue}{x} < \boxed{y}", display=False)
    page = safe(svg)
    assert page.elements[0][1]["fill"] == "currentColor"
    assert page.elements[0][1]["aria-label"] == r"\color{red}\textcolor{blue}{x} < \boxed{y}"
    assert not re.search("red|blue|black", re.sub('aria-label="[^"]*"', "", svg))


@pytest.mark.parametrize(
    "tex",
    [
        "",
        " ",
        r"\frac{",
        r"\text{<img src=x onerror=p()>}",
        r"\text{速度}",
        r"\def\x{\x\x}\x",
        r"\newcommand{\a}{x}\a",
        r"\tag{\frac{}",
        r"\hspace{99999em}x",
        "x" * (MAX_TEX + 1),
        r"\sqrt{" * 30 + "x" + "}" * 30,
        r"\phantom{" * 9 + "x" + "}" * 9,
        r"\sqrt" * 300 + " x",
        "{" * 900 + "}" * 900,
    ],
)
def test_a_formula_that_cannot_be_drawn_is_refused_quickly(tex: str) -> None:
    draw("x", display=False)  # the first import is slow
    started = time.perf_counter()
    with pytest.raises(NotDrawn):
        draw(tex, display=True)
    assert time.perf_counter() - started < 1


def test_an_equation_number_is_drawn_and_depends_on_nothing_before_it() -> None:
    once = draw(r"x \tag{1}", display=True)
    with pytest.raises(NotDrawn):
        draw(r"x \tag{\frac{}", display=True)
    assert draw(r"x \tag{1}", display=True) == once


TEX = r"""
\frac \sqrt { } [ ] ^ _ & \\ \left( \right) x 1 + - < > \text{ \begin{matrix} \end{matrix} \hline
\begin{cases} \end{cases} \hat \sum \int \mathbb{R} \color{red} \tag{1} \hspace{1em} ' \prime \atop
\rule{1em}{1em} \not \substack{ \overset \underbrace{ \operatorname \phantom{ \colorbox{red}{ \over
\cancel{ \boxed{ \limits \nonumber \genfrac \binom \style{x:y} \class{"} \href{a} # % ~ " é \pmod
\big \middle| \xrightarrow \displaystyle \mathrm{ \skew
"""
TEX_PIECES = st.sampled_from(TEX.split())


@settings(deadline=None, max_examples=150)
@given(st.lists(TEX_PIECES, min_size=1, max_size=14).map(" ".join), st.booleans())
def test_any_tex_is_drawn_safely_or_refused(tex: str, display: bool) -> None:
    try:
        svg, _ = draw(tex, display=display)
    except NotDrawn:
        return
    safe(svg)


def test_too_many_formulas_are_shown_as_source() -> None:
    page = safe(render("$x$ " * 205))
    assert len(page.formulas()) == 200
    assert page.text("code") == "$x$" * 5


def test_re_05_a_run_without_a_blank_costs_little_and_keeps_its_end() -> None:
    text = "x" * 100_000 + " END"
    started = time.perf_counter()
    html = render(text)
    assert time.perf_counter() - started < 1
    assert html == f'<p dir="auto">{text}</p>\n'


def test_re_05_terminal_escapes_are_visible_symbols() -> None:
    text = "\x1b[31mred\x1b[0m text"
    assert safe(render(text)).text() == "␛[31mred␛[0m text\n"
    assert safe(source(text)).text() == "\n␛[31mred␛[0m text"
    assert safe(render(f"`{text}`")).text("code") == "␛[31mred␛[0m text"
    assert safe(render(f"```python\n{text}\n```")).text("code") == "␛[31mred␛[0m text\n"


def test_every_control_character_is_shown_and_none_is_removed() -> None:
    controls = [chr(c) for c in (*range(32), *range(0x7F, 0xA0), 0xD800, 0xDFFF)]
    shown = {c: show_controls(c) for c in controls if c not in "\t\n"}
    assert shown["\0"] == "␀"
    assert shown["\x7f"] == "␡"
    assert shown["\x9b"] == "‹U+009B›"
    assert shown["\r"] == "␍\n"
    assert len(set(shown.values())) == len(shown)
    assert show_controls("a\r\nb\tc\n") == "a\nb\tc\n"


@pytest.mark.parametrize("written", ["\u202e", "&#x202E;", "&#8238;"])
def test_an_override_is_visible_however_it_is_written(written: str) -> None:
    assert "‹RLO›abc" in safe(render(f"{written}abc")).text()


def test_an_address_cannot_bring_in_control_characters() -> None:
    safe(render("<https://example.org/%E2%80%AE%02%1B%00>"))


def test_right_to_left_text_takes_its_own_direction_and_keeps_its_marks() -> None:
    text = "שלום\u200f!\n\n- אחת\n\n| א |\n|---|\n| ב |\n\nEnglish"
    page = safe(render(text))
    directed = [tag for tag, attributes in page.elements if attributes.get("dir") == "auto"]
    assert directed == ["p", "ul", "table", "p"]
    assert "שלום\u200f!" in page.text()
    assert "שלום‹RLM›!" in safe(source(text)).text()


def test_the_texts_headings_stay_below_those_of_the_page() -> None:
    page = safe(render("\n".join(f"{'#' * n} {n}" for n in range(1, 7)) + "\n\nunder\n=====\n"))
    assert page.tags() == ["h3", "h4", "h5", "h6", "h6", "h6", "h3"]


def test_a_table_stands_in_its_own_scroll_box() -> None:
    page = safe(render("| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |"))
    box = {"class": "table-scroll", "tabindex": "0", "role": "region", "aria-label": "table"}
    assert page.elements[0] == ("div", box)
    cells = [attributes.get("class") for tag, attributes in page.elements if tag == "td"]
    assert cells == [None, "align-center", "align-right"]


def test_code_stands_in_its_own_scroll_box_and_is_coloured_by_class() -> None:
    page = safe(render('```python\ndef f(x):\n    return "<b>"  # why\n```'))
    assert page.elements[0] == ("pre", {"class": "code", "tabindex": "0", "dir": "ltr"})
    assert page.text("code") == 'def f(x):\n    return "<b>"  # why\n'
    assert ("span", {"class": "code-keyword"}) in page.elements


@pytest.mark.parametrize("info", ["", "nosuch", "python {.onload}", '"><script>', "PYTHON"])
def test_code_in_any_language_is_kept_to_the_letter(info: str) -> None:
    assert safe(render(f"```{info}\n\n\n x<1 \n\n```")).text("code") == "\n\n x<1 \n\n"


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60), st.sampled_from(sorted(LANGUAGES)))
def test_highlighting_changes_no_character(code: str, language: str) -> None:
    assert Page(f"<pre>{highlight(code, language)}</pre>").text() == code


def test_emphasis_nested_lists_quotes_and_line_breaks() -> None:
    html = render("> *a* **b** ~~c~~\n> d\n\n3. x\n   - y\n     - z")
    assert html == (
        '<blockquote dir="auto">\n<p><em>a</em> <strong>b</strong> <s>c</s><br>\nd</p>\n'
        '</blockquote>\n<ol start="3" dir="auto">\n<li>x\n<ul>\n<li>y\n<ul>\n<li>z</li>\n</ul>\n'
        "</li>\n</ul>\n</li>\n</ol>\n"
    )


@pytest.mark.parametrize("depth", [1, 5, 10, 20, 24, 25, 30, 48, 49, 50, 51, 60, 500])
@pytest.mark.parametrize("mark", ["> ", "1. ", "* + ", "> - ", "**", "*a ", "["])
def test_no_text_is_left_out_however_deep_it_is_nested(mark: str, depth: int) -> None:
    closing = {"**": "**", "*a ": " a*", "[": "](https://example.org)"}.get(mark, "")
    assert "needle" in safe(render(mark * depth + "needle" + closing * depth)).text()


HOSTILE = {
    "brackets": "[" * 10_000,
    "many brackets": "[" * 100_000,
    "images": "![" * 10_000,
    "quotes": ">" * 10_000,
    "lists": "\n".join("  " * (n % 200) + "- a" for n in range(5_000)),
    "one line of lists": "* + " * 2_500 + "a",
    "emphasis": "*a_" * 50_000,
    "deep emphasis": "*a " * 5_000 + " a*" * 5_000,
    "links": "[a](" * 10_000,
    "dollars": "$" * 100_000,
    "unclosed display": r"\[a" * 20_000,
    "unclosed display lines": "\\[a\n" * 10_000,
    "unclosed formulas": r"\(" * 50_000,
    "unclosed in lists": "- $$a\n" * 5_000,
    "escaped dollars": "$" + r"\$" * 50_000,
    "backslashes": "$" + "\\" * 100_000 + "$",
    "wide table": "|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + "|\n" * 2_000,
    "long table": "|a|b|\n|-|-|\n" + "|x|y|\n" * 5_000,
    "backticks": "".join("`" * n + " " for n in range(1, 400)),
    "angles": "<a " * 30_000,
    "escapes": "\x1b[31m" * 10_000,
    "deep formulas": r"$\sqrt{\frac{1}{\sqrt{x^{2}}}}$ " * 500,
    "blank lines of code": "```c\n" + "\n " * 10_000 + "\n```",
    "code without a break": "```java\n" + "a." * 10_000 + "\n```",
    "too long": "<" * (MAX_CHARACTERS + 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markdown_takes_bounded_time(name: str) -> None:
    # Generous for a busy machine: each takes well under 2 s alone, and minutes if it is quadratic.
    started = time.perf_counter()
    html = render(HOSTILE[name])
    assert time.perf_counter() - started < 10
    assert html


def test_a_text_too_long_or_too_deep_is_shown_as_source() -> None:
    for text in ("a" * (MAX_CHARACTERS + 1), "> " * 400 + "a", "[" * 100_000):
        assert render(text) == source(text)


@pytest.mark.parametrize("text", ["\n\na", " a ", "<b>&amp;</b>", "a\tb\n", ""])
def test_source_is_verbatim(text: str) -> None:
    # A parser drops the newline that follows <pre>; this one keeps it.
    assert safe(source(text)).text() == "\n" + text


PIECES = st.sampled_from(
    [
        *RE_01,
        *(
            "<",
            ">",
            '"',
            "'",
            "&",
            "`",
            "```",
            "~~~",
            "\n",
            "\n\n",
            "    ",
            "- ",
            "1. ",
            "> ",
            "# ",
        ),
        *("|", "|-|", "[", "](", ")", "![", "[a]: ", "*", "_", "~~", "$", "$$", "\\", r"\(", r"\)"),
        *(r"\[", r"\]", "<var>0</var>", "&lt;", "&#0;", "&#x1b;", "&Tab;", "\x00", "\x1b", "\r"),
        *("\u202e", "\u200f", "\ud800", "\ufeff", "\u2028", "javascript:", "https://a.b/", "<!--"),
        *(
            "-->",
            "<![CDATA[",
            "<?",
            "<style>",
            "</pre>",
            "</p>",
            "onload=",
            "x_1^2",
            "é",
            "א",
            "👍",
        ),
        *('class="code"', "id=x", "data:text/html,", "%00", "\t", "```html\n", "\\frac{1}{2}"),
    ]
)
HOSTILE_TEXT = st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join)


@settings(deadline=None, max_examples=400)
@given(HOSTILE_TEXT)
@example("<var>0</var> $x$")
@example('```"><img src=x>\n```')
def test_any_text_renders_to_allowed_elements_only(text: str) -> None:
    html = render(text)
    safe(html)
    assert render(text) == html
    safe(source(text))
    assert len(cache_key(text)) == 64


@settings(deadline=None, max_examples=200)
@given(st.text())
def test_rendering_never_fails(text: str) -> None:
    safe(render(text))
    safe(source(text))
    word_count(text)


def test_a_text_cannot_take_the_place_kept_for_a_formula() -> None:
    page = safe(render("<var>0</var> and $x$"))
    assert page.formulas() == ["x"]
    assert page.text() == "<var>0</var> and \n"


def test_the_cache_key_names_the_text_and_the_version() -> None:
    assert cache_key("a") == sha256(f"{RENDERER_VERSION}\na".encode()).hexdigest()
    assert cache_key("a") != cache_key("b")


SAMPLE = (
    f"# Sample\n\n{RE_03}\n\n| a | b |\n|--:|:-:|\n| 1 | `2` |\n\n```python\nx = 'y'  # z\n```\n"
    "- *a*\n  1. ~~b~~\n> c\n\n![i](https://example.org/i.png) <https://example.org> \x1b[0m\n"
)
# Version → digest of the rendered sample. When this fails, raise RENDERER_VERSION and add a line.
DIGESTS = {
    1: "f03427767730734d194ee9d093df92f8b618a031df3eecd92b6d9f4d8ea42765",
    2: "308324226e47e1ba76d355add2639eb9079873ae3cd2987daf0836b794b05254",
}


def test_a_changed_rendering_has_a_new_version() -> None:
    assert sha256(render(SAMPLE).encode()).hexdigest() == DIGESTS[RENDERER_VERSION]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("one two", 2), ("don't re-use 3.5", 3), ("- a\n| b |", 2), ("你好 world", 3)],
)
def test_words_are_counted_as_a_reader_counts_them(text: str, words: int) -> None:
    assert word_count(text) == words

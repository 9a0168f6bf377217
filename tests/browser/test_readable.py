"""The readable text as the server counts it is what a browser reads, mark or no mark."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from annotate.rendering import render, source
from annotate.rendering.readable import Mark, readable, with_marks
from tests.pure.test_readable import SAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Page

# What Markdown, HTML and mathematics take notice of, and what computers trip over.
PIECES = [
    *(
        "*",
        "**",
        "_",
        "`",
        "```\n",
        "~~",
        "$",
        "$$",
        "$x_1$",
        "\\(y\\)",
        "|",
        "| a | b |\n|--|--|\n",
    ),
    *("# ", "## ", "- ", "1. ", "> ", "    ", "\n", "\n\n", "  \n", "---\n", "\t", "[", "](", ")"),
    *("[link](https://example.invalid/a?b=1&c=2)", "![image](https://example.invalid/p.png)"),
    *("<", ">", "&", "&amp;", "&lt;", "&#x1F600;", "&nbsp;", "&copy", "<b>", "</p>", "<pre>\n\n"),
    *("<script>probe()</script>", "<!-- no -->", '"', "'", "\\", "\r\n", "\r", "\0", "\x1b[31m"),
    *(
        "\u00a0",
        "\u200b",
        "\u202e",
        "\ufeff",
        "\u2028",
        "é",
        "e\u0301",
        "😀",
        "👩‍👩‍👧",
        "𝒳",
        "שלום",
        "مرحبا",
    ),
    *("word ", "Sentence. ", "漢字", "x" * 50, "```python\ndef f():\n  return '<a>'\n```\n"),
]

READ = """(htmls) => {
  const box = document.body.appendChild(document.createElement("div"));
  return htmls.map((html) => {
    box.innerHTML = html;
    for (const svg of box.querySelectorAll("svg")) svg.remove();
    return box.textContent;
  });
}"""


def texts() -> list[str]:
    fuzz = random.Random(7)
    mixed = ["".join(fuzz.choices(PIECES, k=fuzz.randrange(1, 30))) for _ in range(400)]
    long = "".join(fuzz.choices(PIECES, k=15_000))[:100_000]
    return [*SAMPLES.values(), *PIECES, *mixed, long, "x" * 100_000]


@pytest.fixture
def read(page: Page) -> Page:
    page.set_content("<!doctype html><title>reading</title><body>")
    return page


def test_the_browser_reads_what_the_server_counts(read: Page) -> None:
    given = texts()
    htmls = [*(render(text) for text in given), *(source(text) for text in given)]
    for html, found in zip(htmls, read.evaluate(READ, htmls), strict=True):
        assert readable(html) == found


def test_marks_change_nothing_of_what_the_browser_reads(read: Page) -> None:
    fuzz = random.Random(8)
    htmls = [render(text) for text in texts()]
    marked = []
    for html in htmls:
        end = max(1, len(readable(html)))
        places = [(fuzz.randrange(end), fuzz.randrange(1, 80)) for _ in range(6)]
        marked.append(
            with_marks(html, [Mark(at, at + size, f"C{n}") for n, (at, size) in enumerate(places)])
        )
    for html, found in zip(htmls, read.evaluate(READ, marked), strict=True):
        assert readable(html) == found

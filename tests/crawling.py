"""Pages as a browser would take them apart, and a crawl along their links by GET alone."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from django.http import FileResponse, HttpResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.test import Client

HERE = "http://testserver"
MOST = 400
# Made anew for every page, hence no trace of anything.
_TOKENS = (
    re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]+'),
    re.compile(r'("X-CSRFToken": ")[^"]+'),
    re.compile(r'(name="submit_key" value=")[^"]+'),
)


class Elements(HTMLParser):
    """Every start tag with its attributes, and the text within scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.inline: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if self.cdata_elem in ("script", "style") and data.strip():
            self.inline.append(data)

    def links(self) -> Iterator[str]:
        for tag, attributes in self.found:
            if tag == "a" and "href" in attributes:
                yield attributes["href"]


def html_of(response: object) -> str:
    assert isinstance(response, HttpResponse)
    return response.content.decode()


def without_tokens(html: str) -> str:
    for token in _TOKENS:
        html = token.sub(r"\1", html)
    return html


def crawl(client: Client, start: str = "/") -> dict[str, HttpResponse]:
    """Address → response of everything that links reach from `start`, redirects included."""
    seen: dict[str, HttpResponse] = {}
    waiting = [start]
    while waiting and len(seen) < MOST:
        address = waiting.pop()
        if address in seen:
            continue
        response = _whole(client.get(address))
        seen[address] = response
        for link in _onward(response):
            there = urlsplit(urljoin(HERE + address, urldefrag(link).url))
            if f"{there.scheme}://{there.netloc}" == HERE:
                waiting.append(there.path + (f"?{there.query}" if there.query else ""))
    return seen


def _whole(response: object) -> HttpResponse:
    """A download as the bytes that it brings; what is in them counts like what is on a page."""
    if not isinstance(response, FileResponse):
        assert isinstance(response, HttpResponse)
        return response
    content = b"".join(response.streaming_content)  # type: ignore[arg-type]  # of a file, not async
    return HttpResponse(content, status=response.status_code, headers=dict(response.items()))


def _onward(response: HttpResponse) -> list[str]:
    if "Location" in response:
        return [response["Location"]]
    if not response["Content-Type"].startswith("text/html"):
        return []
    return list(Elements(html_of(response)).links())

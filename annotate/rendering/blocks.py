"""Text laid down in blocks that end with a line, of which a browser lays out those in view
(`content-visibility` in static/css/label-reading.css)."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

BLOCK = 1_500  # characters, about


@dataclass
class Blocks:
    done: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    size: int = 0

    def text(self, text: str) -> None:
        for line in text.splitlines(keepends=True) if self.size + len(text) > BLOCK else [text]:
            self.put(escape(line))
            if self.size >= BLOCK and line.endswith("\n"):
                self.close()

    def put(self, html: str) -> None:
        """Markup of our own, with its text escaped."""
        self.open.append(html)
        self.size += len(html)

    def close(self) -> None:
        if self.open:
            self.done.append(f'<div class="block">{"".join(self.open)}</div>')
        self.open, self.size = [], 0

    def html(self) -> str:
        self.close()
        return "".join(self.done)

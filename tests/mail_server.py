"""A mail server on loopback that speaks as much SMTP as a client needs, and keeps what it took."""

from __future__ import annotations

import socketserver
import threading
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class MailServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.took: list[EmailMessage] = []
        # Addresses that it does not take mail for.
        self.refused: set[str] = set()
        super().__init__(("127.0.0.1", 0), _Conversation)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def to(self, address: str) -> list[EmailMessage]:
        return [message for message in self.took if message["To"] == address]


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 loopback")
        while line := self.rfile.readline():
            verb = line.strip().upper()
            if verb.startswith(b"QUIT"):
                return self._say("221 bye")
            if verb.startswith(b"RCPT") and self._is_refused(line):
                self._say("550 no such person")
            elif verb == b"DATA":
                self._take()
            else:
                self._say("250 ok")
        return None

    def _is_refused(self, line: bytes) -> bool:
        return any(address.encode() in line for address in self.server.refused)

    def _take(self) -> None:
        self._say("354 go on")
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        self.server.took.append(message_from_bytes(b"".join(lines), policy=policy.default))
        self._say("250 taken")

    def _say(self, answer: str) -> None:
        self.wfile.write(f"{answer}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()

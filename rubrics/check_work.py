"""How much work one check may be to one text, and what it comes to where that is not enough.

Pure: no Django, no I/O. Work is counted, not timed, so that a check comes to the same everywhere.
"""

from dataclasses import dataclass

# Instructions of the compiled patterns times bytes of the text: RE2 does no more for a search. Of
# 33 patterns that were timed the slowest did 279 million in a second of a processor, so that this
# much is 1.1 s; plain words are fifty times faster and more.
MAX_WORK = 300_000_000


class Undecided(Exception):
    """Code comes to no verdict on a text; the message says why."""


@dataclass
class Work:
    """What the patterns of one check may still cost on one text."""

    left: int = MAX_WORK

    def pay(self, program: int, size: int) -> None:
        """Before a search: instructions, and bytes to look at. Raises Undecided."""
        self.left -= program * max(size, 1)
        if self.left < 0:
            raise Undecided("takes too much work to search: use smaller repetitions")

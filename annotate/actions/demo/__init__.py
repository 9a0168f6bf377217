"""The demo project: read from fixtures/demo, loaded through the same actions as real work."""

from annotate.actions.demo.claims import FIXTURES, claims
from annotate.actions.demo.load import load_demo
from annotate.actions.demo.people import PEOPLE, SLUG
from annotate.actions.demo.truths import truth_of

__all__ = ["FIXTURES", "PEOPLE", "SLUG", "claims", "load_demo", "truth_of"]

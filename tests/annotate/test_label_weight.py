"""What the label page weighs, compressed: 85 KB at most without the texts."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from django.urls import reverse

from annotate.models import Part
from tests.ballots import first_of, make_label_round

if TYPE_CHECKING:
    from django.test import Client

    from projects.models import Project, User

DEMO = (Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "rubric.yaml").read_text()
MOST = 85_000
STATIC = re.compile(r'(?:<script src|<link rel="stylesheet" href)="/static/([^"]+)"')


def packed(content: bytes) -> int:
    return len(gzip.compress(content, compresslevel=6))


def test_the_label_page_weighs_85_kb_at_most(
    client: Client, project: Project, expert: User, other_expert: User
) -> None:
    batch = make_label_round(project, expert, other_expert, rubric=DEMO)
    Part.objects.update(text="Short.")
    client.force_login(expert)
    page = client.get(reverse("annotate:label_pair", args=[first_of(batch, expert).public_id]))
    weights = {"html": packed(page.content)}
    for name in STATIC.findall(page.content.decode()):
        found = finders.find(name)
        assert isinstance(found, str), name
        weights[name] = packed(Path(found).read_bytes())
    assert "js/label.js" in weights
    assert "css/label.css" in weights
    assert sum(weights.values()) <= MOST, weights

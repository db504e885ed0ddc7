"""The documents do not lie: their code runs, and the places they point to exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "page", ["README.md", "docs/getting_started.md", "docs/mixtures.md", "docs/plots.md"]
)
def test_the_code_of_a_page_runs(page):
    """Red when a block of the page raises; blocks share their names, as a reader would type them."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_map_of_the_papers_points_to_what_exists():
    """Red when a file or name in docs/papers.md is moved without moving its row."""
    text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
    places = re.findall(r"`([a-z_]+/[a-z_]+\.py)`\s+`(\w+)", text)
    assert len(places) >= 20
    for file, name in places:
        source = (ROOT / "src/setwise" / file).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b|^{name}\b.*=", source, flags=re.MULTILINE), (file, name)


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *sorted(p.name for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page):
    path = ROOT / page if (ROOT / page).exists() else ROOT / "docs" / page
    for target in re.findall(r"\]\(([^)#]+)", path.read_text(encoding="utf-8")):
        assert target.startswith("http") or (path.parent / target).exists(), target

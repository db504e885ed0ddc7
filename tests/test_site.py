"""The site has every page of the guide and an example in its gallery for what it promises; ``make docs`` builds it."""

import re
from pathlib import Path

import setwise
from docs.tools.drawings.chart import QUESTIONS
from docs.tools.drawings.every import FOLDER, drawings

DOCS = Path(__file__).parents[1] / "docs"


def test_every_page_can_be_reached_from_the_first():
    """Red if a page of docs/ is in no table of contents: add its name to docs/guide.md, start.md or theory.md."""
    listed, waiting = {"index"}, ["index"]
    while waiting:
        text = (DOCS / f"{waiting.pop()}.md").read_text(encoding="utf-8")
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, flags=re.DOTALL):
            for pattern in re.findall(r"^[a-z0-9_*]+$", block, flags=re.MULTILINE):
                found = {page.stem for page in DOCS.glob(f"{pattern}.md")} - listed
                listed |= found
                waiting += found
    assert {page.stem for page in DOCS.glob("*.md")} <= listed


def test_the_gallery_has_examples_with_a_title_and_a_picture():
    """Red if an example lacks the heading or the plot that the gallery shows."""
    examples = sorted((DOCS.parent / "examples").glob("plot_*.py"))
    assert len(examples) >= 20
    for example in examples:
        text = example.read_text(encoding="utf-8")
        assert re.match(r'"""\n(.+)\n=+\n', text), example.name
        assert "plt.show()" in text, example.name


def test_the_drawings_are_current():
    """Red if a drawing changes and its file does not: python -m docs.tools.drawings"""
    for name, svg in drawings().items():
        assert (FOLDER / f"{name}.svg").read_text(encoding="utf-8") == svg, name


def test_the_chart_of_choices_names_estimators_that_exist():
    """Red if an estimator of the chart is renamed or gone."""
    assert {answer for _, answer in QUESTIONS} <= set(setwise.__all__)

"""The site has every page of the guide and an example in its gallery for what it promises; ``make docs`` builds it."""

import ast
import re
import sys
import tomllib
from importlib import metadata
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


def test_the_site_installs_what_its_reference_imports():
    """Red if a fresh ``make docs`` would miss a package that a module of the library imports at its top."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras, waiting, asked = project["optional-dependencies"], ["docs"], set(project["dependencies"])
    while waiting:
        for requirement in extras[waiting.pop()]:
            own = re.fullmatch(r"setwise\[(.*)\]", requirement)
            waiting += own[1].split(",") if own else []
            asked |= set() if own else {requirement}
    named = {re.match(r"[\w-]+", requirement)[0] for requirement in asked}
    brought = {need for name in named for need in needs_of(name)}
    installed = {re.match(r"[\w-]+", need)[0].replace("-", "_") for need in named | brought} | {"sklearn"}
    imported = {
        name.split(".")[0]
        for path in Path(setwise.__file__).parent.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        for name in imported_names(node)
    }
    assert imported - sys.stdlib_module_names - {"setwise"} <= installed


def needs_of(package):
    """What a package brings with it; nothing if only the site needs it and it is not installed here."""
    try:
        return [need for need in metadata.requires(package) or [] if "extra" not in need]
    except metadata.PackageNotFoundError:
        return []


def imported_names(node):
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) else []

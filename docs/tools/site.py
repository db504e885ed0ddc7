"""What the site needs beyond its pages: the reference, a front door, ``llms.txt``, one style of plots."""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from docs.tools import try_page
from docs.tools.api_page import HOMES, Home, first_sentence, names_of

COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#000000"]
"""Okabe and Ito's colours, which people with any kind of colour vision can tell apart."""

LINKED = (nodes.reference, nodes.title, addnodes.pending_xref)
"""What holds a link already, or becomes an entry of a table of contents."""

SIZE = re.compile(r"\|(\w[^|]*?\w|\w)\|")
CITATION = re.compile(r" ?\[R[0-9a-f]+-\d+\]_")
DOOR = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/index.html">'


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_post_transform(InlineDrawings)
    app.add_post_transform(LinkNames)
    app.connect("config-inited", _write_reference)
    app.connect("autodoc-process-docstring", _escape_bars, priority=900)
    app.connect("autodoc-process-docstring", _leave_out_citations, priority=900)
    app.connect("build-finished", _finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class InlineDrawings(SphinxPostTransform):
    """Put the drawings into the pages themselves, so that their colours follow the theme of the site."""

    default_priority = 5

    def run(self, **options: Any) -> None:
        """Called by Sphinx for each page."""
        if self.app.builder.format != "html":
            return
        for image in list(self.document.findall(nodes.image)):
            if "docs/drawings/" in (uri := image["uri"]):
                html = "".join(_drawn(Path(self.app.srcdir) / uri))
                image.parent.replace(image, nodes.raw("", html, format="html"))


def _drawn(path: Path) -> Iterator[str]:
    """A drawing and, for phones, its narrow form if it has one; the style shows one of them."""
    narrow = path.with_stem(f"{path.stem}_narrow")
    forms = [(path, "wide"), (narrow, "narrow")] if narrow.exists() else [(path, "")]
    for form, width in forms:
        yield f'<div class="drawn {path.stem} {width}">{form.read_text(encoding="utf-8")}</div>'


class LinkNames(SphinxPostTransform):
    """A public name in backticks, also with its arguments, leads to its page of the reference."""

    default_priority = 6
    name = re.compile(r"(?P<module>setwise\.(?:\w+\.)*)?(?P<name>[A-Za-z_]\w+)(?P<call>\(.*\))?")

    def run(self, **options: Any) -> None:
        """Called by Sphinx for each page."""
        if self.app.builder.format != "html":
            return
        here = self.env.docname
        pages = _pages_of_names(self.env.get_domain("py").objects)
        for literal in list(self.document.findall(nodes.literal)):
            found = self.name.fullmatch(literal.astext())
            # A lower-case word alone may be a parameter or a command; with its module or a call it is a function.
            if not found or not (found["name"][0].isupper() or found["module"] or found["call"]):
                continue
            page, place = pages.get(found["name"], (here, ""))
            if page == here or any(isinstance(around, LINKED) for around in _ancestors(literal)):
                continue
            address = f"{self.app.builder.get_relative_uri(here, page)}#{place}"
            literal.replace_self(nodes.reference("", "", literal.deepcopy(), internal=True, refuri=address))


def _ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    while node := node.parent:
        yield node


def _pages_of_names(objects: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The page and the place on it of each public name."""
    found: dict[str, tuple[str, str]] = {}
    for home in HOMES:
        for name, _ in names_of(home):
            if entry := objects.get(f"{home.module}.{name}"):
                found.setdefault(name, (entry.docname, entry.node_id))
    return found


def use_style(gallery_conf: dict[str, Any], name: str) -> None:
    """Before each example of the gallery: the same readable style."""
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "figure.figsize": (7, 4),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.prop_cycle": plt.cycler(color=COLOURS),
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )


def _write_reference(app: Any, config: Any) -> None:
    """One page per section and, by autosummary, one page per name."""
    folder = Path(app.confdir) / "reference"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for home in HOMES:
        (folder / f"{_slug(home)}.rst").write_text("\n".join(_section(home)), encoding="utf-8")
    (folder / "index.rst").write_text("\n".join(_overview()), encoding="utf-8")


def _escape_bars(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Bars around a word, as in |y|, are sizes and absolute values here, never reST's substitutions."""
    for i, line in enumerate(lines):
        if "\\" not in line and not line.lstrip().startswith((">>>", "...", ".. math")):
            pieces = re.split(r"(``.*?``)", line)
            lines[i] = "".join(p if p.startswith("``") else SIZE.sub(r"\\|\1\\|", p) for p in pieces)


def _leave_out_citations(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """The summary also stands in tables, where numpydoc's long names of references would be noise."""
    start = next((i for i, line in enumerate(lines) if line), 0)
    end = lines.index("", start) if "" in lines[start:] else len(lines)
    lines[start:end] = [CITATION.sub("", line) for line in lines[start:end]]


def _slug(home: Home) -> str:
    return "_".join(home.title.lower().replace(",", "").split()[:4])


def _overview() -> Iterator[str]:
    """The first page of the reference: all names with what they are, section by section."""
    yield from ("API reference", "=" * 13, "", "Every public name, by the module to import it from.", "")
    yield from (".. toctree::", "   :hidden:", "", *(f"   {_slug(home)}" for home in HOMES), "")
    for home in HOMES:
        yield from (home.title, "-" * len(home.title), "", f"``{home.module}``", "", *_table(home))


def _section(home: Home) -> Iterator[str]:
    yield from (home.title, "=" * len(home.title), "", f"``{home.module}``", "")
    yield from _table(home, ("   :toctree: names",))


def _table(home: Home, options: tuple[str, ...] = ()) -> Iterator[str]:
    """Names with the first sentence of their docstrings."""
    yield from (
        f".. currentmodule:: {home.module}",
        "",
        ".. autosummary::",
        *options,
        "   :nosignatures:",
        "",
    )
    for name, value in names_of(home):
        if (inspect.isclass(value) or inspect.isfunction(value)) and _first_home(value) is home:
            yield f"   {name}"
    yield ""


def _first_home(value: Any) -> Home:
    """The first section that shows a name; it has its page there."""
    return next(home for home in HOMES if any(value is other for _, other in names_of(home)))


def _finish(app: Any, error: Exception | None) -> None:
    """A front door that leads to the first page, the page that runs a model, and ``llms.txt``, a list of all pages."""
    if error is None and app.builder.name == "html":
        out = Path(app.outdir)
        (out / "index.html").write_text(DOOR, encoding="utf-8")
        (out / "docs" / "try_page.html").write_text(try_page.page(), encoding="utf-8")
        (out / "llms.txt").write_text("\n".join(_pages(app)) + "\n", encoding="utf-8")


def _pages(app: Any) -> Iterator[str]:
    yield "# setwise\n\n> Multi-label classification that predicts whole label sets from their joint distribution.\n"
    for page in sorted(app.env.found_docs):
        if "/reference/names/" not in page:
            yield f"- [{app.env.titles[page].astext()}]({page}.html)"
    yield "\n## Names\n"
    for home in HOMES:
        for name, value in names_of(home):
            yield f"- `{home.module}.{name}`: {first_sentence(inspect.getdoc(value) or '')}"

"""A report: one HTML file that needs nothing else, of tables and plots under headings."""

from __future__ import annotations

import base64
import html
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from setwise.atomic import replacing
from setwise.plotting import Display
from setwise.views import Table

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style></head><body>
<header><h1>{title}</h1>
<p>{subtitle}</p></header>
{sections}
<footer>{footer}</footer>
</body></html>
"""

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222 }
h1, h2, h3 { line-height: 1.2; overflow-wrap: anywhere } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc }
.wide { overflow-x: auto } summary { cursor: pointer; color: #0072b2 }
table { border-collapse: collapse; margin: .5rem 0 1rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .75rem; text-align: left; border-bottom: 1px solid #e4e4e4; vertical-align: top }
th { border-bottom: 2px solid #888; white-space: nowrap } .n { text-align: right; white-space: nowrap }
tbody tr:hover { background: #f4f7fa }
tr.better td:last-child { color: #00634a; font-weight: 600 } tr.level td:last-child { color: #00634a }
tr.worse td:last-child, tr.failed td:last-child { color: #a33b00; font-weight: 600 }
tr.not-built td, tr.no-data td { color: #767676 }
.body, .figures { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start }
.tables { max-width: 100% } .tables ul { max-width: 34rem } .figures { flex: 1 1 28rem; max-width: 100% }
figure { margin: 0; max-width: 100% } figure img { max-width: 100%; height: auto }
figcaption, footer { color: #5a5a5a; font-size: 13px; max-width: 40rem } footer { margin-top: 3rem }
"""


@dataclass(frozen=True)
class Figure:
    """A plot with a caption."""

    display: Display
    caption: str = ""

    def to_html(self) -> str:
        """The plot as an image inside the page; an image runs no script, whatever its text says."""
        data = base64.b64encode(self.display.to_svg().encode()).decode()
        caption = html.escape(self.caption)
        shown = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{data}">{shown}</figure>'


@dataclass(frozen=True)
class Section:
    """Tables, then plots side by side, under a heading."""

    title: str
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    text: str = ""

    def to_html(self, *, with_figures: bool = True) -> str:
        """The section as a part of a page."""
        parts = [f"<h2>{html.escape(self.title)}</h2>"] if self.title else []
        parts += [f"<p>{html.escape(self.text)}</p>"] if self.text else []
        body = _block("tables", [table.to_html() for table in self.tables])
        body += _block("figures", [figure.to_html() for figure in self.figures if with_figures])
        return "\n".join(["<section>", *parts, _block("body", [body]), "</section>"])


def _block(name: str, parts: list[str]) -> str:
    inside = "\n".join(parts)
    return f'<div class="{name}">{inside}</div>\n' if inside else ""


@dataclass(frozen=True)
class Report:
    """A page: what a command found, to be kept or passed on.

    The page is self-contained: nothing is fetched, and it has no scripts. Where matplotlib is not installed
    it has the tables alone and says so.

    Examples
    --------
    >>> report = Report("<script>", sections=[Section("", [Table("Scores", ["score"], [["<script>"]])])])
    >>> "<script>" in report.to_html()
    False
    """

    title: str
    subtitle: str = ""
    sections: Sequence[Section] = field(default_factory=list)

    def tables(self) -> list[Table]:
        """All tables, in order."""
        return [table for section in self.sections for table in section.tables]

    def to_html(self) -> str:
        """The page."""
        with_figures = find_spec("matplotlib") is not None
        note = "" if with_figures else " · the figures need matplotlib: pip install 'setwise[plot]'"
        sections = "\n".join(section.to_html(with_figures=with_figures) for section in self.sections)
        return PAGE.format(
            title=html.escape(self.title),
            subtitle=html.escape(self.subtitle),
            style=STYLE,
            sections=sections,
            footer=html.escape(provenance() + note),
        )

    def to_markdown(self) -> str:
        """The tables, with what they were made by, for a repository."""
        head = f"# {self.title}\n\n{self.subtitle}\n\n{provenance()}.\n"
        return "\n".join([head, *(table.to_markdown() for table in self.tables())])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which holds the whole page or what it held before."""
        page = self.to_html().encode()
        with replacing(path) as file:
            file.write(page)


def provenance() -> str:
    """The versions that made a report, and the day."""
    made_by = [
        f"{name} {version(name)}" for name in ("setwise", "numpy", "scipy", "scikit-learn") if _is_here(name)
    ]
    return ", ".join([*made_by, f"Python {platform.python_version()}", date.today().isoformat()])


def _is_here(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True

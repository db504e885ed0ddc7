"""A report: one HTML file that needs nothing else, of tables and plots under headings."""

from __future__ import annotations

import html
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, overload

from setwise.atomic import replacing
from setwise.printable import printable
from setwise.reports.script import SCRIPT, SCRIPT_DIGEST
from setwise.reports.section import Section
from setwise.views import Table
from setwise.views.frames import Library
from setwise.views.text import one_line

if TYPE_CHECKING:
    import pandas
    import polars

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'{script_source}">
<title>{title}</title>
<style>{style}</style></head><body>
<header><h1>{title}</h1>
<p>{subtitle}</p></header>
{contents}{sections}
<footer>{footer}</footer>
{script}</body></html>
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
th.s { cursor: pointer } input.q { margin: .5rem 0 0; padding: .2rem .5rem; font: inherit }
nav ul { columns: 16rem; padding-left: 1.2rem } nav a { color: #0072b2 }
figcaption, footer { color: #5a5a5a; font-size: 13px; max-width: 40rem } footer { margin-top: 3rem }
"""


SEARCHED_ROWS = 10
"""Tables with more rows can be searched and sorted."""
LISTED_SECTIONS = 4
"""Pages with at least this many headings have a list of contents."""


@dataclass(frozen=True, repr=False)
class Report:
    """A self-contained HTML page with the results of a command.

    Nothing is fetched. A page with long tables has one small script of ours, which searches and sorts them; the page
    allows no other. Without matplotlib it has only the tables, and says so. When printed, it shows its tables; a
    notebook shows the page.

    Parameters
    ----------
    title, subtitle : str
        Head of the page.
    sections : sequence of Section
        Tables and plots under headings.

    Examples
    --------
    >>> report = Report("Songs", "59 rows", [Section("Scores", [Table("", ["method", "score"], [["BR", "0.265"]])])])
    >>> report
    Songs
    59 rows
    <BLANKLINE>
    Scores
    method  score
    ------  -----
    BR      0.265
    >>> report.to_frame()["score"].tolist()
    [0.265]
    """

    title: str
    subtitle: str = ""
    sections: Sequence[Section] = field(default_factory=list)

    def __repr__(self) -> str:
        head = "\n".join(one_line(text, 200) for text in (self.title, self.subtitle) if text)
        return "\n\n".join([head, *map(str, self._headed_tables())])

    def _headed_tables(self) -> list[Table]:
        """All tables; one without a title has that of its section."""
        return [
            replace(table, title=table.title or section.title)
            for section in self.sections
            for table in section.tables
        ]

    def _repr_html_(self) -> str:
        # A frame separates the styles of the page and the notebook.
        page = html.escape(self.to_html())
        return f'<iframe srcdoc="{page}" sandbox style="width:100%;height:40rem;border:0"></iframe>'

    @overload
    def to_frame(self, table: int | str = ..., *, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
    @overload
    def to_frame(self, table: int | str = ..., *, library: Literal["polars"]) -> polars.DataFrame: ...
    def to_frame(
        self, table: int | str = 0, *, library: Library = "pandas"
    ) -> pandas.DataFrame | polars.DataFrame:
        """Put one of the tables in a data frame.

        Parameters
        ----------
        table : int or str
            Number of the table, or its title; a table without a title has that of its section.
        library : {"pandas", "polars"}
            Which kind of data frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Examples
        --------
        >>> report = Report("Songs", sections=[Section("Scores", [Table("", ["score"], [["0.265"]])])])
        >>> report.to_frame("Scores", library="polars").rows()
        [(0.265,)]
        """
        tables = self._headed_tables()
        if isinstance(table, str):
            titles = [each.title for each in tables]
            if table not in titles:
                raise ValueError(
                    f"no table is called {table!r}; the tables are {', '.join(map(repr, titles))}"
                )
            table = titles.index(table)
        elif not -len(tables) <= table < len(tables):
            raise ValueError(f"table is {table}; the report has {len(tables)}")
        return tables[table].to_frame(library)

    def tables(self) -> list[Table]:
        """List all tables, in order.

        Returns
        -------
        list of Table

        Examples
        --------
        >>> len(Report("Songs", sections=[Section("", [Table("", ["score"], [["0.265"]])])]).tables())
        1
        """
        return [table for section in self.sections for table in section.tables]

    def to_html(self) -> str:
        """Write the page.

        Returns
        -------
        str

        Examples
        --------
        >>> report = Report("<script>", sections=[Section("", [Table("Scores", ["score"], [["<script>"]])])])
        >>> "<script>" in report.to_html()
        False
        """
        with_figures = find_spec("matplotlib") is not None
        is_long = any(len(table.rows) > SEARCHED_ROWS for table in self.tables())
        note = "" if with_figures else " · the figures need matplotlib: pip install 'setwise[plot]'"
        sections = "\n".join(section.to_html(with_figures=with_figures) for section in self.sections)
        return PAGE.format(
            title=html.escape(self.title),
            subtitle=html.escape(self.subtitle),
            style=STYLE,
            script_source=f"; script-src 'sha256-{SCRIPT_DIGEST}'" if is_long else "",
            contents=_contents(self.sections),
            sections=sections,
            script=f'<script type="text/javascript">{SCRIPT}</script>\n' if is_long else "",
            footer=html.escape(provenance() + note),
        )

    def to_markdown(self) -> str:
        """Write the tables as Markdown, with the versions that made them.

        Returns
        -------
        str

        Examples
        --------
        >>> Report("Songs", "59 rows").to_markdown().splitlines()[0]
        '# Songs'
        """
        head = f"# {printable(self.title)}\n\n{printable(self.subtitle)}\n\n{provenance()}.\n"
        return "\n".join([head, *(table.to_markdown() for table in self.tables())])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file. If that fails, an existing file is not changed.

        Parameters
        ----------
        path : str or path
            Where to write.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = pathlib.Path(folder.name) / "songs.html"
        >>> Report("Songs").save(path)
        >>> path.read_text().splitlines()[0]
        '<!doctype html>'
        """
        page = self.to_html().encode()
        with replacing(path) as file:
            file.write(page)


def _contents(sections: Sequence[Section]) -> str:
    """Links to the sections of a long page."""
    titled = [section for section in sections if section.title]
    if len(titled) < LISTED_SECTIONS:
        return ""
    links = [f'<li><a href="#{section.anchor()}">{html.escape(section.title)}</a></li>' for section in titled]
    return f"<nav><ul>{''.join(links)}</ul></nav>\n"


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

"""Parts of a report: tables and plots under a heading."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence
from dataclasses import dataclass

from setwise.plotting import Display
from setwise.views import Table


@dataclass(frozen=True)
class Figure:
    """A plot with a caption.

    Parameters
    ----------
    display : Display
        The plot; it need not be drawn.
    caption : str
        Text below it.

    Examples
    --------
    >>> from setwise.plotting import TreeDisplay
    >>> Figure(TreeDisplay([-1, 0]), "Who depends on whom").to_html()[:12]
    '<figure><img'
    """

    display: Display
    caption: str = ""

    def to_html(self) -> str:
        """Write the plot as an image inside the page; an image runs no script, whatever its text says.

        Returns
        -------
        str

        Examples
        --------
        >>> from setwise.plotting import TreeDisplay
        >>> "svg+xml" in Figure(TreeDisplay([-1, 0])).to_html()
        True
        """
        data = base64.b64encode(self.display.to_svg().encode()).decode()
        caption = html.escape(self.caption)
        shown = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{data}">{shown}</figure>'


@dataclass(frozen=True)
class Section:
    """Tables, then plots side by side, under a heading.

    Parameters
    ----------
    title : str
        The heading.
    tables : sequence of Table
        Tables, one below the other.
    figures : sequence of Figure
        Plots, side by side.
    text : str
        A paragraph below the heading.

    Examples
    --------
    >>> Section("Scores", [Table("", ["score"], [["0.265"]])]).title
    'Scores'
    """

    title: str
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    text: str = ""

    def anchor(self) -> str:
        """Name the place of the section in its page.

        Returns
        -------
        str

        Examples
        --------
        >>> Section("Scores").anchor()
        'section-c5f09715'
        """
        return f"section-{hashlib.sha256(self.title.encode(errors='replace')).hexdigest()[:8]}"

    def to_html(self, *, with_figures: bool = True) -> str:
        """Write the section as a part of a page.

        Parameters
        ----------
        with_figures : bool
            False leaves the plots out.

        Returns
        -------
        str

        Examples
        --------
        >>> Section("Scores", text="a < b").to_html().splitlines()[2]
        '<p>a &lt; b</p>'
        """
        parts = [f'<h2 id="{self.anchor()}">{html.escape(self.title)}</h2>'] if self.title else []
        parts += [f"<p>{html.escape(self.text)}</p>"] if self.text else []
        body = _block("tables", [table.to_html() for table in self.tables])
        body += _block("figures", [figure.to_html() for figure in self.figures if with_figures])
        return "\n".join(["<section>", *parts, _block("body", [body]), "</section>"])


def _block(name: str, parts: list[str]) -> str:
    inside = "\n".join(parts)
    return f'<div class="{name}">{inside}</div>\n' if inside else ""

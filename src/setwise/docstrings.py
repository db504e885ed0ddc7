"""Paragraphs that several docstrings share, each written once.

A line such as ``{min_labels}`` in a docstring stands for the paragraph of that name.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)


def filled(docstring: str, paragraphs: Mapping[str, str]) -> str:
    """Replace the placeholders of a docstring by paragraphs, each indented like its placeholder.

    Examples
    --------
    >>> print(filled("Read a file.\\n\\n    {path}", {"path": "path : str"}))
    Read a file.
    <BLANKLINE>
        path : str
    """

    def paragraph(place: re.Match[str]) -> str:
        indent, name = place.groups()
        return textwrap.indent(textwrap.dedent(paragraphs[name]).strip("\n"), indent).rstrip()

    return PLACE.sub(paragraph, docstring)

"""Figures of the papers and ablations: variants of one method, run on a few data sets."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from setwise.datasets import available
from setwise.evaluation.comparison import Comparison
from setwise.evaluation.methods import Recipe
from setwise.evaluation.protocol import Protocol
from setwise.evaluation.runner import Cell
from setwise.papers.printed import Paper
from setwise.views import Table


@dataclass(frozen=True)
class Study:
    """Variants of a method that are compared on the same splits.

    Parameters
    ----------
    title : str
        Name in the paper, or what is varied.
    data : tuple of str
        Data sets, by the paper's names.
    variants : mapping of str to Recipe
        The first one is the one that others are compared with, unless this is a curve.
    measures : tuple of str
    protocol : Protocol
    curve : bool
        Whether the variants are numbers, drawn as a line.
    rivals : mapping of str to Recipe
        Methods drawn as horizontal lines beside a curve.
    remark : str
        A sentence below the table.
    """

    title: str
    data: tuple[str, ...]
    variants: Mapping[str, Recipe]
    measures: tuple[str, ...] = ("exact_match", "cll_loss")
    protocol: Protocol = field(default_factory=Protocol)
    curve: bool = False
    rivals: Mapping[str, Recipe] = field(default_factory=dict)
    remark: str = ""

    def cells(self, paper: Paper, *, quick: bool = False) -> list[Cell]:
        """List the cells to run on the data sets that are here; a quick run has two folds and the first data set."""
        here = set(available())
        names = [name for name in self.data if paper.source(name).is_here(here)]
        protocol = replace(self.protocol, repeats=min(self.protocol.repeats, 2)) if quick else self.protocol
        return [
            Cell(name, f"{self.title}: {variant}", paper.source(name), recipe.build(), protocol)
            for name in (names[:1] if quick else names)
            for variant, recipe in {**self.variants, **self.rivals}.items()
        ]

    def on(self, data: Container[str]) -> Study:
        """The same study on some of its data sets."""
        return replace(self, data=tuple(name for name in self.data if name in data))

    def table(self, result: Comparison) -> Table:
        """Put the variants that were run in a table: each measure, and its difference from the first variant."""
        rows = [
            [name, variant, *(_cell(self, result, name, variant, measure) for measure in self.measures)]
            for name in self.data
            for variant in {**self.variants, **self.rivals}
            if self.values(result, name, variant, self.measures[0]) is not None
        ]
        notes = [self.remark] if self.remark else []
        if not self.curve and rows and len(self.variants) > 1:
            notes.append(
                f"in brackets: the paired difference from {next(iter(self.variants))!r}, ± one standard error"
            )
        missing = sum(
            self.values(result, name, variant, self.measures[0]) is None
            for name in self.data
            for variant in {**self.variants, **self.rivals}
        )
        if missing:
            notes.append(
                f"{missing} of {len(self.data) * len({**self.variants, **self.rivals})} cells were not run"
            )
        return Table(self.title, ["data", "variant", *self.measures], rows, notes)

    def values(self, result: Comparison, data: str, variant: str, measure: str) -> list[float] | None:
        """The measure in every repetition; None if nothing was run."""
        return result.values(data, f"{self.title}: {variant}", measure) or None


def _cell(study: Study, result: Comparison, data: str, variant: str, measure: str) -> str:
    values = study.values(result, data, variant, measure)
    if values is None:
        return "-"
    shown = str(result.estimate(data, f"{study.title}: {variant}", measure))
    first = next(iter(study.variants))
    base = study.values(result, data, first, measure)
    if study.curve or variant == first or base is None or len(values) < 2:
        return shown
    if len(base) != len(values):
        return f"{shown} (repetitions: {len(values)})"
    difference = np.subtract(values, base)
    digits = 3 if abs(np.mean(values)) < 10 else 1
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    return f"{shown} ({difference.mean():+.{digits}f} ± {error:.{digits}f})"

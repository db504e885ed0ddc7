"""Figures of the papers that compare nothing: components of a row, growth of the time."""

import numpy as np

from setwise.datasets import load
from setwise.papers.growth import Generated, growing
from setwise.papers.one_row import RowFigure


def test_the_row_shows_why_components_matter(data_folder):
    """Red if the row's true set could be read off the marginals, or is not the one that the mixture answers."""
    row = RowFigure("a row", ("nus-wide", "emotions"), components=5).row
    test = load("emotions").test()
    np.testing.assert_array_equal(row.truth, test.Y[row.number])
    overall = row.gate @ row.marginals
    np.testing.assert_array_equal(overall > 0.5, row.likely == 1)
    assert (row.likely != row.truth).any()
    each = np.where(row.truth == 1, row.marginals, 1.0 - row.marginals).prod(axis=1)
    rival = np.where(row.likely == 1, row.marginals, 1.0 - row.marginals).prod(axis=1)
    assert row.gate @ each > row.gate @ rival


def test_without_data_the_figure_says_so():
    figure = RowFigure("a row", ("nus-wide",))
    assert figure.table(None).notes == ["no data set of this figure is on this machine"]


def test_sizes_double_one_at_a_time():
    """Red if two sizes grow together: then the table would not show what a time grows with."""
    first, *others = (Generated.named(name) for name in growing())
    for data in others:
        pairs = zip((first.n_rows, first.features, first.labels), (data.n_rows, data.features, data.labels))
        assert sorted(large // small for small, large in pairs)[:2] == [1, 1]
    assert Generated.named("emotions") is None

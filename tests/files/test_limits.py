from pathlib import Path

import pytest

from setwise.datasets import InputError, raised_limits
from setwise.files.limits import Limits, limits

ROOT = Path(__file__).parents[2]


def test_the_limits_are_those_that_the_documentation_states():
    """Red if a limit changes and its page does not."""
    page = (ROOT / "docs/data.md").read_text(encoding="utf-8")
    table = page[page.index("| limit | value |") : page.index("One field of a CSV file")]
    values = [row.rsplit("|", 2)[1].split()[0].replace(",", "") for row in table.strip().splitlines()[2:]]
    assert [int(value) for value in values] == list(vars(Limits()).values())


def test_limits_are_raised_inside_the_block_only():
    with raised_limits(3), raised_limits(2):
        assert limits().columns == 6 * Limits().columns
    assert limits() == Limits()


@pytest.mark.parametrize("factor", [0, 0.5, -1, float("inf"), float("nan")])
def test_other_factors_are_refused(factor):
    with pytest.raises(InputError, match="expected a number of at least 1"), raised_limits(factor):
        pass

import pytest

from setwise.blocks import BLOCK_BYTES, block_rows, row_slices


@pytest.mark.parametrize("n_rows", [0, 1, 7, 4096, 4097])
@pytest.mark.parametrize("cells_per_row", [1, 1024, BLOCK_BYTES])
def test_slices_cover_every_row_once_and_stay_within_the_budget(n_rows, cells_per_row):
    """Red if a row is skipped or repeated, or a block of several rows exceeds BLOCK_BYTES."""
    slices = list(row_slices(n_rows, cells_per_row))
    assert [row for part in slices for row in range(n_rows)[part]] == list(range(n_rows))
    assert all((s.stop - s.start) * cells_per_row * 8 <= BLOCK_BYTES or s.stop - s.start == 1 for s in slices)


def test_no_rows_give_one_empty_slice():
    """Red if concatenating over the blocks of no rows fails for lack of a part."""
    assert list(row_slices(0, 5)) == [slice(0, 0)]


def test_smaller_cells_allow_more_rows():
    """Red if the budget counts cells, not bytes."""
    assert block_rows(1024, cell_bytes=1) == 8 * block_rows(1024)

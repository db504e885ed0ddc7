"""Operations on a dense or CSR matrix that give the same result for both: the one place that asks which it is."""

from setwise.kernels.matrices.columns import (
    ColumnMoments,
    append_columns,
    column_extremes,
    column_moments,
    divide_columns,
    stored_columns,
    take_columns,
)
from setwise.kernels.matrices.products import cross, matmul
from setwise.kernels.matrices.rows import (
    contiguous_rows,
    count_distinct_rows,
    dense_blocks,
    row_keys,
    row_lengths,
    true_columns,
    unit_rows,
)
from setwise.kernels.matrices.storage import (
    as_matrix,
    dense_within,
    first_cell,
    match_storage,
    missing_cells,
    share_storage,
    sorted_rows,
    stored_values,
    to_dense,
    with_values,
)

__all__ = [
    "ColumnMoments",
    "append_columns",
    "as_matrix",
    "column_extremes",
    "column_moments",
    "contiguous_rows",
    "count_distinct_rows",
    "cross",
    "dense_blocks",
    "dense_within",
    "divide_columns",
    "first_cell",
    "match_storage",
    "matmul",
    "missing_cells",
    "row_keys",
    "row_lengths",
    "share_storage",
    "sorted_rows",
    "stored_columns",
    "stored_values",
    "take_columns",
    "to_dense",
    "true_columns",
    "unit_rows",
    "with_values",
]

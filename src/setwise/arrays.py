"""Names of array types, and the mark of an unknown label."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FREE = -1
"""Marks an unobserved label in evidence, and an absent set in ``top_k``."""

Array = npt.NDArray[Any]
"""An array of any type."""
Matrix = Any
"""A dense array or a CSR matrix of features."""
Labels = npt.NDArray[np.int8]
"""Label sets of 0 and 1; :data:`FREE` marks an unknown label."""
Floats = npt.NDArray[np.float64]
"""An array of float64."""
Bools = npt.NDArray[np.bool_]
"""An array of booleans."""

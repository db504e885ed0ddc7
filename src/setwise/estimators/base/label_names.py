"""Label names as the ``classes_`` of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.contract import Array


class LabelNames(np.ndarray):
    """Label names in the order of the columns.

    Scikit-learn's ``PartialDependenceDisplay`` finds its ``target`` among ``classes_`` by ``searchsorted``, which needs
    sorted classes. The columns of a label matrix are in any order, so a name is found by comparing.

    Examples
    --------
    >>> names = LabelNames.of(["sea", "sand"])
    >>> int(np.searchsorted(names, "sand")), int(np.searchsorted(names, "sky"))
    (1, 2)
    """

    @classmethod
    def of(cls, names: Any) -> LabelNames:
        """Convert names to such an array."""
        return np.asarray(names, dtype=object).view(cls)

    def searchsorted(self, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Find the position of each name; a missing name gets the number of names."""
        place = {name: position for position, name in enumerate(self.tolist())}
        found: Array = np.array([place.get(str(name), len(self)) for name in np.ravel(v)], dtype=np.intp)
        return found.reshape(np.shape(v))[()]

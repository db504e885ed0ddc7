"""The base class of decisions for a whole batch of rows."""

from __future__ import annotations

import numpy as np

from setwise.contract import Decided, Floats, Joint, Labels
from setwise.decisions.feasible import Feasible
from setwise.decisions.linear import best_linear
from setwise.decisions.rule import Rule


class BatchRule(Rule):
    """A loss of a batch of rows, such as 1 - macro F1, and the answers that minimize its expectation.

    The batch is what is passed to one call of ``predict`` or ``decide``. ``expected_loss`` is the loss of the whole
    batch, repeated for every row. ``loss`` takes arrays (..., n, L) of n rows and returns one number for each batch.

    Examples
    --------
    >>> from setwise.decisions import MacroF
    >>> isinstance(MacroF(), BatchRule)
    True
    """

    @property
    def whole_batch(self) -> bool:
        """True: the answer of a row depends on the other rows."""
        return True

    def within(self, distribution: Joint, feasible: Feasible) -> Decided:
        """Find the best feasible answers of all rows together."""
        if not distribution.n_rows:
            none = np.empty(0)
            labels = np.empty((0, distribution.n_labels), dtype=np.int8)
            return Decided(labels, none, none, none.astype(np.bool_))
        return self._best(distribution, feasible)


def best_allowed(scores: Floats, feasible: Feasible) -> Labels:
    """The allowed set (n, L) of each row with the largest sum of the ``scores`` (n, L) of its labels.

    Examples
    --------
    >>> import numpy as np
    >>> among = Feasible(2, among=np.array([[0, 0], [1, 1]], dtype=np.int8))
    >>> best_allowed(np.array([[2.0, -1.0], [1.0, -2.0]]), among)
    array([[1, 1],
           [0, 0]], dtype=int8)
    """
    if feasible.among is None:
        return best_linear(scores, feasible)
    sets = feasible.among[feasible.holds(feasible.among)]
    return np.asarray(sets[(scores @ sets.T).argmax(axis=1)])

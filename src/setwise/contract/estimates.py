"""Sums over label sets that decisions need. By default they are estimated from draws."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from setwise.arrays import Array, Floats, Labels
from setwise.contract.evidence import Evidence
from setwise.limits import N_DRAWS
from setwise.random_bits import RowNumbers, content_keys


class Estimates(ABC):
    """Sums over label sets, estimated from draws. A family that can compute a sum exactly overrides its method."""

    n_rows: int
    n_labels: int

    @abstractmethod
    def log_prob(self, Y: Evidence) -> Floats:
        """Log-probability (n,) of each row of ``Y`` (n, L)."""

    @abstractmethod
    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Draw independent label sets of each row, (n, n_draws, L)."""

    def draws(self) -> Labels:
        """Draw the sets that estimates are computed from, the same at every call.

        Returns
        -------
        int8 array of shape (n, S, L)
            S equally weighted sets of each row.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.draws().shape
        (1, 1000, 2)
        """
        return self.sample(N_DRAWS, self.row_numbers(0))

    def row_numbers(self, seed: int) -> RowNumbers:
        """Make a random number generator whose numbers for a row depend on that row only, not on the other rows.

        Parameters
        ----------
        seed : int

        Returns
        -------
        RowNumbers

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> np.array_equal(joint.row_numbers(0).random((1, 3)), joint.row_numbers(0).random((1, 3)))
        True
        """
        empty = np.zeros((self.n_rows, self.n_labels), dtype=np.int8)
        return RowNumbers(content_keys(self.log_prob(empty)), seed)

    def independent_draws(self) -> Floats:
        """Effective number of draws, from which the standard error of an estimate follows.

        Returns
        -------
        array of shape (n,)
            The number of sets that :meth:`draws` returns, or fewer if they are correlated.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.independent_draws() == joint.draws().shape[1]
        array([ True])
        """
        return np.full(self.n_rows, float(self.draws().shape[1]))

    def joint_size_marginals(self) -> Floats:
        """Probability that a label is on in a set of each size, P(y_l = 1, |y| = s) for s = 0..L.

        Returns
        -------
        array of shape (n, L, L + 1)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.joint_size_marginals()
        array([[[0.  , 0.  , 0.25],
                [0.  , 0.75, 0.25]]])
        """
        sets = self.draws()
        return size_shares(sets, np.full(sets.shape[:2], 1.0 / sets.shape[1]))

    def reciprocal_moments(self, weight: float, offsets: Floats) -> Floats:
        """Expectation of y_l / (weight |y| + offset) for each offset; instance F-measures are sums of these.

        Parameters
        ----------
        weight : float
        offsets : array of shape (R,)
            Numbers of at least zero.

        Returns
        -------
        array of shape (n, L, R)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.reciprocal_moments(1.0, np.array([1.0]))[0, :, 0].round(3)
        array([0.083, 0.458])
        """
        sizes = np.arange(1, self.n_labels + 1)
        shares = self.joint_size_marginals()[:, :, 1:]
        return np.asarray(shares @ (1.0 / (weight * sizes[:, None] + offsets)))

    def size_bound(self) -> Array:
        """Upper bound on the size of sets, exceeded with negligible probability only.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.size_bound()
        array([2])
        """
        return np.full(self.n_rows, self.n_labels)

    def support(self) -> tuple[Labels, Floats] | None:
        """List the possible sets, if the family keeps such a list.

        Returns
        -------
        tuple of arrays of shapes (m, L) and (n, m), or None
            The sets and their log-probabilities.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.support()[0]
        array([[0, 1],
               [1, 1]], dtype=int8)
        """
        return None


def size_shares(sets: Labels, weights: Floats) -> Floats:
    """Total weight of the sets that contain each label, by the size of the set.

    Parameters
    ----------
    sets : array of shape (n, S, L)
    weights : array of shape (n, S)

    Returns
    -------
    array of shape (n, L, L + 1)
        The last axis is the size, 0..L.

    Examples
    --------
    >>> size_shares(np.array([[[1, 1], [0, 1]]]), np.array([[0.25, 0.75]]))
    array([[[0.  , 0.  , 0.25],
            [0.  , 0.75, 0.25]]])
    """
    n, _, L = sets.shape
    shares = np.empty((n, L, L + 1))
    for i in range(n):
        sizes = sets[i].sum(axis=1)[:, None] == np.arange(L + 1)
        shares[i] = (sets[i] * weights[i][:, None]).T @ sizes.astype(np.float64)
    return shares

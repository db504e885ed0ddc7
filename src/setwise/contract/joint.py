"""The contract of every family: P(y | x_i) for i = 1..n as an object over label sets.

A *label set* is a row of 0 and 1, one column per label. *Evidence* is a partial row: :data:`~setwise.arrays.FREE` marks
the labels that were not observed, so ``log_prob`` of a partial row is the probability of that evidence. Marginals,
conditioning and missing labels follow from this one idea.

**Impossible evidence** (probability zero) is treated the same way everywhere: ``log_prob`` is ``-inf``; a search finds
no set and returns :data:`~setwise.arrays.FREE` with log-probability ``-inf``, certified; ``condition`` raises
:class:`~setwise.contract.ImpossibleEvidence` and names the rows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from setwise.arrays import FREE, Bools, Floats, Labels
from setwise.contract.answers import Entropy, Mode, TopK, replace_rows
from setwise.contract.answers.top_k import first_of_size
from setwise.contract.errors import NotTractable
from setwise.contract.estimates import Estimates
from setwise.contract.evidence import Evidence, check_evidence, check_rows, check_sizes, read_evidence
from setwise.contract.names import in_order
from setwise.contract.queries import Queries
from setwise.printable import plain_repr
from setwise.views.frames import RowNames


class Joint(Estimates, Queries):
    """n distributions over label sets of L labels, one per row.

    A family implements the abstract methods, on checked arrays, and overrides a default if it has a better way. Users
    see it as a :class:`~setwise.distributions.LabelDistribution`, which adds decisions.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.distributions import Table
    >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
    >>> isinstance(joint, Joint), joint.marginals()
    (True, array([[0.25, 1.  ]]))
    """

    known: Labels | None = None
    """The evidence (n, L) that the distribution was conditioned on, or None."""
    row_names: RowNames | None = None
    """Index of the DataFrame that the rows came from, shown in answers."""

    def log_prob(self, Y: Evidence) -> Floats:
        """Log-probability of each row's label set, or of its evidence.

        Parameters
        ----------
        Y : array or DataFrame of shape (n, L), or mapping
            Values are 0, 1 or FREE (-1, not observed). The columns of a DataFrame are matched by name. A mapping gives
            some labels, by name or number, a value.

        Returns
        -------
        array of shape (n,)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> np.exp(joint.log_prob([[1, -1]]))
        array([0.25])
        """
        return self._log_prob(self._read(Y))

    def log_probs_of(self, sets: npt.ArrayLike) -> Floats:
        """Log-probability of several sets, the same for all rows.

        Parameters
        ----------
        sets : array or DataFrame of shape (m, L)
            Values are 0, 1 or FREE.

        Returns
        -------
        array of shape (n, m)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> np.exp(joint.log_probs_of([[1, 1], [0, 0]]))
        array([[0.25, 0.  ]])
        """
        values = np.asarray(in_order(sets, self.label_names, "sets"))
        return self._log_probs_of(check_evidence(values, len(values), self.n_labels, "sets"))

    @abstractmethod
    def find_top_k(self, k: int, evidence: Labels | None = None, *, least: int = 0) -> TopK:
        """Search for the ``k`` most probable sets of at least ``least`` labels that agree with checked ``evidence``.

        Parameters
        ----------
        k : int
        evidence : int8 array of shape (n, L), optional
        least : int

        Returns
        -------
        TopK

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.find_top_k(1).labels
        array([[[0, 1]]], dtype=int8)
        """

    def find_mode(self, evidence: Labels | None = None, *, least: int = 0, most: int | None = None) -> Mode:
        """Search for the most probable set of ``least`` to ``most`` labels that agrees with checked ``evidence``.

        By default this walks down the list of the most probable sets. If none of the first 256 has the right size, the
        answer is FREE and not certified.

        Parameters
        ----------
        evidence : int8 array of shape (n, L), optional
        least, most : int

        Returns
        -------
        Mode

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.find_mode(least=2).labels
        array([[1, 1]], dtype=int8)
        """
        most = self.n_labels if most is None else most
        check_sizes(least, most, self.n_labels)
        best = self.find_top_k(1, evidence, least=least)
        answer = Mode(best.labels[:, 0], best.log_prob[:, 0], best.certified, best.gap)
        rows = np.flatnonzero((answer.labels == 1).sum(axis=1) > most)
        for k in (16, 256):
            if rows.size:
                given = None if evidence is None else evidence[rows]
                part = first_of_size(self.take(rows).find_top_k(k, given, least=least), most)
                replace_rows(answer, rows, part)
                rows = rows[(part.log_prob == -np.inf) & ~part.certified]
        return answer

    @abstractmethod
    def marginals(self) -> Floats:
        """Probability that each label is on, P(y_j = 1).

        Returns
        -------
        array of shape (n, L)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.marginals()
        array([[0.25, 1.  ]])
        """

    @abstractmethod
    def pairwise_marginals(self) -> Floats:
        """Probability that two labels are on together, P(y_i = 1, y_j = 1).

        Returns
        -------
        array of shape (n, L, L)
            The diagonal holds the marginals.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.pairwise_marginals()
        array([[[0.25, 0.25],
                [0.25, 1.  ]]])
        """

    @abstractmethod
    def size_probs(self) -> Floats:
        """Probability of each number of labels, P(|y| = s) for s = 0..L.

        Returns
        -------
        array of shape (n, L + 1)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.size_probs()
        array([[0.  , 0.75, 0.25]])
        """

    @abstractmethod
    def sample(self, n_draws: int, rng: np.random.Generator) -> Labels:
        """Draw independent label sets of each row.

        Parameters
        ----------
        n_draws : int
        rng : numpy Generator

        Returns
        -------
        int8 array of shape (n, n_draws, L)

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1]], np.log([[0.75, 0.25]]))
        >>> joint.sample(3, np.random.default_rng(0)).shape
        (1, 3, 2)
        """

    def entropy(self) -> Entropy:
        """Entropy of each row, exact if that is tractable; the answer says whether it is.

        Returns
        -------
        Entropy
            In nats, with proven bounds. Estimates have a standard error.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> Table([[0, 1], [1, 1]], np.log([[0.5, 0.5]])).entropy()
        Entropy of 1 row in nats, exact
        row  entropy
        ---  -------
          0    0.693
        """
        return self._entropy().with_names(self.label_names, self.row_names)

    def condition(self, evidence: Evidence) -> Self:
        """Condition the distributions on evidence.

        Parameters
        ----------
        evidence : array or DataFrame of shape (n, L), or mapping
            As in :meth:`log_prob`.

        Returns
        -------
        distribution of the same family
            It keeps the label names and the restriction on answers.

        Examples
        --------
        >>> import numpy as np
        >>> from setwise.distributions import Table
        >>> joint = Table([[0, 1], [1, 1], [1, 0]], np.log([[0.5, 0.25, 0.25]]))
        >>> joint.condition({0: 1}).marginals()
        array([[1. , 0.5]])
        """
        given = self._read(evidence)
        other = self._carry(self._condition(given))
        other.known = given if self.known is None else np.where(given == FREE, self.known, given)
        return other

    def tempered(self, temperature: float) -> Self:
        """Divide every log-odds by ``temperature``.

        Parameters
        ----------
        temperature : float
            Above 1 the distribution becomes less certain, below 1 more certain.

        Returns
        -------
        distribution of the same family

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[2.0]]).tempered(2.0).marginals().round(3)
        array([[0.731]])
        """
        if not temperature > 0:
            raise ValueError(f"temperature is {plain_repr(temperature)}; expected a number above 0")
        other = self._carry(self._tempered(temperature))
        other.known = self.known
        return other

    def take(self, rows: npt.ArrayLike | slice) -> Self:
        """Select the distributions of some rows.

        Parameters
        ----------
        rows : int, slice, mask or array of indices

        Returns
        -------
        distribution of the same family

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> joint = ForestMixture.independent([[2.0], [0.0], [1.0]])
        >>> len(joint.take([0, 2])), len(joint[1:]), [len(row) for row in joint]
        (2, 2, [1, 1, 1])
        """
        chosen = check_rows(rows, self.n_rows)
        other = self._carry(self._take(chosen))
        other.known = None if self.known is None else self.known[chosen]
        other.row_names = None if self.row_names is None else self.row_names[chosen]
        return other

    @property
    def sampled(self) -> bool:
        """Whether marginals and other sums over label sets are estimated from draws."""
        return False

    @property
    def weighs_sets(self) -> bool:
        """Whether ``log_prob`` of a whole set is exact. It can be, even if sums over sets are estimated."""
        return not self.sampled

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> Self:
        return self.take(rows)

    def __iter__(self) -> Iterator[Self]:
        return (self.take(row) for row in range(self.n_rows))

    @abstractmethod
    def _log_prob(self, Y: Labels) -> Floats:
        """Log-probability (n,) of each row of checked ``Y`` (n, L)."""

    def _log_probs_of(self, sets: Labels) -> Floats:
        """Log-probability (n, m) of each of the same checked ``sets`` (m, L) in each row."""
        shape = (self.n_rows, self.n_labels)
        return np.stack([self._log_prob(np.broadcast_to(y, shape)) for y in sets], axis=1)

    @abstractmethod
    def _entropy(self) -> Entropy:
        """Entropy of each row."""

    @abstractmethod
    def _condition(self, evidence: Labels) -> Self:
        """Condition on checked ``evidence`` (n, L)."""

    @abstractmethod
    def _take(self, rows: npt.NDArray[np.intp]) -> Self:
        """Select rows by index."""

    def _tempered(self, temperature: float) -> Self:
        raise NotTractable(
            f"{type(self).__name__} cannot be tempered; forest mixtures, tables and chains can, and "
            "CalibratedSets(method='isotonic') calibrates any estimator"
        )

    def _may_be_on(self, evidence: Labels | None = None) -> Bools:
        """Labels (n, L) that are on in some possible set that agrees with checked ``evidence``.

        By default, those that the evidence does not exclude. A family that lists its sets can exclude more.
        """
        possible = np.ones((self.n_rows, self.n_labels), dtype=np.bool_)
        for given in (self.known, evidence):
            possible &= True if given is None else given != 0
        return possible

    def _read(self, evidence: Evidence) -> Labels:
        """Convert evidence in any form to a checked array (n, L)."""
        return read_evidence(evidence, self.n_rows, self.n_labels, self.label_names)

    def _carry(self, other: Self) -> Self:
        """Give ``other``, derived from these distributions, the same names."""
        other.label_names, other.row_names = self.label_names, self.row_names
        return other

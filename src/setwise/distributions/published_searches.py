"""The searches for the mode that the papers describe; for comparison with the exact one."""

from __future__ import annotations

import numpy as np

from setwise.contract import FREE, Evidence, Floats, Labels, Mode, NotTractable
from setwise.distributions.label_distribution import LabelDistribution
from setwise.inference.forests import annealing, dual_decomposition
from setwise.inference.forests.arrays import Forests
from setwise.inference.forests.dual_decomposition import N_ITER
from setwise.inference.sets.best_draw import best_draw
from setwise.limits import SEARCH_DRAWS


class PublishedSearches(LabelDistribution):
    """Searches over mixtures of forests that may miss the mode: annealing, dual decomposition, draws."""

    log_gate: Floats
    forests: Forests

    def annealed_mode(
        self, evidence: Evidence | None = None, *, rng: np.random.Generator | None = None
    ) -> Mode:
        """Search for the mode by simulated annealing, as in the MC paper; for comparison with the exact ``mode``.

        Parameters
        ----------
        evidence : array or DataFrame of shape (n, L), or mapping, optional
        rng : numpy Generator, optional
            By default, the random numbers depend on the row only and are the same at every call.

        Returns
        -------
        Mode

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[2.0, -1.0]]).annealed_mode().labels
        array([[1, 0]], dtype=int8)
        """
        observed = self._full(None if evidence is None else self._read(evidence))
        rng = self.row_numbers(0) if rng is None else rng
        return annealing.anneal(self.log_gate, self.forests, observed, rng, self.min_labels)

    def decomposed_mode(self, evidence: Evidence | None = None, *, n_iter: int = N_ITER) -> Mode:
        """Search for the mode by dual decomposition, which the MC paper names; for comparison with the exact ``mode``.

        Parameters
        ----------
        evidence : array or DataFrame of shape (n, L), or mapping, optional
        n_iter : int, default=200
            Number of subgradient steps.

        Returns
        -------
        Mode
            ``certified`` if the upper bound proves the answer.

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[2.0, -1.0]]).decomposed_mode().labels
        array([[1, 0]], dtype=int8)
        """
        if self.min_labels > 1:
            raise NotTractable("dual decomposition finds sets of at least one label; use mode for more")
        observed = self._full(None if evidence is None else self._read(evidence))
        options = {"min_labels": self.min_labels, "n_iter": n_iter}
        return dual_decomposition.decomposed_mode(self.log_gate, self.forests, observed, **options)

    def sampled_mode(
        self, evidence: Evidence | None = None, *, rng: np.random.Generator | None = None
    ) -> Mode:
        """Take the most probable of a hundred draws, as in the CBM paper; for comparison with the exact ``mode``.

        Parameters
        ----------
        evidence : array or DataFrame of shape (n, L), or mapping, optional
        rng : numpy Generator, optional
            By default, the random numbers depend on the row only and are the same at every call.

        Returns
        -------
        Mode

        Examples
        --------
        >>> from setwise.distributions import ForestMixture
        >>> ForestMixture.independent([[2.0, -1.0]]).sampled_mode().labels
        array([[1, 0]], dtype=int8)
        """
        observed = self._full(None if evidence is None else self._read(evidence))
        log_evidence = self._log_prob(observed)
        impossible = np.isneginf(log_evidence)
        given = self.condition(np.where(impossible[:, None], FREE, observed))
        rng = self.row_numbers(0) if rng is None else rng
        draws = given.sample(SEARCH_DRAWS, rng)
        values = np.stack([given.log_prob(draw) for draw in draws.transpose(1, 0, 2)], axis=1)
        labels, log_prob, certified, gap = best_draw(draws, values, self.min_labels)
        labels[impossible] = FREE
        return Mode(labels, log_prob + log_evidence, certified | impossible, np.where(impossible, 0.0, gap))

    def _full(self, evidence: Labels | None) -> Labels:
        """The evidence, or evidence that leaves every label free."""
        return np.full((self.n_rows, self.n_labels), FREE, dtype=np.int8) if evidence is None else evidence

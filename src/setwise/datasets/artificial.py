"""Artificial data whose true distribution is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import log_softmax

from setwise.contract import Floats, Labels
from setwise.datasets.dataset import Dataset
from setwise.distributions import ForestMixture


@dataclass(frozen=True)
class TrueMixture:
    """A conditional Bernoulli mixture whose parameters are known.

    The scores of the gate and the logits of the K components are linear in x.

    Parameters
    ----------
    gate : array of shape (d, K)
        Coefficients of the gate.
    gate_intercept : array of shape (K,)
    experts : array of shape (K, d, L)
        Coefficients of the components.
    expert_intercepts : array of shape (K, L)

    Examples
    --------
    >>> data, truth = make_cbm(100)
    >>> truth.gate.shape, truth.experts.shape
    ((7, 3), (3, 7, 3))
    """

    gate: Floats
    gate_intercept: Floats
    experts: Floats
    expert_intercepts: Floats

    def distribution(
        self, X: Floats, *, noise: float = 0.0, rng: np.random.Generator | None = None
    ) -> ForestMixture:
        """Compute the true distribution of each row.

        Parameters
        ----------
        X : array of shape (n, d)
        noise : float, default=0
            Standard deviation of Gaussian noise that is added to every score.
        rng : Generator, optional
            Draws the noise.

        Returns
        -------
        ForestMixture

        Examples
        --------
        >>> data, truth = make_cbm(100)
        >>> truth.distribution(data.X).marginals().shape
        (100, 3)
        """
        gate = X @ self.gate + self.gate_intercept
        logits = np.einsum("nd,kdl->nkl", X, self.experts) + self.expert_intercepts
        if noise:
            rng = np.random.default_rng() if rng is None else rng
            gate = gate + noise * rng.normal(size=gate.shape)
            logits = logits + noise * rng.normal(size=logits.shape)
        parents = np.full(self.expert_intercepts.shape, -1)
        return ForestMixture(log_softmax(gate, axis=1), logits[..., None], parents)

    def mode(self, X: Floats) -> Labels:
        """Find the most probable set of each row; its exact match is the best that any method can reach.

        Parameters
        ----------
        X : array of shape (n, d)

        Returns
        -------
        array of shape (n, L)

        Examples
        --------
        >>> data, truth = make_cbm(100)
        >>> truth.mode(data.X).shape
        (100, 3)
        """
        return self.distribution(X).mode().labels


def make_cbm(
    n_rows: int = 15_000,
    *,
    mode: Literal["argmax", "sample"] = "sample",
    noise: float = 0.0,
    n_features: int = 7,
    n_labels: int = 3,
    n_components: int = 3,
    scales: tuple[float, float, float] = (3.0, 0.2, 4.5),
    random_state: int = 0,
) -> tuple[Dataset, TrueMixture]:
    """Draw rows of a random conditional Bernoulli mixture, as in section 3.3 of its paper.

    The paper prints neither the number of labels nor a scale. With the defaults the exact match of the true
    model is near its upper bounds: 100 % for ``mode="argmax"``, 76 % with ``noise=1.2``, 65 % for
    ``mode="sample"``, 48 % with ``noise=2.6``; and components differ more by their constants than by their
    slopes, as the paper's good results of a linear powerset suggest.

    Parameters
    ----------
    n_rows : int
    mode : {"argmax", "sample"}
        Whether a row gets its most probable set or a random one.
    noise : float
        Deviation of Gaussian noise on the scores of the gate and of the labels, drawn for each row.
    n_features, n_labels, n_components : int
    scales : (float, float, float)
        Deviations of the gate's coefficients, of the experts' coefficients and of the experts' intercepts;
        features are standard normal, the gate has no intercept.
    random_state : int

    Returns
    -------
    data : Dataset
    truth : TrueMixture

    References
    ----------
    Li, Wang, Pavlu and Aslam, "Conditional Bernoulli mixtures for multi-label classification", ICML 2016;
    section 3.3, Table 1.

    Examples
    --------
    >>> data, truth = make_cbm(200, mode="argmax")
    >>> bool((truth.mode(data.X) == data.Y).all())
    True
    """
    if mode not in ("argmax", "sample"):
        raise ValueError(f"mode is {mode!r}; expected 'argmax' or 'sample'")
    rng = np.random.default_rng(random_state)
    K, d, L = n_components, n_features, n_labels
    gate, slopes, intercepts = scales
    truth = TrueMixture(
        gate * rng.normal(size=(d, K)),
        np.zeros(K),
        slopes * rng.normal(size=(K, d, L)),
        intercepts * rng.normal(size=(K, L)),
    )
    X = rng.normal(size=(n_rows, d))
    joint = truth.distribution(X, noise=noise, rng=rng)
    Y = joint.mode().labels if mode == "argmax" else joint.sample(1, rng)[:, 0]
    return Dataset(X, Y, name=f"cbm-{mode}"), truth

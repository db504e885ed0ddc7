"""Clusters of rows with similar features and labels: another start of the conditional mixtures.

A Bernoulli mixture on the labels alone cannot distinguish rows with equal labels, so it has no more components than
there are kinds of label sets, and EM never separates equal components. Clusters also separate rows whose features
differ under the same labels.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from setwise.arrays import FREE, Array, Floats, Labels
from setwise.learning.mixtures.starts.label_start import BernoulliMixture, component_parameters
from setwise.learning.mixtures.training_rows import TrainingRows

AXES = 20
"""Principal axes of the features that are used."""
LABELS_SHARE = 0.5
"""The spread of the labels, in units of that of the features."""


def fit_clusters(rows: TrainingRows, n_components: int, seed: int, *, n_init: int = 5) -> BernoulliMixture:
    """Cluster the rows by k-means, and describe each cluster by independent labels.

    Rows are sorted by their keys and copies merged, so that the random centres depend on the content of the rows only.

    Parameters
    ----------
    rows : TrainingRows
    n_components : int
        Number of clusters; fewer if there are fewer different rows.
    seed : int
    n_init : int, default=5
        Runs of k-means, of which the best counts.

    Returns
    -------
    BernoulliMixture

    Examples
    --------
    >>> import numpy as np
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 20, axis=0)
    >>> Y = np.repeat([[1, 0], [1, 0], [0, 1]], 20, axis=0).astype(np.int8)
    >>> fit_clusters(TrainingRows.of(X, Y), 3, seed=0).responsibilities.sum(axis=0)
    array([20., 20., 20.])
    """
    share = rows.weights / rows.weights.sum()
    features = _unit_spread(rows.design.leading(AXES), share)
    points = np.hstack([features, LABELS_SHARE * _unit_spread(_fill_unknown(rows.Y, share), share)])
    _, example, which = np.unique(rows.keys, return_index=True, return_inverse=True)
    points, weights = points[example], np.bincount(which, rows.weights)
    n_clusters = min(n_components, len(np.unique(points, axis=0)))
    means = KMeans(n_clusters, n_init=n_init, random_state=seed).fit(points, sample_weight=weights)
    responsibilities = np.eye(n_clusters)[means.labels_[which]]
    mass = rows.weights[:, None] * responsibilities
    log_weights, logits = component_parameters(mass, rows.Y, rows.weights)
    return BernoulliMixture(log_weights, logits, responsibilities, -float(means.inertia_))


def _fill_unknown(Y: Labels, share: Floats) -> Floats:
    """Replace unknown labels by their mean, so that they pull a row to no cluster."""
    known = Y != FREE
    mean = share @ np.where(known, Y, 0) / np.maximum(share @ known, 1e-12)
    return np.where(known, Y, mean)


def _unit_spread(columns: Array, share: Floats) -> Floats:
    """Centre columns and scale them so that the mean squared length of a row is one; ``share`` (n,) are row weights."""
    centred = columns - share @ columns
    return np.asarray(centred / max(np.sqrt(share @ (centred**2).sum(axis=1)), 1e-12))

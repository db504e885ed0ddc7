"""Clusters of rows that are alike in features and in labels: another start of the conditional mixtures.

A Bernoulli mixture on the labels alone cannot tell rows with equal labels apart, so it has no more components
than there are kinds of label sets, and EM parts equal components never. Clusters also part what looks
different under the same labels.
"""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from setwise.contract import FREE, Array, Floats, Labels
from setwise.learning.mixtures.label_start import BernoulliMixture, component_parameters
from setwise.learning.mixtures.rows import Rows

AXES = 20
"""Principal axes of the features that count."""
LABELS_SHARE = 0.5
"""The spread of the labels, in units of that of the features."""


def fit_clusters(rows: Rows, n_components: int, seed: int, *, n_init: int = 5) -> BernoulliMixture:
    """The best of ``n_init`` runs of k-means, as independent labels given the cluster.

    The rows stand in the order of their keys, copies as one, so that the random centres follow from their content.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.learning.mixtures.rows import Rows
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 20, axis=0)
    >>> Y = np.repeat([[1, 0], [1, 0], [0, 1]], 20, axis=0).astype(np.int8)
    >>> fit_clusters(Rows.of(X, Y), 3, seed=0).responsibilities.sum(axis=0)
    array([20., 20., 20.])
    """
    share = rows.weights / rows.weights.sum()
    features = _spread(rows.design.leading(AXES), share)
    points = np.hstack([features, LABELS_SHARE * _spread(_filled(rows.Y, share), share)])
    _, example, which = np.unique(rows.keys, return_index=True, return_inverse=True)
    points, weights = points[example], np.bincount(which, rows.weights)
    n_clusters = min(n_components, len(np.unique(points, axis=0)))
    means = KMeans(n_clusters, n_init=n_init, random_state=seed).fit(points, sample_weight=weights)
    responsibilities = np.eye(n_clusters)[means.labels_[which]]
    mass = rows.weights[:, None] * responsibilities
    log_weights, logits = component_parameters(mass, rows.Y, rows.weights)
    return BernoulliMixture(log_weights, logits, responsibilities, -float(means.inertia_))


def _filled(Y: Labels, share: Floats) -> Floats:
    """Labels with their mean where they are not known: such a label pulls a row to no cluster."""
    known = Y != FREE
    mean = share @ np.where(known, Y, 0) / np.maximum(share @ known, 1e-12)
    return np.where(known, Y, mean)


def _spread(columns: Array, share: Floats) -> Floats:
    """Centred columns, whose squares sum to one on the average row; rows count by their share (n,) of the weights."""
    centred = columns - share @ columns
    return np.asarray(centred / max(np.sqrt(share @ (centred**2).sum(axis=1)), 1e-12))

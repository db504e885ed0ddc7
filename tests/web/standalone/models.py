"""Ten fitted models of every kind that a page can compute with, and random queries of them."""

import numpy as np

from setwise import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    ConditionalTree,
    LabelPowerset,
    MixtureOfTreeExperts,
    MixtureOfTrees,
)

MODELS = {
    "independent": BinaryRelevance(l2=0.5),
    "any set": BinaryRelevance(l2=0.5, min_labels=0),
    "unit rows": BinaryRelevance(l2=0.5, unit_rows=True),
    "tree": ConditionalTree(l2=0.5),
    "stump": ConditionalTree(l2=2.0, candidate_parents=0),
    "trees": MixtureOfTrees(3, l2=0.5, seen_share=0.0, random_state=0),
    "trees with seen sets": MixtureOfTrees(2, l2=0.5, seen_share=0.4, random_state=0),
    "tree experts": MixtureOfTreeExperts(3, l2=0.5, gate_l2=1.0, seen_share=0.2, random_state=0),
    "products": ConditionalBernoulliMixture(4, l2=0.5, gate_l2=1.0, tuning=False, max_iter=4, random_state=0),
    "table": LabelPowerset(l2=0.5),
}


def fitted(missing=False, n_labels=6):
    """The models, fitted to labels that depend on each other, and their rows."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 4))
    first = X[:, 0] + rng.logistic(size=160) > 0
    flips = rng.random((160, n_labels)) < np.linspace(0.05, 0.4, n_labels)
    Y = (first[:, None] ^ flips).astype(int)
    if missing:
        X = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    return {name: model.fit(X, Y) for name, model in MODELS.items()}, X


def queries(model, X, n, seed=0):
    """Rows with random evidence that is possible, and what Python answers."""
    rng = np.random.default_rng(seed)
    rows = X[rng.integers(0, len(X), n)]
    evidence = rng.integers(0, 2, (n, model.n_labels_))
    evidence[rng.random(evidence.shape) < 0.6] = -1
    joint = model.distribution(rows)
    given = joint.condition(evidence)
    best = given.top_k(4)
    return [
        {
            "x": [None if np.isnan(value) else value for value in rows[i].tolist()],
            "evidence": evidence[i].tolist(),
            "log_evidence": joint.log_prob(evidence)[i],
            "marginals": given.marginals()[i].tolist(),
            "sizes": given.size_probs()[i].tolist(),
            "best": best.log_prob[i][np.isfinite(best.log_prob[i])].tolist(),
            "first": best.labels[i, 0].tolist(),
        }
        for i in range(n)
    ]

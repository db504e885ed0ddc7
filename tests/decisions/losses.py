"""Rules beside the losses they stand for, and constraints in the words of both."""

import pytest

from setwise.decisions import FBeta, Hamming, Jaccard, Loss, Subset
from setwise.distributions import Table
from setwise.inference.sets.enumeration import all_log_probs, label_sets
from tests.decisions.oracle import f_loss, hamming_loss, jaccard_loss, subset_loss

LOSSES = {
    "subset": (Subset(), subset_loss),
    "hamming": (Hamming(), hamming_loss),
    "f1": (FBeta(), f_loss(1.0)),
    "f2": (FBeta(beta=2.0), f_loss(2.0)),
    "f0.7, by the joint of sizes": (FBeta(beta=0.7), f_loss(0.7)),
    "jaccard": (Jaccard(), jaccard_loss),
    "own": (Loss(lambda t, a: ((t != a).sum(axis=-1) > 1) + 0.1 * a.sum(axis=-1)), None),
}
LOSSES["own"] = (LOSSES["own"][0], lambda t, a: float((t != a).sum() > 1) + 0.1 * a.sum())
every_loss = pytest.mark.parametrize("name", LOSSES)

CONSTRAINTS = {
    "sizes": ({"min_labels": 2, "max_labels": 3}, {"sizes": (2, 3)}),
    "one size": ({"min_labels": 4, "max_labels": 4}, {"sizes": (4, 4)}),
    "fixed": ({"contains": [1], "excludes": [3, 0]}, {"on": [1], "off": [0, 3]}),
    "hierarchy": ({"implies": [(0, 1), (1, 2), (4, 2)]}, {"implies": [(0, 1), (1, 2), (4, 2)]}),
    "exclusions": ({"exclusive": [(0, 1, 2), (3, 4)]}, {"exclusive": [(0, 1, 2), (3, 4)]}),
    "all": (
        {
            "contains": [4],
            "implies": [(0, 1), (4, 3)],
            "exclusive": [(1, 2)],
            "min_labels": 2,
            "max_labels": 4,
        },
        {"on": [4], "implies": [(0, 1), (4, 3)], "exclusive": [(1, 2)], "sizes": (2, 4)},
    ),
}


def as_table(mixture):
    return Table(label_sets(mixture.n_labels), all_log_probs(mixture))

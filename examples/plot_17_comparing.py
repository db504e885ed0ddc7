"""
Comparing methods, with statistics
==================================

Is one method better than another, or is it chance? Ten data sets with known truth, four methods, ranks,
and a test.
"""

# %%
# Data sets of different difficulty from random mixtures.
import matplotlib.pyplot as plt
import numpy as np

from setwise import BinaryRelevance, ClassifierChain, ConditionalTree, LabelPowerset
from setwise.datasets import make_cbm
from setwise.evaluation.statistics import wilcoxon_holm
from setwise.plotting import CriticalDifferenceDisplay

methods = {
    "independent": BinaryRelevance(l2=1.0),
    "chain": ClassifierChain(l2=1.0),
    "tree": ConditionalTree(l2=1.0),
    "powerset": LabelPowerset(l2=1.0),
}
scores = []
for seed in range(10):
    data, truth = make_cbm(900, n_labels=5, n_features=6 + seed, noise=0.1 * seed, random_state=seed)
    train, test = slice(0, 500), slice(500, None)
    scores.append(
        [m.fit(data.X[train], data.Y[train]).score(data.X[test], data.Y[test]) for m in methods.values()]
    )
scores = np.array(scores)

# %%
# Mean ranks over the data sets. Methods joined by a bar cannot be told apart by Nemenyi's test.
CriticalDifferenceDisplay.from_scores(scores, list(methods))
plt.show()

# %%
# All pairs by Wilcoxon's signed-rank test, adjusted for the number of pairs by Holm's method.
print(np.round(wilcoxon_holm(scores), 3))

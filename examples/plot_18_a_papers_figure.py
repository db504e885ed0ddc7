"""
A figure of a paper: how many components?
=========================================

The MC paper grows a mixture tree by tree and watches the log-likelihood of held-out rows. Here is that
curve for yeast genes: it rises steeply for a few trees and then turns flat.
"""

# %%
import matplotlib.pyplot as plt

from setwise import MixtureOfTrees
from setwise.datasets import load
from setwise.plotting import ComponentCurveDisplay

yeast = load("yeast")
mixture = MixtureOfTrees(l2=10.0, candidate_parents=2, random_state=0).fit(yeast.X[:500], yeast.Y[:500])
ComponentCurveDisplay.from_estimator(mixture)
plt.show()

# %%
# ``setwise reproduce mc`` makes the paper's tables, with the printed numbers beside ours.

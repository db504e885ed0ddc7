"""
The label tree of a data set
============================

Which classes of genes go together once the measurements are known? A conditional tree shows it: every
label hangs on the label that says most about it beyond the features.
"""

# %%
import matplotlib.pyplot as plt

from setwise import ConditionalTree
from setwise.datasets import load
from setwise.plotting import LabelCorrelationDisplay, TreeDisplay

yeast = load("yeast")
tree = ConditionalTree(l2=10.0).fit(yeast.X[:1500], yeast.Y[:1500])
TreeDisplay.from_estimator(tree, yeast.X[1500:])
plt.show()

# %%
# What the tree explains: the correlation that is left given the features (above the diagonal) beside the
# overall one (below). Pairs that are dark below and pale above are explained by the features alone.
LabelCorrelationDisplay.from_estimator(tree, yeast.X[1500:], yeast.Y[1500:])
plt.show()

"""
The components of a mixture
===========================

A conditional Bernoulli mixture explains a row as one of a few kinds. Each kind has independent labels;
that they depend on each other comes from not knowing the kind. This is Figure 2 of the CBM paper, for a
gene.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalBernoulliMixture
from setwise.datasets import load
from setwise.plotting import ComponentsDisplay, EMTraceDisplay

yeast = load("yeast")
model = ConditionalBernoulliMixture(10, l2=10.0, gate_l2=10.0, tuning=False, random_state=0).fit(
    yeast.X[:1000], yeast.Y[:1000]
)

# %%
# A gene for which several kinds compete. Each line is a component: its weight for this gene, and its
# classes.
weights, marginals = model.components(yeast.X[1000:1200])
row = int(np.argmin(weights.max(axis=1)))
ComponentsDisplay.from_estimator(model, yeast.X[1000:1200], row=row, truth=yeast.Y[1000 + row])
plt.show()

# %%
# EM raises the penalized log-likelihood at every step.
EMTraceDisplay.from_estimator(model)
plt.show()

"""
A joint on top of your own classifier
=====================================

You have a good model that scores labels one by one. ``SetsFromMarginals`` keeps its scores and learns
what it does not know: which labels go together, and how far the scores can be trusted.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from setwise import SetsFromMarginals
from setwise.datasets import load

yeast = load("yeast")
X, Y, X_test, Y_test = yeast.X[:1200], yeast.Y[:1200], yeast.X[1200:], yeast.Y[1200:]
forest = ExtraTreesClassifier(100, min_samples_leaf=2, random_state=0)
joint = SetsFromMarginals(forest, cv=3, random_state=0).fit(X, Y)

# %%
# The forest alone: a product of its marginals. The joint: the same marginals, calibrated, with the
# dependence of labels.
alone = np.column_stack([p[:, 1] for p in forest.fit(X, Y).predict_proba(X_test)]).clip(0.01, 0.99)
sets_alone = (alone > 0.5).astype(int)
product = np.log(np.where(Y_test, alone, 1 - alone)).sum(axis=1)
log_prob = joint.log_prob(X_test, Y_test)
right_alone = np.all(sets_alone == Y_test, axis=1).mean()
print(f"whole sets right: {right_alone:.3f} alone, {joint.score(X_test, Y_test):.3f} joint")

# %%
# Log-probability of the true set of each gene, with and without the joint. Points above the diagonal
# gained.
figure, ax = plt.subplots(figsize=(5, 5))
ax.plot(product, log_prob, ".", alpha=0.5)
ax.axline((-5, -5), slope=1, color="gray", linestyle="--")
ax.set(xlabel="forest alone: log P(true set)", ylabel="with the joint", xlim=(-16, 0), ylim=(-16, 0))
ax.set_title(f"mean {product.mean():.2f} and {log_prob.mean():.2f}")
plt.show()

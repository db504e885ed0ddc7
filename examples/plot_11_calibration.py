"""
Probabilities you can trust
===========================

A model says that its answer is right with probability 0.7. Is it right seven times in ten? And if one
set is not enough, which sets cannot be ruled out?
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from setwise import CalibratedSets, ConditionalBernoulliMixture, ConformalSets
from setwise.datasets import load
from setwise.plotting import SetReliabilityDisplay

yeast = load("yeast")
X, Y, X_test, Y_test = yeast.X[:1200], yeast.Y[:1200], yeast.X[1200:], yeast.Y[1200:]
# Too weak a penalty on purpose: the model is too sure of itself.
mixture = ConditionalBernoulliMixture(5, l2=0.3, gate_l2=1, tuning=False, max_iter=4, random_state=0)
raw = mixture.fit(X, Y)
calibrated = CalibratedSets(mixture).fit(X, Y)

# %%
# A point on the diagonal is honest. ``CalibratedSets`` learns the correction on rows that the model has
# not seen.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True)
SetReliabilityDisplay.from_estimator(raw, X_test, Y_test, ax=axes[0])
SetReliabilityDisplay.from_estimator(calibrated, X_test, Y_test, ax=axes[1])
axes[0].set_title("as fitted")
axes[1].set_title("calibrated")
plt.show()

# %%
# ``ConformalSets`` lists sets until the list contains the true one with the coverage you ask for. The
# guarantee holds for any model; a better model has shorter lists.
coverages = [0.5, 0.6, 0.7, 0.8, 0.9]
reached, lengths = [], []
for coverage in coverages:
    lists = ConformalSets(mixture, coverage=coverage, random_state=0).fit(X, Y)
    reached.append(lists.contains(X_test, Y_test).mean())
    lengths.append(np.median(lists.predict_sets(X_test[:200]).n_sets))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
axes[0].plot(coverages, coverages, "--", color="gray")
axes[0].plot(coverages, reached, "o-")
axes[0].set(xlabel="coverage asked for", ylabel="coverage on unseen genes")
axes[1].plot(coverages, lengths, "o-")
axes[1].set(xlabel="coverage asked for", ylabel="sets in the list (median)", yscale="log")
plt.show()

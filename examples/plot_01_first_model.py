"""
A first model
=============

Fit a model to genes with their functional classes, and ask for whole sets of labels instead of one label
at a time.

The *yeast* data have 2417 genes, 103 measurements and 14 functional classes. A gene has about four
classes.
"""

# %%
# Load the data and split it so that every class is equally frequent in both parts.
from setwise import ConditionalTree
from setwise.datasets import load, stratified_train_test_split

yeast = load("yeast")
X_train, X_test, Y_train, Y_test = stratified_train_test_split(
    yeast.X, yeast.Y, test_size=1 / 3, random_state=0
)

# %%
# :class:`~setwise.ConditionalTree` connects the labels by a tree: each class depends on the measurements
# and on one other class. Its penalties and its tree are chosen inside ``fit``.
model = ConditionalTree(random_state=0).fit(X_train, Y_train)

# %%
# ``predict`` returns the most probable *set* of each row, and ``predict_top_k`` the next best ones with
# their probabilities. The gap between the first and the second says how sure the model is.
model.predict_top_k(X_test[:3], k=3)

# %%
# A plot of one row: the model hesitates between a few sets, and the true one is marked.
import matplotlib.pyplot as plt

from setwise.plotting import TopSetsDisplay

TopSetsDisplay.from_estimator(model, X_test, row=4, k=8, truth=Y_test[4])
plt.show()

# %%
# How good is it on rows it has not seen? The share of rows whose whole set is right, and the mean
# negative log-probability of the true sets. Guessing each class by its frequency gives a log-loss near
# 7.
from setwise.metrics import exact_match, joint_log_loss

print(f"exact match {exact_match(Y_test, model.predict(X_test)):.3f}")
print(f"joint log-loss {joint_log_loss(model.log_prob(X_test, Y_test)):.3f}")

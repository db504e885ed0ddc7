"""
Which labels are wrong?
=======================

Annotators make mistakes. A joint distribution finds label sets that are implausible *together*, even if
each label alone is common. Here we flip labels on purpose and look for them.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalTree, find_label_errors
from setwise.datasets import load
from setwise.plotting import LabelErrorsDisplay

yeast = load("yeast")
X, given = yeast.X[:1000], np.array(yeast.Y[:1000])
rng = np.random.default_rng(0)
wrong = rng.choice(1000, size=50, replace=False)
given[wrong, rng.integers(0, 14, size=50)] ^= 1

# %%
# Each row is judged by a model that has not seen it.
errors = find_label_errors(ConditionalTree(l2=10.0), X, given, cv=3)
errors.to_frame(5)

# %%
# If you check rows in this order, how many of the fifty mistakes have you found after a hundred rows? A
# random order would find five.
found = np.cumsum(np.isin(errors.order, wrong))
figure, ax = plt.subplots()
ax.plot(found[:400], label="most suspicious first")
ax.plot([0, 400], [0, 20], "--", label="in random order")
ax.set(xlabel="rows checked", ylabel="mistakes found (of 50)")
ax.legend(frameon=False)
plt.show()

# %%
# The twelve most suspicious rows, with what the model would change.
LabelErrorsDisplay(errors.score, given, errors.suggested, yeast.label_names, k=12).plot()
plt.show()

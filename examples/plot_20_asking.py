"""
Twenty questions: which label to ask next
=========================================

An expert can confirm a few labels of each row. Asking the right ones finds the whole set sooner than
asking in a fixed order.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalTree
from setwise.datasets import load

yeast = load("yeast")
model = ConditionalTree(l2=10.0).fit(yeast.X[:1500], yeast.Y[:1500])
X, Y = yeast.X[1500:1800], np.asarray(yeast.Y[1500:1800])
joint = model.distribution(X)

# %%
# After each answer the distribution is conditioned on it. We count the rows whose most probable set is
# the true one.
rng = np.random.default_rng(0)


def play(choose, questions=8):
    known, rows = np.full(Y.shape, -1), np.arange(len(Y))
    right = []
    for _ in range(questions + 1):
        given = joint.condition(known)
        right.append((given.mode().labels == Y).all(axis=1).mean())
        asked = choose(given, known)
        known[rows, asked] = Y[rows, asked]
    return right


def at_random(given, known):
    return np.where(known == -1, rng.random(known.shape), -1).argmax(axis=1)


curves = {
    "most informative label": play(lambda given, known: given.next_question().label),
    "random label": play(at_random),
}
figure, ax = plt.subplots()
for name, curve in curves.items():
    ax.plot(curve, "o-", label=name)
ax.set(xlabel="labels that the expert was asked for (of 14)", ylabel="whole sets right", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()

"""
Writing a new estimator
=======================

Two methods make an estimator: ``_fit`` learns, and ``_distribution`` returns the joint of some rows.
Everything else (decisions, top-k, conditioning, label names, checks of the input) is inherited.
"""

# %%
# A tiny nearest-centroid model: the probability of each seen label set falls with the squared distance
# to the mean of its rows.
import matplotlib.pyplot as plt
import numpy as np

from setwise import SetClassifier
from setwise.distributions import Table


class NearestSets(SetClassifier):
    """P(y | x) proportional to n_y exp(-sharpness |x - centre_y|^2), over the sets of the training rows."""

    def __init__(self, sharpness=1.0, decision="subset", min_labels="auto"):
        self.sharpness = sharpness
        self.decision = decision
        self.min_labels = min_labels

    def _fit(self, X, Y, weights):
        self.sets_, where = np.unique(Y, axis=0, return_inverse=True)
        self.counts_ = np.bincount(where)
        self.centres_ = np.array([X[where == s].mean(axis=0) for s in range(len(self.sets_))])
        return self

    def _distribution(self, X):
        distance = ((X[:, None, :] - self.centres_) ** 2).sum(axis=2)
        scores = np.log(self.counts_) - self.sharpness * distance
        return Table(self.sets_, scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


# %%
# It has the whole interface at once.
rng = np.random.default_rng(0)
kinds = rng.integers(0, 4, 400)
X = np.array([[0, 0], [2, 0], [0, 2], [2, 2]])[kinds] + 0.6 * rng.normal(size=(400, 2))
Y = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1]])[kinds]
model = NearestSets().fit(X, Y)
model.predict_top_k([[1.0, 0.2]], k=3)

# %%
# The probability of the second label over the plane, and the same once the first label is known to be
# off.
grid = np.stack(np.meshgrid(np.linspace(-1, 3, 80), np.linspace(-1, 3, 80)), axis=-1)
joint = model.distribution(grid.reshape(-1, 2))
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.8))
for ax, world, title in zip(axes, (joint, joint.condition({0: 0})), ("nothing known", "first label off")):
    image = ax.contourf(
        grid[..., 0], grid[..., 1], world.marginals()[:, 1].reshape(80, 80), 20, cmap="cividis"
    )
    ax.set_title(title)
figure.colorbar(image, ax=axes, label="P(second label)")
plt.show()

"""
A decision forest is a joint
============================

Randomized trees put similar rows into the same leaves. Read the leaves as weights of training rows, and
every label set that those rows have gets a probability: a joint distribution without any linear model.
"""

# %%
# Labels that depend on the features by rings, which no linear model can see.
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalTree, DecisionForest

rng = np.random.default_rng(0)


def rings(n):
    X = rng.uniform(-2, 2, size=(n, 2))
    radius = np.hypot(*X.T) + 0.1 * rng.normal(size=n)
    inner, middle = radius < 0.8, (radius > 0.6) & (radius < 1.5)
    return X, np.column_stack([inner, middle, ~inner & ~middle]).astype(int)


X, Y = rings(1500)
X_test, Y_test = rings(1500)
models = {
    "linear tree": ConditionalTree().fit(X, Y),
    "decision forest": DecisionForest(200, random_state=0).fit(X, Y),
}

# %%
# The probability of the set {middle} alone over the plane.
grid = np.stack(np.meshgrid(np.linspace(-2, 2, 90), np.linspace(-2, 2, 90)), axis=-1)
figure, axes = plt.subplots(1, 2, figsize=(8.5, 3.9))
for ax, (name, model) in zip(axes, models.items()):
    joint = model.distribution(grid.reshape(-1, 2))
    probability = np.exp(joint.log_probs_of([[0, 1, 0]])[:, 0]).reshape(90, 90)
    image = ax.contourf(grid[..., 0], grid[..., 1], probability, np.linspace(0, 1, 21), cmap="cividis")
    ax.set_title(f"{name}: {model.score(X_test, Y_test):.2f} of the sets right")
figure.colorbar(image, ax=axes, label="P({middle})")
plt.show()

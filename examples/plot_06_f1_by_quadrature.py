"""
The best F1 answer without sampling
===================================

The instance F1 of an answer divides by the sizes of the answer and of the true set, so its expectation
couples all labels. setwise computes it exactly from the joint: 1 / s is the integral of t\\ :sup:`s-1`
over [0, 1], and for every t the labels of a tree sum out. A few points of a Gauss-Legendre rule are
enough.
"""

# %%
# One row of a mixture over 14 labels.
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalBernoulliMixture
from setwise.datasets import load
from setwise.metrics import instance_scores

yeast = load("yeast")
model = ConditionalBernoulliMixture(8, l2=30, gate_l2=30, tuning=False, max_iter=5, random_state=0).fit(
    yeast.X[:1000], yeast.Y[:1000]
)
joint = model.distribution(yeast.X[1200:1201])
decided = joint.decide("f1")
exact = 1 - decided.expected_loss[0]
print("best answer:", decided.labels[0], f"expected F1 {exact:.5f}, certified: {bool(decided.certified[0])}")

# %%
# The usual way draws sets and averages. Its error falls with the square root of the number of draws; the
# exact value is there at once.
draws = [10, 30, 100, 300, 1000, 3000, 10000]
estimates = np.array(
    [
        [
            instance_scores(
                sets := joint.sample(n, np.random.default_rng(seed))[0], np.tile(decided.labels, (n, 1))
            ).f1.mean()
            for n in draws
        ]
        for seed in range(12)
    ]
)
figure, ax = plt.subplots()
ax.plot(draws, estimates.T, ".", color="C5", alpha=0.7)
ax.plot([], [], ".", color="C5", label="averages over draws, twelve runs")
ax.axhline(exact, color="C0", linewidth=2, label="exact, from 14 labels' moments")
ax.set(xscale="log", xlabel="number of draws", ylabel="expected F1 of the answer")
ax.legend(frameon=False)
plt.show()

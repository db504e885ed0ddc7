"""
Certified modes, and how the search works
=========================================

The most probable set of *one* tree is easy to find. That of a mixture of trees is not: the papers sample
or anneal and hope. setwise merges the components' lists of best sets and stops when no other set can
win, so the answer comes with a proof.
"""

# %%
# Random mixtures of K trees over 16 labels, far from each other.
import matplotlib.pyplot as plt
import numpy as np

from setwise.distributions import ForestMixture


def mixture(K, n=200, L=16, seed=0):
    rng = np.random.default_rng(seed)
    parents = np.array([[-1, *(rng.integers(0, j) for j in range(1, L))] for _ in range(K)])
    logits = 1.5 * rng.normal(size=(n, K, L, 2))
    gate = np.log(rng.dirichlet(np.ones(K), size=n))
    return ForestMixture(gate, logits, parents)


# %%
# How often do a hundred draws and simulated annealing find the mode? The exact search knows, as it
# proves its answer.
sizes = [1, 2, 4, 8, 16, 32]
found = {"a hundred draws": [], "simulated annealing": []}
certified = []
for K in sizes:
    joint = mixture(K)
    exact = joint.mode()
    certified.append(exact.certified.mean())
    rng = np.random.default_rng(0)
    for name, guess in zip(found, (joint.sampled_mode(rng=rng), joint.annealed_mode(rng=rng))):
        found[name].append(np.isclose(guess.log_prob, exact.log_prob).mean())

figure, ax = plt.subplots()
ax.plot(sizes, certified, "o-", label="certified by the exact search", linewidth=2)
for name, share in found.items():
    ax.plot(sizes, share, "s--", label=f"found by {name}")
ax.set(xscale="log", xlabel="trees in the mixture", ylabel="share of rows", ylim=(0, 1.05))
ax.set_xticks(sizes, sizes)
ax.legend(frameon=False)
plt.show()

# %%
# **How it works.** A component hands out its sets in falling order. A set that no component has reached
# yet is at most as probable as the weighted sum of the components' current positions. When the best set
# seen so far beats that bound, the search ends with a proof. If it stops earlier, at its budget,
# ``certified`` is False and ``gap`` says how much is at stake.
joint[:3].mode()

"""
Stacking joints
===============

Different models are wrong in different places. A stack is a weighted mean of joints, with the weights
that make unseen rows most probable. It is a joint again: it can be conditioned, and its best sets are
proved.
"""

# %%
import matplotlib.pyplot as plt

from setwise import BinaryRelevance, ClassifierChain, ConditionalTree, DecisionForest, StackedSets
from setwise.datasets import load
from setwise.metrics import joint_log_loss

yeast = load("yeast")
X, Y, X_test, Y_test = yeast.X[:800], yeast.Y[:800], yeast.X[1200:], yeast.Y[1200:]
members = {
    "independent": BinaryRelevance(l2=10.0),
    "chain": ClassifierChain(l2=10.0),
    "tree": ConditionalTree(l2=10.0),
    "decision forest": DecisionForest(100, random_state=0),
}
stack = StackedSets(list(members.values()), cv=3, random_state=0).fit(X, Y)
stack.leaderboard_

# %%
# Each member alone, and the stack, on genes that none of them has seen. Lower is better.
losses = {name: joint_log_loss(member.fit(X, Y).log_prob(X_test, Y_test)) for name, member in members.items()}
losses["stack"] = joint_log_loss(stack.log_prob(X_test, Y_test))
figure, ax = plt.subplots(figsize=(7, 3.2))
ax.plot(list(losses.values()), list(losses), "o", markersize=10, color="C5")
ax.plot(losses["stack"], "stack", "o", markersize=12, color="C0")
for name, loss in losses.items():
    ax.annotate(f"{loss:.2f}", (loss, name), xytext=(9, 0), textcoords="offset points", va="center")
ax.grid(axis="x", alpha=0.3)
ax.margins(x=0.12, y=0.15)
ax.set_xlabel("log-loss of unseen genes")
plt.show()

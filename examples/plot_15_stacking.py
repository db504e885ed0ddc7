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
figure, ax = plt.subplots()
ax.barh(list(losses), list(losses.values()), color=["C5"] * 4 + ["C0"])
ax.set(xlabel="log-loss of unseen genes", xlim=(0.95 * min(losses.values()), 1.01 * max(losses.values())))
for i, loss in enumerate(losses.values()):
    ax.text(loss, i, f" {loss:.2f}", va="center")
plt.show()

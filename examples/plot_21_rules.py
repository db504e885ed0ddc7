"""
Rules that answers must keep
============================

A class implies another, two exclude each other, at most three may be answered. Constraints restrict the
answers and keep the loss: the result is the best answer among the allowed ones, and the price of each
rule can be read off.
"""

# %%
import matplotlib.pyplot as plt

from setwise import ConditionalTree
from setwise.datasets import load
from setwise.decisions import Constrained, Sizes
from setwise.metrics import instance_f1

yeast = load("yeast")
model = ConditionalTree(l2=10.0).fit(yeast.X[:1500], yeast.Y[:1500])
X, Y = yeast.X[1500:], yeast.Y[1500:]

rules = {
    "no rule": "f1",
    "exactly four labels": Sizes(4, 4, "f1"),
    "at most three labels": Sizes(1, 3, "f1"),
    "class 4 implies class 5": Constrained("f1", implies=[(3, 4)]),
    "classes 2 and 4 exclude each other": Constrained("f1", exclusive=[(1, 3)]),
    "only sets seen in training": Constrained("f1", among=yeast.Y[:1500]),
}

# %%
# The expected loss under each rule, beside the loss that is measured. A rule never lowers the expected
# loss; how much it raises it is its price.
decided = {name: model.decide(X, rule) for name, rule in rules.items()}
expected = [answer.expected_loss.mean() for answer in decided.values()]
measured = [1 - instance_f1(Y, answer.labels) for answer in decided.values()]
figure, ax = plt.subplots(figsize=(8, 3.8))
ax.plot(expected, list(rules), "o", label="expected", markersize=9)
ax.plot(measured, list(rules), "D", label="measured")
ax.invert_yaxis()
ax.set(xlabel="1 - F1")
ax.grid(axis="x", alpha=0.3)
ax.legend(frameon=False)
plt.show()

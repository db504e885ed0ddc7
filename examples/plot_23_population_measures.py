"""
Measures of the whole population
================================

Macro F1 is not a mean over rows: it counts each label's hits and misses over all rows and divides at the
end. So the best answer for one row depends on all the others. setwise answers for the batch as a whole.
"""

# %%
# Yeast genes again. The rarest class has one gene in a hundred.
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalBernoulliMixture
from setwise.datasets import load
from setwise.metrics import instance_f1, macro_f1, micro_f1

yeast = load("yeast")
X, Y, X_test, Y_test = yeast.X[:1200], yeast.Y[:1200], yeast.X[1200:], np.asarray(yeast.Y[1200:])
model = ConditionalBernoulliMixture(8, l2=30, gate_l2=30, tuning=False, max_iter=5, random_state=0).fit(X, Y)

# %%
# The same joint, four decisions: single labels, F1 of each row, and two measures of the population.
decisions = {"single labels": "hamming", "F1 of a row": "f1", "micro F1": "micro_f1", "macro F1": "macro_f1"}
answers = {name: model.predict(X_test, decision=decision) for name, decision in decisions.items()}
print(f"{'best for':14s} F1 of a row  micro F1  macro F1")
for name, sets in answers.items():
    scores = instance_f1(Y_test, sets), micro_f1(Y_test, sets), macro_f1(Y_test, sets)
    print(f"{name:14s} {scores[0]:11.3f}  {scores[1]:8.3f}  {scores[2]:8.3f}")


# %%
# Where does the gain come from? Label by label, rare classes never pass the threshold of one half, so
# their F1 is zero. The decision for macro F1 answers them where they are least improbable.
def f1_of_labels(sets):
    hits = (sets & Y_test).sum(axis=0)
    return 2 * hits / np.maximum(sets.sum(axis=0) + Y_test.sum(axis=0), 1)


order = np.argsort(Y_test.mean(axis=0))
plain, whole = (f1_of_labels(answers[name])[order] for name in ("single labels", "macro F1"))
where = np.arange(len(order))
figure, ax = plt.subplots(figsize=(8, 4.2))
ax.vlines(where, plain, whole, color="C5", linewidth=3, alpha=0.6)
ax.plot(where, plain, "s", color="C1", markersize=8, label="single labels")
ax.plot(where, whole, "o", color="C0", markersize=8, label="macro F1")
ax.set_xticks(where, [f"{share:.0%}" for share in Y_test.mean(axis=0)[order]])
ax.set(xlabel="share of genes in the class, the rarest first", ylabel="F1 of the class", ylim=(-0.03, 1))
ax.legend(frameon=False, title="decision")
plt.show()

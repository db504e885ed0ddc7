"""
One model, five losses
======================

A probability is not an answer. Which set to answer depends on what mistakes cost. The same fitted model
gives a different best answer for each loss, and says what it expects that answer to cost.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalBernoulliMixture
from setwise.datasets import load
from setwise.decisions import Costs, FBeta
from setwise.metrics import exact_match, hamming_score, instance_f1, instance_jaccard, instance_recall

yeast = load("yeast")
X, Y, X_test, Y_test = yeast.X[:1200], yeast.Y[:1200], yeast.X[1200:1900], yeast.Y[1200:1900]
model = ConditionalBernoulliMixture(10, l2=30, gate_l2=30, tuning=False, max_iter=6, random_state=0).fit(X, Y)

# %%
# Five decisions. The last one pays five times more for a missed class than for a false alarm.
decisions = {
    "whole set": "subset",
    "single labels": "hamming",
    "F1": "f1",
    "F2": FBeta(beta=2),
    "missing costs 5": Costs(false_positive=1, false_negative=5),
}
measures = {
    "exact match": exact_match,
    "labels right": hamming_score,
    "F1": instance_f1,
    "Jaccard": instance_jaccard,
    "recall": instance_recall,
}
scores = np.array(
    [
        [measure(Y_test, model.predict(X_test, decision=decision)) for measure in measures.values()]
        for decision in decisions.values()
    ]
)

# %%
# Each measure has its best decision. No decision is best everywhere.
figure, ax = plt.subplots(figsize=(7.5, 4.2))
shown = (scores - scores.min(axis=0)) / (scores.max(axis=0) - scores.min(axis=0))
ax.imshow(shown, cmap="cividis", aspect="auto")
for i, row in enumerate(scores):
    for j, score in enumerate(row):
        best = score == scores[:, j].max()
        ax.text(
            *(j, i, f"{score:.3f}"),
            ha="center",
            va="center",
            color="black" if shown[i, j] > 0.5 else "white",
            weight="bold" if best else "normal",
        )
ax.set(xticks=range(5), xticklabels=measures, yticks=range(5), yticklabels=decisions)
ax.set_xlabel("measured on unseen genes (best in bold)")
ax.set_ylabel("decision")
ax.spines[:].set_visible(False)
plt.show()

# %%
# The expected loss can be checked: over many rows it should agree with the loss that is measured.
decided = model.decide(X_test, "f1")
print(f"expected {decided.expected_loss.mean():.3f}, measured {1 - instance_f1(Y_test, decided.labels):.3f}")

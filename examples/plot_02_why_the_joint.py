"""
Why the joint matters
=====================

A photo shows a beach or a forest, never both. Seen label by label, "beach" and "forest" may each be the
likelier answer, or neither. Only the joint distribution knows that exactly one of them is right.
"""

# %%
# Photos whose features hint at the landscape. Waves come with beaches, birds with forests, and some
# photos are hard to tell.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from setwise import BinaryRelevance, ConditionalTree
from setwise.metrics import exact_match, hamming_score, joint_log_loss


def photos(n, rng):
    beach = rng.random(n) < 0.5
    labels = {
        "beach": beach,
        "forest": ~beach,
        "waves": beach & (rng.random(n) < 0.8),
        "birds": ~beach & (rng.random(n) < 0.7),
    }
    hints = np.where(beach, 0.6, -0.6)[:, None] + rng.normal(size=(n, 3))
    return hints, pd.DataFrame(labels).astype(int)


rng = np.random.default_rng(0)
X, Y = photos(1000, rng)
X_test, Y_test = photos(1000, rng)

# %%
# Two models of the same linear learners. The first treats labels as independent given the photo, the
# second lets each label depend on one other.
models = {"label by label": BinaryRelevance().fit(X, Y), "joint": ConditionalTree().fit(X, Y)}
for name, model in models.items():
    sets = model.predict(X_test)
    print(
        f"{name:15s} single labels right {hamming_score(Y_test, sets):.3f}, "
        f"whole sets right {exact_match(Y_test, sets):.3f}, "
        f"log-loss {joint_log_loss(model.log_prob(X_test, Y_test)):.2f}"
    )

# %%
# One photo that could be either. Its labels have the same marginals in both models. The sets do not:
# independent labels give more than half of their probability to sets that cannot occur.
photo = [[0.1, 0.0, -0.1]]
best = models["label by label"].predict_top_k(photo, k=12).labels[0]
figure, ax = plt.subplots(figsize=(8, 4.2))
names = [", ".join(Y.columns[s.astype(bool)]) or "(none)" for s in best]
for shift, (name, model) in zip((-0.2, 0.2), models.items()):
    probability = np.exp(model.distribution(photo).log_probs_of(best)[0])
    ax.barh(np.arange(len(best)) + shift, probability, height=0.4, label=name)
ax.set(yticks=np.arange(len(best)), yticklabels=names, xlabel="probability of the set")
ax.invert_yaxis()
ax.legend(frameon=False)
plt.show()

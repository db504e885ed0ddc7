"""
Learning when labels are missing
================================

An unknown label is not a label that is off. Most tools need the whole label matrix, so people fill the
holes with zeros. The models here sum unknown labels out instead.
"""

# %%
# Genes with a growing share of labels deleted from the training rows.
import matplotlib.pyplot as plt
import numpy as np

from setwise import ConditionalTree
from setwise.datasets import load
from setwise.metrics import joint_log_loss

yeast = load("yeast")
X, Y, X_test, Y_test = yeast.X[:1000], np.asarray(yeast.Y[:1000], float), yeast.X[1600:], yeast.Y[1600:]
rng = np.random.default_rng(0)
order = rng.random(Y.shape)
shares = [0, 0.15, 0.3, 0.45, 0.6]
losses = {"summed out (NaN)": [], "filled with zeros": []}
for share in shares:
    known = np.where(order < share, np.nan, Y)
    for name, labels in zip(losses, (known, np.nan_to_num(known))):
        model = ConditionalTree(l2=10.0, min_labels=0).fit(X, labels)
        losses[name].append(joint_log_loss(model.log_prob(X_test, Y_test)))

# %%
# With 60 % of the labels unknown, the model still learns nearly as well as from all of them. With zeros
# in the holes it learns that labels are rare.
figure, ax = plt.subplots()
for name, loss in losses.items():
    ax.plot(100 * np.array(shares), loss, "o-", label=name)
ax.set(xlabel="labels deleted from the training rows (%)", ylabel="log-loss of unseen genes")
ax.legend(frameon=False)
plt.show()

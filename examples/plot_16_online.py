"""
Learning online
===============

NaiBX counts, so it learns from rows as they arrive and forgets none. It predicts how many labels a row
has, then which.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from setwise import NaiBX
from setwise.datasets import make_cbm
from setwise.metrics import exact_match, hamming_score

data, truth = make_cbm(8000, n_labels=6, n_features=10, random_state=1)
X, Y, X_test, Y_test = data.X[:6000], data.Y[:6000], data.X[6000:], data.Y[6000:]

# %%
# Rows arrive in small batches. After each one the model is asked about rows it has not seen.
model = NaiBX()
seen, sets_right, labels_right = [], [], []
for end in np.unique(np.geomspace(50, 6000, 25).astype(int)):
    start = seen[-1] if seen else 0
    model.partial_fit(X[start:end], Y[start:end])
    answers = model.predict(X_test)
    seen.append(end)
    sets_right.append(exact_match(Y_test, answers))
    labels_right.append(hamming_score(Y_test, answers))

figure, ax = plt.subplots()
ax.plot(seen, labels_right, "o-", label="labels right")
ax.plot(seen, sets_right, "s-", label="whole sets right")
ax.set(xscale="log", xlabel="rows seen so far", ylabel="share on unseen rows", ylim=(0, 1))
ax.legend(frameon=False)
plt.show()

# %%
# The order and the size of the batches do not matter: counting everything at once gives the same model.
at_once = NaiBX().fit(X, Y)
print(np.abs(at_once.predict_proba(X_test[:100]) - model.predict_proba(X_test[:100])).max() < 1e-6)

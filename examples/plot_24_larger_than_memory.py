"""
Larger than memory, and Dask
============================

Rows may stay in files or on a cluster: a fit needs only sums over them. What it learns is what a fit in
memory would, and more rows make it more exact.
"""

# %%
# Rows in files, with labels whose true coefficients are known. Nobody reads the files as a whole: they are
# mapped, and ``fit`` visits them a block at a time.
import tempfile
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client

from setwise import BinaryRelevance
from setwise.blockwise import BlockwiseSetClassifier
from setwise.dask import DaskSetClassifier

folder = tempfile.TemporaryDirectory()
rows_file, labels_file = Path(folder.name, "rows.npy"), Path(folder.name, "labels.npy")
rng = np.random.default_rng(0)
true = rng.normal(size=(6, 12))
features = rng.normal(size=(256_000, 12))
np.save(rows_file, features)
np.save(labels_file, (features @ true.T + rng.logistic(size=(256_000, 6)) > 0).astype(np.int8))
X, Y = np.load(rows_file, mmap_mode="r"), np.load(labels_file, mmap_mode="r")

# %%
# The memory limit sets the rows of a block. The penalty and the start of the solver come from a sample of the
# rows, the coefficients from all of them.
fits = {}
for n in 4_000 * 4 ** np.arange(4):
    blockwise = BlockwiseSetClassifier(BinaryRelevance(l2=1.0), memory_limit="300MB", sample_rows=2_000)
    fits[n] = blockwise.fit(X[:n], Y[:n]).to_local()
print(f"blocks of {blockwise.block_rows_:,} rows")

in_memory = BinaryRelevance(l2=1.0).fit(features[:16_000], Y[:16_000])
print(f"differs from a fit in memory by {np.abs(in_memory.coef_ - fits[16_000].coef_).max():.0e}")

# %%
# Each dot is a coefficient. Four times the rows, half the error; the sample alone would have stopped on the left.
figure, ax = plt.subplots()
for n, model in fits.items():
    errors = np.abs(model.coef_ - true).ravel()
    ax.plot(n * rng.uniform(0.8, 1.25, errors.size), errors, ".", color="#56b4e9", alpha=0.6, zorder=1)
means = [np.sqrt(np.mean((model.coef_ - true) ** 2)) for model in fits.values()]
ax.plot(list(fits), means, "o-", color="#d55e00", linewidth=2, markersize=8, label="root of the mean square")
ax.set(
    xscale="log",
    yscale="log",
    xlabel="rows that the fit visited",
    ylabel="error of a coefficient",
    ylim=(1e-4, 0.3),
)
ax.set_xticks(list(fits), [f"{n:,}" for n in fits], minor=False)
ax.minorticks_off()
ax.legend(frameon=False)
plt.show()

# %%
# The same on a cluster: the rows stay on its workers, and sums as large as the coefficients travel. Here the
# workers are threads of this process; ``Client("tcp://...")`` is a cluster of yours.
with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
    parts = [da.from_array(np.asarray(array[:16_000]), chunks=(4_000, -1)) for array in (X, Y)]
    on_cluster = DaskSetClassifier(BinaryRelevance(l2=1.0), client).fit(*parts)
    print(on_cluster.predict(parts[0])[:3].compute())
    difference = np.abs(on_cluster.to_local().coef_ - in_memory.coef_).max()
    print(f"differs from a fit in memory by {difference:.0e}, after {on_cluster.traffic_}")
folder.cleanup()

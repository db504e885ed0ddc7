"""A smoke test of an installed setwise: fit, ask, save, load. Prints which kernels are in use."""

import tempfile
from pathlib import Path

import numpy as np

import setwise
from setwise import ConditionalTree, load, save

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
first = X[:, 0] + rng.logistic(size=200) > 0
Y = np.column_stack([first, first ^ (rng.random(200) < 0.1)]).astype(int)
model = ConditionalTree().fit(X, Y)
with tempfile.TemporaryDirectory() as folder:
    save(model, Path(folder) / "model.setwise")
    again = load(Path(folder) / "model.setwise")
assert (again.predict_proba(X) == model.predict_proba(X)).all()
assert model.distribution(X).mode().certified.all()
assert np.isclose(np.exp(model.distribution(X[:1]).log_probs_of([[0, 0], [0, 1], [1, 0], [1, 1]])).sum(), 1)
setwise.show_versions()

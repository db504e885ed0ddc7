"""Models whose arrays were replaced by hand, asked every question: run as a program, since it may crash.

``python -m tests.persistence.hostile_content FOLDER [ESTIMATOR ...]``
"""

import functools
import sys
import warnings
from pathlib import Path

import numpy as np

import setwise
from setwise.persistence import ModelFileError
from tests.estimators.registry import MAKERS
from tests.persistence.sealing import members, rewrite

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(40, 3)))
Y = (X + RNG.normal(size=(40, 3)) > 0.7).astype(int)

REPLACEMENTS = {
    "large": lambda a: np.full(a.shape, np.iinfo(a.dtype).max if a.dtype.kind in "iu" else 1e300, a.dtype),
    "negative": lambda a: np.full(a.shape, -100, a.dtype) if a.dtype.kind in "if" else a,
    "short": lambda a: a[:1].copy() if a.ndim and a.shape[0] > 1 else np.zeros((0, *a.shape[1:]), a.dtype),
    "long": lambda a: np.concatenate([a, a, a]) if a.ndim else np.tile(a, 3),
    "flat": lambda a: a.ravel(),
    "nothing": lambda a: np.zeros(0, a.dtype),
    "turned": lambda a: np.ascontiguousarray(a.T),
    "another type": lambda a: a.astype(np.float32 if a.dtype.kind != "f" else np.int8),
}


def ask_everything(model) -> None:
    questions = [
        model.predict,
        model.predict_proba,
        lambda X: model.predict(X, decision="hamming"),
        lambda X: model.predict_top_k(X, 3),
        lambda X: model.sample(X, 3, random_state=0),
        lambda X: model.log_prob(X, Y),
        lambda X: model.distribution(X).condition(np.tile([[1, -1, -1]], (len(X), 1))).mode(),
    ]
    for question in questions:
        try:
            with np.errstate(all="ignore"):
                question(X)
        except MemoryError:
            raise
        except Exception:
            continue


def attack(make, folder: Path) -> int:
    """Replace each array in each way; the number of models that loaded."""
    path, loaded = folder / f"{make.func.__name__}.setwise", 0
    setwise.save(make().fit(X, Y), path)
    original = path.read_bytes()
    for target in members(path):
        if not target.endswith(".npy"):
            continue
        for change in REPLACEMENTS.values():
            path.write_bytes(original)
            with np.errstate(all="ignore"):
                rewrite(path, arrays=lambda name, a, t=target, c=change: c(a) if name == t else a)
            try:
                model = setwise.load(path)
            except ModelFileError:
                continue
            loaded += 1
            ask_everything(model)
    return loaded


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    boosted = functools.partial(
        setwise.ConditionalBernoulliMixture, 2, learner="boosting", tuning=False, max_iter=3, n_init=1
    )
    for make in [*MAKERS, boosted]:
        if len(sys.argv) < 3 or make.func.__name__ in sys.argv[2:]:
            print(make.func.__name__, attack(make, Path(sys.argv[1])), flush=True)

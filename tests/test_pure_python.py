"""Without the compiled kernels setwise is slower, and otherwise the same."""

import os
import subprocess
import sys

import numpy as np

from setwise import ConditionalTree

FIT = """
import sys
import numpy as np
from tests.test_pure_python import answers
from setwise import kernels
assert not kernels.COMPILED
np.savez(sys.argv[1], **answers())
"""


def answers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    first = X[:, 0] + rng.normal(size=120) > 0
    Y = np.column_stack([first, first ^ (rng.random(120) < 0.1), X[:, 1] > 0]).astype(int)
    tree = ConditionalTree().fit(X, Y)
    best = tree.predict_top_k(X, 3)
    return {"log_prob": tree.log_prob(X, Y), "marginals": tree.predict_proba(X), "best": best.labels}


def test_the_pure_build_gives_the_same_answers(tmp_path):
    """Red if a NumPy twin is missing, or differs from its kernel beyond rounding."""
    path = tmp_path / "pure.npz"
    environment = os.environ | {"SETWISE_PURE": "1"}
    subprocess.run([sys.executable, "-c", FIT, str(path)], env=environment, check=True)
    pure, ours = np.load(path), answers()
    np.testing.assert_allclose(pure["log_prob"], ours["log_prob"], rtol=1e-5)
    np.testing.assert_allclose(pure["marginals"], ours["marginals"], rtol=1e-5)
    np.testing.assert_array_equal(pure["best"], ours["best"])


def test_the_missing_kernels_are_told_of():
    """Red if an installation without a compiler would be slow in silence."""
    code = (
        "import sys, warnings; sys.modules['setwise.kernels._native'] = None\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always'); import setwise.kernels as k\n"
        "assert not k.COMPILED and 'slower' in str(caught[0].message)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "SETWISE_PURE"}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)

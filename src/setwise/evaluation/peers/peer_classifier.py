"""A peer as an estimator of scikit-learn, fitted in a process of its own with the Python of the peers' environment."""

from __future__ import annotations

import os
import pickle
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags

from setwise.contract import Floats, Labels
from setwise.evaluation.peers import peer_program
from setwise.evaluation.peers.environment import peer_python
from setwise.kernels.matrices import as_matrix, to_dense

THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class PeerClassifier(BaseEstimator):
    """A multi-label classifier of another library, by its name.

    Parameters
    ----------
    name : str
        BOOMER, BOOMER-non-decomposable, RandomForest, ExtraTrees, LightGBM, LightGBM-chain, XGBoost or CatBoost.
    size : int, default=100
        Number of trees or rounds; BOOMER has ten rules for each.
    seconds, gigabytes : float
        Limits of processor time and memory. The peer's process ends at a limit, which is an error.
    random_state : int, optional
        Seed.

    Attributes
    ----------
    processor_seconds_ : float
        Processor time of the fit and of all answers so far.
    """

    def __init__(
        self,
        name: str,
        size: int = 100,
        *,
        seconds: float = 1800.0,
        gigabytes: float = 8.0,
        random_state: int | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.seconds = seconds
        self.gigabytes = gigabytes
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> Self:
        """Start the peer's process and fit it."""
        if self.name not in peer_program.PEERS:
            raise ValueError(f"unknown peer {self.name!r}; known are {', '.join(peer_program.PEERS)}")
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        self._process = _start(self._said)
        weakref.finalize(self, _end, self._process)
        self.processor_seconds_ = 0.0
        limits, seed = (self.seconds, self.gigabytes), self.random_state or 0
        self._ask((self.name, self.size, seed, limits, _features(X), to_dense(Y).astype(np.uint8)))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities (n, L) of the labels."""
        return np.asarray(self._ask((_features(X), None)), dtype=np.float64)

    def predict(self, X: Any) -> Labels:
        """Labels (n, L) more probable than not."""
        return (self.predict_proba(X) > 0.5).astype(np.int8)

    def log_prob(self, X: Any, Y: Any) -> Floats:
        """Log-probabilities (n,) of label sets: of independent labels or, by a chain, given the labels before."""
        Y = to_dense(Y).astype(np.uint8)
        p = np.asarray(self._ask((_features(X), Y)), dtype=np.float64)
        return np.asarray(np.log(np.where(Y == 1, p, 1.0 - p)).sum(axis=1))

    def _ask(self, request: Any) -> Any:
        """Send a request and wait for its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(request, self._process.stdin)
            self._process.stdin.flush()
            answer = pickle.load(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise RuntimeError(f"the process of {self.name} ended: {self._reason()}") from None
        if "error" in answer:
            raise RuntimeError(f"{self.name}: {answer['error']}")
        self.processor_seconds_ += answer["seconds"]
        return answer["result"]

    def _reason(self) -> str:
        """Why the process ended, with the last line that it said."""
        try:
            code = self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "it does not answer"
        self._said.seek(0)
        last = self._said.read().decode(errors="replace").strip().splitlines()[-1:]
        how = f"signal {-code}, at a limit or by a crash" if code < 0 else f"exit code {code}"
        return ": ".join([how, *last])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _features(X: Any) -> Any:
    """Single precision; sparse rows as the older matrix type, which all peers know."""
    X = as_matrix(X).astype(np.float32)
    return csr_matrix(X) if issparse(X) else X


def _start(said: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [peer_python(), str(Path(peer_program.__file__))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        env=os.environ | THREADS,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()

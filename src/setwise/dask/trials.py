"""The trials of an automatic choice on the workers of a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from distributed import Client, Future
from distributed.scheduler import KilledWorker

from setwise.dask.rounds import check_client, finished
from setwise.estimators.meta.search.trials import Examples, Key, Trial, Verdict, judge, trials_made_by
from setwise.learning.progress.time_limit import time_limit


@contextmanager
def choosing_on(client: Client) -> Iterator[None]:
    """Let each :class:`~setwise.AutoSetClassifier` that is fitted inside try its candidates on a cluster.

    Trials that will probably be needed are begun before the search asks for them, as many at a time as the workers have
    threads. With ``effort=`` or ``time_budget=None`` the choice is that of a search in one process; a budget of seconds
    allows more trials. A trial whose worker is killed is repeated on another one.

    Parameters
    ----------
    client : distributed.Client

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from setwise import AutoSetClassifier, BinaryRelevance, ConditionalTree
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0.1]).astype(int)
    >>> with Client(processes=False, dashboard_address=None) as client, choosing_on(client):
    ...     model = AutoSetClassifier([BinaryRelevance(), ConditionalTree()], time_budget=None).fit(X, Y)
    >>> len(model.leaderboard_) >= 2
    True
    """
    check_client(client)

    def make(examples: Examples, trial_of: Callable[[Key], Trial]) -> TrialsOnWorkers:
        return TrialsOnWorkers(client, examples, trial_of)

    with trials_made_by(make):
        yield


class TrialsOnWorkers:
    """Does the trials of one search on a cluster.

    Parameters
    ----------
    client : distributed.Client
    examples : Examples
        Sent once; they are made again from the client's copy if their worker is lost.
    trial_of : callable
        Makes the trial of a key.
    """

    def __init__(self, client: Client, examples: Examples, trial_of: Callable[[Key], Trial]) -> None:
        self.client, self.trial_of = client, trial_of
        self.examples = client.submit(_as_they_are, examples, pure=False)
        self.expected: list[Key] = []
        self.until = float("inf")
        self.running: dict[Key, Future] = {}

    def expect(self, keys: Sequence[Key], allowed: float) -> None:
        """Begin the first of these trials, as many as there are threads."""
        self.expected, self.until = list(keys), time.monotonic() + allowed
        self._begin_expected()

    def verdict(self, key: Key, allowed: float) -> Verdict:
        """Wait for a trial; others begin in the meantime."""
        if key in self.expected:
            self.expected.remove(key)
        if key not in self.running:
            self._begin(key, allowed)
        self._begin_expected()
        future = self.running.pop(key)
        finished(self.client, [future])
        try:
            verdict: Verdict = future.result()
        except KilledWorker as error:
            raise MemoryError(
                "its fit ended several workers, most often because they have too little memory"
            ) from error
        return verdict

    def close(self) -> None:
        """Cancel the trials that nobody asked for."""
        self.expected = []
        self.client.cancel([*self.running.values()])
        self.running = {}

    def _begin_expected(self) -> None:
        room = sum(self.client.nthreads().values()) - len(self.running)
        while room > 0 and self.expected:
            self._begin(self.expected.pop(0), self.until - time.monotonic())
            room -= 1

    def _begin(self, key: Key, allowed: float) -> None:
        self.running[key] = self.client.submit(_judge, self.examples, self.trial_of(key), allowed, pure=False)


def _as_they_are(examples: Examples) -> Examples:
    return examples


def _judge(examples: Examples, trial: Trial, allowed: float) -> Verdict:
    began = time.perf_counter()
    with time_limit(allowed):
        verdict = judge(examples, trial)
    return verdict._replace(seconds=time.perf_counter() - began)

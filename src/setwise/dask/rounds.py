"""Waiting for the answers of a round, without waiting for ever."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dask.sizeof import sizeof
from distributed import CancelledError, Client, Future, wait
from distributed.scheduler import KilledWorker

PATIENCE = 60.0
"""Seconds without any worker after which a round is given up; a nanny starts a lost worker again within a few."""
LOOK = 5.0
"""Seconds between two looks at the cluster."""
CONNECT = 10.0
"""Seconds in which a scheduler must answer."""


class ClusterError(RuntimeError):
    """The cluster cannot finish the fit."""


@dataclass
class Traffic:
    """What the rounds of a fit moved.

    ``rounds``, the bytes of the functions sent ``out`` to the workers, and those of the sums that came ``back``;
    ``workers`` is their number.
    """

    workers: int = 1
    rounds: int = 0
    out: int = 0
    back: int = 0

    def sent(self, size: int, copies: int) -> None:
        """Note a round whose function has ``size`` bytes and is sent ``copies`` times."""
        self.rounds += 1
        self.out += size * copies


def connected(address: str) -> Client:
    """Connect to a scheduler, or raise a ClusterError that says what to do."""
    try:
        return Client(address, timeout=CONNECT)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with `dask scheduler`, and pass "
            "its address, such as tcp://127.0.0.1:8786"
        ) from error


def check_client(client: Client) -> None:
    """Raise a ClusterError unless the client is connected to a scheduler."""
    if client.status != "running":
        raise ClusterError(
            f"the Dask client is {client.status}, so nothing can be computed; make a new one, Client(address)"
        )


def answers_of(
    client: Client, futures: Sequence[Future], traffic: Traffic, blocks: Sequence[Future]
) -> Iterator[Any]:
    """Wait for the results of futures, which come from those of the ``blocks``.

    Errors of their tasks are raised; a lost cluster, or a block that no worker survives, is a ClusterError.
    """
    try:
        finished(client, futures)
        for answer in client.gather(list(futures)):
            traffic.back += sizeof(answer)
            yield answer
    except CancelledError as error:
        raise ClusterError(
            "rows that the cluster held are lost with their worker, and it does not know where they came from; give it "
            "collections that it reads itself (dask.array.from_zarr, dask.dataframe.read_parquet), or fit again"
        ) from error
    except KilledWorker as error:
        lost = [str(number) for number, block in enumerate(blocks) if block.status == "error"]
        name = f"block {lost[0]}" if len(lost) == 1 else f"one of the blocks {', '.join(lost[:5])}"
        raise ClusterError(
            f"{name if lost else 'a block'} ended several workers, most often because they have too little memory for "
            "it; split the rows into smaller partitions, or start workers with more memory"
        ) from error


def finished(client: Client, futures: Sequence[Future], *, all_of_them: bool = True) -> set[Future]:
    """Wait for futures, or for some of them; a ClusterError if there is no worker for long."""
    since, when = None, "ALL_COMPLETED" if all_of_them else "FIRST_COMPLETED"
    while True:
        try:
            done: set[Future] = wait(futures, timeout=LOOK, return_when=when).done
            return done
        except TimeoutError:
            check_client(client)
        if client.scheduler_info(n_workers=-1)["workers"]:
            since = None
        elif since is None:
            since = time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            client.cancel(list(futures))
            raise ClusterError(
                f"the cluster has had no worker for {PATIENCE:.0f} seconds; start workers and try again"
            )

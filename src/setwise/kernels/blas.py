"""Dense matrix products of a fit, on threads of our own.

The threads of BLAS wait for the next product by spinning. In a fit, whose products are short and alternate with other
kernels, they take the cores that these kernels need: a second thread then makes the fit slower, not faster. So BLAS has
one thread during a fit, and large products are shared here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from setwise.arrays import Array
from setwise.kernels import threads

SHARED_WORK = 1 << 23
"""Multiplications of each part of a shared product: handing over a part takes about a tenth of their time."""


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="setwise")


_limited = threading.Lock()
"""Held by the fit that has given BLAS one thread."""


def _after_fork() -> None:
    """Forget threads, which do not survive a fork, and a lock that one of them may hold."""
    global _limited
    _limited = threading.Lock()
    _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Give BLAS one thread while a fit runs.

    The number belongs to the process, and the fit that has changed it restores it: others that run meanwhile leave it.

    Examples
    --------
    >>> with one_blas_thread():
    ...     product = multiply(np.ones((2, 3)), np.ones((3, 1)))
    >>> product.ravel()
    array([3., 3.])
    """
    lock = _limited
    if not lock.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        lock.release()


def multiply(A: Array, B: Array) -> Array:
    """Multiply dense matrices (n, d) and (d, m); in :func:`one_blas_thread`, threads share the rows of large ones."""
    parts = min(threads(), A.shape[0] * A.shape[1] * B.shape[1] // SHARED_WORK) if _limited.locked() else 1
    if parts < 2:
        return np.asarray(A @ B)
    out = np.empty((len(A), B.shape[1]), np.result_type(A, B))
    bounds = np.linspace(0, len(A), parts + 1).astype(int)

    def fill(begin: int, end: int) -> None:
        np.matmul(A[begin:end], B, out=out[begin:end])

    others = [_pool().submit(fill, *bounds[part : part + 2]) for part in range(1, parts)]
    fill(*bounds[:2])
    for other in others:
        other.result()
    return out

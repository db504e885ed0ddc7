"""Products of a fit on our own threads, while BLAS has one."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from setwise.kernels import blas, set_threads, threads


@pytest.fixture(autouse=True)
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two threads, which share even small products."""
    before = threads()
    monkeypatch.setattr(blas, "SHARED_WORK", 8)
    set_threads(2)
    with threadpool_limits(2, "blas"):
        yield
    set_threads(before)


def blas_threads() -> int:
    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


@pytest.mark.parametrize("shape", [(1, 7, 3), (2, 5, 4), (101, 13, 6)])
def test_a_shared_product_is_the_product(shape: tuple[int, int, int]) -> None:
    """Red if a part were missing or in another's place."""
    n, d, m = shape
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(d, n)).T, rng.normal(size=(d, m))
    with blas.one_blas_thread():
        np.testing.assert_allclose(blas.multiply(A, B), A @ B, rtol=1e-13, atol=1e-13)


def test_blas_has_its_threads_back_after_fits_that_overlap() -> None:
    """Red if a fit within a fit gave them back, or if a fit wrote down another's one thread as the number."""
    begun, go = threading.Event(), threading.Event()

    def other() -> None:
        with blas.one_blas_thread():
            begun.set()
            go.wait(60)

    thread = threading.Thread(target=other)
    with blas.one_blas_thread():
        thread.start()
        begun.wait(60)
        with blas.one_blas_thread():
            pass
        assert blas_threads() == 1
    go.set()
    thread.join()
    assert blas_threads() == 2


def _product_in_child(answers: Any) -> None:
    with blas.one_blas_thread():
        answers.put(float(blas.multiply(np.ones((64, 8)), np.ones((8, 8))).sum()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    """Red if the child waited for threads that only its parent has."""
    context = multiprocessing.get_context("fork")
    with blas.one_blas_thread():
        blas.multiply(np.ones((64, 8)), np.ones((8, 8)))
    answers = context.Queue()
    child = context.Process(target=_product_in_child, args=(answers,))
    child.start()
    assert answers.get(timeout=120) == 64 * 8 * 8
    child.join()

"""Compiled loops and stable log-space functions; the only layer that asks whether X is sparse.

Every kernel exists twice with the same signature: in C++ (``_native``) and in NumPy (``reference``). The compiled one
is used if it was built and ``SETWISE_PURE=1`` is not set. The number of threads is ``SETWISE_THREADS``, otherwise
``OMP_NUM_THREADS``, otherwise the number of cores that this process may use.
"""

import importlib
import os
import warnings
from types import ModuleType

from setwise.kernels import reference


def _choose() -> ModuleType:
    if os.environ.get("SETWISE_PURE"):
        return reference
    try:
        return importlib.import_module("setwise.kernels._native")
    except ImportError:
        warnings.warn(
            "setwise was installed without its compiled kernels, so it is many times slower. Install a C++ "
            "compiler and reinstall setwise to get them; set SETWISE_PURE=1 to silence this warning.",
            UserWarning,
            stacklevel=3,
        )
        return reference


def default_threads() -> int:
    """The number of threads that the environment sets, or the number of cores."""
    asked = os.environ.get("SETWISE_THREADS") or os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


implementation = _choose()
"""The module of the kernels in use."""
COMPILED = implementation is not reference
"""Whether the compiled kernels are in use."""

_threads = 1


def set_threads(n: int) -> None:
    """Set the number of threads of the compiled kernels and of a fit's matrix products."""
    global _threads
    implementation.set_threads(n)
    _threads = n


def threads() -> int:
    """The number of threads that was set."""
    return _threads


set_threads(default_threads())

"""Compiled loops and stable log-space functions; the only layer that asks whether X is sparse.

Every kernel exists twice with one signature: in C++ (``_native``) and in NumPy (``reference``). The compiled
one is used where it was built; ``SETWISE_PURE=1`` asks for NumPy.
"""

import os
import warnings

from setwise.kernels import reference

try:
    if os.environ.get("SETWISE_PURE"):
        raise ImportError("SETWISE_PURE is set")
    from setwise.kernels import _native as implementation
except ImportError:
    implementation = reference
    if not os.environ.get("SETWISE_PURE"):
        warnings.warn(
            "setwise was installed without its compiled kernels, so it is many times slower. Install "
            "a C++ compiler and reinstall setwise to get them; set SETWISE_PURE=1 to silence this warning.",
            UserWarning,
            stacklevel=2,
        )

COMPILED = implementation is not reference
"""Whether the compiled kernels are in use."""

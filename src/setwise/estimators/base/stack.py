"""The line of user code that a warning should point to."""

from __future__ import annotations

import sys

LIBRARIES = ("setwise.", "sklearn.")


def user_stacklevel() -> int:
    """Find the ``stacklevel`` of the first caller outside setwise and scikit-learn, for a warning.

    A fit is called through a varying number of frames: scikit-learn's callbacks, pipelines and searches add some.

    Examples
    --------
    >>> user_stacklevel() >= 1
    True
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(LIBRARIES):
        level, frame = level + 1, frame.f_back
    return level

"""Versions of the packages of an installation, for bug reports."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version

from setwise.kernels import COMPILED, default_threads

REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)[^;]*(?:; extra == \"(?P<extra>\w+)\")?")


def show_versions() -> None:
    """Print the versions of Python, setwise and its dependencies, and whether the compiled kernels are in use.

    Examples
    --------
    >>> show_versions()  # doctest: +ELLIPSIS
    python: 3...
    """
    for name, value in installation().items():
        print(f"{name}: {value}")


def installation() -> dict[str, str]:
    """What :func:`show_versions` prints, by name.

    Returns
    -------
    dict of str
        Versions of Python, setwise, required packages and packages of the extras other than ``dev``; the platform,
        the kernels in use and their threads.
    """
    kernels = "compiled" if COMPILED else "NumPy, many times slower"
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "setwise": version("setwise"),
        **{name: _installed(name) for name in _packages()},
        "kernels": f"{kernels}, {default_threads()} threads",
    }


def _packages() -> list[str]:
    """Packages that setwise requires, then those of its extras."""
    found = [REQUIREMENT.match(line) for line in requires("setwise") or []]
    wanted = [match for match in found if match and match["extra"] != "dev" and match["name"] != "setwise"]
    return [match["name"] for match in wanted]


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"

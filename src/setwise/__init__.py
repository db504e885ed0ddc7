"""Multi-label classification that predicts whole label sets from their joint distribution."""

import ast
import importlib
import pkgutil
from typing import Any


def _homes() -> dict[str, str]:
    """The module of each public name, as ``__init__.pyi`` imports it."""
    stub = ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or b"")
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


# Names are imported when first used, so that `setwise --help` need not wait for scikit-learn.
_HOMES = _homes()
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version(__name__)
    if name not in _HOMES:
        raise AttributeError(f"module 'setwise' has no attribute {name!r}; it has {', '.join(_HOMES)}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "__version__"})

"""Objects inside objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from setwise.persistence.kinds.kind import Kind, Scope, refuse, shown
from setwise.persistence.kinds.schema import check_parameters, check_record
from setwise.persistence.kinds.sizes import Size, as_size
from setwise.persistence.records import Record


class Part(Kind):
    """A complete object of one of some classes.

    Parameters
    ----------
    names : str or function
        Names of the classes; a function is called when an object is checked.
    sizes : sizes of the object around it, or numbers
        The size of the outer object, or the number, that each size of the part must equal. If the outer size is not
        known yet, it is set from the part.

    Examples
    --------
    ``Part("part.LinearScores", d=d, B=2 * L)`` has coefficients of shape (d, 2 * L).
    """

    def __init__(self, *names: str | Callable[[], Iterable[str]], **sizes: Size | int) -> None:
        self._names = names
        self.sizes = {name: as_size(size) for name, size in sizes.items()}

    @property
    def names(self) -> set[str]:
        """Names of the classes."""
        listed = ([name] if isinstance(name, str) else list(name()) for name in self._names)
        return {name for names in listed for name in names}

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        self._check_class(value, place)
        known = {name: size.value(scope.sizes) for name, size in self.sizes.items()}
        inner = scope.inner({name: size for name, size in known.items() if size is not None})
        check_record(value, place, inner)
        for name, size in self.sizes.items():
            if name in inner.sizes and not size.unify(inner.sizes[name], scope.sizes):
                refuse(place, f"a part with {name}={inner.sizes[name]}", f"{size.value(scope.sizes)}")

    def decides(self, value: Any) -> bool:
        """See :class:`Kind`: a class is named by one of several kinds."""
        return isinstance(value, Record) and value.name in self.names

    def _check_class(self, value: Any, place: str) -> None:
        if not isinstance(value, Record) or value.name not in self.names:
            few = sorted(name.partition(".")[2] for name in self.names)
            refuse(place, shown(value), ", ".join(few[:4]) + (", ..." if len(few) > 4 else ""))


class ClassOf(Part):
    """An object of one of some classes, whose content a rule checks."""

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        self._check_class(value, place)


class Template(Part):
    """An estimator that is not fitted: parameters only."""

    def decides(self, value: Any) -> bool:
        """See :class:`Kind`: an estimator without attributes is not a fitted one."""
        return super().decides(value) and not value.state

    def check(self, value: Any, place: str, scope: Scope) -> None:
        """See :class:`Kind`."""
        self._check_class(value, place)
        if value.state:
            refuse(place, "a fitted estimator", "one that is not fitted")
        check_parameters(value, place, scope.inner({}, fitted=False))

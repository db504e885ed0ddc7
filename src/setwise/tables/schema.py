"""How the columns of a file became features and labels, so that another file can be read the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from setwise.errors import InputError


@dataclass(frozen=True)
class TagColumn:
    """A column whose entries list the labels of a row.

    Parameters
    ----------
    column : str
        Its name.
    separator : str
        Between two labels.

    Examples
    --------
    >>> TagColumn("tags", ";").separator
    ';'
    """

    column: str
    separator: str


@dataclass(frozen=True)
class Schema:
    """How a training file was read, so that another file can be read the same way.

    What became of the columns of a table is in its :class:`TableEncoder`.

    Parameters
    ----------
    columns : tuple of str
        Attributes of an ARFF file that are features, in their order.
    categories : mapping of str to tuple of str
        The declared values of those that are nominal, in the order of their codes.
    zero_based : bool, optional
        Of a libsvm file, whose features have numbers and no names: whether they are counted from 0. A second file
        in which feature 0 does not occur cannot say it.
    tags : TagColumn, optional
        The column of tags that the labels came from.
    delimiter : str, optional
        The delimiter that was passed for the CSV file; None if it was the usual one.
    decimal : str
        The decimal separator of its numbers.

    Examples
    --------
    >>> schema = Schema(("size", "colour"), {"colour": ("blue", "red")}, delimiter=";")
    >>> Schema.from_dict(schema.to_dict()) == schema
    True
    """

    columns: tuple[str, ...] = ()
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    zero_based: bool | None = None
    tags: TagColumn | None = None
    delimiter: str | None = None
    decimal: str = "."

    def to_dict(self) -> dict[str, Any]:
        """Convert the schema to what JSON can hold.

        Returns
        -------
        dict

        Examples
        --------
        >>> Schema(("size",)).to_dict()["columns"]
        ['size']
        """
        categories = {name: list(values) for name, values in self.categories.items()}
        return asdict(self) | {"columns": list(self.columns), "categories": categories}

    @classmethod
    def from_dict(cls, stored: Any) -> Self:
        """Restore a schema from what :meth:`to_dict` returned.

        Parameters
        ----------
        stored : dict
            It may come from a stranger's file, so everything in it is checked.

        Returns
        -------
        Schema

        Examples
        --------
        >>> Schema.from_dict({"columns": ["size"], "categories": {}}).columns
        ('size',)
        """
        if not isinstance(stored, dict) or not set(stored) <= set(cls.__dataclass_fields__):
            raise InputError("the schema of the training table is damaged")
        categories = stored.get("categories", {})
        schema = cls(
            columns=_strings(stored.get("columns", [])),
            categories={name: _strings(values) for name, values in _checked(categories, dict).items()},
            zero_based=_checked(stored.get("zero_based"), bool, type(None)),
            tags=_tags(stored.get("tags")),
            delimiter=_checked(stored.get("delimiter"), str, type(None)),
            decimal=_checked(stored.get("decimal", "."), str),
        )
        if not set(schema.categories) <= set(schema.columns) or schema.decimal not in (".", ","):
            raise InputError("the schema of the training table is damaged")
        return schema


def _tags(stored: Any) -> TagColumn | None:
    if stored is None:
        return None
    found = _checked(stored, dict)
    return TagColumn(_checked(found.get("column"), str), _checked(found.get("separator"), str))


def _strings(stored: Any) -> tuple[str, ...]:
    return tuple(_checked(item, str) for item in _checked(stored, list, tuple))


def _checked(value: Any, *types: type) -> Any:
    if not isinstance(value, types):
        raise InputError(f"the schema of the training table is damaged: it holds a {type(value).__name__}")
    return value

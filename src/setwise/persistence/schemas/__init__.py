"""Schemas: what each class may contain in a model file, one file per subject."""

from __future__ import annotations

from setwise.persistence.errors import ModelFileError
from setwise.persistence.kinds import Schema
from setwise.persistence.schemas import (
    cascades,
    chains,
    counting,
    decisions,
    forests,
    independent,
    labels,
    linear,
    mixtures,
    sets,
    sklearn,
    tables,
    trees,
    wrappers,
)

_TABLES = (
    cascades,
    chains,
    counting,
    decisions,
    forests,
    independent,
    labels,
    linear,
    mixtures,
    sets,
    sklearn,
    tables,
    trees,
    wrappers,
)

SCHEMAS: dict[str, Schema] = {name: schema for table in _TABLES for name, schema in table.SCHEMAS.items()}


def find_schema(name: str) -> Schema:
    """Find the schema of a class by its name in files."""
    if name not in SCHEMAS:
        raise ModelFileError(f"a part of the class {name[:60]!r}, which this version does not know")
    return SCHEMAS[name]

"""Schemas of scikit-learn's classes whose fitted state is arrays and plain values."""

from __future__ import annotations

from setwise.persistence.kinds import Schema
from setwise.persistence.schemas.sklearn import classifiers, columns, encoders, numbers, text

SCHEMAS: dict[str, Schema] = {
    name: schema
    for table in (classifiers, columns, encoders, numbers, text)
    for name, schema in table.SCHEMAS.items()
}

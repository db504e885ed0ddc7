"""A person's table: CSV, TSV or Parquet columns as features and label sets, and the schema to read another like it."""

from setwise.tables.schema import Schema, TagColumn

__all__ = ["Schema", "TagColumn"]

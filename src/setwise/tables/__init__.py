"""Tables of users: CSV, TSV or Parquet columns become features and label sets; a schema reads other tables alike."""

from setwise.tables.schema import Schema, TagColumn

__all__ = ["Schema", "TagColumn"]

"""Choices about rows that depend on the content of a row, not on its position or on other rows."""

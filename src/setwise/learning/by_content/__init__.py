"""Choices about rows that follow from what a row holds: not from its place, nor from the rows beside it."""

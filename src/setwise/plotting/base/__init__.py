"""Shared parts of plots: the base class, colours, names on figures, the choice of rows."""

"""Tools that make pages of the documentation from the code."""

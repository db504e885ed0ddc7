"""Mixtures that grow: one tree or chain at a time, on the rows explained worst."""

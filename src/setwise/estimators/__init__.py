"""Estimators, one file per method: parameters, reference, ``_fit`` and ``_distribution``."""

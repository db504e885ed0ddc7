"""Estimators that wrap or choose other estimators."""

"""Checks of parameters and data. Errors say where, and what to do."""

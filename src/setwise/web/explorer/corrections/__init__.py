"""Corrections of labels: a journal that loses nothing, and what a person takes home."""

from setwise.web.explorer.corrections.fingerprint import fingerprint
from setwise.web.explorer.corrections.journal import Conflict, Correction, CorrectionJournal

__all__ = ["Conflict", "Correction", "CorrectionJournal", "fingerprint"]

"""Output codes: labels as linear codes that are predicted by regression and decoded."""

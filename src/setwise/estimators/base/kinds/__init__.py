"""Base classes of some estimators: linear, mixtures, wrappers, with a back-off."""

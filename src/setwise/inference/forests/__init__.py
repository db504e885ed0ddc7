"""Forests over labels and their mixtures: messages, moments, searches for the mode."""

"""Forests over labels and mixtures of them."""

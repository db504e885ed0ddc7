"""Forged model files: right digests, wrong content. ``python -m tests.fuzz --files 500 --seed 0`` runs them."""

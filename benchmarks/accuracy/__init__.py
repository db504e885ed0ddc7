"""The parts of the study of accuracy: methods, one task, and the page. ``python -m benchmarks.frontier`` runs it."""

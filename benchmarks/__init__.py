"""Speed and memory, ours and scikit-learn's measured in one run: ``python -m benchmarks``."""

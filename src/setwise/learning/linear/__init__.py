"""Linear learners: many regressions on one design, solved together."""

"""Learners that only count: naive Bayes cascades and nearest neighbours."""

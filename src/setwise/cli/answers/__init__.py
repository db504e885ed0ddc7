"""Answers about rows, written in parts as CSV, JSON lines, Parquet, Excel or ARFF, with the names of the labels."""

"""Tables in files: CSV and Parquet."""

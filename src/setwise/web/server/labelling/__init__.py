"""What Label Studio sends to a machine learning backend, and what it expects back."""

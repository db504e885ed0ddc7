"""What a request must pass before a model sees it, one danger per file, as plain ASGI middleware."""

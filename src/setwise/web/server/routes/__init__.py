"""The protocols of the server, one per file."""

"""Watching a long fit: progress, callbacks, checkpoints."""

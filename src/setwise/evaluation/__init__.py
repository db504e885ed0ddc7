"""Comparing methods the way the papers do."""

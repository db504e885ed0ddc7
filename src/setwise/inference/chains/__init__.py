"""Searching and summing over chains of conditionals."""

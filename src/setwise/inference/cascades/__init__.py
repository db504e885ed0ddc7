"""Cascades: joints that draw the size of a label set, then its labels one by one."""

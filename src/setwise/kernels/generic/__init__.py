"""Loops over label sets that accept any conditionals as a Python function, or any numbers as points.

They have no compiled version. The NumPy twins of the compiled kernels are built on them.
"""

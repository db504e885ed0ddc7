"""Golden answers: what every estimator answers on fixed small data, kept in a file.

A change of the code that is meant to change no answer leaves them as they are. One that is meant to says so in the
changelog and writes them anew: ``python -m tests.golden --write``, or ``--write --only NAME`` for some cases.
"""

"""Every exported estimator, found by itself: a new class is tested the day it is exported."""

import inspect

import setwise
from setwise.estimators.face import SetClassifier

ESTIMATORS = sorted(
    (cls for _, cls in inspect.getmembers(setwise, inspect.isclass) if issubclass(cls, SetClassifier)),
    key=lambda cls: cls.__name__,
)

SAMPLED = [setwise.ConditionalDependencyNetwork]
"""Estimators without a joint in closed form: log_prob raises, the rest is counted in samples."""
EXACT = [cls for cls in ESTIMATORS if cls not in SAMPLED]

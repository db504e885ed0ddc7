"""Estimators on Dask collections: rows stay on the workers, which only send sums (``pip install "setwise[dask]"``)."""

from setwise.dask.classifier import DaskSetClassifier
from setwise.dask.trials import choosing_on

__all__ = ["DaskSetClassifier", "choosing_on"]

"""Estimators on Dask collections: rows stay on the workers, which only send sums (``pip install "setwise[dask]"``)."""

from setwise.dask.classifier import DaskSetClassifier

__all__ = ["DaskSetClassifier"]

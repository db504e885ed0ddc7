"""Multi-label data: reading it, naming it, splitting it."""

from setwise.datasets.dataset import Dataset, Statistics
from setwise.datasets.npz import read_npz, write_npz
from setwise.datasets.registry import DataNotFound, available, cache_folder, load

__all__ = [
    "DataNotFound",
    "Dataset",
    "Statistics",
    "available",
    "cache_folder",
    "load",
    "read_npz",
    "write_npz",
]

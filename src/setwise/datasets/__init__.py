"""Multi-label data: reading it, naming it, splitting it."""

from setwise.datasets.dataset import Dataset, Statistics
from setwise.datasets.npz import read_npz, write_npz
from setwise.datasets.registry import DataNotFound, available, cache_folder, load
from setwise.datasets.splits import IterativeStratification, stratified_train_test_split

__all__ = [
    "DataNotFound",
    "Dataset",
    "IterativeStratification",
    "Statistics",
    "available",
    "cache_folder",
    "load",
    "read_npz",
    "stratified_train_test_split",
    "write_npz",
]

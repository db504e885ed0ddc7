"""Multi-label data: reading it, naming it, splitting it, writing it."""

from setwise.datasets.alignment import Shift, find_shift, realigned
from setwise.datasets.arff.reader import read_arff
from setwise.datasets.artificial import TrueMixture, make_cbm
from setwise.datasets.dataset import Dataset, Statistics
from setwise.datasets.extreme import read_extreme
from setwise.datasets.grouped_splits import (
    GroupedStratification,
    grouped_train_test_split,
    temporal_train_test_split,
)
from setwise.datasets.libsvm import read_libsvm
from setwise.datasets.mulan_xml import LabelFile, read_label_file, write_label_file
from setwise.datasets.npz import read_npz, write_npz
from setwise.datasets.openml import read_openml
from setwise.datasets.reading import file_format, read
from setwise.datasets.registry import DataNotFound, available, cache_folder, load
from setwise.datasets.splits import IterativeStratification, stratified_train_test_split
from setwise.datasets.table_files import read_csv, read_excel, read_parquet
from setwise.datasets.writing import write_arff, write_csv, write_libsvm
from setwise.errors import InputError, InputWarning
from setwise.files import DataFormatError, raised_limits
from setwise.tables import Schema, TagColumn

__all__ = [
    "DataFormatError",
    "DataNotFound",
    "Dataset",
    "GroupedStratification",
    "InputError",
    "InputWarning",
    "IterativeStratification",
    "LabelFile",
    "Schema",
    "Shift",
    "Statistics",
    "TagColumn",
    "TrueMixture",
    "available",
    "cache_folder",
    "file_format",
    "find_shift",
    "grouped_train_test_split",
    "load",
    "make_cbm",
    "raised_limits",
    "read",
    "read_arff",
    "read_csv",
    "read_excel",
    "read_extreme",
    "read_label_file",
    "read_libsvm",
    "read_npz",
    "read_openml",
    "read_parquet",
    "realigned",
    "stratified_train_test_split",
    "temporal_train_test_split",
    "write_arff",
    "write_csv",
    "write_label_file",
    "write_libsvm",
    "write_npz",
]

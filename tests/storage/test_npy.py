"""Arrays as bytes: what NumPy writes is read, and nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from setwise.storage import StoredFileError
from setwise.storage.npy import parse_array
from tests.persistence.sealing import entry, npy, promise

TYPES = st.sampled_from(["b1", "i1", "<i4", ">i8", "u2", "<f4", ">f8", "<U3"])


@given(
    arrays.arrays(TYPES, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)), st.booleans()
)
def test_arrays_come_back(array, fortran):
    """Red if a shape, a type or the order in memory is read otherwise than NumPy wrote it."""
    array = np.asfortranarray(array) if fortran else array
    blob = npy(array)
    read = parse_array("0", blob, entry(array, blob), longest_axis=10)
    np.testing.assert_array_equal(read, array)
    assert read.dtype == array.dtype.newbyteorder("=")
    assert read.flags.writeable
    assert array.size == 0 or read.flags.f_contiguous == array.flags.f_contiguous


@pytest.mark.parametrize(
    ("descr", "shape"),
    [("<f8", (2**40, 0)), ("<f8", (0, 11)), ("<f8", (3,)), ("<U4097", (0,)), ("|O", (0,)), ("<f2", (0,))],
)
def test_promises_are_not_believed(descr, shape):
    blob, described = promise(descr, shape)
    with pytest.raises(StoredFileError):
        parse_array("0", blob, described, longest_axis=10)


@pytest.mark.parametrize(
    "change", [lambda b: b[:20], lambda b: b"\x93NUMPY\x02" + b[7:], lambda b: b[:-1], lambda b: b"x"]
)
def test_damaged_headers_are_refused(change):
    array = np.zeros(3)
    blob = change(npy(array))
    with pytest.raises(StoredFileError):
        parse_array("0", blob, entry(array, blob), longest_axis=10)

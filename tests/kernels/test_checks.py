"""Wrong arguments of every kernel are errors that name them, in C++ and in NumPy; never a crash."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from setwise.kernels import COMPILED, implementation, reference
from tests.kernels.valid_calls import CALLS

MODULES = [reference, implementation] if COMPILED else [reference]
DTYPES = [
    np.int8,
    np.uint8,
    np.int32,
    np.int64,
    np.uint64,
    np.float32,
    np.float64,
    np.complex128,
    np.bool_,
    object,
]
kernels = pytest.mark.parametrize("name", CALLS)
modules = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.split(".")[-1])


def run(module, name, arguments):
    """All that a kernel returns or writes, as a list."""
    result = getattr(module, name)(*arguments.values())
    written = [arguments[output] for output in sorted(CALLS[name].outputs)]
    return [*(result if isinstance(result, tuple) else [result]), *written]


def arrays(name):
    return [argument for argument, value in CALLS[name].arguments.items() if isinstance(value, np.ndarray)]


def message(module, name, arguments, kind=ValueError):
    with pytest.raises(kind) as error:
        run(module, name, arguments)
    return str(error.value)


def test_every_kernel_is_checked():
    """Red if a new kernel is not added to the valid calls."""
    assert sorted(CALLS) == sorted(set(reference.__all__) - {"set_threads"})


@modules
@kernels
def test_the_valid_call_is_valid(module, name):
    run(module, name, CALLS[name].copy())


@kernels
def test_a_wrong_length_of_any_axis_is_an_error(name):
    """Red if some array is read to the length of another, or the twins say something else."""
    call = CALLS[name]
    for argument in arrays(name):
        for axis in range(call.arguments[argument].ndim):
            if (argument, axis) in call.any_length:
                continue
            for change in (shorter, longer):
                messages = {
                    message(module, name, {**call.copy(), argument: change(call.arguments[argument], axis)})
                    for module in MODULES
                }
                assert len(messages) == 1, messages


def shorter(array, axis):
    return np.ascontiguousarray(np.delete(array, -1, axis))


def longer(array, axis):
    return np.ascontiguousarray(np.append(array, np.take(array, [-1], axis), axis))


@kernels
def test_a_place_or_label_out_of_range_is_an_error_that_names_it(name):
    """Red if a value that is used as a place is not looked at, or the twins say something else."""
    call = CALLS[name]
    for argument, (low, high) in call.between.items():
        limits = np.iinfo(call.arguments[argument].dtype)
        for wrong in {low - 1, high + 1, limits.min, limits.max}:
            arguments = call.copy()
            arguments[argument].flat[0] = wrong
            messages = {message(module, name, arguments) for module in MODULES}
            assert len(messages) == 1, messages
            assert messages.pop().startswith(f"{argument} must ")


@modules
@kernels
def test_another_dtype_is_a_type_error(module, name):
    """Red if numbers are cast: 256 labels would become none, and 0.9 of a place the place 0."""
    call = CALLS[name]
    for argument, dtype in itertools.product(arrays(name), DTYPES):
        own = call.arguments[argument].dtype
        if own == dtype or (argument == "logits" and dtype == np.float32):
            continue
        if (argument, dtype, module) == ("points", np.complex128, reference):
            continue
        message(module, name, {**call.copy(), argument: call.arguments[argument].astype(dtype)}, TypeError)


@modules
@kernels
def test_another_byte_order_is_a_type_error(module, name):
    call = CALLS[name]
    for argument in arrays(name):
        array = call.arguments[argument]
        if array.dtype.itemsize > 1:
            swapped = array.astype(array.dtype.newbyteorder())
            message(module, name, {**call.copy(), argument: swapped}, TypeError)


@modules
@kernels
def test_another_number_of_dimensions_is_a_type_error(module, name):
    call = CALLS[name]
    for argument in arrays(name):
        array = call.arguments[argument]
        for wrong in (array[None], array[..., 0], None, array.tolist(), "text"):
            message(module, name, {**call.copy(), argument: wrong}, TypeError)


def strided(array):
    """The same values between others."""
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def unaligned(array):
    """The same values, one byte behind where they would be aligned."""
    raw = np.zeros(array.nbytes + 1, np.uint8)
    view = raw[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


@modules
@kernels
def test_strides_and_alignment_change_no_result(module, name):
    """Red if memory is read as if it were contiguous, or a vector is loaded from where it may not be."""
    call = CALLS[name]
    expected = run(module, name, call.copy())
    for argument, change in itertools.product(set(arrays(name)) - call.outputs, (strided, unaligned)):
        arguments = {**call.copy(), argument: change(call.arguments[argument])}
        for ours, theirs in zip(run(module, name, arguments), expected):
            assert_array_equal(ours, theirs)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


@modules
@kernels
def test_an_output_that_does_not_fit_is_a_type_error(module, name):
    """Red if a copy is filled instead, and what was computed is lost."""
    call = CALLS[name]
    for argument, change in itertools.product(call.outputs, (strided, read_only)):
        message(module, name, {**call.copy(), argument: change(call.arguments[argument])}, TypeError)


@pytest.mark.skipif(not COMPILED, reason="the compiled kernels were not built")
@kernels
def test_a_count_that_is_negative_or_not_whole_is_an_error(name):
    """Red if a negative count is taken for a huge one."""
    call = CALLS[name]
    counts = [argument for argument, value in call.arguments.items() if type(value) is int]
    for argument, wrong in itertools.product(counts, (-1, 1.5, "1", None, 2**70)):
        message(implementation, name, {**call.copy(), argument: wrong}, (TypeError, ValueError))


@modules
@pytest.mark.parametrize("name", [name for name in CALLS if {"k", "n_collect"} & set(CALLS[name].arguments)])
def test_results_of_no_size_or_of_any_size_are_errors(module, name):
    """Red if the last of no sets is read, or the size of a result overflows to a small one."""
    argument = next(iter({"k", "n_collect"} & set(CALLS[name].arguments)))
    none, too_many = ({**CALLS[name].copy(), argument: count} for count in (0, 2**62))
    assert message(module, name, none) == f"{argument} must be at least 1, got 0"
    message(module, name, too_many, (MemoryError, ValueError))


STRUCTURES = {
    "a label above itself": ([[1, 0, -1]], [[0, 1, 2]]),
    "its own parent": ([[0, -1, -1]], [[0, 1, 2]]),
    "a parent after its child": ([[-1, 0, 1]], [[0, 2, 1]]),
    "a label twice": ([[-1, -1, -1]], [[0, 1, 1]]),
}


@modules
@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_forest_must_be_one(module, structure):
    """Red if a message is read before it is sent."""
    parents, order = (np.array(array, np.int32) for array in STRUCTURES[structure])
    with pytest.raises(ValueError, match="order must list every label once, after its parent"):
        module.forest_marginals(np.zeros((2, 1, 3, 2)), parents, order)


@modules
def test_one_table_a_label_allows_no_parents(module):
    """Red if the second table is read where there is none."""
    parents, order = np.array([[-1, 0]], np.int32), np.array([[0, 1]], np.int32)
    with pytest.raises(ValueError, match="parents must be -1 if V is 1, got 0 at"):
        module.forest_marginals(np.zeros((2, 1, 2, 1)), parents, order)


@modules
@pytest.mark.parametrize("shape", [(2, 0, 3, 2), (2, 1, 0, 2), (2, 1, 3, 0), (2, 1, 3, 3)])
def test_forests_have_components_labels_and_tables(module, shape):
    K, L = shape[1:3]
    parents, order = np.full((K, L), -1, np.int32), np.tile(np.arange(L, dtype=np.int32), (K, 1))
    for name in ("forest_marginals", "forest_best_sizes"):
        with pytest.raises(ValueError, match="logits"):
            getattr(module, name)(np.zeros(shape), parents, order)


@modules
@pytest.mark.parametrize(
    "indptr", [[], [0, 3, 2, 5], [-1, 2, 2, 5], [0, 2, 2, 6], [0, -3, 2, 5], [2**31 - 1, 0]]
)
def test_rows_of_a_sparse_matrix_follow_each_other(module, indptr):
    """Red if a row begins after it ends, or outside the values."""
    call = {**CALLS["csr_add_product"].copy(), "indptr": np.array(indptr, np.int32)}
    call["out"] = np.zeros((max(len(indptr) - 1, 0), 3))
    assert "indptr" in message(module, "csr_add_product", call)


@modules
def test_a_wrong_column_in_any_block_of_rows_is_an_error(module):
    """Red if only the first block is checked, or the error of another thread is lost."""
    n = 1000
    data, indptr = np.ones(n), np.arange(n + 1, dtype=np.int32)
    module.set_threads(4)
    try:
        for row in range(0, n, 37):
            indices = np.zeros(n, np.int32)
            indices[row] = 3
            with pytest.raises(ValueError, match=f"indices must be between 0 and 2, got 3 at .{row}."):
                module.csr_add_product(data, indices, indptr, np.ones((3, 2)), np.zeros((n, 2)))
    finally:
        module.set_threads(2)


@modules
@pytest.mark.parametrize("wrong", [0, 3, 1, -1])
def test_trees_of_which_a_walk_would_not_end_are_errors(module, wrong):
    """Red if a child before or at its parent, or no child, is followed."""
    arguments = CALLS["tree_scores"].copy()
    arguments["left"][1], arguments["feature"][3] = wrong, 0
    with pytest.raises(ValueError, match=r"(left|right) must be after its parent and below 5"):
        module.tree_scores(*arguments.values())


@kernels
@pytest.mark.skipif(not COMPILED, reason="the compiled kernels were not built")
def test_random_damage_never_crashes(name):
    """Red, as the whole run, if any number in any array leads outside: run under `make sanitize` to see all of it."""
    rng = np.random.default_rng(sum(map(ord, name)))
    call = CALLS[name]
    for _ in range(150):
        arguments = call.copy()
        for argument in rng.choice(arrays(name), rng.integers(1, 4)):
            array = arguments[argument]
            integers = array.dtype.kind in "iu"
            values = _any_integers(array.dtype, rng) if integers else _any_floats(array.dtype)
            places = rng.integers(0, array.size, rng.integers(1, 4))
            array.flat[places] = rng.choice(values, len(places))
        try:
            with np.errstate(all="ignore"):
                run(implementation, name, arguments)
        except ValueError:
            pass


def _any_floats(dtype):
    if dtype.kind == "b":
        return np.array([False, True])
    limits = np.finfo(dtype)
    return np.array(
        [np.nan, np.inf, -np.inf, limits.max, limits.min, limits.smallest_subnormal, 0.0, 1.0], dtype
    )


def _any_integers(dtype, rng):
    limits = np.iinfo(dtype)
    small = np.array([-2, -1, 0, 1, 2, 3, 4, 5, 7, 40, 127]).clip(limits.min, limits.max)
    return np.concatenate([small.astype(dtype), np.array([limits.min, limits.max], dtype)])

"""The language of schemas: what each kind of value lets through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from setwise.persistence import ModelFileError
from setwise.persistence.kinds import (
    Choice,
    Classes,
    DictOf,
    Either,
    Flag,
    Floats,
    Labels,
    Limits,
    ListOf,
    Matrix,
    Maybe,
    Names,
    Optional,
    Order,
    Parents,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Table,
    Text,
    Tuple,
    Whole,
    Wholes,
    check_record,
)
from setwise.persistence.records import Record, SparseRecord
from setwise.persistence.registry import LIGHTGBM, PARTS, SCIKIT_LEARN, find_class
from setwise.persistence.schemas import SCHEMAS

L, d = Size("L"), Size("d")


def accepts(kind, value, **sizes):
    scope = Scope(SCHEMAS.__getitem__, Limits(), dict(sizes))
    try:
        kind.check(value, "x", scope)
    except ModelFileError:
        return False
    return True


def names(*items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


RIGHT_AND_WRONG = {
    "whole": (Whole(0, 9), [0, 9, np.int64(3)], [-1, 10, 1.0, True, None, "1", 2**70]),
    "real": (Real(-1, 1), [0, 0.5, np.float32(1)], [2, np.nan, np.inf, True, None, "0", 1j]),
    "flag": (Flag(), [True, np.bool_(False)], [0, 1, None, "yes"]),
    "text": (Text(3), ["", "abc"], ["abcd", 1, None, b"a"]),
    "choice": (Choice("a", 1, False), ["a", 1, False], ["b", True, 0, 1.0, None]),
    "maybe": (Maybe(Whole()), [None, 1], ["a"]),
    "either": (Either(Whole(), Text()), [1, "a"], [1.5, None]),
    "list": (ListOf(Whole()), [[], [1, 2]], [(1,), [1.5], "ab", None]),
    "tuple": (Tuple(Whole(), Text()), [(1, "a")], [[1, "a"], (1,), ("a", 1)]),
    "dict": (DictOf(Whole()), [{}, {"a": 1}], [{1: 1}, {"a": "b"}, []]),
    "table": (
        Table(bound=Real(infinite=True), mixture=Optional(Whole())),
        [[], [{"bound": -1.5, "seconds": 2}, {"bound": -np.inf, "mixture": 1}]],
        [[{}], [{"bound": "x"}], [{"bound": np.nan}], [{"bound": 1, "mixture": None}], {"bound": 1}, [1]],
    ),
    "names": (
        Names(Size("n")),
        [names("a", "b"), names()],
        [names("a", "a"), names(1), np.array(["a"]), names("n" * 2000)],
    ),
    "floats": (
        Floats(2),
        [np.zeros(2), np.zeros(2, np.float32)],
        [
            np.zeros(3),
            np.zeros(2, int),
            np.array([0, np.nan]),
            np.array([0, -np.inf]),
            np.full(2, 1e101),
            [0.0, 0.0],
        ],
    ),
    "rising": (Floats(3, rising=True), [np.array([0.0, 0.0, 1.0])], [np.array([1.0, 0.0, 2.0])]),
    "increasing": (Floats(2, increasing=True), [np.array([0.0, 1.0])], [np.zeros(2)]),
    "wholes": (Wholes(2, below=3), [np.array([0, 2])], [np.array([0, 3]), np.array([-1, 0]), np.zeros(2)]),
    "labels": (
        Labels(1, 2, distinct=True),
        [np.array([[0, 1]], np.int8)],
        [np.array([[0, 2]], np.int8), np.array([[0, 1]])],
    ),
    "distinct": (Labels(2, 2, distinct=True), [np.eye(2, dtype=np.int8)], [np.ones((2, 2), np.int8)]),
    "order": (
        Order(Size("n")),
        [np.array([2, 0, 1])],
        [np.array([0, 0, 1]), np.array([1, 2, 3]), np.array([0.0])],
    ),
    "classes": (
        Classes(Size("n")),
        [np.array([0, 1]), np.array(["a", "b"]), names("a", "b"), np.array([0.5, 1])],
        [np.array([1, 0]), np.array(["a", "a"]), np.array([0, np.nan]), names(1, "a")],
    ),
}


@pytest.mark.parametrize("name", RIGHT_AND_WRONG)
def test_kinds_let_the_right_values_through(name):
    kind, right, wrong = RIGHT_AND_WRONG[name]
    assert [accepts(kind, value) for value in right] == [True] * len(right)
    assert [accepts(kind, value) for value in wrong] == [False] * len(wrong)


def test_sizes_agree_between_attributes():
    kind = ListOf(Floats(L, d))
    assert accepts(kind, [np.zeros((2, 3)), np.zeros((2, 3))])
    assert not accepts(kind, [np.zeros((2, 3)), np.zeros((3, 3))])
    assert not accepts(kind, [np.zeros((2, 3))], L=4)
    assert accepts(Floats(2 * L + 1), np.zeros(7), L=3)
    assert not accepts(Floats(2 * L + 1), np.zeros(7))  # an expression is known only if its names are


def test_alternatives_leave_no_sizes_behind():
    kind = Tuple(Either(Floats(L, L), Floats(d, L)), Floats(L))
    assert accepts(kind, (np.zeros((2, 3)), np.zeros(3)))


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=6))
def test_parents_are_forests(parents):
    """Red if a cycle passes or a forest is refused: every walk up ends within as many steps as there are labels."""
    n = len(parents)

    def ends(label):
        for _ in range(n + 1):
            if label == -1:
                return True
            if not 0 <= label < n:
                return False
            label = parents[label]
        return False

    assert accepts(Parents(L), np.array(parents)) == all(map(ends, range(n)))


def sparse_record(indices, indptr, shape=(2, 3)):
    return SparseRecord("csr_array", shape, np.ones(len(indices)), np.array(indices), np.array(indptr))


def test_sparse_rows_are_in_order_and_inside():
    kind = Matrix(Size("n"), d)
    assert accepts(kind, np.zeros((2, 3)))
    assert accepts(kind, sparse_record([0, 2, 1], [0, 2, 3]))
    assert accepts(kind, sparse_record([2, 0], [0, 1, 2]))
    for indices, indptr in [
        ([0, 3], [0, 1, 2]),
        ([2, 0], [0, 2, 2]),
        ([0, 0], [0, 2, 2]),
        ([-1, 0], [0, 1, 2]),
    ]:
        assert not accepts(kind, sparse_record(indices, indptr))
    for indptr in ([0, 1, 1], [1, 1, 2], [0, 3, 2], [0, 2], [0, 1, 2, 2]):
        assert not accepts(kind, sparse_record([0, 1], indptr))
    assert not accepts(kind, sparse_record([0], [0, 0, 1], (2, 2**40)), d=3)


def test_records_have_the_declared_attributes_and_no_others():
    schema = Schema(
        {"a": Whole(), "b": Optional(Text())}, rules=(lambda r, s: "odd" if r.state["a"] % 2 else None,)
    )
    scope = Scope({"part.A": schema}.__getitem__, Limits())
    check_record(Record("part.A", {}, {"a": 2}), "A", scope)
    check_record(Record("part.A", {}, {"a": 2, "b": "x"}), "A", scope)
    for state, message in [
        ({}, "A has no a, which a fitted A has"),
        ({"a": 2, "c": 1}, "A has no attribute 'c'"),
        ({"a": "x"}, r"A\.a is 'x'; expected a whole number"),
        ({"a": 3}, "A: odd"),
    ]:
        with pytest.raises(ModelFileError, match=message):
            check_record(Record("part.A", {}, state), "A", scope)
    with pytest.raises(ModelFileError, match="takes no parameters"):
        check_record(Record("part.A", {"p": 1}, {"a": 2}), "A", scope)


def test_sizes_pass_between_a_part_and_what_holds_it():
    scores = {"coef": np.zeros((4, 3)), "intercept": np.zeros(3), "labels": np.zeros((0, 3))}
    part = Record("part.LinearScores", {}, scores)
    kind = Tuple(Part("part.LinearScores", d=d, B=L, m=0), Floats(L))
    assert accepts(kind, (part, np.zeros(3)))
    assert not accepts(kind, (part, np.zeros(4)))
    assert not accepts(kind, (part, np.zeros(3)), d=5)
    assert not accepts(Part("part.LinearLabels"), part)


def test_every_class_of_the_registry_has_a_schema():
    """Red if a class can be named in a file but not checked, or checked but not named."""
    registered = {f"part.{name}" for name in PARTS} | {f"sklearn.{name}" for name in SCIKIT_LEARN}
    registered |= {f"lightgbm.{name}" for name in LIGHTGBM}
    ours = {name for name in SCHEMAS if name.startswith("setwise.")}
    assert set(SCHEMAS) - ours == registered
    assert all(isinstance(find_class(name), type) for name in SCHEMAS)

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from setwise.kernels import implementation, reference

number = st.one_of(
    st.integers(-9, 9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["?", "+3", "-.5", "5.", "1e3", "1E-3", "+-1", "inf", "nan", "0x1", "1_0", "", "1e999", "é"]
    ),
)
word = st.sampled_from(["red", "'a b'", '"a,b"', "'a\\'b'", "?", "", "a%", "{", "dark blue", "é", "'"])
blank = st.sampled_from(["", " ", "\t", "  "])


@st.composite
def dense_line(draw):
    cells = [draw(blank) + draw(kind) + draw(blank) for kind in (number, word, number)]
    return ",".join(cells[: draw(st.sampled_from([3, 3, 3, 3, 2]))])


@st.composite
def sparse_line(draw):
    columns = draw(st.lists(st.integers(0, 3), max_size=3))
    if draw(st.booleans()):
        columns = sorted(set(columns))
    entries = [
        f"{c}{draw(st.sampled_from([' ', '  ', '']))}{draw(word if c == 1 else number)}" for c in columns
    ]
    return (
        "{" + draw(blank) + ("," + draw(blank)).join(entries) + draw(st.sampled_from(["}", "} ", ",}", ""]))
    )


def both(name, text):
    view, coded = np.frombuffer(text.encode(), dtype=np.uint8), np.array([False, True, False])
    return getattr(implementation, name)(view, 0, coded), getattr(reference, name)(view, 0, coded)


@pytest.mark.parametrize("name", ["arff_dense_rows", "arff_sparse_rows"])
@given(lines=st.lists(st.one_of(dense_line(), sparse_line(), st.sampled_from(["", "% x", " "])), max_size=6))
@example(lines=["1,red,2", "{0 1, 1 red}"])
@example(lines=["{}", "{ }", "{0 1,}"])
@example(lines=["1,red,2,", "1,red"])
def test_both_implementations_agree(name, lines):
    for compiled, twin in zip(*both(name, "\n".join(lines))):
        np.testing.assert_array_equal(compiled, twin)


def test_numbers_are_read_exactly():
    rng = np.random.default_rng(0)
    numbers = np.concatenate(
        [rng.normal(size=300), 10 ** rng.uniform(-300, 300, 300), rng.integers(0, 2, 100)]
    )
    view = np.frombuffer("\n".join(map(repr, numbers.tolist())).encode(), dtype=np.uint8)
    read = implementation.arff_dense_rows(view, 0, np.array([False]))[0]
    np.testing.assert_array_equal(read[:, 0], numbers)


def test_reading_stops_where_it_must_and_says_where():
    text = "% head\n1,red,2\n\n2,'a\\'b',3\n4,blue,5\n"
    (numbers, words, stop, n_lines), _ = both("arff_dense_rows", text)
    assert numbers.tolist() == [[1, 0, 2]]
    assert [text[begin:end] for _, begin, end in words] == ["red"]
    assert (stop, n_lines) == (text.index("2,'a"), 3)

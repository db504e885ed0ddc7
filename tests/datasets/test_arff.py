import gzip
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from setwise.datasets import DataFormatError, InputError, read, read_arff
from setwise.datasets.arff.header import NUMERIC, Header, Type
from setwise.datasets.arff.line import LineParser
from setwise.datasets.arff.rows import read_rows
from setwise.datasets.arff.values import Values

HEAD = "@relation 'toy: -C 1'\n@attribute y {0,1}\n"


@pytest.fixture
def reading(tmp_path):
    def read_text(text, **options):
        path = tmp_path / "toy.arff"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_arff(path, **options)

    return read_text


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def test_dense_rows(reading):
    data = reading(HEAD + "@attribute a numeric\n@attribute b REAL\n@DATA\n1, 0.5,-1e3\n% note\n\n0,?,.5\n")
    assert data.Y.tolist() == [[1], [0]]
    np.testing.assert_array_equal(data.X, [[0.5, -1000], [np.nan, 0.5]])
    assert (data.feature_names, data.label_names, data.name) == (("a", "b"), ("y",), "toy")


def test_sparse_rows_leave_out_zeros_and_first_values(reading):
    kinds = "@attribute a numeric\n@attribute c {red,green,blue}\n"
    data = reading(HEAD + kinds + "@data\n{0 1, 2 blue}\n{}\n{ 1 -2 ,2 ? }\n{2 green,1 7}\n")
    assert sparse.issparse(data.X)
    assert data.feature_names == ("a", "c=red", "c=green", "c=blue")
    nan = np.nan
    expected = [[0, 0, 0, 1], [0, 1, 0, 0], [-2, nan, nan, nan], [7, 0, 1, 0]]
    np.testing.assert_array_equal(data.X.toarray(), expected)
    assert data.Y.ravel().tolist() == [1, 0, 0, 0]


def test_rows_of_both_forms_may_stand_in_one_file(reading):
    text = HEAD + "@attribute a numeric\n@data\n1,2\n{1 3}\n0,4\n"
    data = reading(text)
    assert sparse.issparse(data.X)
    assert data.X.toarray().ravel().tolist() == [2, 3, 4]
    assert data.Y.ravel().tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("values", "rows", "names", "expected"),
    [
        ("{0,1}", ["0", "1", "?"], ["a"], [[0], [1], [np.nan]]),
        ("{1, 0}", ["0", "1"], ["a"], [[0], [1]]),
        ("{yes,no}", ["no", "yes"], ["a"], [[0], [1]]),
        ("{FALSE,TRUE}", ["FALSE", "TRUE"], ["a"], [[0], [1]]),
        ("{F,M}", ["M", "F"], ["a"], [[1], [0]]),
        ("{only}", ["only"], ["a"], [[0]]),
        ("{a,b,c}", ["c", "a"], ["a=a", "a=b", "a=c"], [[0, 0, 1], [1, 0, 0]]),
        (
            "{'a b', \"c,d\", 'it\\'s'}",
            ["'it\\'s'", '"c,d"'],
            ["a=a b", "a=c,d", "a=it's"],
            [[0, 0, 1], [0, 1, 0]],
        ),
    ],
)
def test_nominal_attributes(reading, values, rows, names, expected):
    data = reading(HEAD + f"@attribute a {values}\n@data\n" + "".join(f"1,{row}\n" for row in rows))
    assert list(data.feature_names) == names
    np.testing.assert_array_equal(data.X, expected)


def test_labels_of_every_form(reading):
    text = "@relation x\n@attribute a {1,0}\n@attribute b real\n@attribute c {no,yes}\n"
    text += "@attribute x real\n@data\n"
    data = reading(text + "1,1,no,5\n0,0.0,yes,6\n?,?,?,7\n", labels=["a", "b", "c"])
    assert data.Y.dtype == np.int8
    assert data.Y.tolist() == [[1, 1, 0], [0, 0, 1], [-1, -1, -1]]
    sparsely = reading(text + "{1 1,3 5}\n", labels=3)
    assert sparsely.Y.tolist() == [[1, 1, 0]]  # what is left out is the first value listed: a = 1


def test_quoted_names_and_escapes(reading):
    head = "@relation 'it''s'\n@attribute 'a \\'b\\'' real\n@attribute \"50%\" numeric\n"
    head += "@attribute 'tab\\tu\\u00e9' real\n"
    data = reading(head + "@attribute y {0,1} % a label\n@data\n1,2,3,1 % done\n'4',5,6,\"0\"\n", labels=-1)
    assert data.feature_names == ("a 'b'", "50%", "tab\tué")
    assert data.X.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_dates_become_seconds_and_strings_are_ignored(reading):
    head = (
        HEAD + "@attribute when date 'yyyy-MM-dd HH:mm'\n@attribute what string\n@attribute iso date\n@data\n"
    )
    with pytest.warns(UserWarning, match="ignoring columns of free text: 'what'"):
        data = reading(head + "1,'1970-01-02 00:01','so, \"it\" is',1970-01-01T00:00:09\n0,?,x,?\n")
    np.testing.assert_array_equal(data.X, [[86460, 9], [np.nan, np.nan]])


def test_ignored_attributes(reading):
    text = HEAD + "@attribute id string\n@attribute a numeric\n@data\n1,x,2\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert reading(text, ignore=["id"]).feature_names == ("a",)
    with pytest.raises(
        ValueError, match="ignore=: attribute 'nothing' not found; the attributes are 'y', 'id', 'a'"
    ):
        reading(text, ignore=["nothing"])


def test_two_attributes_of_one_name_are_refused(reading):
    """Red if the second of two columns silently takes the name of the first."""
    text = HEAD + "@attribute a real\n@attribute a real\n@attribute b real\n@data\n1,2,3,4\n"
    with pytest.raises(InputError, match="2 attributes are called 'a'; give each a different name") as caught:
        reading(text)
    assert caught.value.column == "a"
    assert reading(text, ignore=["a"]).X.tolist() == [[4]]


def test_words_may_be_separated_by_blanks(reading):
    assert reading(
        HEAD + "@attribute a numeric\n@data\n1\t2.5\n0 'x y'\n".replace("'x y'", "3")
    ).X.tolist() == [[2.5], [3]]


@pytest.mark.parametrize(("options", "n_train"), [("-split-number 2", 2), ("-split-percentage 75", 3)])
def test_mekas_split(reading, options, n_train):
    text = (
        f"@relation 'toy: -C 1 {options}' % why\n@attribute y {{0,1}}\n@attribute a real\n@data\n"
        + "1,2\n" * 4
    )
    assert reading(text).split.tolist() == [True] * n_train + [False] * (4 - n_train)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems(reading, end):
    text = HEAD + "@attribute a numeric\n@data\n1,2\n\n0,oops\n"
    with pytest.raises(DataFormatError) as caught:
        reading(text.replace("\n", end))
    assert caught.value.line == 7
    assert reading(text.replace("oops", "3").replace("\n", end)).X.tolist() == [[2], [3]]


def test_other_encodings(reading):
    text = "\ufeff" + HEAD + "@attribute größe {klein,größer,groß}\n@data\n1,groß\n0,'größer'\n"
    for encoding in ("utf-8", "latin-1"):
        data = reading(text.removeprefix("\ufeff" if encoding == "latin-1" else "").encode(encoding))
        assert data.feature_names[2] == "größe=groß"
        assert data.X[:, 1:].tolist() == [[0, 1], [1, 0]]


def test_compressed_files(tmp_path):
    path = tmp_path / "toy.arff.gz"
    path.write_bytes(gzip.compress((HEAD + "@attribute a numeric\n@data\n1,2\n").encode()))
    assert read(path).X.tolist() == [[2]]
    whole = path.read_bytes()
    path.write_bytes(whole[:-6])
    with pytest.raises(DataFormatError, match="the file is damaged"):
        read(path)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            HEAD + "@attribute a numeric\n@data\n1,2\n0,two\n",
            6,
            3,
            "expected a number for attribute 'a', found 'two'",
        ),
        (
            HEAD + "@attribute a numeric\n@data\n1,2,3\n",
            5,
            6,
            "expected 2 values, one per attribute, found 3",
        ),
        (
            HEAD + "@attribute a numeric\n@data\n2,2\n",
            5,
            1,
            "expected one of 0, 1 for attribute 'y', found '2'",
        ),
        (
            HEAD + "@attribute a {x,y,z}\n@data\n1,  u\n",
            5,
            5,
            "expected one of x, y, z for attribute 'a', found 'u'",
        ),
        (HEAD + "@attribute a date\n@data\n1,'soon'\n", 5, 3, "expected a date of the form"),
        (HEAD + "@attribute a numeric\n@data\n{0 1,7 2}\n", 5, 6, "expected an index below 2"),
        (HEAD + "@attribute a numeric\n@data\n{1 1,1 2}\n", 5, 6, "index 1 occurs twice"),
        (HEAD + "@attribute a numeric\n@data\n{1 x}\n", 5, 4, "expected a number"),
        (HEAD + "@attribute a numeric\n@data\n{1 1\n", 5, 5, "expected ',' or '}'"),
        (HEAD + "@attribute a numeric\n@data\n{one 1}\n", 5, 2, "expected '<index> <value>'"),
        (HEAD + "@attribute a numeric\n@data\n{1 1}, {5}\n", 5, 6, "weights of rows"),
        (HEAD + "@attribute a numeric\n@data\n1,2,{5}\n", 5, 5, "weights of rows"),
        (HEAD + "@attribute a numeric\n@data\n'1'0,2\n", 5, 4, "expected ',' after a quoted value"),
        (
            HEAD + "@attribute a relational\n@data\n",
            3,
            14,
            "expected numeric, real, integer, string, date or {...}",
        ),
        (HEAD + "@attribute a {x,y\n@data\n", 3, 18, "expected ',' or '}'"),
        (HEAD + "@attribute a {x,x}\n@data\n", 3, 18, "lists a value twice"),
        (HEAD + "@attribute a date 'QQ'\n@data\n", 3, 14, "date pattern has 'QQ'"),
        (HEAD + "@attribute a\n@data\n", 3, 1, "expected '@attribute <name> <type>'"),
        (HEAD + "oops\n@data\n", 3, 1, "expected @relation, @attribute or @data, found 'oops'"),
        (HEAD, 3, None, "expected a line '@data'"),
        ("@relation x\n@data\n", 2, None, "expected an @attribute"),
    ],
)
def test_errors_name_the_place_and_what_was_expected(reading, text, line, column, message):
    with pytest.raises(DataFormatError) as caught:
        reading(text)
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.position) == (line, column)
    assert str(caught.value).split(":")[0].endswith("toy.arff")


@pytest.mark.parametrize(
    ("text", "labels", "message"),
    [
        ("@relation x\n@attribute a real\n@data\n", None, "which attributes are labels"),
        ("@relation x\n@attribute a real\n@data\n", ["b"], "column 'b' not found; the columns are 'a'"),
        ("@relation x\n@attribute a real\n@attribute a real\n@data\n", ["a"], "2 columns are called 'a'"),
        ("@relation x\n@attribute a real\n@data\n", "b*", "no column matches"),
        ("@relation x\n@attribute a real\n@data\n", 2, "labels=2: expected a number of columns from 1 to 1"),
        (
            "@relation 'x: -C 5'\n@attribute a real\n@data\n",
            None,
            "'-C 5' in the relation's name makes 5 of 1 attributes labels",
        ),
        (
            "@relation x\n@attribute a {x,y,z}\n@data\n",
            ["a"],
            "expected two values for label 'a', found 3 values",
        ),
        ("@relation x\n@attribute a string\n@data\n", ["a"], "found the type string"),
    ],
)
def test_labels_that_cannot_be(reading, text, labels, message):
    with pytest.raises(ValueError, match=message):
        reading(text, labels=labels)


HEADER = Header(
    "",
    ["y", "a", "c"],
    [Type("nominal", ("0", "1")), NUMERIC, Type("nominal", ("u", "v w"))],
    "utf-8",
    0,
    b"",
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["0", "1", "?", " 1"]),
            st.floats(allow_nan=False).map(repr) | st.sampled_from(["?", "", "-1", "+2.", "1 % c"]),
            st.sampled_from(["u", "v w", "'v w'", "'u'", "?", "'v\\ w'"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_the_fast_way_equals_the_careful_one(cells):
    lines = [",".join(row) for row in cells]
    careful, kept = [], []
    for line in lines:
        try:
            careful.append(LineParser(Values(HEADER), line, "x", 1).dense())
            kept.append(line)
        except DataFormatError:
            continue
    fast = read_rows(["\n".join(kept).encode()], Values(HEADER), "x", 0)
    np.testing.assert_array_equal(fast, np.array(careful).reshape(len(kept), 3))


def test_many_labels_and_many_empty_rows_stay_sparse(reading, monkeypatch):
    """Red if a small file makes a huge dense matrix of its label sets."""
    monkeypatch.setattr("setwise.tables.encode.MAX_DENSE", 1000)
    head = (
        "@relation 'x: -C 60'\n"
        + "".join(f"@attribute y{i} {{0,1}}\n" for i in range(60))
        + "@attribute x real\n"
    )
    data = reading(head + "@data\n" + "{}\n" * 40 + "{3 1, 5 ?}\n")
    assert sparse.issparse(data.Y)
    assert data.Y.toarray()[-1, [3, 4, 5]].tolist() == [1, 0, -1]


def test_a_nominal_attribute_of_many_values_becomes_sparse(reading):
    values = ",".join(f"v{i}" for i in range(5000))
    data = reading(
        HEAD + f"@attribute id {{{values}}}\n@data\n" + "".join(f"1,v{i % 5000}\n" for i in range(4000))
    )
    assert sparse.issparse(data.X)
    assert data.X.nnz == 4000


def test_matrices_beyond_the_limit_are_refused(reading, set_limits):
    set_limits(cells=1000)
    head = (
        "@relation x\n"
        + "".join(f"@attribute x{i} {{1,0}}\n" for i in range(60))
        + "@attribute y {0,1}\n@data\n"
    )
    with pytest.raises(ValueError, match=r"toy.arff: .* more than the 1000 allowed; if you trust"):
        reading(head + "{}\n" * 40, labels=-1)

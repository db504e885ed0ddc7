import pytest

from setwise.datasets import DataFormatError, InputError, InputWarning, read_csv

TEXT = "size,colour,is_a,is_b\n0.5,red,1,0\n?,blue,yes,no\n2,green,true,\n"


@pytest.mark.parametrize("labels", [["is_a", "is_b"], "is_*", -2])
def test_labels_by_name_pattern_and_number(table, labels):
    data = read_csv(table(TEXT), labels)
    assert data.label_names == ("is_a", "is_b")
    assert data.Y.tolist() == [[1, 0], [1, 0], [1, -1]]
    assert data.feature_names == ("size", "colour=blue", "colour=green", "colour=red")


@pytest.mark.parametrize(("entry", "shown"), [("maybe", "maybe"), ("-1", "-1"), ("x" * 100, "x" * 40)])
def test_an_entry_that_is_neither_on_nor_off_is_refused(table, entry, shown):
    message = f"expected 0 or 1 for label 'y', found '{shown}'$"
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(table(f"a,y\n1,0\n2,{entry}\n"), ["y"])
    assert (caught.value.line, caught.value.position, caught.value.column) == (3, 2, "y")


def test_tags_become_labels(table):
    data = read_csv(table('x,tags\n1,"b, a"\n2,\n3,b\n'), "tags")
    assert data.label_names == ("a", "b")
    assert data.Y.tolist() == [[1, 1], [0, 0], [0, 1]]
    assert (data.schema.tags.column, data.schema.tags.separator) == ("tags", ",")


@pytest.mark.parametrize("stray", ["2", "-1", "maybe"])
def test_one_stray_entry_does_not_make_tags_of_a_label(table, stray):
    """Red if one mistake in a column of 0 and 1 turns it into a column of three tags."""
    path = table("a,y\n" + "1,0\n2,1\n" * 30 + f"3,{stray}\n")
    with pytest.raises(DataFormatError, match=f"expected 0 or 1 for label 'y', found '{stray}'") as caught:
        read_csv(path, "y")
    assert (caught.value.line, caught.value.position) == (62, 2)


@pytest.mark.parametrize("repeats", [1, 30])
def test_one_column_of_numbers_is_refused_as_labels(table, repeats):
    """Red if the classes 0, 1 and 2 silently become three labels, or the hint does not work."""
    path = table("a,y\n" + "1,0\n2,1\n3,2\n" * repeats)
    message = r"toy\.csv:4:2: labels='y': expected 0 and 1 or tags in column 'y', found the number '2'"
    with pytest.raises(InputError, match=message + ".*pass tag_separator=','"):
        read_csv(path, "y")
    assert read_csv(path, "y", tag_separator=",").label_names == ("0", "1", "2")


def test_numbers_with_a_separator_are_tags(table):
    """Red if tags that are numbers are refused though several of them share an entry."""
    assert read_csv(table('a,y\n1,"3,7"\n2,3\n'), "y").label_names == ("3", "7")


def test_tags_may_be_unknown(table):
    """Red if a word for a missing value becomes a tag, or an empty entry a row whose labels are not known."""
    data = read_csv(table("x,tags\n1,b;a\n2,?\n3,\n4, NA\n5,a;NA\n"), "tags", tag_separator=";")
    assert data.label_names == ("NA", "a", "b")
    assert data.Y.tolist() == [[0, 1, 1], [-1] * 3, [0, 0, 0], [-1] * 3, [1, 1, 0]]


@pytest.mark.parametrize("entries", ["1,?\n2,\n", "1,\n"])
def test_a_column_without_tags_is_refused(table, entries):
    with pytest.raises(InputError, match="labels=: column 'tags' holds no tags"):
        read_csv(table("x,tags\n" + entries), "tags")


@pytest.mark.parametrize(
    ("entry", "tags"),
    [
        ("['py', 'numpy']", ["numpy", "py"]),
        ('[""py""]', ["py"]),
        ("[1, 2]", ["1", "2"]),
        ("[]", []),
        ("[wip]", ["[wip]"]),
    ],
)
def test_printed_lists_are_tags(table, entry, tags):
    """Red when the brackets and quotes of a list that pandas or JSON wrote become part of labels."""
    data = read_csv(table(f'x,tags\n1,"[\'other\']"\n2,"{entry}"\n'), "tags")
    assert [name for name, on in zip(data.label_names, data.Y[1]) if on] == tags
    assert set(data.label_names) == {"other", *tags}


@pytest.mark.parametrize("separator", [";", "|", ",", " ", ", "])
def test_the_separator_of_tags_is_found(table, separator):
    """Red when a column of tags needs an option to be read, or spaces cut tags that have other separators."""
    rows = [["py", "sql"], ["sql"], ["c", "py"], ["c", "sql", "py"], ["c"], ["py"]]
    data = read_csv(
        table("x;tags\n" + "".join(f'1;"{separator.join(row)}"\n' for row in rows)), "tags", delimiter=";"
    )
    assert data.label_names == ("c", "py", "sql")
    assert data.Y.sum(axis=1).tolist() == [len(row) for row in rows]


def test_labels_of_few_rows_are_left_out_with_a_warning(table):
    """Red when a rare tag stays, or goes without a word."""
    path = table("x,tags\n" + "1,a b\n2,a\n3,a b\n4,c a\n")
    with pytest.warns(InputWarning, match=r"leaving out 1 of 3 labels, of fewer than 2 rows: 'c \(1\)'"):
        data = read_csv(path, "tags", tag_separator=" ", min_rows=2)
    assert data.label_names == ("a", "b")
    assert data.Y[3].tolist() == [1, 0]
    with pytest.raises(InputError, match="no label has 9 rows; the most frequent one has 4"):
        read_csv(path, "tags", tag_separator=" ", min_rows=9)


def test_a_column_of_different_texts_is_refused_as_tags(table):
    """Red if a column of identifiers, passed by mistake, becomes a label for every row."""
    path = table("x,id\n" + "".join(f"1,r{i}\n" for i in range(20_000)))
    with pytest.raises(DataFormatError, match="20000 different tags in 20000 rows of column 'id'"):
        read_csv(path, "id")


def test_two_labels_of_one_name_are_refused(table):
    """Red if a pattern or a number makes two labels that only one name can be asked for."""
    path = table("a,y,y\n1,0,1\n2,1,0\n")
    for labels in ("y*", -2):
        with pytest.raises(InputError, match="2 columns are called 'y'; give each column a different name"):
            read_csv(path, labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("tag_*", "labels='tag_[*]': no column matches; the columns are 'size', 'colour', 'is_a', 'is_b'"),
        (["blue"], "labels=: column 'blue' not found; the columns are 'size'"),
        (9, "labels=9: expected a number of columns from 1 to 4, or negative"),
        (True, "labels=True: expected a number of columns"),
    ],
)
def test_labels_that_do_not_exist_are_named(table, labels, message):
    with pytest.raises(InputError, match=message) as caught:
        read_csv(table(TEXT), labels)
    assert caught.value.parameter.name == "labels"

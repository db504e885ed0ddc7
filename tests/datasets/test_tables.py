import warnings

import numpy as np
import polars
import pytest

from setwise.datasets import DataFormatError, Schema, read, read_csv, read_parquet


@pytest.fixture
def table(tmp_path):
    def write(text, name="toy.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


TEXT = "size,colour,is_a,is_b\n0.5,red,1,0\n?,blue,yes,no\n2,green,true,\n"


@pytest.mark.parametrize("labels", [["is_a", "is_b"], "is_*", -2])
def test_label_columns_by_name_pattern_and_number(table, labels):
    data = read_csv(table(TEXT), labels)
    assert data.label_names == ("is_a", "is_b")
    assert data.Y.tolist() == [[1, 0], [1, 0], [1, -1]]
    assert data.feature_names == ("size", "colour=blue", "colour=green", "colour=red")
    np.testing.assert_array_equal(data.X, [[0.5, 0, 0, 1], [np.nan, 1, 0, 0], [2, 0, 1, 0]])


def test_a_column_of_tags(table):
    data = read_csv(table('x,tags\n1,"b, a"\n2,\n3,b\n'), "tags")
    assert data.label_names == ("a", "b")
    assert data.Y.tolist() == [[1, 1], [0, 0], [0, 1]]


def test_tabs_and_quotes(table):
    data = read(table('"a ""x"""\ty\n"1"\t0\n', "toy.tsv"), labels=["y"])
    assert data.feature_names == ('a "x"',)
    assert data.X.tolist() == [[1.0]]
    assert read_csv(table("a;y\n1;0\n"), ["y"], delimiter=";").X.tolist() == [[1.0]]


def test_text_is_left_out_with_a_warning(table):
    rows = "".join(f"{i},text {i},1\n" for i in range(30))
    with pytest.warns(UserWarning, match="left out: note"):
        assert read_csv(table("a,note,y\n" + rows), ["y"]).feature_names == ("a",)
    assert read_csv(table("a,note,y\n" + rows), ["y"], ignore=["note"]).feature_names == ("a",)


@pytest.mark.parametrize(
    "mark", ["", "NA", "na", "n/a", "N/A", "nan", "?", "-", "null", "NULL", "None", "none"]
)
def test_marks_of_missing_values_among_numbers(table, mark):
    """Red when a column of numbers with such a mark becomes words, in a first file or in one read like it."""
    path = table("a,y\n" + "".join(f"{i},1\n" for i in range(12)) + f" {mark},0\n")
    data = read_csv(path, ["y"])
    assert data.feature_names == ("a",)
    expected = [*range(12), np.nan]
    np.testing.assert_array_equal(data.X.ravel(), expected)
    np.testing.assert_array_equal(read_csv(path, ["y"], like=data.schema).X.ravel(), expected)


def test_the_same_marks_are_words_among_words(table):
    """Red when a dash or "none" is taken for a missing value where no entry is a number."""
    rows = "+,none,-\n-,one,-\nx,two,-\n"
    data = read_csv(table("sign,kind,dash\n" + rows), [])
    assert data.schema.categories == {"sign": ("+", "-", "x"), "kind": ("none", "one", "two"), "dash": ("-",)}
    assert not np.isnan(data.X).any()


def numbers_and(entry, n_values):
    """200 rows of a number, of so many different ones, and a row with something else on the fifth line."""
    column = [f"{i % n_values}.5" for i in range(200)]
    return "a,f1,y\n" + "".join(f"1,{e},1\n" for e in [*column[:3], entry, *column[3:]])


@pytest.mark.parametrize("n_values", [200, 30])
def test_a_word_among_numbers_is_refused(table, n_values):
    """Red when one mistake makes a column of numbers text that is left out, or one feature a number."""
    message = "expected a number in column 'f1', found '12%': 200 of its 201 entries are numbers; correct it"
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(table(numbers_and("12%", n_values)), ["y"])
    assert (caught.value.line, caught.value.column) == (5, 2)
    assert read_csv(table(numbers_and("12%", n_values)), ["y"], ignore=["f1"]).feature_names == ("a",)


def test_a_word_among_codes_is_told(table):
    """Red when nobody is told why a column of few numbers became one feature a value."""
    with pytest.warns(UserWarning, match=r"toy\.csv:5:2: expected .* found '3\+': .* are read as words"):
        data = read_csv(table(numbers_and("3+", 3)), ["y"])
    assert data.feature_names == ("a", "f1=0.5", "f1=1.5", "f1=2.5", "f1=3+")


def test_words_with_some_numbers_are_words(table):
    """Red when a column of which a fifth are words, or of nine numbers and a word, is taken for one of numbers."""
    some = "".join(f"{i % 5 or 'x'},1\n" for i in range(100))
    nine = "".join(f"{i or 'x'},1\n" for i in range(10))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_csv(table("a,y\n" + some), ["y"]).feature_names) == 5
        assert len(read_csv(table("a,y\n" + nine), ["y"]).feature_names) == 10


def test_parquet(tmp_path):
    frame = polars.DataFrame(
        {
            "size": [1, 2, None],
            "kind": ["u", "v", "u"],
            "on": [True, False, None],
            "tags": [["p", "q"], [], ["q"]],
        }
    )
    frame.write_parquet(tmp_path / "toy.parquet")
    data = read(tmp_path / "toy.parquet", labels=["on"], ignore=["tags"])
    assert data.Y.ravel().tolist() == [1, 0, -1]
    np.testing.assert_array_equal(data.X, [[1, 0], [2, 1], [np.nan, 0]])
    tagged = read_parquet(tmp_path / "toy.parquet", "tags", ignore=["on"])
    assert tagged.label_names == ("p", "q")
    assert tagged.Y.tolist() == [[1, 1], [0, 0], [0, 1]]


def test_a_broken_parquet_file_is_named(tmp_path):
    (tmp_path / "toy.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(ValueError, match=r"toy\.parquet: not a readable Parquet file"):
        read_parquet(tmp_path / "toy.parquet", ["y"])


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a,y\n1,0\n\n2\n", 4, 2, "expected 2 fields, found 1"),
        ("a,y\n1,0\n2,maybe\n", 3, 2, "expected 0 or 1 for label 'y', found 'maybe'"),
        ("a,y\n1,-1\n", 2, 2, "expected 0 or 1 for label 'y', found '-1'"),
        ('a,y\n1,"0\n', 2, 1, "not a table of fields"),
        ("", 1, 1, "expected a header line"),
        ("1,2,0,1\n3,4,1,0\n", 1, 1, "found numbers: 1,2,0,1; put one first"),
        ("a;y\n1,5;0\n", 1, 1, r"expected ',' .* found 'a;y'; if it is ';', pass delimiter=';'"),
        ("a\ty\n1\t0\n", 1, 1, r"if it is '\\t', pass delimiter='\\t'"),
        ("0.5, -2 ,1\n3,4,1\n", 1, 1, "found numbers: 0.5,-2,1; put one first"),
    ],
)
def test_errors_name_the_place(table, text, line, column, message):
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(table(text), ["y"])
    assert (caught.value.line, caught.value.column) == (line, column)


def test_other_mistakes(table):
    path = table(TEXT)
    with pytest.raises(ValueError, match="which columns are labels"):
        read(path)
    with pytest.raises(ValueError, match="no column matches labels='tag_"):
        read(path, "tag_*")
    with pytest.raises(ValueError, match="ignore= names 'nothing'"):
        read(path, "is_*", ignore=["nothing"])
    with pytest.raises(ValueError, match="holds no tag at all"):
        read(table("x,tags\n1,\n"), "tags")
    with pytest.raises(ValueError, match="unknown format"):
        read("toy.xyz")
    with pytest.raises(ValueError, match="says itself"):
        read("toy.npz", labels=["a"])
    with pytest.raises(ValueError, match="takes no delimiter=; leave it out"):
        read("toy.arff", delimiter=";")
    with pytest.raises(ValueError, match="decimal=';' is neither a point nor a comma"):
        read(path, "is_*", decimal=";")
    with pytest.raises(ValueError, match="delimiter=';;' is not one character"):
        read(path, "is_*", delimiter=";;")
    with pytest.raises(FileNotFoundError):
        read("nothing.csv", labels=["a"])


def test_a_second_file_is_encoded_like_the_first(tmp_path):
    """Red when the 1 of a two-word column depends on which words the second file happens to have."""
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("size,colour,key,text,tag\n1,blue,C,a,1\n2,red,D,b,0\n3,red,E,c,1\n")
    second.write_text("key,colour,size\nE,red,5\nF,red,?\n")
    data = read_csv(first, ["tag"], ignore=["text"])
    with pytest.warns(UserWarning, match="1 entries of column 'key' are new, such as 'F'"):
        other = read_csv(second, [], like=data.schema)
    assert other.feature_names == data.feature_names == ("size", "colour", "key=C", "key=D", "key=E")
    np.testing.assert_array_equal(other.X, [[5, 1, 0, 0, 1], [np.nan, 1, 0, 0, 0]])
    assert other.Y.shape == (2, 0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("colour,key\nred,C\n", "the column 'size' is missing; there are colour, key"),
        ("size,colour,key\nbig,red,C\n", r"b\.csv:2:1: expected a number in column 'size', found 'big'"),
        (
            "size,colour,key\n1,pink,C\n",
            r"b\.csv:2:2: expected 'blue' or 'red' in column 'colour', found 'pink'",
        ),
    ],
)
def test_a_second_file_that_cannot_be_encoded_like_the_first(tmp_path, content, message):
    path = tmp_path / "b.csv"
    path.write_text(content)
    like = Schema(("size", "colour", "key"), {"colour": ("blue", "red"), "key": ("C", "D", "E")})
    with pytest.raises(ValueError, match=message):
        read_csv(path, [], like=like)


@pytest.mark.parametrize("known", [("False", "True"), ("no", "yes")])
def test_words_for_on_and_off_in_any_case_of_letters(table, known):
    """Red when TRUE is another word than True, or words that mean nothing of the kind are the same in small letters."""
    like = Schema(("on", "kind"), {"on": known, "kind": ("Y", "red", "y")})
    rows = "".join(f"{word},{kind}\n" for word, kind in zip([*known, known[1].upper()], ["Y", "y", "red"]))
    data = read_csv(table("on,kind\n" + rows), [], like=like)
    np.testing.assert_array_equal(data.X, [[0, 1, 0, 0], [1, 0, 0, 1], [1, 0, 1, 0]])
    with pytest.warns(UserWarning, match="1 entries of column 'kind' are new, such as 'Red'"):
        read_csv(table(f"on,kind\n{known[0]},Red\n"), [], like=like)


@pytest.mark.parametrize("row", ["?,red", "1,NA"])
def test_what_may_not_be_missing_is_named(table, row):
    """Red when a model that takes no missing features cannot say where one is."""
    like = Schema(("size", "colour"), {"colour": ("blue", "green", "red")}, may_miss=False)
    with pytest.raises(
        DataFormatError, match="is missing, which the model cannot take; fill it in"
    ) as caught:
        read_csv(table(f"size,colour\n1,blue\n\n{row}\n"), [], like=like)
    assert (caught.value.line, caught.value.column) == (4, 1 if row.startswith("?") else 2)


@pytest.mark.parametrize("labels", [["y"], "y*", "y", -1])
def test_two_features_of_one_name_are_refused(table, labels):
    """Red when a table is read whose second file would give the first of two columns twice."""
    path = table("a,a,b,y\n1,2,3,0\n4,5,6,1\n")
    with pytest.raises(ValueError, match=r"toy\.csv: 2 columns are called 'a'; give each a name of its own"):
        read_csv(path, labels)
    assert read_csv(path, labels, ignore=["a"]).X.ravel().tolist() == [3, 6]
    with pytest.raises(ValueError, match="2 columns are called 'a'"):
        read_csv(path, [], like=Schema(("a",)))
    assert read_csv(path, [], like=Schema(("b",))).X.ravel().tolist() == [3, 6]


def test_two_labels_of_one_name_are_refused(table):
    """Red when a pattern or a number makes two labels that only one name can be asked for."""
    path = table("a,y,y\n1,0,1\n2,1,0\n")
    for labels in ("y*", -2):
        with pytest.raises(ValueError, match="2 columns are called 'y'"):
            read_csv(path, labels)


@pytest.mark.parametrize("stray", ["2", "-1", "maybe"])
def test_a_stray_entry_makes_no_tags_of_a_label(table, stray):
    """Red when one mistake in a column of 0 and 1 turns it into a column of three tags."""
    path = table("a,y\n" + "1,0\n2,1\n" * 30 + f"3,{stray}\n")
    message = f"expected 0 or 1 for label 'y', found '{stray}'"
    with pytest.raises(DataFormatError, match=message) as caught:
        read_csv(path, "y")
    assert (caught.value.line, caught.value.column) == (62, 2)


def test_tags_may_be_numbers(table):
    """Red when tags of which some are 0 and 1 are taken for one label."""
    assert read_csv(table("a,y\n" + "1,0\n2,1\n3,2\n" * 30), "y").label_names == ("0", "1", "2")
    assert read_csv(table("a,y\n1,0\n2,1\n3,2\n"), "y").label_names == ("0", "1", "2")


def test_spaces_after_commas_belong_to_no_name(table):
    """Red when a name is not found because the header has a space before it."""
    path = table("f1, f2 , mood_a\n1, 2, 0\n3, 4, 1\n")
    data = read_csv(path, ["mood_a"], ignore=["f1"])
    assert (data.feature_names, data.label_names) == (("f2",), ("mood_a",))
    assert read_csv(path, "mood_*", like=data.schema).X.ravel().tolist() == [2, 4]


def test_tags_that_are_not_known(table):
    """Red when a word for what is not known becomes a tag, or an empty entry a row whose labels are not known."""
    data = read_csv(table("x,tags\n1,b;a\n2,?\n3,\n4, NA\n5,a;NA\n"), "tags", tag_separator=";")
    assert data.label_names == ("NA", "a", "b")
    assert data.Y.tolist() == [[0, 1, 1], [-1] * 3, [0, 0, 0], [-1] * 3, [1, 1, 0]]
    with pytest.raises(ValueError, match="holds no tag at all"):
        read_csv(table("x,tags\n1,?\n2,\n"), "tags")


@pytest.mark.parametrize("entry", ["['python', 'numpy']", '[""python""]', "[1, 2]", "[]"])
def test_printed_lists_are_no_tags(table, entry):
    """Red when the brackets and quotes of a list that pandas wrote become part of labels."""
    path = table(f'x,tags\n1,[wip]\n2,"{entry}"\n')
    with pytest.raises(DataFormatError, match=r"found the list .* without brackets and quotes") as caught:
        read_csv(path, "tags")
    assert (caught.value.line, caught.value.column) == (3, 2)


def test_columns_may_be_called_by_numbers(table):
    """Red when the header of a DataFrame without names is taken for a row."""
    data = read_csv(table("0,1,2,3\n0.5,2,0,1\n4,5,1,0\n"), -2)
    assert (data.feature_names, data.label_names) == (("0", "1"), ("2", "3"))
    assert data.X.shape == (2, 2)


def test_a_column_without_a_name_is_left_out(table):
    """Red when the row numbers that pandas writes become a feature, or nobody is told that they do not."""
    path = table(",a,y\n0,0.5,1\n1,2,0\n")
    with pytest.warns(UserWarning, match=r"toy\.csv: a column without a name is left out.*: column 1"):
        data = read_csv(path, ["y"])
    assert data.feature_names == ("a",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_csv(path, ["y"], ignore=[""]).feature_names == ("a",)
        assert read_csv(path, ["y"], like=data.schema).X.ravel().tolist() == [0.5, 2]


def test_decimal_commas_are_read_where_they_are_told(table):
    """Red when a comma is lost, words or tags with commas change, or text is not told what to do about it."""
    rows = [f"{i},5;-{i},25e1;small, {i % 2};{i % 3},{i % 2}" for i in range(30)]
    path = table("\n".join(["a;b;c;tags", *rows, "?;,5;;"]) + "\n")
    data = read_csv(path, "tags", delimiter=";", decimal=",")
    assert data.label_names == ("0", "1", "2")
    assert data.feature_names[:2] == ("a", "b")
    np.testing.assert_array_equal(data.X[:30, 0], np.arange(30) + 0.5)
    np.testing.assert_array_equal(data.X[:, 1], [*(-10.0 * np.arange(30) - 2.5), 0.5])
    assert np.isnan(data.X[30, 0])
    assert list(data.schema.categories["c"]) == ["small, 0", "small, 1"]
    again = read_csv(path, "tags", delimiter=";", decimal=",", like=data.schema)
    np.testing.assert_array_equal(again.X, data.X)
    with pytest.raises(
        ValueError, match=r":2:1: expected a number .* '0,5'; if its comma .* pass decimal=','"
    ):
        read_csv(path, "tags", delimiter=";", like=data.schema)


def test_labels_too_may_have_decimal_commas(table):
    """Red when 1,0 is two tags, or no label: pandas writes numbers so."""
    rows = [f"{i},5;{i % 2},0;{int(i > 4)},0" for i in range(12)]
    path = table("\n".join(["a;y;z", *rows]) + "\n")
    for labels in ("y", ["y"], -2):
        data = read_csv(path, labels, delimiter=";", decimal=",")
        assert data.label_names[0] == "y"
        assert data.Y[:, 0].tolist() == [i % 2 for i in range(12)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1,5;2,5;1\n0,5;0,25;0\n", ":1:1: expected a header line .* found numbers"),
        ("a;y\n1,5;0\n1.234;1\n", r":3:1: expected numbers with decimal commas in column 'a', found '1.234'"),
    ],
)
def test_what_decimal_commas_make_doubtful_is_refused(table, text, told):
    """Red when a first row becomes names, or a thousand becomes one and a bit."""
    with pytest.raises(ValueError, match=told):
        read_csv(table(text), -1, delimiter=";", decimal=",")


def test_points_in_words_are_no_numbers_with_points(table):
    rows = [f"{i},5;{'v1.2' if i % 2 else '1.2'};{i % 2}" for i in range(12)]
    data = read_csv(table("\n".join(["a;version;y", *rows]) + "\n"), ["y"], delimiter=";", decimal=",")
    assert data.X[:, 0].tolist() == [i + 0.5 for i in range(12)]
    assert list(data.schema.categories) == ["version"]


@pytest.mark.parametrize(
    "entries",
    [
        [f"{i},5" if i % 2 else str(i) for i in range(60)],
        ["0,25", "1,25", "2"] * 20,
        [f"{i % 30},5" for i in range(100)],
    ],
    ids=["text", "words", "many words"],
)
def test_numbers_with_commas_are_told_what_to_do(table, entries, recwarn):
    """Red when a column of such numbers is left out or read as words without the way out."""
    rows = [f"note {i} of many;{entry};{i % 2}" for i, entry in enumerate(entries)]
    path = table("\n".join(["note;a;y", *rows]) + "\n")
    comma = next(entry for entry in entries if "," in entry)
    read_csv(path, ["y"], delimiter=";")
    told = f"no number: {comma} in column 'a'; if commas stand before decimals, pass decimal=','"
    assert [str(w.message).endswith(told) for w in recwarn].count(True) == 1


def test_a_comma_among_many_numbers_is_told_what_to_do(table):
    """Red when the one entry that looks wrong in a file of whole numbers and halves has no way out."""
    rows = [f"{i};{i % 2}" for i in range(58)] + ["0,5;1", "1,5;0"]
    with pytest.raises(ValueError, match=r":60:1: .* found '0,5'.* stands before decimals, pass decimal=','"):
        read_csv(table("\n".join(["a;y", *rows]) + "\n"), ["y"], delimiter=";")


def test_words_that_floats_know_may_be_names(table):
    """Red when a column called like no number makes a header one of numbers."""
    assert read_csv(table("0,inf\n1,0\n2,1\n"), ["inf"]).label_names == ("inf",)


def test_lists_of_codes_are_not_taken_for_decimals(table, recwarn):
    """Red when words with commas that are no numbers get a hint that cannot help."""
    rows = [f"{'1,2,3' if i % 2 else 'red, 2'};{i % 2}" for i in range(12)]
    read_csv(table("\n".join(["a;y", *rows]) + "\n"), ["y"], delimiter=";")
    assert not recwarn.list

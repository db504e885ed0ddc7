import pytest

from setwise.datasets import DataFormatError, read_label_file, write_label_file


def parse(tmp_path, text):
    path = tmp_path / "labels.xml"
    path.write_text(text)
    return read_label_file(path)


def test_nested_labels(tmp_path):
    text = '<label name="a"><label name="b"/><label name="c"/></label><label name="d"/>'
    assert parse(tmp_path, f'<labels xmlns="http://x">{text}</labels>') == (
        ("a", "b", "c", "d"),
        (-1, 0, 0, -1),
    )


def test_prefixed_elements(tmp_path):
    assert parse(tmp_path, '<m:labels xmlns:m="x"><m:label name="a"/></m:labels>').names == ("a",)


def test_round_trip_of_odd_names(tmp_path):
    names = ("a & b", '"quoted"', "<x>", "ä", "a'b")
    write_label_file(names, tmp_path / "labels.xml")
    assert read_label_file(tmp_path / "labels.xml").names == names


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('<labels>\n<label name="a">\n</labels>', 3, "not well-formed XML: mismatched tag"),
        ("<labels>\n<label/></labels>", 2, "expected <label name="),
        ('<labels>\n<tag name="a"/></labels>', 2, "found <tag>"),
        ('<labels><label name="a"/>\n<label name="a"/></labels>', 2, "label 'a' occurs twice"),
        ("<labels></labels>", 1, "expected at least one"),
        ('<!DOCTYPE x [<!ENTITY a "aaaa">]>\n<labels/>', 1, "entities are not supported"),
        ("", 1, "not well-formed XML: no element found"),
    ],
)
def test_errors_name_the_place(tmp_path, text, line, message):
    with pytest.raises(DataFormatError, match=message) as caught:
        parse(tmp_path, text)
    assert caught.value.line == line

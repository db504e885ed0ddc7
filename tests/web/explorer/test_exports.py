"""What a person takes home: a patch, a corrected copy, tasks of Label Studio, a model."""

import csv
import io

import numpy as np
import pytest

from setwise.tables.files.csv import csv_table
from setwise.tables.schema import TagColumn
from setwise.web.explorer.corrections.copies import PlainCopy, TableCopy
from setwise.web.explorer.corrections.label_studio import label_studio_tasks
from setwise.web.explorer.corrections.labels import corrected_labels
from setwise.web.explorer.corrections.patch import patch_csv
from setwise.web.explorer.corrections.refit import refit
from tests.web.explorer.sessions import journal_of, made_up, session_of


@pytest.fixture(scope="module")
def session():
    return session_of(*made_up())


@pytest.fixture
def journal(session, tmp_path):
    journal = journal_of(session, tmp_path)
    journal.add(3, "edit", ["calm", "old"], note="=HYPERLINK(1)")
    journal.add(5, "keep", [])
    journal.add(6, "skip", [])
    return journal


def test_applying_the_patch_gives_the_corrected_labels(session, journal):
    given, names = session.data.given, session.data.label_names
    patched = given.copy()
    for line in csv.DictReader(io.StringIO(patch_csv(given, names, journal))):
        assert int(line["given"]) == given[int(line["row"]), names.index(line["label"])]
        patched[int(line["row"]), names.index(line["label"])] = int(line["corrected"])
        assert line["note"] == "'=HYPERLINK(1)"
    corrected = corrected_labels(given, names, journal)
    assert (patched == corrected).all()
    assert corrected[3].tolist() == [1, 0, 0, 1]
    assert (np.delete(corrected, 3, axis=0) == np.delete(given, 3, axis=0)).all()


def test_a_plain_copy_has_all_rows(session, journal):
    given, names = session.data.given, session.data.label_names
    corrected = corrected_labels(given, names, journal)
    lines = list(csv.reader(io.StringIO(PlainCopy(session.data.rows, names)(given, corrected))))
    assert lines[0][-4:] == names
    assert [[int(v) for v in line[-4:]] for line in lines[1:]] == corrected.tolist()
    assert float(lines[4][0]) == session.data.rows.X[3, 0]


TABLES = {
    "columns": ('text,calm,sad,n\nlow,yes,no,1\n"a, b",no,no,2\n', None, "low,no,yes,1"),
    "tags": ("text,tags\nlow,calm;rare\nhigh,\n", TagColumn("tags", ";"), "low,rare;sad"),
    "lists": ('text,tags\nlow,"[""calm""]"\nhigh,[]\n', TagColumn("tags", ","), 'low,"[""sad""]"'),
}


@pytest.mark.parametrize("form", TABLES)
def test_a_copy_of_a_table_changes_nothing_else(tmp_path, form):
    """The first row goes from calm to sad, as the file writes labels; all else stays."""
    text, tags, expected = TABLES[form]
    path = tmp_path / "songs.csv"
    path.write_text(text)
    given = np.array([[1, 0], [0, 0]], dtype=np.int8)
    corrected = np.array([[0, 1], [0, 0]], dtype=np.int8)
    written = TableCopy(csv_table(path), ["calm", "sad"], tags)(given, corrected).splitlines()
    # no row of the data has the label sad, so its column has no word for "on"
    assert written[1] == (expected if form != "columns" else "low,no,1,1")
    assert written[0] == text.splitlines()[0]
    assert written[2] == text.splitlines()[2]
    assert path.read_text() == text


def test_label_studio_gets_decisions_and_suggestions(session, journal):
    tasks = {task["data"]["row"]: task for task in label_studio_tasks(session, journal)}
    (result,) = tasks[3]["annotations"][0]["result"]
    assert result["value"]["choices"] == ["calm", "old"]
    assert result["type"] == "choices"
    given = [name for name, on in zip(session.data.label_names, session.data.given[5]) if on]
    assert tasks[5]["annotations"][0]["result"][0]["value"]["choices"] == given
    assert 6 not in tasks or not tasks[6]["annotations"]
    assert 0 <= tasks[3]["predictions"][0]["score"] <= 1


def test_a_refitted_model_is_that_of_the_corrected_labels(session, journal):
    """Its predictions are those of a model fitted to the corrected labels; the report counts the corrections."""
    from setwise import ConditionalTree
    from setwise.tables.labels.tag_tables import LabelTable

    found = refit(session, journal, lambda share: None)
    corrected = corrected_labels(session.data.given, session.data.label_names, journal)
    X = session.data.rows.X
    expected = ConditionalTree(l2=1.0).fit(X, LabelTable(corrected, session.data.label_names))
    assert (found.model.predict_proba(X) == expected.predict_proba(X)).all()
    assert found.report["rows_corrected"] == 1
    assert found.report["labels_corrected"] == int((corrected != session.data.given).sum())
    assert {score["name"] for score in found.report["scores"]} == {
        "exact match",
        "label accuracy",
        "log-loss",
    }

import polars

from setwise.cli import main


def test_what_the_file_says_is_printed(model, capsys):
    assert main(["inspect", str(model)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "ConditionalTree" in shown
    assert "120 rows of train.arff" in shown


def test_the_columns_of_a_table_are_described(tmp_path, capsys):
    """Red if a model of a table hides what it made of the columns."""
    path, made = tmp_path / "tickets.csv", str(tmp_path / "m.setwise")
    path.write_text("id,size,tags\n" + "".join(f"T-{row},{row / 8},{'ab'[row % 2]}\n" for row in range(30)))
    assert main(["fit", str(path), "--labels", "tags", "--model", "br", "-o", made]) == 0
    capsys.readouterr()
    assert main(["inspect", made]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "an identifier, different in every row" in shown
    assert "columns │ 2" in shown


def test_the_csv_file_is_one_table(model, tmp_path):
    assert main(["inspect", str(model), "--csv", str(tmp_path / "out.csv")]) == 0
    assert polars.read_csv(tmp_path / "out.csv").columns == ["what", "value"]


def test_rows_explain_the_model(model, files, tmp_path, capsys):
    """Red if the data of the second argument are not read for the model."""
    html = tmp_path / "m.html"
    assert main(["inspect", str(model), str(files[1]), "--html", str(html)]) == 0
    assert "<html" in html.read_text()

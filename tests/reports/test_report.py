"""Reports need nothing else and run nothing, whatever the names say."""

import base64
import html
import re
import shutil
import subprocess

import pytest

from setwise.plotting import TreeDisplay
from setwise.reports import Figure, Report, Section
from setwise.reports import report as report_module
from setwise.views import Table
from tests.plotting.gallery import gallery

HOSTILE = "<script>document.title='executed'</script><img src=x onerror=\"document.title='executed'\">\"'&"


def hostile_report():
    table = Table(HOSTILE, [HOSTILE, "b"], [[HOSTILE, HOSTILE]], [HOSTILE])
    figure = Figure(TreeDisplay([-1, 0], [0.0, 1.0], [HOSTILE, "b"], title=HOSTILE), HOSTILE)
    return Report(HOSTILE, HOSTILE, [Section(HOSTILE, [table], [figure], HOSTILE)])


def images(page):
    return [
        base64.b64decode(data).decode() for data in re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)
    ]


def test_hostile_names_are_text():
    """Red if any field of a report goes into the page unescaped."""
    page = hostile_report().to_html()
    assert "<script" not in page
    assert "<img src=x" not in page
    # the title twice, subtitle, heading and text, five in the table, the caption twice
    assert page.count("&lt;script&gt;") == 12
    [image] = images(page)
    assert "<script" not in image


def test_nothing_is_fetched():
    """No address is left outside the images' declarations, which browsers do not fetch."""
    page = hostile_report().to_html().replace("http-equiv", "")
    assert not re.search(r"https?:|//|@import|url\(", re.sub(r"base64,[^\"]+", "", page))
    for display in gallery(6).values():
        svg = re.sub(
            r"<!DOCTYPE[^>]+>|<metadata>.*?</metadata>|xmlns(:\w+)?=\"[^\"]+\"",
            "",
            display.to_svg(),
            flags=re.S,
        )
        assert not re.search(r"https?:|@import|href=\"(?!#|data:)", svg)


def test_braces_in_names_do_not_break_the_page():
    page = Report("{title}", "{0}", [Section("{x}", [Table("{y}", ["{z}"], [["{}"]])])]).to_html()
    for name in ("{title}", "{0}", "{x}", "{y}", "{z}", "{}"):
        assert name in page


def test_without_matplotlib_the_tables_remain(monkeypatch):
    monkeypatch.setattr(report_module, "find_spec", lambda name: None)
    page = hostile_report().to_html()
    assert "<table>" in page
    assert "<img" not in page
    assert "pip install" in page


def test_a_page_that_cannot_be_made_leaves_the_old_file(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(AttributeError):
        Report("new", sections=[Section("x", figures=[Figure(None)])]).save(path)
    assert path.read_text() == "old"


def test_markdown_has_the_tables_and_what_made_them():
    text = Report(
        "Title", "sub", [Section("", [Table("T", ["a", "b"], [["x|y", "1.5"]], ["note"])])]
    ).to_markdown()
    assert "| x\\|y | 1.5 |" in text
    assert "|---|---:|" in text
    assert "setwise 0." in text
    assert "note" in text


def test_in_a_browser_no_script_runs():
    """The page's own title stays; a script or an image's error handler would have changed it."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no chromium here")
    run = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]
    page = "data:text/html;base64," + base64.b64encode(hostile_report().to_html().encode()).decode()
    dom = subprocess.run([*run, page], capture_output=True, text=True, timeout=120, check=True).stdout
    assert "<title>executed" not in dom
    assert "<title>&lt;script&gt;" in dom
    assert "<script>" not in dom


def test_a_report_prints_its_tables():
    """Red if a table is left out, or a name reaches the terminal as a command."""
    report = Report("Songs\x1b[31m", "sub", [Section("Scores", [Table("", ["a"], [["1.5"]])], text="x")])
    assert repr(report) == "Songs\\x1b[31m\nsub\n\nScores\n  a\n---\n1.5"


def test_a_notebook_shows_the_page_in_a_frame_of_its_own():
    """Red if the page's style or a hostile name could reach the notebook around it."""
    shown = hostile_report()._repr_html_()
    [inside] = re.findall(r'^<iframe srcdoc="([^"]*)" sandbox [^>]*></iframe>$', shown)
    assert html.unescape(inside) == hostile_report().to_html()


def test_a_table_of_a_report_as_a_frame():
    report = Report(
        "T",
        sections=[
            Section("A", [Table("", ["x"], [["-"], ["2"]])]),
            Section("B", [Table("C", ["y"], [["1.0 ± 0.1"]])]),
        ],
    )
    assert report.to_frame("A")["x"].isna().tolist() == [True, False]
    assert report.to_frame("C", library="polars").rows() == [("1.0 ± 0.1",)]
    with pytest.raises(ValueError, match="no table is called 'B'; the tables are 'A', 'C'"):
        report.to_frame("B")
    with pytest.raises(ValueError, match="the report has 2"):
        report.to_frame(2)

"""The pages of the papers: what is printed, and the records behind it."""

import numpy as np
import pytest

from benchmarks import paper_pages
from setwise.datasets import available
from setwise.evaluation import Comparison
from setwise.evaluation.protocol import Estimate
from setwise.papers.left_out import left_out
from setwise.papers.margins import margins
from setwise.papers.printed import Printed
from setwise.papers.recipes import PAPERS
from setwise.papers.reproduction import Line, Reproduction, _line, reproduce
from setwise.reports import report_reproduction


def line(method, printed, ours, measure="exact_match"):
    estimate = None if ours is None else Estimate(ours, 0.01, 10)
    return Line(Printed("Table 6", "toy", method, measure, printed), estimate, "level")


def test_margins_are_over_the_best_rival():
    """Red if the worst or a missing rival is subtracted, or a loss is not turned round."""
    rivals = frozenset({"A", "B"})
    table = margins([line("own", 0.5, 0.6), line("A", 0.4, 0.3), line("B", 0.7, None)], "own", rivals)
    assert table.rows == [["toy", "exact_match", "-0.200", "-", "+0.300", "1"]]
    losses = [line("own", 2.0, 1.0, "cll_loss"), line("A", 3.0, 1.5, "cll_loss")]
    assert margins(losses, "own", rivals).rows == [["toy", "cll_loss", "+1.000", "-", "+0.500", "1"]]


def test_records_are_kept_and_read_again(tmp_path):
    """Red if a number is lost, or writing the same records twice gives other bytes."""
    records = [{"key": "a/b/0/c", "scores": {"exact_match": 1 / 3}, "warnings": ["x"], "settings": "NaiBX()"}]
    path = tmp_path / "x.jsonl.gz"
    paper_pages.write(path, records)
    first = path.read_bytes()
    paper_pages.write(path, paper_pages.read(path).values())
    assert path.read_bytes() == first
    assert paper_pages.read(path)["a/b/0/c"]["scores"]["exact_match"] == 1 / 3
    assert paper_pages.read(tmp_path / "none.jsonl") == {}


@pytest.mark.parametrize("key", PAPERS)
def test_every_number_of_a_page_has_a_record(key, data_folder):
    """Red if a page was not made from the records beside it, or records lack their settings."""
    records = paper_pages.read(paper_pages.PAGES / f"{key}.jsonl.gz")
    assert all(record["settings"] and np.isfinite(record["seconds"]) for record in records.values())
    if not all(PAPERS[key].source(record["data"]).is_here(available()) for record in records.values()):
        pytest.skip("a data set of the page is not in SETWISE_DATA")
    kept = (paper_pages.PAGES / f"{key}.md").read_text(encoding="utf-8")
    assert _numbers(paper_pages.page(key)) == _numbers(kept)


def _numbers(page):
    return [row for row in page.splitlines() if "±" in row]


def test_the_records_are_small():
    assert sum(path.stat().st_size for path in paper_pages.PAGES.glob("*.gz")) < 2_000_000


def test_a_cell_that_was_run_in_part_is_open_and_listed():
    """Red if a few folds are judged as if they were all, or the page does not say that folds are missing."""
    paper = PAPERS["mc"]
    record = {"data": "yeast", "method": "BR", "repeat": 0, "seconds": 1.0, "scores": {"exact_match": 0.2}}
    result = Comparison([record])
    line = _line(paper, paper.printed()[0]._replace(data="yeast", method="BR"), result, {"yeast"}, None)
    assert line.verdict == "open"
    rows = left_out(Reproduction(paper, [line], result)).rows
    assert rows[0][2] == "time: repetitions run: 1"


def test_tables_without_printed_numbers_say_so():
    """Red if the lost tables of the CDN paper are counted as printed numbers, or lose their names."""
    made = reproduce(PAPERS["cdn"], data=["emotions"], seconds=0.0)
    report = report_reproduction(made)
    assert "lost in our copy" in report.subtitle
    assert [table.title for table in made.tables()] == [
        "Table 1: exact_match",
        "Table 2: macro_f1",
        "Table 3: micro_f1",
    ]

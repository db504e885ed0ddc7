"""Runs of the benchmarks are recorded, shown commit by commit, and compared with the run before."""

import json

from benchmarks import record
from benchmarks.timing import Line


def run(commit, **gains):
    lines = [{"name": name, "gain": gain} for name, gain in gains.items()]
    about = {"date": "2026-01-02T03:04:05", "command": "x", "threads": 1, "cores": 2, "load": 0.1}
    return {"commit": commit, "lines": lines, **about}


def test_a_run_is_written_and_read_again(tmp_path):
    """Red if a number or the commit is lost, or a later run is read before an earlier one."""
    lines = [Line("a", "1 s", "3 s", "3x", "2x", "", 3.0), Line("b", "1 GB", "-", "-", "", "")]
    path = record.write(tmp_path, lines, threads=1)
    assert json.loads(path.read_text())["lines"][0]["ours"] == "1 s"
    [found] = record.read(tmp_path)
    assert record.gains(found) == {"a": 3.0}
    assert found["commit"] in path.name


def test_a_ratio_that_fell_by_a_fifth_is_flagged():
    """Red if the comparison is with another benchmark, with the first run, or flags what hardly moved."""
    runs = [run("one", a=10.0, b=5.0), run("two", a=4.0), run("three", a=3.9, b=3.9, c=1.0)]
    assert record.falls(runs) == ["b: 5 at one, 3.9 at three"]
    assert record.falls(runs[:1]) == record.falls([]) == []


def test_the_page_has_a_row_for_each_benchmark_and_a_column_for_each_run():
    page = record.page([run("one", a=10.0), run("two", a=4.0, b=2.5)])
    assert "| a | 10 | 4 |" in page
    assert "| b |  | 2.5 |" in page

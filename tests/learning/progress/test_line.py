"""The progress of a fit reads well in a terminal, in a notebook and in a log."""

import io

import pytest

from setwise.learning.progress.line import ProgressLine
from setwise.learning.progress.monitor import Progress


class NotebookStream(io.StringIO):
    """Looks like the standard error of a notebook's kernel, which is not a terminal."""


NotebookStream.__module__ = "ipykernel.iostream"


class Clock:
    """A second passes at every look."""

    now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def run(stream, verbose):
    line = ProgressLine("Model", verbose, stream, Clock())
    for task, iteration in (("tuning", 0), ("tuning", 1), ("all rows", 0), ("all rows", 1)):
        line(Progress(task, iteration, 2, -12.5))
    line.close()
    return stream.getvalue()


def screen(text):
    """What is to be seen in the end, where a carriage return goes back to the start of the line."""
    lines = []
    for line in text.split("\n"):
        shown = ""
        for part in line.split("\r"):
            part = part.replace("\x1b[K", "") if "\x1b[K" in part else part + shown[len(part) :]
            shown = part
        lines.append(shown.rstrip())
    return lines


@pytest.mark.parametrize("kind", ["terminal", "notebook"])
def test_a_line_is_rewritten_and_its_end_stays(kind, monkeypatch):
    """Red if a bar freezes at its first state, or a shorter line leaves the end of a longer one."""
    monkeypatch.setenv("COLUMNS", "200")
    stream = NotebookStream() if kind == "notebook" else io.StringIO()
    if kind == "terminal":
        stream.isatty = lambda: True
    text = run(stream, 1)
    first, second, end = screen(text)
    assert first.startswith("Model: tuning · [████████████············] 1/2 · bound -12.5")
    assert second.startswith("Model: all rows · [████████████············] 1/2 · bound -12.5")
    assert "more of this" in text
    assert "more of this" not in first + second
    assert end == ""
    assert ("\x1b" in text) == (kind == "terminal")


def test_a_log_has_a_line_for_each_task_when_it_is_done():
    """Red if a log is full of bars, or shows the first iteration of a task instead of the last."""
    text = run(io.StringIO(), 1)
    assert [line.rsplit(" · ", 1)[0] for line in text.splitlines()] == [
        "Model: tuning · iteration 1 of at most 2 · bound -12.5",
        "Model: all rows · iteration 1 of at most 2 · bound -12.5",
    ]
    assert "\r" not in text


@pytest.mark.parametrize("stream", [io.StringIO(), NotebookStream()])
def test_verbose_2_has_a_line_for_each_iteration(stream):
    assert run(stream, 2).count("\n") == 4


def test_a_fast_fit_does_not_flood_a_notebook():
    """Red if every iteration is sent to the browser."""
    stream = NotebookStream()
    line = ProgressLine("Model", 1, stream, clock=lambda: 0.0)
    for iteration in range(1000):
        line(Progress("all rows", iteration, 1000, -12.5))
    line.close()
    assert stream.getvalue().count("\r") == 2


def test_a_stream_without_isatty_is_a_log():
    class Stream:
        text = ""

        def write(self, text):
            self.text += text

        def flush(self):
            pass

    stream = Stream()
    line = ProgressLine("Model", 1, stream)
    line(Progress("all rows", 3, 9, -1.0))
    line.close()
    assert stream.text.startswith("Model: all rows · iteration 3 of at most 9")

"""What holds for every answer: it prints by name, shows itself in a notebook, and becomes a frame."""

import pickle

import numpy as np
import pandas as pd
import pytest

from setwise.contract import Decided, Entropy, Mode, Question, TopK
from setwise.estimators.meta.conformal_sets import CandidateSets

N, K, L = 12, 3, 2
HOSTILE = np.array(["<script>alert(1)</script>", "sea\x1b[31m\n" + "x" * 300], dtype=object)


def answers():
    rng = np.random.default_rng(0)
    labels, listed = rng.integers(0, 2, (N, L)).astype(np.int8), rng.integers(0, 2, (N, K, L)).astype(np.int8)
    log_prob, sure = np.log(rng.dirichlet(np.ones(K), N)), np.arange(N) > 2
    value = rng.random(N)
    gain = rng.random((N, L))
    return {
        "Mode": Mode(labels, log_prob[:, 0], sure, np.zeros(N)),
        "TopK": TopK(listed, log_prob, sure, np.zeros(N)),
        "Decided": Decided(labels, value, value / 10, sure),
        "Question": Question(gain.argmax(axis=1), gain),
        "Entropy": Entropy(value, value - 0.1, value + 0.1, value / 10, "sampled"),
        "CandidateSets": CandidateSets(listed, log_prob, sure),
    }


KINDS = list(answers())
WITH_SETS = [kind for kind in KINDS if kind != "Entropy"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_index_of_the_frame_is_kept(kind):
    """Red if the index, its name or its order is lost; in polars the first column has it."""
    index = pd.Index([f"day {i}" for i in range(N)], name="day")
    answer = answers()[kind].with_names(HOSTILE, index)
    frame = answer.to_frame()
    pd.testing.assert_index_equal(frame.index.unique(), index)
    table = answer.to_frame(library="polars")
    assert table.columns == ["day", *frame.columns]
    assert table["day"].to_list() == frame.index.tolist()
    assert "day 3" in repr(answer)
    assert "day 3" in answer._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_without_an_index_rows_are_numbered(kind):
    frame = answers()[kind].to_frame()
    assert frame.index.unique().tolist() == list(range(N))
    assert frame.index.name == "row"


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_of_several_levels_and_with_repeats(kind):
    """Red if rows of the same name are taken for one row."""
    index = pd.MultiIndex.from_tuples([("a", i // 2) for i in range(N)])
    answer = answers()[kind].with_names(None, index)
    pd.testing.assert_index_equal(answer.to_frame().index.unique(), index.unique())
    assert answer.to_frame(library="polars")["row"].to_list()[-1] == "a, 5"
    assert repr(answer).count("a, 1 ") == 2


@pytest.mark.parametrize("kind", WITH_SETS)
def test_hostile_names_are_text(kind):
    """Red if a name can run in a notebook, move the cursor of a terminal, or fill the screen."""
    answer = answers()[kind].with_names(HOSTILE)
    shown = answer._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    assert "\x1b" not in repr(answer) + shown
    assert max(map(len, repr(answer).splitlines())) < 120
    shown.encode()


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_first_rows_are_printed(kind):
    answer = answers()[kind]
    assert "12 rows in all; to_frame() returns them" in repr(answer)
    assert len(repr(answer).splitlines()) <= 46
    assert answer.to_frame(4).index.unique().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_a_tuple_that_survives_pickling(kind):
    """Red if code that unpacks answers, or sends them to other processes, finds something else."""
    answer = answers()[kind].with_names(HOSTILE, pd.RangeIndex(N))
    first, *_ = answer
    assert first is answer[0]
    again = pickle.loads(pickle.dumps(answer))
    assert type(again) is type(answer)
    assert repr(again) == repr(answer)
    assert repr(type(answer)(*answer)) != ""


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_are_no_trouble(kind):
    full = answers()[kind]
    empty = type(full)(*(part[:0] if isinstance(part, np.ndarray) else part for part in full))
    assert "0 rows" in repr(empty)
    assert empty.to_frame().empty
    assert empty.to_frame(library="polars").is_empty()


@pytest.mark.parametrize(
    ("index", "shown"),
    [
        (pd.date_range("2026-01-01", periods=N), "2026-01-02 "),
        (pd.date_range("2026-01-01", periods=N, freq="12h"), "2026-01-01 12:00:00 "),
        (pd.Index([f"{i}" if i % 2 else None for i in range(N)]), "None "),
        (pd.RangeIndex(100, 100 + N), "101 "),
        (pd.Categorical(["a", "b"] * (N // 2)), "b "),
    ],
    ids=["days", "times", "objects", "numbers", "categories"],
)
def test_an_index_of_any_type_is_shown(index, shown):
    answer = answers()["Mode"].with_names(None, pd.Index(index))
    assert shown in repr(answer).replace("nan ", "None ")
    assert answer.to_frame(library="polars").height == N


def test_the_frames_have_the_numbers():
    """Red if a probability is a log, a label is a number, or a set belongs to another row."""
    names = np.array(["sea", "sand"])
    top = TopK(
        np.array([[[1, 1], [0, 0]], [[0, 1], [-1, -1]]], np.int8),
        np.array([np.log([0.75, 0.25]), [0.0, -np.inf]]),
        np.array([True, False]),
        np.array([0.0, 0.5]),
    ).with_names(names)
    frame = top.to_frame().reset_index()
    assert frame["row"].tolist() == [0, 0, 1]
    assert frame["rank"].tolist() == [1, 2, 1]
    assert frame["set"].tolist() == ["sea, sand", "(no labels)", "sand"]
    np.testing.assert_allclose(frame["probability"], [0.75, 0.25, 1.0])
    assert frame["certified"].tolist() == [True, True, False]
    assert "not proved optimal in 1 row" in repr(top)
    question = Question(np.array([1]), np.array([[0.1, 0.5]])).with_names(names).to_frame()
    assert question.to_dict("list") == {"label": ["sand"], "gain": [0.5]}


def test_rows_without_an_answer_say_so():
    nothing = np.full((1, 2), -1, np.int8)
    assert "(no answer)" in repr(Decided(nothing, np.array([np.nan]), np.zeros(1), np.array([True])))
    impossible = TopK(nothing[:, None], np.array([[-np.inf]]), np.array([True]), np.zeros(1))
    assert impossible.to_frame()["set"].tolist() == ["(no answer)"]
    assert impossible.to_frame()["probability"].tolist() == [0.0]


def test_lists_that_are_cut_off_say_so():
    sets = np.zeros((1, 128, 7), np.int8)
    answer = CandidateSets(sets, np.full((1, 128), np.log(1 / 128)), np.array([False]))
    assert "1 list cut off: further sets are candidates too" in repr(answer)
    assert len(repr(answer).splitlines()) < 50
    assert len(answer.to_frame()) == 128


def test_an_unknown_library_and_a_missing_one(monkeypatch):
    answer = answers()["Mode"]
    with pytest.raises(ValueError, match="library is 'arrow'; expected 'pandas' or 'polars'"):
        answer.to_frame(library="arrow")
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas, or use library='polars'"):
        answer.to_frame()

"""Every estimator shows its progress, and reports to scikit-learn's callbacks."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import setwise
from setwise.learning.progress.monitor import Monitor, Progress, current_monitor
from tests.estimators.registry import MAKERS

SILENT = {"MLkNN", "NaiBX", "ConformalSets", "LabelSpaceTransform", "RankSVM"}
"""Estimators whose fit is one step, the last two with the penalties that they have here."""


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, (X[:, [0, 1, 0]] + rng.normal(size=(80, 3)) > 0).astype(int)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
def test_verbose_prints_lines_and_nothing_prints_without(make, rows, capsys):
    """Red if a fit ignores verbose, or prints unasked."""
    make().fit(*rows)
    assert capsys.readouterr() == ("", "")
    make(verbose=2).fit(*rows)
    out, err = capsys.readouterr()
    assert out == ""
    name = make.func.__name__
    assert all(line.startswith(f"{name}: ") for line in err.splitlines())
    assert bool(err) == (name not in SILENT)


@pytest.mark.parametrize(
    ("model", "task", "steps"),
    [
        (setwise.BinaryRelevance, "labels", 3),
        (setwise.ClassifierChain, "labels", 3),
        (setwise.ConditionalDependencyNetwork, "labels", 3),
        (setwise.ChainEnsemble, "chains", 10),
        (setwise.RAkEL, "groups", 1),
    ],
)
def test_classifiers_are_counted(model, task, steps, rows, capsys):
    """Red if fits of many classifiers look like one long step."""
    model(learner=HistGradientBoostingClassifier(max_iter=2), random_state=0, verbose=2).fit(*rows)
    lines = [line for line in capsys.readouterr().err.splitlines() if f": {task} · " in line]
    assert len(lines) == steps


def test_estimators_inside_do_not_report_to_the_one_outside(rows, capsys):
    """Red if the steps of a model inside a wrapper appear between its own."""
    setwise.CalibratedSets(setwise.BinaryRelevance(), cv=3, verbose=2).fit(*rows)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("CalibratedSets: folds · ") for line in lines)


def test_steps_of_a_task_are_not_tasks_themselves():
    """Red if a nested loop interrupts the report of the loop around it."""
    seen = []
    with Monitor(None, seen.append):
        for _ in current_monitor().steps("outer", range(2)):
            assert list(current_monitor().steps("inner", range(5))) == [0, 1, 2, 3, 4]
        for _ in current_monitor().steps("cut short", range(3)):
            break
        assert list(current_monitor().steps("after", "x")) == ["x"]
    assert seen == [Progress("outer", 1, 2), Progress("outer", 2, 2), Progress("after", 1, 1)]


def test_a_failed_fit_leaves_no_monitor_behind(rows):
    """Red if what is fitted next reports to a fit that has failed."""
    X, Y = rows
    with pytest.raises(ValueError, match="each of the labels"):
        setwise.ClassifierChain(order=[0, 0, 1], verbose=2).fit(X, Y)
    assert current_monitor()._listeners == ()


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.func.__name__)
def test_callbacks_follow_every_fit(make, rows):
    """Red if an estimator does not take callbacks, or a task begins that does not end."""
    pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks yet")
    count = Count()
    make().set_callbacks(count).fit(*rows)
    assert count.begun == count.ended
    assert count.begun > (1 if make.func.__name__ not in SILENT else 0)


class Count:
    """A callback that counts tasks."""

    def __init__(self):
        self.begun = self.ended = 0

    def setup(self, estimator, context):
        assert self.begun == 0

    def on_fit_task_begin(self, estimator, context):
        self.begun += 1

    def on_fit_task_end(self, estimator, context):
        self.ended += 1

    def teardown(self, estimator, context):
        assert self.begun == self.ended

"""What each report says, from a model or a run to the page."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from setwise import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    ConditionalDependencyNetwork,
    ConditionalTree,
    MixtureOfTrees,
    NaiBX,
)
from setwise.evaluation import Comparison
from setwise.evaluation.protocol import Estimate
from setwise.metrics import exact_match
from setwise.papers.recipes import PAPERS
from setwise.papers.reproduction import Line, Reproduction
from setwise.reports import (
    report_comparison,
    report_errors,
    report_evaluation,
    report_model,
    report_reproduction,
)

MODELS = {
    "BinaryRelevance": BinaryRelevance(l2=1.0),
    "ConditionalTree": ConditionalTree(l2=1.0),
    "MixtureOfTrees": MixtureOfTrees(2, l2=1.0, random_state=0),
    "ConditionalBernoulliMixture": ConditionalBernoulliMixture(
        3, l2=1.0, gate_l2=1.0, tuning=False, random_state=0
    ),
    "ConditionalDependencyNetwork": ConditionalDependencyNetwork(random_state=0),
    "NaiBX": NaiBX(),
    "pipeline": make_pipeline(StandardScaler(), ConditionalTree(l2=1.0)),
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 0] > 0.3]).astype(int)


def cell(table, row, column=1):
    return next(cells[column] for cells in table.rows if cells[0].startswith(row))


@pytest.mark.parametrize("name", MODELS)
def test_every_family_is_evaluated_and_inspected(name, rows):
    """Red if a family that lacks a joint, a search or components breaks a report."""
    X, Y = rows
    model = MODELS[name].fit(X, Y)
    evaluation = report_evaluation(model, X, Y, label_names=["<b>", "$", "c"])
    assert cell(evaluation.tables()[0], "exact match") == f"{exact_match(Y, model.predict(X)):.4f}"
    page = evaluation.to_html()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    inspected = report_model(model, X, Y)
    assert [section.title for section in inspected.sections][-1] == "Row 59"
    assert inspected.to_html().count("<figure>") >= 2
    assert report_model(model).to_html()


def test_evaluation_of_a_model_of_another_library(rows):
    X, Y = rows
    other = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    report = report_evaluation(other, X, Y)
    assert [section.title for section in report.sections] == ["Scores", "Sets", "Labels"]
    assert float(cell(report.tables()[0], "joint log-loss")) > 0


def test_evaluation_of_a_model_of_two_classes(rows):
    X, Y = rows
    y = np.where(Y[:, 0], "yes", "no")
    report = report_evaluation(BinaryRelevance(l2=1.0).fit(X, y), X, y)
    assert float(cell(report.tables()[0], "exact match")) > 0.8


def test_the_mistakes_are_counted():
    class Constant(BaseEstimator):
        def fit(self, X, Y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return np.tile([1, 0], (len(X), 1))

    Y = [[1, 0], [0, 1], [0, 1], [0, 0]]
    model = Constant().fit(None, None)
    report = report_evaluation(model, np.zeros((4, 1)), Y, label_names=["a", "b"])
    mistakes = next(table for table in report.tables() if table.title == "Most frequent mistakes")
    assert mistakes.rows == [["b", "a", "2", "1, 2"], ["(no labels)", "a", "1", "3"]]


def test_errors_rank_rows_and_count_labels():
    report = report_errors(
        [0.5, 3.0, 1.0], [[1, 0], [1, 1], [0, 0]], [[1, 0], [0, 1], [0, 1]], row_names=["x", "y", "z"]
    )
    rows, labels = report.tables()
    assert [row[0] for row in rows.rows] == ["y", "z", "x"]
    assert labels.rows == [["0", "0", "1"], ["1", "1", "0"]]
    assert "another set in 2 of them" in report.subtitle


def run(*scores):
    """Records of three folds for each (data, method, exact match)."""
    return Comparison(
        {
            "key": f"{data}/{method}/{fold}",
            "data": data,
            "method": method,
            "repeat": fold,
            "protocol": "3 folds",
            "scores": {"exact_match": value + 0.01 * fold, "joint_log_loss": 1 - value, "fit_seconds": 0.1},
        }
        for data, method, value in scores
        for fold in range(3)
    )


def test_comparison_marks_the_best_and_tests_it():
    result = run(("d", "A", 0.5), ("d", "B", 0.7))
    report = report_comparison(result)
    scores, against = report.tables()
    assert scores.rows[1][1] == "0.710 ± 0.006*"
    assert not scores.rows[0][1].endswith("*")
    assert against.rows[0][:2] == ["A", "+0.200"]
    assert report.to_html().count("<figure>") == 2


def test_ranks_need_three_methods_and_two_data_sets():
    few = report_comparison(run(("d", "A", 0.5), ("d", "B", 0.7), ("d", "C", 0.6)))
    assert len(few.sections) == 1
    cells = [(data, method, value) for data in "de" for method, value in (("A", 0.5), ("B", 0.7), ("C", 0.6))]
    many = report_comparison(run(*cells))
    assert many.sections[-1].title == "Over all data sets"
    assert len(many.sections[-1].figures) == 2


def test_failures_are_notes_and_infinite_losses_are_no_points():
    result = run(("d", "A", 0.5), ("d", "B", np.inf))
    result.failures.append({"data": "d", "method": "B", "repeat": 0, "error": "no <luck>"})
    page = report_comparison(result).to_html()
    assert "no &lt;luck&gt;" in page


def test_reproduction_has_a_figure_for_each_table():
    paper = PAPERS["mc"]
    printed = [row for row in paper.printed() if row.data == "yeast" and row.method in ("BR", "MMOC")]
    lines = [
        Line(row, None if row.method == "MMOC" else Estimate(row.value, 0.01, 10), "not built")
        for row in printed
    ]
    report = report_reproduction(Reproduction(paper, lines, Comparison([])))
    *tables, not_run = report.sections
    assert [len(section.figures) for section in tables] == [1, 1, 1, 1]
    assert [table.title for table in not_run.tables] == ["Cells not run"]
    assert "nothing run" in report.subtitle
    display = report.sections[0].figures[0].display
    assert display.mean.tolist() == [0.0]

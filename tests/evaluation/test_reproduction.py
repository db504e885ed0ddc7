"""The papers' tables: read rightly, judged rightly, run in short."""

import numpy as np
import pytest

from setwise.datasets import load
from setwise.evaluation.protocol import Estimate
from setwise.papers.printed import most_common
from setwise.papers.recipes import PAPERS
from setwise.papers.reproduction import judge, reproduce


def value(paper, table, data, method):
    [found] = [row.value for row in PAPERS[paper].printed() if row[:3] == (table, data, method)]
    return found


def test_printed_values_are_the_papers():
    """Red if the file of printed values is changed or read in the wrong column."""
    assert value("mc", "Table 2", "emotions", "SC") == 0.322
    assert value("mc", "Table 3", "yeast", "CC") == 2303.8
    assert value("mlme", "Table 3", "emotions", "BR") == 0.265
    assert value("cbm", "Table 2", "scene", "CBM+LR") == 0.697


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_every_printed_method_has_a_column(paper):
    """Red if a method of a table would be left out silently. The upper bound is not a method."""
    assert {row.method for row in paper.printed()} - set(paper.columns) <= {"Upper bound"}


def test_verdicts_are_symmetric():
    """Red if a gain inside two standard errors counts as better while a loss of that size counts as level."""
    row = next(row for row in PAPERS["mc"].printed() if row.measure == "exact_match")
    loss = next(row for row in PAPERS["mc"].printed() if row.measure == "cll_loss")
    assert judge(row, Estimate(row.value + 0.03, 0.01, 10)) == "better"
    assert judge(row, Estimate(row.value + 0.019, 0.01, 10)) == "level"
    assert judge(row, Estimate(row.value - 0.019, 0.01, 10)) == "level"
    assert judge(row, Estimate(row.value - 0.03, 0.01, 10)) == "worse"
    assert judge(row, Estimate(row.value - 0.03, float("nan"), 1)) == "open"
    assert judge(loss, Estimate(loss.value - 1, 0.1, 10)) == "better"
    assert judge(loss, Estimate(loss.value + 1, 0.1, 10)) == "worse"
    assert judge(row._replace(measure="fit_seconds"), Estimate(9.0, 0.1, 10)) == "-"


def test_a_short_run_on_the_data_that_is_always_there():
    """yeast comes with the demo's data; BR in two folds is near the printed exact match and CLL-loss."""
    made = reproduce(PAPERS["mc"], data=["yeast"], methods=["BR"], repeats=2)
    lines = {(line.printed.measure, line.printed.method): line for line in made.lines}
    ours = lines["exact_match", "BR"]
    assert abs(ours.ours.mean - ours.printed.value) < 0.03
    loss = lines["cll_loss", "BR"]
    assert loss.ours.mean / loss.printed.value == pytest.approx(1.0, abs=0.15)
    titles = [table.title for table in made.tables()]
    assert titles[:2] == ["Table 2: exact_match", "Table 3: cll_loss"]
    assert "harmonic mean" in str(made.tables()[-1])


def test_the_study_of_known_sizes_knows_sizes_and_no_more():
    """Red if NaiBX_TrueM is not run, its answers have other sizes than the truth, or it sees more of the truth."""
    made = reproduce(PAPERS["naibx"], data=["yeast"], methods=["NaiBX_TrueM"], repeats=2)
    lines = {line.printed.measure: line for line in made.lines}
    assert abs(lines["exact_match"].published.ours.mean - lines["exact_match"].printed.value) < 0.03
    assert lines["exact_match"].verdict == "better"
    # Of sets of one size, the share of the answer that is true is the share of the truth that was answered.
    assert lines["instance_precision"].ours.mean == pytest.approx(lines["instance_recall"].ours.mean)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    Y = (X @ rng.normal(size=(2, 4)) + rng.normal(size=(60, 4)) > 0).astype(int)
    model = PAPERS["naibx"].columns["NaiBX_TrueM"].build().fit(X[:40], Y[:40])
    answers = model.predict_given(X[40:], Y[40:])
    np.testing.assert_array_equal(answers.sum(axis=1), Y[40:].sum(axis=1))
    np.testing.assert_array_equal(answers, model.predict_given(X[40:], Y[40:, ::-1]))
    assert (
        PAPERS["naibx"].recipe("enron", "NaiBX_TrueM, as published").build().estimator.features == "bernoulli"
    )


def test_data_sets_that_are_not_here_are_listed(monkeypatch, tmp_path):
    monkeypatch.setenv("SETWISE_DATA", str(tmp_path))
    monkeypatch.setenv("SETWISE_CACHE", str(tmp_path))
    made = reproduce(PAPERS["cbm"], data=["scene", "nus-wide"], methods=["BinRel+LR"])
    assert [line.verdict for line in made.lines] == ["no data", "no data"]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="mc has no data set 'mnist'; it has emotions"):
        reproduce(PAPERS["mc"], data=["mnist"])
    with pytest.raises(ValueError, match="mc has no method 'GPT'"):
        reproduce(PAPERS["mc"], methods=["GPT"])


def test_rcv1_is_reduced_as_in_the_papers(data_folder):
    """Counts of the papers' Table 1, one feature short; and its 69 distinct sets, 1.31 labels a row."""
    data = most_common(load("rcv1subset1", repair=False))
    figures = data.statistics()
    assert (figures.rows, figures.features, figures.labels) == (6000, 8393, 10)
    assert figures.distinct_sets == 69
    assert figures.cardinality == pytest.approx(1.31, abs=0.01)


def test_official_split_of_scene(data_folder):
    """The CBM paper prints 0.515 for binary relevance on scene; one split, binomial standard error."""
    made = reproduce(PAPERS["cbm"], data=["scene"], methods=["BinRel+LR"])
    [line] = made.lines
    assert line.verdict in ("better", "level")


@pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))
def test_every_recipe_that_is_built_can_be_built(paper):
    """Red if an estimator's parameter is renamed but not in the papers' columns."""
    recipes = [*paper.columns.values(), *paper.special.values()]
    assert all(hasattr(recipe.build(), "fit") for recipe in recipes if recipe.is_built)


def test_the_papers_protocols():
    assert PAPERS["mc"].protocol_of("emotions", "BR").repeats == 10
    assert PAPERS["cbm"].protocol_of("scene", "CDN+LR").repeats == 3
    assert PAPERS["cbm"].protocol_of("scene", "BinRel+LR").kind == "official"
    assert PAPERS["naibx"].protocol_of("mediamill", "NaiBX").kind == "holdout"
    assert np.isclose(PAPERS["cdn"].protocol_of("yeast", "LR").test_size, 917)

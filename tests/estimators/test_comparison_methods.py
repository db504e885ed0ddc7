"""Powerset, stacking, neighbours, RAkEL and fields against closed forms and independent code."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from setwise import (
    IBLR,
    BinaryRelevance,
    ChainEnsemble,
    HeterogeneousFeatures,
    LabelPowerset,
    MLkNN,
    PairwiseCRF,
    RAkEL,
)
from setwise.inference.networks.half_sums import field_sums
from setwise.inference.sets.enumeration import label_sets
from setwise.learning.labels import powerset
from setwise.learning.linear.design import Design
from setwise.learning.structure import random_field
from setwise.learning.structure.label_pairs import all_pairs
from setwise.learning.structure.random_field import ConstantPairs, FieldProblem, set_features
from tests.estimators.random_labels import correlated


@pytest.fixture(scope="module")
def data():
    return correlated(0, n_rows=300, n_labels=4)


class TestLabelPowerset:
    def test_equals_a_multinomial_regression_on_the_sets(self, data):
        """Red if a class is not the label set it stands for."""
        X, Y = data
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        codes = Y @ (1 << np.arange(4))
        theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(Z, codes)
        ours = LabelPowerset(l2=1.0, backoff=0, tol=1e-12).fit(X, Y)
        assert_allclose(
            np.exp(ours.log_prob(X, Y)),
            theirs.predict_proba(Z)[np.arange(300), np.searchsorted(theirs.classes_, codes)],
            atol=1e-4,
        )
        sets = (theirs.predict(Z)[:, None] >> np.arange(4)) & 1
        assert_array_equal(LabelPowerset(l2=1.0, backoff=0, min_labels=0).fit(X, Y).predict(X), sets)

    def test_unseen_sets_are_possible_only_with_a_backoff(self, data):
        X, Y = data
        Y = np.where(Y[:, :1] == 1, [1, 1, 0, 0], [0, 0, 1, 1])
        strange = np.tile([1, 0, 1, 0], (300, 1))
        assert (LabelPowerset(backoff=0, l2=1.0).fit(X, Y).log_prob(X, strange) == -np.inf).all()
        assert np.isfinite(LabelPowerset(l2=1.0).fit(X, Y).log_prob(X, strange)).all()

    def test_unseen_sets_have_the_share_of_sets_seen_once(self):
        """Good and Turing, counted by hand: 3 of 20 rows have a unique set, the others share one."""
        counts = [1, 1, 1, 2, 5, 10]
        Y = np.repeat(label_sets(3)[:6], counts, axis=0)
        X = np.random.default_rng(0).normal(size=(20, 2))
        assert LabelPowerset(l2=1.0).fit(X, Y).backoff_ == pytest.approx(3.5 / 21)
        weights = np.repeat([1.0, 2.0, 0.5, 1.0, 1.0, 1.0], counts)
        heavy = LabelPowerset(l2=1.0).fit(X, Y, sample_weight=weights)
        assert heavy.backoff_ == pytest.approx((1.0 + 0.5 + 0.5) / 21.5)

    def test_pruned_sets_are_not_answered(self, data):
        X, Y = data
        model = LabelPowerset(min_count=20, backoff=0, l2=1.0).fit(X, Y)
        sets, counts = np.unique(Y, axis=0, return_counts=True)
        assert_array_equal(model.sets_, sets[counts >= 20])

    @pytest.mark.parametrize(
        "learner", [HistGradientBoostingClassifier(max_iter=5), SVC(break_ties=True)], ids=str
    )
    def test_any_multi_class_classifier(self, data, learner):
        X, Y = data
        codes = Y @ (1 << np.arange(4))
        theirs = learner.fit(X, codes).predict(X)
        ours = LabelPowerset(learner, backoff=0, min_labels=0).fit(X, Y).predict(X)
        assert (ours @ (1 << np.arange(4)) == theirs).all()

    def test_bad_backoff(self, data):
        with pytest.raises(ValueError, match="backoff is 1"):
            LabelPowerset(backoff=1).fit(*data)


def mlknn_by_loops(X, Y, new, k, s):
    """Zhang and Zhou's table 1, cell by cell; each training row's neighbours exclude itself."""
    n, L = Y.shape
    index = NearestNeighbors(n_neighbors=k).fit(X)
    train, test = index.kneighbors(return_distance=False), index.kneighbors(new, return_distance=False)
    answers = np.zeros((len(new), L))
    for label in range(L):
        prior = (s + Y[:, label].sum()) / (2 * s + n)
        seen = np.zeros((2, k + 1))
        for i in range(n):
            seen[Y[i, label], Y[train[i], label].sum()] += 1
        for i in range(len(new)):
            c = Y[test[i], label].sum()
            on = prior * (s + seen[1, c]) / (s * (k + 1) + seen[1].sum())
            off = (1 - prior) * (s + seen[0, c]) / (s * (k + 1) + seen[0].sum())
            answers[i, label] = on / (on + off)
    return answers


class TestNeighbours:
    def test_mlknn_equals_the_papers_table(self, data):
        X, Y = data
        ours = (
            MLkNN(n_neighbors=7, smoothing=0.5, scale_features=False)
            .fit(X[:200], Y[:200])
            .predict_proba(X[200:])
        )
        assert_allclose(ours, mlknn_by_loops(X[:200], Y[:200], X[200:], 7, 0.5), rtol=1e-10)

    def test_iblr_equals_regressions_on_the_votes(self, data):
        X, Y = data
        neighbours = NearestNeighbors(n_neighbors=10).fit(X).kneighbors(return_distance=False)
        shares = Y[neighbours].mean(axis=1)
        Z = (shares - shares.mean(axis=0)) / shares.std(axis=0)
        ours = IBLR(l2=1.0, tol=1e-12, scale_features=False).fit(X, Y)
        for label in range(4):
            alone = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(Z, Y[:, label])
            assert_allclose(ours.vote_coef_[label], alone.coef_[0] / shares.std(axis=0), atol=1e-4)

    @pytest.mark.parametrize("cls", [MLkNN, IBLR])
    def test_the_units_of_features_do_not_matter(self, data, cls):
        X, Y = data
        other = X * np.array([1.0, 1e-3, 7.0, 1e4, 2.0]) + 5.0
        make = cls if cls is MLkNN else functools.partial(cls, l2=1.0)
        expected = make().fit(X, Y).predict_proba(X)
        assert_allclose(make().fit(other, Y).predict_proba(other), expected, rtol=1e-6)

    @pytest.mark.parametrize("cls", [MLkNN, IBLR])
    def test_metrics_and_few_rows(self, data, cls):
        X, Y = data
        cosine = cls(metric="cosine").fit(X, Y).predict_proba(X)
        assert not np.allclose(cosine, cls().fit(X, Y).predict_proba(X))
        assert np.isfinite(cls().fit(X[:3], Y[:3]).predict_proba(X)).all()
        with pytest.raises(ValueError, match="n_neighbors is 0"):
            cls(n_neighbors=0).fit(X, Y)

    @pytest.mark.parametrize("cls", [MLkNN, IBLR])
    def test_sparse_rows_find_neighbours_among_dense_ones_and_dense_among_sparse(self, data, cls):
        """Red if sparse rows are handed to the tree that was built of dense ones."""
        X, Y = data
        dense, sparse = cls().fit(X, Y), cls().fit(sp.csr_matrix(X), Y)
        assert_allclose(dense.predict_proba(sp.csr_matrix(X)), dense.predict_proba(X), rtol=1e-9)
        assert_allclose(sparse.predict_proba(X), sparse.predict_proba(sp.csr_matrix(X)), rtol=1e-9)

    @pytest.mark.parametrize("cls", [MLkNN, IBLR])
    def test_features_whose_squares_overflow_have_the_same_neighbours(self, data, cls):
        """Red if distances become infinite: then any rows are neighbours."""
        X, Y = data
        make = functools.partial(cls, scale_features=False, **({} if cls is MLkNN else {"l2": 1.0}))
        expected = make().fit(X, Y).predict_proba(X)
        for huge in (2.0**600, 2.0**1000):
            assert_allclose(make().fit(huge * X, Y).predict_proba(huge * X), expected, rtol=1e-9)

    def test_iblr_with_features_equals_regressions_on_both(self, data):
        """Red if features or votes are left out of the fit or the answer; a vote has the scale of all features."""
        X, Y, new = data[0][:200], data[1][:200], data[0][200:]
        index, scale = NearestNeighbors(n_neighbors=10).fit(X), 5**0.5
        shares, new_shares = (Y[index.kneighbors(Z, return_distance=False)].mean(axis=1) for Z in (None, new))
        ours = IBLR(with_features=True, l2=1.0, tol=1e-12, scale_features=False).fit(X, Y)
        inputs, new_inputs = (
            np.hstack([(rows - X.mean(axis=0)) / X.std(axis=0), scale * votes])
            for rows, votes in ((X, shares), (new, new_shares))
        )
        for label in range(4):
            alone = LogisticRegression(C=1.0, tol=1e-10, max_iter=5000).fit(inputs, Y[:, label])
            assert_allclose(ours.vote_coef_[label], scale * alone.coef_[0, 5:], atol=1e-4)
            expected = alone.predict_proba(new_inputs)[:, 1]
            assert_allclose(ours.predict_proba(new)[:, label], expected, atol=1e-4)


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what it was given."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.X_ = X
        self.share_ = y.mean()
        return self

    def predict_proba(self, X):
        p = np.clip(self.share_ + 0.1 * np.tanh(X[:, 0]), 0.01, 0.99)
        return np.column_stack([1 - p, p])


class TestHeterogeneousFeatures:
    def test_the_second_layer_sees_probabilities_of_rows_the_first_has_not_seen(self, data):
        """Red if training probabilities are in-sample: every fold would have the share of all rows."""
        X, Y = data
        model = HeterogeneousFeatures(Recorder(), n_folds=5).fit(X, Y)
        seen = model.second_.labels[0].classifier.X_
        assert seen.shape == (300, 5 + 4)
        offsets = seen[:, 5:] - 0.1 * np.tanh(X[:, :1])
        assert len(np.unique(offsets[:, 0].round(9))) == 5

    def test_it_learns_what_one_layer_cannot(self):
        """The third label is on between the borders of the others: linear in their probabilities, not in x."""
        X = np.random.default_rng(0).uniform(-2, 2, size=(600, 1))
        Y = np.hstack([X > -0.7, X > 0.7, np.abs(X) < 0.7]).astype(int)
        right = [
            (model.fit(X[:400], Y[:400]).predict(X[400:], decision="hamming") == Y[400:]).mean(axis=0)
            for model in (HeterogeneousFeatures(), BinaryRelevance())
        ]
        assert right[0].min() > 0.95
        assert right[1][2] < 0.85

    def test_one_fold_is_too_few(self, data):
        X, Y = data
        with pytest.raises(ValueError, match="n_folds is 1"):
            HeterogeneousFeatures(n_folds=1).fit(X, Y)


class TestRAkEL:
    def test_disjoint_groups_are_powersets_side_by_side(self, data):
        X, Y = data
        model = RAkEL(kind="disjoint", groups=[[0, 2], [1, 3]], l2=1.0, backoff=0, min_labels=0).fit(X, Y)
        for group in ([0, 2], [1, 3]):
            alone = LabelPowerset(l2=1.0, backoff=0, min_labels=0).fit(X, Y[:, group])
            assert_array_equal(model.predict(X)[:, group], alone.predict(X))
            assert_allclose(model.predict_proba(X)[:, group], alone.predict_proba(X), rtol=1e-6)

    def test_overlapping_groups_average(self, data):
        X, Y = data
        model = RAkEL(groups=[[0, 1], [1, 2]], l2=1.0, backoff=0).fit(X, Y)
        parts = [LabelPowerset(l2=1.0, backoff=0).fit(X, Y[:, g]).predict_proba(X) for g in ([0, 1], [1, 2])]
        assert_allclose(model.predict_proba(X)[:, 1], (parts[0][:, 1] + parts[1][:, 0]) / 2, rtol=1e-6)
        assert_allclose(model.predict_proba(X)[:, 3], (Y[:, 3].sum() + 0.5) / 301)

    @pytest.mark.parametrize(
        ("L", "k", "n_models", "expected"), [(6, 3, None, 12), (4, 3, 50, 4), (3, 5, None, 1)]
    )
    def test_groups_differ_and_cover_the_labels(self, L, k, n_models, expected):
        X, Y = correlated(3, 60, L)
        groups = RAkEL(group_size=k, n_models=n_models, l2=1.0, random_state=0).fit(X, Y).groups_
        assert len({tuple(g) for g in groups}) == len(groups) == expected
        assert set(np.concatenate(groups)) == set(range(L))

    def test_other_learners_and_errors(self, data):
        X, Y = data
        assert RAkEL(SVC(), random_state=0).fit(X, Y).predict(X).shape == Y.shape
        with pytest.raises(ValueError, match="kind is 'both'"):
            RAkEL(kind="both").fit(X, Y)
        with pytest.raises(ValueError, match="group_size is 0"):
            RAkEL(group_size=0).fit(X, Y)

    @pytest.mark.parametrize("group", [[0, 9], [1, 1], [], [0.5, 1], ["a"]], ids=str)
    def test_bad_groups(self, data, group):
        with pytest.raises(ValueError, match=r"groups\[1\] is .*expected different labels of 0..3"):
            RAkEL(groups=[[0, 1], group]).fit(*data)

    @pytest.mark.parametrize("groups", [[[0, 1], [1, 2, 3]], [[0, 1], [2]]], ids=str)
    def test_disjoint_groups_hold_each_label_once(self, data, groups):
        with pytest.raises(ValueError, match="'disjoint' needs each label once"):
            RAkEL(kind="disjoint", groups=groups).fit(*data)


@pytest.mark.parametrize("cls", [LabelPowerset, PairwiseCRF])
def test_penalties_of_many_sets_are_chosen_on_some_rows(cls, monkeypatch):
    """Red if sampled rows lose the numbers of their sets, depend on the order of rows, or choose another penalty."""
    X, Y = correlated(0, n_rows=1200, n_labels=4)
    full = cls().fit(X, Y).l2_
    for module in (powerset, random_field):
        monkeypatch.setattr(module, "TRIAL_CELLS", 600 * len(np.unique(Y, axis=0)))
    thinned, shuffled = (cls().fit(X[rows], Y[rows]).l2_ for rows in (slice(None), slice(None, None, -1)))
    assert not np.array_equal(full, thinned)
    assert_allclose(shuffled, thinned, rtol=1e-6)
    assert 0.1 < float(np.mean(thinned / full)) < 10.0


class TestPairwiseCRF:
    def test_exact_is_the_maximum_likelihood_field(self, data):
        """Red if an energy or its normaliser is wrong: SciPy minimises the same objective written out."""
        X, Y = data
        X, Y = X[:, :2], Y[:, :3]
        sets, scale = label_sets(3), 2.0**0.5
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        pairs = [(0, 1), (0, 2), (1, 2)]

        def energy(parameters, y):
            W, b, c = parameters[:6].reshape(2, 3), parameters[6:9], parameters[9:]
            return (Z @ W + b) @ y + scale * sum(c[p] * y[i] * y[j] for p, (i, j) in enumerate(pairs))

        def objective(parameters):
            every = np.stack([energy(parameters, y) for y in sets], axis=1)
            own = every[np.arange(300), Y @ [4, 2, 1]]
            penalty = (parameters[:6] ** 2).sum() + (parameters[9:] ** 2).sum()
            return logsumexp(every, axis=1).sum() - own.sum() + 0.5 * penalty

        best = minimize(objective, np.zeros(12), method="L-BFGS-B", options={"ftol": 1e-13, "gtol": 1e-6})
        every = np.stack([energy(best.x, y) for y in sets], axis=1)
        model = PairwiseCRF(search="exact", l2=1.0, tol=1e-12).fit(X, Y)
        log_p = every[np.arange(300), Y @ [4, 2, 1]] - logsumexp(every, axis=1)
        assert_allclose(model.log_prob(X, Y), log_p, atol=1e-3)
        assert_allclose(model.coupling_, best.x[9:] * scale, atol=1e-3)

    def test_support_gives_probability_to_training_sets_only(self, data):
        X, Y = data
        Y = np.where(Y[:, :1] == 1, [1, 1, 0, 0], [0, 0, 1, 1])
        model = PairwiseCRF(l2=1.0, backoff=0).fit(X, Y)
        assert_allclose(np.exp(model.log_prob(X, Y)) + np.exp(model.log_prob(X, 1 - Y)), 1.0)

    def test_pairs_that_depend_on_features_fit_better(self):
        """Red if label_feature ignores the features: here the pair attracts or repels by their sign."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(600, 1))
        first = rng.random(600) < 0.5
        Y = np.column_stack([first, np.where(X[:, 0] > 0, first, ~first)]).astype(int)
        constant, linear = (PairwiseCRF(f, search="exact").fit(X, Y) for f in ("label", "label_feature"))
        assert linear.log_prob(X, Y).mean() > constant.log_prob(X, Y).mean() + 0.3

    def test_the_learned_structure_finds_the_pairs_there_are(self):
        """Labels 0-1 and 2-3 are tied, the rest is independent given the features."""
        rng = np.random.default_rng(1)
        X = rng.normal(size=(1500, 3))
        Y = (expit(X[:, [0, 0, 1, 1, 2]]) > rng.random((1500, 5))).astype(int)
        for a, b in ((0, 1), (2, 3)):
            Y[:, b] = np.where(rng.random(1500) < 0.6, Y[:, a], Y[:, b])
        model = PairwiseCRF(structure="learned", training="pseudo", search="loopy").fit(X, Y)
        assert {tuple(p) for p in model.pairs_} == {(0, 1), (2, 3)}
        exact = PairwiseCRF(structure="learned", search="exact").fit(X, Y)
        assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=0.05)

    @pytest.mark.parametrize("extreme", [1.0, 1e4])
    @pytest.mark.parametrize("all_sets", [True, False])
    def test_constant_pairs_have_the_sums_of_the_general_field(self, data, all_sets, extreme):
        """Red if the quick sums, by halves or over a list, or their gradient differ from the plain ones."""
        X, Y = data
        pairs, sets = all_pairs(Y.shape[1])[:2], label_sets(Y.shape[1])
        design, scale = Design(X), 0.7
        phi = set_features(sets, pairs)
        phi[:, Y.shape[1] :] *= scale
        free = np.ones((design.n_columns, phi.shape[1]), bool)
        free[: design.intercept, Y.shape[1] :] = False
        which = np.array([int(np.flatnonzero((sets == y).all(axis=1))[0]) for y in Y])
        rows = design, which, np.linspace(0.5, 2.0, len(Y)), phi, free, free
        coef = extreme * np.random.default_rng(0).normal(size=free.shape) * free
        beyond = field_sums(np.zeros((1, 4)), np.full((4, 4), scale * np.abs(coef).max()), np.ones(1)) is None
        assert beyond == (extreme > 1.0)  # then the sums go over the list
        value, gradient = ConstantPairs(*rows, pairs, scale, all_sets).value_and_gradient(coef)
        expected, slope = FieldProblem(*rows).value_and_gradient(coef)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(gradient[free], slope[free], rtol=1e-9, atol=1e-9 * np.abs(slope).max())

    def test_pseudo_likelihood_finds_the_field_too(self, data):
        """Both estimate the same couplings: red when one misses a factor or a pair."""
        X, Y = correlated(5, 3000, 3)
        pseudo, full = (
            PairwiseCRF(search="exact", training=t, l2=0.01).fit(X, Y) for t in ("pseudo", "likelihood")
        )
        assert_allclose(pseudo.coupling_, full.coupling_, atol=0.3)
        assert_allclose(pseudo.predict_proba(X), full.predict_proba(X), atol=0.05)

    def test_errors(self, data):
        X, Y = data
        with pytest.raises(ValueError, match="features is 'all'"):
            PairwiseCRF("all").fit(X, Y)
        with pytest.raises(ValueError, match="needs features='label'"):
            PairwiseCRF("label_feature", training="pseudo").fit(X, Y)
        with pytest.raises(ValueError, match="needs training='pseudo'"):
            PairwiseCRF(search="loopy").fit(X, Y)
        many = correlated(0, 40, 15)
        with pytest.raises(RuntimeError, match="'support' or 'loopy'"):
            PairwiseCRF(search="exact").fit(*many)


@pytest.mark.parametrize("vote", ["label", "subset"])
def test_chains_without_an_allowed_set_vote_for_probable_labels(vote):
    """Red if a chain that finds no set with enough labels votes -1."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(60, 3))
    Y = (rng.random((60, 3)) < 0.3).astype(int)
    Y[Y.sum(axis=1) == 0, 0] = 1
    model = ChainEnsemble(3, DecisionTreeClassifier(random_state=0), vote=vote, random_state=0).fit(X, Y)
    answers = model.predict(rng.normal(size=(300, 3)))
    assert set(np.unique(answers)) == {0, 1}
    assert (answers.sum(axis=1) >= 1).all()


def test_a_loopy_field_without_pairs_is_independent_labels():
    """Red if beliefs of no pairs cannot be summed."""
    X = np.random.default_rng(0).normal(size=(300, 1))
    Y = (X + np.random.default_rng(1).normal(size=(300, 1)) > 0).astype(int)
    fields = [PairwiseCRF(training="pseudo", search=name, l2=1.0).fit(X, Y) for name in ("loopy", "exact")]
    np.testing.assert_allclose(*(field.predict_proba(X) for field in fields), rtol=1e-9)

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.tree import DecisionTreeClassifier

from setwise import NaiBX
from setwise.inference.sets.enumeration import label_sets


@pytest.fixture(scope="module")
def one_label():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 300)
    X = rng.normal(loc=rng.normal(size=(4, 6))[y], scale=rng.uniform(0.5, 2, (4, 6))[y])
    return X, y, np.eye(4, dtype=int)[y]


@pytest.mark.parametrize(
    ("features", "peer", "change"),
    [
        ("gaussian", GaussianNB(var_smoothing=0.0), lambda X: X),
        ("bernoulli", BernoulliNB(alpha=0.7), lambda X: X),
        ("multinomial", MultinomialNB(alpha=0.7), lambda X: np.abs(X).round(1)),
        ("multinomial", MultinomialNB(alpha=0.7), lambda X: sp.csr_array(np.abs(X).round())),
    ],
)
def test_one_label_a_row_is_scikit_learns_naive_bayes(features, peer, change, one_label):
    """Section 4.1. Red if a density, a prior, the variance convention or the cascade's normaliser is off."""
    X, y, Y = one_label
    X = change(X)
    model = NaiBX(
        features,
        size_model=1,
        smoothing=0.0,
        feature_smoothing=0.7,
        variance_prior=0.0,
        ddof=0,
        search="exact",
    ).fit(X, Y)
    expected = peer.fit(X, y)
    assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-9)
    single = np.eye(4, dtype=int)
    log_p = np.stack([model.log_prob(X, np.broadcast_to(s, (300, 4))) for s in single], axis=1)
    assert_allclose(log_p, expected.predict_log_proba(X), atol=1e-9)
    assert (model.predict(X).argmax(axis=1) == expected.predict(X)).all()


def plants(n=400, seed=0):
    """Section 3.3: plant C is needed when demand is high; one of the twins A and B always is, never both."""
    rng = np.random.default_rng(seed)
    demand = rng.normal(size=(n, 1))
    twin = rng.integers(0, 2, n)
    high = (demand[:, 0] > 0).astype(int)
    return demand, np.column_stack([twin, 1 - twin, high])


@pytest.mark.parametrize(
    "settings",
    [{"decision": "greedy"}, {"decision": "subset"}, {"decision": "subset", "search": "exact"}],
    ids=["greedy", "beam", "exact"],
)
def test_twin_plants_are_never_both_chosen(settings):
    X, Y = plants()
    answer = NaiBX(**settings).fit(X, Y).predict(np.linspace(-2, 2, 41)[:, None])
    assert (answer[:, 0] + answer[:, 1] == 1).all()
    assert (answer[[0, -1], 2] == [0, 1]).all()


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 5)) + rng.integers(0, 2, (200, 5))
    Y = (X @ rng.normal(size=(5, 6)) + rng.normal(size=(200, 6)) > 1.0).astype(int)
    return X, Y


@pytest.mark.parametrize(
    "features", ["gaussian", "bernoulli", ["gaussian", "bernoulli", "multinomial"] + 2 * ["gaussian"]]
)
def test_blocks_and_sums_of_models_equal_fitting_at_once(features, rows):
    X, Y = np.abs(rows[0]), rows[1]
    whole = NaiBX(features).fit(X, Y)
    online = NaiBX(features)
    for at in (slice(0, 1), slice(1, 50), slice(50, 200)):
        online.partial_fit(X[at], Y[at])
    merged = NaiBX(features).fit(X[:90], Y[:90]) + NaiBX(features).fit(X[90:], Y[90:])
    for model in (online, merged):
        assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-9)
        assert_allclose(model.log_prob(X, Y), whole.log_prob(X, Y), atol=1e-9)
        assert model.min_labels_ == whole.min_labels_


def test_labels_and_columns_that_come_later(rows):
    X, Y = rows
    frame = pd.DataFrame(Y, columns=list("abcdef"))
    online = NaiBX().partial_fit(X[:50], frame[["c", "a"]][:50], classes=list("abcdef"))
    assert online.label_names_.tolist() == list("abcdef")
    assert (online.predict(X)[:, [1, 3, 4, 5]] == 0).all()
    online.partial_fit(X[50:], frame[50:])
    narrow = frame.copy()
    narrow.loc[:49, list("bdef")] = 0
    assert_allclose(online.predict_proba(X), NaiBX().fit(X, narrow).predict_proba(X), atol=1e-9)
    with pytest.raises(ValueError, match="'g', which is not one"):
        online.partial_fit(X, frame.rename(columns={"a": "g"}))
    with pytest.raises(ValueError, match="4 features"):
        online.partial_fit(X[:, :4], frame)
    with pytest.raises(ValueError, match="declares 7 labels but y has 6"):
        NaiBX().partial_fit(X, Y, classes=range(7))


def test_two_classes_of_which_one_comes_later():
    X = np.array([[0.0], [0.5], [4.0], [4.5]])
    model = NaiBX().partial_fit(X[:2], ["no", "no"], classes=["no", "yes"]).partial_fit(X[2:], ["yes", "yes"])
    assert model.predict([[0.2], [4.2]]).tolist() == ["no", "yes"]


def test_more_than_two_classes_are_refused_online_too():
    """Red if declared classes beyond two are counted as one of them."""
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        NaiBX().partial_fit(X, [0, 1, 2, 0, 1, 2], classes=[0, 1, 2])


def test_models_of_other_names_cannot_be_added(rows):
    """Red if columns are added by position although their names differ."""
    X, Y = rows
    names = list("abcde")
    model = NaiBX().fit(pd.DataFrame(X, columns=names), Y)
    with pytest.raises(
        ValueError, match="features 'a', 'b', 'c', 'd', 'e' and 'e', 'd', 'c', 'b', 'a' cannot"
    ):
        model + NaiBX().fit(pd.DataFrame(X, columns=names)[names[::-1]], Y)
    bare = NaiBX().fit(X, Y)
    for total in (model + bare, bare + model):
        assert_allclose(total.label_counts_.labels, 2 * model.label_counts_.labels)
    answers = NaiBX().fit(X, np.array(["no", "yes"])[Y[:, 0]])
    with pytest.raises(ValueError, match="classes 'no', 'yes' and 'never', 'yes' cannot be added"):
        answers + NaiBX().fit(X, np.array(["never", "yes"])[Y[:, 0]])
    labels = pd.DataFrame(Y, columns=list("uvwxyz"))
    with pytest.raises(ValueError, match="labels 'u', 'v', 'w', 'x', 'y', 'z' and 'z', 'y'"):
        NaiBX().fit(X, labels) + NaiBX().fit(X, labels[labels.columns[::-1]])


def test_models_that_cannot_be_added_or_continued(rows):
    X, Y = rows
    model = NaiBX().fit(X, Y)
    with pytest.raises(ValueError, match="cannot be added"):
        model + NaiBX().fit(X[:, :3], Y)
    with pytest.raises(ValueError, match="equal parameters"):
        model + NaiBX(smoothing=2.0).fit(X, Y)
    with pytest.raises(ValueError, match="size_model='naive_bayes'"):
        NaiBX(size_model=LogisticRegression()).partial_fit(X, Y)


def test_sizes(rows):
    X, Y = rows
    true = Y.sum(axis=1)
    model = NaiBX().fit(X, Y)
    assert (model.predict(X, sizes=true).sum(axis=1) == true).all()
    assert (NaiBX(size_model=2).fit(X, Y).predict(X).sum(axis=1) == 2).all()
    prior = NaiBX(size_model="prior").fit(X, Y)
    smoothed = np.bincount(true, minlength=7) + 1
    assert_allclose(prior.distribution(X[:1]).size_probs()[0], smoothed / smoothed.sum())
    learned = NaiBX(size_model=LogisticRegression()).fit(X, Y)
    expected = LogisticRegression().fit(X, true).predict_proba(X)
    assert_allclose(learned.distribution(X).size_probs()[:, np.unique(true)], expected)
    with pytest.raises(ValueError, match=r"sizes\[0\] is 7"):
        model.predict(X[:1], sizes=[7])


@pytest.mark.parametrize("size_model", ["naive_bayes", "prior"])
def test_sizes_never_seen_are_possible_and_never_answered(size_model, rows):
    """Red if a set of known labels has probability zero, or a size without rows beats one with rows."""
    X, Y = rows
    some = np.isin(Y.sum(axis=1), [1, 3])
    model = NaiBX(size_model=size_model).fit(X[some], Y[some])
    probs = model.distribution(X).size_probs()
    assert_allclose(probs.sum(axis=1), 1.0)
    assert (probs > 0).all()
    assert np.isfinite(model.log_prob(X, Y)).all()
    assert np.isin(model.predict(X).sum(axis=1), [1, 3]).all()
    strict = NaiBX(size_model=size_model, smoothing=0.0).fit(X[some], Y[some])
    assert (strict.distribution(X).size_probs()[:, [0, 2, 4, 5, 6]] == 0).all()


def test_any_classifier_can_pick_the_labels():
    """The general cascade also keeps the twins apart, and its probabilities add up to one."""
    X, Y = plants(seed=2)
    steps = {"learner": LogisticRegression(C=100.0), "size_model": LogisticRegression()}
    model = NaiBX(**steps, decision="subset", search="exact").fit(X, Y)
    answer = model.predict(np.linspace(-2, 2, 21)[:, None])
    assert (answer[:, 0] + answer[:, 1] == 1).all()
    total = np.exp(model.distribution(X[:3]).table().log_probs).sum(axis=1)
    assert_allclose(total, 1)
    assert (
        NaiBX(learner=LogisticRegression()).fit(sp.csr_array(X), Y).predict(sp.csr_array(X)).shape == Y.shape
    )


def test_missing_values_are_skipped(rows):
    """A column that is missing everywhere is as if it were not there."""
    X, Y = rows
    holes = np.column_stack([X, np.full(len(X), np.nan)])
    assert_allclose(NaiBX().fit(holes, Y).predict_proba(holes), NaiBX().fit(X, Y).predict_proba(X), atol=1e-9)
    model = NaiBX().fit(X, Y)
    unknown = X.copy()
    unknown[:, 2:] = np.nan
    assert_allclose(model.predict_proba(unknown), NaiBX().fit(X[:, :2], Y).predict_proba(X[:, :2]), atol=1e-9)


class TestBadInput:
    def test_a_label_never_seen_is_never_answered(self, rows):
        X, Y = rows
        more = np.column_stack([np.zeros(len(Y), int), Y])
        for decision in ("greedy", "subset"):
            model = NaiBX(decision=decision).fit(X, more)
            assert (model.predict(X)[:, 0] == 0).all()
            assert (model.predict(X, sizes=np.full(len(X), 6))[:, 0] == 0).all()
        with pytest.raises(ValueError, match=r"0 to 6, the number of labels seen"):
            model.predict(X[:1], sizes=[7])
        with pytest.raises(ValueError, match="only 6 labels occur"):
            NaiBX(size_model=7).fit(X, more)

    def test_constant_columns_say_nothing(self, rows):
        X, Y = rows
        more = np.column_stack([X, np.full(len(X), 0.1), np.full(len(X), 1e8)])
        assert_allclose(
            NaiBX().fit(more, Y).predict_proba(more), NaiBX().fit(X, Y).predict_proba(X), atol=1e-9
        )

    @pytest.mark.parametrize("variance_prior", [0.0, 1.0])
    def test_a_class_seen_once_and_a_column_constant_within_a_class(self, variance_prior, rows):
        """Red if a variance of zero rows, or of zero, makes NaN or lets its label win everywhere."""
        X, Y = rows[0].copy(), np.column_stack([rows[1], np.zeros(len(rows[1]), int)])
        Y[0] = 1
        X[Y[:, 1] == 1, 2] = 3.0
        model = NaiBX(variance_prior=variance_prior).fit(X, Y)
        assert np.isfinite(model.log_prob(X, Y)).all()
        assert np.isfinite(model.predict_proba(X)).all()
        assert model.predict(X)[:, 6].mean() < 0.5
        assert model.predict(X, sizes=np.full(len(X), 1)).any(axis=0).sum() > 2

    def test_only_empty_sets(self, rows):
        X, Y = rows
        model = NaiBX().fit(X, np.zeros_like(Y))
        assert not model.predict(X).any()

    def test_huge_values_keep_their_order(self, rows):
        X, Y = rows
        assert_allclose(
            NaiBX().fit(X * 1e300, Y).predict_proba(X * 1e300), NaiBX().fit(X, Y).predict_proba(X), atol=1e-6
        )

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"features": "poisson"}, "'poisson' for column 0"),
            ({"features": ["gaussian"] * 3}, "has 3 names but X has 5"),
            ({"smoothing": -1.0}, "smoothing"),
            ({"variance_prior": np.nan}, "variance_prior"),
            ({"ddof": 2}, "ddof"),
            ({"size_model": "oracle"}, "'naive_bayes', 'prior', 'auto', a number"),
            ({"learner": "svm"}, "learner is 'svm'"),
            ({"features": "multinomial"}, r"row \d+, column \d+; they are counts"),
        ],
    )
    def test_settings_name_what_is_wrong(self, settings, message, rows):
        with pytest.raises(ValueError, match=message):
            NaiBX(**settings).fit(*rows)

    def test_search_is_checked_before_it_is_used(self, rows):
        with pytest.raises(ValueError, match="search is 'astar'; expected 'beam' or 'exact'"):
            NaiBX(search="astar").fit(*rows)


def test_sets_that_the_sizes_forbid_are_answered_all_the_same():
    """Red if the prediction of rows without an allowed size is -1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    Y = (X + rng.normal(size=(60, 3)) > 0).astype(int)
    model = NaiBX(size_model=DecisionTreeClassifier(random_state=0), min_labels=2).fit(X, Y)
    assert (model.predict(X).sum(axis=1) >= 2).all()
    np.testing.assert_array_equal(model.predict(X), model.decide(X).labels)


def test_a_label_never_seen_is_impossible():
    """Red if the probability of a set with such a label is NaN."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = NaiBX().fit(X, np.column_stack([X > 0, np.zeros(30)]).astype(int))
    sets = label_sets(3)
    answers = model.distribution(np.tile(X[:1], (8, 1))).log_prob(sets)
    np.testing.assert_allclose(answers, model.distribution(X[:1]).table().log_probs[0], rtol=1e-9)
    assert np.isneginf(answers[sets[:, 2] == 1]).all()


def test_columns_choose_their_distribution():
    """Red if 0/1 columns are taken for continuous ones, or later rows choose anew."""
    rng = np.random.default_rng(0)
    words = (rng.random((90, 4)) < 0.3).astype(float)
    X = np.column_stack([words, rng.poisson(0.3, 90), rng.normal(size=90)])
    X[0, 4], Y = 3.0, (words[:, :2] + (rng.random((90, 2)) < 0.1) > 0).astype(int)
    names = ["bernoulli"] * 4 + ["multinomial", "gaussian"]
    chosen, named = NaiBX("auto").fit(X, Y), NaiBX(names).fit(X, Y)
    assert chosen.feature_counts_.families().tolist() == names
    assert_allclose(chosen.predict_proba(X), named.predict_proba(X))
    online = NaiBX("auto").partial_fit(X[:45], Y[:45]).partial_fit(X[45:], Y[45:])
    assert_allclose(online.predict_proba(X), chosen.predict_proba(X), atol=1e-9)
    with pytest.raises(ValueError, match="different distributions"):
        chosen + NaiBX("auto").fit(X + 0.5, Y)


def test_a_feature_that_is_repeated_is_tempered(rows):
    """Red if the power is not chosen on held-out rows: copies of the features make the plain model too sure."""
    rng = np.random.default_rng(0)
    Y = (rng.random((600, 4)) < 0.4).astype(int)
    X = np.tile(Y @ rng.normal(size=(4, 3)) + 2.0 * rng.normal(size=(600, 3)), 10)
    plain, tempered = (NaiBX(temper=temper).fit(X[:400], Y[:400]) for temper in (1.0, "auto"))
    assert (tempered.tempers_ < 0.3).all()
    assert tempered.log_prob(X[400:], Y[400:]).mean() > plain.log_prob(X[400:], Y[400:]).mean() + 1.0


def test_the_size_model_is_chosen_on_held_out_rows():
    """Red if a logistic regression is not taken where sizes follow a line that naive Bayes misses, or always is."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 900))
    Y = np.column_stack(
        [np.ones(900, int), a - b > 0]
    )  # Naive Bayes sees two copies of a + b that hide a - b.
    X = np.column_stack([a + b + 0.5 * (a - b), a + b - 0.5 * (a - b)]) * 3.0
    model = NaiBX(size_model="auto").fit(X, Y)
    assert model.size_classifier_ is not None
    assert (model.predict(X).sum(axis=1) == Y.sum(axis=1)).mean() > 0.95
    gaussian = np.where(Y.sum(axis=1) == 2, rng.normal(0.0, 1.0, 900), rng.normal(0.0, 4.0, 900))[:, None]
    assert NaiBX(size_model="auto").fit(gaussian, Y).size_classifier_ is None


def test_sizes_that_a_chosen_regression_never_saw_are_possible(rows):
    X, Y = rows
    some = Y.sum(axis=1) != 2
    model = NaiBX(size_model="auto", temper="auto").fit(X[some], Y[some])
    assert np.isfinite(model.log_prob(X, Y)).all()
    assert np.allclose(np.exp(model.distribution(X).log_sizes).sum(axis=1), 1.0)


def test_choices_on_held_out_rows_cannot_be_continued(rows):
    X, Y = rows
    for choice in ({"temper": "auto"}, {"size_model": "auto"}):
        with pytest.raises(ValueError, match="a number as temper"):
            NaiBX(**choice).partial_fit(X, Y)
        with pytest.raises(ValueError, match="only models of counts"):
            NaiBX(**choice).fit(X, Y) + NaiBX(**choice).fit(X, Y)

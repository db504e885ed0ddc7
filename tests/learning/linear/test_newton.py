"""Newton's method on sparse rows, against dense systems and against L-BFGS."""

import numpy as np
import pytest
import scipy.sparse as sp

from setwise.kernels import implementation, reference, set_threads, threads
from setwise.learning.linear import logistic, newton
from setwise.learning.linear.design import Design
from setwise.learning.linear.logistic import fit_logistic
from setwise.learning.linear.logistic_problems import LogisticProblems

N, F, M, B = 300, 40, 4, 11


@pytest.fixture
def systems():
    """The arguments of the kernel, with problems of different penalties, curvatures and columns."""
    rng = np.random.default_rng(0)
    X = sp.random(N, F, 0.2, format="csr", random_state=0)
    gradient, allowed = rng.normal(size=(F + M, B)), (rng.random((F + M, B)) < 0.7).astype(np.uint8)
    allowed[F] = 1
    return {
        "data": X.data,
        "indices": X.indices,
        "indptr": X.indptr,
        "extra": np.hstack([np.ones((N, 1)), rng.normal(size=(N, M - 1))]),
        "curvature": np.where(rng.random((N, B)) < 0.4, 0.25, 0.0).astype(np.float32),
        "gradient": np.where(allowed, gradient, 0.0),
        "mean": X.toarray().mean(axis=0),
        "l2": rng.random(B) + 0.1,
        "own": rng.random(B) * (rng.random(B) < 0.5) * 1e-3,
        "value": np.full(B, 1e12),
        "allowed": allowed,
        "max_iter": 500,
    }


def dense(systems, b):
    """Solve one system with all columns in a matrix."""
    X = sp.csr_array((systems["data"], systems["indices"], systems["indptr"]), shape=(N, F)).toarray()
    A = np.hstack([X - systems["mean"], systems["extra"]])
    H = A.T @ (systems["curvature"][:, [b]] * A) + systems["l2"][b] * np.eye(F + M)
    H[F, F] += systems["own"][b] - systems["l2"][b]
    used = np.flatnonzero(systems["allowed"][:, b])
    step = np.zeros(F + M)
    step[used] = -np.linalg.solve(H[np.ix_(used, used)], systems["gradient"][used, b])
    return step


@pytest.mark.parametrize("module", [implementation, reference])
@pytest.mark.parametrize(("dtype", "index"), [(np.float64, np.int32), (np.float32, np.int64)])
def test_directions_solve_the_dense_systems(systems, module, dtype, index):
    """Red if a column's mean, the intercept, a label used as feature or a column that is not allowed gets lost."""
    given = systems | {"data": systems["data"].astype(dtype), "extra": systems["extra"].astype(dtype)}
    given |= {name: systems[name].astype(index) for name in ("indices", "indptr")}
    directions = module.newton_directions(**given)
    expected = np.column_stack([dense(systems, b) for b in range(B)])
    np.testing.assert_allclose(directions, expected, atol=2e-3 * np.abs(expected).max())
    assert (directions[systems["allowed"] == 0] == 0).all()


def test_rows_without_curvature_change_nothing(systems):
    """Red if the rows that are kept are not those of the largest curvatures."""
    faint = np.where(systems["curvature"] > 0, systems["curvature"], np.float32(1e-6))
    plain, with_faint = (
        implementation.newton_directions(**systems | {"curvature": k}) for k in (systems["curvature"], faint)
    )
    np.testing.assert_allclose(with_faint, plain, rtol=1e-3, atol=1e-4)


def test_problems_do_not_depend_on_their_company(systems):
    """Red if two problems of a block, or two threads, share what they write to."""
    before = threads()
    set_threads(3)
    together = implementation.newton_directions(**systems)
    set_threads(before)
    for b in range(B):
        alone = {k: v[..., [b]] for k, v in systems.items() if k in ("curvature", "gradient", "allowed")}
        alone |= {name: systems[name][[b]] for name in ("l2", "own", "value")}
        np.testing.assert_array_equal(together[:, [b]], implementation.newton_directions(**systems | alone))


@pytest.fixture
def text():
    """Rows of words, with labels that hang on few of them: nearly separable."""
    rng = np.random.default_rng(1)
    X = sp.random_array((400, 600), density=0.02, rng=rng, format="csr")
    scores = X @ np.where(rng.random((600, 6)) < 0.1, 12.0, 0.0) - 2.0
    return X, (rng.random((400, 6)) < 1 / (1 + np.exp(-scores))).astype(float)


@pytest.mark.parametrize("kind", ["plain", "weighted", "chained"])
def test_both_solvers_end_at_the_same_optimum(text, kind, monkeypatch):
    """Red if a penalty, a weight, an unknown target, smoothing or a forbidden column is missing in the curvature."""
    X, Y = text
    rng = np.random.default_rng(2)
    labels = Y if kind == "chained" else None
    design = Design(X, labels)
    problems = LogisticProblems.of(Y, l2=np.geomspace(0.1, 10.0, 6))
    if kind == "weighted":
        known = np.where(rng.random(Y.shape) < 0.1, -1.0, Y)
        problems = LogisticProblems.of(known, weights=rng.random((400, 1)), smoothing=0.5)
    if kind == "chained":
        columns = np.ones((design.n_columns, 6), bool)
        columns[design.intercept + 1 :] = np.tri(6, k=-1, dtype=bool).T
        problems = LogisticProblems.of(Y, l2=1.0, columns=columns)
    fits = {}
    for rows, name in ((2.0, "newton"), (-99.0, "lbfgs")):
        monkeypatch.setattr(newton, "MOST_ROWS", rows)
        fits[name] = fit_logistic(design, problems, tol=1e-12)
    np.testing.assert_allclose(fits["newton"].objective, fits["lbfgs"].objective, rtol=1e-9)
    np.testing.assert_allclose(fits["newton"].coef, fits["lbfgs"].coef, atol=1e-4)


def test_newtons_method_ends_labels_that_few_rows_are_unsure_about(monkeypatch):
    """Red if the choice is lost: all rows carry the curvature of a strong penalty, few of these that of a weak one."""
    rng, solvers = np.random.default_rng(3), []
    topic, clean = rng.integers(0, 6, 400), np.arange(400) >= 60
    X = sp.random_array((400, 600), density=0.02, rng=rng, format="lil")
    for row in np.flatnonzero(clean):
        X[row, topic[row]] = 20.0
    Y = np.where(clean[:, None], topic[:, None] == np.arange(6), rng.random((400, 6)) < 0.5)

    class Watched(newton.NewtonDescent):
        def __init__(self, *arguments):
            solvers.append("newton")
            super().__init__(*arguments)

    monkeypatch.setattr(logistic, "NewtonDescent", Watched)
    monkeypatch.setattr(newton, "MEMORY_PASSES", 0.0)
    design = Design(X.tocsr(), standardize=False)
    fit_logistic(design, LogisticProblems.of(Y, l2=1e4))
    assert not solvers
    fit_logistic(design, LogisticProblems.of(Y, l2=1.0))
    assert solvers

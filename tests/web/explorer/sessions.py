"""Small sessions for the tests: quick models on real or made-up rows."""

from pathlib import Path

import numpy as np

from setwise import ConditionalTree, MixtureOfTrees
from setwise.web.explorer.corrections import CorrectionJournal, fingerprint
from setwise.web.explorer.rows import rows_of
from setwise.web.explorer.session import ExploredData, ExploredModel, Session

NAMES = ["calm", "sad", "loud", "old"]


def made_up(n=120, n_labels=4, seed=0, n_features=5):
    """Rows whose labels depend on the first features and on each other; a few labels are flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    score = X @ rng.normal(size=(n_features, n_labels)) * 2
    Y = (score + 0.5 * score[:, [0]] > 0).astype(np.int8)
    wrong = rng.choice(n, n // 20, replace=False)
    Y[wrong, rng.integers(n_labels, size=len(wrong))] ^= 1
    return X, Y


def session_of(X, Y, names=NAMES, *, n_models=1, n_folds=2, rows=None, judge=True, model=None):
    """A session whose rows have been judged."""
    from setwise.tables.labels.tag_tables import LabelTable

    first = ConditionalTree(l2=1.0) if model is None else model
    models = [ExploredModel("first", first.fit(X, LabelTable(Y, names)))]
    if n_models > 1:
        second = MixtureOfTrees(n_components=2, l2=1.0, random_state=0).fit(X, LabelTable(Y, names))
        models.append(ExploredModel("second", second))
    session = Session(
        ExploredData("made up", rows_of(X) if rows is None else rows, list(names), Y), models, n_folds
    )
    if judge:
        session.start_judging()
        for number in range(len(models)):
            job = session.jobs.wait(f"judge {number}")
            assert not job.error, job.error
    return session


def journal_of(session, folder) -> CorrectionJournal:
    """A new journal of a session's data."""
    data = session.data
    digest = fingerprint(data.rows, data.label_names, data.given)
    return CorrectionJournal(Path(folder) / "made_up.corrections.jsonl", digest, data.label_names)

"""Models of every family and input form, for the tests of the web."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import setwise
from tests.golden.builders import CASES

LABELS = ["sea", "sand", "sun", "fog"]
WORDS = {"sea": "waves salt", "sand": "dune dry", "sun": "bright hot", "fog": "grey dim"}


def beach_data(n_rows: int = 80, seed: int = 0) -> tuple[np.ndarray, pd.DataFrame]:
    """Features (n, 5) and labels that depend on them and on each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    scores = X @ rng.normal(size=(5, 4)) + 0.7 * rng.normal(size=(n_rows, 1)) + 0.3
    return X, pd.DataFrame((scores > 0).astype(int), columns=LABELS)


def table_of(X: np.ndarray, Y: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a person's table: a text, a number, a category, a date."""
    rows = []
    for features, labels in zip(X, Y.to_numpy()):
        words = " ".join(WORDS[name] for name, on in zip(LABELS, labels) if on) or "nothing here"
        day = 1 + int(abs(features[1]) * 10) % 28
        rows.append(
            {
                "note": f"{words} {'today' if features[0] > 0 else 'again'}",
                "size": float(features[2]),
                "kind": "abc"[int(abs(features[3]) * 7) % 3],
                "seen": f"2024-0{1 + day % 9}-{day:02d}",
            }
        )
    return rows


def families(variants: bool = False) -> dict[str, Any]:
    """An unfitted estimator of every kind that files can hold, by a name for a file; ``variants``: of every case."""
    built = {name: case.build() for name, case in CASES.items() if "dense" in case.data}
    return {
        name.replace(", ", "-").replace(" ", "_"): model
        for name, model in built.items()
        if ("," in name) == variants and "DecisionTreeClassifier" not in repr(model)
    }


def save_table(folder: Path) -> setwise.SetPipeline:
    """A model of a table with text, in ``folder/table.setwise``."""
    X, Y = beach_data()
    rows = pd.DataFrame(table_of(X, Y))
    model = setwise.make_set_pipeline(setwise.TableEncoder(), setwise.ConditionalTree(l2=1.0)).fit(rows, Y)
    setwise.save(model, folder / "table.setwise")
    return model


def save_texts(folder: Path) -> Any:
    """A model of texts, in ``folder/texts.setwise``."""
    X, Y = beach_data()
    texts = [row["note"] for row in table_of(X, Y)]
    model = make_pipeline(TfidfVectorizer(), setwise.BinaryRelevance(l2=0.1)).fit(texts, Y)
    setwise.save(model, folder / "texts.setwise")
    return model


def save_tree(folder: Path, name: str = "tree", l2: float = 1.0) -> setwise.ConditionalTree:
    """A model of numbers, in ``folder/NAME.setwise``."""
    X, Y = beach_data()
    model = setwise.ConditionalTree(l2=l2).fit(X, Y)
    setwise.save(model, folder / f"{name}.setwise")
    return model


def save_scaled(folder: Path) -> Any:
    """A pipeline that was fitted to a DataFrame, in ``folder/scaled.setwise``."""
    X, Y = beach_data()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = make_pipeline(
        StandardScaler(), setwise.ConditionalBernoulliMixture(3, tuning=False, random_state=0)
    )
    model.fit(frame, Y)
    setwise.save(model, folder / "scaled.setwise")
    return model

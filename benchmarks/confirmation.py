"""Published forms beside our defaults on data that chose nothing: no default was set by looking at them.

``python -m benchmarks.confirmation --journal confirmation.jsonl [--data drugs semeval] [--methods NaiBX]``. Five random
partitions of 1500 rows, 1000 for training. Texts are tf-idf of the 1000 most frequent words; rcv1 has the
ten most common labels of the repaired file.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

from setwise.datasets import Dataset, load, make_cbm
from setwise.evaluation.comparison import Comparison
from setwise.evaluation.methods import Recipe
from setwise.evaluation.protocol import Protocol
from setwise.evaluation.runner import Cell, run_cells
from setwise.papers.printed import most_common
from setwise.papers.recipes import CHOSEN

ROWS, PARTITIONS, WORDS = 1500, 5, 1000
TRAINED = 1000
PAIRS: dict[str, tuple[Recipe, Recipe]] = {
    "NaiBX": (Recipe("NaiBX", as_published=True), Recipe("NaiBX", CHOSEN)),
    "CBM": (Recipe("ConditionalBernoulliMixture", as_published=True), Recipe("ConditionalBernoulliMixture")),
    "ML-ME": (
        Recipe("MixtureOfTreeExperts", {"n_components": 5}, as_published=True),
        Recipe("MixtureOfTreeExperts"),
    ),
    "MC": (Recipe("MixtureOfTrees", as_published=True), Recipe("MixtureOfTrees")),
}
"""The published form and ours of each method."""
MEASURES = ("exact_match", "instance_jaccard", "joint_log_loss")


def _folder() -> Path:
    return Path(os.environ["SETWISE_DATA"])


def _texts(texts: pd.Series, Y: np.ndarray) -> Dataset:
    return Dataset(TfidfVectorizer(min_df=5, max_features=WORDS).fit_transform(texts.fillna("")), Y)


def semeval() -> Dataset:
    """Emotions of tweets."""
    table = pd.read_csv(_folder() / "text/semeval2018_ec_en.tsv.gz", sep="\t")
    labels = [name for name in table if set(table[name].unique()) <= {0, 1}]
    return _texts(table[next(name for name in table if "weet" in name)], table[labels].to_numpy(np.int8))


def reuters() -> Dataset:
    """The ten most common topics of the news that have one."""
    table = pd.read_csv(_folder() / "text/reuters21578.tsv.gz", sep="\t").dropna(subset=["topics"])
    topics = table["topics"].str.get_dummies(sep="|")
    kept = topics[topics.sum().nlargest(10).index]
    table, kept = table[kept.any(axis=1)], kept[kept.any(axis=1)]
    return _texts(table["title"].fillna("") + " " + table["body"].fillna(""), kept.to_numpy(np.int8))


def drugs() -> Dataset:
    """What people used in the last year, from scores of personality."""
    table = pd.read_csv(_folder() / "tables/drug_consumption.csv.gz")
    used = table["used_last_year"].fillna("").str.get_dummies(sep="|")
    numbers = table.select_dtypes("number").drop(columns="id")
    return Dataset(numbers.to_numpy(np.float64), used.to_numpy(np.int8), feature_names=list(numbers))


def rcv1(number: int) -> Dataset:
    """A repaired subset with its ten most common labels."""
    return most_common(load(f"rcv1subset{number}", repair=True), documents=40)


def generated() -> Dataset:
    """Rows of a known mixture."""
    return make_cbm(ROWS, random_state=7, mode="sample")[0]


SOURCES: dict[str, Callable[[], Dataset]] = {
    "drugs": drugs,
    "semeval": semeval,
    "reuters": reuters,
    "generated": generated,
    "rcv1subset1": lambda: rcv1(1),
    "rcv1subset3": lambda: rcv1(3),
}


def sample(name: str) -> Dataset:
    """Some rows of a data set, the same at every call."""
    data = SOURCES[name]()
    rows = np.sort(np.random.default_rng(0).permutation(data.X.shape[0])[:ROWS])
    Y = np.asarray(data.Y[rows])
    return Dataset(data.X[rows], Y, name=name)


def table(result: Comparison, data: list[str], methods: list[str]) -> str:
    """Published, ours and their paired difference, with one standard error."""
    lines = [f"| data | method | {' | '.join(MEASURES)} |", "|---|---|" + "---|" * len(MEASURES)]
    for name in data:
        for method in methods:
            cells = [_cell(result, name, method, measure) for measure in MEASURES]
            lines.append(f"| {name} | {method} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(result: Comparison, data: str, method: str, measure: str) -> str:
    theirs, ours = (result.values(data, f"{method}, {form}", measure) for form in ("published", "ours"))
    if not theirs or len(theirs) != len(ours):
        return "-"
    gain = np.subtract(ours, theirs)
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return f"{np.mean(theirs):.3f}, {np.mean(ours):.3f}: {gain.mean():+.3f} ± {error:.3f}"


def main() -> None:
    """Run what the journal does not have, then print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confirmation", description=__doc__)
    parser.add_argument("--data", nargs="+", choices=list(SOURCES), default=list(SOURCES))
    parser.add_argument("--methods", nargs="+", choices=list(PAIRS), default=list(PAIRS))
    parser.add_argument("--journal", metavar="FILE")
    parser.add_argument("--minutes", type=float, help="begin nothing later than this")
    options = parser.parse_args()
    protocol = Protocol("holdout", PARTITIONS, test_size=ROWS - TRAINED)
    samples = {name: sample(name) for name in options.data}
    cells = [
        Cell(name, f"{method}, {form}", samples[name], recipe.build(), protocol)
        for method in options.methods
        for name in options.data
        for form, recipe in zip(("published", "ours"), PAIRS[method])
    ]
    seconds = None if options.minutes is None else 60.0 * options.minutes
    result = Comparison(run_cells(cells, journal=options.journal, n_jobs=1, seconds=seconds))
    print(table(result, options.data, options.methods))


if __name__ == "__main__":
    main()

"""Sessions of real data: yeast, GoEmotions texts, and 300 labels."""

import csv
import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from setwise import BinaryRelevance, ConditionalTree
from setwise.datasets import load
from setwise.tables.labels.tag_tables import LabelTable
from setwise.web.explorer.demo import demo
from setwise.web.explorer.rows import rows_of
from setwise.web.explorer.session import ExploredData, ExploredModel, Session

N_TEXTS = 800
N_LABELS = 300


def folder():
    """Where the data are; the test is skipped without them."""
    if "SETWISE_DATA" not in os.environ:
        pytest.skip("SETWISE_DATA is not set: the folder with the real data")
    return Path(os.environ["SETWISE_DATA"])


def yeast():
    """The demo: a mixture and a tree."""
    folder()
    return Session(*demo(), n_folds=2)


def goemotions():
    """Short texts with 28 emotions."""
    place = folder() / "text"
    names = (place / "goemotions-labels.txt").read_text().replace(",", " ").split()
    with gzip.open(place / "goemotions-dev.tsv.gz", "rt", encoding="utf-8") as file:
        lines = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[:N_TEXTS]
    Y = np.zeros((len(lines), len(names)), dtype=np.int8)
    for row, line in enumerate(lines):
        Y[row, [int(j) for j in line["labels"].split(",")]] = 1
    used = Y.sum(axis=0) > 2
    texts = [line["text"] for line in lines]
    return session("goemotions", texts, Y[:, used], np.array(names)[used], TfidfVectorizer(min_df=3))


def wide():
    """The 300 most frequent tags of delicious."""
    folder()
    data = load("delicious")
    X, Y = (np.asarray(m.todense() if hasattr(m, "todense") else m)[:300] for m in (data.X, data.Y))
    most = np.sort(np.argsort(-Y.sum(axis=0), kind="stable")[:N_LABELS])
    return session("delicious", X, Y[:, most].astype(np.int8), np.array(data.label_names)[most])


def session(name, X, Y, names, *before):
    """A tree and independent labels on the same rows."""
    labels = LabelTable(Y, list(names))
    models = []
    for kind, model in (("tree", ConditionalTree(l2=10.0)), ("independent", BinaryRelevance(l2=10.0))):
        whole = make_pipeline(*before, model) if before else model
        models.append(ExploredModel(kind, whole.fit(X, labels)))
    return Session(ExploredData(name, rows_of(X), [str(n) for n in names], Y), models, 2)


SESSIONS = {"yeast": yeast, "goemotions": goemotions, "300 labels": wide}

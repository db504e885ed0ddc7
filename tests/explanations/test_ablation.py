"""Explanations against an independent way: rows without their strongest words are predicted again."""

import gzip

import numpy as np
import polars
import pytest
import scipy.sparse as sp

from setwise import BinaryRelevance, TableEncoder
from setwise.datasets import load

WORDS = 10


def without(row, columns):
    row = row.copy()
    row.data[np.isin(row.indices, columns)] = 0.0
    row.eliminate_zeros()
    return row


def drops(model, X, n_rows=40):
    """How far the probability of a predicted label falls without the ten strongest words, and without ten others."""
    rng = np.random.default_rng(0)
    strongest, random = [], []
    why = model.explain(X[:200])
    parts = sp.csr_array(why.contributions)
    seen = set()
    for entry, row in enumerate(why.rows):
        words = parts[[entry]]
        if row in seen or len(words.indices) < 3 * WORDS or len(seen) == n_rows:
            continue
        seen.add(row)
        label = model.label_names_.tolist().index(why.targets[entry])
        best = words.indices[np.argsort(-words.data)[:WORDS]]
        others = rng.choice(words.indices, WORDS, replace=False)
        x = sp.csr_array(X[[row]])
        p, a, b = model.predict_proba(sp.vstack([x, without(x, best), without(x, others)], format="csr"))[
            :, label
        ]
        strongest.append(p - a)
        random.append(p - b)
    return np.array(strongest), np.array(random)


def check(strongest, random):
    assert len(strongest) >= 20
    assert (strongest >= random).mean() > 0.9
    assert strongest.mean() > 3 * max(random.mean(), 0.0)


@pytest.mark.parametrize("name", ["enron", "bibtex", "yahoo_arts"])
def test_the_strongest_words_matter_most(name, data_folder):
    """Red if contributions are in the wrong order or have the wrong sign."""
    data = load(name)
    X, Y = sp.csr_array(data.X)[:1000], data.Y[:1000]
    Y = Y[:, np.argsort(-Y.sum(axis=0), kind="stable")[:8]]
    model = BinaryRelevance(l2=1.0, unit_rows=False).fit(X[:700], Y[:700])
    check(*drops(model, X[700:]))


def unpacked(folder, name):
    return gzip.decompress((folder / "text" / name).read_bytes())


def texts(folder, name):
    if name == "semeval":
        frame = polars.read_csv(unpacked(folder, "semeval2018_ec_en.tsv.gz"), separator="\t", quote_char=None)
        tags = [
            [name for name in frame.columns[2:13] if row[name] == 1] for row in frame.iter_rows(named=True)
        ]
        return frame["Tweet"].to_list(), tags
    if name == "cooking":
        frame = polars.read_csv(unpacked(folder, "stackexchange_cooking.csv.gz"))
        bodies = [
            f"{row['title']} {row.get('content') or row.get('body')}" for row in frame.iter_rows(named=True)
        ]
        return bodies, [tags.split() for tags in frame["tags"].to_list()]
    frame = polars.read_csv(
        unpacked(folder, "reuters21578.tsv.gz"),
        separator="\t",
        quote_char=None,
        infer_schema=False,
    )
    frame = frame.filter(polars.col("topics").is_not_null() & polars.col("body").is_not_null())
    return frame["body"].to_list(), [topics.replace(",", " ").split() for topics in frame["topics"].to_list()]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["semeval", "cooking", "reuters"])
def test_the_strongest_words_of_texts_matter_most(name, data_folder):
    """The same on raw texts: the words that the table encoder makes."""
    messages, tags = texts(data_folder, name)
    rows = np.random.default_rng(0).permutation(len(messages))[:2000]
    X = TableEncoder({"text": "text"}, sparse_output=True).fit_transform(
        {"text": [messages[row] for row in rows]}
    )
    known = [tags[row] for row in rows]
    common = sorted(
        {tag for some in known for tag in some}, key=lambda tag: -sum(tag in some for some in known)
    )[:10]
    Y = np.array([[tag in some for tag in common] for some in known], dtype=int)
    model = BinaryRelevance(l2=1.0).fit(X[:1500], Y[:1500])
    strongest, random = drops(model, X[1500:])
    print(f"{name}: {strongest.mean():.3f} without the strongest, {random.mean():.3f} without random words")
    check(strongest, random)

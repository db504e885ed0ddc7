"""``setwise predict``: label sets, probabilities or the k best sets of each row."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from setwise.cli.answers import FORMATS, Answers, check_kept, choose_format, write_answers
from setwise.cli.data import Kept, add_data_argument, add_keep_argument, add_model_csv_arguments, files_read
from setwise.cli.models import LoadedModel, label_matrix, load_model
from setwise.cli.output import check_outputs
from setwise.cli.progress import counted
from setwise.contract import FREE, Array, Labels

EXAMPLES = """\
examples:
  setwise predict emotions.setwise new.arff -o answers.csv
  setwise predict songs.setwise new.csv --top-k 3 --keep id --format jsonl
  setwise predict songs.setwise new.csv --proba --given mood_calm=1 mood_sad=0 -o p.parquet
  cat new.csv | setwise predict songs.setwise - --decision hamming
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise predict``."""
    parser.add_argument("model", metavar="MODEL", help="a file that `setwise fit` or setwise.save wrote")
    add_data_argument(parser)
    add_model_csv_arguments(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--top-k", type=int, metavar="K", help="the K most probable sets of each row")
    what.add_argument("--proba", action="store_true", help="the probability of each label instead of 0 and 1")
    what.add_argument(
        "--decision",
        metavar="LOSS",
        help="answer for this loss, such as subset or hamming (default: the model's own)",
    )
    parser.add_argument(
        "--given", nargs="+", default=[], metavar="LABEL=0|1", help="labels that are known for every row"
    )
    add_keep_argument(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="where to (default: standard output)")
    parser.add_argument("--format", choices=list(FORMATS), help="default: by the file's name, else csv")
    parser.add_argument("--json", action="store_true", help="the same as --format jsonl")


def run(options: argparse.Namespace) -> int:
    """Answer for every row of the data."""
    check_outputs([options.output], [options.model, *files_read(options)])
    form = choose_format("jsonl" if options.json else options.format, options.output)
    if options.top_k is not None and options.top_k < 1:
        raise ValueError(f"--top-k is {options.top_k}; at least one set must be asked for")
    if options.top_k is not None and form == "arff":
        raise ValueError(
            "an ARFF file has one set a row; write the k best sets as CSV, JSON lines or Parquet"
        )
    model = load_model(options.model)
    check_kept(options.keep, model.about.label_names, form)
    known = evidence(options.given, model)
    data, kept = model.read(options, with_labels=False)
    write_answers(_answers(model, model.transform(data), known, kept, options), form, options.output)
    return 0


def evidence(given: list[str], model: LoadedModel) -> Labels | None:
    """``label=1`` and ``label=0`` as a partial label set (L,)."""
    if not given:
        return None
    names = model.about.label_names
    known = np.full(len(names), FREE, dtype=np.int8)
    for item in given:
        name, equals, value = item.rpartition("=")
        if not equals or value not in ("0", "1"):
            raise ValueError(f"--given {item}: expected LABEL=0 or LABEL=1")
        if name not in names:
            raise ValueError(
                f"--given {item}: the model has no label {name!r}; it has {', '.join(names[:8])}"
            )
        if known[names.index(name)] not in (FREE, int(value)):
            raise ValueError(f"--given says that {name!r} is both 0 and 1")
        known[names.index(name)] = int(value)
    return known


def _answers(
    model: LoadedModel, X: Any, known: Labels | None, kept: Kept, options: argparse.Namespace
) -> Answers:
    # Cut at the multiples of the model's own blocks, so that Python's answers are the same to the last bit.
    step = model.final.block_rows()
    starts = range(0, X.shape[0], step)
    parts = [
        _block(model, X[start : start + step], known, options)
        for start in counted("predicting", starts, len(starts))
    ]
    values, probabilities = zip(*parts)
    together = None if probabilities[0] is None else np.concatenate(probabilities)
    return Answers(model.about.label_names, np.concatenate(values), together, kept)


def _block(
    model: LoadedModel, X: Any, known: Labels | None, options: argparse.Namespace
) -> tuple[Array, Array | None]:
    final = model.final
    if known is not None:
        return _given(model, X, known, options)
    if options.top_k is not None:
        best = final.predict_top_k(X, options.top_k)
        return best.labels, np.exp(best.log_prob)
    if options.proba:
        p = final.predict_proba(X)
        return p[:, -len(model.about.label_names) :], None
    return label_matrix(final, final.predict(X, decision=options.decision)), None


def _given(
    model: LoadedModel, X: Any, known: Labels, options: argparse.Namespace
) -> tuple[Array, Array | None]:
    """The same questions of the distribution given what is known."""
    p = model.final.distribution(X).condition(np.tile(known, (X.shape[0], 1)))
    if options.top_k is not None:
        best = p.top_k(options.top_k)
        return best.labels, np.exp(best.log_prob)
    if options.proba:
        return np.clip(p.marginals(), 0.0, 1.0), None  # sums may pass 1 by a rounding
    return p.predict(options.decision), None

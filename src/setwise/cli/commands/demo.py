"""``setwise demo``: compare models of every family on real data, then explore one row."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table

from setwise.contract import FREE, Array, Floats, Labels
from setwise.datasets import Dataset, load
from setwise.distributions import LabelDistribution
from setwise.estimators.base.seeds import seeded
from setwise.estimators.base.set_classifier import SetClassifier
from setwise.estimators.catalog import about, methods
from setwise.evaluation.methods import METHODS, PEERS
from setwise.evaluation.protocol import Protocol, Split, measure

PATIENCE = 200
"""Cost, in fits of BinaryRelevance, up to which a method is shown."""
EXPLORED = "ConditionalTree"

COLUMNS = {
    "exact_match": ("exact", max),
    "hamming_score": ("Hamming", max),
    "instance_f1": ("F1", max),
    "joint_log_loss": ("log-loss", min),
}

NEXT = """\
[bold]setwise fit my.csv --labels 'tag_*' -o my.setwise[/]   a model of your data
[bold]setwise explore --demo[/]                     a page to explore, review and correct
[bold]setwise compare yeast[/]                      ten folds with standard errors
[bold]setwise reproduce mc[/]                       a paper's tables beside ours
[bold]README.md, docs/getting_started.md[/]         the two-minute tour in Python"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise demo``."""
    parser.add_argument("--seed", type=int, default=0, help="seed of the held-out third (default 0)")


def run(options: argparse.Namespace) -> int:
    """Print the tour."""
    console = Console()
    data = load("yeast")
    split = Protocol("holdout", 1, seed=options.seed).splits(data)[0]
    console.print(_introduction(data, split))
    models, rows = {}, {}
    for name in shown():
        with console.status(f"fitting {name} ..."):
            models[name], seconds = _fit(name, data, split[0], options.seed)
            rows[name] = measure(models[name], data, split[1]) | {"fit_seconds": seconds}
    console.print(_comparison(rows))
    explored = models[EXPLORED]
    console.print(_exploration(explored, data, _interesting(explored, data, split[1])))
    console.print(Panel(NEXT, title="What to try next", title_align="left", border_style="dim"))
    return 0


def shown() -> list[str]:
    """The rows of the table: scikit-learn's methods, then the cheapest of ours for each family of joint."""
    quick = [(name, about(method)) for name, method in methods().items() if about(method).cost <= PATIENCE]
    cheapest = {described.joint: name for name, described in reversed(quick)}
    return [*PEERS, *(name for name, _ in quick if name in cheapest.values())]


def _introduction(data: Dataset, split: Split) -> Panel:
    figures = data.statistics()
    text = (
        f"[bold]yeast[/]: {figures.rows} genes, {figures.features} measurements each, {figures.labels} functional "
        f"classes. A gene has {figures.cardinality:.1f} classes on average; {figures.distinct_sets} different "
        f"sets of classes occur. Every model learns from {len(split[0])} genes and predicts the other "
        f"{len(split[1])}. A prediction is an [italic]exact match[/] only if the whole set is right."
    )
    return Panel(text, title="setwise: predict whole label sets", title_align="left", border_style="cyan")


def _fit(name: str, data: Dataset, train: Array, seed: int) -> tuple[Any, float]:
    start = time.perf_counter()
    model = seeded(METHODS[name].build(), seed).fit(data.X[train], data.Y[train])
    return model, time.perf_counter() - start


def _comparison(rows: dict[str, dict[str, float]]) -> Table:
    table = Table(
        caption="log-loss: mean of -log P(true set), lower is better; - if a model has no joint distribution"
    )
    table.add_column("model", no_wrap=True)
    for title, _ in COLUMNS.values():
        table.add_column(title, justify="right")
    table.add_column("seconds", justify="right")
    best = {
        key: choose(row[key] for row in rows.values() if np.isfinite(row.get(key, np.nan)))
        for key, (_, choose) in COLUMNS.items()
    }
    for name, row in rows.items():
        cells = [_mark(f"{row[key]:.3f}", row[key] == best[key]) if key in row else "-" for key in COLUMNS]
        table.add_row(name, *cells, f"{row['fit_seconds'] + row['predict_seconds']:.1f}")
    return table


def _mark(text: str, best: bool) -> str:
    return f"[bold green]{text}[/]" if best else text


def _interesting(model: SetClassifier, data: Dataset, rows: Any) -> int:
    """Find a test row whose true set is the model's second guess, the most probable of these."""
    second = model.predict_top_k(data.X[rows], 2)
    hit = (second.labels[:, 1] == data.Y[rows]).all(axis=1)
    score = np.where(hit, second.log_prob[:, 1], -np.inf)
    return int(rows[score.argmax()])


def _exploration(model: SetClassifier, data: Dataset, row: int) -> Group:
    names, truth = np.asarray(data.label_names), data.Y[row]
    joint = model.distribution(data.X[[row]])
    known = _surprising(joint, truth)
    given = joint.condition(known[None])
    heading = (
        f"\n[bold]One gene explored[/] (row {row}) with {type(model).__name__}.\n"
        f"Its true set: {_set(names, truth)}\n"
    )
    evidence = ", ".join(
        f"{name} is {'on' if value else 'off'}"
        for name, value in zip(names[known != FREE], known[known != FREE])
    )
    return Group(
        heading,
        _best_sets("The five most probable sets", model, joint, names, truth),
        f"\nNow suppose two labels become known: [bold]{evidence}[/].\n",
        _best_sets("The five most probable sets, given that", model, given, names, truth),
        _marginals(names, truth, known, joint.marginals()[0], given.marginals()[0]),
    )


def _surprising(joint: LabelDistribution, truth: Labels) -> Labels:
    """Evidence (L,): the label whose true value is least expected, then the least expected given that."""
    known = np.full(len(truth), FREE, dtype=np.int8)
    for _ in range(2):
        label = np.abs(truth - joint.condition(known[None]).marginals()[0]).argmax()
        known[label] = truth[label]
    return known


def _best_sets(title: str, model: SetClassifier, joint: Any, names: Any, truth: Labels) -> Table:
    best = joint.top_k(5)
    table = Table(title=title, title_justify="left", show_header=False, box=None, padding=(0, 1))
    for labels, log_prob in zip(best.labels[0], best.log_prob[0]):
        p = float(np.exp(log_prob))
        right = bool((labels == truth).all())
        note = "[green]<- the true set[/]" if right else ""
        table.add_row(f"{p:6.1%}", _bar(p), _set(names, labels), note)
    return table


def _marginals(names: Any, truth: Labels, known: Labels, before: Floats, after: Floats) -> Table:
    table = Table(title="\nP(label on), before and after", title_justify="left", box=None, padding=(0, 1))
    for title in ("label", "before", "", "after", "", "truth"):
        table.add_column(title, justify="right" if title in ("before", "after") else "left")
    for name, value, evidence, p, q in zip(names, truth, known, before, after):
        shift = f"{q:4.0%}" if abs(q - p) < 0.05 else f"[bold yellow]{q:4.0%}[/]"
        mark = "known" if evidence != FREE else ""
        table.add_row(name, f"{p:4.0%}", _bar(p), shift, _bar(q), f"{'on' if value else 'off'} {mark}")
    return table


def _bar(p: float, width: int = 12) -> str:
    filled = round(p * width)
    return f"[cyan]{'━' * filled}[/][dim]{'─' * (width - filled)}[/]"


def _set(names: Any, labels: Labels) -> str:
    chosen = [str(name) for name in names[labels == 1]]
    return "{" + ", ".join(chosen) + "}"

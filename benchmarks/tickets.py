"""Generated tickets with a known truth: how far the command with defaults, and a hand-written pipeline, are from it.

    python -m benchmarks.tickets --work FOLDER [--rows 3000] [--budget 60]

A ticket has a message about one of eight topics, a product (200 of them), a day of the year, and five labels that
depend on each other. P(labels | ticket) is known, also where cells are missing: it is then the mean over what may stand
there. The excess of a model is its log-loss minus the entropy of the labels given what the ticket shows.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import setwise
from benchmarks.tables import TAGS, Task, by_command, by_hand

LABELS = ("billing", "bug", "login", "refund", "urgent")
SETS = np.array([*product((0, 1), repeat=len(LABELS))], dtype=np.int8)
TOPICS, PRODUCTS, DAYS, MISSING = 8, 200, 365, 0.1
PAGE = Path(__file__).with_suffix(".md")


class Truth:
    """Scores of the label sets for each topic, product and day; their softmax is P(labels | ticket)."""

    def __init__(self, rng: np.random.Generator) -> None:
        pairs = rng.normal(size=(len(LABELS),) * 2) * np.triu(np.ones((len(LABELS),) * 2), 1)
        self.base = np.einsum("si,ij,sj->s", SETS, 1.5 * pairs, SETS) - SETS.sum(axis=1)
        self.topic = 2.0 * rng.normal(size=(TOPICS, len(LABELS))) @ SETS.T
        self.product = 0.7 * rng.normal(size=(PRODUCTS, len(LABELS))) @ SETS.T
        angle = 2 * np.pi * np.arange(DAYS) / DAYS
        waves = np.column_stack([np.cos(angle), np.sin(angle)]) @ rng.normal(size=(2, len(LABELS)))
        self.day = waves @ SETS.T

    def given(self, topic: int, product_: int, day: int) -> Any:
        """P(set) (32,) for known cells; -1 marks a missing one."""
        parts = [
            table if at < 0 else table[[at]] for table, at in zip(self._tables(), (topic, product_, day))
        ]
        scores = self.base + parts[0][:, None, None] + parts[1][:, None] + parts[2]
        p = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return (p / p.sum(axis=-1, keepdims=True)).mean(axis=(0, 1, 2))

    def _tables(self) -> tuple[Any, Any, Any]:
        return self.topic, self.product, self.day


def tickets(n: int, truth: Truth, rng: np.random.Generator) -> tuple[pd.DataFrame, Any, Any]:
    """A table of tickets with tags, the labels (n, 5), and -log P(labels | what the ticket shows) (n,)."""
    cells = np.column_stack([rng.integers(size, size=n) for size in (TOPICS, PRODUCTS, DAYS)])
    drawn = [rng.choice(len(SETS), p=truth.given(*row)) for row in cells]
    shown = np.where(rng.random(cells.shape) < MISSING, -1, cells)
    loss = [-np.log(truth.given(*row)[at]) for row, at in zip(shown, drawn)]
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(cells[:, 2] + DAYS * rng.integers(3, size=n), "D")
    frame = pd.DataFrame(
        {
            "message": [_message(topic, rng) for topic in cells[:, 0]],
            "product": [f"product {at}" for at in cells[:, 1]],
            "opened": dates.strftime("%Y-%m-%d"),
        }
    )
    for place, name in enumerate(("message", "product", "opened")):
        frame.loc[shown[:, place] < 0, name] = ""
    Y = SETS[drawn]
    frame[TAGS] = [";".join(name for name, on in zip(LABELS, row) if on) for row in Y]
    return frame, Y, np.array(loss)


def _message(topic: int, rng: np.random.Generator) -> str:
    """Words that every ticket may have, and some of its topic."""
    words = [f"word{at}" for at in rng.integers(300, size=12)]
    words += [f"topic{topic}about{at}" for at in rng.integers(20, size=4)]
    return " ".join(rng.permutation(words))


def _with_months(frame: pd.DataFrame) -> pd.DataFrame:
    """What a competent user does with a date: the month is a category."""
    return frame.assign(month=frame["opened"].str[5:7])


def page(rows: int, budget: float, entropy: float, losses: dict[str, float]) -> str:
    """The results as Markdown."""
    lines = [
        "# Generated tickets with a known truth",
        "",
        f"{rows} tickets to learn from, 2000 to judge: a message, one of {PRODUCTS} products, a date with a yearly",
        "cycle, one cell in ten missing, and five labels. `setwise fit tickets.csv --labels tags`, with a budget of",
        f"{budget:g} processor seconds, beside the hand-written pipeline of [tables](tables.md). The entropy of the",
        f"labels given what a ticket shows is {entropy:.3f} nats; the excess of a model is its log-loss minus that.",
        "",
        "| model | log-loss | excess |",
        "|---|---|---|",
        *(f"| {name} | {loss:.3f} | {loss - entropy:.3f} |" for name, loss in losses.items()),
        "",
        f"Made by `python -m benchmarks.tickets --rows {rows} --budget {budget:g}`.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--budget", type=float, default=60.0)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    truth = Truth(rng)
    (train, Y_train, _), (test, Y, best) = tickets(options.rows, truth, rng), tickets(2000, truth, rng)
    labels, train_labels = (setwise.read_tags(part[TAGS]) for part in (test, train))
    assert labels.columns == train_labels.columns == LABELS
    task = Task(_with_months(train), _with_months(test), ["message"], ["product", "month"])
    counts = Y_train.mean(axis=0)
    losses = {
        "frequencies of the labels": float(-np.log(np.where(Y == 1, counts, 1 - counts)).sum(axis=1).mean()),
        "by hand": float(by_hand(task, labels, train_labels).loss.mean()),
    }
    print(losses, float(best.mean()), flush=True)
    options.work.mkdir(parents=True, exist_ok=True)
    ours = by_command(Task(train, test, ["message"]), labels, options.work, options.budget)
    losses["setwise"] = float(ours.loss.mean())
    PAGE.write_text(page(options.rows, options.budget, float(best.mean()), losses))
    print(PAGE.read_text())


if __name__ == "__main__":
    main()

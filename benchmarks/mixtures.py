"""The mixtures: how exact their modes are, what they cost, and what more components bring.

``python -m benchmarks.mixtures exactness cost curves``; ``curves`` draws into the folder given by ``--plots``.
``python -m benchmarks.mixtures boosting``: boosted components on mediamill.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import processor_seconds
from setwise import (
    BinaryRelevance,
    ConditionalBernoulliMixture,
    ConditionalTree,
    MixtureOfTreeExperts,
    MixtureOfTrees,
)
from setwise.datasets import Dataset, IterativeStratification, load
from setwise.distributions import SeenSets

BUDGETS = (1_000, 10_000, 100_000)
CURVE = (1, 2, 3, 5, 8, 12, 20)
CBM_CURVE = (1, 5, 10, 15, 20, 30, 50)


def large_mixture() -> ConditionalBernoulliMixture:
    """Thirty components with penalties fixed, as the cost is asked for."""
    return ConditionalBernoulliMixture(30, l2=10.0, gate_l2=1.0, tuning=False, max_iter=10, random_state=0)


def exactness() -> Iterator[str]:
    """Certified shares of the modes, with and without a share of seen sets, and how often annealing misses."""
    for name in ("emotions", "yeast", "scene"):
        data = load(name)
        train, test = data.train(), data.test()
        for make in (MixtureOfTrees, MixtureOfTreeExperts, ConditionalBernoulliMixture):
            model = make().fit(train.X, train.Y)
            yield f"{name}, {make.__name__} ({model.n_components_}): {_modes(model, test)}"
    data = load("mediamill")
    model = large_mixture().fit(data.train().X, data.train().Y)
    for budget in BUDGETS:
        yield f"mediamill, CBM of 30, budget {budget}: {_modes(model, data.test(), budget)}"


def _modes(model: Any, test: Dataset, budget: int = BUDGETS[-1]) -> str:
    certified, missed, worse = [], [], []
    for _, joint in model._blocks(np.asarray(test.X)):
        mixture = joint.joint if isinstance(joint, SeenSets) else joint
        exact = mixture.find_mode(least=model.min_labels_, budget=budget)
        annealed = mixture.restricted(model.min_labels_).annealed_mode()
        certified.append(exact.certified & joint.mode().certified)
        missed.append(annealed.log_prob < exact.log_prob - 1e-9)
        worse.append(exact.log_prob < annealed.log_prob - 1e-9)
    shares = [np.concatenate(part).mean() for part in (certified, missed, worse)]
    return f"certified {shares[0]:.2%}, annealing misses {shares[1]:.2%}, annealing better {shares[2]:.2%}"


def cost() -> Iterator[str]:
    """Processor time of training and predicting, as ratios in this run; peak memory of this process."""
    data = load("mediamill")
    train, test = data.train(), data.test()
    single, _ = processor_seconds(lambda: BinaryRelevance(l2=10.0).fit(train.X, train.Y))
    seconds, model = processor_seconds(lambda: large_mixture().fit(train.X, train.Y))
    yield f"mediamill, CBM of 30, 10 iterations: {seconds / single:.1f} times BinaryRelevance's training"
    yield f"peak memory after training {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB"
    yield f"mode of the median test row: {_median_ratio(model, np.asarray(test.X)[:1000]):.1f} times its tables"
    tuned_seconds, tuned = processor_seconds(
        lambda: ConditionalBernoulliMixture(random_state=0).fit(train.X, train.Y)
    )
    sizes = tuned.mixture_sizes_.tolist()
    settings = {"l2": tuned.l2_, "gate_l2": tuned.gate_l2_, "max_iter": tuned.n_iter_ // len(sizes)}
    one = ConditionalBernoulliMixture(max(sizes), init=tuned.init_, tuning=False, **settings, random_state=0)
    seconds, _ = processor_seconds(lambda: one.fit(train.X, train.Y))
    yield (
        f"mediamill, defaults ({sizes} components, {settings['max_iter']} iterations each): "
        f"{tuned_seconds / (len(sizes) * seconds):.1f} times the final fit; "
        f"exact match {tuned.score(test.X, test.Y):.4f}"
    )
    data = load("enron").train()
    tree, _ = processor_seconds(lambda: ConditionalTree().fit(data.X, data.Y))
    seconds, trees = processor_seconds(lambda: MixtureOfTrees(random_state=0).fit(data.X, data.Y))
    yield f"enron, MixtureOfTrees ({trees.n_components_}): {seconds / tree:.1f} times ConditionalTree"


def boosting() -> Iterator[str]:
    """Boosted components with their defaults on mediamill: thousands of small ensembles. Its budget is half an hour."""
    data = load("mediamill")
    train, test = data.train(), data.test()
    model = ConditionalBernoulliMixture(learner="boosting", random_state=0)
    seconds, model = processor_seconds(lambda: model.fit(train.X, train.Y))
    yield (
        f"mediamill, boosted CBM: {model.mixture_sizes_.tolist()} components, {model.n_iter_} iterations, "
        f"{len(model.experts_.root)} trees, {seconds / 60:.0f} minutes of processor time; "
        f"exact match {model.score(test.X, test.Y):.4f}"
    )


def _median_ratio(model: Any, X: Any) -> float:
    """Row by row: the time of the mode over that of its tables, of the median row."""
    ratios = []
    for i in range(len(X)):
        tables, joint = processor_seconds(lambda i=i: model._distribution(X[i : i + 1]), 3)
        mode, _ = processor_seconds(joint.mode, 3)
        ratios.append(mode / max(tables, 1e-9))
    return float(np.median(ratios))


def curves(plots: Path) -> Iterator[str]:
    """CLL-loss and exact match against the number of components: MC's and CBM's Figures 3."""
    for name in ("emotions", "scene", "image135"):
        yield from _curve(name, "MixtureOfTrees", _paper_mc, CURVE, plots)
    yield from _curve("tmc2007_500", "CBM", _fixed_cbm, CBM_CURVE, plots)


def _paper_mc(n_components: int) -> MixtureOfTrees:
    return MixtureOfTrees(n_components, seen_share=0, random_state=0)


def _fixed_cbm(n_components: int) -> ConditionalBernoulliMixture:
    return ConditionalBernoulliMixture(n_components, tuning=False, max_iter=15, random_state=0)


def _curve(
    name: str, label: str, make: Callable[[int], Any], sizes: tuple[int, ...], plots: Path
) -> Iterator[str]:
    data = load(name)
    if data.split is not None and len(data.Y) > 10_000:
        splits = [(np.flatnonzero(data.split), np.flatnonzero(~data.split))]
    else:
        splits = list(IterativeStratification(3, shuffle=True, random_state=0).split(data.X, data.Y))
    losses, matches = np.zeros((2, len(sizes), len(splits)))
    for at, size in enumerate(sizes):
        for fold, (train, test) in enumerate(splits):
            model = make(size).fit(data.X[train], data.Y[train])
            losses[at, fold] = -model.log_prob(data.X[test], data.Y[test]).mean()
            matches[at, fold] = model.score(data.X[test], data.Y[test])
        yield f"{name}, {label}, K = {size}: loss a row {losses[at].mean():.4f}, exact match {matches[at].mean():.4f}"
    _draw(plots / f"curve-{name}.png", f"{label} on {name}", sizes, losses.mean(axis=1), matches.mean(axis=1))


def _draw(path: Path, title: str, sizes: tuple[int, ...], losses: Any, matches: Any) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for ax, values, what in zip(axes, (losses, matches), ("joint log-loss a row", "exact match")):
        ax.plot(sizes, values, marker="o", color="#0072B2")
        ax.set(xlabel="components", ylabel=what)
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main() -> None:
    """Print the lines of the parts asked for, as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mixtures", description=__doc__)
    parser.add_argument("parts", nargs="+", choices=("exactness", "cost", "curves", "boosting"))
    parser.add_argument("--plots", type=Path, default=Path("plots"))
    options = parser.parse_args()
    parts = {
        "exactness": exactness,
        "cost": cost,
        "curves": lambda: curves(options.plots),
        "boosting": boosting,
    }
    for name in options.parts:
        for line in parts[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()

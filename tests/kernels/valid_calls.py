"""One valid call of every kernel, and which of its arguments hold places or labels."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from setwise.random_bits import keys

N, K, L, S = 4, 2, 5, 3
RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Call:
    """Arguments by name; the least and the largest value of those that are checked; axes of any length; outputs."""

    arguments: dict[str, Any]
    between: dict[str, tuple[int, int]] = field(default_factory=dict)
    any_length: frozenset[tuple[str, int]] = frozenset()
    outputs: frozenset[str] = frozenset()

    def copy(self):
        """The same arguments in new arrays."""
        return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in self.arguments.items()}


def _forests():
    parents = np.array([[-1, 0, 0, 1, -1], [4, 0, -1, 2, 2]], np.int32)
    order = np.array([[0, 1, 2, 3, 4], [2, 4, 3, 0, 1]], np.int32)
    return {"logits": RNG.normal(size=(N, K, L, 2)), "parents": parents, "order": order}


def _forest(before=(), between=(), any_length=(), **after):
    places = {"parents": (-1, L - 1), "order": (0, L - 1), **dict(between)}
    return Call({**dict(before), **_forests(), **after}, places, frozenset(any_length))


def _chain(between, any_length=(), **more):
    coupling = np.triu(RNG.normal(size=(L, L)), 1)
    return Call(
        {"offsets": RNG.normal(size=(N, L)), "coupling": coupling, **more}, between, frozenset(any_length)
    )


def _calls():
    gate = {"gate": RNG.dirichlet(np.ones(K), N)}
    log_gate = {"log_gate": np.log(gate["gate"])}
    evidence = RNG.integers(-1, 2, (N, L)).astype(np.int8)
    start = np.maximum(evidence, 0)
    free = {"evidence": (-1, 1)}
    component, uniforms = RNG.integers(0, K, (N, S)), RNG.random((N, S, L))
    yield "forest_log_evidence", _forest(evidence=evidence, between=free)
    yield "forest_condition", _forest(evidence=evidence, between=free)
    yield "forest_max_sum", _forest(evidence=evidence, between=free)
    yield "forest_marginals", _forest(any_length=[("logits", 0)])
    yield "forest_pairwise", _forest(gate)
    yield "forest_entropy", _forest(any_length=[("logits", 0)])
    yield (
        "forest_sample",
        _forest(component=component, uniforms=uniforms, between={"component": (0, K - 1)}),
    )
    yield "forest_sizes", _forest(gate)
    yield "forest_best_sizes", _forest(any_length=[("logits", 0)])
    yield "forest_size_moments", _forest(gate, points=RNG.random(3), any_length=[("points", 0)])
    yield "mixture_top_k", _forest(log_gate, k=2, min_labels=1, budget=100)
    yield (
        "mixture_top_k_of_size",
        _forest(
            log_gate,
            k=2,
            sizes=np.array([0, 1, 5, 2]),
            tilt=RNG.normal(size=(N, K)),
            budget=100,
            between={"sizes": (0, L)},
        ),
    )
    yield (
        "mixture_anneal",
        _forest(
            log_gate,
            evidence=evidence,
            start=start,
            uniforms=RNG.random((N, 6, 2)),
            temperatures=np.geomspace(1, 0.1, 6),
            min_labels=1,
            between={**free, "start": (0, 1)},
        ),
    )
    sets = RNG.integers(0, 2, (N, S, L)).astype(np.int8)
    yield "chain_log_prob", _chain({"sets": (0, 1)}, [("sets", 1)], sets=sets)
    yield "chain_sample", _chain(free, [("uniforms", 1)], evidence=evidence, uniforms=uniforms)
    points, angles = RNG.random((S, L)), RNG.random((N, L))
    yield "chain_means", _chain(free, [("points", 0)], evidence=evidence, points=points, angles=angles)
    later = np.zeros((N, L + 1))
    yield (
        "chain_beam",
        _chain(free, evidence=evidence, later=later, k=2, width=3, log_epsilon=-5.0, classes=1),
    )
    cascade = {
        "size_probs": RNG.dirichlet(np.ones(L + 1), N),
        "labels": RNG.normal(size=(N, L)),
        "sizes": RNG.normal(size=(L + 1, L)),
        "pairs": RNG.normal(size=(L, L)),
        "points": RNG.random((S, L + 1)),
        "angles": RNG.random((N, L + 1)),
    }
    yield "cascade_means", Call(cascade, {}, frozenset([("points", 0)]))
    yield "chain_search", _chain(free, evidence=evidence, k=2, min_labels=1, budget=100)
    yield (
        "gibbs_linear",
        Call(
            {
                "offsets": RNG.normal(size=(N, L)),
                "couplings": RNG.normal(size=(L, L)),
                "evidence": evidence,
                "streams": keys(np.arange(N, dtype=np.uint64), 1),
                "order": np.stack([RNG.permutation(L) for _ in range(2)]).astype(np.int32),
                "n_burn_in": 2,
                "n_collect": 4,
            },
            {**free, "order": (0, L - 1)},
            frozenset({("order", 0)}),
        ),
    )
    yield (
        "kept_shares",
        Call(
            {"samples": sets, "scores": RNG.normal(size=(N, S)), "n_keep": 2, "min_labels": 1},
            {"samples": (0, 1)},
            frozenset({("samples", 2)}),
        ),
    )
    yield "logistic_step", _logistic()
    yield "lbfgs_direction", _lbfgs_direction()
    yield "lbfgs_update", _lbfgs_update()
    yield "newton_directions", _newton()
    yield "softmax_step", _softmax()
    yield "csr_add_product", _csr()
    yield from _trees()
    yield from _set_trees()
    text = np.frombuffer(b"1,red,2\n3,blue,4\n", np.uint8).copy()
    sparse = np.frombuffer(b"{0 1, 1 red}\n{2 3}\n", np.uint8).copy()
    for name, rows in (("arff_dense_rows", text), ("arff_sparse_rows", sparse)):
        coded = np.array([False, True, False])
        yield (
            name,
            Call({"text": rows, "start": 0, "coded": coded}, {}, frozenset({("text", 0), ("coded", 0)})),
        )


def _logistic():
    n, B, T, G = 30, 5, 3, 2
    arguments = {
        "z": RNG.normal(size=(n, B)),
        "d": RNG.normal(size=(n, B)),
        "t": RNG.random(B),
        "targets": RNG.random((n, T)),
        "target": RNG.integers(0, T, B).astype(np.int32),
        "weights": RNG.random((n, G)),
        "weight": RNG.integers(0, G, B).astype(np.int32),
        "z_out": np.zeros((n, B)),
        "residual": np.zeros((n, B)),
    }
    arguments["target"][0], arguments["weight"][0] = T - 1, G - 1
    return Call(
        arguments,
        {"target": (0, T - 1), "weight": (0, G - 1)},
        frozenset({("targets", 1), ("weights", 1)}),
        frozenset({"z_out", "residual"}),
    )


def _lbfgs_direction():
    m, D, C, first = 3, 4, 6, np.array([0, 2, 3, 6], np.int32)
    arguments = {
        "gradient": RNG.normal(size=(D, C)),
        "steps": RNG.normal(size=(m, D, C)),
        "changes": RNG.normal(size=(m, D, C)),
        "rho": RNG.normal(size=(m, 3)),
        "order": np.array([2, 0], np.int32),
        "coef": RNG.normal(size=(D, C)),
        "squares": RNG.random(D),
        "curvature": RNG.random(C),
        "l2": RNG.random(C),
        "intercept": 2,
        "own": RNG.random(C),
        "first": first,
    }
    return Call(arguments, {"order": (0, m - 1), "first": (0, 0)}, frozenset({("order", 0)}))


def _lbfgs_update():
    D, C = 4, 6
    arguments = {
        "coef": RNG.normal(size=(D, C)),
        "gradient": RNG.normal(size=(D, C)),
        "direction": RNG.normal(size=(D, C)),
        "length": RNG.random(C),
        "product": RNG.normal(size=(D, C)),
        "l2": RNG.random(C),
        "intercept": 2,
        "step": np.zeros((D, C)),
        "change": np.zeros((D, C)),
    }
    return Call(arguments, outputs=frozenset({"coef", "gradient", "step", "change"}))


def _newton():
    n, f, m, B = 3, 5, 2, 4
    arguments = {
        "data": RNG.normal(size=5),
        "indices": np.array([0, 4, 2, 3, 1], np.int32),
        "indptr": np.array([0, 2, 2, 5], np.int32),
        "extra": np.hstack([np.ones((n, 1)), RNG.normal(size=(n, 1))]),
        "curvature": RNG.random((n, B)).astype(np.float32),
        "gradient": RNG.normal(size=(f + m, B)),
        "mean": RNG.random(f),
        "l2": 1.0 + RNG.random(B),
        "own": RNG.random(B),
        "value": RNG.random(B),
        "allowed": np.ones((f + m, B), np.uint8),
        "max_iter": 20,
    }
    return Call(arguments, {"indices": (0, f - 1), "indptr": (0, 5)})


def _softmax():
    n, C = 20, 7
    arguments = {
        "z": RNG.normal(size=(n, C)),
        "d": RNG.normal(size=(n, C)),
        "t": RNG.random(3),
        "targets": RNG.random((n, C)),
        "first": np.array([0, 2, 3, 7], np.int32),
        "which": np.array([0, 2], np.int32),
        "z_out": np.zeros((n, C)),
        "residual": np.zeros((n, C)),
    }
    places = {"first": (0, 0), "which": (0, 2)}
    return Call(arguments, places, frozenset({("which", 0)}), frozenset({"z_out", "residual"}))


def _csr():
    indices, indptr = np.array([0, 4, 2, 3, 1], np.int32), np.array([0, 2, 2, 5], np.int32)
    arguments = {
        "data": RNG.normal(size=5),
        "indices": indices,
        "indptr": indptr,
        "dense": RNG.normal(size=(5, 3)),
        "out": RNG.normal(size=(3, 3)),
    }
    return Call(arguments, {"indices": (0, 4)}, frozenset({("dense", 0)}), frozenset({"out"}))


def _trees():
    tree = {
        "feature": np.array([2, 0, -1, -1, -1], np.int32),
        "left": np.array([1, 2, -1, -1, -1], np.int32),
        "right": np.array([4, 3, -1, -1, -1], np.int32),
        "value": RNG.normal(size=5),
    }
    nodes = {"feature": (-1, 2), "left": (1, 4), "right": (1, 4)}
    scores = {
        "X": RNG.normal(size=(40, 3)),
        "feature": tree["feature"],
        "threshold": RNG.normal(size=5),
        **{name: tree[name] for name in ("left", "right", "value")},
        "root": np.array([0, 1], np.int32),
        "ensemble": np.array([1, 0], np.int32),
        "out": np.zeros((40, 2)),
    }
    places = {**nodes, "root": (0, 4), "ensemble": (0, 1)}
    yield "tree_scores", Call(scores, places, frozenset({("X", 1), ("out", 1)}), frozenset({"out"}))
    codes = RNG.integers(0, 6, (3, 40)).astype(np.uint8)
    bins = {"bin": np.array([3, 2, 0, 0, 0], np.int32)}
    added = {"codes": codes, "feature": tree["feature"], **bins, **tree, "out": np.zeros(40)}
    yield (
        "add_tree",
        Call(added, {**nodes, "bin": (0, 255)}, frozenset({("codes", 0)}), frozenset({"out"})),
    )
    rows = np.arange(0, 40, 2)
    grown = {
        "codes": codes,
        "sizes": np.full(3, 6, np.int32),
        "rows": rows,
        "gradient": RNG.normal(size=20),
        "hessian": RNG.random(20),
        "weights": np.ones(20),
        "seed": 3,
        "n_draws": 2,
        "max_leaves": 4,
        "min_weight": 2.0,
        "penalty": 1.0,
    }
    yield "grow_tree", Call(grown, {"sizes": (1, 256), "rows": (0, 39)}, frozenset({("codes", 1)}))


def _set_trees():
    n, d, n_targets, n_trees = 12, 4, 5, 2
    on = RNG.random((n, n_targets)) < 0.5
    on[0, 0] = True
    listed = RNG.random((n, d)) < 0.6
    listed[0] = True
    grown = {
        "codes": RNG.integers(0, 6, int(listed.sum())).astype(np.uint8),
        "columns": np.nonzero(listed)[1].astype(np.int32),
        "bounds": np.concatenate([[0], np.cumsum(listed.sum(axis=1))]),
        "absent": np.zeros(d, np.uint8),
        "target_bounds": np.concatenate([[0], np.cumsum(on.sum(axis=1))]),
        "targets": np.nonzero(on)[1].astype(np.int32),
        "values": np.ones(int(on.sum())),
        "n_targets": n_targets,
        "classes": np.arange(n, dtype=np.int32),
        "weights": np.ones(n),
        "in_bag": np.ones((n_trees, n), np.uint8),
        "seeds": np.array([3, 5], np.uint64),
        "n_draws": 2,
    }
    places = {"columns": (0, d - 1), "bounds": (0, 0), "target_bounds": (0, 0)}
    places["targets"] = (0, n_targets - 1)
    yield "grow_set_trees", Call(grown, places, frozenset({("absent", 0)}))
    nodes = {
        "root": np.array([0, 0], np.int32),
        "feature": np.array([1, -1, -1], np.int32),
        "threshold": np.zeros(3),
        "left": np.array([1, -1, -1], np.int32),
        "weight": np.array([3.0, 2.0, 1.0]),
    }
    places = {"root": (0, 2), "feature": (-1, 1), "left": (1, 1)}
    free = frozenset({("X", 0), ("X", 1), ("root", 0)})
    yield "tree_leaves", Call({"X": RNG.normal(size=(8, 2)), **nodes, "min_weight": 1.0}, places, free)
    added = {
        "leaves": np.array([[0, 1], [2, -1]], np.int32),
        "begin": np.array([0, 0, 2], np.int32),
        "end": np.array([3, 2, 3], np.int32),
        "weight": nodes["weight"],
        "member": np.array([0, 1, 1], np.int32),
        "member_weight": np.ones(3),
        "share": np.ones(2),
        "out": np.zeros((2, 2)),
    }
    places = {"leaves": (-1, 2), "begin": (0, 3), "end": (0, 3), "member": (0, 1)}
    yield "add_members", Call(added, places, frozenset({("leaves", 1), ("out", 1)}), frozenset({"out"}))


CALLS = dict(_calls())

"""Schemas of decisions: losses and constraints on the answers."""

from __future__ import annotations

from setwise.distributions.gibbs import SEARCHES
from setwise.persistence.kinds import (
    ANY,
    NOT_NEGATIVE,
    POSITIVE,
    Booleans,
    Choice,
    DictOf,
    Either,
    Floats,
    ListOf,
    Maybe,
    Part,
    Real,
    Schema,
    Scope,
    Text,
    Tuple,
    Whole,
    Wholes,
)
from setwise.persistence.kinds.kind import Kind
from setwise.persistence.records import Record

RULES = (
    "Abstain",
    "Constrained",
    "Costs",
    "FBeta",
    "Gibbs",
    "Greedy",
    "Hamming",
    "Jaccard",
    "MacroF",
    "MicroF",
    "PrecisionAtK",
    "Sizes",
    "Subset",
    "Votes",
)

decision = Either(Text(64), Part(*(f"part.{name}" for name in RULES)))
"""A rule, or the name of one."""


def _group(kind: Kind, least: int = 0) -> Kind:
    """A list or a tuple."""
    return Either(ListOf(kind, least=least), ListOf(kind, least=least, tuples=True))


label = Either(Text(), Whole())
_pair = Either(Tuple(label, label), ListOf(label, least=2))
labels = _group(label)
price = Real(-1e30, 1e30)
cost = Either(price, Floats(ANY, low=-1e30, high=1e30), Wholes(ANY), _group(price), DictOf(price, keys=label))
sets = Either(Wholes(ANY, ANY, below=2), Booleans(ANY, ANY), _group(_group(Whole(0, 1))))

MAX_CLAUSES = 2**13
"""Maximum number of pairs of labels in constraints: every answer is compared with each of them."""


def _few_clauses(record: Record, scope: Scope) -> str | None:
    groups = [len(group) for group in record.state["exclusive"]]
    clauses = len(record.state["implies"]) + sum(n * (n - 1) // 2 for n in groups)
    return f"{clauses} pairs of labels; at most {MAX_CLAUSES} are stored" if clauses > MAX_CLAUSES else None


SCHEMAS = {
    "part.Abstain": Schema({"confidence": Real(-1e30, 1e30), "decision": decision}),
    "part.Constrained": Schema(
        {
            "decision": decision,
            "contains": labels,
            "excludes": labels,
            "min_labels": Whole(),
            "max_labels": Maybe(Whole()),
            "implies": _group(_pair),
            "exclusive": _group(labels),
            "among": Maybe(sets),
        },
        rules=(_few_clauses,),
    ),
    "part.Costs": Schema(
        {name: cost for name in ("false_positive", "false_negative", "true_positive", "true_negative")}
    ),
    "part.FBeta": Schema({"beta": NOT_NEGATIVE, "both_empty": Real(0.0, 1.0)}),
    "part.Gibbs": Schema({"search": Choice(*SEARCHES)}),
    "part.Greedy": Schema({}),
    "part.Hamming": Schema({}),
    "part.Jaccard": Schema({}),
    "part.MacroF": Schema({"beta": POSITIVE, "both_empty": Real(0.0, 1.0)}),
    "part.MicroF": Schema({"beta": POSITIVE, "both_empty": Real(0.0, 1.0)}),
    "part.PrecisionAtK": Schema(
        {"k": Whole(1), "weights": Maybe(Either(Floats(ANY, low=0.0, high=1e30), Wholes(ANY), _group(price)))}
    ),
    "part.Sizes": Schema({"least": Whole(), "most": Whole(), "decision": decision}),
    "part.Subset": Schema({}),
    "part.Votes": Schema({"vote": Choice("label", "subset")}),
}

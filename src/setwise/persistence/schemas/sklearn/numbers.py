"""Schemas of scikit-learn's transformers of numbers."""

from __future__ import annotations

import math
from typing import Any

from setwise.persistence.kinds import (
    ANY,
    Choice,
    DictOf,
    Dimension,
    Either,
    Floats,
    Kind,
    Maybe,
    Names,
    Optional,
    Part,
    Real,
    Schema,
    Scope,
    Size,
    Text,
    Whole,
    Wholes,
)
from setwise.persistence.records import Record
from setwise.persistence.schemas.sklearn.parameters import check_sklearn

d, k, q = Size("d"), Size("k"), Size("q")
TINY = 1e-100
Fields = dict[str, Kind]

OUTPUT: Fields = {"_sklearn_output_config": Optional(DictOf(Choice("default", "pandas", "polars")))}
FEATURES: Fields = {"n_features_in_": Dimension(d), "feature_names_in_": Optional(Names(d)), **OUTPUT}
SEEN = Either(Whole(), Real(0.0), Wholes(d), Floats(d, low=0.0))

scale = Floats(d, low=TINY)


def transformer(fields: Any, **rest: Any) -> Schema:
    """The schema of a transformer; ``fields`` are its own attributes, or a function of its parameters."""
    if callable(fields):
        return Schema(lambda p: FEATURES | fields(p), check_sklearn, **rest)
    return Schema(FEATURES | fields, check_sklearn, **rest)


def _if(wanted: Any, kind: Kind) -> Kind:
    """An array that exists if a parameter requires it."""
    return kind if wanted else Maybe(kind)


def _standard(p: Any) -> Fields:
    return {
        "mean_": _if(p.get("with_mean", True), Floats(d)),
        "var_": Maybe(Floats(d, low=0.0)),
        "scale_": _if(p.get("with_std", True), scale),
        "n_samples_seen_": SEEN,
    }


def _robust(p: Any) -> Fields:
    return {
        "center_": _if(p.get("with_centering", True), Floats(d)),
        "scale_": _if(p.get("with_scaling", True), scale),
    }


def _degrees(p: Any) -> tuple[int, int]:
    degree = p.get("degree", 2)
    return (0, degree) if isinstance(degree, int) else (degree[0], degree[1])


def n_monomials(p: Any, n_features: int, least: int, most: int) -> int:
    """Number of columns that PolynomialFeatures makes: those of the degrees ``least`` to ``most``, and a constant.

    Examples
    --------
    >>> n_monomials({}, 4, 0, 2)
    15
    """
    only_products = p.get("interaction_only", False)
    most = min(most, n_features) if only_products else most
    degrees = range(max(1, least), most + 1)
    count = sum(math.comb(n_features + (0 if only_products else i - 1), i) for i in degrees)
    return count + bool(p.get("include_bias", True))


def _few_monomials(record: Record, scope: Scope) -> str | None:
    """Limit the number of products of features, which are not in the file; sparse ones are computed one by one."""
    least, most = _degrees(record.parameters)
    count = n_monomials(record.parameters, scope.sizes["d"], 0, most)
    limit = scope.limits.cells if most < 4 else scope.limits.cells // 64
    if least > most or not 0 < count <= limit:
        return f"{count} products of features; at most {limit} are allowed in a file of this size"
    return None


def _count(full: bool) -> Any:
    def count(model: Any) -> int:
        least, most = _degrees(vars(model))
        return n_monomials(vars(model), model.n_features_in_, 0 if full else least, most)

    return count


SVD: Fields = {
    "components_": Floats(k, d),
    "explained_variance_": Floats(k, low=0.0),
    "explained_variance_ratio_": Floats(k, nan=True),
    "singular_values_": Floats(k, low=0.0),
}

SCHEMAS = {
    "sklearn.StandardScaler": transformer(_standard),
    "sklearn.RobustScaler": transformer(_robust),
    "sklearn.MaxAbsScaler": transformer({"scale_": scale, "max_abs_": Floats(d), "n_samples_seen_": SEEN}),
    "sklearn.MinMaxScaler": transformer(
        {name: Floats(d) for name in ("scale_", "min_", "data_min_", "data_max_", "data_range_")}
        | {"n_samples_seen_": SEEN}
    ),
    "sklearn.Normalizer": transformer({}),
    "sklearn.Binarizer": transformer({}),
    "sklearn.FunctionTransformer": transformer(
        {"n_features_in_": Optional(Dimension(d)), "feature_names_in_": Optional(Names(ANY))}
    ),
    "sklearn.PolynomialFeatures": transformer(
        {},
        rules=(_few_monomials,),
        derived={
            "_min_degree": lambda model: _degrees(vars(model))[0],
            "_max_degree": lambda model: _degrees(vars(model))[1],
            "n_output_features_": _count(full=False),
            "_n_out_full": _count(full=True),
        },
    ),
    "sklearn.QuantileTransformer": transformer(
        {
            "n_quantiles_": Dimension(q),
            "references_": Floats(q, low=0.0, high=1.0, rising=True),
            "quantiles_": Floats(q, d, rising=True),
        }
    ),
    "sklearn.PowerTransformer": transformer(
        lambda p: (
            {"lambdas_": Floats(d, low=-100.0, high=100.0)}
            | ({"_scaler": Part("sklearn.StandardScaler", d=d)} if p.get("standardize", True) else {})
        )
    ),
    "sklearn.PCA": transformer(
        SVD
        | {
            "n_components_": Dimension(k),
            "mean_": Floats(d),
            "noise_variance_": Real(nan=True),
            "n_samples_": Whole(),
            "_fit_svd_solver": Text(64),
        }
    ),
    "sklearn.TruncatedSVD": transformer(SVD),
    "sklearn.VarianceThreshold": transformer({"variances_": Floats(d, nan=True, high=math.inf)}),
}

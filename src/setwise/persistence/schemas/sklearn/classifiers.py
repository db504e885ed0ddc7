"""Schemas of scikit-learn's classifiers whose fitted state is arrays."""

from __future__ import annotations

from typing import Any

from setwise.arrays import Array
from setwise.persistence.kinds import (
    ANY,
    Choice,
    Classes,
    Either,
    Flag,
    Floats,
    Kind,
    ListOf,
    Maybe,
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
from setwise.persistence.kinds.kind import refuse
from setwise.persistence.records import Record
from setwise.persistence.schemas.linear import Weights
from setwise.persistence.schemas.sklearn.numbers import FEATURES
from setwise.persistence.schemas.sklearn.parameters import check_sklearn

d, c, h, r = Size("d"), Size("c"), Size("h"), Size("r")
CERTAIN = -2.3e-16
"""Largest logarithm of a probability whose complement is not zero."""


def classifier(fields: dict[str, Kind], **rest: Any) -> Schema:
    """The schema of a classifier."""
    return Schema(FEATURES | {"classes_": Classes(c)} | fields, check_sklearn, **rest)


def _one_function_for_two(record: Record, scope: Scope) -> str | None:
    """Check the number of decision functions: one for two classes, otherwise one per class."""
    classes, functions = scope.sizes["c"], scope.sizes.get("h", 1)
    if functions != (1 if classes == 2 else classes) or classes < 2:
        return f"{functions} decision functions for {classes} classes"
    return None


def _constant_is_a_class(record: Record, scope: Scope) -> str | None:
    classes = record.state["classes_"].tolist()
    if record.state["_strategy"] == "constant" and record.parameters.get("constant") not in classes:
        return "the constant that it predicts is not a class"
    return None


def _rotations_fit(record: Record, scope: Scope) -> str | None:
    pairs = zip(record.state["rotations_"], record.state["scalings_"])
    fits = all(rotation.shape[1] == len(scaling) for rotation, scaling in pairs)
    return None if fits else "the rotations and scalings of a class have other lengths"


LINEAR: dict[str, Kind] = {
    "coef_": Either(Weights(d), Weights(h, d)),
    "intercept_": Either(Real(), Floats(h)),
    "n_iter_": Maybe(Either(Whole(), Wholes(ANY))),
}
COUNTS: dict[str, Kind] = {
    "class_count_": Floats(c, low=0.0),
    "feature_count_": Floats(c, d, low=0.0),
    "class_log_prior_": Floats(c),
}


class _Shares(Floats):
    """Probabilities of the classes: they sum to one. If all are zero, every answer is NaN."""

    def check_order(self, array: Array, place: str, scope: Scope) -> None:
        """See :class:`Numbers`."""
        if not abs(float(array.sum()) - 1.0) < 1e-3:
            refuse(place, f"an array with the sum {float(array.sum()):g}", "the sum 1")


shares = _Shares(c, low=0.0, high=1.0)

SCHEMAS = {
    "sklearn.LogisticRegression": classifier(
        LINEAR | {"coef_": Weights(h, d), "intercept_": Floats(h)}, rules=(_one_function_for_two,)
    ),
    "sklearn.LinearSVC": classifier(LINEAR | {"coef_": Weights(h, d)}, rules=(_one_function_for_two,)),
    "sklearn.RidgeClassifier": classifier(
        LINEAR | {"_label_binarizer": Part("sklearn.LabelBinarizer", c=c), "solver_": Text(64)},
        rules=(_one_function_for_two,),
    ),
    "sklearn.LabelBinarizer": Schema(
        {"y_type_": Choice("binary", "multiclass"), "sparse_input_": Flag(), "classes_": Classes(c)},
        check_sklearn,
    ),
    "sklearn.LinearDiscriminantAnalysis": classifier(
        {
            "coef_": Weights(h, d),
            "intercept_": Floats(h),
            "priors_": shares,
            "means_": Floats(c, d),
            "xbar_": Optional(Floats(d)),
            "scalings_": Optional(Floats(d, r)),
            "covariance_": Optional(Floats(d, d)),
            "explained_variance_ratio_": Optional(Floats(ANY, nan=True)),
            "_max_components": Whole(),
            "_n_features_out": Optional(Whole()),
        },
        rules=(_one_function_for_two,),
    ),
    "sklearn.QuadraticDiscriminantAnalysis": classifier(
        {
            "priors_": shares,
            "means_": Floats(c, d),
            "scalings_": ListOf(Floats(ANY, low=1e-100), c),
            "rotations_": ListOf(Floats(d, ANY, low=-1.001, high=1.001), c),
            "covariance_": Optional(ListOf(Floats(d, d), c)),
        },
        rules=(_rotations_fit,),
    ),
    "sklearn.DummyClassifier": classifier(
        {
            "_strategy": Choice("constant", "most_frequent", "prior", "stratified", "uniform"),
            "sparse_output_": Choice(False),
            "n_outputs_": Choice(1),
            "n_classes_": Whole(1, c),
            "class_prior_": shares,
        },
        rules=(_constant_is_a_class,),
    ),
    "sklearn.BernoulliNB": classifier(COUNTS | {"feature_log_prob_": Floats(c, d, high=CERTAIN)}),
    "sklearn.MultinomialNB": classifier(COUNTS | {"feature_log_prob_": Floats(c, d, high=0.0)}),
    "sklearn.ComplementNB": classifier(
        COUNTS | {"feature_log_prob_": Floats(c, d), "feature_all_": Floats(d, low=0.0)}
    ),
    "sklearn.GaussianNB": classifier(
        {
            "theta_": Floats(c, d),
            "var_": Floats(c, d, low=1e-100),
            "epsilon_": Real(0.0),
            "class_count_": Floats(c, low=0.0),
            "class_prior_": shares,
        }
    ),
}

"""Whether two models have the same features, labels and classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from setwise.errors import quote_some


def check_same_columns(model: Any, other: Any) -> None:
    """Raise a ValueError unless two fitted models have the same features, labels and classes."""
    if model.n_features_in_ != other.n_features_in_ or model.n_labels_ != other.n_labels_:
        raise ValueError(
            f"models of {model.n_features_in_} features and {model.n_labels_} labels and of "
            f"{other.n_features_in_} and {other.n_labels_} cannot be added: features and labels must be the same"
        )
    for what, attribute in (
        ("features", "feature_names_in_"),
        ("labels", "label_names_"),
        ("classes", "classes_"),
    ):
        # A model of bare arrays has no feature names to compare.
        mine: Any = getattr(model, attribute, None)
        theirs: Any = getattr(other, attribute, mine)
        if mine is not None and not np.array_equal(mine, theirs):
            raise ValueError(
                f"models of the {what} {quote_some(mine)} and {quote_some(theirs)} cannot be added: they must be "
                "the same, in the same order"
            )

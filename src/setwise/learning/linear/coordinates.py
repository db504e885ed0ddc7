"""The coordinates of linear learners: standardized features, ones, and labels used as features."""

from __future__ import annotations

import numpy as np

from setwise.arrays import Bools, Floats
from setwise.kernels.matrices import ColumnMoments
from setwise.learning.linear.row_axes import RowAxes
from setwise.learning.linear.scores import LinearScores

ONE_UNIT = 30.0
"""Mostly zero columns whose other values differ by no larger factor are taken to have the same unit."""
SCALED = 1.5
"""Columns count as scaled if most deviations of the centred ones are within this factor of one."""


def column_scales(moments: ColumnMoments) -> Floats:
    """Compute the divisor (d,) of each column under an L2 penalty.

    A column is divided by its standard deviation, unless it is zero in most rows (words, indicators): dividing by the
    deviation would give the rarest columns the weakest penalty. Such columns share one divisor, which brings their
    mean variance to one, so that counts or tf-idf weights keep their relative size. Only columns whose values are in
    another unit, more than a factor ``ONE_UNIT`` away from the median, are first brought to the median.

    If there are centred columns with a deviation of about one, and no column varies more, someone has scaled the
    numbers and chosen the size of words beside them: all columns but the centred ones then keep their size. Thousands
    of words of unit variance each would drown the numbers. A centred column may have zeros in the place of missing
    values, in up to half of its rows.

    Parameters
    ----------
    moments : ColumnMoments
        Of the d columns.

    Returns
    -------
    ndarray of shape (d,)
        Zero for a constant column.

    Examples
    --------
    >>> import numpy as np
    >>> from setwise.kernels.matrices import column_moments
    >>> column_scales(column_moments(np.array([[1.0, 5.0], [3.0, 5.0]])))
    array([1., 0.])
    """
    mean, deviation, filled = moments
    rare = (filled < 0.5) & (deviation > 0)
    scale = deviation.copy()
    centred = (filled > 0.5) & (deviation > 0) & (np.abs(mean) < 0.25 * deviation)
    if rare.any() and centred.any() and _are_scaled(deviation, centred):
        scale[~centred & (deviation > 0)] = 1.0
    elif rare.any():
        size = np.hypot(mean[rare], deviation[rare]) / np.sqrt(filled[rare])
        middle = np.median(size)
        own = np.where(np.abs(np.log(size / middle)) > np.log(ONE_UNIT), size / middle, 1.0)
        scale[rare] = own * np.sqrt(np.mean((deviation[rare] / own) ** 2))
    return scale


def _are_scaled(deviation: Floats, centred: Bools) -> bool:
    typical = np.median(np.abs(np.log(deviation[centred])))
    return bool(typical < np.log(SCALED) and deviation.max() < SCALED**2)


class Coordinates:
    """What the columns of a design mean, wherever its rows are.

    Parameters
    ----------
    moments : ColumnMoments
        Of the d features.
    standardize : bool
        Whether features are divided by their :func:`column_scales`.
    label_scale : float or None
        Factor of the labels used as features. By default they share one scale, which gives each label under a common
        penalty the prior variance of all features together.

    Attributes
    ----------
    intercept : int
        Number of the column of ones: features stand before it, labels after it.
    total_variance : float
        Sum of the variances of the scaled features: the unit in which penalties are searched.
    """

    intercept: int
    label_means: Floats

    def __init__(self, moments: ColumnMoments, *, standardize: bool, label_scale: float | None) -> None:
        self.n_features = len(moments.mean)
        self._used = np.flatnonzero(moments.deviation > 0)
        scale = column_scales(moments) if standardize else np.ones(self.n_features)
        self._scale = scale[self._used]
        self.total_variance = float(((moments.deviation[self._used] / self._scale) ** 2).sum())
        self.label_scale = max(self.total_variance, 1.0) ** 0.5 if label_scale is None else label_scale
        self._mean = moments.mean[self._used]
        self._basis: Floats | RowAxes | None = None

    def to_features(self, coef: Floats) -> LinearScores:
        """Convert coefficients of the design to functions of the original features.

        Parameters
        ----------
        coef : ndarray of shape (D, B)
            Rows of the labels may be missing.

        Returns
        -------
        LinearScores
        """
        used = coef[: self.intercept] if self._basis is None else self._basis @ coef[: self.intercept]
        used = used / self._scale[:, None]
        features = np.zeros((self.n_features, coef.shape[1]))
        features[self._used] = used
        labels = coef[self.intercept + 1 :] * self.label_scale
        centre = self._mean @ used + self.label_means[: len(labels)] @ labels
        return LinearScores(features, coef[self.intercept] - centre, labels)

    def from_features(self, scores: LinearScores) -> Floats:
        """Convert functions of the original features to coefficients (D, B): the reverse of :meth:`to_features`.

        Parameters
        ----------
        scores : LinearScores

        Returns
        -------
        ndarray of shape (D, B)
        """
        used = scores.coef[self._used]
        centre = self._mean @ used + self.label_means[: len(scores.labels)] @ scores.labels
        scaled = used * self._scale[:, None]
        features = scaled if self._basis is None else self._basis.T @ scaled
        return np.vstack([features, (scores.intercept + centre)[None], scores.labels / self.label_scale])

"""The page of the site that runs a fitted model: what people take along on a day out, given the weather."""

from __future__ import annotations

import numpy as np
import pandas as pd

from setwise import MixtureOfTrees
from setwise.web.standalone import export_page

TITLE = "A day out"
DAYS = {
    "a fine Sunday": (26, 0, 8, 1),
    "a wet Sunday": (16, 9, 20, 1),
    "between rain and sun": (20, 2, 15, 1),
    "a windy Tuesday": (15, 0, 45, 0),
    "frost": (-4, 0, 10, 1),
}


def page() -> str:
    """The page as HTML."""
    X, Y = days(1500, np.random.default_rng(0))
    model = MixtureOfTrees(2, l2=1.0, candidate_parents=3, random_state=0).fit(X, Y)
    shown = pd.DataFrame(list(DAYS.values()), columns=X.columns)
    return export_page(model, shown, row_names=list(DAYS), feature_names=list(X.columns), title=TITLE)


def days(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Days with their weather, and what was taken along. A trip goes to one place, whose things go together."""
    weather = {
        "degrees C": rng.uniform(-8, 33, n),
        "rain, mm": np.where(rng.random(n) < 0.5, 0, rng.gamma(1.0, 4.0, n)),
        "wind, km/h": rng.gamma(3.0, 6.0, n),
        "weekend": (rng.random(n) < 0.4).astype(float),
    }
    warm, wet, wind, weekend = weather.values()
    wishes = np.column_stack(
        [0.4 * (warm - 20) - 0.4 * wet, 0.5 - 0.2 * wet - 0.1 * abs(warm - 14), 0.3 * wet - 1]
    )
    place = (wishes + rng.gumbel(size=(n, 3))).argmax(axis=1)
    out = rng.random(n) < np.where(weekend > 0, 0.9, 0.45)
    sea, hills, museum = (out & (place == p) for p in range(3))

    def sometimes(share: float) -> np.ndarray:
        return rng.random(n) < share

    things = {
        "sea": sea,
        "hills": hills,
        "museum": museum,
        "swimsuit": sea & (warm > 18) & sometimes(0.9),
        "kite": sea & (wind > 18) & sometimes(0.7),
        "boots": (hills & sometimes(0.9)) | (museum & sometimes(0.1)),
        "umbrella": out & (wet > 1) & ~hills & sometimes(0.85),
        "ice cream": out & (warm > 16) & (sometimes(0.5) | (sea & sometimes(0.5))),
        "thermos": out & (warm < 10) & sometimes(0.7),
    }
    return pd.DataFrame(weather).round(1), pd.DataFrame(things).astype(int)

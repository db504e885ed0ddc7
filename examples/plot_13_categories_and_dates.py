"""
Categories, dates and empty cells
=================================

A table as people have it: shops in many cities, a date, a category, a number with holes. The encoder
makes features of each column and says what it did.
"""

# %%
# Sales days. Ice cream and umbrellas depend on the season, the kind of shop and the rain; a tenth of the
# cells is empty.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from setwise import ConditionalTree, TableEncoder, make_set_pipeline

rng = np.random.default_rng(0)
n = 1500
day = pd.to_datetime("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, n), "D")
summer = np.cos(2 * np.pi * (day.dayofyear - 200) / 365)
shop = rng.choice(["kiosk", "market", "station"], n, p=[0.5, 0.3, 0.2])
rain = np.clip(rng.gamma(1.0, 2.0, n) - 1, 0, None)
table = pd.DataFrame({"day": day.strftime("%Y-%m-%d"), "shop": shop, "rain_mm": rain})
ice = 2.5 * summer + (shop == "kiosk") - 0.4 * rain + rng.logistic(size=n) > 0
umbrella = 0.9 * rain - 1 + (shop == "station") + rng.logistic(size=n) > 0
Y = pd.DataFrame({"ice cream": ice, "umbrella": umbrella, "hot soup": ~ice & (rng.random(n) < 0.5)}).astype(
    int
)
table = table.mask(rng.random(table.shape) < 0.1)

# %%
# What becomes of each column:
TableEncoder().fit(table).describe()

# %%
# The model is fitted to two years and asked about the next: a new year is not an unknown, because the
# encoder keeps the cycle of the year.
model = make_set_pipeline(TableEncoder(), ConditionalTree(random_state=0)).fit(table, Y)
year = pd.date_range("2026-01-01", "2026-12-31", freq="7D")
dry = pd.DataFrame({"day": year.strftime("%Y-%m-%d"), "shop": "kiosk", "rain_mm": 0.0})
wet = dry.assign(rain_mm=6.0)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for ax, days, title in zip(axes, (dry, wet), ("a dry year", "a wet year")):
    for j, name in enumerate(Y.columns):
        ax.plot(year, model.predict_proba(days)[:, j], label=name)
    ax.set(title=title, ylim=(0, 1))
    ax.tick_params(axis="x", rotation=45)
axes[0].set_ylabel("P(sold)")
axes[1].legend(frameon=False)
plt.show()

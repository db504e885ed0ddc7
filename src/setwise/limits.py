"""Limits of enumeration and draws: up to what size an answer is exact, and how many draws stand behind an estimate."""

LISTED_LABELS = 20
"""Most labels whose 2^L sets are ever listed: a million sets, 20 MB as bytes."""
ENUMERATED_LABELS = 10
"""Up to this many open labels, sums over label sets are exact. Listing their 1024 sets costs what sampling costs."""
CASCADE_LABELS = 12
"""Up to this many labels, the orders in which a cascade draws a set are summed exactly: 2^12 subsets a set."""
FIELD_LABELS = 14
"""Most labels of a pairwise field that is summed over all sets, in every step of its fit."""

N_DRAWS = 1000
"""Draws behind an estimate: a probability p has the standard error sqrt(p (1 - p) / 1000), at most .016."""
CASCADE_DRAWS = 500
"""The same for cascades, whose draws cost a pass over the labels each; standard errors are at most .022."""
ENTROPY_DRAWS = 256
"""Draws behind the entropy of a mixture, each of which costs a log-probability."""
SEARCH_DRAWS = 100
"""Draws among which a search looks for the mode: a set of probability .05 is missed once in 170 times."""
ENTROPY_DRAWS = 256
"""Draws behind the entropy of a mixture of forests, which proven bounds hold in."""
ORDER_DRAWS = 100
"""Random orders that estimate the probability of one large set under a cascade."""

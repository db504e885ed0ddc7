"""Limits of enumeration, and numbers of draws: when answers are exact, and how precise estimates are."""

LISTED_LABELS = 20
"""Maximum number of labels whose 2^L sets are listed: a million sets, 20 MB as bytes."""
ENUMERATED_LABELS = 10
"""Up to this many free labels, sums over label sets are exact. Listing the 1024 sets takes as long as sampling."""
CASCADE_LABELS = 12
"""Up to this many labels, a cascade sums over all orders of drawing a set exactly: 2^12 subsets per set."""
FIELD_LABELS = 14
"""Maximum number of labels of a pairwise field whose fit sums over all sets, in every step."""

N_DRAWS = 1000
"""Number of draws for an estimate: a probability p has the standard error sqrt(p (1 - p) / 1000), at most .016."""
STANDARD_ERROR = 0.01
"""Largest standard error of marginals that are estimated."""
GROUP_DRAWS = 32
"""Draws of a group; groups are added until the standard error is small enough."""
MOST_GROUPS = 80
"""Most groups: 2560 independent draws of anything have a standard error of at most .01."""
CASCADE_DRAWS = 500
"""The same for cascades, where each draw takes a pass over the labels; standard errors are at most .022."""
ENTROPY_DRAWS = 256
"""Number of draws for the entropy of a mixture; each needs a log-probability."""
SEARCH_DRAWS = 100
"""Number of draws in which a search looks for the mode: a set of probability .05 is missed once in 170 times."""
ENTROPY_DRAWS = 256
"""Number of draws for the entropy of a mixture of forests, which is clipped to proven bounds."""
ORDER_DRAWS = 100
"""Number of random orders from which a cascade estimates the probability of one large set."""

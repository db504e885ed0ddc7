"""Every rule attains the least expected loss found by enumerating all answers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from setwise.decisions import Costs
from setwise.distributions import Mixture, Product
from tests.decisions.losses import LOSSES, as_table, every_loss
from tests.decisions.oracle import assert_best, cost_loss, expected_losses
from tests.distributions.random_forests import mixtures, random_mixture


@settings(max_examples=25, deadline=None)
@given(
    mixture=mixtures, false_positive=st.sampled_from([0.3, 5.0]), false_negative=st.sampled_from([0.2, 1.0])
)
def test_forest_mixtures(mixture, false_positive, false_negative):
    for name, (rule, loss) in LOSSES.items():
        if mixture.n_labels <= 6 or "," not in name:
            assert_best(mixture.decide(rule), expected_losses(mixture, loss))
    costs = Costs(false_positive, np.full(mixture.n_labels, false_negative))
    assert_best(mixture.decide(costs), expected_losses(mixture, cost_loss(false_positive, false_negative)))


@every_loss
def test_other_exact_families(name):
    rule, loss = LOSSES[name]
    for seed in range(6):
        mixture = random_mixture(seed, n_labels=5, kind=["forest", "deterministic"][seed % 2])
        table = as_table(mixture)
        parts = Product(
            [[0, 3], [1, 2, 4]], [as_table(random_mixture(seed, n_labels=size)) for size in (2, 3)]
        )
        both = Mixture(np.log(np.tile([0.3, 0.7], (3, 1))), [table, parts])
        for family in (table, parts, both):
            if not (name == "subset" and family is both):  # a list of sets cannot always prove its best
                assert_best(family.decide(rule), expected_losses(family, loss))

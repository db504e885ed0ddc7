"""What tempering means, family by family: the log-probability of every set, written out from the definition."""

import functools

import numpy as np
from scipy.special import log_softmax, logsumexp

from setwise.distributions import Chain, ForestMixture, Mixture, Product, Table
from setwise.inference.chains.conditionals import Linear
from setwise.inference.sets.enumeration import all_log_probs, label_sets


@functools.singledispatch
def tempered_log_probs(distribution, temperature):
    """(n, 2^L), or None where the family cannot be tempered."""
    return None


@tempered_log_probs.register(Table)
@tempered_log_probs.register(Product)
def _(distribution, temperature):
    """P(y)^(1/T), normalised: independent groups keep this form, each its own."""
    return log_softmax(all_log_probs(distribution) / temperature, axis=1)


@tempered_log_probs.register
def _(mixture: Mixture, temperature):
    parts = [tempered_log_probs(component, temperature) for component in mixture.components]
    gate = log_softmax(mixture.log_gate / temperature, axis=1)
    return logsumexp(gate[:, :, None] + np.stack(parts, axis=1), axis=1)


@tempered_log_probs.register
def _(mixture: ForestMixture, temperature):
    sets, (logits, parents, _) = label_sets(mixture.n_labels), mixture.forests
    gate = log_softmax(mixture.log_gate / temperature, axis=1)
    log_p = np.repeat(gate[:, :, None], len(sets), axis=2)
    for k, of_component in enumerate(parents):
        for label, parent in enumerate(of_component):
            value = sets[:, parent] if parent >= 0 else np.zeros(len(sets), int)
            log_p[:, k] += log_prob_of(sets[:, label], logits[:, k, label, value] / temperature)
    return logsumexp(log_p, axis=1)


@tempered_log_probs.register
def _(chain: Chain, temperature):
    if not isinstance(chain.conditionals, Linear):
        return None
    sets, log_p = label_sets(chain.n_labels), 0.0
    offsets, coupling = chain.conditionals.offsets, chain.conditionals.coupling
    for j, label in enumerate(chain.order):
        logits = offsets[:, j : j + 1] + sets[:, chain.order[:j]] @ coupling[:j, j]
        log_p = log_p + log_prob_of(sets[:, label], logits / temperature)
    return log_p


def log_prob_of(value, logits):
    """The log-probability of a label's value, 0 or 1."""
    return -np.logaddexp(0, np.where(value == 1, -logits, logits))

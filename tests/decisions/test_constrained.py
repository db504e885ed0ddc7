"""Constraints hold, and no allowed answer is better."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from setwise.decisions import Constrained, Sizes
from setwise.distributions import ForestMixture
from setwise.inference.sets.enumeration import label_sets
from tests.decisions.losses import CONSTRAINTS, LOSSES, as_table, every_loss
from tests.decisions.oracle import allowed, assert_best, expected_losses
from tests.distributions.random_forests import mixtures, random_mixture


@every_loss
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_constraints(name, constraint):
    rule, loss = LOSSES[name]
    asked, truth = CONSTRAINTS[constraint]
    fits = allowed(5, **truth)
    for seed in range(9):
        mixture = random_mixture(seed, n_labels=5, kind=["independent", "forest", "deterministic"][seed % 3])
        for family in (mixture, as_table(mixture)):
            assert_best(family.decide(Constrained(rule, **asked)), expected_losses(family, loss), fits)


@every_loss
@pytest.mark.parametrize("constraint", [None, "sizes", "all"])
def test_a_list_of_sets(name, constraint):
    """Red if the answer is not on the list, not the best of it, or its loss is wrong."""
    rule, loss = LOSSES[name]
    asked, truth = CONSTRAINTS[constraint] if constraint else ({}, {})
    sets, rng = label_sets(5), np.random.default_rng(0)
    for seed in range(6):
        mixture = random_mixture(seed, n_labels=5, kind=["independent", "forest", "deterministic"][seed % 3])
        fits = allowed(5, **truth) & (rng.random(32) < 0.5)
        if not fits.any():
            continue
        listed = np.repeat(sets[fits | (rng.random(32) < 0.3) & ~allowed(5, **truth)], 2, axis=0)
        for family in (mixture, as_table(mixture)):
            decided = family.decide(Constrained(rule, among=listed, **asked))
            assert_best(decided, expected_losses(family, loss), fits)
            nested = family.decide(Constrained(Constrained(rule, among=listed), among=sets[fits]))
            assert_best(nested, expected_losses(family, loss), fits)


@every_loss
def test_a_list_of_sets_with_many_labels(name):
    """Red if the loss of an answer for more labels than are enumerated is not that of draws, within its error."""
    rule, _ = LOSSES[name]
    mixture = random_mixture(3, n_labels=14)
    listed = np.random.default_rng(1).integers(0, 2, size=(40, 14)).astype(np.int8)
    decided = mixture.decide(Constrained(rule, among=listed))
    assert (decided.labels[:, None] == listed).all(axis=2).any(axis=1).all()
    draws = mixture.sample(20_000, np.random.default_rng(2))
    losses = np.stack([rule.loss(draws, y[None, None]).mean(axis=1) for y in listed], axis=1)
    error = 0.02 + 4 * decided.standard_error
    assert (
        np.abs(rule.loss(draws, decided.labels[:, None]).mean(axis=1) - decided.expected_loss) < error
    ).all()
    assert (decided.expected_loss < losses.min(axis=1) + error).all()
    exact = name not in ("jaccard", "own")
    assert (decided.certified == exact).all()


@pytest.mark.parametrize(
    ("among", "message"),
    [
        ([[1, 0]], "each of the 3 labels"),
        ([[1, 0, 0], [1, 0, 2]], r"among\[1, 2\] is .*2.*; expected 0 or 1"),
        ([1, 0, 0], "each of the 3 labels"),
        (np.zeros((0, 3)), "no label set satisfies"),
        ([[1, 1, 1]], "one of 1 given sets"),
    ],
)
def test_a_list_that_leaves_no_answer_is_refused(among, message):
    joint = ForestMixture.independent([[2.0, -1.0, -3.0]])
    with pytest.raises(ValueError, match=message):
        joint.decide(Constrained(among=among, max_labels=2))


@settings(max_examples=30, deadline=None)
@given(mixture=mixtures, data=st.data())
def test_sizes(mixture, data):
    """Also the range of a single size, where the search tilts the bounds."""
    least = data.draw(st.integers(0, mixture.n_labels))
    most = data.draw(st.integers(least, mixture.n_labels))
    fits = allowed(mixture.n_labels, sizes=(least, most))
    for rule in ("subset", "hamming", "f1"):
        decided = mixture.decide(Sizes(least, most, rule))
        assert_best(decided, expected_losses(mixture, LOSSES[rule][1]), fits)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"contains": "ab"}, r"contains has the bare label 'ab'; expected a list of labels"),
        ({"excludes": 3}, r"excludes has the bare label 3; expected a list of labels"),
        ({"exclusive": ["ab", "c"]}, r"exclusive has the bare label 'ab'; expected groups"),
        ({"exclusive": "ab"}, r"exclusive is 'ab'; expected groups"),
        (
            {"implies": ["ab"]},
            r"implies has 'ab'; expected pairs of labels, as in implies=\[\('dog', 'animal'\)\]",
        ),
        ({"implies": (0, 1)}, r"implies has 0; expected pairs of labels"),
        ({"implies": [(0, 1, 2)]}, r"implies has \(0, 1, 2\); expected pairs of labels"),
    ],
)
def test_a_bare_label_is_not_a_list(wrong, message):
    """Red if "ab" is read as the labels "a" and "b", or a pair as two pairs."""
    with pytest.raises(ValueError, match=message):
        Constrained(**wrong)


def named_mixture():
    mixture = random_mixture(0, n_labels=4)
    mixture.label_names = np.array(["sea", "sky", "dog", "cat"], dtype=object)
    return mixture


def test_constraints_that_leave_nothing_are_errors():
    mixture = named_mixture()
    with pytest.raises(ValueError, match=r"no label is named 'fog'; the labels are 'sea', 'sky'"):
        mixture.decide(Constrained(contains=["fog"]))
    with pytest.raises(ValueError, match="is both contained and excluded"):
        mixture.decide(Constrained(contains=["sea"], excludes=[0]))
    for outer, inner in (("contains", "excludes"), ("excludes", "contains")):
        with pytest.raises(ValueError, match="label 0 is both contained and excluded"):
            mixture.decide(Constrained(Constrained("subset", **{inner: ["sea"]}), **{outer: [0]}))
    with pytest.raises(ValueError, match="no label set satisfies"):
        mixture.decide(Constrained(contains=["sea", "sky"], exclusive=[("sea", "sky")]))
    with pytest.raises(ValueError, match=r"at least . and at most . labels"):
        mixture.decide(Sizes(3, 2))


def test_a_frame_of_sets_is_matched_by_name():
    """Red if the columns of ``among`` are matched by position."""
    mixture = named_mixture()
    sets = label_sets(4)[[1, 6, 11]]
    frame = pd.DataFrame(sets, columns=mixture.label_names)
    by_place = mixture.decide(Constrained(among=sets)).labels
    assert_array_equal(mixture.decide(Constrained(among=frame.iloc[:, ::-1])).labels, by_place)
    with pytest.raises(ValueError, match="of among do not match the labels: missing 'cat'; unexpected 'fog'"):
        mixture.decide(Constrained(among=frame.rename(columns={"cat": "fog"})))

"""The race of mixtures keeps what is good, and spends little on the rest."""

from types import SimpleNamespace

import numpy as np
import pytest

from setwise.learning.mixtures.bernoulli import MixtureSettings
from setwise.learning.mixtures.racing import RUNGS, Trial, below, race, rounds
from setwise.learning.mixtures.tuning import Tuning, _adjust_once
from setwise.learning.progress.monitor import Monitor


class Scripted:
    """A mixture whose held-out log-likelihood after some iterations is known."""

    def __init__(self, curve):
        self.curve, self.done = curve, 0
        self.experts, self.gate = SimpleNamespace(l2=np.ones(1)), SimpleNamespace(l2=1.0)

    def run(self, n_iter, monitor):
        self.done += n_iter

    def held_out(self, rows):
        return self.curve(self)

    def snapshot(self):
        return {"done": np.array(self.done)}, {}

    def restore(self, snapshot):
        self.done = int(snapshot[0]["done"])


def trial(curve, n_components=3):
    settings = MixtureSettings(n_components=n_components, l2=1.0, gate_l2=1.0, max_iter=30)
    return Trial(settings, Scripted(curve), None)


def test_the_best_runs_to_the_end_and_the_worse_half_stops_after_a_round():
    """Red if a trial of the worse half goes on, or the best one is stopped early."""
    trials = [trial(lambda m, start=start: start + m.done) for start in (-500.0, -510.0, -520.0, -530.0)]
    race(trials, 30, Monitor())
    assert [t.iterations for t in trials] == [30, RUNGS[0] + RUNGS[1], RUNGS[0], RUNGS[0]]


def test_a_trial_that_falls_goes_back_to_its_best():
    """Red if a fall is not noticed, or the parameters are those after it."""
    falling = trial(lambda m: -100.0 - abs(m.done - RUNGS[0]))
    race([falling], 30, Monitor())
    assert falling.iterations == RUNGS[0] + RUNGS[1]
    falling.go_back()
    assert (falling.best, falling.mixture.done) == (-100.0, RUNGS[0])


@pytest.mark.parametrize(("gain", "kept"), [(5.0, 0.3), (0.5, 1.0)])
def test_a_penalty_changes_only_for_a_clear_gain(gain, kept):
    """Red if a penalty changes for less than .2 % of the log-likelihood, or does not for more."""
    winner = trial(lambda m: -1000.0 + (gain if m.gate.l2 < 1.0 else -50.0 * (m.gate.l2 > 1.0)))
    winner.advance(4, Monitor())
    changed = _adjust_once(Tuning(None, 30, Monitor()), winner, ["gate_l2"])
    assert changed == (kept < 1.0)
    assert winner.settings.gate_l2 == winner.mixture.gate.l2 == pytest.approx(kept)


def test_rounds_add_up_to_the_iterations():
    for max_iter in (1, 4, 30, 100):
        assert sum(rounds(max_iter)) == max_iter
    assert below(-100.0, 0.1) == pytest.approx(-110.0)

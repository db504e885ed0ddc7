"""Fits stop when their time is up, and only those inside the limit."""

import pytest

from setwise.learning.progress.monitor import Monitor, current_monitor
from setwise.learning.progress.time_limit import OutOfTime, check_time, time_limit


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def run_steps(clock, task):
    """Steps of a second each, at most 3.5 of them; return those that were done and whether the time was up."""
    done = []
    try:
        with time_limit(3.5, clock), Monitor():
            current_monitor().task(task)
            for step in current_monitor().steps("steps", range(10)):
                clock.now += 1.0
                done.append(step)
    except OutOfTime:
        return done, True
    return done, False


@pytest.mark.parametrize("task", ["", "a fit around"])
def test_steps_stop_when_the_time_is_up(task):
    """Red if a fit runs on, also inside another task, or stops a step early."""
    assert run_steps(Clock(), task) == ([0, 1, 2, 3], True)


def test_the_limit_ends_with_its_context():
    clock = Clock()
    with time_limit(1.0, clock):
        pass
    clock.now = 5.0
    check_time()
    with time_limit(float("inf"), clock):
        check_time()


def test_the_inner_of_two_limits_counts_inside():
    clock = Clock()
    with time_limit(10.0, clock):
        with time_limit(1.0, clock):
            clock.now = 2.0
            with pytest.raises(OutOfTime):
                check_time()
        check_time()

"""Threads of the kernels, in separate processes: some of these cases kill a process that gets them wrong."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from setwise import kernels

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "src/setwise/kernels/native"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
CASES = [
    "survives_threads_that_do_not_start",
    "throws_what_a_helper_throws",
    "throws_what_the_caller_throws",
    "keeps_its_threads",
    "works_after_a_fork",
    "serves_two_callers",
    "allows_calls_inside_calls",
]

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits a process as Linux does")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("no C++ compiler found")
    path = tmp_path_factory.mktemp("parallel") / "parallel"
    options = ["-std=c++17", "-O1", "-pthread", "-I", str(NATIVE)]
    subprocess.run([COMPILER, *options, str(HERE / "parallel.cpp"), "-o", str(path), "-ldl"], check=True)
    return path


@linux
@pytest.mark.parametrize("case", CASES)
def test_parallel_blocks(program, case):
    """Red if a thread that cannot be started ends the process or loses blocks, an exception stays in its thread, the
    threads of the parent are awaited after a fork, or two calls share one job."""
    assert subprocess.run([program, case], timeout=120).returncode == 0


NO_ROOM_FOR_STACKS = """
import resource
import numpy as np
from setwise import kernels

rng = np.random.default_rng(0)
logits, parents = rng.normal(size=(3000, 2, 5, 1)), np.full((2, 5), -1, np.int32)
forests = logits, parents, np.tile(np.arange(5, dtype=np.int32), (2, 1))
kernels.set_threads(1)
expected = kernels.implementation.forest_marginals(*forests)
kernels.set_threads(8)
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (2 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
assert np.array_equal(kernels.implementation.forest_marginals(*forests), expected)
"""


@linux
@pytest.mark.skipif(not kernels.COMPILED, reason="the compiled kernels were not built")
def test_a_process_without_memory_for_threads_still_answers():
    """Red if the exception of a thread that gets no stack ends the process."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", NO_ROOM_FOR_STACKS], check=True, timeout=120, env=environment)

"""Small files that ask for much are refused quickly and cheaply, in every format."""

import subprocess
import sys
from pathlib import Path

from tests.datasets.bombs import bombs

SECONDS, MEGABYTES = 2.0, 500


def test_every_bomb_is_refused_within_two_seconds_and_500_megabytes(tmp_path):
    """Red if a reader believes a declared size, a compression ratio, a nesting or a line before it allocates.

    One process reads them all, so its peak memory bounds that of each.
    """
    for name, content in bombs():
        (tmp_path / name).write_bytes(content)
    paths = sorted(tmp_path.iterdir())
    assert len(paths) >= 100
    command = [sys.executable, "-m", "tests.datasets.bombs", *map(str, paths)]
    run = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    lines = [line.split("\t") for line in run.stdout.splitlines()]
    assert [line[0] for line in lines] == [path.name for path in paths], run.stderr
    for name, seconds, peak, message in lines:
        assert name in message, f"{name} was read"
        assert float(seconds) < SECONDS, (name, seconds)
        assert float(peak) < MEGABYTES, (name, peak)

from pathlib import Path

import numpy as np

from setwise.blocks import StreamedBlocks


def test_an_added_array_is_made_once_and_deleted_with_its_blocks(tmp_path, monkeypatch):
    """Red if responsibilities are computed at every visit, come from another block, or stay on the disk."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = []

    def squares(a):
        made.append(len(a))
        return a.astype(float) ** 2

    loaders = tuple(lambda n=n: (np.arange(n),) for n in (2, 0, 3))
    blocks = StreamedBlocks(loaders).through(lambda a: (a + 1,)).also(squares)
    for _ in range(3):
        assert [(a.tolist(), b.tolist()) for a, b in blocks.map(lambda a, b: (a, b))] == [
            ([1, 2], [1, 4]),
            ([], []),
            ([1, 2, 3], [1, 4, 9]),
        ]
    assert made == [2, 0, 3]
    assert len(list(Path(tmp_path).rglob("*.npy"))) == 3
    del blocks
    assert not list(tmp_path.iterdir())

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


def test_what_there_is_room_for_is_made_once():
    """Red if a block is loaded again although it is kept, or kept although there is no room."""
    loaded, made = [], []

    def load(n):
        loaded.append(n)
        return (np.arange(n),)

    def squares(a):
        made.append(len(a))
        return (a**2,)

    loaders = tuple(lambda n=n: load(n) for n in (2, 3, 4))
    blocks = StreamedBlocks(loaders, room=6 * 8).kept(squares)
    for _ in range(3):
        assert list(blocks.map(lambda a: a.tolist())) == [[0, 1], [0, 1, 4], [0, 1, 2, 3]]
    assert loaded == [2, 3, 4, 4, 4]
    assert made == [2, 3, 4]

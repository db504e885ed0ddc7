"""Feeds mutated files to every reader: ``python -m tests.datasets.fuzz 1000000 --seed 0``.

A reader may give a data set, or a ValueError that names the file; anything else, or a second's work, or more
memory than the limit, is a finding.
"""

import argparse
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from setwise.datasets import read, read_label_file

SEEDS = {
    "dense.arff": b"""% a comment
@relation 'toy: -C 2 -split-number 2' % more
@attribute 'l 1' {0,1}
@attribute l2 {no,yes}
@attribute a numeric
@attribute "b \\"c\\"" {red,'light blue',"x,y"}
@attribute d date 'yyyy-MM-dd HH:mm'
@attribute s string
@data
1,no,0.5,red,'2001-02-03 04:05',hello
0,yes,-1e-3,'light blue',?,'it\\'s, really'
?,?,?,"x,y",'1999-12-31 23:59',"q" % note
1 yes 7 red ? x
""",
    "plain.arff": b"@relation 'p: -C 1'\n@attribute y {0,1}\n@attribute a real\n@attribute b {0,1}\n@data\n"
    + b"1,0.25,0\n0,12,1\n1,?,0\n0,1e5,1\n",
    "sparse.arff": b"@relation 's: -C -2'\n@attribute a numeric\n@attribute b {x,y,z}\n@attribute y1 {0,1}\n"
    + b"@attribute y2 {0,1}\n@data\n{0 1.5,1 y,2 1}\n{}\n{ 3 1 , 0 2 }\n{1 'z', 3 ?} % end\n0,x,1,0\n",
    "toy.svm": b"0,2 1:0.5 3:-1e3\n1 2:1 # note\n1:2\n2 \n",
    "toy.txt": b"3 4 5\n0,4 0:0.5 3:1\n 1:2\n3\n",
    "toy.csv": b'size,colour,y_1,y_2\n0.5,red,1,0\n?,"light, blue",yes,no\n2,"gr""een",true,\n',
    "tags.csv": b'x,tags\n1,"b, a"\n2,\n3,b\n',
    "labels.xml": b'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    + b'<label name="a"><label name="a &amp; b"/></label>\n<label name="c"></label>\n</labels>\n',
}
LABELS = {"toy.csv": "y_*", "tags.csv": "tags"}
TOKENS = [
    *b"\n\r\t ,;:{}'\"\\%?#@<>&=/-+.eE_019\x00\xff\xc3",
    *(b"@data", b"@attribute", b"@relation", b"numeric", b"date", b"{0,1}", b"-C", b"nan", b"inf", b"1e999"),
    *(
        b"99999999999999999999",
        b"4194305",
        b"{}",
        b"\\u0041",
        b"'",
        b"<!ENTITY a 'b'>",
        b"&a;",
        b"\xef\xbb\xbf",
    ),
    *(b"\x1f\x8b", b"BZh", b"{2147483648 1}", b"1_0", "ä٣".encode(), b"@attribute q {1,0}\n", b",{5}", b"%"),
]


def mutated(rng: random.Random) -> tuple[str, bytes]:
    """A seed file with a few accidents."""
    name = rng.choice(list(SEEDS))
    text = bytearray(SEEDS[name])
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3, 6])):
        place, other = rng.randint(0, len(text)), rng.randint(0, len(text))
        action = rng.randrange(7)
        if action == 0 and text:
            text[place % len(text)] = rng.randrange(256)
        elif action == 1:
            token = rng.choice(TOKENS)
            text[place:place] = bytes([token]) if isinstance(token, int) else token
        elif action == 2:
            del text[place : place + rng.choice([1, 1, 2, 5, 20])]
        elif action == 3:
            text[place:place] = text[other : other + rng.choice([1, 5, 40, 200])]
        elif action == 4:
            source = SEEDS[rng.choice(list(SEEDS))]
            start = rng.randrange(len(source))
            text[place:place] = source[start : start + rng.choice([3, 20, 80])]
        elif action == 5 and rng.random() < 0.3:
            del text[place:]
        elif action == 6:
            lines = bytes(text).split(b"\n")
            rng.shuffle(lines) if rng.random() < 0.2 else lines.insert(place % len(lines), rng.choice(lines))
            text = bytearray(b"\n".join(lines))
    return name, bytes(text)


def outcome(name: str, text: bytes, folder: Path) -> str:
    """What became of one input; raises what a user should never see."""
    path = folder / name
    path.write_bytes(text)
    try:
        if name.endswith(".xml"):
            read_label_file(path)
        else:
            read(path, LABELS.get(name))
    except UnicodeError:
        raise
    except ValueError as error:
        if str(path) not in str(error):
            raise
        return "refused"
    return "read"


def fuzz(n_inputs: int, seed: int, progress: int = 0) -> Counter[str]:
    """Counts of what became of the inputs."""
    rng, counts = random.Random(seed), Counter[str]()
    memory = Path("/dev/shm")  # most of the time would go into writing small files to a disk
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        for done in range(n_inputs):
            name, text = mutated(rng)
            start = time.perf_counter()
            try:
                counts[outcome(name, text, Path(folder))] += 1
            except Exception:
                raise AssertionError(f"seed {seed}, input {done}: {name} {text!r}") from sys.exception()
            if time.perf_counter() - start > 1:
                counts["slow"] += 1
            if progress and (done + 1) % progress == 0:
                print(done + 1, dict(counts), flush=True)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n_inputs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))
    try:
        print("inputs", arguments.n_inputs, dict(fuzz(arguments.n_inputs, arguments.seed, progress=100_000)))
    except AssertionError:
        traceback.print_exc()
        sys.exit(1)


if __name__ == "__main__":
    main()

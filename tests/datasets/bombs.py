"""Small files that ask for much; ``python -m tests.datasets.bombs FILES`` reads them and prints what each took.

Every bomb is a few kilobytes (a few megabytes for those that are long lines) and would take gigabytes or minutes if a
reader trusted it.
"""

import bz2
import gzip
import io
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np

HUGE = 2**40
MANY = 6_000_000


def packed_texts():
    """Text that repeats itself, in both compressions, for every text format."""
    head = "@relation 'b: -C 1'\n@attribute y {0,1}\n@attribute a numeric\n@data\n"
    texts = {
        "rows.csv": (b"a,y\n", b"1,0\n"),
        "blank.csv": (b"a,y\n", b"\n"),
        "line.csv": (b"a,y\n", b"x"),
        "columns.csv": (b"", b"a,"),
        "quotes.csv": (b"a,y\n", b'"'),
        "tabs.tsv": (b"a\ty\n", b"\t"),
        "dense.arff": (head.encode(), b"1,2\n"),
        "sparse.arff": (head.encode(), b"{}\n"),
        "quoted.arff": (head.encode(), b"'1','2'\n"),
        "comments.arff": (b"", b"%\n"),
        "attributes.arff": (b"@relation x\n", b"@attribute a real\n"),
        "rows.svm": (b"", b"0 1:1\n"),
        "blank.svm": (b"", b"\n"),
        "line.svm": (b"0 ", b"1:1 "),
        "rows.txt": (b"9999999 5 5\n", b"0 0:1\n"),
        "blank.txt": (b"9999999 5 5\n", b"\n"),
        "labels.xml": (b"<labels>", b'<label name="a"/>\n'),
        "space.xml": (b"<labels>", b" "),
    }
    for name, (start, part) in texts.items():
        text = start + part * (MANY // len(part))
        yield f"gzip-{name}", gzip.compress(text)
        yield (
            f"bzip2-{name}",
            bz2.compress(start) + bz2.compress(part * (10**5 // len(part))) * (MANY // 10**5),
        )
        # the packed bomb behind ordinary bytes, and packed in two members
        if name in ("rows.csv", "dense.arff", "rows.svm"):
            yield f"two-{name}", gzip.compress(start) + gzip.compress(part * (MANY // len(part)))
            yield f"twice-{name}", gzip.compress(gzip.compress(text))


def long_lines():
    """Lines and headers without an end, not compressed."""
    yield "line.csv", b"a,y\n" + b"x" * (17 << 20)
    yield "header.csv", b"a" * (17 << 20)
    yield "columns.csv", b"," * (3 << 20) + b"\n"
    yield "columns.tsv", b"a\t" * (2 << 20) + b"\n"
    yield "line.arff", b"@relation " + b"x" * (17 << 20)
    yield "values.arff", b"@relation x\n@attribute a {" + b"v," * (2 << 20) + b"w}\n@data\n"
    yield "attributes.arff", b"@attribute a real\n" * (2 << 20) + b"@data\n"
    yield "options.arff", b"@relation '" + b":-C" * (2 << 20) + b"'\n@attribute y {0,1}\n@data\n1\n"
    yield "colons.arff", b"@relation '" + b":" * (4 << 20) + b"'\n@attribute y {0,1}\n@data\n1\n"
    yield "date.arff", b"@relation 'x: -C 1'\n@attribute d date '" + b"-" * (1 << 20) + b"'\n@data\n"
    yield "line.svm", b"0 " + b"1" * (17 << 20)
    yield "line.txt", b"1 " * (9 << 20)
    yield "name.xml", b'<labels><label name="' + b"a" * (17 << 20)
    yield "deep.xml", b"<labels>" + b"".join(b'<label name="%d">' % i for i in range(10_000))
    yield (
        "entity.xml",
        (b'<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><labels>&b;</labels>'),
    )
    yield "many.xml", b"<labels>" + b"".join(b'<label name="%d"/>' % i for i in range(900_000))


def declared_sizes():
    """Files of a few bytes that declare millions of features, labels, rows or cells."""
    for name, text in {
        "feature.svm": "0 99999999:1\n",
        "feature_18.svm": "0 999999999999999999:1\n",
        "label.svm": "99999999 1:1\n",
        "label_9.svm": "999999999999 1:1\n",
        "labels.svm": "4000000,5000000 1:1\n",
        "features.txt": "1 4000000 2\n0 0:1\n",
        "labels.txt": "1 2 4000000\n0 0:1\n",
        "both.txt": "1 999999999999 999999999999\n0 0:1\n",
        "rows.txt": "999999999999 2 2\n0 0:1\n",
    }.items():
        yield name, text.encode()
    head = "@relation 'x: -C -1'\n"
    flipped = "".join(f"@attribute a{i} {{1,0}}\n" for i in range(1000)) + "@attribute y {0,1}\n@data\n"
    yield "flipped.arff", (head + flipped + "{}\n" * 100_000).encode()
    values = ",".join(f"v{i}" for i in range(20_000))
    missing = f"@attribute a {{{values}}}\n@attribute y {{0,1}}\n@data\n"
    yield "missing.arff", (head + missing + "?,1\n" * 20_000).encode()
    labels = "".join(f"@attribute y{i} {{1,0}}\n" for i in range(1000)) + "@data\n"
    yield "labels.arff", ("@relation 'x: -C 1000'\n" + labels + "{}\n" * 100_000).encode()
    yield "index.arff", (head + "@attribute a real\n@attribute y {0,1}\n@data\n{99999999 1}\n").encode()
    yield "tags.csv", b"a,y\n" + b"".join(b"1,t%d\n" % i for i in range(100_000))


def npy(shape, dtype="<f8", data=b"", version=(1, 0)):
    """A .npy member that declares any shape and type."""
    header = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape!r}, }}".encode() + b"\n"
    size = struct.pack("<H" if version == (1, 0) else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + size + header + data


def npz(method=zipfile.ZIP_DEFLATED, level=6, **members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method, compresslevel=level) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return out.getvalue()


def csr(shape, n=1, index="<i8"):
    place = np.zeros(n, dtype=index).tobytes()
    return {
        "X_data": npy((n,), data=np.ones(n).tobytes()),
        "X_indices": npy((n,), index, place),
        "X_indptr": npy((2,), "<i8", np.array([0, n]).tobytes()),
        "X_shape": npy((2,), "<i8", np.array(shape).tobytes()),
    }


def archives():
    """Archives of arrays whose headers, shapes, types or compressions ask for more than they hold."""
    Y = npy((1, 1), "|i1", b"\1")
    zeros, few = bytes(68 << 20), bytes(1 << 20)
    yield "shape.npz", npz(X=npy((HUGE, 8)), Y=Y)
    yield "flat.npz", npz(X=npy((HUGE,)), Y=Y)
    yield "negative.npz", npz(X=npy((-1, 8)), Y=Y)
    yield "empty.npz", npz(X=npy((2**62, 0)), Y=npy((2**62, 0), "|i1"))
    yield "overflow.npz", npz(X=npy((2**33, 2**33)), Y=Y)
    yield "text.npz", npz(X=npy((1, 1), data=bytes(8)), Y=Y, label_names=npy((1,), "<U500000000"))
    yield "void.npz", npz(X=npy((1, 1), "|V2000000000"), Y=Y)
    yield "object.npz", npz(X=npy((1, 1), "|O"), Y=Y)
    yield "version.npz", npz(X=npy((HUGE, 8), version=(3, 0)), Y=Y)
    yield "second.npz", npz(X=npy((HUGE, 8), version=(2, 0)), Y=Y)
    yield "header.npz", npz(X=npy(tuple([1] * 5000)), Y=Y)
    yield "zeros.npz", npz(X=npy((68, 131072), data=zeros), Y=Y)
    yield "zeros_stored_twice.npz", npz(X=npz(X=npy((68, 131072), data=zeros)), Y=Y)
    yield "bzip.npz", npz(zipfile.ZIP_BZIP2, X=npy((1, 131072), data=few), Y=Y)
    yield "lzma.npz", npz(zipfile.ZIP_LZMA, X=npy((1, 131072), data=few), Y=Y)
    yield "lzma_small.npz", npz(zipfile.ZIP_LZMA, X=npy((1, 1), data=bytes(8)), Y=Y)
    yield "names.npz", npz(X=npy((1, 1), data=bytes(8)), Y=Y, label_names=npy((1,), "<U17825792", zeros))
    yield "columns.npz", npz(**csr([1, 10**12]), Y=Y)
    yield "rows.npz", npz(**csr([10**12, 5]), Y=Y)
    yield "both.npz", npz(**csr([2**62, 2**62]), Y=Y)
    yield "dense_columns.npz", npz(X=npy((1, 2**22), "|i1", bytes(2**22)), Y=Y)
    yield "label_columns.npz", npz(X=npy((1, 1), data=bytes(8)), Y=npy((1, 2**22), "|i1", bytes(2**22)))
    yield (
        "many.npz",
        npz(**{f"m{i}": npy((1 << 20,), "|i1", bytes(1 << 20)) for i in range(80)}, X=Y, Y=Y),
    )
    lying = bytearray(npz(X=npy((68, 1 << 17), data=zeros), Y=Y))
    place = lying.index(b"PK\x01\x02")
    lying[place + 24 : place + 28] = struct.pack("<I", 1000)  # the unpacked size that the directory declares
    yield "lying.npz", bytes(lying)
    yield "crc.npz", npz(X=npy((1, 1), data=bytes(8)), Y=Y)[:-60]


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def thrift(fields):
    """A struct of the compact protocol: integers, byte strings, structs and lists of structs, by field number."""
    out, last = bytearray(), 0
    for number, value in sorted(fields.items()):
        kind = (
            6
            if isinstance(value, int)
            else 8
            if isinstance(value, bytes)
            else 12
            if isinstance(value, dict)
            else 9
        )
        out += bytes([(number - last) << 4 | kind])
        last = number
        if kind == 6:
            out += varint(value << 1 ^ value >> 63)
        elif kind == 8:
            out += varint(len(value)) + value
        elif kind == 12:
            out += thrift(value)
        else:
            out += (
                bytes([15 << 4 | 12]) + varint(len(value)) + b"".join(map(_items(value).get, map(id, value)))
            )
    return bytes(out) + b"\0"


def _items(values):
    """Structs by their identity: a list may have one of them a million times."""
    return {id(value): thrift(value) for value in {id(value): value for value in values}.values()}


GZIP = 2


def parquet(
    rows=1, values=1, page_values=1, unpacked=None, data=b"\2\0\0\0\2\1" + bytes(8), schema=None, footer=None
):
    """A file of one column of 64-bit integers, whose counts and sizes may lie."""
    body = zlib.compress(data, 1, wbits=31)
    header = thrift(
        {
            1: 0,
            2: len(data) if unpacked is None else unpacked,
            3: len(body),
            5: {1: page_values, 2: 0, 3: 3, 4: 3},
        }
    )
    chunk = header + body
    about = {1: 2, 2: [], 3: [], 4: GZIP, 5: values, 6: len(chunk), 7: len(chunk), 9: 4}
    names = schema or [{4: b"root", 5: 1}, {1: 2, 3: 0, 4: b"a"}]
    content = footer or thrift({1: 1, 2: names, 3: rows, 4: [{1: [{2: 4, 3: about}], 2: 100, 3: rows}]})
    return b"PAR1" + chunk + content + struct.pack("<I", len(content)) + b"PAR1"


def parquets():
    """Parquet files whose footers, pages or schemas ask for more than they hold."""
    yield "rows.parquet", parquet(rows=10**12)
    yield "values.parquet", parquet(values=10**12)
    yield "page_values.parquet", parquet(page_values=2**31 - 1)
    yield "page.parquet", parquet(unpacked=2**31 - 1)
    yield "negative.parquet", parquet(unpacked=-5)
    yield "zeros.parquet", parquet(rows=5 << 20, values=5 << 20, page_values=5 << 20, data=bytes(40 << 20))
    deep = [{4: b"g", 5: 1} for _ in range(5000)] + [{1: 2, 3: 0, 4: b"a"}]
    yield "deep.parquet", parquet(schema=deep)
    yield "wide.parquet", parquet(schema=[{4: b"root", 5: 2**21}, *[{1: 2, 3: 0, 4: b"a"}] * 2**21])
    yield "children.parquet", parquet(schema=[{4: b"root", 5: 2**31 - 1}, {1: 2, 3: 0, 4: b"a"}])
    yield "list.parquet", parquet(footer=b"\x19" + b"\xfc" + varint(2**40) + b"\0")
    yield "nested.parquet", parquet(footer=b"\x1c" * 100_000)
    yield "string.parquet", parquet(footer=b"\x18" + varint(2**60) + b"\0")
    yield "footer.parquet", b"PAR1" + bytes(100) + struct.pack("<I", 2**32 - 1) + b"PAR1"


def bombs():
    """Every bomb by name; the end of the name is the format."""
    for family in (packed_texts, long_lines, declared_sizes, archives, parquets):
        for name, content in family():
            yield f"{family.__name__}-{name}", content


def detonate(path):
    """Read a file; the message of the ValueError that comes of it, or None if it is read."""
    from setwise.datasets import read, read_label_file

    labels = {".csv": "y", ".tsv": "y", ".parquet": ["a"]}.get(path.suffix)
    try:
        read_label_file(path) if path.suffix == ".xml" else read(path, labels)
    except ValueError as error:
        return str(error)
    return None


def peak_megabytes():
    """Peak memory of this process; getrusage would count that of the process which started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main():
    """Detonate the files named on the command line, and print what each took."""
    import time

    import polars

    import setwise.datasets  # noqa: F401, what is measured begins after the imports

    assert polars
    for path in map(Path, sys.argv[1:]):
        start = time.process_time()
        message = detonate(path)
        seconds, peak = time.process_time() - start, peak_megabytes()
        print(
            path.name, f"{seconds:.3f}", f"{peak:.0f}", " ".join(str(message).split()), sep="\t", flush=True
        )


if __name__ == "__main__":
    main()

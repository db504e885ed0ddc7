"""Files with something wrong in them, and the check that all wrong command lines pass."""

from setwise.cli import main

FILES = {
    "empty.csv": b"",
    "empty.arff": b"",
    "empty.svm": b"",
    "empty.txt": b"",
    "empty.npz": b"",
    "empty.parquet": b"",
    "empty.setwise": b"",
    "header_only.csv": b"a,b,red,round\n",
    "binary.csv": bytes(range(256)) * 20,
    "binary.arff": bytes(range(256)) * 20,
    "binary.svm": bytes(range(256)) * 20,
    "binary.npz": bytes(range(256)) * 20,
    "binary.parquet": bytes(range(256)) * 20,
    "binary.setwise": bytes(range(256)) * 20,
    "utf16.csv": "a,b,red,round\n1,2,0,1\n".encode("utf-16"),
    "text.setwise": b"hello\n",
    "zip.setwise": b"PK\x03\x04" + bytes(300),
    "ragged.csv": b"a,b,red,round\n1,2,0,1\n1,2,0\n",
    "quote.csv": b'a,b,red,round\n1,"2,0,1\n',
    "words.csv": b"a,b,red,round\nbig,2,0,1\n3,2,1,1\n4,2,1,1\n",
    "no_labels.csv": b"a,b\n1,2\n3,4\n",
    "one_label.csv": b"a,b,red\n1,2,0\n3,4,1\n",
    "other_columns.csv": b"c,d,red,round\n1,2,0,1\n3,4,1,0\n",
    "label_of_three.csv": b"a,b,red,round\n1,2,0,2\n3,4,1,0\n",
    "classes.csv": b"a,b,class\n1,2,0\n3,4,1\n5,6,2\n",
    "label_in_words.csv": b"a,b,red,round\n1,2,maybe,0\n3,4,1,0\n",
    "missing_label.csv": b"a,b,red,round\n1,2,?,0\n3,4,1,0\n5,6,0,1\n",
    "missing_feature.csv": b"a,b,red,round\n?,2,1,0\n3,4,1,0\n5,6,0,1\n",
    "infinite.csv": b"a,b,red,round\ninf,2,1,0\n3,4,1,0\n5,6,0,1\n",
    "one_column.csv": b"red\n1\n0\n",
    "only_labels.csv": b"red,round\n1,0\n0,1\n",
    "twice.csv": b"a,a,red,red\n1,2,0,1\n",
    "same_ids.csv": b"a,b,id,id\n1,2,x,y\n",
    "no_data.arff": b"@relation 'x: -C 1'\n@attribute red {0,1}\n@attribute a numeric\n",
    "no_labels.arff": b"@relation x\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n",
    "broken.arff": b"@relation 'x: -C 1'\n@attribute red {0,1}\n@attribute a numeric\n@data\n1,fast\n",
    "wrong_number.arff": b"@relation 'x: -C 9'\n@attribute red {0,1}\n@attribute a numeric\n@data\n1,1\n",
    "twice.arff": b"@relation 'x: -C 1'\n@attribute y {0,1}\n@attribute a real\n@attribute a real\n@data\n1,1,1\n",
    "broken.svm": b"0 1:x\n",
    "too_many.svm": b"0,1,2,3 1:1 2:2 9:9\n",
    "bomb.svm": b"0 99999999:1\n",
    "broken.txt": b"not a header\n",
    "broken.gz.csv": b"\x1f\x8b\x08\x00broken",
    "unknown.xyz": b"1 2 3\n",
    "nothing": b"1 2 3\n",
    "bad.xml": b"<labels><label></labels>",
}


def check_wrong_usage(arguments, folder, capsys):
    """Run a wrong command line: exit code 2, one line that helps, no traceback, no file changed."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    try:
        code = main(arguments)
    except SystemExit as exit:  # argparse
        code = exit.code
    printed = capsys.readouterr().err
    assert code == 2
    assert "Traceback" not in printed
    last = [line for line in printed.splitlines() if line][-1]
    assert last.startswith("setwise") and len(last) > 30  # noqa: PT018
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    return last

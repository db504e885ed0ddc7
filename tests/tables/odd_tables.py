"""Tables as people have them: each gives a model, or one line that says what to do."""

from __future__ import annotations

import gzip


def rows(n, make):
    return "".join(make(i) for i in range(n))


PLAIN = "a,b,tags\n" + rows(40, lambda i: f"{i % 7},{'xyz'[i % 3]},{'p;q' if i % 2 else 'q'}\n")
TEXT = "note,y,z\n" + rows(
    40, lambda i: f"the {'red' if i % 2 else 'blue'} ball number {i},{i % 2},{i % 3 == 0:d}\n"
)


def table(header, make, n=40):
    return f"{header}\n" + rows(n, make)


# name: (content, options of fit); a model is expected
GOOD = {
    "plain": (PLAIN, ["--labels", "tags"]),
    "utf-8 with a mark": ("\ufeff" + PLAIN, ["--labels", "tags"]),
    "latin-1": (PLAIN.replace("x", "é").encode("latin-1"), ["--labels", "tags"]),
    "windows lines": (PLAIN.replace("\n", "\r\n"), ["--labels", "tags"]),
    "no last newline": (PLAIN.rstrip("\n"), ["--labels", "tags"]),
    "compressed": (gzip.compress(PLAIN.encode()), ["--labels", "tags"]),
    "semicolons": (table("a;y", lambda i: f"{i};{i % 2}\n"), ["--labels", "y", "--delimiter", ";"]),
    "tabs": (table("a\ty", lambda i: f"{i}\t{i % 2}\n"), ["--labels", "y", "--delimiter", "\\t"]),
    "bars": (table("a|y", lambda i: f"{i}|{i % 2}\n"), ["--labels", "y", "--delimiter", "|"]),
    "decimal commas": (
        table("a;y", lambda i: f"{i},5;{i % 2}\n"),
        ["--labels", "y", "--delimiter", ";", "--decimal", ","],
    ),
    "quotes": (table("a,n,y", lambda i: f'{i},"say ""{i}"", then go",{i % 2}\n'), ["--labels", "y"]),
    "newlines in cells": (
        table("n,y", lambda i: f'"line {i}\nand a second one",{i % 2}\n'),
        ["--labels", "y"],
    ),
    "emoji": (
        table("n,y", lambda i: f"great day {'😀' if i % 2 else '😢'} number {i},{i % 2}\n"),
        ["--labels", "y"],
    ),
    "emoji names": (table("😀,🏷", lambda i: f"{i},{i % 2}\n"), ["--labels", "🏷"]),
    "html": (table("n,y", lambda i: f"<p>some <b>{i}</b> &amp; more words</p>,{i % 2}\n"), ["--labels", "y"]),
    "script": (table("n,y", lambda i: f"<script>alert({i})</script> and words,{i % 2}\n"), ["--labels", "y"]),
    "chinese": (table("n,y", lambda i: f"我想要退款第{i}次因为商品坏了,{i % 2}\n"), ["--labels", "y"]),
    "arabic": (table("n,y", lambda i: f"أريد استرداد أموالي رقم {i},{i % 2}\n"), ["--labels", "y"]),
    "formulas": (table("n,y", lambda i: f"=1+{i} is a formula {i},{i % 2}\n"), ["--labels", "y"]),
    "one label": (table("a,y", lambda i: f"{i},{i % 2}\n"), ["--labels", "y"]),
    "a label that is always on": (table("a,y,z", lambda i: f"{i},1,{i % 2}\n"), ["--labels", "y", "z"]),
    "a label that is never on": (table("a,y,z", lambda i: f"{i},0,{i % 2}\n"), ["--labels", "y", "z"]),
    "unknown labels": (
        table("a,y,z", lambda i: f"{i},{'' if i % 5 else 1},{i % 2}\n"),
        ["--labels", "y", "z"],
    ),
    "a missing column": (table("a,b,y", lambda i: f"{i},,{i % 2}\n"), ["--labels", "y"]),
    "missing cells": (
        table("a,b,y", lambda i: f"{i if i % 3 else ''},{'' if i % 4 else 'u'},{i % 2}\n"),
        ["--labels", "y"],
    ),
    "missing words": (table("a,y", lambda i: f"{i if i % 3 else 'N/A'},{i % 2}\n"), ["--labels", "y"]),
    "constants": (table("a,b,y", lambda i: f"{i},same,{i % 2}\n"), ["--labels", "y"]),
    "identifiers": (table("user_id,a,y", lambda i: f"u-{i:05d},{i},{i % 2}\n"), ["--labels", "y"]),
    "row numbers": ("," + PLAIN.replace("\n", "\n1,")[: -len("1,")], ["--labels", "tags"]),
    "dates": (
        table("d,a,y", lambda i: f"2024-{1 + i % 12:02d}-{1 + i % 28:02d},{i},{i % 2}\n"),
        ["--labels", "y"],
    ),
    "times": (
        table("d,y", lambda i: f"2024-01-{1 + i % 28:02d} {i % 24:02d}:30:00,{i % 2}\n"),
        ["--labels", "y"],
    ),
    "german dates": (
        table("d,y", lambda i: f"{1 + i % 28:02d}.{1 + i % 12:02d}.2024,{i % 2}\n"),
        ["--labels", "y"],
    ),
    "prices": (table("p,y", lambda i: f'"${i},000.50",{i % 2}\n'), ["--labels", "y"]),
    "percent": (table("p,y", lambda i: f"{i}%,{i % 2}\n"), ["--labels", "y"]),
    "booleans": (table("b,a,y", lambda i: f"{'yes' if i % 3 else 'no'},{i},{i % 2}\n"), ["--labels", "y"]),
    "json tags": (
        table("a,t", lambda i: f'{i},"[""p"", ""q""]"\n' if i % 2 else f"{i},[]\n"),
        ["--labels", "t"],
    ),
    "python tags": (
        table("a,t", lambda i: f"{i},\"['p', 'q']\"\n" if i % 2 else f"{i},['q']\n"),
        ["--labels", "t"],
    ),
    "spaced tags": (
        table("a,t", lambda i: f"{i},{'p q' if i % 2 else 'q r'}\n"),
        ["--labels", "t", "--tag-separator", " "],
    ),
    "number tags": (table("a,t", lambda i: f"{i},{i % 3}\n"), ["--labels", "t", "--tag-separator", ","]),
    "rare tags": (PLAIN + "1,x,rare\n", ["--labels", "tags", "--min-rows", "2"]),
    "tags as features": (table("t,y", lambda i: f"{'a|b' if i % 2 else 'b|c'},{i % 2}\n"), ["--labels", "y"]),
    "vectors": (table("v,y", lambda i: f'"[{i}.5, {i % 3}]",{i % 2}\n'), ["--labels", "y"]),
    "many categories": (table("c,y", lambda i: f"c{i % 60},{i % 2}\n", 300), ["--labels", "y"]),
    "skewed numbers": (table("a,y", lambda i: f"{10 ** (i % 9)},{i % 2}\n"), ["--labels", "y"]),
    "huge numbers": (table("a,y", lambda i: f"{i}e90,{i % 2}\n"), ["--labels", "y"]),
    "chosen kinds": (TEXT, ["--labels", "y", "z", "--columns", "note=text"]),
    "few rows": (table("a,y", lambda i: f"{i},{i % 2}\n", 4), ["--labels", "y"]),
    "equal rows": ("a,b,y,z\n" + "1,2,1,0\n" * 20 + "2,2,0,1\n", ["--labels", "y", "z"]),
    "names with spaces": (table("a b,c=d,y", lambda i: f"{i},{i % 3},{i % 2}\n"), ["--labels", "y"]),
}

# name: (content, options of fit, what the line says)
BAD = {
    "utf-16": (PLAIN.encode("utf-16"), ["--labels", "tags"], "save the file as UTF-8"),
    "nothing": ("", ["--labels", "y"], "header"),
    "a header only": ("a,y\n", ["--labels", "y"], "has no rows"),
    "no header": (rows(9, lambda i: f"{i}.5,{i % 2}\n"), ["--labels", "y"], "header line with the names"),
    "all missing": (table("a,b,y", lambda i: f",,{i % 2}\n"), ["--labels", "y"], "0 features"),
    "ragged": ("a,y\n1,0\n2\n", ["--labels", "y"], "expected 2 fields, found 1"),
    "another delimiter": (
        table("a;y", lambda i: f"{i};{i % 2}\n"),
        ["--labels", "y"],
        "pass --delimiter ';'",
    ),
    "no such label": (PLAIN, ["--labels", "tag"], "no column matches"),
    "a word among numbers": (
        table("a,y", lambda i: f"{i if i != 30 else 'tall'},{i % 2}\n"),
        ["--labels", "y"],
        "expected a number in column 'a', found 'tall'",
    ),
    "three classes": (table("a,y", lambda i: f"{i},{i % 3}\n"), ["--labels", "y"], "if each number is a tag"),
    "rare tags only": (PLAIN, ["--labels", "tags", "--min-rows", "99"], "no label has 99 rows"),
    "two columns of one name": (
        table("a,a,y", lambda i: f"{i},1,{i % 2}\n"),
        ["--labels", "y"],
        "2 columns are called 'a'",
    ),
    "an unknown kind": (PLAIN, ["--labels", "tags", "--columns", "a=word"], "expected NAME=KIND"),
}

# name: (table to predict, what the line says or None); the model is that of TRAINED
COLOURS = ["red", "blue", "green"]
TRAINED = table(
    "size,colour,when,note,tags",
    lambda i: (
        f"{i}.5,{COLOURS[i % 3]},2023-{1 + i % 12:02d}-11,note of {i} {i % 3},{'p;q' if i % 2 else 'q'}\n"
    ),
)
NEW = {
    "reordered": ("note,when,colour,size\nsome note,2023-05-11,red,3\n", None),
    "more columns": ("size,colour,when,note,more\n3,red,2023-05-11,some note,1\n", None),
    "a new category": ("size,colour,when,note\n3,pink,2023-05-11,some note\n", None),
    "a new year": ("size,colour,when,note\n3,red,2031-05-11,some note\n", None),
    "empty cells": ("size,colour,when,note\n,,,\n", None),
    "renamed": (
        "sizes,colour,when,note\n3,red,2023-05-11,some note\n",
        "column 'size' of the training table is missing",
    ),
    "a word for a number": (
        "size,colour,when,note\nbig,red,2023-05-11,n\n",
        "expected a number in column 'size', found 'big'",
    ),
    "no date": ("size,colour,when,note\n3,red,soon,n\n", "expected a date in column 'when', found 'soon'"),
    "no rows": ("size,colour,when,note\n", "the data have no rows"),
}

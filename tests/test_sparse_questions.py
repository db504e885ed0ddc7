"""Whether a matrix is sparse is asked in one place."""

import ast
from pathlib import Path

import setwise

HOME = Path(setwise.__file__).parent
ALLOWED = (
    "kernels/matrices/",
    "kernels/reference/",
    # Readers and writers make or spell out CSR, whose layout is that of their files.
    "datasets/arff/rows.py",
    "datasets/libsvm.py",
    "datasets/npz.py",
    "datasets/writing.py",
    "tables/encode.py",
    # Columns of categories, tags and words are made as CSR.
    "tables/columns/",
    # Model files hold sparse arrays by their parts.
    "persistence/encoding.py",
    "persistence/registry.py",
    # Other libraries take matrices of SciPy; one of these files runs without setwise.
    "evaluation/peers/",
    # Temporary files of blocks hold CSR in SciPy's format.
    "blockwise/tables.py",
    # The features of a large table, before there are any.
    "cli/unencoded.py",
)
QUESTIONS = {"issparse", "isspmatrix", "isspmatrix_csr"}


def uses_sparse(tree):
    """Whether code imports scipy.sparse (its graph algorithms apart) or asks whether a matrix is sparse."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(a.name == "scipy.sparse" for a in node.names):
            return True
        if isinstance(node, ast.ImportFrom):
            if node.module == "scipy.sparse":
                return True
            if node.module == "scipy" and any(a.name == "sparse" for a in node.names):
                return True
        if (
            isinstance(node, ast.Name | ast.Attribute)
            and getattr(node, "attr", getattr(node, "id", "")) in QUESTIONS
        ):
            return True
    return False


def test_only_the_matrix_operations_know_of_sparse_matrices():
    """Red if a module outside the list asks whether X is sparse instead of calling an operation on both storages."""
    files = {path.relative_to(HOME).as_posix(): path for path in HOME.rglob("*.py")}
    asking = {
        name for name, path in files.items() if uses_sparse(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert {name for name in asking if not name.startswith(ALLOWED)} == set()
    unused = {allowed for allowed in ALLOWED if not any(name.startswith(allowed) for name in asking)}
    assert unused == set(), "these ask no longer: take them out of the list"

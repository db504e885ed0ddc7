"""Pages are self-contained, names on them are inert, and models that a page cannot compute with are refused."""

import json
import re
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest
import scipy.sparse
from sklearn.tree import DecisionTreeClassifier

from setwise import BinaryRelevance, MLkNN, save
from setwise.cli import main
from setwise.errors import InputError
from setwise.web.standalone import export_page

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def model():
    return BinaryRelevance(l2=1.0).fit(np.eye(4), [["sea", HOSTILE], ["sand"], ["sea"], [HOSTILE]])


def test_nothing_is_fetched_and_only_its_own_script_may_run(model):
    """Red if the page names another host, or if its policy does not match its script and style to the letter."""
    page = export_page(model, np.eye(4))
    markup = re.sub(r'id="data">.*?</script>', "", page, flags=re.DOTALL)
    assert not re.search(r"https?://|src=|@import|url\(", markup)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", page, flags=re.DOTALL)[1]
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy


def test_hostile_names_stay_data(model):
    """Red if a name of a label, row, feature or the title can end the element it stands in."""
    page = export_page(model, np.eye(4), row_names=[HOSTILE] * 4, feature_names=[HOSTILE] * 4, title=HOSTILE)
    assert page.count("<script") == 2
    assert "<img" not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)[1])
    assert data["title"] == HOSTILE
    assert HOSTILE in data["model"]["labels"]


def test_sparse_rows_bring_only_their_columns():
    """Red if a page of a text model carries the coefficients of words that no row has."""
    X = scipy.sparse.random_array((30, 2000), density=0.01, rng=0, format="csr")
    model = BinaryRelevance(l2=1.0).fit(X, np.arange(30)[:, None] % [2, 3] == 0)
    page = export_page(model, X[:2])
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, flags=re.DOTALL)[1])
    assert len(data["features"]) == len(np.unique(X[:2].indices)) < 100
    assert not data["editable"]


def test_a_model_of_another_kind_is_refused_with_those_that_work(tmp_path, capsys):
    """Red if a page is written whose numbers would be wrong, or if the error does not say what to use."""
    X, Y = np.arange(12.0)[:, None], np.arange(12)[:, None] % [2, 3] == 0
    with pytest.raises(InputError, match=r"MLkNN.*ConditionalTree"):
        export_page(MLkNN(2).fit(X, Y))
    with pytest.raises(InputError, match="logistic"):
        export_page(BinaryRelevance(DecisionTreeClassifier()).fit(X, Y))
    save(MLkNN(2).fit(X, Y), tmp_path / "model.setwise")
    assert main(["export", str(tmp_path / "model.setwise"), "-o", str(tmp_path / "page.html")]) == 2
    assert "BinaryRelevance" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_the_command_writes_the_page(tmp_path):
    """Red if a model from the command line cannot be exported with rows of its table."""
    table = tmp_path / "table.csv"
    table.write_text(
        "a,kind,tags\n" + "\n".join(f"{i % 7},{'xy'[i % 2]},{'p;q' if i % 3 else 'q'}" for i in range(40))
    )
    model, page = str(tmp_path / "model.setwise"), tmp_path / "page.html"
    assert main(["fit", str(table), "--labels", "tags", "--model", "br", "-o", model]) == 0
    assert main(["export", model, str(table), "-o", str(page), "--title", "My tags"]) == 0
    text = page.read_text(encoding="utf-8")
    assert '"title":"My tags"' in text
    assert "kind" in text

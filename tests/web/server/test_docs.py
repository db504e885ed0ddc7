"""The clients of docs/server.md, run against a server."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import setwise
from tests.web.running import Running

PAGE = Path(__file__).parents[3] / "docs/server.md"
SETS = [["sand"], ["sand", "sea"], ["sea"], ["sea"], ["sand"]]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture(scope="module")
def beach(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beach")
    X = [[0.0, 1.0], [1.0, 1.0], [2.0, 0.5], [3.0, 0.0], [0.5, 0.2]]
    setwise.save(setwise.ConditionalTree(l2=1.0).fit(X, SETS), folder / "beach.setwise")
    with Running(str(folder), log=folder / "log") as server:
        yield server


def at(server, code):
    return code.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")


def test_the_python_client_runs(beach):
    (code,) = blocks("py")
    done = subprocess.run(
        [sys.executable, "-c", at(beach, code)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[") == 2


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_curl_commands_run(beach):
    for code in blocks("bash"):
        done = subprocess.run(["bash", "-c", at(beach, code)], capture_output=True, text=True, timeout=120)
        assert '"certified"' in done.stdout, done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_curl_command_of_the_tour_runs(tmp_path):
    """Red if the tickets of the tour are not answered over HTTP as its page says."""
    encoder = setwise.TableEncoder(columns={"message": "text", "plan": "category"})
    table = {
        "message": ["charged twice", "my card money back", "cannot login", "login code"] * 5,
        "plan": ["pro", "free"] * 10,
    }
    tags = [["billing"], ["billing", "refund"], ["login"], ["login"]] * 5
    setwise.save(
        setwise.make_set_pipeline(encoder, setwise.ConditionalTree(l2=1.0)).fit(table, tags),
        tmp_path / "tickets.setwise",
    )
    (code,) = re.findall(
        r"```bash\n(.*?)```", PAGE.with_name("own_texts.md").read_text(encoding="utf-8"), re.DOTALL
    )
    with Running(str(tmp_path), log=tmp_path / "log") as server:
        done = subprocess.run(["bash", "-c", at(server, code)], capture_output=True, text=True, timeout=120)
    assert '"labels": ["billing"' in done.stdout.replace('":[', '": ['), done.stdout


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_javascript_client_runs(beach, tmp_path):
    (code,) = blocks("js")
    (tmp_path / "client.mjs").write_text(at(beach, code))
    done = subprocess.run(["node", tmp_path / "client.mjs"], capture_output=True, text=True, timeout=120)
    assert "log_probability" in done.stdout, done.stderr


def test_the_page_names_every_question_and_limit(beach):
    text = PAGE.read_text(encoding="utf-8")
    paths = beach.get("/openapi.json").data["paths"]
    questions = [path.rpartition("/")[2] for path in paths if path.startswith("/api/models/{name}/")]
    assert all(f"/api/models/beach/{question}`" in text for question in questions)

"""What a server may be started with."""

import pytest

from setwise.cli import main
from setwise.errors import InputError
from setwise.web.server.metrics import Metrics
from setwise.web.server.models import Models
from setwise.web.server.settings import Settings
from tests.web.models import save_tree


def test_other_machines_need_a_token(monkeypatch, tmp_path, capsys):
    """Red if the server could listen beyond this machine by accident."""
    monkeypatch.delenv("SETWISE_TOKEN", raising=False)
    save_tree(tmp_path)
    assert main(["serve", str(tmp_path), "--host", "0.0.0.0"]) == 2
    assert "--token-file" in capsys.readouterr().err
    monkeypatch.setenv("SETWISE_TOKEN", "short")
    with pytest.raises(InputError, match="16 characters"):
        Settings(("a",), host="0.0.0.0").check()
    monkeypatch.setenv("SETWISE_TOKEN", "long-enough-for-a-token")
    Settings(("a",), host="0.0.0.0").check()
    assert Settings(("a",), host="0.0.0.0").allowed_hosts() is None
    assert Settings(("a",), hosts=("beach.example:80",)).allowed_hosts() >= {"localhost", "beach.example"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.setwise"], "no such model file"),
        (["empty"], "no .setwise file"),
        (["empty/damaged.txt"], "damaged.txt"),
        (["models", "--workers", "0"], "workers"),
        (["models", "--max-seconds", "nan"], "seconds"),
        (["models", "--token-file", "empty/none"], "none"),
        (["models", "--port", "70000"], "port"),
        (["models", "models/tree.setwise"], "rename one"),
    ],
)
def test_wrong_options_are_explained(tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    for name in ("models", "empty"):
        (tmp_path / name).mkdir()
    save_tree(tmp_path / "models")
    (tmp_path / "empty/damaged.txt").write_text("no model")
    assert main(["serve", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_is_more_than_its_first_files(tmp_path):
    save_tree(tmp_path, "first")
    models = Models([str(tmp_path)])
    save_tree(tmp_path, "second", l2=5.0)
    (tmp_path / "third.setwise").write_bytes(b"PK no")
    models.refresh()
    assert [loaded.model.name for loaded in models] == ["first", "second"]
    assert "third.setwise" in models.refused["third"]


def test_counts_are_summed_over_workers(tmp_path, monkeypatch):
    """Red if a scrape shows one worker only, or buckets of latency do not add up."""
    for pid in ("1", "2"):
        metrics = Metrics(str(tmp_path))
        metrics.add("setwise_rows_total", 5, model='a"b\n')
        metrics.observe("setwise_request_seconds", 0.3, route="/x")
        metrics.leave()
        next(tmp_path.glob("[0-9]*.json")).rename(tmp_path / f"{pid}.json") if pid == "1" else None
    text = metrics.text({"setwise_server": [{"version": "1"}]})
    assert 'setwise_rows_total{model="a\\"b\\n"} 10' in text
    assert 'setwise_request_seconds_bucket{route="/x",le="0.25"} 0' in text
    assert 'setwise_request_seconds_bucket{route="/x",le="0.5"} 2' in text
    assert 'setwise_request_seconds_bucket{route="/x",le="+Inf"} 2' in text
    assert "setwise_request_seconds_count" in text

import subprocess

import pytest

from setwise.cli import main


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_commands_and_options_are_completed(name, capsys):
    assert main(["completion", name]) == 0
    script = capsys.readouterr().out
    for word in ("predict", "inspect", "top-k", "time-budget"):
        assert word in script
    if name == "bash":
        ask = script + '\nCOMP_WORDS=(setwise predict --top); COMP_CWORD=2; _setwise; echo "${COMPREPLY[@]}"'
        run = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == "--top-k"

"""What a release rests on: one version everywhere, workflows that run only what is pinned, packages that exist."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCHEMAS = {
    "github-workflows": [*WORKFLOWS],
    "github-issue-forms": [ROOT / ".github/ISSUE_TEMPLATE" / name for name in ("bug.yml", "wish.yml")],
    "github-issue-config": [ROOT / ".github/ISSUE_TEMPLATE/config.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def _program(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_every_file_has_the_same_version():
    """Red if a version is raised in one file only, or the fallback without git does not lead up to it."""
    release = _program("release")
    [version] = set(release.versions().values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools_scm"]["fallback_version"] == f"{version}.dev0"


def test_the_package_takes_its_version_from_the_tag(tmp_path):
    """Red if a version is written into the project again, or a tag is not read as one."""
    version_of = pytest.importorskip("setuptools_scm", reason="setuptools-scm is not installed").get_version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    settings = project["tool"]["setuptools_scm"]
    git = ["git", "-C", tmp_path, "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"], ["tag", "v4.5.6"]):
        subprocess.run([*git, *command], check=True)
    assert version_of(tmp_path, **settings) == "4.5.6"
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "y"], check=True)
    assert version_of(tmp_path, **settings).startswith("4.5.7.dev1")


def test_a_tag_of_another_version_is_refused(capsys):
    """Red if a wrong tag would be published."""
    release = _program("release")
    assert len(release.faults("v99.0.0")) == len(release.PLACES)
    version = release.versions()["CITATION.cff"]
    assert not [fault for fault in release.faults(f"v{version}") if "the tag" in fault]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_read_only_and_use_pinned_actions(path):
    """Red if a workflow gets a right that it does not need, or an action that its author can change later."""
    text = path.read_text(encoding="utf-8")
    assert "permissions:\n  contents: read\n" in text
    for used in re.findall(r"uses: (\S+)", text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", used), used
    for target in re.findall(r"run: make (\w+)", text):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for program in re.findall(r"run: python (\S+\.py)", text):
        assert (ROOT / program).exists()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_for_other_programs_follow_their_schemas(schema):
    """Red if GitHub or a reference manager would not understand a file. The schemas come with check-jsonschema."""
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        f"vendor.{schema}",
        *SCHEMAS[schema],
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_oldest_versions_are_those_that_the_project_allows():
    """Red if the matrix would test other old versions than pyproject.toml promises."""
    oldest = _program("matrix").oldest()
    assert len(oldest) == 4
    assert all(re.fullmatch(r"[\w-]+==[\d.]+\.\*", requirement) for requirement in oldest), oldest

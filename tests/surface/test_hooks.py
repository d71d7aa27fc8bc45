"""The hooks of .pre-commit-hooks.yaml, on a small repository: each entry as pre-commit runs it.

`pre-commit` itself, which installs evenhand into an environment of its own, runs them in
`make test-slow` where it is installed.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOK = re.compile(r"- id: (\S+)\n((?:  .*\n)+)")
QUESTION = """[question]
protected = "gender"
group = "female"
decision = "admission"
favorable = "admitted"
threshold = "{}"
judge = "rows"

[data]
frequency = "people"
"""
GRAPH = "gender -> major -> admission\ngender -> admission\ntest_score -> admission\n"
ASKED = ["applicants.csv", "--question", "asked.toml", "--graph", "graph.txt"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the hooks run bash")


def hooks():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    return {name: dict(re.findall(r"(\w+): (.*)", keys)) for name, keys in HOOK.findall(text)}


@pytest.fixture
def repository(tmp_path):
    shutil.copy(ROOT / "docs/how-to/applicants.csv", tmp_path)
    (tmp_path / "graph.txt").write_text(GRAPH)
    (tmp_path / "asked.toml").write_text(QUESTION.format("0.05"))
    command = [sys.executable, "-m", "evenhand", "audit", *ASKED, "--quiet"]
    wrapper = f'#!/bin/sh\nexec "{sys.executable}" -m evenhand "$@"\n'
    bin_folder = tmp_path.with_name(f"{tmp_path.name}-bin")
    bin_folder.mkdir()
    (bin_folder / "evenhand").write_text(wrapper)
    (bin_folder / "evenhand").chmod(0o755)
    saved = [*command, "--certificate", "audited.certificate.json"]
    assert subprocess.run(saved, cwd=tmp_path, check=False).returncode == 1  # noqa: S603
    return tmp_path


def run_hook(repository, name, args=()):
    """The entry, its arguments and the names of files, without a shell."""
    hook = hooks()[name]
    files = []
    if hook.get("pass_filenames") != "false":
        wanted = re.compile(hook["files"])
        files = sorted(p.name for p in repository.iterdir() if wanted.search(p.name))
    path = f"{repository.with_name(f'{repository.name}-bin')}:{os.environ['PATH']}"
    return subprocess.run(  # noqa: S603  # our own
        [*shlex.split(hook["entry"]), *args, *files],
        cwd=repository,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def falsify(path):
    record = json.loads(path.read_text())
    record["verdict"] = "certified"
    path.write_text(json.dumps(record))


def test_the_audit_stops_a_commit_on_yes_only(repository):
    done = run_hook(repository, "evenhand-audit", ASKED)
    assert (done.returncode, done.stdout) == (1, "not certified\n"), done.stderr
    (repository / "asked.toml").write_text(QUESTION.format("0.11"))
    assert run_hook(repository, "evenhand-audit", ASKED).returncode == 0


def test_each_certificate_is_verified(repository):
    assert run_hook(repository, "evenhand-verify").returncode == 0
    shutil.copy(repository / "audited.certificate.json", repository / "b.certificate.json")
    falsify(repository / "audited.certificate.json")
    done = run_hook(repository, "evenhand-verify")
    assert done.returncode == 1, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pre-commit"), reason="pre-commit is not installed")
def test_pre_commit_runs_both(repository):
    git = shutil.which("git")
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    revision = subprocess.check_output([git, "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()  # noqa: S603
    (repository / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {ROOT}\n    rev: {revision}\n    hooks:\n"
        f"      - id: evenhand-audit\n        args: {json.dumps(ASKED)}\n"
        "      - id: evenhand-verify\n"
    )
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run([git, *identity, *arguments], cwd=repository, check=True)  # noqa: S603

    def run():
        return subprocess.run(  # noqa: S603
            [shutil.which("pre-commit"), "run", "--all-files"],
            cwd=repository,
            capture_output=True,
            text=True,
            check=False,
        )

    stopped = run()
    assert stopped.returncode == 1
    assert re.search(r"evenhand audit\.+Failed", stopped.stdout)
    assert re.search(r"evenhand verify\.+Passed", stopped.stdout)
    (repository / "asked.toml").write_text(QUESTION.format("0.11"))
    assert run().returncode == 0

"""A table to release, and runs in processes of their own in which something goes wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hiring import COLUMNS, GRAPH, QUESTION, csv_text, people

from evenhand import Codings
from evenhand.question import QuestionFile

ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path):
    """Inputs, and an empty folder ``out`` beside them."""
    (tmp_path / "people.csv").write_text(csv_text(people()), newline="")
    asked = QuestionFile(question=QUESTION, codings=Codings.of(columns=COLUMNS))
    (tmp_path / "q.toml").write_text(str(asked))
    arrows = "\n".join(" -> ".join(arrow) for arrow in GRAPH.arrows)
    (tmp_path / "graph.txt").write_text(arrows)
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.fixture(scope="session")
def run():
    """Run a release or, given a list of words, a command; returns its status and words."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faulty"], cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    ) as server:

        def once(folder, *fault, command=None, **options):
            request = [str(folder), fault, options if command is None else command]
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())

        yield once

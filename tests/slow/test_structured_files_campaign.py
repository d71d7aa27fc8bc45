"""Five thousand question files, graphs, records and manifests of any structure.

Every tenth is given to a command besides.
"""

import zlib
from pathlib import Path

import pytest
from tests.fuzzing import ASKED, COLUMNS, faults, make_corpus, run
from tests.properties.test_structured_files import KINDS, check, check_cases, name_of

EACH = 5000
GIVEN = ["audit", "people.csv", *ASKED, *COLUMNS, "--graph", "CASE", "--json"]
COMMANDS = {
    "question": [["audit", "people.csv", "--question", "CASE", "--graph", "graph.txt"]],
    "graph": [GIVEN],
    "record": [["verify", "CASE", "people.csv"], ["verify", "CASE", "--json"], GIVEN],
    "manifest": [["verify", "CASE", "people.csv"]],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_any_structure_are_read_or_refused(
    kind, record_property, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    make_corpus(tmp_path)
    given = []

    def check_and_give(kind, text):
        check(kind, text)
        number = zlib.crc32(text.encode("utf-8", "surrogatepass"))
        if number % 10:
            return
        name = name_of(kind, text)
        Path(name).write_bytes(text.encode("utf-8", "surrogatepass"))
        command = COMMANDS[kind][number // 10 % len(COMMANDS[kind])]
        arguments = [name if word == "CASE" else word for word in command]
        assert [*faults(arguments, *run(arguments))] == []
        given.append(number)

    check_cases(kind, EACH, check_and_give)
    record_property("cases", EACH)
    record_property("given to commands", len(given))

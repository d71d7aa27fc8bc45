"""Releases that something happens to: beside nothing, an earlier one, or one with a copy."""

import pytest
from tests.release_states import EARLIER, FIRST, release, write_people
from tests.system_calls import Commands


@pytest.fixture(scope="module")
def run():
    """Run commands, each in a process of its own."""
    commands = Commands()
    yield commands
    commands.close()


@pytest.fixture
def folder(tmp_path):
    """A folder with people and a graph."""
    folder = tmp_path / "before"
    folder.mkdir()
    write_people(folder)
    return folder


# Without a copy for others none is allowed beside an earlier one.
@pytest.fixture(
    params=[("", ""), ("", "share"), ("plain", ""), ("plain", "share"), ("shared", "share")],
    ids=["fresh", "fresh-share", "overwrite", "overwrite-share", "overwrite-shared"],
)
def first(request, run, folder):
    """The command of a release; what it overwrites is in the folder."""
    earlier, share = request.param
    if earlier:
        made = release(EARLIER, share=earlier == "shared", report=True)
        assert run(folder, made)[0] == 0
    return release(FIRST, share=bool(share), overwrite=bool(earlier), report=True)

"""The names that users see."""

import ast
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import evenhand

TREE = ast.parse(Path(evenhand.__file__).read_text("utf-8"))


def test_every_public_name_is_there():
    for name in evenhand.__all__:
        assert getattr(evenhand, name) is not None


def test_the_list_of_names_is_sorted_and_the_whole_surface():
    assert evenhand.__all__ == sorted(evenhand.__all__)
    assert dir(evenhand) == evenhand.__all__


def test_type_checkers_see_the_same_names():
    seen = {
        alias.asname or alias.name
        for block in ast.walk(TREE)
        if isinstance(block, ast.If)
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    assert seen == set(evenhand.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'fair'"):
        evenhand.fair  # noqa: B018


@pytest.mark.parametrize("name", evenhand.__all__)
def test_a_name_stays_what_it_is_when_its_room_is_loaded(name):
    """A room of the same name would take the place of a function once it is imported."""
    assert getattr(evenhand, name) is getattr(evenhand, name)
    assert name == "datasets" or f"evenhand.{name}" not in sys.modules


def test_the_version_is_that_of_the_distribution():
    assert evenhand.__version__ == version("evenhand")

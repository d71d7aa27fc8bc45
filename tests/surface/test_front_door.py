"""The names that users see."""

import ast
import collections.abc
import inspect
import sys
from dataclasses import is_dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import get_args, get_origin, get_type_hints

import pytest

import evenhand
from evenhand import removal, report, tables

TREE = ast.parse(Path(evenhand.__file__).read_text("utf-8"))
# What an audit leads to, and loads only when it is asked for; the user's libraries.
LATER = {
    **vars(removal),
    **vars(report),
    **vars(tables),
    "Release": evenhand.Release,
    "nx": SimpleNamespace(Graph=None, DiGraph=None),
    "pd": SimpleNamespace(DataFrame=None),
}


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


def signatures(item):
    """What is public in a function or class: the functions, and the fields of a dataclass."""
    if not inspect.isclass(item):
        return [item] if inspect.isfunction(item) else []
    members = [item] if is_dataclass(item) else []
    for name, member in vars(item).items():
        if not name.startswith("_"):
            member = getattr(member, "fget", getattr(member, "func", member))  # noqa: PLW2901
            member = getattr(member, "__func__", member)  # noqa: PLW2901
            members += [member] if inspect.isfunction(member) else []
    return members


def named_types(annotation):
    """The classes of evenhand, and ``object``, that an annotation names."""
    is_ours = getattr(annotation, "__module__", "").startswith("evenhand")
    if inspect.isclass(annotation) and (annotation is object or is_ours):
        yield annotation
    if get_origin(annotation) is not collections.abc.Callable:
        for inner in get_args(annotation):
            yield from named_types(inner)


def public_types():
    """Every type that a public signature names, with the signature."""
    for public in evenhand.__all__:
        for item in signatures(getattr(evenhand, public)):
            for name, annotation in get_type_hints(item, localns=LATER).items():
                for named in named_types(annotation):
                    yield f"{item.__qualname__}, {name}", named


def test_every_type_in_a_public_signature_is_exported_and_in_the_reference():
    reference = Path("docs/reference.md").read_text("utf-8")
    for where, named in public_types():
        if named is not object:
            room = import_module(".".join(named.__module__.split(".")[:2]))
            homes = (evenhand, room)
            assert any(getattr(home, named.__name__, None) is named for home in homes), where
            assert f".{named.__name__}\n" in reference, f"{named}, in {where}"


def test_no_public_signature_says_object_where_a_type_is_meant():
    # A note may be anything that prints; what is returned as plain values may be nested.
    vague = {where for where, named in public_types() if named is object}
    assert {where for where in vague if not where.endswith("return")} == set()

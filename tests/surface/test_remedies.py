"""Problems are data: each door spells their arguments, and no library room knows an option.

Remedies are read from the source, so that a new one is walked through every door, too.
"""

import ast
import inspect
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

import evenhand as eh
from evenhand.cli.application import app
from evenhand.cli.terminal import option
from evenhand.errors import Remedy, python_argument, words_only
from evenhand.question.fields import FIELDS, find

SOURCE = Path(eh.__file__).parent
# The reproduction and the app say which commands do the same.
DOORS = ("cli", "checker", "reproduction", "web")
# The table of keys says how each is typed.
TABLE = SOURCE / "question" / "fields.py"
ROOMS = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.relative_to(SOURCE).parts[0] not in DOORS and path != TABLE
)
# Whatever of these takes an argument is called by users, so that a remedy may name it.
CALLED = (
    *(eh.audit, eh.read, eh.certify, eh.discover, eh.find_causes, eh.release, eh.compare),
    eh.audit_predictions,
    *(eh.Question, eh.Knowledge, eh.ModifyData, eh.ModifyGraph),
    *(eh.Audit.release, eh.Certificate.write, eh.Release.write, eh.Codings.of),
)
# Without an option: engines are reached from Python only.
PYTHON_ONLY = {"key"}
# Arguments with an option that are no keys of the question file.
NO_KEYS = {"accept_graph", "graph", "overwrite", "uncertified"}
OPTION = re.compile(r"(?<![\w-])--[a-z]{2}")
# A page whose readers have nothing but a certificate says by which command it is checked.
PAGES = {"limits_and_checking_sections.py", "shared_page.py"}
VERBS = "|".join(get_command(app).commands)
COMMAND = re.compile(rf"\bevenhand (?:{VERBS})\b|`(?:{VERBS})`")
ARGUMENT = re.compile(r"\b[a-z_]+=(?:…|\.\.\.|'|\[|\{|True|VALUE)")


def texts(tree):
    """All text that a module may print: string constants other than docstrings."""
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in documented:
            yield node.value


def remedies():
    """The argument and value, where it is written there, of each remedy in the source."""
    for path in ROOMS:
        text = path.read_text("utf-8")
        # Trees of all rooms took a twentieth of the collection of all tests.
        for node in ast.walk(ast.parse(text)) if "Remedy(" in text else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy":
                rest = {key.arg: key.value for key in node.keywords}
                named = (
                    dict(zip(("words", "argument", "value"), node.args, strict=False)) | rest
                )
                if isinstance(named.get("argument"), ast.Constant):
                    where = f"{path.relative_to(SOURCE)}:{node.lineno}"
                    yield where, named["argument"].value, named.get("value")


REMEDIES = list(remedies())


def test_there_are_remedies_to_look_at():
    assert len(REMEDIES) > 20


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_library_room_names_an_option_an_argument_or_a_command_in_words(path):
    told = [*texts(ast.parse(path.read_text("utf-8")))]
    assert not [text for text in told if OPTION.search(text)]
    assert path.name in PAGES or not [text for text in told if COMMAND.search(text)]
    assert not [text for text in told if ARGUMENT.search(text)]


def test_every_argument_of_a_remedy_is_one_in_python():
    taken = {name for call in CALLED for name in inspect.signature(call).parameters}
    assert {argument for _, argument, _ in REMEDIES} <= taken


def test_every_argument_of_a_remedy_can_be_typed_unless_only_python_has_it():
    keys = {argument for _, argument, _ in REMEDIES} - NO_KEYS - PYTHON_ONLY
    assert all(map(find, keys))
    assert not any(map(find, NO_KEYS | PYTHON_ONLY))


def test_every_verb_that_a_key_names_has_its_option():
    commands = get_command(app).commands
    there = {name: {o for p in verb.params for o in p.opts} for name, verb in commands.items()}
    assert all(field.flag in there[verb] for field in FIELDS for verb in field.verbs.split())
    assert all(f"--{name.replace('_', '-')}" in there["release"] for name in NO_KEYS)


@pytest.mark.parametrize(("where", "argument", "value"), REMEDIES)
def test_each_door_spells_each_remedy_in_its_own_way(where, argument, value):
    try:
        given = ... if value is None else ast.literal_eval(value)
    except ValueError:  # known only when it is raised
        given = {"bins": {"age": 4}, "merge": {"a": {"b": ["b", "B"]}}}.get(argument, ["a"])
    remedy = Remedy("Do it", argument, given)
    assert f"{argument}=" in remedy.text(python_argument), where
    assert "--" not in remedy.text(python_argument)
    assert remedy.text(words_only) == "Do it"
    typed = remedy.text(option)
    if argument not in PYTHON_ONLY:
        assert "--" in typed
        assert shlex.split(typed.removeprefix("Do it ").strip("()"))
    assert remedy.to_dict()["argument"] == argument

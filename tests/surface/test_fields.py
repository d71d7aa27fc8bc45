"""Keys of the question file stand in one table, from which every door takes them."""

import ast
import dataclasses
import os
import shutil
import subprocess
import sys
from inspect import signature
from pathlib import Path

import evenhand as eh
from evenhand.question.fields import FIELDS, TABLES
from evenhand.question.question_file import ASKED

SOURCE = Path(eh.__file__).parent
NEW = '    _audit("colour", TEXT, "The colour of the answer.", "audit", "grey"),\n'
PROGRAM = """
import sys
from evenhand import QuestionFile, Question
from evenhand.cli.asked import Asked
from evenhand.cli.terminal import offer, option
from evenhand.question.fields import parse_setting
asked = QuestionFile(question=Question(protected="a", decision="b", favorable="c"))
tables = QuestionFile.parse_tables(str(asked) + '[audit]\\ncolour = "red"\\n')
QuestionFile.from_tables(tables)
assert Asked("x").of("audit")["colour"] == "grey"
assert Asked("x", typed=[parse_setting("colour=red")]).of("audit")["colour"] == "red"
offer("audit", ["--colour", "--set"])
assert option("colour", "red") == "--colour red"
offer("compare", ["--set"])
assert option("colour", "red") == ""
"""


def test_a_new_key_is_one_line(tmp_path):
    """File, option, ``--set``, help and the spelling of remedies know it from the table."""
    shutil.copytree(SOURCE, tmp_path / "evenhand", ignore=shutil.ignore_patterns("*.pyc"))
    table = tmp_path / "evenhand" / "question" / "fields.py"
    text = table.read_text("utf-8")
    table.write_text(text.replace("    _audit(", f"{NEW}    _audit(", 1), "utf-8")

    def run(*words):
        return subprocess.run(  # noqa: S603  # our own interpreter
            [sys.executable, *words],
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    run("-c", PROGRAM)
    assert "--colour" in run("-m", "evenhand", "audit", "--help")
    assert "--colour" not in run("-m", "evenhand", "release", "--help")
    assert "colour=TEXT" in run("-m", "evenhand", "help", "keys")


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def strings(path):
    """Every text that stands in a module."""
    tree = ast.parse(path.read_text("utf-8"))
    return {node.value for node in ast.walk(tree) if is_text(node)}


def test_the_question_has_a_key_for_each_of_its_parts():
    parts = {field.name for field in dataclasses.fields(eh.Question)} - {"predicts"}
    assert {*ASKED} == parts


def test_the_checker_knows_the_parts_of_a_question():
    """It stands alone, so it cannot take them from the table; it checks no rule's name."""
    known = set().union(*(strings(path) for path in (SOURCE / "checker").glob("*.py")))
    assert {*ASKED} - {"rule"} <= known


def test_forms_of_the_app_name_keys_that_there_are():
    """Sets of keys, by the names that they have there."""
    keys = {"_JUDGED": {*TABLES["question"]}, "_HOW_TO_READ": {*TABLES["data"]}}
    found = [
        (node.targets[0].id, {one.value for one in ast.walk(node.value) if is_text(one)})
        for path in (SOURCE / "web").rglob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Assign)
        and getattr(node.targets[0], "id", "") in keys
        and path.name != "app.py"  # of screens
    ]
    assert found
    assert all(names and names <= keys[name] for name, names in found)


def test_defaults_of_the_table_are_those_of_the_library():
    asked = eh.Question(protected="a", decision="b", favorable="c")
    for name in ("threshold", "min_rows", "criterion", "basis"):
        (field,) = [one for one in FIELDS if one.name == name]
        assert str(getattr(asked, name)) in (field.default, "1/20")
    defaults = {one.name: one.default for one in FIELDS}
    judged = signature(eh.certify).parameters["min_coverage"].default
    learned = signature(eh.discover).parameters["significance"].default
    assert defaults["min_coverage"] == judged
    assert defaults["significance"] == str(learned)

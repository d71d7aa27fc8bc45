"""Rules of the house that a program can check."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import evenhand

SOURCE = Path(evenhand.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
DRAWERS = {"utils", "helpers", "common", "base", "core", "misc"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_is_short_enough_to_read(path):
    assert len(path.read_text("utf-8").splitlines()) <= 600


def test_no_room_is_a_drawer():
    assert not {path.stem for path in FILES} & DRAWERS
    assert not {path.name for path in SOURCE.rglob("*") if path.is_dir()} & DRAWERS


def test_nothing_from_a_file_is_executed():
    forbidden = {"eval", "exec", "compile", "__import__"}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in forbidden, f"{path.name}:{node.lineno}"


def test_validation_does_not_rest_on_assert():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not isinstance(node, ast.Assert), f"{path.name}:{node.lineno}"


def test_what_coverage_measures_exists():
    root = Path(__file__).parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]
    for pattern in settings["run"]["include"]:
        assert [*root.glob(pattern)], pattern


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sys.modules)"
    run = subprocess.run(  # noqa: S603  # our own interpreter
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    return set(run.stdout.split())


def test_importing_evenhand_loads_nothing_heavy():
    heavy = {"pandas", "polars", "scipy", "networkx", "pyarrow", "duckdb", "numba", "numpy"}
    assert not loaded_after("import evenhand") & heavy


def test_an_audit_loads_neither_page_nor_release():
    later = ("evenhand.report", "evenhand.releasing", "evenhand.removal", "evenhand.cli")
    loaded = loaded_after("import evenhand; evenhand.audit")
    assert not [name for name in loaded if name.startswith(later)]


def test_the_command_line_answers_without_loading_the_mathematics():
    mathematics = {"numpy", "scipy", "pyarrow", "duckdb"}
    assert not loaded_after("import evenhand.cli.application") & mathematics


def test_signals_are_held_before_the_command_line_is_loaded():
    assert not loaded_after("import evenhand.cli") & {
        "typer",
        "rich",
        "json",
        "evenhand.errors",
    }


def test_no_file_and_no_class_has_the_name_of_another():
    doors, own = {"cli"}, {"__init__.py", "__main__.py"}
    files = [p for p in FILES if p.name not in own and not doors & {*p.parts}]
    assert [name for name, n in Counter(p.name for p in files).items() if n > 1] == []
    trees = [ast.parse(path.read_text("utf-8")) for path in FILES]
    classes = [n.name for tree in trees for n in tree.body if isinstance(n, ast.ClassDef)]
    assert [name for name, n in Counter(classes).items() if n > 1] == []


def test_paths_that_the_docs_name_are_there():
    root = Path(__file__).parents[2]
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    named = re.compile(r"`((?:src|tests|bench|docs|scripts)/[\w/.-]+)`")
    missing = [
        f"{page.name}: {path}"
        for page in pages
        for path in named.findall(page.read_text("utf-8"))
        if not (root / path).exists() and "ROOM" not in path and "NNNN" not in path
    ]
    assert missing == []


READS = {
    *("endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace"),
    *("rpartition", "rsplit", "split", "startswith"),
    *("findall", "fullmatch", "match", "search", "sub"),
}
SAYS = {"found", "headline", "notice", "opening", "sentence", "what", "why", "word"}


def sentence_name(node: ast.expr) -> str:
    """What a sentence is called in a call or an attribute; empty for anything else."""
    node = node.func if isinstance(node, ast.Call) else node
    name = node.attr if isinstance(node, ast.Attribute) else ""
    is_name = name in SAYS or name.endswith(("_sentence", "_phrase"))
    if isinstance(node, ast.Name) and (
        node.id in {"headline", "sentence"} or node.id.endswith(("_sentence", "_phrase"))
    ):
        return node.id
    return name if is_name else ""


def readings(tree: ast.AST) -> list[int]:
    """The lines in which a sentence made elsewhere is searched, cut or compared in parts."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            parts = (node.func.value, *node.args)
            lines += [node.lineno] * (
                node.func.attr in READS and any(map(sentence_name, parts))
            )
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            lines += [node.lineno] * bool(
                isinstance(node.left, ast.Constant | ast.JoinedStr)
                and sentence_name(node.comparators[0])
            )
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            is_cut = isinstance(node.slice.upper, ast.UnaryOp)  # as in [:-1]
            lines += [node.lineno] * bool(is_cut and sentence_name(node.value))
    return lines


@pytest.mark.parametrize(
    "code",
    [
        'problem.what.startswith("The table")',
        '_SECTION.sub("", card.sentence)',
        'released.word.replace("changed", "would change")',
        'seen_sentence(partition).partition(" of ")',
        '"chance explains" in certificate.first_sentence(labels)',
        'headline.partition(": ")',
        "average_sentence(partition)[:-1]",
    ],
)
def test_what_reads_a_sentence_is_found(code):
    assert readings(ast.parse(code))


def test_no_code_reads_a_sentence():
    assert {"wording/answer_words.py", "web/pages.py", "auditing.py"} <= {
        str(path.relative_to(SOURCE)) for path in FILES
    }
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in FILES
        for line in readings(ast.parse(path.read_text("utf-8")))
    ]
    assert found == []


def test_the_tests_whose_coverage_is_required_exist():
    makefile = (SOURCE.parents[1] / "Makefile").read_text("utf-8")
    listed = re.findall(r"^COVERED := (.+?)\n\n", makefile, re.MULTILINE | re.DOTALL)[0]
    names = re.findall(r"[\w/]+\.py", listed)
    unit = SOURCE.parents[1] / "tests" / "unit"
    assert len(names) >= 9
    for name in names:
        assert (unit / name).exists() or (unit / f"web/test_{name}").exists(), name

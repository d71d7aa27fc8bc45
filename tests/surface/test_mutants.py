"""What mutation testing changes, and that it counts what tests notice in any process."""

import tomllib
from pathlib import Path

import pytest
from tests import mutation
from tests.mutants import mutants
from tests.mutation import RATES, ROOT, main, rooms

EXAMPLE = '''
def clipped(number, most=9):
    """A docstring is no code."""
    if number > most or not number:
        return most
    seen = [number][:1]
    seen.append(number - 1)
    return max(sum(seen), -number) % 4
'''
CHANGES = [
    (2, "9 → 10"),
    (2, "9 → 8"),
    (4, "number > most or not number → number > most and (not number)"),
    (4, "number > most → number >= most"),
    (4, "not number → number"),
    (5, "return most → return None"),
    (6, "[number][:1] → [number][:]"),
    (6, "1 → 2"),
    (6, "1 → 0"),
    (7, "seen.append(number - 1) → pass"),
    (7, "number - 1 → number + 1"),
    (7, "1 → 2"),
    (7, "1 → 0"),
    (8, "return max(sum(seen), -number) % 4 → return None"),
    (8, "max(sum(seen), -number) % 4 → max(sum(seen), -number) * 4"),
    (8, "max → min"),
    (8, "-number → number"),
    (8, "4 → 5"),
    (8, "4 → 3"),
]
# A list of one has no second part.
SAME = {(6, "[number][:1] → [number][:]"), (6, "1 → 2")}


def answers(text):
    scope = {}
    exec(compile(text, "example", "exec"), scope)  # noqa: S102  # the text above
    return [scope["clipped"](*numbers) for numbers in ((0,), (4,), (7,), (8, 8), (10,), (-3,))]


def test_each_mutant_is_one_change():
    assert [(mutant.lines.start, mutant.change) for mutant in mutants(EXAMPLE)] == CHANGES


def test_a_mutant_answers_otherwise():
    assert answers(EXAMPLE) == [9, 3, 1, 3, 9, 3]
    for mutant, change in zip(mutants(EXAMPLE), CHANGES, strict=True):
        assert (answers(mutant.text) == answers(EXAMPLE)) == (change in SAME)


def test_messages_types_and_places_of_letters_stay():
    text = 'def f(x: int | None = None) -> str:\n    print("é"); y = f"{x + 1}"; return 2 * y\n'
    found = [mutant.text for mutant in mutants(text)]
    assert len(found) == 5
    assert all("int | None" in each and 'f"{x + 1}"' in each for each in found)
    assert text.replace("2 * y", "(2 // y)") in found


@pytest.mark.parametrize(
    ("lines", "tests"),
    [
        ({2: {"", "a", "b"}, 5: {"a"}}, ["a"]),
        ({2: {"a"}, 9: {"b"}}, ["a"]),
        ({9: {"b"}}, []),
    ],
    ids=["its line", "a line of its statement", "not run"],
)
def test_the_tests_of_a_statement_are_those_of_its_mutants(lines, tests):
    """Python reports only some lines of a statement."""
    text = "def f():\n    x[0] = [\n        *(),\n        y,\n        4,\n    ]\n"
    changed = next(one for one in mutants(text) if one.change == "4 → 5")
    assert (changed.lines, changed.statement) == (range(5, 6), range(2, 7))
    assert mutation.tests_of(changed, lines, {"", "a", "b", "c"}) == tests


@pytest.mark.parametrize(
    ("lines", "tests"),
    [({1: {"", "a"}, 2: {"b"}}, ["a", "b"]), ({1: {""}}, ["a", "b", "c"]), ({}, [])],
    ids=["the tests of the file", "none: those of the room", "not imported"],
)
def test_what_the_import_runs_matters_to_every_test(lines, tests):
    """The first test that needs the module may have imported it."""
    changed, *_ = mutants("x = 4\ndef f():\n    return x\n")
    assert changed.at_import
    assert mutation.tests_of(changed, lines, {"", "a", "b", "c"}) == tests


def test_a_name_may_stay_bound_and_a_key_may_not():
    assert [one.change for one in mutants("del x\ndel y[z]\n")] == ["del y[z] → pass"]


def test_the_statement_of_a_condition_ends_before_its_body():
    found = {mutant.statement for mutant in mutants("if f(\n    1\n):\n    g()\n")}
    assert found == {range(1, 4), range(4, 5)}


def test_every_room_has_tests_and_its_figures_are_of_a_room():
    rates = tomllib.loads((ROOT / RATES).read_text("utf-8"))
    known = rooms(ROOT, rates)
    assert rates.keys() <= known.keys()
    for room in known.values():
        assert room.files(ROOT)
        assert room.paths(ROOT)


TESTS = """
import subprocess
import sys

from evenhand.toy.sums import product, total


def test_total():
    assert total(1) == 3


def test_product_in_another_process():
    code = "from evenhand.toy.sums import product; print(product(3))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "6\\n"
"""
SUMS = """
def total(number):
    return number + 2


def product(number):
    return number * 2


def unused(number):
    return number - 1
"""


@pytest.fixture
def repository(tmp_path):
    """A repository of one room: a function tested here, one elsewhere, and one nowhere."""
    texts = {
        "src/evenhand/__init__.py": "",
        "src/evenhand/toy/__init__.py": "",
        "src/evenhand/toy/sums.py": SUMS,
        "tests/unit/toy/test_sums.py": TESTS,
        "tests/mutation.py": Path(ROOT, "tests/mutation.py").read_text("utf-8"),
        "tests/mutants.py": Path(ROOT, "tests/mutants.py").read_text("utf-8"),
        "tests/data_folder.py": Path(ROOT, "tests/data_folder.py").read_text("utf-8"),
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


@pytest.mark.slow
def test_kills_are_counted_in_every_process_and_survivors_are_listed(repository):
    main(["toy"], repository)
    figures = tomllib.loads((repository / RATES).read_text("utf-8"))["toy"]
    assert (figures["mutants"], figures["sample"], figures["killed"]) == (12, 12, 8)
    assert all(told.endswith("(no test reaches it)") for told in figures["survivors"])
    assert len(figures["survivors"]) == 4
    assert (repository / "src/evenhand/toy/sums.py").read_text("utf-8") == SUMS


@pytest.mark.slow
def test_nothing_is_recorded_of_a_room_whose_tests_fail(repository):
    path = repository / "tests/unit/toy/test_sums.py"
    path.write_text(TESTS.replace("== 3", "== 4"), "utf-8")
    with pytest.raises(SystemExit, match="Not measured: toy"):
        main(["toy"], repository)
    assert not (repository / RATES).exists()

"""What mutation testing changes, and that its list of survivors is of the code as it is."""

import tomllib

import pytest
from tests.mutants import SWITCH, weave
from tests.mutation import LISTED, SOURCE, TESTS

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
    "module: number, most=9: 9 → 10",
    "module: number, most=9: 9 → 8",
    "clipped: number > most or not number → number > most and (not number)",
    "clipped: number > most → number >= most",
    "clipped: not number → number",
    "clipped: return most → return None",
    "clipped: [number][:1] → [number][:]",
    "clipped: :1: 1 → 2",
    "clipped: :1: 1 → 0",
    "clipped: seen.append(number - 1) → pass",
    "clipped: number - 1 → number + 1",
    "clipped: number - 1: 1 → 2",
    "clipped: number - 1: 1 → 0",
    "clipped: return max(sum(seen), -number) % 4 → return None",
    "clipped: max(sum(seen), -number) % 4 → max(sum(seen), -number) * 4",
    "clipped: max(sum(seen), -number): max → min",
    "clipped: -number → number",
    "clipped: max(sum(seen), -number) % 4: 4 → 5",
    "clipped: max(sum(seen), -number) % 4: 4 → 3",
]
# A list of one has no second part.
SAME = {"clipped: [number][:1] → [number][:]", "clipped: :1: 1 → 2"}


def answers(switch):
    tree, _ = weave(EXAMPLE)
    scope = {SWITCH: switch}
    exec(compile(tree, "example", "exec"), scope)  # noqa: S102  # the text above
    return [scope["clipped"](*numbers) for numbers in ((0,), (4,), (7,), (8, 8), (10,), (-3,))]


def test_each_mutant_is_one_change():
    assert [mutant.change for mutant in weave(EXAMPLE)[1]] == CHANGES


def test_a_mutant_is_on_or_off():
    plain = answers(lambda _: False)
    assert plain == [9, 3, 1, 3, 9, 3]
    for number, change in enumerate(CHANGES, 1):
        assert (answers(number.__eq__) == plain) == (change in SAME)


@pytest.mark.parametrize("module", TESTS)
def test_what_survives_is_in_the_code(module):
    _, mutants = weave((SOURCE / f"{module}.py").read_text("utf-8"))
    listed = tomllib.loads(LISTED.read_text("utf-8")).get(module, {})
    assert listed.keys() <= {mutant.change for mutant in mutants}


def test_only_modules_that_are_tested_have_survivors():
    assert tomllib.loads(LISTED.read_text("utf-8")).keys() <= TESTS.keys()

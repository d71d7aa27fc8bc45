"""Changed cells look as the others of their file do."""

import re

import numpy as np
import pytest

import evenhand as eh
from evenhand.releasing.apply_to_text import spellings

GRAPH = eh.CausalGraph.parse("town -> hired; sex -> hired; hired -> bonus")
GROUPS = {"a": (40, 40, 60, 20), "b": (30, 50, 50, 30)}


def people(groups, words, mix=1):
    cells = [(sex, word) for sex in "fm" for word in words]
    found = [
        (town, sex, word, ("high" if at % 3 else "low"))
        for town, four in groups.items()
        for (sex, word), many in zip(cells, four, strict=True)
        for at in range(many)
    ]
    return [found[at] for at in np.random.default_rng(mix).permutation(len(found))]


def text(found, *, quoted=()):
    lines = [",".join(f'"{f}"' if f in quoted else f for f in row) for row in found]
    return "town,sex,hired,bonus\n" + "".join(line + "\n" for line in lines)


def released(source, favorable, *, method=None, seed=1, **options):
    question = eh.Question(
        protected="sex", group="f", decision="hired", favorable=favorable, threshold="0.05"
    )
    audit = eh.audit(eh.read(source, **options), question, graph=GRAPH)
    return audit.release(method=method or eh.ModifyData(), seed=seed)


def cells(data, number=2):
    """The decisions as they stand in a file without delimiters in quotes."""
    return [line.split(",")[number] for line in data.read_text().splitlines()[1:]]


@pytest.mark.parametrize("quoted", [("yes",), ("no",), ("yes", "no"), ()])
def test_quotes_depend_on_the_value_alone(quoted, tmp_path):
    (tmp_path / "in.csv").write_text(text(people(GROUPS, ("yes", "no")), quoted=quoted))
    made = released(tmp_path / "in.csv", "yes")
    after = cells(made.write(tmp_path / "out.csv").data)
    assert {*after} == {f'"{word}"' if word in quoted else word for word in ("yes", "no")}
    assert made.changed_rows > 0


def test_a_value_that_needs_quotes_has_them_and_its_neighbor_has_not(tmp_path):
    found = people(GROUPS, ("hired, full time", "rejected"))
    (tmp_path / "in.csv").write_text(text(found, quoted=("hired, full time",)))
    after = released(tmp_path / "in.csv", "hired, full time").write(tmp_path / "out.csv").data
    assert '"rejected"' not in after.read_text()
    assert not re.search(r"[^\"]hired, full", after.read_text())


@pytest.mark.parametrize("many", [1, 2])
def test_each_file_spells_numbers_in_its_own_way(many, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name, town, words in (("1", "a", ("1", "0")), ("2", "b", ("1.0", "0.0")))[-many:]:
        (folder / f"{name}.csv").write_text(text(people({town: GROUPS[town]}, words)))
    made = released(folder, "1")
    data = made.write(tmp_path / "out.csv").data
    spelled = {
        line.split(",")[0] + line.split(",")[2] for line in data.read_text().splitlines()
    }
    assert spelled - {"townhired"} == {*("a1", "a0")[: 2 * many - 2], "b1.0", "b0.0"}
    changed = [group for group in made.plan.moves if group.where["town"] == "b"]
    assert changed


def test_several_spellings_in_one_file_become_one(tmp_path):
    found = [
        (town, sex, word + ".0" if at % 2 else word, bonus)
        for at, (town, sex, word, bonus) in enumerate(people(GROUPS, ("1", "0")))
    ]
    (tmp_path / "in.csv").write_text(text(found))
    made = released(tmp_path / "in.csv", "1")
    after = cells(made.write(tmp_path / "out.csv").data)
    became = {label for move in made.plan.moves for label in move.becomes.values()}
    assert all(f"{label}.0" not in after and label in after for label in became)
    mixed = text(found).replace(",1,", ',"1",', 40)
    (tmp_path / "in.csv").write_text(mixed)
    after = cells(released(tmp_path / "in.csv", "1").write(tmp_path / "out2.csv").data)
    assert {cell for cell in after if float(cell.strip('"')) in map(float, became)} == became


@pytest.mark.parametrize("quoted", [("high",), ("high", "low")])
def test_effects_that_are_drawn_anew_too(quoted, tmp_path):
    found = people(GROUPS, ("yes", "no"))
    (tmp_path / "in.csv").write_text(text(found, quoted=quoted))
    made = released(tmp_path / "in.csv", "yes", method=eh.ModifyGraph())
    after = cells(made.write(tmp_path / "out.csv").data, 3)
    assert {*after} == {f'"{word}"' if word in quoted else word for word in ("high", "low")}


def test_what_a_file_lacks_is_spelled_as_its_label(tmp_path):
    (tmp_path / "in.csv").write_text('a,b\n"1.50",x\n')
    (source,) = eh.read(tmp_path / "in.csv").sources
    labels = ["1.5", "2", "(missing)", "p,q"]
    spelled = spellings(source, source.dialect, {"a": labels})
    assert spelled["a"] == ([b'"1.50"', b"2", b"", b'"p,q"'], {})

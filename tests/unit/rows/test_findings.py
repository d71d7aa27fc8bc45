"""Findings: each says what, in which columns, and what helps; alike ones are one."""

from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from evenhand import CountTable, read
from evenhand.counts import functional_dependencies
from evenhand.errors import Remedy
from evenhand.rows.inspect.findings import (
    FindingKind,
    counting_column,
    in_part,
    leave_out,
)
from evenhand.rows.inspect.inspection import inspect

ROWS = 120
SEX = ["f", "m", "m"] * 40
TOWN = ["a", "b", "c", "d", "e"] * 24
HIRED = (["yes", "no", "no", "yes", "no", "no", "yes"] * 18)[:ROWS]
LINES = [*product("fm", "abc", ("yes", "no"))]


def look(**columns):
    table = pa.table({"sex": SEX, "town": TOWN, "hired": HIRED, **columns})
    return read(table).inspect(decision="hired", protected="sex")


def finding(inspection, kind):
    (one,) = [found for found in inspection.findings if found.kind is kind]
    return one


def test_nothing_is_found_where_nothing_is_wrong():
    assert not look().findings


@pytest.mark.parametrize(
    "copies",
    [["offer"], ["offer", "letter"]],
)
def test_columns_that_determine_the_decision_come_first(copies):
    letters = {name: ["L" if h == "yes" else "-" for h in HIRED] for name in copies}
    found = look(
        **{
            k: [f"{name[0]}{v}" for v in vs]
            for (k, vs), name in zip(letters.items(), copies, strict=True)
        }
    )
    first = found.findings[0]
    assert first.kind is FindingKind.DETERMINES_DECISION
    assert first.columns == tuple(copies)
    leave, rule = first.problem.remedies
    assert (leave.argument, leave.value) == ("exclude", copies)
    assert (rule.argument, rule.value) == ("rule", copies[:1])
    assert first.numbers["copies"] == dict.fromkeys(copies, "hired")
    assert len(found.findings) == 1  # not told again as equivalent columns


def test_a_column_that_nearly_determines_it_lists_the_exceptions_by_group():
    score = [*(["1" if h == "yes" else "0" for h in HIRED] * 4)]
    score[0] = "0"  # a woman with yes
    table = pa.table({"sex": SEX * 4, "score": score, "hired": HIRED * 4})
    found = read(table).inspect(decision="hired", protected="sex")
    one = finding(found, FindingKind.NEARLY_DETERMINES_DECISION)
    assert one.numbers["exceptions"] == {"f": {"yes": 1}}
    assert "but for 1 of 480 rows: f yes 1." in str(one.problem)


SCORES = np.random.default_rng(2).normal(70, 10, ROWS).round(3)  # nearly unique


@pytest.mark.parametrize(("exceptions", "kind"), [(0, "determines"), (6, "nearly determines")])
def test_a_pass_mark_is_named_with_its_value_also_of_a_number_that_hardly_repeats(
    exceptions, kind
):
    hired = SCORES >= 70
    hired[:exceptions] = ~hired[:exceptions]
    table = {"sex": SEX, "score": SCORES, "hired": hired.astype(int)}
    inspection = read(pa.table(table)).inspect(decision="hired", protected="sex")
    one = inspection.findings[0]
    assert str(one.kind) == f"{kind} the decision"
    mark = one.problem.what.split(" alone determines ")[0].removeprefix("'score' >= ")
    assert max(SCORES[SCORES < 70]) < float(mark) <= min(SCORES[SCORES >= 70])
    assert one.numbers["rows"] == (exceptions or ROWS)


def test_a_number_of_each_row_is_no_pass_mark_in_a_sorted_table():
    table = {"id": [*range(ROWS)], "sex": SEX, "hired": [0] * 60 + [1] * 60}
    kinds = {one.kind for one in read(pa.table(table)).inspect(decision="hired").findings}
    assert FindingKind.DETERMINES_DECISION not in kinds


def test_columns_that_determine_the_decision_together_are_found():
    one, two = np.random.default_rng(4).integers(0, 5, (2, ROWS * 3))
    table = {"one": one, "two": two, "passed": ((one > 1) & (two > 2)).astype(int)}
    found = finding(
        read(pa.table(table)).inspect(decision="passed"), FindingKind.TOGETHER_DETERMINE
    )
    assert found.numbers["pairs"] == [["one", "two"]]
    (rule,) = found.problem.remedies
    assert (rule.argument, rule.value) == ("rule", ["one", "two"])


@pytest.mark.parametrize(
    ("decision", "name", "asked"),
    [
        ("two_year_recid", "is_recid", True),
        ("two_year_recid", "event", True),
        ("two_year_recid", "end", True),
        ("hired", "final_letter", True),
        ("two_year_recid", "priors_count", False),
        ("loan_status", "loan_amount", False),
    ],
)
def test_names_that_suggest_what_came_after_the_decision_are_asked_about(decision, name, asked):
    table = {"sex": SEX, decision: HIRED, name: TOWN}
    kinds = {one.kind for one in read(pa.table(table)).inspect(decision=decision).findings}
    assert (FindingKind.WRITTEN_AFTER in kinds) is asked


def dated(*, days, later):
    """The end of a training, so many days after each decision; of the later ones only."""
    hired = np.datetime64("2020-01-30") + np.arange(ROWS)
    ends = [str(day + (days if at >= ROWS - later else -400)) for at, day in enumerate(hired)]
    return {"hired_on": [*map(str, hired)], "training": ends}


@pytest.mark.parametrize(
    ("days", "later", "asked"),
    [(40, ROWS, True), (40, ROWS - 3, True), (40, ROWS - 20, False), (0, ROWS, False)],
)
def test_dates_after_that_of_the_decision_are_asked_about(days, later, asked):
    one = finding(look(**dated(days=days, later=later)), FindingKind.WRITTEN_AFTER)
    assert one.columns == ("hired_on", "training")[: 1 + asked]


def test_a_class_of_the_decision_follows_from_it():
    grade = [str(at // 2 % 4) for at in range(ROWS)]
    table = pa.table({"sex": SEX, "grade": grade, "top": [str(g == "3") for g in grade]})
    found = read(table).inspect(decision="grade", protected="sex")
    assert finding(found, FindingKind.FOLLOWS_FROM_DECISION).columns == ("top",)


def test_columns_tied_to_the_protected_attribute():
    title = [{"f": "Ms", "m": "Mr"}[s] if at % 2 else s.upper() for at, s in enumerate(SEX)]
    one = finding(look(title=title), FindingKind.TIED_TO_PROTECTED)
    assert one.columns == ("title",)
    assert one.numbers == {"determined": []}


def test_spellings_of_one_value_are_merged_into_the_most_frequent():
    town = [
        "Bonn" if t == "a" and at % 2 else "bonn " if t == "a" else t
        for at, t in enumerate(TOWN)
    ]
    town[0] = "Bonn"
    cafe = ["Cafe\u0301" if at % 2 else "Caf\u00e9" for at in range(ROWS)]
    one = finding(look(home=town, cafe=cafe), FindingKind.SPELLING)
    (remedy,) = one.problem.remedies
    assert remedy.value["home"] == {"Bonn": ["Bonn", "bonn "]}
    assert [*remedy.value["cafe"].values()] == [["Caf\u00e9", "Cafe\u0301"]]


def test_one_text_that_looks_missing_in_many_columns_is_one_finding():
    columns = {
        f"c{at}": ["?" if i % (at + 5) == 0 else "x" for i in range(ROWS)] for at in range(19)
    }
    one = finding(look(**columns), FindingKind.MARKER)
    assert len(one.columns) == 19
    assert one.numbers["rows"]["c0"] == 24
    assert "'c0' 24 rows, 'c1' 20, " in one.problem.what
    assert one.problem.what.endswith("and 14 more.")
    assert one.problem.remedies[0].value == ["?"]


def test_copies_of_a_column_keep_the_one_that_is_asked_about():
    one = finding(
        look(code=[t.upper() for t in TOWN], gender=[{"f": "w", "m": "n"}[s] for s in SEX]),
        FindingKind.EQUIVALENT,
    )
    assert one.numbers["copies"] == {"gender": "sex", "code": "town"}
    first = read(pa.table({"gender": SEX, "sex": [s * 2 for s in SEX], "hired": HIRED}))
    found = first.inspect(decision="hired", protected="sex")
    assert finding(found, FindingKind.EQUIVALENT).numbers["copies"] == {"gender": "sex"}


DAYS = [f"2020-01-{1 + at % 9:02}" for at in range(ROWS)]
FOUND = {
    FindingKind.DEPENDENT: (
        {"early": [str(t < "c") for t in TOWN]},
        {"pairs": [["town", "early"]]},
        ["early"],
    ),
    FindingKind.NO_GROUPS: (
        {"id": [str(at) for at in range(ROWS)], "same": ["x"] * ROWS, "day": DAYS},
        {"kinds": {"id": "identifier", "same": "constant", "day": "date"}},
        ["id", "same", "day"],
    ),
    FindingKind.NUMBERS: (
        {"pay": [str(1000 + 7 * (at % 40)) for at in range(ROWS)]},
        {"values": {"pay": 40}},
        {"pay": [1042, 1105, 1175, 1210]},
    ),
    FindingKind.MANY_VALUES: (
        {"home": [f"t{at % 60}" for at in range(ROWS)]},
        {"values": {"home": 60}},
        ...,
    ),
    FindingKind.MISSING: (
        {
            "a": [None if at < 10 else "x" for at in range(ROWS)],
            "b": [None if 5 <= at < 20 else "yz"[at % 2] for at in range(ROWS)],
        },
        {"rows": {"a": 10, "b": 15}, "incomplete_rows": 20},
        "drop",
    ),
}


@pytest.mark.parametrize("kind", FOUND)
def test_columns_of_one_kind_are_one_finding_with_a_remedy(kind):
    columns, numbers, value = FOUND[kind]
    one = finding(look(**columns), kind)
    assert one.numbers == numbers
    assert one.problem.remedies[0].value == value


def test_columns_without_labels_and_rows_that_did_not_fit_are_told():
    lists = look(list=pa.array([[1]] * ROWS))
    assert finding(lists, FindingKind.UNREADABLE).columns == ("list",)
    batch = pa.record_batch({"sex": SEX * 1000, "hired": HIRED * 1000})
    rows = replace(read(pa.Table.from_batches([batch] * 4)), memory=4 * 10**6)
    part = finding(rows.inspect(), FindingKind.IN_PART)
    assert f"Only the first {part.numbers['rows']:,} rows" in str(part.problem)


def test_what_was_looked_at_in_part_is_said(monkeypatch):
    drawn = np.random.default_rng(1).integers(0, 5, (8, 80))
    table = {f"c{at}": [*codes.astype(str)] for at, codes in enumerate(drawn)}
    table["coarse"] = [*(drawn[5] // 2).astype(str)]
    kinds = {one.kind for one in inspect(CountTable.of(table)).findings}
    assert FindingKind.IN_PART not in kinds
    monkeypatch.setattr(functional_dependencies, "_MOST_TESTS", 0)
    one = finding(inspect(CountTable.of(table)), FindingKind.IN_PART)
    assert one.numbers == {"columns": 5, "of": 9}
    assert "in 5 of 9 columns only" in str(one.problem)


def test_a_date_that_tells_the_decision_is_said_to_determine_it():
    months = iter(range(ROWS))
    date = [f"20{10 + 2 * (next(months) % 5) + (one == 'yes')}-03-01" for one in HIRED]
    found = look(date=date)
    assert finding(found, FindingKind.DETERMINES_DECISION).columns == ("date",)
    assert finding(found, FindingKind.NO_GROUPS).columns == ("date",)


@pytest.mark.parametrize(
    ("missing", "what", "others"),
    [
        ("error", "Values are missing", ["drop", "level"]),
        ("drop", "Rows that lack a value are left out, 30 of 120 rows", ["level"]),
        ("level", "A missing value counts as a value of its own", ["drop"]),
    ],
)
def test_what_is_done_with_missing_values_is_said_and_the_other_way_offered(
    missing, what, others
):
    rows = {"sex": SEX, "town": TOWN, "hired": [*HIRED[:90], *[None] * 30]}
    looked = read(pa.table(rows), missing=missing).inspect(decision="hired", protected="sex")
    problem = finding(looked, FindingKind.MISSING).problem
    assert problem.what.startswith(what)
    assert "30 of 120 rows" in problem.what
    assert [way.value for way in problem.remedies] == others
    assert ("counts as not favorable" in problem.found) == (missing == "level")


def columns(lines, **more):
    names = ("sex", "town", "hired")
    return {**dict(zip(names, map(list, zip(*lines, strict=True)), strict=True)), **more}


def counting(table):
    return counting_column(read(pa.table(table)).lines.table, ())


def test_a_table_of_counts_names_the_column_that_counts():
    table = columns(LINES, people=[*range(3, 15)])
    (found,) = (
        one
        for one in read(pa.table(table)).inspect().findings
        if one.kind is FindingKind.COUNTED
    )
    assert found.columns == ("people",)
    (remedy,) = found.problem.remedies
    assert (remedy.argument, remedy.value) == ("frequency", "people")
    assert "102" in found.problem.what
    counted = read(pa.table(table), frequency="people").inspect()
    assert FindingKind.COUNTED not in {one.kind for one in counted.findings}


@pytest.mark.parametrize(
    "numbers",
    [
        [*range(-1, 11)],
        [at + 0.5 for at in range(12)],
        [*range(11), None],
        [0, 1] * 6,
        [*"abcdefghijkl"],
    ],
    ids=["negative", "fractions", "missing", "no number of people", "texts"],
)
def test_only_whole_numbers_from_0_on_count(numbers):
    assert counting(columns(LINES, people=numbers)) is None


def test_lines_that_repeat_are_people():
    assert counting(columns([*LINES, LINES[0]], people=[*range(3, 16)])) is None


def test_people_with_a_number_of_their_own_are_no_counts():
    rows = LINES * 5
    ages = [18 + at % 40 for at in range(60)]
    assert counting(columns(rows, id=[f"p{at}" for at in range(60)], age=ages)) is None


def test_rows_that_differ_by_chance_are_no_counts():
    draw = np.random.default_rng(5)
    many = {f"c{at}": draw.integers(0, 9, 50).tolist() for at in range(6)}
    assert counting(many) is None
    # Oracle: in these columns hardly two of 50 people are alike.
    assert len({*zip(*[*many.values()][1:], strict=True)}) == 50


def test_what_is_asked_about_does_not_count():
    table = read(pa.table(columns(LINES, people=[*range(3, 15)]))).lines.table
    assert counting_column(table, ["people"]) is None


def test_the_remedy_says_how_to_write_them():
    table = pa.table({"pay": [f"{number},5" for number in range(20)] * 2})[1:]
    (problem,) = read(table).inspect().problems
    assert "'pay'" in problem.what
    assert "0.5" in problem.remedies[0].words
    assert problem.remedies[1].value == ["pay"]


def test_one_column_and_many_are_told_in_their_number():
    (one,) = leave_out(FindingKind.UNREADABLE, ["a"], "odd.")
    (remedy,) = one.problem.remedies
    assert remedy.words == "Leave it out"
    (many,) = leave_out(FindingKind.DEPENDENT, [f"c{at}" for at in range(9)], "odd.")
    assert str(many.problem).startswith("'c0', 'c1', 'c2', 'c3', 'c4' and 4 more are odd. ")
    assert many.problem.remedies[0].value == [f"c{at}" for at in range(9)]
    assert not [*leave_out(FindingKind.UNREADABLE, [], "odd.")]


def test_a_finding_is_plain_data():
    content = in_part("Some.", Remedy("Allow more memory", "memory"), rows=7).to_dict()
    assert content["kind"] == "looked at in part"
    assert content["numbers"] == {"rows": 7}
    assert content["remedies"] == [{"words": "Allow more memory", "argument": "memory"}]


def people(times=1, **more):
    """Sixty people, each in the table several times, and a number of each row's own."""
    draw = np.random.default_rng(11)
    once = {name: draw.integers(0, 9, 60).tolist() for name in ("age", "job", "grade")}
    table = {name: [*map(str, codes)] * times for name, codes in once.items()}
    return {**table, **more}


def kinds(table, **read_as):
    return {one.kind: one for one in read(pa.table(table), **read_as).inspect().findings}


@pytest.mark.parametrize(("times", "share"), [(2, "25 %"), (4, "65 %")])
def test_a_table_whose_rows_all_repeat_is_told(times, share):
    table = people(times, row_id=[*range(60 * times)])
    one = kinds(table)[FindingKind.REPEATED_ROWS]
    assert (one.numbers["times"], one.numbers["rows"]) == (times, 60 * times)
    assert one.columns == ("age", "job", "grade")
    assert f"{times} times" in one.problem.what
    assert share in one.problem.found


def test_a_table_joined_to_itself_keeps_its_numbers_of_people():
    assert FindingKind.REPEATED_ROWS in kinds(people(2, row_id=[*range(60)] * 2))


@pytest.mark.parametrize("odd", ["one row more", "few lines", "declared counts"])
def test_rows_that_repeat_for_a_reason_are_not_told(odd):
    table, read_as = people(2), {}
    if odd == "one row more":
        table = {name: [*values, values[0]] for name, values in table.items()}
    elif odd == "few lines":
        table = {name: values[:19] * 2 for name, values in people().items()}
    else:
        table, read_as = people(people=[10] * 60), {"frequency": "people"}
    assert FindingKind.REPEATED_ROWS not in kinds(table, **read_as)


@pytest.mark.parametrize(
    ("name", "rows", "told"),
    [
        ("person_id", [at // 2 for at in range(200)], True),
        ("person_id", [at * at % 131 for at in range(200)], True),
        ("person_id", [*range(200)], False),  # each once
        ("person_id", [at % 20 for at in range(200)], False),  # ten rows each: a group
        ("person_id", [*range(140), *range(60)], False),  # most only once
        ("nr", [at // 8 for at in range(480)], True),  # people seen in each of eight years
        ("age", [at // 2 for at in range(200)], False),  # no name of an identifier
    ],
)
def test_an_identifier_that_repeats_is_told(name, rows, told):
    jobs = [*map(str, np.arange(len(rows)) % 7)]
    table = {name: [f"p{one}" for one in rows], "job": jobs}
    found = kinds(table)
    assert (FindingKind.REPEATED_IDENTIFIER in found) is told
    if told:
        one = found[FindingKind.REPEATED_IDENTIFIER]
        assert one.columns == (name,)
        assert one.numbers["values"] == {name: len({*rows})}


def test_an_identifier_of_a_table_that_is_counted_is_told_too():
    table = {"patient_no": [at // 3 for at in range(300)], "job": [*map(str, range(5))] * 60}
    assert FindingKind.REPEATED_IDENTIFIER in kinds(table)

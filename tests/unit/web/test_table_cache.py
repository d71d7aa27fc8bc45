"""The open table: read once, looked at as often as codings change."""

import pytest

from evenhand.errors import InputError
from evenhand.rows import read
from evenhand.web.table_cache import OpenTable, Reading, Recent

CLASSES = {"data": {"bins": {"age": [30]}, "exclude": ["name"]}}


@pytest.fixture
def path(tmp_path):
    lines = ["name,age,hired", *(f"p{at},{20 + at % 25},{at % 2}" for at in range(100))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "people.csv"


def test_looks_under_other_codings_do_not_read_the_file(path):
    expected = read(path, bins={"age": [30]}, exclude=["name"]).inspect().to_dict()
    opened = OpenTable(path)
    assert Reading(opened, {}).inspection.rows == 100
    path.unlink()
    assert Reading(opened, CLASSES).inspection.to_dict() == expected
    assert Reading(opened, CLASSES).rows.columns == ("age", "hired")
    named = Reading(opened, {**CLASSES, "question": {"decision": "hired"}}).stored_inspection
    assert named.column("name").distinct == 100  # also what is left out is looked at


def test_a_file_that_changed_on_the_disk_is_noticed(path):
    opened = OpenTable(path)
    opened.check("people.csv")
    path.write_text(path.read_text("utf-8") + "q,30,1\n", "utf-8")
    assert opened.has_changed
    with pytest.raises(InputError, match="changed on the disk"):
        opened.check("people.csv")


def test_how_rows_are_read_makes_other_rows(path):
    opened = OpenTable(path)
    assert opened.stored({}).lines.table.row_count == 100
    counted = opened.stored({"data": {"frequency": "age"}}).lines.table
    assert counted.row_count == sum(20 + at % 25 for at in range(100))


def test_what_was_not_asked_for_longest_is_forgotten():
    recent = Recent[int](2)
    made = []

    def make(number):
        made.append(number)
        return number

    for number in (1, 2, 1, 3, 1, 2):
        assert recent.get(str(number), lambda number=number: make(number)) == number
    assert made == [1, 2, 3, 2]
    assert recent.find("3") is None

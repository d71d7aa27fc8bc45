"""A certificate gets its name only if the stand-alone checker does not find it false."""

import pytest
from tests.admission import OPEN_GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, csv_of

from evenhand import datasets
from evenhand.errors import ResourceError, UnconfirmedError
from evenhand.evidence import certify
from evenhand.record import checker_process
from evenhand.record.checker_process import can_read, confirm


def written(folder, text=None):
    path = folder / "c.json"
    path.write_text(text or CERTIFICATE.to_json())
    return path


@pytest.mark.parametrize("change", [('"not certified"', '"certified"'), ("cate 3", "cate 4")])
def test_what_is_false_or_cannot_be_begun_is_not_confirmed(tmp_path, change):
    with pytest.raises(UnconfirmedError, match="does not confirm"):
        confirm(written(tmp_path, CERTIFICATE.to_json().replace(*change, 1)))


def test_what_is_true_or_left_open_is_confirmed(tmp_path):
    confirm(written(tmp_path))
    found = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION, scope="all")
    confirm(written(tmp_path, found.to_json()))


def test_rows_of_a_plain_file_are_read_unless_they_take_long(tmp_path, monkeypatch):
    path = written(tmp_path)
    right = csv_of(datasets.admissions(2), tmp_path / "right.csv")
    wrong = csv_of(datasets.admissions(1), tmp_path / "wrong.csv")
    confirm(path, right)
    confirm(path, str(tmp_path / "not there.csv"))
    with pytest.raises(UnconfirmedError, match="does not confirm"):
        confirm(path, wrong)
    monkeypatch.setattr(checker_process, "_MOST_DATA", wrong.stat().st_size)
    with pytest.raises(UnconfirmedError, match="does not confirm"):
        confirm(path, wrong)
    monkeypatch.setattr(checker_process, "_MOST_DATA", wrong.stat().st_size - 1)
    confirm(path, wrong)
    assert [can_read(one) for one in (None, str(right), str(path))] == [False, True, False]


def test_a_checker_that_cannot_be_run_is_said(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(checker_process, "ask_checker", fail)
    with pytest.raises(ResourceError, match="could not be run"):
        confirm(written(tmp_path))

"""Whole records: true ones, shared copies, swapped verdicts."""

import pytest
from tests.admission import OPEN_GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, csv_of, verify
from tests.classed_numbers import GRAPH as CLASSED
from tests.classed_numbers import rows_of, write_text
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

import evenhand as eh
from evenhand import checker, datasets
from evenhand.evidence import certify
from evenhand.graph import CausalGraph


def test_adult_is_true(paper_adult):
    causes = [name for name in paper_adult.names if name != "income"]
    graph = CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    certificate = certify(paper_adult, graph, datasets.question("adult").question)
    assert verify(certificate.to_json()) == (0, [])


@pytest.mark.parametrize("name", QUESTIONS)
def test_one_altered_score_is_found_whoever_is_compared(tmp_path, name):
    certificate = certify(counted(), GROUPS, QUESTIONS[name])
    path = csv_of(counted(), tmp_path / "data.csv")
    path.write_text(path.read_text().replace("m,b,x,High", "m,b,x,Low", 1))
    status, notes = verify(certificate.to_json(), path)
    assert status == 1
    assert any(note.startswith("partitions[0].table") for note in notes)
    assert any(note.startswith("partitions[0].digest") for note in notes)


def test_a_shared_copy_alone_cannot_be_decided():
    status, notes = verify(CERTIFICATE.to_shared_json())
    assert status == 3
    assert "shared copy" in notes[0]


def test_a_shared_copy_with_its_data_is_true(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    text = CERTIFICATE.to_shared_json(least_count=50)
    assert verify(text, str(path)) == (0, [])


@pytest.mark.parametrize("least_count", [1, 2])
def test_a_shared_copy_may_show_single_people(tmp_path, least_count):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    assert verify(CERTIFICATE.to_shared_json(least_count=least_count), str(path)) == (0, [])


def test_of_open_causes_a_shared_copy_has_one_set():
    text = certify(datasets.admissions(1), OPEN_GRAPH, QUESTION).to_shared_json()
    status, notes = verify(text)
    assert status == 3
    assert [note.split(":")[0] for note in notes] == [
        "this is a shared copy",
        "possible_decision_causes",
    ]


@pytest.mark.parametrize(("small_town", "status"), [((3, 4, 5, 6), 0), ((7, 0, 0, 11), 1)])
def test_a_shared_copy_of_a_release_says_certified_of_all_rows(tmp_path, small_town, status):
    """What the copy withholds is in the data, and differs there or not."""

    def counted(small):
        lines = [("a", sex, hired, 40) for sex in "fm" for hired in ("yes", "no")]
        cells = zip("ffmm", ("yes", "no") * 2, small, strict=True)
        lines += [("b", sex, hired, n) for sex, hired, n in cells if n]
        *columns, counts = zip(*lines, strict=True)
        return eh.CountTable.of(
            dict(zip(("town", "sex", "hired"), columns, strict=True)), counts
        )

    question = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("town -> hired; sex -> hired")
    release = eh.audit(counted((3, 4, 5, 6)), question, graph=graph).release(seed=1)
    path = csv_of(counted(small_town), tmp_path / "data.csv")
    found, notes = verify(release.certificate.to_shared_json(), path)
    assert found == status
    wrong = "verdict: it says 'certified', but should say 'not certified'"
    assert (wrong in notes) == bool(status)


def test_what_a_malformed_record_lacks_is_named():
    assert verify("{}") == (1, ["malformed: it has no 'format'"])
    status, notes = verify("[]")
    assert status == 1
    assert notes[0].startswith("malformed: list indices")


def test_a_value_in_no_class_cannot_be_checked_unless_the_record_is_false(tmp_path):
    lines = rows_of(["1", "2", "5"])
    asked = eh.Question(protected="g", group="f", decision="y", favorable="1")
    found = eh.audit(
        write_text(tmp_path / "a.csv", lines),
        asked,
        codings=eh.Codings.of(bins={"x": ["up to 3", "4 or more"]}),
        graph=eh.CausalGraph.parse(CLASSED),
    )
    text = found.certificate.to_json()
    other = write_text(tmp_path / "b.csv", [(g, "3.5", y) for g, _, y in lines])
    note = "cannot be checked: '3.5' lies in no class of 'x' that is known"
    assert checker.verify(text, str(other))[:3] == (3, [note], {})
    false = text.replace('"verdict":"', '"verdict":"un', 1)
    status, notes, *_ = checker.verify(false, str(other))
    assert (status, note in notes) == (1, False)

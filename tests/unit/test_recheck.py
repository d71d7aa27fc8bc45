"""A certificate is verified, refuted or left open, field by field, by both programs."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import pytest
from tests.certificate_records import csv_of
from tests.hiring import csv_text, people, released

import evenhand as eh
from evenhand import checker
from evenhand.display import Progress
from evenhand.errors import InputError, ResourceError
from evenhand.recheck import CheckedRecord, check_file, check_record
from evenhand.record import checker_process

GRAPH = eh.CausalGraph.parse("sex -> hired; age -> hired")


@pytest.fixture
def files(tmp_path: Path) -> eh.releasing.PublishedFiles:
    source = tmp_path / "people.csv"
    source.write_text(csv_text(people()), newline="")
    return released(source).write(tmp_path / "out.csv", share=True)


@pytest.fixture
def full(files: eh.releasing.PublishedFiles) -> str:
    return files.certificate.read_text()


def checked(text: str, data: str | None = None, **options: Any) -> CheckedRecord:
    """What is said of a record in a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "record.json"
        path.write_text(text, "utf-8")
        return check_record(path, data, **options)


def _outcomes(text: str, data: str | None = None) -> dict[str, str]:
    return {one.name: one.outcome for one in checked(text, data).checks}


def test_a_true_record_is_true_in_every_field(
    full: str, files: eh.releasing.PublishedFiles
) -> None:
    for data in (None, str(files.data)):
        found = checked(full, data)
        assert found.status == 0
        assert found.sentence == "Certificate verified: certified"
        outcomes = _outcomes(full, data)
        assert {*outcomes} == {*json.loads(full)}
        assert {*outcomes.values()} == {"verified", "stated"}
        assert outcomes["verdict"] == outcomes["partitions"] == outcomes["seal"] == "verified"
        assert outcomes["question"] == outcomes["graph"] == "stated"


def test_an_altered_record_is_false_where_it_was_altered(full: str) -> None:
    record = json.loads(full)
    record["verdict"] = "not certified"
    text = json.dumps(record)
    found = checked(text)
    assert found.status == 1
    outcomes = _outcomes(text)
    assert {name for name, outcome in outcomes.items() if outcome == "refuted"} >= {"verdict"}
    assert outcomes["direct_arrow"] == "verified"
    alone = checker.verify(text)
    assert found.by_checker == tuple(alone.notes)
    told = {one.name: one.objections for one in found.checks}
    assert sum(told.values()) == sum(len(notes) for _, notes in found.objections)


def test_other_data_are_no_proof(full: str, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(csv_text(people(seed=1)), newline="")
    assert checked(full, str(other)).status == 1
    assert _outcomes(full, str(other))["partitions"] == "refuted"
    other.write_text("a,b\n1,2\n")
    found = checked(full, str(other))
    assert (found.status, found.checks) == (1, ())  # of no single field


def test_numbers_that_no_recorded_class_holds_leave_the_record_open(tmp_path: Path) -> None:
    """Between "up to 3" and "4 or more" lies 3.5: the data may be others, or be spelled so."""
    lines = [(sex, "34"[at % 2], "yn"[at % 3 > 0]) for at in range(60) for sex in "fm"]
    table = dict(zip(("sex", "age", "hired"), map(list, zip(*lines, strict=True)), strict=True))
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="y")
    found = eh.audit(
        pd.DataFrame(table), asked, graph=GRAPH, codings=eh.Codings.of(bins={"age": [3]})
    )
    text = found.certificate.to_json()
    for age, status in (("4", 1), ("3.5", 3)):
        changed = pd.DataFrame(table)
        changed.loc[0, "age"] = age
        changed.to_csv(tmp_path / "people.csv", index=False)
        assert checked(text, str(tmp_path / "people.csv")).status == status


def test_a_shared_copy_alone_decides_nothing(files: eh.releasing.PublishedFiles) -> None:
    assert files.shared is not None
    text = files.shared.read_text()
    found = checked(text)
    assert found.status == 3
    assert found.sentence.startswith("Certificate neither verified nor refuted")
    assert _outcomes(text)["verdict"] == "stated"
    assert checked(text, str(files.data)).status == 0


def test_what_the_checker_leaves_open_the_data_settle(tmp_path: Path) -> None:
    graph = eh.PartialGraph.parse(
        "gender -> major -> admission; gender -> admission; test_score -- admission"
    )
    counts, asked = (
        eh.datasets.admissions(2),
        eh.datasets.question("admissions").question,
    )
    text = eh.certify(counts, graph, asked).to_json()
    found = checked(text)
    assert (found.status, found.by_engine) == (3, ())
    assert found.by_checker[0].startswith("possible_decision_causes")
    found = checked(text, str(csv_of(counts, tmp_path / "data.csv")))
    assert found.status == 0
    causes = next(one for one in found.checks if one.name == "possible_decision_causes")
    assert (causes.outcome, causes.by_engine_alone) == ("verified", True)
    assert not any(notes for _, notes in found.objections)


@pytest.mark.parametrize("text", ["{", '{"a": 1}', "{}", '{"format": NaN}'])
def test_what_is_no_record_is_not_true(text: str) -> None:
    found = checked(text)
    assert found.status in (1, 3)
    assert "no verdict" in found.sentence


def test_a_manifest_is_refused_by_name(files: eh.releasing.PublishedFiles) -> None:
    with pytest.raises(InputError, match="manifest of a release, not its certificate"):
        check_file(files.manifest)


def test_files_that_are_no_certificate_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(InputError, match="cannot be read"):
        check_file(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        check_file(path)
    for text in ("a,b\n", "[]", "3"):
        path.write_text(text)
        with pytest.raises(InputError, match="one JSON object"):
            check_file(path)
    path.write_text(" {}")
    check_file(path)


def test_progress_is_reported_while_data_are_read(
    full: str, files: eh.releasing.PublishedFiles
) -> None:
    seen: list[str] = []
    checked(full, str(files.data), progress=lambda one: seen.append(one.step))
    assert seen == ["counting rows"]


def test_large_records_are_checked_in_a_process_of_their_own(
    full: str,
    files: eh.releasing.PublishedFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = tmp_path / "other.csv"
    other.write_text(csv_text(people(seed=1)), newline="")
    heard: list[Progress] = []
    for data in (None, str(files.data), str(other)):
        heard.clear()
        monkeypatch.setattr(checker_process, "_LARGE", 0)
        apart = checked(full, data, progress=heard.append)
        assert heard[0].step == "checking by the stand-alone program"
        monkeypatch.undo()
        assert apart == checked(full, data)


def test_data_that_no_program_can_read_are_bad_input_unless_the_record_is_false(
    full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data.parquet"
    data.write_text("no table")
    false = full.replace('"verdict":"certified"', '"verdict":"not certified"')
    for large in (checker_process._LARGE, 0):
        monkeypatch.setattr(checker_process, "_LARGE", large)
        with pytest.raises(InputError):
            checked(full, str(data))
        assert checked(false, str(data)).status == 1


def test_the_process_ends_when_the_check_is_cancelled(
    full: str, files: eh.releasing.PublishedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Waiting(checker_process.Popen):  # type: ignore[type-arg]
        """A checker that would take an hour."""

        def __init__(self, command: list[str], **settings: object) -> None:
            command[3] = "import time; time.sleep(3600)"
            super().__init__(command, **settings)  # type: ignore[call-overload]
            started.append(self)

    def cancel(_: Progress) -> None:
        if len(heard) > 1:
            raise KeyboardInterrupt
        heard.append(1)

    heard: list[int] = []
    monkeypatch.setattr(checker_process, "_LARGE", 0)
    monkeypatch.setattr(checker_process, "Popen", Waiting)
    with pytest.raises(KeyboardInterrupt):
        checked(full, str(files.data), progress=cancel)
    (process,) = started
    assert process.poll() is not None


def test_a_process_that_ends_without_an_answer_is_said(
    full: str, files: eh.releasing.PublishedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker_process, "_LARGE", 0)
    monkeypatch.setattr(checker_process, "_ANSWER", "raise MemoryError")
    with pytest.raises(ResourceError, match="before it answered") as caught:
        checked(full, str(files.data), progress=lambda _: None)
    assert caught.value.problems[0].found == "MemoryError"


def test_no_file_of_the_present_folder_is_run(
    full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who sends a certificate may send a json.py with it."""
    for name in ("json", "csv", "checker"):
        (tmp_path / f"{name}.py").write_text("open('run', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checker_process, "_LARGE", 0)
    assert checked(full).status == 0
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("status", "against", "verdicts", "says"),
    [
        (0, "its own numbers", {(): "certified"}, "verified: certified"),
        (0, "a.csv", {}, "verified: no verdict"),
        (1, "a.csv", {}, "refuted: it holds no verdict, and does not agree with the data"),
        (
            1,
            "its own numbers",
            {(): "x"},
            "refuted: it says x, and does not agree with its own",
        ),
        (
            1,
            "a.csv",
            {(): "x", ("a", "b"): "y"},
            "refuted: it says x; through a, b: y, and does",
        ),
        (3, "a.csv", {(): "x"}, "neither verified nor refuted; it says: x"),
    ],
)
@pytest.mark.parametrize("named", ["graph", "counts"])
def test_each_field_has_its_outcome_if_every_objection_names_one(
    status: int, against: str, verdicts: dict, says: str, named: str
) -> None:
    objections = (f"{named}[1]: no", f"{named}.x: no", "answer: no") if status else ()
    found = CheckedRecord(
        status=status,
        verdicts=verdicts,
        against=against,
        checker_read_data=False,
        by_checker=objections[:2],
        by_engine=objections[2:],
        stated={"rules": "an input"},
        by_engine_alone=("seal",),
        fields=("counts", "answer", "rules", "seal"),
    )
    assert found.sentence.startswith(f"Certificate {says}")
    assert dict(found.objections) == {"checker": objections[:2], "engine": objections[2:]}
    if status == 1 and named == "graph":
        assert found.checks == ()
        return
    about = {0: "verified", 1: "refuted", 3: "open"}[status]
    counts, answer, rules, seal = found.checks
    assert (answer.outcome, answer.objections) == (about, int(status > 0))
    assert counts.outcome == (about if named == "counts" else "verified")
    assert counts.objections == (2 if status and named == "counts" else 0)
    assert (rules.outcome, rules.why, seal.outcome) == ("stated", "an input", "verified")
    assert [one.by_engine_alone for one in found.checks] == [False, False, False, True]

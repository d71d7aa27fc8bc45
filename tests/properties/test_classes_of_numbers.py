"""What is written about classes of numbers is true, however numbers and cuts are written."""

import json
import subprocess
import sys
from decimal import Decimal
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.certificate_records import sealed
from tests.classed_numbers import (
    GRAPH,
    OPTIONS,
    check_classes,
    rows_of,
    write_table,
    write_text,
)
from tests.fuzzing import run
from tests.repetitions import ALL, repetitions

import evenhand as eh
from evenhand import checker
from evenhand.errors import ValuesError

DECIMALS = ["2.5", "3.0", "3.2", "3.5", "3.8"]
WHOLE = ["1", "2", "3", "4", "5"]
TABLES = {
    "decimal": DECIMALS,
    "whole": WHOLE,
    "spelled": ["2.50", "3", "3.20", "35e-1", "+3.8", " 3.1"],
    "whole as decimals": ["1.0", "2.00", "3.0", "4.", "5e+0"],
    "negative": ["-3.8", "-3.5", "-3.2", "-3", "0", "0.25"],
    "only between": ["3.1", "3.2", "3.3"],
}
CUTS = {
    "3,3.5": [3, "3.5"],
    "3.0,3.50": ["3.0", "3.50"],
    "3,3.2,3.5": [Decimal(3), 3.2, "3.5"],
    "2.5,3,4": [2.5, 3, Decimal(4)],
    ">=3,3.5": [">=3", 3.5],
    ">=3,3": [">=3", "3"],
    "30e-1,3.5e0": ["30e-1", "3.5e0"],
    "3,1e1": [3.0, "1e1"],
    "-3.5,-3": [-3.5, -3],
    "-3.5,>=-3,0.25": ["-3.5", ">=-3", Decimal("0.25")],
}


def audit(data, *options, folder):
    certificate = folder / "c.json"
    status, _, err = run(
        ["audit", str(data), *OPTIONS, "--graph", str(graph_in(folder)), *options,
         "--certificate", str(certificate), "--overwrite", "--quiet"]
    )  # fmt: skip
    assert status in (0, 1, 3), err
    return certificate


def graph_in(folder):
    path = folder / "graph.txt"
    path.write_text(GRAPH.replace("; ", "\n"))
    return path


def check_written(certificate, data, lines, cuts):
    """Check a certificate by `verify`, by the checker, and by comparing decimals."""
    status, out, err = run(["verify", str(certificate), str(data)])
    assert (status, err) == (0, ""), out
    assert run(["verify", str(certificate)])[0] == 0
    text = certificate.read_text()
    given = str(data) if data.suffix == ".csv" else None
    assert checker.verify(text, given)[:2] == (0, [])
    document = json.loads(text)
    codings = eh.Codings.of(bins={"x": cuts})
    check_classes(document, eh.read(data, codings=codings).count(), lines, cuts)


@pytest.mark.parametrize(
    ("cuts", "table", "ending"),
    [*product(CUTS, TABLES, [".csv", ".parquet"])][:: 1 if ALL else 5],
)
def test_a_certificate_about_classes_is_true(tmp_path, table, cuts, ending):
    lines = rows_of(TABLES[table])
    data = write_table(tmp_path / f"a{ending}", lines)
    certificate = audit(data, "--bin", f"x={cuts}", folder=tmp_path)
    check_written(certificate, data, lines, CUTS[cuts])


@pytest.mark.parametrize("cuts", ['[3, "3.5"]', "[3, 3.5]", '["3.0", 3.50]', '["3", "35e-1"]'])
def test_cuts_in_a_question_file_give_the_same_classes(tmp_path, cuts):
    lines = rows_of(DECIMALS)
    data = write_table(tmp_path / "a.csv", lines)
    asked = tmp_path / "asked.toml"
    asked.write_text(f"[data]\nbins = {{x = {cuts}}}\n")
    certificate = audit(data, "--question", str(asked), folder=tmp_path)
    check_written(certificate, data, lines, ["3", "3.5"])


@pytest.mark.parametrize(
    "cuts",
    [[3, 3.5], ["3", "3.50"], [Decimal(3), Decimal("3.5")], [3.0, "3.5"], [3, "3.5"]],
)
def test_cuts_given_in_python_give_the_same_classes(tmp_path, cuts):
    lines = rows_of(DECIMALS)
    data = write_table(tmp_path / "a.csv", lines)
    question = eh.Question(protected="g", group="f", decision="y", favorable="1")
    found = eh.audit(
        data,
        question,
        codings=eh.Codings.of(bins={"x": cuts}),
        graph=eh.CausalGraph.parse(GRAPH),
    )
    check_written(found.certificate.write(tmp_path / "c.json"), data, lines, ["3", "3.5"])
    bins = json.loads((tmp_path / "c.json").read_text())["codings"]["bins"]
    assert bins == {"x": ["up to 3", "over 3 to 3.5", "over 3.5"]}


def near(draw, low, places):
    """A number from low on, under five more, with so many places after the point."""
    return low + Decimal(int(draw.integers(5 * 10**places))).scaleb(-places)


def test_random_cuts_of_random_numbers(tmp_path):
    draw = np.random.default_rng(20)
    for at in range(repetitions(40)):
        low, places = int(draw.choice([-6, -1, 0, 95])), int(draw.integers(3))
        # Few different numbers, so that some cuts lie among them and some classes stay empty.
        numbers = [str(near(draw, low, places)) for _ in range(draw.integers(2, 9))]
        ends = {near(draw, low, int(draw.integers(2))) for _ in range(draw.integers(1, 5))}
        cuts = [draw.choice(["", "", ">="]) + str(end) for end in sorted(ends)]
        lines = rows_of(numbers, rows=120, seed=at)
        ending = draw.choice([".csv", ".csv", ".parquet"])
        data = write_table(tmp_path / f"{at}{ending}", lines)
        codings = eh.Codings.of(bins={"x": cuts})
        question = eh.Question(protected="g", group="f", decision="y", favorable="1")
        given = eh.CausalGraph.parse(GRAPH)
        found = eh.audit(data, question, codings=codings, graph=given)
        certificate = found.certificate.write(tmp_path / f"{at}.json")
        check_written(certificate, data, lines, cuts)


def test_the_checker_alone_finds_it_true(tmp_path):
    data = write_table(tmp_path / "a.csv", rows_of(DECIMALS))
    certificate = audit(data, "--set", "bins.x=3,3.5", folder=tmp_path)
    command = [sys.executable, "-m", "checker", str(certificate), str(data)]
    place = Path(checker.__file__).parents[1]
    done = subprocess.run(  # noqa: S603  # our own
        command, cwd=place, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_release_has_the_counts_that_compare_prints(tmp_path, ending):
    """The number is no cause of the decision, so no check of the plan looks at it."""
    lines = rows_of(DECIMALS, rows=400)
    data = write_table(tmp_path / f"a{ending}", lines)
    (tmp_path / "graph.txt").write_text("g -> y\nx -> g\n")
    asked = [*OPTIONS, "--set", "bins.x=3,3.5", "--graph", str(tmp_path / "graph.txt")]
    _, out, err = run(["compare", str(data), *asked, "--json"])
    assert not err
    compared = next(
        one for one in json.loads(out)["outcomes"]
        if (one["method"], one["policy"]) == ("modify-data", "minimal")
    )  # fmt: skip
    target = tmp_path / f"out{ending}"
    status, out, err = run(["release", str(data), *asked, "--output", str(target), "--json"])
    assert status == 0, err
    assert json.loads(out)["cell_changes"] == compared["cell_changes"]
    certificate = str(tmp_path / "out.certificate.json")
    assert run(["verify", certificate, str(target)])[0] == 0


WORDS = ["up to 3", "4 or more"]


def classed_by_words(folder, lines):
    """The certificate of a table in classes of whole numbers, written as such."""
    data = write_table(folder / "whole.csv", lines)
    asked = folder / "asked.toml"
    asked.write_text(f"[data]\nbins = {{x = {json.dumps(WORDS)}}}\n")
    return audit(data, "--question", str(asked), folder=folder)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("number", ["3.8", "3.9999999999999996", "3.00001"])
def test_a_number_between_two_classes_cannot_be_checked(tmp_path, number, ending):
    """The engine must not count it in either class, and so call the record true."""
    lines = rows_of(WHOLE)
    certificate = classed_by_words(tmp_path, lines)
    other = [(g, number if x == "4" else x, y) for g, x, y in lines]
    data = write_table(tmp_path / f"other{ending}", other)
    status, out, _ = run(["verify", str(certificate), str(data)])
    assert status == 3
    assert "lies in no class" in out
    assert "false" not in out
    assert run(["verify", str(certificate), str(data), "--json"])[0] == 3


def test_the_checker_says_what_it_cannot_place(tmp_path):
    lines = rows_of(WHOLE)
    certificate = classed_by_words(tmp_path, lines)
    other = [(g, "3.8" if x == "4" else x, y) for g, x, y in lines]
    data = write_text(tmp_path / "other.csv", other)
    status, notes, stated, *_ = checker.verify(certificate.read_text(), str(data))
    assert (status, stated) == (3, {})
    assert notes == ["cannot be checked: '3.8' lies in no class of 'x' that is known"]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("text", ["high", "nan"])
def test_a_text_that_is_no_number_refutes_a_record(tmp_path, text, ending):
    lines = rows_of(WHOLE)
    certificate = classed_by_words(tmp_path, lines)
    other = [(g, text if x == "4" else x, y) for g, x, y in lines]
    data = write_text(tmp_path / "other.csv", other)
    if ending == ".parquet":
        data = tmp_path / "other.parquet"
        pq.write_table(pa.table(dict(zip("gxy", zip(*other, strict=True), strict=True))), data)
    status, out, _ = run(["verify", str(certificate), str(data)])
    assert status == 1
    assert "Certificate refuted: it says " in out
    assert "is no number" in out or "not a number" in out


def test_a_class_that_nobody_can_read_cannot_be_checked(tmp_path):
    lines = rows_of(WHOLE)
    document = json.loads(classed_by_words(tmp_path, lines).read_text())
    document["codings"]["bins"]["x"] = ["up to three", "4 or more"]
    text = sealed(document)
    status, notes, *_ = checker.verify(text, str(tmp_path / "whole.csv"))
    assert (status, notes[0].partition(":")[0]) == (3, "cannot be checked")


def test_what_its_own_numbers_refute_stays_false_beside_data_that_cannot_be_placed(tmp_path):
    lines = rows_of(WHOLE)
    certificate = classed_by_words(tmp_path, lines)
    document = json.loads(certificate.read_text())
    document["rows"]["examined"] += 1
    certificate.write_text(sealed(document))
    data = write_table(tmp_path / "other.csv", [(g, "3.5", y) for g, _, y in lines])
    assert checker.verify(certificate.read_text(), str(data)).status == 1
    assert run(["verify", str(certificate), str(data)])[0] == 1


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_an_audit_refuses_a_number_between_two_classes(tmp_path, ending):
    data = write_table(tmp_path / f"a{ending}", rows_of(DECIMALS))
    asked = tmp_path / "asked.toml"
    asked.write_text(f"[data]\nbins = {{x = {json.dumps(WORDS)}}}\n")
    certificate = tmp_path / "c.json"
    status, _, err = run(
        ["audit", str(data), *OPTIONS, "--question", str(asked), "--graph",
         str(graph_in(tmp_path)), "--certificate", str(certificate)]
    )  # fmt: skip
    assert status == 2
    assert "lies in no class" in err
    assert not certificate.exists()


def test_an_engine_refuses_a_number_between_two_classes():
    duckdb = pytest.importorskip("duckdb")
    columns = {"g": ["f", "m"] * 4, "x": [1.0, 3.5] * 4, "y": ["1", "0"] * 4}
    table = duckdb.connect().from_arrow(pa.table(columns))
    codings = eh.Codings.of(bins={"x": WORDS})
    with pytest.raises(ValuesError, match="lies in no class"):
        eh.read(table, codings=codings).count()


@pytest.fixture
def wrong_classes(monkeypatch):
    """Classes of decimals are recorded as classes of whole numbers, as they once were.

    The answer, which would find that no number lies in them, does not look.
    """
    monkeypatch.setattr("evenhand.auditing.finer_counts", lambda *_: None)
    monkeypatch.setattr(eh.Bins, "settled", lambda bins, _: bins.of_whole_numbers(True))


@pytest.mark.usefixtures("wrong_classes")
@pytest.mark.parametrize("options", [[], ["--share"]])
def test_a_certificate_that_the_checker_does_not_confirm_is_not_written(tmp_path, options):
    data = write_table(tmp_path / "a.csv", rows_of(DECIMALS))
    certificate, graph = tmp_path / "c.json", graph_in(tmp_path)
    asked = [*OPTIONS, "--graph", str(graph), "--set", "bins.x=3,3.5", *options]
    for earlier in ("", "an earlier one"):
        if earlier:
            certificate.write_text(earlier)
        status, out, err = run(
            ["audit", str(data), *asked, "--certificate", str(certificate), "--overwrite"]
        )
        assert (status, out) == (5, "")
        assert "does not confirm this certificate" in err
        assert "lies in no class" in err
        assert (certificate.read_text() if certificate.exists() else "") == earlier
    assert {*tmp_path.iterdir()} == {data, graph, certificate}


@pytest.mark.usefixtures("wrong_classes")
def test_a_release_that_the_checker_does_not_confirm_is_not_there(tmp_path):
    data = write_table(tmp_path / "a.csv", rows_of(DECIMALS))
    graph = tmp_path / "graph.txt"
    graph.write_text("g -> y\nx -> g\n")
    asked = [*OPTIONS, "--graph", str(graph), "--set", "bins.x=3,3.5"]
    status, _, err = run(["release", str(data), *asked, "--output", str(tmp_path / "b.csv")])
    assert status != 0
    assert err
    assert {*tmp_path.iterdir()} == {data, graph}

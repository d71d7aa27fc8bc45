"""Certificates carry the answer; with data graph and answer are found again."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from tests.certificate_records import csv_of, sealed

import evenhand as eh
from evenhand import checker
from evenhand.recheck import check_record

QUESTION = eh.Question(protected="c", group="1", decision="e", favorable="1", threshold="0.05")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """People with an age in years, of whom a few have no exam."""
    generator, rows = np.random.default_rng(5), 4000
    c, a = (generator.integers(0, 2, rows) for _ in range(2))
    age = generator.integers(18, 70, rows)
    m = generator.random(rows) < 0.3 + 0.3 * c
    exam = np.round(generator.normal(50 + 5 * m, 10, rows), 1)
    rate = 0.2 + 0.15 * m + 0.1 * a + 0.004 * (age - 18) + 0.01 * (exam - 50) - 0.1 * c
    e = generator.random(rows) < np.clip(rate, 0.05, 0.95)
    columns = {"c": c, "a": a, "age": age, "m": m * 1, "exam": exam, "e": e * 1}
    columns["group"] = generator.choice(["x", "y", "z"], rows)
    table = pa.table(columns)
    path = tmp_path_factory.mktemp("data") / "people.csv"
    csv.write_csv(table, path)
    return path


BINS = {"age": 3, "exam": 4}
GIVEN = "c -> m -> e; a -> e; age -> e; exam -> e; c -> e; m -> exam; group"
TIERS = eh.Tiers(["c", "a", "age", "group"], ..., ["e"])
SETTINGS = {
    "nothing known": {},
    "tiers": {"knowledge": TIERS},
    "arrows": {"knowledge": eh.Knowledge(required=["m -> e"], forbidden=["c -> exam"])},
    "depth": {"max_depth": 1},
    "local": {"local": True, "knowledge": TIERS},
    "test": {"test": "g-square", "significance": 0.05},
    "given": {"graph": eh.CausalGraph.parse(GIVEN)},
    "given, with tiers": {"graph": eh.CausalGraph.parse(GIVEN), "knowledge": TIERS},
    "edited": {
        "knowledge": TIERS,
        "edits": [eh.GraphEdit(kind="add", arrow=("group", "e"), reason="it was asked")],
    },
    "merged": {"knowledge": TIERS, "merge": {"group": {"xy": ["x", "y"]}}},
}


def checked(record, path, data=None):
    """What is said of a record, which a forger seals again."""
    path.write_text(record if isinstance(record, str) else sealed(record), "utf-8")
    return check_record(path, data and str(data))


def audited(data, name="nothing known"):
    return eh.audit(data, QUESTION, bins=BINS, **SETTINGS[name])


@pytest.fixture(scope="module")
def record(data):
    """The record of an audit with tiers."""
    return audited(data, "tiers").stated_certificate.to_json()


@pytest.mark.parametrize("name", SETTINGS)
def test_what_an_audit_says_is_true(name, data, tmp_path):
    text = audited(data, name).stated_certificate.to_json()
    assert checked(text, tmp_path / "c.json").status != 1
    outcome = checked(text, tmp_path / "c.json", data)
    assert (outcome.status, outcome.by_engine) == (0, ())
    assert "answer" in outcome.by_engine_alone


def test_the_record_says_what_the_answer_is(data):
    found = audited(data, "tiers")
    said = json.loads(found.stated_certificate.to_json())["answer"]
    answer = found.answer
    assert said["word"] == str(answer.word)
    assert said["variations"] == answer.tally
    assert "classes" in said["variations"]
    assert said["graph_fit"]["implied"] == answer.graph_fit.implied
    assert said["detectable"] == f"{answer.detectable:.12g}"
    assert (said["placed"], said["unplaced"]) == ([*answer.placed], [*answer.unplaced])
    assert "knowledge" not in said  # the graph says it


def test_what_was_known_is_said_where_the_graph_does_not_say_it(data):
    given = audited(data, "given, with tiers").stated_certificate.answer
    assert given["knowledge"]["tiers"][0] == ["c", "a", "age", "group"]
    assert "knowledge" not in audited(data, "given").stated_certificate.answer


def test_only_a_full_record_of_an_audit_has_an_answer(data):
    found = audited(data, "tiers")
    assert "answer" not in json.loads(found.certificate.to_json())
    assert "answer" not in json.loads(found.stated_certificate.to_shared_json())
    released = found.release(seed=1, uncertified=True)
    assert released.certificate.answer is None


def test_graphs_of_other_origins_are_no_false_records(data, tmp_path):
    """Learned in Python from all rows, read from a certificate, with copies of a column."""
    counts = eh.datasets.adult(race="five")
    asked = eh.datasets.question("adult").question
    some = eh.Question(**{**asked.to_dict(), "protected": "race", "group": "Black"})
    some = eh.Question(**{**some.to_dict(), "other": "White"})
    people = csv_of(counts, tmp_path / "people.csv")
    learned = eh.discover(counts, knowledge=eh.datasets.question("adult").knowledge)
    here = eh.audit(counts, some, graph=learned).stated_certificate
    assert here.graph_origin.rows == "same"
    assert checked(here.to_json(), tmp_path / "c.json", people).status == 0
    first = audited(data, "tiers").stated_certificate
    graph = eh.load_graph(first.write(tmp_path / "first.json"))
    again = eh.audit(data, QUESTION, graph=graph, bins=BINS).stated_certificate
    assert again.answer["knowledge"]["tiers"] == []
    outcome = checked(again.to_json(), tmp_path / "c.json", data)
    assert (outcome.status, outcome.by_engine) == (0, ())
    table = csv.read_csv(data)
    twice = table.append_column("years", table["age"]).append_column("copy", table["group"])
    csv.write_csv(twice, tmp_path / "twice.csv")
    bins = BINS | {"years": 3}
    found = eh.audit(tmp_path / "twice.csv", QUESTION, bins=bins, knowledge=TIERS)
    text = found.stated_certificate.to_json()
    assert checked(text, tmp_path / "c.json", tmp_path / "twice.csv").status == 0


def test_a_graph_that_no_search_gave_is_false_with_the_rows(data, tmp_path):
    """The graph of another record, with the origin of this one."""
    learned = audited(data, "tiers")
    chosen = eh.CausalGraph(
        learned.graph.nodes, {("c", "m"), ("m", "e"), ("a", "e"), ("age", "e"), ("exam", "e")}
    )
    forged = eh.certify(
        learned.counts,
        chosen,
        QUESTION,
        graph_origin=learned.certificate.graph_origin,
        codings=learned.rows.codings,
    )
    assert checked(forged.to_json(), tmp_path / "c.json").status == 0  # by its own numbers
    found = checked(forged.to_json(), tmp_path / "c.json", data)
    assert found.status == 1
    assert found.by_engine[0].startswith("graph: learned again from these rows it has ")
    document = json.loads(forged.to_json())
    document["versions"]["evenhand"] = "0.0.1"
    other = checked(document, tmp_path / "c.json", data)
    assert (other.status, other.by_engine) == (3, found.by_engine)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("significance", "0.01x"),
        ("significance", "2"),
        ("test", "a guess"),
        ("limits", "sets no larger than 0"),
        ("knowledge", {"tiers": [["e"], ["*"]], "required": [], "forbidden": []}),
        ("knowledge", {"tiers": [["years"]], "required": [], "forbidden": []}),
        ("knowledge", {"tiers": [], "required": [["a", "a"]], "forbidden": []}),
    ],
)
def test_a_search_that_was_told_otherwise_is_false_with_the_rows(
    field, value, record, data, tmp_path
):
    document = json.loads(record)
    document["graph"]["origin"][field] = value
    assert checked(document, tmp_path / "c.json", data).status == 1


def test_three_orders_of_one_table_give_three_records(tmp_path):
    """m before e, m after e, m no cause of e: the knowledge is recorded, and each is true."""
    generator = np.random.default_rng(2)
    c = generator.integers(0, 2, 3000)
    m = generator.random(3000) < 0.3 + 0.4 * c
    e = generator.random(3000) < 0.3 + 0.3 * m
    path = tmp_path / "t.csv"
    csv.write_csv(pa.table({"c": c, "m": m * 1, "e": e * 1}), path)
    known = [
        eh.Knowledge(tiers=eh.Tiers(["c"], ["m"], ["e"])),
        eh.Knowledge(tiers=eh.Tiers(["c"], ["e"], ["m"])),
        eh.Knowledge(tiers=eh.Tiers(["c"], ["m", "e"]), forbidden=["m -> e"]),
    ]
    texts = [
        eh.audit(path, QUESTION, knowledge=one).stated_certificate.to_json() for one in known
    ]
    origins = [json.loads(text)["graph"]["origin"] for text in texts]
    assert [one["knowledge"] for one in origins] == [one.told for one in known]
    assert all(checked(text, tmp_path / "c.json", path).status == 0 for text in texts)
    for document, origin in zip(map(json.loads, texts[:2]), origins[1::-1], strict=True):
        document["graph"]["origin"] = origin
        assert checked(document, tmp_path / "c.json", path).status == 1


def other_word(answer):
    answer |= {"word": "No", "reason": None}


def a_reason(answer):
    answer |= {"word": "Cannot tell", "reason": {"kind": "too few rows", "names": []}}


def more_variations(answer):
    answer["variations"]["with"] = 60


def more_for_certain(answer):
    answer["at_least"] += 1


def another_estimate(answer):
    answer["detectable"] = "0.0123"


@pytest.mark.parametrize(
    "change",
    [
        other_word,
        a_reason,
        more_variations,
        more_for_certain,
        another_estimate,
    ],
)
def test_an_altered_answer_is_stated_alone_and_false_with_the_rows(
    change, record, data, tmp_path
):
    document = json.loads(record)
    change(document["answer"])
    alone = checked(document, tmp_path / "c.json")
    assert alone.status != 1
    assert document["answer"]["word"] in alone.stated["answer"]
    found = checked(document, tmp_path / "c.json", data)
    assert found.status == 1
    assert all(one.startswith("answer.") for one in found.by_engine)
    document["versions"]["evenhand"] = "0.0.1"
    assert checked(document, tmp_path / "c.json", data).status == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("word", "Maybe"),
        ("at_least", -1),
        ("at_least", "3"),
        ("variations", {"with": True}),
        ("variations", {"beside": 1}),
        ("reason", {"kind": "depends on"}),
        ("reason", {"kind": "a guess", "names": []}),
        ("detectable", 1),
        ("detectable", "much"),
        ("placed", "all"),
        ("differing", [{"kind": "with", "names": [], "falls": "down"}]),
        ("hidden_cause", {"name": "m"}),
        ("surprise", 1),
    ],
)
def test_an_answer_must_have_its_form(field, value, record):
    document = json.loads(record)
    document["answer"][field] = value
    assert checker.verify(sealed(document)).status == 1


def test_a_shared_copy_with_an_answer_is_false(data, record):
    document = json.loads(audited(data, "tiers").certificate.to_shared_json())
    document["answer"] = json.loads(record)["answer"]
    assert checker.verify(sealed(document)).status == 1


def test_rows_that_could_be_read_once_leave_other_classes_open(data, tmp_path):
    reader = csv.read_csv(data).to_reader()
    bins = {"age": ["30", "50"], "exam": ["50"]}
    found = eh.audit(reader, QUESTION, bins=bins, knowledge=TIERS).stated_certificate
    assert "classes" not in found.answer["variations"]
    outcome = checked(found.to_json(), tmp_path / "c.json", data)
    assert outcome.status == 3
    assert outcome.by_engine[0].startswith("answer: it was not judged in other classes")

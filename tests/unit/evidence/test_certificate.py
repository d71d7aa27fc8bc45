"""A certificate as a value, in words, and as its two documents."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION, SUBPOPULATIONS
from tests.certificate_records import sealed, wrong
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

import evenhand as eh
from evenhand import Codings, CountTable, checker, datasets
from evenhand.errors import QuestionError, ResourceError
from evenhand.evidence import certify

PLACE = Path(__file__).parents[3] / "docs" / "certificate.schema.json"
SCHEMA = json.loads(PLACE.read_text())


def certificates():
    bins, merge = {"test_score": [37]}, {"major": {"CS": ["cs"]}}
    codings = Codings.of(bins=bins, merge=merge, missing="drop")
    for example in (1, 2):
        counts = datasets.admissions(example)
        yield certify(counts, GRAPH, QUESTION)
        yield certify(counts, GRAPH, QUESTION, scope="all", codings=codings, dropped=3)
        yield certify(counts, OPEN_GRAPH, QUESTION)


@pytest.mark.parametrize("certificate", tuple(certificates()), ids=repr)
def test_both_copies_follow_the_schema(certificate):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for text in (certificate.to_json(), certificate.to_shared_json()):
        jsonschema.validate(json.loads(text), SCHEMA)


def test_no_number_has_a_point():
    def refuse(number):
        raise AssertionError(number)

    for certificate in certificates():
        json.loads(certificate.to_json(), parse_float=refuse, parse_constant=refuse)


def test_the_document_says_what_it_rests_on():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION, dropped=2)
    document = json.loads(certificate.to_json())
    assert document["question"]["threshold"] == "1/20"
    assert document["rows"] == {"read": 2202, "dropped": 2, "left_out": 0, "examined": 2200}
    assert document["partitions"][0]["table"][0] == ["CS", "H", 150, 150, 40, 60, "-1/10"]
    assert document["partitions"][0]["digest"] == certificate.digest
    said = " ".join(document["assumptions"])
    for words in ("graph is right", "anonymous", "finite data", "dropped"):
        assert words in said


def test_the_shared_copy_withholds_rows_with_a_small_cell():
    counts = datasets.admissions(2)
    certificate = certify(counts, GRAPH, QUESTION)
    document = json.loads(certificate.to_shared_json(least_count=50))
    assert document["withheld"] == {"least_count": 50}
    shown = document["partitions"][0]["table"]
    assert len(shown) == 3
    assert all(min(line[2:6]) >= 50 for line in shown)


def test_the_shared_copy_has_no_total_no_digest_and_one_partition():
    text = certify(datasets.admissions(2), GRAPH, QUESTION, scope="all").to_shared_json()
    document = json.loads(text)
    assert not {"rows", "reasons", "population", "variants"} & set(document)
    (entry,) = document["partitions"]
    assert not {"digest", "coverage", "evidence"} & set(entry)
    assert "by_chance" not in entry["subpopulations"]


def test_pooled_decisions_are_named():
    counts = datasets.admissions(2)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    lines["admission"][0] = "waiting"
    certificate = certify(CountTable.of(lines, [count for _, count in counts]), GRAPH, QUESTION)
    document = json.loads(certificate.to_json())
    assert document["pooled"] == {"other": False, "unfavorable": True}
    assert document["question"]["decisions"] == ["admitted", "not admitted"]


def test_of_several_favorable_values_the_only_other_one_is_not_pooled():
    document = json.loads(certify(counted(), GROUPS, QUESTIONS["crossed"]).to_json())
    assert document["question"]["decisions"] == ["Low or Medium", "High"]
    assert document["pooled"] == {"other": False, "unfavorable": False}
    document = json.loads(certify(counted(), GROUPS, QUESTIONS["cumulative"]).to_json())
    assert document["question"]["decisions"] == ["Low", "Medium", "High"]
    assert document["pooled"] == {"other": False, "unfavorable": False}


def test_the_threshold_as_written_is_the_threshold_as_certified():
    exact = replace(QUESTION, threshold="0.075")
    document = json.loads(certify(datasets.admissions(2), GRAPH, exact).to_json())
    assert document["question"]["threshold"] == "3/40"


def test_a_certificate_is_neither_true_nor_false():
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION)
    with pytest.raises(TypeError, match="certificate.verdict is Verdict.CERTIFIED"):
        bool(certificate)


def test_equal_certificates_are_equal():
    first, second = (certify(datasets.admissions(n), GRAPH, QUESTION) for n in (1, 1))
    assert first == second
    assert hash(first) == hash(second)
    assert first != certify(datasets.admissions(2), GRAPH, QUESTION)


def test_plain_values_serve_the_command_line():
    found = certify(datasets.admissions(2), GRAPH, QUESTION).to_dict()
    assert found["verdict"] == "not certified"
    assert found["threshold"] == "1/20"
    assert found["coverage"] == {"rows": 1, "group": 1, "other": 1}
    assert found["subpopulations"] == SUBPOPULATIONS
    assert found["evidence"][2]["risk_difference"] == "3/50"
    assert set(found["evidence"][0]) >= {
        "where", "group", "other", "risk_difference", "interval", "p_zero", "p_threshold",
    }  # fmt: skip
    assert set(found["relaxed"]) >= {"bound", "assurance", "claimed"}
    assert found["graph"]["origin"] == "given"
    assert ["gender", "admission"] in found["graph"]["arrows"]


def test_the_words_never_call_anything_fair():
    for example in (1, 2):
        text = str(certify(datasets.admissions(example), GRAPH, QUESTION)).lower()
        assert "fair" not in text
        assert "compliant" not in text
        assert "given this graph" in text


def test_the_full_file_is_for_its_owner_only(tmp_path):
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION)
    path = certificate.write(tmp_path / "a.certificate.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text("utf-8") == certificate.to_json()
    shared = certificate.write_shared(tmp_path / "a.shared.json")
    assert stat.S_IMODE(shared.stat().st_mode) == 0o644
    assert sorted(tmp_path.iterdir()) == sorted([path, shared])


def test_a_certificate_that_is_there_is_replaced_only_if_that_is_allowed(tmp_path):
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION)
    path = tmp_path / "a.json"
    for write, text in (
        (certificate.write, certificate.to_json()),
        (certificate.write_shared, certificate.to_shared_json()),
    ):
        path.write_text("evidence")
        with pytest.raises(QuestionError, match=r"This file exists.*overwrite=True"):
            write(path)
        assert path.read_text() == "evidence"
        write(path, overwrite=True)
        assert path.read_text("utf-8") == text


@pytest.mark.parametrize("name", ["absent/c.json", "."])
def test_a_place_that_takes_no_file_is_named_with_a_remedy(tmp_path, name):
    certificate = certify(datasets.admissions(1), GRAPH, QUESTION)
    with pytest.raises(ResourceError) as refused:
        certificate.write(tmp_path / name)
    (problem,) = refused.value.problems
    assert problem.where == str(tmp_path / name)
    assert problem.remedy
    assert list(tmp_path.iterdir()) == []


COUNTS = eh.datasets.admissions(2)


@pytest.mark.parametrize("graph", [GRAPH, OPEN_GRAPH])
def test_the_certificate_states_how_many_variants_were_judged(graph):
    audit = eh.audit(COUNTS, QUESTION, graph=graph)
    sets = len(audit.certificate.possible_decision_causes)
    none = {"cause_sets": sets, "rules": 1, "classes": 0, "arrows": 0}
    assert audit.certificate.variants == none
    stated = audit.stated_certificate
    assert stated.variants == none | {"arrows": len(audit.arrows().ways)}
    if sets == 1:
        released = audit.release(seed=1).certificate
        assert released.variants == stated.variants
    assert wrong(stated.to_json(), COUNTS) == []


@pytest.mark.parametrize("name", ["cause_sets", "rules"])
def test_what_follows_from_the_record_is_checked(name):
    content = json.loads(eh.certify(COUNTS, GRAPH, QUESTION).to_json())
    content["variants"][name] += 1
    text = sealed(content)
    assert checker.verify(text).status == 1
    assert any(name in one for one in wrong(text, COUNTS)[1:])

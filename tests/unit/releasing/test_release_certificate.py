"""What is certified of released rows, and what is refused."""

import json
from dataclasses import replace

import pandas as pd
import pytest
from tests import loans
from tests.hiring import COLUMNS, NAMES, audited, released, table

from evenhand.errors import CannotReleaseError, InputError
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph
from evenhand.releasing.release import release
from evenhand.removal import (
    LocalMassaging,
    LocalPreferentialSampling,
    ModifyData,
    ModifyGraph,
    ShuffleProtected,
)


def test_a_release_without_any_difference_in_decisions_is_refused():
    women, men = [("", "f", "none", "yes", "low")] * 5, [("", "m", "none", "yes", "low")] * 4
    frame = pd.DataFrame([*women, *men, ("", "m", "none", "no", "low")], columns=NAMES)
    with pytest.raises(CannotReleaseError, match="always be 'yes'"):
        released(frame)


def test_too_small_a_coverage_is_refused():
    frame = pd.DataFrame(table())
    frame["degree"] = frame["degree"].where(frame["sex"] == "f", "other")
    with pytest.raises(CannotReleaseError, match="both groups occur"):
        released(frame)


def test_other_block_sets_are_examined_as_before():
    graph = CausalGraph.parse("sex -> hired; degree -> hired; pay -> degree; sex -> pay")
    made = released(
        pd.DataFrame(table(3000)),
        method=ModifyData(margin="0.04"),
        graph=graph,
        scope="all",
        uncertified=True,
    )
    names = [partition.names for partition in made.certificate.partitions]
    assert ("degree",) in names
    assert len(names) > 1


def test_rows_of_another_audit_are_refused():
    _, found = audited(pd.DataFrame(table()))
    other = pd.DataFrame(table(seed=1))
    with pytest.raises(InputError, match="not those that were counted"):
        release(other, ModifyData().plan(found))


def test_the_certificate_says_that_decisions_are_no_records_about_persons():
    made = released(pd.DataFrame(table()))
    assert any("not records about persons" in said for said in made.certificate.assumptions)
    assert made.certificate.release.changed_rows == made.changed_rows
    assert "changed_rows" not in made.certificate.to_shared_json()
    assert "not records about persons" in made.certificate.to_shared_json()
    assert made.seed not in made.certificate.release.to_dict().values()


@pytest.mark.parametrize(
    ("by", "said", "columns"),
    [
        (ModifyData(), "Decisions in these rows were changed to remove", ["hired"]),
        (ModifyGraph(), "changed, and with them pay drawn anew, to remove", ["hired", "pay"]),
        (ModifyGraph(generate=True), "none of the rows before was kept", sorted(COLUMNS)),
        (ShuffleProtected(), "The protected attribute sex was changed in these", ["sex"]),
        (LocalMassaging(), "Decisions in these rows were changed to remove", ["hired"]),
        (LocalPreferentialSampling(), "rows were left out and others doubled", []),
    ],
)
def test_the_notice_and_the_changed_columns_are_those_of_the_method(by, said, columns):
    made = released(pd.DataFrame(table()), method=by, uncertified=True)
    section = made.certificate.release
    assert said in section.notice
    assert section.notice in made.certificate.assumptions
    assert section.notice in made.summary().notes
    assert [*section.changed_columns] == made.to_dict()["changed_columns"]
    assert sorted(section.changed_columns) == columns
    assert ("changed columns", ", ".join(section.changed_columns) or "none") in (
        made.summary().facts
    )
    if made.certificate.verdict is Verdict.CERTIFIED:
        shared = json.loads(made.certificate.to_shared_json())["release"]
        assert shared["can_change"] == [*section.changed_columns]


def test_rows_of_other_groups_that_a_generated_table_lacks_are_counted():
    frame = pd.DataFrame(table(groups="fmx"))
    others = int((frame["sex"] == "x").sum())
    made = released(frame, method=ModifyGraph(generate=True))
    assert made.certificate.release.left_out_before == others
    assert len(made.rows) == len(frame) - others
    assert released(frame).certificate.release.left_out_before == 0


def test_rows_with_an_effect_through_other_attributes_are_refused():
    """A plan for the direct claim alone, applied under a question about both."""
    asked = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)
    direct = ModifyData().plan(certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION.direct))
    plan = replace(direct, certificate=asked)
    with pytest.raises(CannotReleaseError, match="Through 'zip' the rate changes"):
        release(loans.loans(), plan)
    allowed = release(loans.loans(), plan, uncertified=True, seed=1)
    assert allowed.certificate.verdict is Verdict.CERTIFIED
    assert allowed.certificate.indirect.verdict is Verdict.NOT_CERTIFIED
    refused = replace(allowed, uncertified=False)
    with pytest.raises(CannotReleaseError, match="would not be certified") as caught:
        refused.check_in_memory()
    assert "Through 'zip'" in caught.value.problems[1].what


def test_the_released_rows_have_a_claim_of_their_own():
    asked = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)
    made = release(loans.loans(), ModifyData().plan(asked), seed=1)
    assert made.certificate.indirect.verdict is Verdict.CERTIFIED
    values = made.to_dict()
    assert values["before"]["indirect"]["verdict"] == "not certified"
    assert values["after"]["indirect"]["effects"]["backward"][0] == pytest.approx(-0.04)
    facts = dict(made.summary().facts)
    assert facts["through zip, before"].startswith("not certified at 1/20")
    assert facts["through zip, after"].startswith("certified at 1/20")
    certificate = json.loads(made.certificate.to_json())
    assert certificate["indirect"]["verdict"] == "certified"

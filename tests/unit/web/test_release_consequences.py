"""What the chosen method would do equals what the plan says."""

from pathlib import Path

import pytest
from tests.web_sessions import learn_now, settled_session, worked_out

from evenhand.releasing.compare import compare
from evenhand.web.pages import render
from evenhand.web.session import Session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return settled_session(tmp_path)


@pytest.mark.parametrize("way", ["modify-data:minimal", "modify-data:raise"])
def test_whose_decisions_change_is_what_the_plan_says(session: Session, way: str) -> None:
    chosen = worked_out(session, way=way)["chosen"]
    assert session.audit is not None
    outcomes = compare(session.audit.certificate).outcomes
    outcome = next(one for one in outcomes if f"{one.method}:{one.policy}" == way)
    assert outcome.changed_decisions is not None
    groups = outcome.changed_decisions.groups
    assert [name for name, _ in chosen.flows] == ["<=50K to >50K", ">50K to <=50K"]
    for (_, flows), numbers in zip(chosen.flows, zip(*groups, strict=True), strict=True):
        assert [flow.who for flow in flows] == ["Women", "Men"]
        assert [flow.many for flow in flows] == [f"{many:,}" for many in numbers]
    assert max(flow.width for _, flows in chosen.flows for flow in flows) == 100
    gap = outcome.known["gap"].value
    assert gap is not None
    assert f"{100 * float(gap):.1f} as released, men higher." in chosen.gap


def test_a_new_table_changes_nobody(session: Session) -> None:
    content = worked_out(session, way="modify-graph:generate")
    assert content["chosen"].flows == ()
    assert "48,842 of 48,842 rows would change" in content["chosen"].title
    render(session, "release", content)


def test_columns_that_betray_changed_rows_have_choices(tmp_path: Path) -> None:
    session = settled_session(tmp_path)
    path = tmp_path / "adult.csv"
    lines = path.read_text().splitlines()
    told = [f"{line},{'top' if ',>50K,' in line else 'base'}" for line in lines[1:]]
    path.write_text("\n".join([f"{lines[0]},bracket", *told]) + "\n")
    session.save()
    session.open_table(path, lambda _: None)
    session.patch({"data": {"exclude": ["bracket"]}})
    learn_now(session)
    (warning,) = worked_out(session)["chosen"].warnings
    assert warning.what == "'bracket' betrays changed rows."
    assert [change.address for change in warning.changes] == ["release?drop=bracket"]
    chosen = worked_out(session, drop=["bracket"])["chosen"]
    assert chosen.warnings == ()
    (taken,) = chosen.kept_out
    assert taken.address == "release"

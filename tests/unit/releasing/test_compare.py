"""Every method side by side."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests import loans
from tests.many_groups import hiring_audit, score_audit

from evenhand import Codings, CountTable, Question, datasets
from evenhand.errors import CannotReleaseError
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.releasing.compare import compare
from evenhand.removal import (
    POLICIES,
    LocalMassaging,
    ModifyData,
    ModifyGraph,
    RepairAttributes,
    ShuffleProtected,
    plan_removal,
)

ADMISSION = CausalGraph.parse(
    "gender -> major; gender -> admission; major -> admission; test_score -> admission"
)
ASKED = datasets.question("admissions").question


@pytest.fixture
def example_2():
    return certify(datasets.admissions(2), ADMISSION, ASKED)


def found(certificate, **options):
    return {
        (one.method, one.policy, one.threshold): one
        for one in compare(certificate, **options).outcomes
    }


@pytest.mark.paper("table:comparison")
def test_every_method_has_its_line(example_2):
    outcomes = compare(example_2).outcomes
    assert len(outcomes) == sum(not one.in_order for one in POLICIES)
    assert {one.threshold for one in outcomes} == {Fraction(1, 20)}


def test_what_promises_to_reach_the_criterion_reaches_it_and_the_printed_way_does_not(
    example_2,
):
    outcomes = found(example_2)
    promised = [one for one in outcomes.values() if one.guaranteed]
    assert len(promised) == 5
    assert {(one.violating, one.verdict) for one in promised} == {(0, Verdict.CERTIFIED)}
    printed = outcomes["modify-data", "printed", Fraction(1, 20)]
    assert (printed.violating, printed.verdict) == (3, Verdict.NOT_CERTIFIED)
    minimal = outcomes["modify-data", "minimal", Fraction(1, 20)]
    assert (minimal.changed_rows, minimal.utility.cell_changes) == (15, 30)
    assert minimal.model_distance is None


@pytest.mark.paper("table:setting")
def test_a_larger_threshold_costs_less(example_2):
    some = compare(
        example_2, thresholds=["0.025", "0.05", "0.075", "0.1"], methods=[ModifyData()]
    )
    costs = [one.changed_rows for one in some.outcomes]
    assert costs == sorted(costs, reverse=True)
    assert [partition.violating for partition in some.before] == [4, 4, 2, 2]


def test_a_result_does_not_depend_on_the_other_methods(example_2):
    alone = found(example_2, methods=[ShuffleProtected()], seed=3)
    among = found(example_2, seed=3)
    key = ("shuffle-protected", "all rows", Fraction(1, 20))
    assert alone[key].utility == among[key].utility


def test_the_model_s_optimum_stands_beside_what_is_measured(example_2):
    for one in compare(example_2, methods=[ModifyGraph(), ModifyGraph(generate=True)]).outcomes:
        assert 0 < one.model_distance < one.utility.distance


def test_utility_is_measured_on_the_graphs_columns_for_every_method():
    """Columns outside the graph are not generated, so they must not count for the others."""
    graph = CausalGraph.parse("gender -> admission; test_score -> admission")
    certificate = certify(datasets.admissions(2), graph, ASKED)
    both = compare(certificate, methods=[ModifyData(), ModifyGraph(generate=True)])
    assert all(one.utility.cell_changes for one in both.outcomes)


def test_pooled_groups_are_compared_as_one():
    asked = replace(ASKED, other="rest")
    outcomes = compare(certify(datasets.admissions(2), ADMISSION, asked)).outcomes
    assert {one.violating for one in outcomes if one.guaranteed} == {0}


def test_it_is_told_in_words_and_in_values(example_2):
    comparison = compare(example_2, methods=[ModifyData(), LocalMassaging()])
    text = str(comparison)
    assert "modify-data" in text
    assert "neither the ranker" in text
    assert "through" not in comparison.summary().columns
    assert "indirect" not in comparison.to_dict()["outcomes"][0]
    assert "4 of 4 groups differ" in text
    notes = [*map(str, comparison.summary().notes)]
    assert notes[0].startswith("gain, lose: decisions that become favorable, unfavorable; ")
    assert notes[1].startswith("× 10⁻³: distances")
    first = comparison.to_dict()["outcomes"][0]
    assert first["threshold"] == "1/20"
    assert first["cell_changes"] == 30
    before = comparison.to_dict()["before"][0]
    assert (before["threshold"], before["violating"], before["measured"]) == ("1/20", 4, 4)
    assert before["by_chance"]["expected"] == pytest.approx(1.21535262531)
    assert "about 1.2 are expected by chance (0 to 3)" in text


def test_measures_that_people_know_are_of_the_rows_after_each_method(example_2):
    """The plain gap of the rows after a method, counted from its plan."""
    comparison = compare(example_2, methods=[ModifyData(), RepairAttributes()], seed=2)
    changed, repaired = comparison.outcomes
    counts, gap = example_2.examined.counts, comparison.known["gap"].value
    women, men = (
        Fraction(counts.count(gender=who, admission="admitted"), counts.count(gender=who))
        for who in ("female", "male")
    )
    assert gap == men - women
    ways = changed.changed_decisions.groups
    moved = [
        Fraction(gain - lose, counts.count(gender=who))
        for (gain, lose), who in zip(ways, ("female", "male"), strict=True)
    ]
    assert changed.known["gap"].value == gap + moved[1] - moved[0]
    assert repaired.known["gap"].value == gap  # decisions stay
    assert changed.to_dict()["known_measures"] == changed.known.to_dict()
    text = str(comparison)
    assert "as recorded" in text
    assert "rank no method" in text
    assert "rank no method" in comparison._repr_html_()


def test_measures_name_the_threshold_where_there_are_several(example_2):
    some = compare(example_2, thresholds=["0.05", "0.1"], methods=[ModifyData()])
    lines = some.measures_summary().lines
    assert [line[0] for line in lines] == [
        "as recorded",
        "modify-data (minimal) at 1/20",
        "modify-data (minimal) at 1/10",
    ]


def test_ambiguous_causes_cannot_be_compared():
    graph = PartialGraph.parse("gender -> admission; gender -> major; major - admission")
    with pytest.raises(CannotReleaseError):
        compare(certify(datasets.admissions(2), graph, ASKED))


def with_three_decisions(counts):
    """The same counts, with refusals of two kinds."""
    lines = [(dict(zip(counts.names, labels, strict=True)), count) for labels, count in counts]
    decisions = [line["admission"] for line, _ in lines]
    favorable = ASKED.favorable
    spread = [
        text if text == favorable else ("later", "never")[at // 2 % 2]
        for at, text in enumerate(decisions)
    ]
    table = {name: [line[name] for line, _ in lines] for name in counts.names}
    return CountTable.of(table | {"admission": spread}, [count for _, count in lines])


def test_of_decisions_of_three_values_no_method_is_compared_that_a_release_refuses():
    certificate = certify(with_three_decisions(datasets.admissions(2)), ADMISSION, ASKED)
    comparison = compare(certificate, seed=1)
    assert comparison.pooled_decisions == ()
    compared = {(one.method, one.policy): one for one in comparison.outcomes}
    assert not any(method == "modify-graph" for method, _ in compared)
    assert any(one.startswith("modify-graph (quotas) was") for one in comparison.skipped)
    assert compared["modify-data", "minimal"].changed_rows == 15


def test_merged_decisions_are_compared_as_favorable_or_not():
    counts = datasets.admissions(2)
    several = with_three_decisions(counts)
    codings = Codings.of(merge={"admission": {"no": ["later"]}})
    comparison = compare(certify(several, ADMISSION, ASKED, codings=codings), seed=1)
    assert comparison.pooled_decisions == ("later", "never")
    assert "'later', 'never'" in str(comparison)
    two = compare(certify(counts, ADMISSION, ASKED), seed=1)
    assert two.pooled_decisions == ()
    for one, other in zip(comparison.outcomes, two.outcomes, strict=True):
        assert (one.changed_rows, one.violating) == (other.changed_rows, other.violating)


def test_of_many_groups_methods_for_two_are_left_out_by_name():
    certificate = hiring_audit().certificate
    comparison = compare(certificate)
    assert {(one.method, one.policy) for one in comparison.outcomes} == {
        ("modify-data", "minimal"),
        ("modify-data", "raise"),
        ("modify-graph", "quotas"),
        ("modify-graph", "generate"),
        ("modify-graph", "sample"),
        ("repair-attributes", "every attribute"),
    }
    left_out = {one.partition(" was left out. ")[0] for one in comparison.skipped}
    assert left_out == {
        "modify-data (group)",
        "modify-data (paper)",
        "modify-data (printed)",
        "shuffle-protected (all rows)",
        "local-massaging (given each attribute)",
        "local-preferential-sampling (given each attribute)",
    }
    pairs = {(one.known.pair.group, one.known.pair.other) for one in comparison.outcomes}
    assert pairs == {certificate.partition.leading_labels}
    assert all("=" not in one for one in comparison.skipped)  # whoever reads may not run Python
    assert all(one.violating == 0 for one in comparison.outcomes if one.guaranteed)
    with pytest.raises(CannotReleaseError, match="the group asked about, and none is named"):
        compare(certificate, methods=[ModifyData(policy="group")])


def test_several_favorable_values_are_compared_as_they_are_stored():
    certificate = score_audit(favorable=("low", "medium")).certificate
    comparison = compare(certificate)
    assert {one.policy for one in comparison.outcomes} == {
        "minimal",
        "raise",
        "every attribute",
    }
    assert comparison.outcomes[0].changed_rows == plan_removal(certificate).changed_rows


def test_of_each_value_the_methods_that_can_are_compared():
    comparison = compare(score_audit(criterion="every").certificate)
    assert [one.policy for one in comparison.outcomes] == ["minimal", "every attribute"]
    assert comparison.outcomes[0].verdict is Verdict.CERTIFIED
    assert comparison.outcomes[0].changed_decisions is None  # no value is better than another
    assert "gain, lose" not in str(comparison)


def test_of_ordered_values_the_fewest_rows_are_compared_with_the_fewest_steps():
    order = ("low", "medium", "high")
    comparison = compare(score_audit(criterion="cumulative", order=order).certificate)
    steps, rows, _ = comparison.outcomes
    assert (steps.policy, rows.policy) == ("minimal", "rows")
    assert rows.changed_rows <= steps.changed_rows
    assert "better, worse" in str(comparison)


@pytest.fixture(scope="module")
def loan_comparison():
    return compare(certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION))


def test_effects_through_other_attributes_are_shown_after_each_method(loan_comparison):
    for one in loan_comparison.outcomes:
        promised = one.guaranteed
        assert not promised or one.indirect.verdict is Verdict.CERTIFIED
        assert one.to_dict()["indirect"]["verdict"] == str(one.indirect.verdict)
    assert sum(one.guaranteed for one in loan_comparison.outcomes) == 2
    summary = loan_comparison.summary()
    at = summary.columns.index("through")
    assert summary.columns[at + 1] == "claim"
    assert summary.lines[0][at : at + 2] == ("2.0; −4.0", "certified")


def test_methods_that_need_an_identified_effect_are_left_out():
    comparison = compare(certify(loans.loans(), loans.INCOME_FIRST, loans.QUESTION))
    assert not any(one.guaranteed for one in comparison.outcomes)
    by_data = [why for why in comparison.skipped if why.startswith("modify-data")]
    assert by_data
    assert all("'income' both causes" in why for why in by_data)
    assert all(one.indirect.witnesses == ("income",) for one in comparison.outcomes)


def test_each_method_is_reported_and_the_callback_can_end_it(example_2):
    seen = []
    compared = compare(example_2, seed=1, progress=seen.append)
    unseen = compare(example_2, seed=1)
    assert [replace(one, seconds=0) for one in compared.outcomes] == [
        replace(one, seconds=0) for one in unseen.outcomes
    ]
    total = len(compared.outcomes) + len(compared.skipped)
    methods = [one for one in seen if one.step == "comparing methods"]
    assert [one.done for one in methods] == [*range(total + 1)]
    assert {one.total for one in methods} == {total}
    # One method may take a thousand times as long as another: that predicts nothing.
    assert {one.seconds_left for one in methods} == {None}
    # The local methods say how far they are: one step for each value of each attribute.
    parts = sum(example_2.examined.counts.marginal(["major", "test_score"]).cards)
    ranked = [(one.done, one.total) for one in seen if one.step == "ranking people"]
    assert ranked == 2 * [(at, parts) for at in range(parts)]

    def stop(progress):
        if progress.step == "ranking people" and progress.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(example_2, seed=1, progress=stop)


def test_the_methods_that_would_rank_by_hundreds_of_values_are_left_out():
    generator = np.random.default_rng(0)
    columns = {f"v{at:03}": generator.integers(3, size=500).astype(str) for at in range(117)}
    columns["sex"] = generator.choice(["f", "m"], 500)
    columns["job"] = generator.choice(["lo", "hi"], 500)
    columns["ok"] = np.where(
        generator.random(500) < 0.4 + 0.2 * (columns["sex"] == "m"), "y", "n"
    )
    graph = CausalGraph(tuple(columns), {("sex", "ok"), ("job", "ok")})
    asked = Question(protected="sex", group="f", decision="ok", favorable="y")
    compared = compare(certify(CountTable.of(columns), graph, asked))
    assert [line.partition(" ")[0] for line in compared.skipped] == [
        "local-massaging",
        "local-preferential-sampling",
    ]
    assert "anew for each of 353 values, would take too long" in compared.skipped[0]

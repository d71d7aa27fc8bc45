"""Every way to class numbers gives what an audit in those classes gives."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import evenhand as eh
from evenhand.evidence import Verdict
from evenhand.evidence.population import StatisticalVerdict

QUESTION = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = eh.CausalGraph.parse("sex -> hired; age -> hired; pay -> hired; town -> hired")


def people(rows=1500, *, missing=False):
    """Whole ages, pay with digits after the point, two towns; women are hired less often."""
    random = np.random.default_rng(7)
    sex = random.choice(["f", "m"], rows)
    age = random.integers(18, 66, rows)
    pay = random.integers(100, 400, rows) / 10
    town = random.choice(["x", "y"], rows)
    chance = 0.3 + 0.25 * (age > 40) + 0.2 * (pay > 25) - 0.12 * (sex == "f")
    hired = np.where(random.random(rows) < chance, "yes", "no")
    columns = {"sex": sex, "age": age, "pay": pay, "town": town, "hired": hired}
    mask = random.random(rows) < 0.1 if missing else np.zeros(rows, bool)
    return pa.table(columns | {"age": pa.array(age, mask=mask)})


def audit(codings=None, *, source=None, **options):
    codings = codings or eh.Codings.of(bins={"age": [40], "pay": [">=25"]})
    source = people() if source is None else source
    return eh.audit(source, QUESTION, codings=codings, graph=GRAPH, **options)


def check_against_audits(first, binnings, source):
    """Count some of the ways from scratch."""
    for way in binnings.ways[:: max(len(binnings.ways) // 5, 1)]:
        settled = first.rows.codings
        codings = replace(settled, bins={**settled.bins, **way.bins})
        again = audit(codings, source=source, min_coverage=first.certificate.min_coverage)
        population = again.certificate.population
        assert way.verdict is again.verdict
        assert way.statistical is population.verdict
        assert way.coverage == again.certificate.coverage.overall
        assert way.common == pytest.approx(population.common.difference, abs=1e-15)


@pytest.mark.parametrize("missing", ["level", "drop"])
def test_each_way_is_what_an_audit_gives(missing):
    source = people(missing=True)
    first = audit(
        eh.Codings.of(bins={"age": [40], "pay": [">=25"]}, missing=missing), source=source
    )
    binnings = first.binnings(classes=(2, 4))
    assert binnings.columns == ("age", "pay")
    check_against_audits(first, binnings, source)
    own = {name: bins.notation for name, bins in first.rows.codings.bins.items()}
    assert binnings.to_dict()["as_audited"]["bins"] == own
    assert binnings.audited.statistical is first.certificate.population.verdict


def test_numbers_that_were_audited_as_stored_are_classed_too():
    source = people().drop(["pay"])
    graph = eh.CausalGraph.parse("sex -> hired; age -> hired; town -> hired")
    first = eh.audit(source, QUESTION, graph=graph)
    binnings = first.binnings(classes=(2, 3), supervised=False)
    assert [way.bins["age"].labels for way in binnings.ways] == [
        ("up to 40", "41 or more"),
        ("up to 35", "36 to 50", "51 or more"),
    ]
    assert binnings.audited.bins == {}
    assert binnings.audited.coverage == first.certificate.coverage.overall


def test_classes_that_alone_determine_the_decision_cannot_be_judged():
    source = people()
    hired = np.where(source["age"].to_numpy() > 44, "yes", "no")
    source = source.set_column(source.column_names.index("hired"), "hired", pa.array(hired))
    first = audit(source=source)
    binnings = first.binnings(["age"], classes=(2, 3))
    assert {Verdict.CANNOT_DECIDE} < {way.verdict for way in binnings.ways}
    check_against_audits(first, binnings, source)


def test_shares_ranges_and_the_cut_are_of_the_ways():
    binnings = audit().binnings(classes=(2, 3))
    ways = binnings.ways
    assert binnings.possible == len(ways) > 8
    shown = [way for way in ways if way.statistical is StatisticalVerdict.SHOWN]
    assert binnings.shown == len(shown)
    assert sum(binnings.verdicts.values()) == sum(binnings.statistical.values()) == len(ways)
    assert binnings.common_range == (min(w.common for w in ways), max(w.common for w in ways))
    assert binnings.coverage_range == (
        min(w.coverage for w in ways),
        max(w.coverage for w in ways),
    )
    cut = binnings.deciding_cut
    if cut:
        having = [
            way for way in ways if any(cut.label in x for x in way.bins[cut.column].labels)
        ]
        assert 0 < len(having) < len(ways)
    assert len(str(binnings).splitlines()) <= 12
    plain = binnings.to_dict()
    assert plain["ways"] == len(ways)
    assert plain["shown"] == len(shown) / len(ways)


def test_the_cut_that_changes_most_is_the_one_that_matters():
    # Of people aged 1 or 2 men are ahead by .06, of all others women by .03.
    rates = {("m", age): 112 if age < 3 else 94 for age in range(1, 7)}
    lines = [
        (sex, age, decision, many)
        for sex in "fm"
        for age in range(1, 7)
        for yes in [rates.get((sex, age), 100)]
        for decision, many in (("yes", yes), ("no", 200 - yes))
    ]
    table = pa.table(
        dict(zip(("sex", "age", "hired", "n"), zip(*lines, strict=True), strict=True))
    )
    codings = eh.Codings.of(bins={"age": [3]}, frequency="n")
    graph = eh.CausalGraph.parse("sex -> hired; age -> hired")
    first = eh.audit(table, QUESTION, codings=codings, graph=graph)
    binnings = first.binnings(classes=(2, 3), supervised=False)
    assert {way.bins["age"].labels[0]: way.verdict for way in binnings.ways} == {
        "up to 3": Verdict.CERTIFIED,
        "up to 2": Verdict.NOT_CERTIFIED,
    }
    cut = binnings.deciding_cut
    assert cut.change == 1
    assert str(cut) in str(binnings)


def test_more_ways_than_the_limit_are_sampled_the_same_each_time():
    first = audit()
    binnings = first.binnings(limit=10)
    assert len(binnings.ways) == 10 < binnings.possible
    assert [way.bins for way in first.binnings(limit=10).ways] == [
        way.bins for way in binnings.ways
    ]
    every = [way.bins for way in first.binnings().ways]
    assert all(way.bins in every for way in binnings.ways)
    assert any("random sample" in note for note in binnings.notes)


def test_progress_is_told_and_batches_change_nothing(monkeypatch):
    told, first = [], audit()
    whole = first.binnings(progress=told.append)
    assert told[-1].done == told[-1].total == len(whole.ways)
    assert len(told) > len(whole.ways)
    monkeypatch.setattr("evenhand.evidence.binnings._BATCH", 7)
    assert first.binnings().to_dict() == whole.to_dict()


def test_supervised_cuts_do_not_look_at_the_protected_attribute():
    source = people()
    swapped = source.set_column(0, "sex", pa.array(np.roll(source["sex"].to_numpy(), 1)))
    found = [audit(source=one).binnings(classes=(3,)).ways for one in (source, swapped)]
    assert [way.bins for way in found[0]] == [way.bins for way in found[1]]
    assert any("looking at the decision" in note for note in audit().binnings().notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["sex"]}, "no cause of the decision"),
        ({"columns": ["town"]}, "cannot be put into other classes"),
        ({"classes": (1, 2)}, "divide nothing"),
        ({"classes": ()}, "divide nothing"),
        ({"limit": 0}, "At most 0"),
    ],
)
def test_what_cannot_be_classed_is_refused(options, message):
    with pytest.raises(eh.EvenhandError, match=message):
        audit().binnings(**options)


def test_counts_cannot_be_classed():
    counts = eh.read(people(), bins={"age": 3, "pay": 3}).count()
    with pytest.raises(eh.EvenhandError, match="Counts were given"):
        eh.audit(counts, QUESTION, graph=GRAPH).binnings()


def test_a_cause_of_no_numbers_leaves_nothing_to_class():
    graph = eh.CausalGraph.parse("sex -> hired; town -> hired")
    only = eh.audit(people().select(["sex", "town", "hired"]), QUESTION, graph=graph)
    with pytest.raises(eh.EvenhandError, match="No cause of the decision"):
        only.binnings()


def test_coverage_is_exact():
    assert all(isinstance(way.coverage, Fraction) for way in audit().binnings().ways)


def test_classes_are_judged_for_the_direct_effect_alone():
    # The column asked about is no cause, so that it is not among those counted again.
    graph = eh.CausalGraph.parse("sex -> hired; age -> hired; sex -> town; pay")
    asked = replace(QUESTION, redlining=["town"], basis="all")
    codings = eh.Codings.of(bins={"age": [40], "pay": [">=25"]})
    through, direct = (
        eh.audit(people(), one, codings=codings, graph=graph) for one in (asked, QUESTION)
    )
    assert through.binnings().to_dict() == direct.binnings().to_dict()
    assert through.arrows().to_dict() == direct.arrows().to_dict()
    assert through.doubt().to_dict() == direct.doubt().to_dict()
    assert through.certificate.partition.numbers == direct.certificate.partition.numbers

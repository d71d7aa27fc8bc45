"""Partitions: counts by subpopulation, coverage, what is measured."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests import naive_groups

from evenhand import CountTable, Question, Verdict, examined_counts
from evenhand.errors import ColumnError
from evenhand.evidence import Partition
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.statistics.comparison_statistics import statistics
from evenhand.evidence.statistics.expected_by_chance import by_chance

QUESTION = Question(protected="sex", group="f", decision="hired", favorable="yes")


def counted(lines):
    columns = {
        name: [line[at] for line in lines] for at, name in enumerate(("sex", "job", "hired"))
    }
    return CountTable.of(columns, [line[3] for line in lines])


COUNTS = counted(
    [
        ("f", "cook", "yes", 3), ("f", "cook", "no", 1), ("m", "cook", "yes", 1),
        ("m", "cook", "no", 1), ("m", "guard", "yes", 4), ("f", "maid", "no", 5),
        ("f", "maid", "waiting", 2),
    ]
)  # fmt: skip


@pytest.mark.paper("sec:md")
def test_unmeasured_subpopulations_have_no_difference():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    assert [partition.risk_difference(at) for at in range(3)] == [Fraction(-1, 4), None, None]
    assert partition.measured.tolist() == [True, False, False]


def test_nobody_apart_is_one_subpopulation():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), [])
    assert len(partition) == 1
    assert partition.where(0) == {}
    assert partition.risk_difference(0) == Fraction(5, 6) - Fraction(3, 11)


def test_many_valued_decisions_are_favorable_or_not():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    assert partition.decisions == ("yes", "not yes")
    group_yes, group, _, _ = partition.lead_cells
    assert (group - group_yes).tolist() == [1, 0, 7]


def test_an_unknown_attribute_is_refused():
    with pytest.raises(ColumnError, match="'jobs'"):
        Partition.of(examined_counts(COUNTS, QUESTION), ["jobs"])


def test_counts_cannot_be_changed():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    with pytest.raises(ValueError, match="read-only"):
        partition.counts[0, 0, 0] = 9


def test_the_least_likely_comes_first_and_of_equals_the_one_with_more_rows():
    """Four jobs differ; p and rows decide, the order of the names only between equals."""
    jobs = {"a": 20, "b": 40, "c": 30, "d": 40, "e": 10}
    lines = [
        (sex, job, decision, rows)
        for job, rows in jobs.items()
        for sex, decision in (("f", "no"), ("m", "no" if job == "e" else "yes"))
    ]
    partition = Partition.of(examined_counts(counted(lines), QUESTION), ["job"])
    p = np.array([0.5, 0.5, 0.1, 0.5, 0.0])
    vars(partition)["statistics"] = SimpleNamespace(p_threshold=p, difference=np.zeros(5))
    order = [partition.where(line)["job"] for line in partition.by_strength]
    assert order == sorted("abcd", key=lambda job: (p["abcde".index(job)], -jobs[job], job))
    assert order == ["c", "b", "d", "a"]


LINES = st.tuples(
    st.sampled_from("fm"), st.sampled_from("abc"), st.sampled_from(["yes", "no"]),
    st.integers(1, 3),
)  # fmt: skip
# One woman beside one man, so that both groups and both decisions occur.
PAIR = [("f", "z", "yes", 1), ("m", "z", "no", 1)]


@given(st.lists(LINES, max_size=8))
@example([])
@example([("f", "a", "yes", 1), ("m", "a", "no", 1)])
@example([("f", "a", "no", 1), ("m", "a", "yes", 1), ("m", "b", "no", 2)])
@example([("f", "a", "no", 1), ("m", "a", "no", 2), ("f", "c", "yes", 1), ("m", "c", "yes", 1)])
def test_what_a_partition_says_is_what_counting_by_hand_says(lines):
    partition = Partition.of(examined_counts(counted(PAIR + lines), QUESTION), ["job"])
    jobs = sorted({job for _, job, _, _ in PAIR + lines})

    def rows(job, sex="fm", decisions=("yes", "no")):
        return sum(n for s, j, d, n in PAIR + lines if j == job and s in sex and d in decisions)

    differences = {
        job: Fraction(rows(job, "m", ["yes"]), rows(job, "m"))
        - Fraction(rows(job, "f", ["yes"]), rows(job, "f"))
        for job in jobs
        if rows(job, "f") and rows(job, "m")
    }
    above = [job for job, difference in differences.items() if difference >= Fraction(1, 20)]
    below = [job for job, difference in differences.items() if difference <= -Fraction(1, 20)]
    assert partition.names == ("job",)
    assert partition.measured.tolist() == [job in differences for job in jobs]
    assert [partition.risk_difference(at) for at in range(len(jobs))] == [
        differences.get(job) for job in jobs
    ]
    assert partition.extremes == (min(differences.values()), max(differences.values()))
    assert partition.side.tolist() == [(job in above) - (job in below) for job in jobs]
    assert partition.numbers == {
        "occupied": len(jobs),
        "measured": len(differences),
        "violating": len(above + below),
        "above": len(above),
        "below": len(below),
    }
    assert partition.violating_rows == sum(map(rows, above + below))
    assert partition.same_decision.tolist() == [
        rows(job, decisions=["yes"]) in {0, rows(job)} for job in jobs
    ]
    of_all = {sex: sum(rows(job, sex) for job in jobs) for sex in ("fm", "f", "m")}
    assert partition.coverage.by_name(Fraction) == {
        name: Fraction(sum(rows(job, sex) for job in differences), of_all[sex])
        for name, sex in (("rows", "fm"), ("group", "f"), ("other", "m"))
    }


def test_a_partition_judges_its_violations_and_its_coverage():
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    assert partition.verdict(Fraction(0)) is Verdict.NOT_CERTIFIED
    even = Partition.of(
        examined_counts(
            counted([(sex, "cook", hired, 2) for sex in "fm" for hired in ("yes", "no")]),
            QUESTION,
        ),
        ["job"],
    )
    assert even.verdict(Fraction(1)) is Verdict.CERTIFIED


def test_a_partition_is_shown_with_its_attributes_and_size():
    examined = examined_counts(COUNTS, QUESTION)
    assert repr(Partition.of(examined, ["job"])) == "<Partition by job: 3>"
    assert repr(Partition.of(examined, [])) == "<Partition by nothing: 1>"


def test_statistics_and_chance_are_those_of_the_measured_lines():
    """Cooks alone are measured: 3 of 4 women and 1 of 2 men are hired."""
    partition = Partition.of(examined_counts(COUNTS, QUESTION), ["job"])
    names = ("group_yes", "group", "other_yes", "other")
    cooks = {name: np.array([n]) for name, n in zip(names, (3, 4, 1, 2), strict=True)}
    compared = partition.comparisons
    assert [column.tolist() for column in compared.tables] == [[3], [4], [1], [2]]
    assert (compared.line.tolist(), partition.lead.tolist()) == ([0], [0, -1, -1])
    zero = np.zeros(1, np.intp)
    alone = Comparisons(zero, zero, zero, **cooks, threshold=QUESTION.threshold)
    expected = statistics(alone, 0.05)
    assert partition.statistics.p_threshold == expected.p_threshold
    assert partition.statistics.difference == expected.difference == [-0.25]
    assert partition.by_chance == by_chance(alone)


def test_where_nobody_is_nothing_is_covered_or_measured():
    nobody = np.zeros(0, np.int64)
    counts = np.zeros((2, 2, 0), np.int64)
    labels = ("f", "m"), ("yes", "no")
    empty = Partition(QUESTION, CountTable((), (), nobody), *labels, counts)
    assert {empty.coverage.overall, *empty.coverage.groups} == {Fraction(0)}
    assert empty.extremes == ()
    assert empty.by_chance is None
    assert empty.verdict(Fraction(0)) is Verdict.CANNOT_DECIDE


def worst(differences, statistic):
    """The comparison that speaks for a place: least p among those that reach the threshold."""
    reach = [abs(difference) >= Fraction(1, 10) for difference in differences]
    chosen = [at for at, own in enumerate(reach) if own] or [*range(len(differences))]
    return min(statistic[at] for at in chosen)


@pytest.mark.parametrize("seed", range(5))
def test_many_groups_and_values_are_what_fractions_say(seed):
    for cells, question, groups, values in naive_groups.cases(seed, 8):
        partition = naive_groups.partition_of(cells, question)
        differences = naive_groups.naive_comparisons(
            cells, question, groups=groups, values=values
        )
        places = [partition.where(at)["place"] for at in range(len(partition))]
        by_place = {
            place: {key: d for key, d in differences.items() if key[-1] == place}
            for place in places
        }
        assert partition.measured.tolist() == [bool(by_place[place]) for place in places]
        violates = [
            any(abs(d) >= Fraction(1, 10) for d in by_place[place].values()) for place in places
        ]
        assert partition.violates.tolist() == violates
        assert partition.numbers == {
            "occupied": len(places),
            "measured": sum(map(bool, by_place.values())),
            "violating": sum(violates),
            "above": sum(d >= Fraction(1, 10) for d in differences.values()),
            "below": sum(d <= Fraction(-1, 10) for d in differences.values()),
            "comparisons": len(differences),
        }
        if differences:
            assert partition.extremes == (
                min(differences.values()),
                max(differences.values()),
            )
            means = partition.statistics.means
            leading = min(
                (at for at, mean in enumerate(means) if mean),
                key=lambda at: (
                    means[at].p_threshold if means[at].shown else 1 + means[at].p_zero,
                    means[at].p_zero,
                    -abs(means[at].difference),
                ),
            )
            own = partition.comparisons.mean == leading
            assert partition.leading.line.tolist() == partition.comparisons.line[own].tolist()
        p = dict(zip(differences, partition.statistics.p_threshold.tolist(), strict=True))
        for line, place in enumerate(places):
            own = by_place[place]
            lead = int(partition.lead[line])
            if not own:
                assert (lead, partition.risk_difference(line)) == (-1, None)
                continue
            key = [*differences][lead]
            assert key[-1] == place
            assert p[key] == pytest.approx(worst([*own.values()], [p[one] for one in own]))
            assert partition.lead_labels(line) == key[1:3]
            assert partition.side[line] == partition.comparisons.side[lead]
            assert partition.risk_difference(line) == differences[key]
            sets = naive_groups.favorable_sets(question, values)
            assert {*partition.lead_decision(line).split(" or ")} == sets[key[0]]
            favorable = [
                naive_groups.rows_of(cells, place, label, sets[key[0]]) for label in key[1:3]
            ]
            rows = [naive_groups.rows_of(cells, place, label) for label in key[1:3]]
            assert partition.lead_cells[:, line].tolist() == [
                favorable[0],
                rows[0],
                favorable[1],
                rows[1],
            ]


@pytest.mark.parametrize("seed", range(5))
def test_each_group_is_covered_beside_any_other_and_pairs_beside_each_other(seed):
    for cells, question, groups, _ in naive_groups.cases(seed, 8):
        partition = naive_groups.partition_of(cells, question)
        labels = naive_groups.GROUPS[:groups]
        places = sorted({place for place, _, _ in cells})
        rows = {
            (place, label): naive_groups.rows_of(cells, place, label)
            for place in places
            for label in labels
        }
        pairs = [(labels[a], labels[b]) for a, b in partition.pairs]
        together = {
            (place, pair)
            for place in places
            for pair in pairs
            if min(rows[place, label] for label in pair) >= question.min_rows
        }

        def share(label, of_places, rows=rows, places=tuple(places)):
            whole = sum(rows[place, label] for place in places)
            return Fraction(sum(rows[place, label] for place in of_places), whole)

        beside = {
            label: {place for place, pair in together if label in pair} for label in labels
        }
        coverage = partition.coverage
        assert coverage.groups == tuple(share(label, beside[label]) for label in labels)
        measured = {place for place, _ in together}
        assert coverage.overall == Fraction(
            sum(n for (place, _), n in rows.items() if place in measured), sum(rows.values())
        )
        assert partition.pair_coverage == tuple(
            min(
                share(label, {place for place, own in together if own == pair})
                for label in pair
            )
            for pair in pairs
        )
        least = min(coverage.groups)
        verdict = partition.verdict(least)
        violating = partition.violating
        if least:
            assert (verdict is Verdict.NOT_CERTIFIED) == bool(violating)
        assert partition.verdict(Fraction(1)) is (
            Verdict.NOT_CERTIFIED
            if violating
            else Verdict.CERTIFIED
            if least == coverage.overall == 1
            else Verdict.CANNOT_DECIDE
        )


def scores_by_town():
    """Three groups, three scores, in towns with all, two, one of them."""
    generator = np.random.default_rng(3)
    lines = [
        (race, town, score, int(generator.integers(1, 60)))
        for town, races in {"A": "abc", "B": "abc", "C": "bc", "D": "c"}.items()
        for race in races
        for score in ("low", "mid", "top")
    ]
    race, town, score, many = zip(*lines, strict=True)
    return CountTable.of({"race": race, "town": town, "score": score}, many)

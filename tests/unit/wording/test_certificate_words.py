"""The first sentence: what was seen, what chance would make, who is ahead."""

from dataclasses import replace
from string import ascii_lowercase

import numpy as np
import pytest
from tests import naive_groups
from tests.admission import GRAPH as ADMISSION_GRAPH
from tests.admission import QUESTION as ADMITTED
from tests.many_groups import hiring_audit, score_audit
from tests.permuted import explained

from evenhand import (
    CausalGraph,
    CountTable,
    PartialGraph,
    Question,
    ShuffleProtected,
    Tiers,
    audit,
    certify,
    datasets,
)
from evenhand.evidence.determining_columns import met_by_construction
from evenhand.evidence.partition import Partition
from evenhand.question.display_labels import Labels
from evenhand.wording import Words
from evenhand.wording.certificate_words import partition_facts

QUESTION = Question(protected="sex", group="f", other="m", decision="hired", favorable="yes")
GRAPH = CausalGraph.parse("sex -> hired; place -> hired")
WORDS = Labels(values={"sex": {"f": "women", "m": "men"}})


def table(*cells):
    """One place for each (f yes, f no, m yes, m no)."""
    columns = {
        "place": [f"p{at:03}" for at in range(len(cells)) for _ in range(4)],
        "sex": ["f", "f", "m", "m"] * len(cells),
        "hired": ["yes", "no"] * (2 * len(cells)),
    }
    return CountTable.of(columns, [count for cell in cells for count in cell])


def sentence(*cells, labels=WORDS, **options):
    return certify(table(*cells), GRAPH, QUESTION, **options).first_sentence(labels)


def test_the_demo_opens_with_both():
    asked = datasets.question("adult")
    tiers = Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    result = audit(datasets.adult(), asked, knowledge=tiers)
    expected = (
        "In 48 of 99 comparable groups women and men differ by 5 points or more; about 35 are "
        "expected by chance (28 to 42). On average women are 1.0 points behind men (95% "
        "interval 0.3 to 1.7)."
    )
    assert result.certificate.first_sentence(asked.labels) == expected
    assert result.to_dict()["sentence"] == expected


def test_what_chance_explains_is_called_so():
    assert sentence((5, 5, 6, 4), (4, 6, 4, 6), (3, 7, 4, 6)) == (
        "In 2 of 3 comparable groups women and men differ by 5 points or more; about 2.6 are "
        "expected by chance (2 to 3): chance explains what was seen, given this graph. On "
        "average women are 6.7 points behind men (95% interval −18.2 to 30.4)."
    )


def test_a_shown_difference_is_never_called_chance():
    text = sentence((10, 990, 500, 500), *[(5, 5, 6, 4)] * 40)
    assert "chance explains" not in text
    assert "expected by chance" in text


def test_a_difference_on_average_is_never_called_chance():
    # No group reaches 5 points, and all lean the same way.
    certificate = certify(table(*[(4000, 6000, 4400, 5600)] * 9), GRAPH, QUESTION)
    assert certificate.by_chance.p == 1
    assert not certificate.explained_by_chance
    assert certificate.first_sentence(WORDS) == (
        "In none of 9 comparable groups do women and men differ by 5 points or more; about 0 "
        "are expected by chance (0 to 0). On average women are 4.0 points behind men (95% "
        "interval 3.5 to 4.5)."
    )


def test_more_groups_than_chance_makes_are_never_called_chance():
    cells = [(30, 70, 42, 58), (42, 58, 30, 70)] * 20
    certificate = certify(table(*cells), GRAPH, QUESTION)
    assert certificate.by_chance.p < 0.05
    assert certificate.partition.statistics.common.p_zero > 0.05
    assert not certificate.explained_by_chance


def test_little_coverage_stands_in_the_first_sentence():
    text = sentence((1, 0, 0, 1), (0, 0, 50, 49))
    assert text.startswith(
        "In the one comparable group women and men differ by 5 points or more, in the 2.0 % of "
        "the rows that could be compared"
    )


def test_little_coverage_of_one_group_is_told_of_that_group():
    text = sentence((5, 5, 5000, 4900), (45, 45, 0, 0))
    assert "in the 10.0 % of the women that could be compared" in text


def test_causes_that_the_graph_leaves_open_are_told_and_not_called_chance():
    """Alike in place there is noise; over all places a large difference."""
    counts = table((100, 400, 13, 47), (50, 10, 390, 110))
    graph = PartialGraph.parse("sex -> hired; sex -> place; place - hired")
    certificate = certify(counts, graph, replace(QUESTION, threshold="0.04"))
    assert certificate.partition.names == ("place",)
    assert not certificate.explained_by_chance
    assert certificate.first_sentence(WORDS) == (
        "In 1 of 2 comparable groups women and men differ by 4 points or more; about 0.9 are "
        "expected by chance (0 to 2). On average men are 1.8 points behind women (95% interval "
        "−6.8 to 10.4)."
    )
    differ = "inconclusive, as the possible sets of decision causes disagree; 0 of 2 groups"
    assert certificate.summary().facts[1][1].startswith(differ)
    page = audit(counts, replace(QUESTION, threshold="0.04"), graph=graph).report().html
    assert "What they say about the population differs." in page


def test_where_nobody_can_be_compared_nothing_else_is_said():
    text = sentence((1, 3, 0, 0), (0, 0, 5, 4))
    assert text == "Nobody could be compared: both groups never occur among people alike."


def test_nobody_is_ahead_of_equals():
    assert sentence((5, 5, 5, 5)).endswith(
        "On average neither is ahead (95% interval −37.3 to 37.3)."
    )


def test_the_interval_is_turned_to_whoever_is_ahead():
    text = sentence((60, 40, 40, 60), labels=Labels())
    assert text.endswith(
        "On average people with “sex = m” are 20.0 points behind people with “sex = f” (95% "
        "interval 6.1 to 32.8)."
    )


def test_a_block_set_that_alone_differs_is_named():
    # Over all places nothing differs; alike in place everything does.
    graph = CausalGraph.parse("sex -> hired; place")
    cells = table((8, 12, 10, 10), (12, 8, 10, 10))
    certificate = certify(cells, graph, QUESTION, scope="all")
    assert not certificate.partition.violating
    assert certificate.first_sentence(Labels(columns={"place": "town"})).startswith(
        "Alike in town: in both comparable groups people with “sex = f” and people with "
        "“sex = m” differ by 5 points or more; about 1.5 are expected by chance (0 to 2): "
        "chance explains what was seen, given this graph. On "
    )


def test_released_rows_have_no_chance_line():
    counts, asked = datasets.admissions(2), datasets.question("admissions")
    graph = CausalGraph.parse(
        "gender -> major -> admission; test_score -> admission; gender -> admission"
    )
    released = audit(counts, asked, graph=graph).release(seed=1).certificate
    assert released.by_chance is None
    assert "chance" not in released.first_sentence()
    assert released.to_dict()["subpopulations"]["by_chance"] is None
    assert not released.explained_by_chance


def test_released_rows_have_no_interval():
    asked = datasets.question("admissions")
    graph = CausalGraph.parse("gender -> major -> admission; gender -> admission")
    result = audit(datasets.admissions(2), asked, graph=graph)
    released = result.release(seed=1).certificate
    recorded, after = (
        one.first_sentence(asked.labels) for one in (result.certificate, released)
    )
    assert recorded.endswith(")."), recorded
    assert after.endswith(" points behind women."), after
    names = {name for name, _ in result.certificate.summary().facts}
    assert {"in the population", "pooled difference (Mantel–Haenszel)"} <= names
    assert not {"in the population", "pooled difference (Mantel–Haenszel)"} & {
        name for name, _ in released.summary().facts
    }


def test_what_a_release_without_guarantee_leaves_is_listed_without_interval():
    graph = CausalGraph.parse("gender -> major -> admission; gender -> admission")
    result = audit(datasets.admissions(2), datasets.question("admissions"), graph=graph)
    left = result.release(method=ShuffleProtected(), seed=7, uncertified=True).certificate
    columns = left.summary().columns
    assert columns[-1] == "difference"
    assert {len(line) for line in left.summary().lines} == {len(columns)}


@pytest.mark.parametrize("seed", range(5))
def test_the_words_follow_their_rule(seed):
    generator = np.random.default_rng(seed)
    for _ in range(40):
        cells = generator.integers(0, 30, (6, 4)).tolist()
        certificate = certify(table(*cells), GRAPH, QUESTION)
        partition: Partition = certificate.partition
        rule = (
            partition.by_chance.p >= 0.05
            and not partition.statistics.shown.any()
            and partition.statistics.common.p_zero >= 0.05
        )
        assert certificate.explained_by_chance == rule
        said = "chance explains what was seen" in certificate.first_sentence()
        assert said == rule


def test_a_permuted_protected_column_is_called_chance():
    """20 of the 100 permutations of the slow tests; two tests at 5 % may each fail."""
    tiers = Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    asked = datasets.question("adult")
    assert explained(datasets.adult(), asked, tiers, range(20)) >= 17


def many_groups(changes=(), **labels):
    """The first sentence on three races in two places: 10, 30 and 50 of 100 each are hired."""
    rates = {"a": 10, "b": 30, "c": 50}
    lines = [
        (place, race, hired, rows)
        for place in "xy"
        for race, yes in rates.items()
        for hired, rows in (("yes", yes), ("no", 100 - yes))
    ]
    place, race, hired, rows = zip(*lines, strict=True)
    counts = CountTable.of({"place": [*place], "race": [*race], "hired": [*hired]}, [*rows])
    asked = Question(
        **({"protected": "race", "decision": "hired", "favorable": "yes"} | dict(changes))
    )
    graph = CausalGraph.parse("race -> hired; place -> hired")
    return certify(counts, graph, asked).first_sentence(Labels(**labels))


def test_of_many_groups_the_clearest_difference_is_told():
    sentence = many_groups()
    assert sentence.startswith(
        "In both comparable groups people with different values of race differ by 5 points or "
        "more; about 0.9 are expected by chance"
    )
    assert (
        "The clearest of 3 average differences: people with “race = a” are 40.0 points behind "
        "people with “race = c” ("
    ) in sentence


def test_labels_name_the_groups_of_many():
    sentence = many_groups(values={"race": {"a": "the first", "c": "the third"}})
    assert "the first are 40.0 points behind the third" in sentence


def test_against_a_reference_the_clearest_has_it():
    sentence = many_groups({"other": "b"})
    assert "of 2 average differences: people with “race = a” are 20.0 points" in sentence
    assert "behind people with “race = b”" in sentence


def test_a_least_number_of_rows_over_every_group_is_told():
    assert many_groups({"min_rows": 101}) == (
        "Nobody could be compared: two groups never occur with 101 rows or more among people "
        "alike."
    )
    assert many_groups({"min_rows": 101, "group": "a", "other": "b"}) == (
        "Nobody could be compared: both groups never occur with 101 rows or more among people "
        "alike."
    )


def test_comparisons_are_counted_apart_from_subpopulations():
    partition = hiring_audit().certificate.partition
    text = dict(partition_facts(partition, Words.of(partition)))["subpopulations"]
    side = partition.comparisons.side
    assert text.endswith(
        f"{partition.violating} at or beyond the threshold; "
        f"of {len(side)} comparisons {(side != 0).sum()} at or beyond"
    )


def test_of_more_than_ten_groups_those_with_the_smallest_coverage_are_named():
    cells = {("p0", group, value): 5 for group in ascii_lowercase[:12] for value in "uv"}
    cells["p1", "l", "u"] = 10  # beside nobody
    partition = naive_groups.partition_of(cells, naive_groups.question_of())
    text = dict(partition_facts(partition, Words.of(partition)))["coverage"]
    assert text.startswith("92.3 % of the rows; race l 50.0 %, race a 100.0 %")
    assert text.endswith("race i 100.0 % and 2 more")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"criterion": "every", "order": ("low", "medium", "high")}, ", each of 3 values: "),
        (
            {"criterion": "cumulative", "order": ("low", "medium", "high")},
            ", each cut of 3 values: ",
        ),
    ],
)
def test_of_several_values_each_line_of_the_evidence_names_its_own(question, words):
    certificate = score_audit(**question).certificate
    summary = certificate.summary()
    assert words in dict(summary.facts)["question"]
    at = summary.columns.index("decision")
    shown = [line[at] for line in summary.lines]
    assert shown == [one.decision for one in certificate.evidence]
    assert all(shown)
    assert "decision" not in hiring_audit().certificate.summary().columns


def test_where_nothing_is_measured_there_is_one_reason():
    reasons = hiring_audit(min_rows=100_000).certificate.reasons
    assert len([one for one in reasons if "In no subpopulation of" in one.what]) == 1
    assert not any("rows of" in one.what for one in reasons)


def test_a_rule_has_no_exception_in_any_of_many_groups():
    many = naive_groups.question_of()
    assert "no exception in any group;" in met_by_construction(many)
    assert "in either group;" in met_by_construction(replace(many, group="a", other="b"))


def assumptions(asked=ADMITTED, left_out=0, **changes):
    certificate = certify(datasets.admissions(1), ADMISSION_GRAPH, asked)
    examined = replace(certificate.examined, left_out=left_out)
    return {*replace(certificate, examined=examined, **changes).assumptions}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pools_others": True}, "other than female were pooled"),
        ({"left_out": 1}, "left out"),
        ({"dropped": 1}, "dropped"),
    ],
)
def test_each_of_these_adds_one_assumption(change, words):
    (more,) = assumptions(**change) - assumptions()
    assert words in more


def test_pooled_decisions_are_an_assumption():
    columns = {"place": [*"pppp"], "sex": [*"ffmm"], "hired": ["yes", "no", "yes", "later"]}
    told = certify(CountTable.of(columns, [5, 5, 5, 5]), GRAPH, QUESTION).assumptions
    assert "All decisions that are not favorable were pooled." in told


def test_a_second_claim_is_not_denied():
    told = assumptions(replace(ADMITTED, redlining=("major",)))
    assert not any("not what works through other attributes" in one for one in told)
    assert any("the effect through major has one of its own" in one for one in told)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"complete": False}, "Not all block sets"),
        ({"scope": "all"}, "All block sets"),
        ({"scope": "minimal"}, "all minimal block sets"),
    ],
)
def test_one_assumption_says_what_was_examined(change, words):
    (less,) = assumptions() - assumptions(**change)
    (more,) = assumptions(**change) - assumptions()
    assert less.startswith("Only the decision causes")
    assert words in more

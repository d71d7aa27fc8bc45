"""A question is checked against the counts; rows of other groups are pooled or left out."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from evenhand import CountTable, EvenhandError, Question, examined_counts
from evenhand.counts.examined import (
    compare_alike,
    group_columns,
    group_labels,
    question_groups,
    with_groups,
)
from evenhand.evidence import Partition


def ask(**changes):
    fields = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    return Question(**(fields | changes))


def table(sexes="ffmm", hired=("yes", "no", "yes", "no")):
    return CountTable.of({"sex": list(sexes), "hired": list(hired)})


def refusal(counts, question) -> EvenhandError:
    with pytest.raises(EvenhandError) as caught:
        examined_counts(counts, question)
    return caught.value


ALWAYS = ["yes"] * 4
REFUSED = {
    "an unknown column": (table(), {"protected": "Sex "}, "Did you mean 'sex'?"),
    "one group": (table("ffff"), {}, "one value only", "nobody to compare with"),
    "three groups": (table("ffmx"), {}, "3 values: 'f', 'm', 'x'", "other='rest'"),
    "a constant decision": (
        *(table(hired=ALWAYS), {}, "The decision 'hired' is always 'yes'."),
        "Name another column as the decision.",
    ),
    "constant predictions": (
        *(table(hired=ALWAYS), {"predicts": "recorded"}),
        "The predictions in 'hired' are always 'yes'.",
        "Give predictions that differ, or leave this model out.",
    ),
    "an absent favorable value": (
        *(table(hired=(">50K.", "<=50K", ">50K.", "<=50K")), {"favorable": ">50K"}),
        *("'<=50K', '>50K.'", "Did you mean '>50K.'"),
    ),
    "an absent group": (table(), {"group": "F"}, "has no value 'F'"),
    "spellings of one value": (
        *(table("ffmm", (">50K.", ">50K", "<=50K", "<=50K")), {"favorable": ">50K"}),
        *("in 2 ways", "merge={'hired': {'>50K': ['>50K', '>50K.']}}"),
    ),
    "a group called rest": (
        *(table(["f", "m", "rest"], ["yes", "no", "no"]), {"other": "rest"}),
        "'rest' is itself a value",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_question_that_the_counts_cannot_answer_is_refused(case):
    counts, changes, *said = REFUSED[case]
    error = refusal(counts, ask(**changes))
    assert [words for words in said if words not in str(error)] == []
    assert {problem.where for problem in error.problems} == {"question"}


def test_all_problems_come_together():
    error = refusal(table("ffff", ["yes"] * 4), ask(group="w", favorable="maybe"))
    assert len(error.problems) == 4


def test_rows_of_further_groups_leave_and_are_counted():
    examined = examined_counts(table("fmxx"), ask(other="m"))
    assert examined.left_out == 2
    assert examined.counts.attribute("sex").values == ("f", "m")


def test_the_rest_is_pooled():
    examined = examined_counts(table("fmxx"), ask(other="rest"))
    assert examined.left_out == 0
    assert examined.counts.values("sex") == {"f": 1, "not f": 3}
    assert examined.question.other == "not f"


def test_a_favorable_value_of_further_groups_only_is_said_to_be_there():
    counts = table("ffmmx", ["no", "refused", "no", "refused", "yes"])
    (problem,) = refusal(counts, ask(other="m")).problems
    assert problem.what == "Nobody with sex 'f' or 'm' has hired 'yes'."
    assert problem.remedies[0].value == "rest"
    assert examined_counts(counts, ask(other="rest")).counts.row_count == 5


def people(seed=0, rows=120):
    """Rows of two sexes, four races and three scores, as lists."""
    rng = np.random.default_rng(seed)
    return {
        "sex": rng.choice(["f", "m"], rows).tolist(),
        "race": rng.choice(["a", "b", "c", "d"], rows, p=[0.5, 0.3, 0.15, 0.05]).tolist(),
        "score": rng.choice(["Low", "Medium", "High"], rows).tolist(),
    }


def asked(**changes):
    return Question(
        **({"protected": "race", "decision": "score", "favorable": "Low"} | changes)
    )


BOTH = ("sex", "race")


@pytest.mark.parametrize("protected", ["race", ("race",), BOTH, ("race", "sex")])
def test_without_a_group_all_groups_are_compared(protected):
    rows = people()
    question = asked(protected=protected)
    examined = examined_counts(CountTable.of(rows), question)
    names = [protected] if isinstance(protected, str) else [*protected]
    labels = [" & ".join(parts) for parts in zip(*(rows[n] for n in names), strict=True)]
    assert examined.groups == tuple(sorted({*labels}))
    assert examined.left_out == 0
    assert examined.question == question
    often = Counter(zip(labels, (score == "Low" for score in rows["score"]), strict=True))
    found = Partition.of(examined, []).counts[..., 0]
    assert examined.decisions == ("Low", "not Low")
    assert found.tolist() == [
        [often[label, low] for label in examined.groups] for low in (True, False)
    ]


def test_each_line_has_the_index_of_its_group_and_decision():
    rows = people()
    counts = CountTable.of(rows)
    examined = examined_counts(counts, asked(protected=BOTH, favorable=("Low", "High")))
    assert examined.decisions == ("Low or High", "Medium")
    values = [counts.attribute(name).values for name in counts.names]
    codes = zip(examined.group_codes.tolist(), examined.decision_codes.tolist(), strict=True)
    for line, (group, decision) in enumerate(codes):
        own = {
            name: labels[counts.column(name)[line]]
            for name, labels in zip(counts.names, values, strict=True)
        }
        assert examined.groups[group] == f"{own['sex']} & {own['race']}"
        assert examined.decisions[decision] == (
            "Medium" if own["score"] == "Medium" else "Low or High"
        )


def test_two_groups_of_many_leave_the_others_out():
    rows = people()
    labels = Counter(zip(rows["sex"], rows["race"], strict=True))
    question = asked(protected=BOTH, group=("m", "b"), other=("f", "a"))
    examined = examined_counts(CountTable.of(rows), question)
    assert examined.groups == ("m & b", "f & a")
    assert examined.left_out == 120 - labels["m", "b"] - labels["f", "a"]
    assert Partition.of(examined, []).rows[:, 0].tolist() == [
        labels["m", "b"],
        labels["f", "a"],
    ]


@pytest.mark.parametrize("protected", ["race", BOTH])
def test_the_rest_is_everybody_else_and_may_be_examined_again(protected):
    rows = people()
    first = "a" if protected == "race" else ("f", "a")
    question = asked(protected=protected, group=first, other="rest")
    once = examined_counts(CountTable.of(rows), question)
    again = examined_counts(once.counts, once.question)
    for examined in (once, again):
        assert examined.groups == (question.group, f"not {question.group}")
        assert examined.left_out == 0
        own = Partition.of(examined, []).rows[:, 0].tolist()
        assert own == [
            sum(
                r == "a" and (protected == "race" or s == "f")
                for s, r in zip(rows["sex"], rows["race"], strict=True)
            ),
            120 - own[0],
        ]


def test_a_reference_of_two_groups_is_the_other():
    rows = {"sex": ["f", "m", "f", "m"], "score": ["Low", "High", "High", "Low"]}
    for other, group in (("f", "m"), ("m", "f"), (None, "f")):
        examined = examined_counts(CountTable.of(rows), asked(protected="sex", other=other))
        assert examined.groups == (group, "m" if group == "f" else "f")


def test_values_are_counted_apart_in_their_order():
    rows = people()
    every = examined_counts(CountTable.of(rows), asked(favorable=None, criterion="every"))
    assert every.decisions == ("High", "Low", "Medium")
    order = ("Low", "Medium", "High")
    ordered = asked(favorable=None, criterion="cumulative", order=order)
    examined = examined_counts(CountTable.of(rows), ordered)
    assert examined.decisions == order
    found = Partition.of(examined, []).counts[..., 0]
    often = Counter(zip(rows["score"], rows["race"], strict=True))
    assert found.tolist() == [[often[score, race] for race in "abcd"] for score in order]


def test_groups_have_labels_columns_and_codes_that_agree():
    rows = people()
    counts = CountTable.of(rows)
    question = asked(protected=BOTH)
    whole = with_groups(counts, question)
    assert whole.names == (*counts.names, "sex & race")
    labels = whole.attribute("sex & race").values
    assert labels == tuple(sorted(labels))
    for (sex, race, _, label), _ in whole:
        assert label == f"{sex} & {race}"
    assert with_groups(counts, asked()) is counts
    own, line = group_labels(counts, question)
    assert [own[at] for at in line] == [f"{sex} & {race}" for (sex, race, _), _ in counts]
    groups = ("m & b", "f & b", "f & a")
    (sexes, sex_codes), (races, race_codes) = group_columns(question, groups)
    assert (sexes.name, races.name) == BOTH
    assert [
        f"{sexes.values[a]} & {races.values[b]}"
        for a, b in zip(sex_codes, race_codes, strict=True)
    ] == [*groups]


def test_values_with_the_sign_between_attributes_are_refused_where_several_define_groups():
    rows = people() | {"race": ["a & b", "c"] * 60}
    error = refusal(CountTable.of(rows), asked(protected=BOTH))
    assert "Values of 'race' contain ' & ': 'a & b'" in str(error)
    assert error.problems[0].remedies[0].argument == "merge"
    assert examined_counts(CountTable.of(rows), asked()).groups == ("a & b", "c")


def test_a_group_that_nobody_is_in_is_named_with_those_that_are():
    error = refusal(CountTable.of(people()), asked(protected=BOTH, other=("f", "z")))
    assert "The column 'sex & race' has no value 'f & z'" in str(error)
    assert "Did you mean 'f & " in str(error)


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (("Low", "High"), "It misses 'Medium'."),
        (("Low", "Medium", "High", "Extreme"), "Nobody has 'Extreme'."),
        (("Low", "Extreme"), "It misses 'High', 'Medium'. Nobody has 'Extreme'."),
    ],
)
def test_an_order_has_every_value_that_occurs_and_no_other(order, words):
    (problem,) = refusal(
        CountTable.of(people()), asked(favorable=None, criterion="cumulative", order=order)
    ).problems
    assert problem.found == words
    assert problem.remedies[0].argument == "order"
    assert problem.where == "question"


def test_five_hundred_groups_are_too_many_to_compare():
    names = [f"g{at:03}" for at in range(500)]
    rows = {"race": names * 2, "score": ["Low"] * 500 + ["High"] * 500}
    (problem,) = refusal(CountTable.of(rows), asked()).problems
    assert "500 values" in problem.what
    assert [one.argument for one in problem.remedies] == ["merge", "bins", "group"]
    fifty = {"race": names[:50] * 2, "score": ["Low"] * 50 + ["High"] * 50}
    assert len(examined_counts(CountTable.of(fifty), asked()).groups) == 50
    one = examined_counts(CountTable.of(rows), asked(group="g000", other="rest"))
    assert one.groups == ("g000", "not g000")


def test_a_hundred_decisions_are_compared_one_by_one_and_no_more():
    """Of 20,000 towns as decisions an audit took more than five minutes and 3 GB."""
    asked = Question(protected="sex", decision="town", criterion="every")
    towns = [f"t{at}" for at in range(101)]
    some = CountTable.of({"sex": [*"fm"] * 50, "town": towns[:100]})
    assert len(examined_counts(some, asked).decisions) == 100
    whole = CountTable.of({"sex": [*"fm"] * 50 + ["f"], "town": towns})
    with pytest.raises(EvenhandError, match="'town' has 101 values, each of which would be"):
        examined_counts(whole, asked)


def test_every_value_favorable_leaves_nothing_to_compare():
    error = refusal(CountTable.of(people()), asked(favorable=("Low", "High", "Medium")))
    assert "Every value of 'score' is named as favorable." in str(error)


def test_problems_of_several_groups_come_together():
    rows = people() | {"race": ["a", "A", "b"] * 40}
    error = refusal(CountTable.of(rows), asked(other="z", favorable=("Low", "Lowest")))
    texts = [problem.what for problem in error.problems]
    assert len(texts) == 3
    for words in ("writes one value in 2 ways", "no value 'z'", "no value 'Lowest'"):
        assert any(words in text for text in texts)


def rows(seed):
    rng = np.random.default_rng(seed)
    names = ("sex", "town", "degree", "hired")
    values = ("fmx", "abcdefgh", "01", "ny")
    drawn = {n: rng.choice(list(v), 60).tolist() for n, v in zip(names, values, strict=True)}
    return drawn, rng.integers(1, 4, 60).tolist()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("other", ["m", "rest"])
def test_kinds_of_people_are_those_of_a_dictionary(seed, other):
    table, often = rows(seed)
    asked = Question(protected="sex", group="f", other=other, decision="hired", favorable="y")
    kinds = defaultdict(list)
    total = 0
    for sex, town, degree, hired, many in zip(*table.values(), often, strict=True):
        if sex == "f" or other in ("rest", sex):
            kinds[town, degree].append((sex == "f", hired, many))
            total += many
    measured = [kind for kind in kinds.values() if len({side for side, _, _ in kind}) == 2]
    same = [kind for kind in measured if len({hired for _, hired, _ in kind}) == 1]
    counts = CountTable.of(table, often)
    result = compare_alike(counts, ["town", "degree"], "hired", question_groups(counts, asked))
    assert result.to_dict() == {
        "columns": ["town", "degree"],
        "rows": total,
        "occupied": len(kinds),
        "measured": len(measured),
        "without_comparator": total - sum(m for kind in measured for _, _, m in kind),
        "same_decision": sum(many for kind in same for _, _, many in kind),
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("protected", ["sex", ("sex", "degree")])
@pytest.mark.parametrize("other", [None, "reference"])
def test_kinds_of_people_of_many_groups_are_those_of_a_dictionary(seed, protected, other):
    """A kind is measured where two groups occur, whichever."""
    table, often = rows(seed)
    names = [protected] if isinstance(protected, str) else [*protected]
    labels = [*zip(*(table[name] for name in names), strict=True)]
    asked = Question(
        protected=protected,
        other=other and labels[0],
        decision="hired",
        favorable="y",
    )
    kinds = defaultdict(list)
    for label, town, hired, many in zip(
        labels, table["town"], table["hired"], often, strict=True
    ):
        kinds[town].append((label, hired, many))
    measured = [kind for kind in kinds.values() if len({label for label, _, _ in kind}) > 1]
    same = [kind for kind in measured if len({hired for _, hired, _ in kind}) == 1]
    counts = CountTable.of(table, often)
    result = compare_alike(counts, ["town"], "hired", question_groups(counts, asked))
    assert result.rows == sum(often)
    assert result.occupied == len(kinds)
    assert result.measured == len(measured)
    assert result.without_comparator == sum(often) - sum(
        many for kind in measured for _, _, many in kind
    )
    assert result.same_decision == sum(many for kind in same for _, _, many in kind)


def test_the_sentence_says_what_is_left():
    counts = CountTable.of({"sex": ["f", "m", "m"], "a": ["x", "x", "y"], "e": ["0", "0", "1"]})
    asked = Question(protected="sex", group="f", decision="e", favorable="1")
    result = compare_alike(counts, ["a"], "e", question_groups(counts, asked))
    assert str(result) == (
        "people alike in 1 column: 2 kinds, 1 with both groups; 33.3 % of the rows have no "
        "comparator, 66.7 % lie where everybody got the same decision"
    )


def test_a_model_need_not_say_all_values_of_an_order():
    asked = {"criterion": "cumulative", "favorable": None, "order": ("yes", "later", "no")}
    examined = examined_counts(table(), ask(**asked, predicts="recorded"))
    assert examined.question.order == ("yes", "no")
    with pytest.raises(EvenhandError, match="Nobody has 'later'"):
        examined_counts(table(), ask(**asked))

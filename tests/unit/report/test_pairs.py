"""The matrix of pairs: who is ahead of whom on average."""

import re
from fractions import Fraction
from itertools import combinations

import pytest
from tests.many_groups import TOWNS, hiring_audit, score_audit
from tests.report_pages import admissions_audit, page_text

import evenhand as eh
from evenhand.question.display_labels import Labels
from evenhand.report import report
from evenhand.report.pictures.group_pairs import who_against_whom
from evenhand.wording import Words

LABELS = Labels(values={"race": {"blue": "blue people"}})


def who(audit, labels=None):
    certificate = audit.certificate
    words = Words.of(certificate, labels)
    return who_against_whom(certificate, words)


def cells(matrix):
    """The cells with a pair, by the names of row and column."""
    called = dict(matrix.groups)
    return {
        (called[row], called[column]): cell
        for (row, column), cell in matrix.cells.items()
        if cell.common
    }


def heads(matrix):
    return [name for _, name in matrix.groups]


def mean_difference(first, second):
    """Mantel and Haenszel's difference of two races, in points, by their definition."""
    weighed = weights = Fraction(0)
    for groups in TOWNS.values():
        if first in groups and second in groups:
            (a, b), (c, d) = groups[first], groups[second]
            n, m = a + b, c + d
            weight = Fraction(n * m, n + m)
            weighed += weight * (Fraction(a, n) - Fraction(c, m))
            weights += weight
    return 100 * weighed / weights if weights else None


def test_each_pair_stands_once_in_the_row_of_the_group_ahead():
    (matrix,) = who(hiring_audit()).matrices
    drawn = cells(matrix)
    expected = {}
    for pair in combinations(("red", "green", "blue", "gray"), 2):
        difference = mean_difference(*pair)
        if difference is not None:
            row, column = pair if difference > 0 else pair[::-1]
            expected[row, column] = f"{float(abs(difference)):.1f}"
    assert {ends: cell.points for ends, cell in drawn.items()} == expected


def test_groups_stand_in_the_order_of_how_far_they_are_ahead():
    (matrix,) = who(hiring_audit()).matrices
    assert heads(matrix)[-1] == "blue"


def test_groups_that_are_nowhere_together_have_no_number():
    (matrix,) = who(hiring_audit()).matrices
    (cell,) = (cell for ends, cell in matrix.cells.items() if {*ends} == {"blue", "gray"})
    assert cell.kind == "absent"
    assert ("absent", "no overlap") in who(hiring_audit()).key
    rows = who(hiring_audit()).rows
    assert any((row.title, row.points) == ("blue and gray", "") for row in rows)


def test_only_what_is_shown_on_average_is_red():
    audit = hiring_audit()
    (matrix,) = who(audit).matrices
    shown = {
        frozenset((pair.group, pair.other))
        for pair in audit.certificate.population.pairs
        if pair.common and pair.common.shown
    }
    assert shown == {frozenset(("red", "blue")), frozenset(("green", "blue"))}
    red = {frozenset(ends) for ends, cell in cells(matrix).items() if cell.kind == "shown"}
    assert red == shown
    html = report(audit).html
    assert len(re.findall(r'<td class="a-shown"', html)) == 2


def test_a_cell_without_zero_in_its_interval_is_told_from_one_with_it():
    (matrix,) = who(hiring_audit()).matrices
    for cell in cells(matrix).values():
        low = float(cell.interval.split(" to ")[0].replace("−", "-"))
        assert (cell.kind == "open") == (low <= 0)


def test_how_many_comparisons_reach_the_threshold_is_in_the_cell():
    (matrix,) = who(hiring_audit()).matrices
    drawn = cells(matrix)
    assert drawn["green", "blue"].reached == "2 of 2"
    assert drawn["red", "blue"].reached == "1 of 1"
    assert drawn["green", "blue"].shown == "1 significant"  # town C has too few people


def test_a_reader_hears_what_the_cell_shows():
    (matrix,) = who(hiring_audit(), LABELS).matrices
    said = cells(matrix)["green", "blue people"].description
    assert said.startswith("green ahead of blue people by 21.8 points, interval ")
    assert said.endswith("on average significantly beyond it")
    assert f'<span class="vh">{said}</span>' in report(hiring_audit(), labels=LABELS).html


def test_pairs_that_are_rarely_compared_are_named():
    (few, allowed) = who(hiring_audit()).notes
    assert few.startswith("Less than 90.0% of the rows of one group overlap with the other")
    named = re.findall(r"(\w+) and (\w+) \(([\d.]+)%\)", few)
    # 50 of 1,072 red people live where gray ones do, 60 of 1,160 green ones, and no blue one.
    assert {(frozenset(ends), share) for *ends, share in named} == {
        (frozenset(("blue", "gray")), "0"),
        (frozenset(("red", "gray")), "4.7"),
        (frozenset(("green", "gray")), "5.2"),
    }
    assert allowed == "Intervals are not corrected; significance is, for all 9 comparisons."


def test_all_against_one_group_stand_under_each_other():
    shown = who(hiring_audit(other="green"))
    assert not shown.matrices
    assert shown.plot.heads[0] == "Compared with green"
    assert {line.names[0] for line in shown.plot.lines} == {"Red", "Blue", "Gray"}
    blue = next(line for line in shown.plot.lines if line.names[0] == "Blue")
    assert (blue.mark.text, blue.mark.shown) == ("21.8", True)
    assert (shown.plot.axis.left, shown.plot.axis.right) == (
        "others higher",
        "green higher",
    )


def test_two_groups_by_several_values_stand_under_each_other():
    shown = who(score_audit(group="blue", other="red", criterion="every"))
    assert shown.heading == "By score"
    assert [line.names[0] for line in shown.plot.lines] == [
        "Had “score = high”",
        "Had “score = low”",
        "Had “score = medium”",
    ]
    assert [line.mark.text[0] for line in shown.plot.lines] == ["−", "1", "0"]


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ({"criterion": "every"}, ["high", "low", "medium"]),
        (
            {"criterion": "cumulative", "order": ("low", "medium", "high")},
            ["low", "low or medium"],
        ),
        ({"favorable": ("low", "medium")}, None),
    ],
)
def test_each_value_or_cut_has_its_matrix(question, titles):
    shown = who(score_audit(**question))
    expected = [""] if titles is None else [f"Had “score = {title}”" for title in titles]
    assert [matrix.title for matrix in shown.matrices] == expected
    assert len({tuple(heads(matrix)) for matrix in shown.matrices}) == 1


def many_towns(groups):
    """One town with so many races, the first far ahead."""
    named = [f"race {number:02}" for number in range(groups)]
    cells = dict.fromkeys(named, (100, 100)) | {named[0]: (180, 20)}
    return hiring_audit({"A": cells, "B": cells})


def test_of_more_groups_than_a_matrix_can_hold_the_strongest_pairs_are_listed():
    assert who(many_towns(10)).matrices
    shown = who(many_towns(11))
    assert not shown.matrices
    assert len(shown.plot.lines) == 20
    assert {line.names[0] for line in shown.plot.lines[:10]} == {
        f"Race 00 ahead of race {number:02}" for number in range(1, 11)
    }
    assert "the 20 of 55 that are least likely to be chance" in shown.plot.title
    assert len(shown.rows) == 55


def test_two_groups_and_one_rate_have_no_matrix():
    assert who(admissions_audit()) is None
    assert 'class="against"' not in report(admissions_audit()).html


def test_a_matrix_where_chance_explains_all_has_no_red():
    calm = {town: dict.fromkeys(("red", "green", "blue"), (50, 50)) for town in "AB"}
    audit = hiring_audit(calm)
    assert {cell.kind for cell in cells(who(audit).matrices[0]).values()} == {"open"}
    assert "a-shown" not in report(audit).html.partition("</style>")[2]


def test_intersections_are_named_by_the_labels_of_their_parts():
    columns = {"sex": [], "race": [], "hired": []}
    counts = []
    for sex in "fm":
        for race in ("red", "blue"):
            for hired, many in (("yes", 30 + 20 * (sex == "m")), ("no", 70)):
                for column, value in zip(columns.values(), (sex, race, hired), strict=True):
                    column.append(value)
                counts.append(many)
    asked = eh.Question(protected=("sex", "race"), decision="hired", favorable="yes")
    audit = eh.audit(
        eh.CountTable.of(columns, counts),
        asked,
        graph=eh.CausalGraph.parse("sex -> hired; race -> hired"),
    )
    labels = Labels(values={"sex": {"f": "women", "m": "men"}})
    (matrix,) = who(audit, labels).matrices
    assert set(heads(matrix)) == {"women & red", "women & blue", "men & red", "men & blue"}
    said = page_text(report(audit, labels=labels).html)
    assert "Do sex and race themselves change hired?" in said


def test_the_table_has_what_the_matrix_has():
    audit = hiring_audit()
    (matrix,) = who(audit).matrices
    named = {
        f"{row} ahead of {column}".lower(): cell
        for (row, column), cell in cells(matrix).items()
    }
    rows = {row.title.lower(): row for row in who(audit).rows if row.common}
    assert rows.keys() == named.keys()
    for name, cell in named.items():
        assert (rows[name].points, rows[name].interval) == (cell.points, cell.interval)


@pytest.mark.parametrize(("other", "share"), [(None, False), (None, True), ("red", False)])
def test_having_a_value_more_often_is_not_being_ahead(other, share):
    """Of each value in turn it is not said whether it is good to have."""
    html = report(score_audit(criterion="every", other=other), share=share).html
    assert "more often" in html
    assert re.findall(r".{30}\b(?:ahead|behind|favors?)\b.{30}", page_text(html)) == []
    ordered = score_audit(criterion="cumulative", order=("low", "medium", "high"), other=other)
    assert "ahead" in page_text(report(ordered, share=share).html)


@pytest.mark.parametrize(
    ("groups", "size"), [(4, "some"), (5, "some listed"), (6, "wide listed")]
)
def test_from_five_groups_on_a_narrow_page_lists_the_pairs(groups, size):
    assert who(many_towns(groups)).size == size

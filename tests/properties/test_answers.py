"""The answer where the truth is known by construction: what it says, and why."""

import itertools
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.known_answers import QUESTION, coin, counted, leak, proxy_as_counted

from evenhand import (
    CausalGraph,
    CountTable,
    Knowledge,
    PartialGraph,
    Tiers,
    Verdict,
    audit,
    audit_predictions,
)
from evenhand.errors import CannotReleaseError, GraphError, QuestionError
from evenhand.evidence import Word


def table(cells):
    """The counts of cells: the values by column, and how often they occur."""
    names = [*cells[0][0]]
    columns = {name: [str(values[name]) for values, _ in cells] for name in names}
    return CountTable.of(columns, [count for _, count in cells])


def said(answer):
    return answer.word, answer.reason and answer.reason.kind


@pytest.mark.parametrize("knowledge", [None, Tiers(["c"], ["m"], ["e"])])
def test_a_cause_that_looks_like_the_group_withdraws_a_yes(knowledge):
    answer = audit(proxy_as_counted(None), QUESTION, knowledge=knowledge).answer
    assert said(answer) == (Word.CANNOT_TELL, "depends on")
    assert answer.reason.names == ("m",)
    assert answer.status() == 3


@pytest.mark.parametrize(("rows", "loyalty"), [(300, 0.85), (1000, 0.95), (3000, 0.97)])
def test_a_close_proxy_is_rarely_accused_of_nothing(rows, loyalty):
    generator, accused, tables = np.random.default_rng(7), 0, 40
    for _ in range(tables):
        c, a = coin(generator, 0.5, rows), coin(generator, 0.5, rows)
        m = coin(generator, np.where(c, loyalty, 1 - loyalty))
        e = coin(generator, 0.25 + 0.2 * m + 0.2 * a)
        known = Tiers(["c", "a"], ["m"], ["e"])
        accused += (
            audit(counted(c=c, a=a, m=m, e=e), QUESTION, knowledge=known).answer.word
            is Word.YES
        )
    assert accused <= 5  # 5 % of 40, and three standard errors


def letters(slips):
    """The decision follows the exam, minus 20 points; of ``slips`` a letter says otherwise."""
    cells = []
    for c, exam, e, letter in itertools.product((0, 1), (0, 1, 2), (0, 1), (0, 1)):
        rate = 0.35 + 0.15 * exam - 0.2 * c
        share = (rate if e else 1 - rate) * (slips if letter != e else 1 - slips)
        cells.append(({"c": c, "exam": exam, "form": letter, "e": e}, round(2000 * share)))
    return table(cells)


@pytest.mark.parametrize("slips", [0.002, 0.01, 0.02, 0.05])
def test_a_letter_written_after_the_decision_certifies_nothing(slips):
    answer = audit(letters(slips), QUESTION).answer
    assert answer.word in (Word.CANNOT_TELL, Word.YES)
    if answer.word is Word.CANNOT_TELL:
        assert answer.reason.kind == "written after"
        assert answer.reason.names == ("form",)
        assert answer.suspects == ("form",)


def test_what_nearly_tells_the_decision_is_asked_about_though_it_goes_with_the_group():
    generator = np.random.default_rng(4)
    answer = audit(leak(generator, 5000, (0.02,), grade="city"), QUESTION).answer
    assert said(answer) == (Word.CANNOT_TELL, "written after")
    assert answer.reason.names == ("grade",)


@pytest.mark.parametrize("name", ["hired_letter", "score"])
def test_a_column_named_after_the_decision_is_asked_about(name):
    generator = np.random.default_rng(11)
    c, x = coin(generator, 0.5, 4000), generator.integers(0, 4, 4000)
    x = np.where(c, x // 2, x)  # neither nearly tells the decision nor hangs on it alone
    table = counted(**{"c": c, name: x, "hired": coin(generator, 0.2 + 0.2 * x)})
    answer = audit(table, replace(QUESTION, decision="hired")).answer
    assert (name in answer.suspects) is (name == "hired_letter")
    assert (said(answer) == (Word.CANNOT_TELL, "written after")) is bool(answer.suspects)


def test_two_columns_that_determine_the_decision_together_are_asked_about():
    generator = np.random.default_rng(5)
    c, b = coin(generator, 0.5, 3000), generator.integers(0, 3, 3000)
    a = coin(generator, np.where(c, 0.4, 0.6))
    table, tiers = counted(c=c, a=a, b=b, e=a & (b > 0)), Tiers(["c"], ["a", "b"], ["e"])
    answer = audit(table, QUESTION).answer
    assert said(answer) == (Word.CANNOT_TELL, "written after")
    assert answer.reason.names == ("a", "b")
    placed = audit(table, QUESTION, knowledge=tiers)
    assert (placed.answer.suspects, placed.answer.word) == ((), Word.NO)
    asked = "Together these determine 'e', without exception: 'a' with 'b'."
    assert asked in str(audit(table, QUESTION))
    assert asked not in str(placed)


def test_a_person_who_places_the_letter_clears_it():
    known = Tiers(["c"], ["exam"], ["form"], ["e"])
    answer = audit(letters(0.01), QUESTION, knowledge=known).answer
    assert answer.suspects == ()
    assert "form" in answer.placed


def test_genuine_mediators_are_not_suspected():
    generator, alarms = np.random.default_rng(3), 0
    for _ in range(20):
        c, a = coin(generator, 0.5, 5000), coin(generator, 0.5, 5000)
        m = coin(generator, np.where(c, 0.35, 0.65))
        e = coin(generator, 0.3 + 0.15 * m + 0.15 * a)
        answer = audit(counted(c=c, a=a, m=m, e=e), QUESTION).answer
        alarms += answer.word is Word.YES or said(answer)[1] == "written after"
    assert alarms <= 1


def refuting():
    """Counts that refute the graph in which m causes no decision."""
    cells = []
    for c, m, e in itertools.product((0, 1), repeat=3):
        of_m = 0.85 if c == m else 0.15
        rate = 0.4 + 0.3 * m - 0.21 * c  # what m gives to the group the group itself loses
        share = of_m * (rate if e else 1 - rate)
        cells.append(({"c": c, "m": m, "e": e}, round(4000 * share)))
    return table(cells)


def test_a_given_graph_that_the_rows_refute_at_the_decision_gives_no_answer():
    answer = audit(refuting(), QUESTION, graph=CausalGraph.parse("c -> e; c -> m")).answer
    assert said(answer) == (Word.CANNOT_TELL, "graph refuted")
    assert answer.reason.names == ("m",)
    assert answer.graph_fit.rejected == ("m",)


def test_a_common_cause_of_mediator_and_decision_is_rarely_taken_for_a_direct_effect():
    generator, accused = np.random.default_rng(11), 0
    graph = CausalGraph.parse("c -> m; a -> m; m -> e; c -> e")
    for _ in range(10):
        c, a, u = (coin(generator, 0.5, 20_000) for _ in range(3))
        m = coin(generator, 0.05 + 0.3 * c + 0.45 * u + 0.2 * a)
        e = coin(generator, 0.2 + 0.1 * m + 0.5 * u)
        accused += (
            audit(counted(c=c, a=a, m=m, e=e), QUESTION, graph=graph).answer.word is Word.YES
        )
    assert accused <= 2


@pytest.mark.parametrize("given", [True, False])
def test_it_is_rarely_taken_for_one_where_nothing_else_is_compared(given):
    generator, accused = np.random.default_rng(11), 0
    graph = {"graph": CausalGraph.parse("c -> m -> e; c -> e")}
    order = {"knowledge": Tiers(["c"], ["m"], ["e"])}
    for _ in range(10):
        c, u = coin(generator, 0.5, 20_000), coin(generator, 0.5, 20_000)
        m = coin(generator, 0.15 + 0.3 * c + 0.45 * u)
        table = counted(c=c, m=m, e=coin(generator, 0.2 + 0.1 * m + 0.5 * u))
        accused += audit(table, QUESTION, **(graph if given else order)).answer.word is Word.YES
    assert accused <= 2


def test_a_yes_that_another_attribute_turns_round_does_not_stand():
    cells = []
    for c, m, e in itertools.product((0, 1), repeat=3):
        of_m = 0.75 if c != m else 0.25
        rate = 0.3 + 0.4 * m + 0.1 * c  # alike in m the group is ahead, and behind on average
        share = of_m * (rate if e else 1 - rate)
        cells.append(({"c": c, "m": m, "e": e}, round(20_000 * share)))
    answer = audit(table(cells), QUESTION, graph=CausalGraph.parse("c -> e; c -> m")).answer
    assert said(answer) == (Word.CANNOT_TELL, "graph refuted")
    true = audit(table(cells), QUESTION, graph=CausalGraph.parse("c -> m -> e; c -> e")).answer
    assert said(true) == (Word.YES, None)


def test_no_needs_a_given_graph_that_the_rows_bear_out():
    cells = []
    for c, m, e in itertools.product((0, 1), repeat=3):
        of_m = 0.65 if c != m else 0.35
        rate = 0.4 + 0.2 * m + 0.06 * c  # what m takes from the group the group itself gains
        share = of_m * (rate if e else 1 - rate)
        cells.append(({"c": c, "m": m, "e": e}, round(10_000 * share)))
    for graph, expected in (
        ("c -> e; c -> m", (Word.CANNOT_TELL, "graph refuted")),
        ("c -> m -> e; c -> e", (Word.NOT_SHOWN, None)),
    ):
        answer = audit(table(cells), QUESTION, graph=CausalGraph.parse(graph)).answer
        assert said(answer) == expected


@pytest.mark.parametrize("strata", [1, 30])
def test_a_detectable_difference_is_mostly_shown(strata):
    generator, rows, graph = np.random.default_rng(8), 6000, CausalGraph.parse("c -> e; s -> e")
    detectable, shown, tables = 0.0, [], 41
    for _ in range(tables):
        c, s = coin(generator, 0.5, rows), generator.integers(0, strata, rows)
        of_table = counted(c=c, s=s, e=coin(generator, 0.55 - detectable * c))
        answer = audit(of_table, QUESTION, graph=graph).answer
        detectable = detectable or answer.detectable
        shown.append(answer.certificate.population.common.shown)
    assert 0.6 < np.mean(shown[1:]) < 0.97  # 80 % of 40, and three standard errors


def test_where_people_cannot_be_compared_nothing_falls_that_is_not_shown():
    generator = np.random.default_rng(5)
    x, a = generator.integers(0, 40, 40_000), coin(generator, 0.5, 40_000)
    c = coin(generator, np.where(x % 2, 0.99, 0.01))
    known = Tiers(["c"], ..., ["e"])
    of_rows = counted(c=c, a=a, x=x, e=coin(generator, 0.5 + 0.2 * a))
    answer = audit(of_rows, QUESTION, knowledge=known).answer
    assert answer.word in (Word.NO, Word.NOT_SHOWN)
    assert answer.differing == ()
    assert "does not stand" not in str(answer)


def test_rows_that_can_be_read_once_have_an_answer():
    rows = pa.table({"c": [0, 0, 1, 1] * 500, "age": [*range(20, 60)] * 50, "e": [0, 1] * 1000})

    class Stream:
        def __init__(self):
            self.reader = rows.to_reader()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.reader.__arrow_c_stream__(requested_schema)

    graph = CausalGraph.parse("c -> e; age -> e")
    for source in (rows.to_reader(), Stream()):
        answer = audit(source, QUESTION, graph=graph, bins={"age": [30, 50]}).answer
        assert isinstance(answer.word, Word)


def test_segregated_places_cannot_be_told_from_the_group():
    generator, words = np.random.default_rng(5), []
    for _ in range(10):
        x = generator.integers(0, 40, 2000)
        c, a = coin(generator, np.where(x % 2, 0.97, 0.03)), coin(generator, 0.5, 2000)
        e = coin(generator, 0.55 - 0.2 * (x % 2) + 0.15 * a)
        known = Tiers(["c"], ..., ["e"])
        words.append(audit(counted(c=c, a=a, x=x, e=e), QUESTION, knowledge=known).answer.word)
    assert set(words) == {Word.CANNOT_TELL}


def test_nothing_but_the_group_compared_is_no_answer():
    generator = np.random.default_rng(2)
    c, a = coin(generator, 0.5, 4000), coin(generator, 0.5, 4000)
    answer = audit(counted(c=c, a=a, e=coin(generator, 0.6 - 0.3 * c)), QUESTION).answer
    assert said(answer) == (Word.CANNOT_TELL, "nothing compared")


def test_a_true_effect_is_found():
    generator, found = np.random.default_rng(13), 0
    for _ in range(10):
        c, a = coin(generator, 0.5, 2000), coin(generator, 0.5, 2000)
        m = coin(generator, np.where(c, 0.35, 0.65))
        e = coin(generator, 0.4 + 0.1 * m + 0.15 * a - 0.2 * c)
        known = Tiers(["c"], ..., ["e"])
        found += (
            audit(counted(c=c, a=a, m=m, e=e), QUESTION, knowledge=known).answer.word
            is Word.YES
        )
    assert found >= 8


def test_no_needs_a_person_who_confirms_the_order():
    cells = [
        ({"c": c, "a": a, "e": e}, 20_000 if e == a else 5_000)
        for c, a, e in itertools.product((0, 1), repeat=3)
    ]
    unconfirmed = audit(table(cells), QUESTION).answer
    confirmed = audit(table(cells), QUESTION, knowledge=Tiers(["c", "a"], ["e"])).answer
    assert (unconfirmed.word, confirmed.word) == (Word.NOT_SHOWN, Word.NO)
    assert unconfirmed.unplaced == ("a",)
    assert confirmed.status(strict=True) == 0


def test_few_rows_show_nothing():
    cells = [
        ({"c": c, "a": a, "e": e}, 9 if e == a else 4)
        for c, a, e in itertools.product((0, 1), repeat=3)
    ]
    answer = audit(table(cells), QUESTION, graph=CausalGraph.parse("c -> e; a -> e")).answer
    assert said(answer) == (Word.CANNOT_TELL, "too few rows")
    assert answer.detectable > 0.1


def test_an_answer_is_not_true_or_false():
    with pytest.raises(TypeError):
        bool(audit(proxy_as_counted(None), QUESTION).answer)


# No way to direct the open edges of a square adds no collider; each adds one.
SQUARES = ["c -- a; a -- b; b -- e; e -- c", "c -- a; a -- e; e -- b; b -- c"]


@pytest.mark.parametrize("scope", ["causes", "minimal"])
@pytest.mark.parametrize("square", SQUARES)
def test_by_a_graph_that_contradicts_itself_the_answer_is_never_no(square, scope):
    cells = [
        ({"c": c, "a": a, "b": b, "e": e}, 20_000 if e == a else 5_000)
        for c, a, b, e in itertools.product((0, 1), repeat=4)
    ]
    graph = PartialGraph.parse(square)
    answer = audit(table(cells), QUESTION, graph=graph, scope=scope).answer
    assert said(answer) == (Word.CANNOT_TELL, "graph refuted")
    assert "contradicts itself" in answer.statements[0]
    ordered = Tiers(["c", "a", "b"], ["e"])  # which settles the edges
    settled = audit(table(cells), QUESTION, graph=graph, knowledge=ordered, scope=scope)
    assert settled.answer.word is Word.NO


@pytest.mark.parametrize(
    ("graph", "knowledge", "what"),
    [
        ("c -> e; a -> e; e -> a", None, "form a cycle"),
        ("a -> e; c -> e", Tiers(["c"], ["e"], ["a"]), "contradicts what is known"),
        ("a -> e; c -> e", Knowledge(required=["e -> a"]), "contradicts what is known"),
        ("a -> e; c -> e", Knowledge(forbidden=["a -> e"]), "contradicts what is known"),
        ("a -> e; c -> e", Knowledge(required=["c -> a"]), "is not in the graph"),
        ("a -> e; e -> c", None, "causes the protected attribute"),
    ],
)
def test_a_graph_against_what_is_known_is_refused(graph, knowledge, what):
    cells = [
        ({"c": c, "a": a, "e": e}, 20_000 if e == a else 5_000)
        for c, a, e in itertools.product((0, 1), repeat=3)
    ]
    with pytest.raises(GraphError, match=what):
        audit(table(cells), QUESTION, graph=CausalGraph.parse(graph), knowledge=knowledge)


COIN = (500, 480, 490, 510)
IN_THE_GRAPH = {
    "depends on": (lambda: proxy_as_counted(None), None),
    "written after": (lambda: letters(0.01), None),
    "graph refuted": (refuting, CausalGraph.parse("c -> e; c -> m")),
    "nothing compared": (
        lambda: table([({"c": at // 2, "e": at % 2}, many) for at, many in enumerate(COIN)]),
        None,
    ),
}


@pytest.mark.parametrize("kind", IN_THE_GRAPH)
def test_a_graph_by_which_nobody_can_tell_certifies_a_release_if_a_person_accepts_it(kind):
    made, graph = IN_THE_GRAPH[kind]
    audited = audit(made(), QUESTION, graph=graph)
    assert said(audited.answer) == (Word.CANNOT_TELL, kind)
    with pytest.raises(CannotReleaseError) as refusal:
        audited.release(seed=1)
    (problem,) = refusal.value.problems
    assert problem.found == audited.answer.statements[0]
    *others, accept = problem.remedies
    assert (tuple(others), accept.argument) == (audited.answer.reason.remedies, "accept_graph")
    released = audited.release(seed=1, accept_graph="An expert drew it.")
    assert released.certificate.verdict is Verdict.CERTIFIED
    assert released.statement.accepted_graph == "An expert drew it."
    uncertified = audited.release(seed=1, uncertified=True)
    assert uncertified.statement.accepted_graph is None


@pytest.mark.parametrize("reason", ["", " ", 1])
def test_a_graph_is_accepted_with_a_reason(reason):
    with pytest.raises(QuestionError, match="accept"):
        audit(refuting(), QUESTION).release(seed=1, accept_graph=reason)


def test_too_few_rows_are_no_reason_against_the_graph():
    cells = [
        ({"c": at // 2, "a": 0, "e": at % 2}, many) for at, many in enumerate((9, 5, 5, 9))
    ]
    graph = CausalGraph.parse("c -> e; a -> e")
    audited = audit(table(cells), QUESTION, graph=graph)
    assert said(audited.answer) == (Word.CANNOT_TELL, "too few rows")
    assert audited.answer.graph_problem is None
    assert audited.release(seed=1).certificate.verdict is Verdict.CERTIFIED


def test_where_too_few_are_alike_the_coverage_decides_and_not_the_graph():
    cells = [
        ({"c": c, "a": a, "e": e}, 40)
        for c, a, e in itertools.product((0, 1), range(3), (0, 1))
        if (c, a) != (0, 1)
    ]
    graph = CausalGraph.parse("c -> e; a -> e")
    audited = audit(table(cells), QUESTION, graph=graph)
    assert said(audited.answer) == (Word.CANNOT_TELL, "nothing compared")
    assert audited.answer.graph_problem is None
    merge, _ = audited.answer.open_problem.remedies
    assert "of 'a', without which 100.0 % of the rows could be compared" in merge.words


@pytest.mark.parametrize("square", SQUARES)
def test_by_a_graph_that_contradicts_itself_what_is_shown_stands(square):
    cells = [
        ({"c": c, "a": a, "b": b, "e": e}, 3_000 if e != c else 1_000)
        for c, a, b, e in itertools.product((0, 1), repeat=4)
    ]
    found = audit(table(cells), QUESTION, graph=PartialGraph.parse(square))
    assert found.certificate.contradictions
    assert "contradicts itself" not in found.answer.statements[0]
    without_link = "the graph has no link from c to e" in found.answer.statements[0]
    assert without_link or found.answer.word is Word.YES


def test_a_close_proxy_that_hides_an_effect_lets_nobody_say_no():
    """The effect of the proxy and that of the group cancel: neither seems to cause anything."""
    cells = []
    for c, a, m, e in itertools.product((0, 1), repeat=4):
        rate = 0.35 + 0.2 * a + 0.12 * m - 0.1152 * c
        of_m = 0.98 if c == m else 0.02
        share = of_m * (rate if e else 1 - rate)
        cells.append(({"c": c, "a": a, "m": m, "e": e}, round(2000 * share)))
    known = Tiers(["c", "a"], ["m"], ["e"])
    answer = audit(table(cells), QUESTION, knowledge=known).answer
    assert said(answer) == (Word.CANNOT_TELL, "depends on")
    assert answer.reason.names == ("m",)
    assert [one.falls for one in answer.differing] == ["larger"]
    said_of_m = "The average lies beyond the threshold with m also held equal."
    assert said_of_m in answer.statements[2]


def test_at_most_sixty_candidates_are_tried_those_first_that_go_with_the_decision():
    generator = np.random.default_rng(6)
    c, a = coin(generator, 0.5, 400), coin(generator, 0.5, 400)
    columns = {f"n{at}": coin(generator, 0.5, 400) for at in range(70)}
    columns["strong"] = (e := coin(generator, 0.3 + 0.3 * a)) ^ coin(generator, 0.3, 400)
    graph = CausalGraph.parse(f"c -> e; a -> e; {'; '.join(columns)}")
    answer = audit(counted(c=c, a=a, **columns, e=e), QUESTION, graph=graph).answer
    assert answer.tally == {"with": 60, "without": 1}
    assert answer.variations[0].names == ("strong",)


def test_where_the_search_was_stopped_a_less_deep_one_is_a_variation():
    generator, rows = np.random.default_rng(9), 20_000
    a, b, d, f = (coin(generator, 0.5, rows) for _ in range(4))
    c = coin(generator, 0.5, rows)
    x = coin(generator, 0.1 + 0.4 * a + 0.4 * b)  # independent of e given a and b together
    e = coin(generator, 0.1 + 0.2 * a + 0.2 * b + 0.1 * d + 0.1 * f + 0.1 * c)
    known = Tiers(["c", "a", "b", "d", "f", "x"], ["e"])
    rows_of = counted(c=c, a=a, b=b, d=d, f=f, x=x, e=e)
    found = audit(rows_of, QUESTION, knowledge=known, max_depth=2)
    assert "x" not in found.decision_causes
    assert found.graph.record.ended_early
    (deeper,) = (one for one in found.answer.variations if one.kind == "depth")
    assert deeper.names == ("x",)


@pytest.mark.parametrize("slips", [(0.002,) * 2, (0.002,) * 3, (0.05,) * 3, (0.12,) * 2])
def test_several_letters_certify_nothing(slips):
    answer = audit(leak(np.random.default_rng(1), 5000, slips), QUESTION).answer
    assert answer.word in (Word.CANNOT_TELL, Word.YES)


def groups_of_four(direct, rows=16_000):
    """Four groups of which the first has a cause of its own, and the second is put behind."""
    generator = np.random.default_rng(12)
    c, a = generator.integers(0, 4, rows), coin(generator, 0.5, rows)
    m = coin(generator, np.where(c == 0, 0.03, 0.97))
    e = coin(generator, 0.25 + 0.2 * m + 0.2 * a - direct * (c == 1))
    return counted(c=c, a=a, m=m, e=e)


def test_of_many_groups_the_pairs_that_stand_are_named_and_those_that_do_not():
    asked = replace(QUESTION, group=None)
    graph = CausalGraph.parse("c -> e; a -> e; c -> m")
    answer = audit(groups_of_four(0.15), asked, graph=graph).answer
    assert answer.word is Word.YES
    stands, falls = answer.statements[0].split("; the difference between")
    assert "between c = 1 and c = 2" in stands
    assert "is not robust" in falls
    assert "c = 0 and c = 2" in falls


def test_predictions_are_not_tried_with_other_causes():
    generator = np.random.default_rng(3)
    columns = {name: coin(generator, 0.5, 3000) for name in ("c", "a", "x", "e")}
    table = counted(**columns, said=columns["e"] ^ (columns["c"] & coin(generator, 0.3, 3000)))
    graph = CausalGraph.parse("c -> e; a -> e; x")
    answer = audit_predictions(table, "said", QUESTION, graph=graph).answer
    assert answer.tally == {}
    assert answer.graph_fit.implied == 0


def test_effects_through_others_say_what_the_rows_say_against_the_graph():
    generator = np.random.default_rng(3)
    c, a = coin(generator, 0.5, 5000), coin(generator, 0.5, 5000)
    z = coin(generator, 0.3 + 0.4 * c)
    e = coin(generator, 0.2 + 0.3 * z + 0.3 * a)
    asked = replace(QUESTION, redlining=("z",))
    graph = CausalGraph.parse("c -> z; z -> e; c -> e; a")
    found = audit(counted(c=c, a=a, z=z, e=e), asked, graph=graph)
    told = found.to_dict()["indirect"]
    assert told["graph_fit"] == {"implied": 1, "rejected": ["a"]}
    assert "share a hidden cause" in told["assumes"]
    assert told["assumes"] in str(found.indirect)


def test_where_little_could_be_compared_the_first_line_says_so():
    generator = np.random.default_rng(5)
    x = generator.integers(0, 4, 6000)
    c = coin(generator, np.choose(x, (0.0, 1.0, 0.5, 0.5)))
    table = counted(c=c, x=x, e=coin(generator, 0.6 - 0.3 * c))
    answer = audit(table, QUESTION, graph=CausalGraph.parse("c -> e; x -> e")).answer
    assert answer.word is Word.YES
    assert "of the rows that could be compared" in answer.statements[0]


def test_all_that_comes_before_the_decision_creates_no_yes():
    generator, rows = np.random.default_rng(2), 20_000
    u, v = (coin(generator, 0.5, rows) for _ in range(2))
    c, a = coin(generator, 0.2 + 0.6 * u), coin(generator, 0.5, rows)
    x, y = (coin(generator, 0.05 + 0.45 * u + 0.45 * v) for _ in range(2))
    e = coin(generator, 0.1 + 0.6 * v + 0.2 * a)
    known = Tiers(["c", "a", "x", "y"], ["e"])
    answer = audit(counted(c=c, a=a, x=x, y=y, e=e), QUESTION, knowledge=known).answer
    assert answer.word is not Word.YES
    assert not [one for one in answer.differing if one.kind == "all before"]

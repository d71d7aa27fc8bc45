"""``discover``: golden answers, and what may not change them."""

import numpy as np
import pytest
from tests.known_answers import QUESTION, twins

from evenhand import CountTable, Knowledge, Tiers, datasets, discover
from evenhand.counts import Attribute
from evenhand.errors import ColumnError, QuestionError
from evenhand.graph import discovery
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.discovery import initial_skeleton
from evenhand.graph.skeleton import Limits

ADULT = Tiers(["sex", "age", "native_country", "race"], ["education"], ...)
DUTCH = Tiers(["sex", "age", "country_birth"], ["edu_level"], ...)


def renamed(counts, names, order=None):
    """The same counts under other names, with the columns in another order."""
    attributes = [Attribute(names[a.name], a.values) for a in counts.attributes]
    table = CountTable(tuple(attributes), counts.codes, counts.counts)
    return table.marginal([names[name] for name in order or counts.names])


def translated(knowledge, names):
    return Tiers(
        *(tier if tier is ... else [names[name] for name in tier] for tier in knowledge.tiers)
    )


def chain(rows=4000, seed=3):
    """x -> z -> y, and w on its own."""
    generator = np.random.default_rng(seed)
    x = generator.random(rows) < 0.5
    z = np.where(generator.random(rows) < 0.8, x, ~x)
    y = np.where(generator.random(rows) < 0.8, z, ~z)
    columns = {"x": x, "z": z, "y": y, "w": generator.random(rows) < 0.5}
    return CountTable.of(
        {name: np.where(on, "1", "0").tolist() for name, on in columns.items()}
    )


@pytest.mark.parametrize(("effect", "kept"), [(0.25, 40), (0.0, 2)])
def test_a_cause_that_is_recorded_twice_is_kept_and_a_column_without_effect_is_not(
    effect, kept
):
    generator, order, found = np.random.default_rng(7), Tiers(["c", "a"], ..., ["e"]), 0
    for _ in range(40):
        counts = twins(generator, 3000, 0.01, 0.0, effect)
        graph = discover(counts, knowledge=order, question=QUESTION)
        found += bool({"m", "again"} & graph.parents("e"))
        together = {"m", "again"} <= graph.parents("e")
        assert any("both together" in note for note in graph.record.notes) <= together
    assert found == kept if effect else found <= kept


@pytest.mark.parametrize("limits", [{}, {"max_depth": 1}])
def test_the_work_that_is_left_is_told_and_is_none_in_the_end(paper_adult, limits):
    told = []
    discover(paper_adult, knowledge=ADULT, progress=told.append, **limits)
    left = [one.work for one in told if one.depth is not None]
    assert 0 < left[0] <= 20  # no more than both budgets, in seconds
    assert left[-1] == 0


@pytest.mark.paper("fig:adult")
@pytest.mark.parametrize("kernel", ["numpy", "numba"])
def test_all_other_attributes_of_the_papers_adult_are_causes_of_income(paper_adult, kernel):
    graph = discover(paper_adult, knowledge=ADULT, kernel=kernel)
    assert graph.parents("income") == {*paper_adult.names} - {"income"}


@pytest.mark.paper("fig:dutch")
@pytest.mark.parametrize("kernel", ["numpy", "numba"])
def test_the_papers_dutch_has_three_causes_of_occupation_and_four_effects(dutch, kernel):
    graph = discover(dutch, knowledge=DUTCH, kernel=kernel)
    assert graph.parents("occupation") == {"sex", "age", "edu_level"}
    assert graph.children("occupation") == {
        "cur_eco_activity",
        "economic_status",
        "household_position",
        "household_size",
    }
    assert not graph.neighbors("occupation")


def test_marital_status_is_open_in_adult_until_income_comes_last(adult):
    assert discover(adult, knowledge=ADULT).neighbors("income") == {"marital_status"}
    last = Tiers(*ADULT.tiers, ["income"])
    assert not discover(adult, knowledge=last).neighbors("income")


@pytest.mark.parametrize("seed", range(4))
def test_neither_names_nor_order_of_columns_change_the_graph(adult, seed):
    generator = np.random.default_rng(seed)
    shuffled = [f"c{i:02}" for i in generator.permutation(len(adult.names))]
    names = dict(zip(adult.names, shuffled, strict=True))
    back = {new: old for old, new in names.items()}
    order = generator.permutation(adult.names).tolist()
    first = discover(adult, knowledge=ADULT)
    other = discover(renamed(adult, names, order), knowledge=translated(ADULT, names))
    assert first.record.conflicts
    assert first.arrows == {(back[a], back[b]) for a, b in other.arrows}
    assert first.undirected == {tuple(sorted((back[a], back[b]))) for a, b in other.undirected}
    assert first.record.tests == other.record.tests


def test_a_chain_is_found_and_its_record_says_how():
    graph = discover(chain())
    assert graph.undirected == {("x", "z"), ("y", "z")}
    record = graph.record
    assert record.separating["x", "y"].given == {"z"}
    assert record.separating["x", "y"].p > 0.01
    assert (record.algorithm, record.test, record.significance) == (
        "stable",
        "chi-square",
        0.01,
    )
    assert not record.ended_early
    assert record.tests[0] == 6 + 1


@pytest.mark.parametrize(
    "knowledge",
    [
        Knowledge(),
        Knowledge(tiers=Tiers(["b"], ["a", "d"])),
        Knowledge(tiers=Tiers(["b"], ["a"], ...), required=["a -> c"], forbidden=["d -> e"]),
        Knowledge(required=["e -> a", "c -> d"], forbidden=["a -> e", "b -> c", "c -> b"]),
    ],
)
def test_a_search_begins_with_all_edges_that_knowledge_allows(knowledge):
    names = [*"caebd"]
    order = knowledge.about(tuple(names))
    skeleton = initial_skeleton(names, order, 0.01)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            assert skeleton.may_cause[i, j] == (a != b and order.may_cause(a, b))
            assert skeleton.required[i, j] == bool({(a, b), (b, a)} & order.required)


def test_a_required_arrow_is_there_whatever_the_counts_say():
    graph = discover(chain(), knowledge=Knowledge(required=["w -> x"]))
    assert ("w", "x") in graph.arrows


def test_a_triple_whose_ends_are_kept_apart_is_settled_by_a_search_of_its_own():
    apart = Knowledge(forbidden=["x -> y", "y -> x"])
    graph = discover(chain(), knowledge=apart)
    assert ("x", "y") not in graph.record.separating
    assert graph.undirected == {("x", "z"), ("y", "z")}
    assert graph.record.ambiguous == ()


def test_the_original_search_finds_a_chain_with_fewer_tests():
    counts = chain()
    original = discover(counts, algorithm="original")
    assert original == discover(counts)
    assert original.record.algorithm == "original"
    assert sum(original.record.tests) <= sum(discover(counts).record.tests)


def test_the_original_search_gives_the_papers_parents_of_income(paper_adult):
    graph = discover(paper_adult, knowledge=ADULT, algorithm="original")
    assert graph.parents("income") == {*paper_adult.names} - {"income"}


def test_a_depth_cap_ends_the_search_with_what_is_known():
    graph = discover(chain(), max_depth=0)
    assert graph.adjacent("x", "y")
    assert not graph.adjacent("w", "x")
    assert graph.record.ended_early
    assert "more than 0 attributes" in graph.record.notes[0]


@pytest.mark.parametrize("most", [0, 6, 8, 10])
def test_a_test_budget_is_kept_and_ends_the_search_with_what_is_known(most):
    record = discover(chain(), max_tests=most).record
    assert sum(record.tests) <= most
    assert record.ended_early
    assert f"{most:,} tests" in record.notes[-1]


def test_whoever_listens_is_told_how_far_the_search_is():
    heard = []
    graph = discover(chain(), progress=heard.append)
    assert [(one.step, one.done, one.total, one.depth) for one in heard[:2]] == [
        ("tests given 0", 0, 6, 0),
        ("tests given 0", 6, 6, 0),
    ]
    assert all(told.done <= told.total for told in heard)
    assert len(heard) >= len(graph.record.tests)


def test_a_long_batch_is_told_while_it_lasts(monkeypatch):
    whole = []
    expected = discover(chain(), kernel="numpy", progress=whole.append)
    monkeypatch.setattr("evenhand.graph.cached_tests._CUBE_CELLS", 0)
    monkeypatch.setattr("evenhand.graph.cached_tests._CUBE_CELLS_PER_LINE", 0)
    heard = []
    assert discover(chain(), kernel="numpy", progress=heard.append) == expected
    assert len(heard) > len(whole)
    assert all(told.done <= told.total for told in heard)

    def stop(progress):
        if 0 < progress.done < progress.total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        discover(chain(), kernel="numpy", progress=stop)


def test_edges_that_thin_strata_hold_are_named(dutch):
    notes = discover(dutch, knowledge=DUTCH, kernel="numba").record.notes
    assert any(
        "thin strata" in note and "household_size - occupation" in note for note in notes
    )


def test_without_thin_strata_nobody_is_warned(paper_adult):
    assert discover(paper_adult, knowledge=ADULT).record.notes == ()


@pytest.mark.parametrize("test", ["g-square", "chi-square-adjusted"])
def test_other_tests_are_recorded_and_find_the_same_chain(test):
    graph = discover(chain(), test=test)
    assert graph.record.test == test
    assert graph.undirected == {("x", "z"), ("y", "z")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"significance": "1%"}, "between 0 and 1"),
        ({"significance": float("nan")}, "between 0 and 1"),
        ({"test": "fisher"}, "no test 'fisher'"),
        ({"algorithm": "fast"}, "no algorithm 'fast'"),
        ({"kernel": "cuda"}, "no kernel 'cuda'"),
        ({"max_depth": -1}, "max_depth"),
        ({"max_tests": 1.5}, "max_tests"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(QuestionError, match=message):
        discover(chain(), **options)


def test_knowledge_about_columns_that_are_not_there_is_refused():
    with pytest.raises(ColumnError, match="'v'"):
        discover(chain(), knowledge=Tiers(["v"], ...))


@pytest.mark.parametrize("columns", [{"a": ["0", "1"]}, {"a": ["0"], "b": ["1"]}])
def test_next_to_nothing_gives_a_graph_without_edges(columns):
    graph = discover(CountTable.of(columns))
    assert set(graph.nodes) == set(columns)
    assert not graph.arrows
    assert not graph.undirected


def test_a_search_is_repeated_with_the_settings_of_its_record():
    counts = datasets.admissions(2)
    found = discover(counts, significance=0.2, test="g-square", max_depth=1)
    assert found.record.settings == {"significance": 0.2, "test": "g-square", "max_depth": 1}
    assert discover(counts, **found.record.settings) == found


# With less work than that sets of as many columns are not tried.
BUDGETS = {0: 10**5, 1: 10**6, 3: 5 * 10**6, None: 10**9}


@pytest.mark.parametrize("kernel", ["numpy", "numba"])
@pytest.mark.parametrize(("depth", "work"), BUDGETS.items())
def test_a_search_stops_before_sets_that_its_budget_does_not_allow(
    paper_adult, depth, work, kernel, monkeypatch
):
    """By the counts, not by the clock: any machine finds what a limit of that depth gives."""
    monkeypatch.setattr(discovery, "MOST_WORK", work)
    graph = discover(paper_adult, knowledge=ADULT, kernel=kernel)
    limited = discover(paper_adult, knowledge=ADULT, max_depth=depth, kernel="numpy")
    assert graph == limited
    assert graph.record.separating.keys() == limited.record.separating.keys()
    assert graph.record.depth == limited.record.depth == depth
    for one in (graph, limited):
        assert bool(one.record.ended_early) == (depth is not None)
    if depth is not None:
        said = f"Sets of {depth + 1} or more attributes were not tried: that would be more work"
        assert graph.record.ended_early.startswith(said)
    # A limit that a person sets goes before the budget.
    assert discover(paper_adult, knowledge=ADULT, max_depth=99) == discover(
        paper_adult, knowledge=ADULT, max_tests=10**9
    )


def test_a_budget_for_votes_alone_leaves_the_edges(paper_adult, monkeypatch):
    whole = discover(paper_adult, knowledge=ADULT)
    monkeypatch.setattr(Limits, "affordable", lambda _, totals, _depth=0: min(len(totals), 2))
    graph = discover(paper_adult, knowledge=ADULT)
    assert graph.record.separating == whole.record.separating
    assert graph.record.ended_early.startswith("Sets of 2 or more attributes were not asked")
    assert graph.record.depth is None


def test_no_test_is_made_twice_where_the_tests_of_a_graph_are_reused(paper_adult, monkeypatch):
    before = discover(paper_adult, knowledge=ADULT)
    made = []
    evaluate = Evaluator.statistics

    def counted(self, batch, test):
        made.append(len(batch))
        return evaluate(self, batch, test)

    monkeypatch.setattr(Evaluator, "statistics", counted)
    same = discover(paper_adult, knowledge=ADULT, reuse=before)
    assert same == before
    thin_strata = len(before.arrows) + len(before.undirected)  # one test of another kind each
    assert sum(made) == thin_strata
    made.clear()
    other = Tiers(["sex", "age", "native_country", "race", "education"], ...)
    moved = discover(paper_adult, knowledge=other, reuse=before)
    assert sum(made) < sum(moved.record.tests) / 2

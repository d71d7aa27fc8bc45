"""Records that somebody changed and sealed again: each is false, and the notes say where."""

import json
from functools import cache
from operator import itemgetter

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, CERTIFIED, forged, verify
from tests.determined import question as scored_question
from tests.determined import scored
from tests.loans import INCOME_FIRST, asking, loans
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

import evenhand as eh
from evenhand.question import GraphEdit

COUNTS = eh.datasets.admissions(2)
FIRST = eh.datasets.admissions(1)
SCORED = eh.CountTable.of(scored())
RULED = eh.CausalGraph.parse("score -> risk; education -> score; sex -> score")
SMALL = eh.CausalGraph.parse("gender -> major; gender -> admission; test_score -> admission")
WITH_EFFECT = eh.CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; admission -> test_score"
)
READ = GraphEdit.parse("add", "major -> admission: it was read")


def released(method, graph=GRAPH, **options):
    plan = method.plan(eh.certify(COUNTS, graph, QUESTION))
    return eh.release(COUNTS, plan, seed=1, **options).certificate


TRUE = {
    "full": lambda: CERTIFICATE,
    "causes": lambda: CERTIFIED,
    "all": lambda: eh.certify(FIRST, GRAPH, QUESTION, scope="all"),
    "learned": lambda: eh.audit(FIRST, eh.datasets.question("admissions")).certificate,
    "loans": lambda: eh.certify(loans(), INCOME_FIRST, asking()),
    "rule": lambda: eh.audit(SCORED, scored_question(rule=["score"]), graph=RULED).certificate,
    "edit": lambda: eh.audit(COUNTS, QUESTION, graph=SMALL, edits=[READ]).certificate,
    "edited": lambda: released(eh.ModifyData()),
    "redrawn": lambda: released(eh.ModifyGraph(), WITH_EFFECT),
    "generated": lambda: released(eh.ModifyGraph(generate=True)),
    "resampled": lambda: released(eh.LocalPreferentialSampling(), uncertified=True),
    "shuffled": lambda: released(eh.ShuffleProtected(), uncertified=True),
}
certificate = cache(lambda name: TRUE[name]() if name in TRUE else several_groups(name))


def several_groups(name):
    return eh.certify(counted(), GROUPS, QUESTIONS[name])


def text_of(name):
    """A true record; its copy for others after a slash, with the least count shown."""
    name, _, least_count = name.partition("/")
    found = certificate(name)
    return (
        found.to_shared_json(least_count=int(least_count)) if least_count else found.to_json()
    )


@pytest.mark.parametrize("name", [*TRUE, *QUESTIONS])
def test_what_is_forged_was_true(name):
    assert verify(text_of(name)) == (0, [])
    assert verify(text_of(f"{name}/1"))[0] == 3


GONE = object()


def put(document, place, value):
    """Change one place: a value in place of another, what a function makes of it, or none."""
    *path, last = [int(key) if key.lstrip("-").isdigit() else key for key in place.split(".")]
    for key in path:
        document = document[key]
    if value is GONE:
        del document[last]
    else:
        document[last] = value(document[last]) if callable(value) else value


def more(*items):
    return lambda old: [*old, *items]


def again(at):
    return lambda old: [*old, old[at]]


def less(item):
    return lambda old: [one for one in old if one != item]


def all_but(at):
    return lambda old: [one for place, one in enumerate(old) if place != at]


backwards = itemgetter(slice(None, None, -1))


def changes(*pairs):
    """Several places at once."""

    def change(document):
        for place, value in zip(pairs[::2], pairs[1::2], strict=True):
            put(document, place, value)

    return change


def plus(number):
    return lambda old: old + number


TABLE, CHANCE = "partitions.0.table", "partitions.0.subpopulations.by_chance"
CHANCES = "partitions[0].subpopulations.by_chance"
UNEDITED, RULE = "graph.origin.unedited", "rules.without.record"
PARTS = ("question", "graph", "partitions", "rows", "scope", "copy")
NOT_NAMES = ("ab", {"a": 1}, [["a"]], ["a", "a"])
NO_COUNTS = (-1, "1", None, True)
SHARES = ("2/40", " 1/20", "1/20 ", "٠1/20", "1/2_0", "0.05", "+1/20")
SPELLINGS = (" {}", "{}0", "+{}", "{}e0", "٠{}")
UNKNOWN = ("question", "pooled", "graph", "versions", "scope", "rows", "graph.origin")
UNKNOWN = (*UNKNOWN, "partitions.0", "partitions.0.coverage")
EDIT = {"kind": "add", "arrow": ["a", "b"], "reason": "b came after"}
KNOWN = {"tiers": [], "required": [], "forbidden": []}
RELEASE = dict.fromkeys(["notice", "change", "method", "policy"], "edited")
EDITS, KNOWLEDGE = "graph.origin.edits", "graph.origin.knowledge"
NO_PLACE = "cannot stand there"

# The record, the place, what is written there, and what the notes say.
PLACES = [
    # what it consists of
    *(("full", name, GONE, "") for name in PARTS),
    *(("full", "assumptions", value, NO_PLACE) for value in NOT_NAMES),
    *(("full", "codings.na", value, NO_PLACE) for value in NOT_NAMES),
    *(("full", "codings.bins", value, "") for value in (3, [3], None)),
    *((name, f"{one}.x", "y", "") for name in ("causes", "learned") for one in UNKNOWN),
    ("full/10", "withheld.surprise", 1, "withheld.surprise"),
    ("all", "surprise", "nothing", "surprise: "),
    ("all", "codings.rounding", "up", "codings.rounding"),
    ("all", "copy", "weird", "malformed"),
    ("causes", EDITS, [{**EDIT, "kind": "forbid"}], NO_PLACE),
    ("causes", EDITS, [{**EDIT, "surprise": 1}], EDITS),
    ("causes", EDITS, [{**EDIT, "arrow": ["a", "b", "c"]}], EDITS),
    ("causes", EDITS, [{**EDIT, "arrow": ["a", "a"]}], EDITS),
    ("causes", EDITS, [{**EDIT, "reason": 1}], EDITS),
    ("causes", EDITS, EDIT, EDITS),
    ("learned", KNOWLEDGE, [], KNOWLEDGE),
    ("learned", KNOWLEDGE, {**KNOWN, "required": [["a", "b", "a"]]}, KNOWLEDGE),
    ("learned", KNOWLEDGE, {**KNOWN, "required": [["a"]]}, KNOWLEDGE),
    ("learned", KNOWLEDGE, {**KNOWN, "forbidden": [[1, 2]]}, KNOWLEDGE),
    ("learned", KNOWLEDGE, {**KNOWN, "tiers": [["a"]], "x": []}, KNOWLEDGE),
    ("causes", "graph.doubtful", [["major", "gender"]], "graph.doubtful"),
    ("causes", "graph.origin.kind", "found", "graph.origin.kind"),
    ("causes", "scope.asked", "most", "scope.asked"),
    ("causes", "scope.asked", ["all"], "scope.asked"),
    ("causes", "scope.complete", 1, "scope.complete"),
    ("causes", "pooled.other", 0, "pooled"),
    ("causes", "pooled.unfavorable", True, "pooled"),
    ("causes", "codings.missing", "guess", "codings.missing"),
    ("causes", "codings.columns", ["major", "major"], "codings.columns"),
    ("causes", "codings.na", [None], "codings.na"),
    ("causes", "codings.bins", {"age": ["up to 3", 4]}, "codings.bins"),
    ("causes", "codings.merge", {"age": {"old": [60]}}, "codings.merge"),
    ("causes", "question.predicts", 5, "question.predicts"),
    ("causes", "question.basis", "group", "question.basis"),
    ("causes", "reasons", "none", "reasons"),
    ("causes", "population", "large", "population"),
    ("causes", "versions.evenhand", 3, "versions.evenhand"),
    ("causes", "release", {**RELEASE, "seed_commitment": "7"}, "release"),
    ("causes", "release", {**RELEASE, "seed_commitment": 64 * "A"}, "release"),
    ("causes", "rows.dropped", 2**63, ""),
    ("causes", "rows.surprise", 1, "rows.surprise"),
    # the question
    *(
        ("full", f"question.{name}", text, "malformed")
        for name in ("threshold", "min_coverage")
        for text in SHARES
    ),
    *(("full", "question.threshold", text, "out of range") for text in ("0", "1")),
    ("full", "question.min_coverage", "3/2", "out of range"),
    ("full", "question.min_coverage", "-1/2", NO_PLACE),
    ("pairs", "question.min_rows", 40, ""),
    ("pairs", "question.groups", ["c", "b", "a"], ""),
    ("pairs", "question.other", "a", ""),
    ("reference", "question.other", "a", ""),
    ("reference", "question.decisions", ["Low", "High", "Medium"], ""),
    ("crossed", "question.groups", backwards, ""),
    ("crossed", "question.protected", ["race", "sex"], ""),
    ("cumulative", "question.order", ["Low", "High", "Medium"], ""),
    ("every", "question.criterion", "cumulative", ""),
    # partitions
    (
        "full",
        f"{TABLE}.0",
        lambda line: [*line[:2], line[2] + 1, line[3] - 1, *line[4:]],
        "partitions[0].table[0][6]: it says '-1/10'",
    ),
    ("full", TABLE, again(0), "partitions[0].table"),
    ("full", TABLE, all_but(1), "rows.examined: it says 2200"),
    ("full", TABLE, all_but(1), "partitions[0].digest"),
    *(
        ("full", f"{TABLE}.0.{at}", count, "is no subpopulation")
        for at in (2, 3, 4, 5)
        for count in NO_COUNTS
    ),
    ("full", f"{TABLE}.0.2", 2**63, "is no subpopulation"),
    ("all", "partitions.0.subpopulations.above", False, "subpopulations.above"),
    ("all", "partitions.0.role", "cause", "partitions[0].role"),
    *(
        ("full", "verdict", one, f"verdict: it says {one!r}, but should say 'not certified'")
        for one in ("certified", "cannot decide", "fair", None, 1)
    ),
    *(
        ("full", f"{CHANCE}.{name}", lambda old, by=by: f"{float(old) * by:.12g}", where)
        for name in ("expected", "rows")
        for where in [f"{CHANCES}.{name}: it says"]
        for by in (1 + 1e-6, 0.5, -1)
    ),
    *(
        ("full", f"{CHANCE}.{name}", spelling, f"{CHANCES}.{name}: it says")
        for name in ("expected", "rows", "p")
        for spelling in map(lambda text: text.format, SPELLINGS)  # noqa: C417
    ),
    *(("full", f"{CHANCE}.expected", one, "") for one in (35, None, [], "about 35")),
    ("full", f"{CHANCE}.p", "nan", ""),
    ("full", f"{CHANCE}.p", "-1", ""),
    ("full", f"{CHANCE}.rows", "inf", ""),
    ("full", f"{CHANCE}.lower", "1", ""),
    ("full", f"{CHANCE}.upper", -1, ""),
    ("full", f"{CHANCE}.more", "1", ""),
    # graph and scope
    ("full", "graph.arrows", less(["test_score", "admission"]), "possible_decision_causes"),
    ("full", "direct_arrow", False, "direct_arrow: it says False, but should say True"),
    ("all", "graph.arrows", more(["admission", "major"]), "graph: a node or an edge"),
    ("all", "graph.nodes", [], "graph: a node or an edge"),
    ("all", "graph.undirected", [["admission", "gender"]], "graph: a node or an edge"),
    ("all", "partitions", all_but(1), "scope.complete"),
    ("full", "partitions", again(1), "partitions: one of them is there twice"),
    ("full", "scope.asked", "causes", "partitions: only the causes should be there"),
    ("causes", "scope.asked", "all", "scope.complete"),
    # copies for others
    ("full/10", "withheld.least_count", 100, "partitions[0].table"),
    (
        "full/1",
        "withheld.least_count",
        0,
        "withheld.least_count: it says 0, but should say 1",
    ),
    (
        "causes/1",
        "question.decisions.1",
        "rejected",
        "in a shared copy the second is 'not admitted'",
    ),
    ("causes/1", "pooled.unfavorable", False, "pooled"),
    ("edited/10", "release.changed_rows", 15, "release.changed_rows"),
    # rules, variants and edits
    ("rule", "rules.declared", ["education"], "rules.declared"),
    ("rule", "rules.determining", [], "rules.determining"),
    ("rule", "rules.without.left_out", [], "rules.without.left_out"),
    ("rule", "rules.without.verdict", "certified", "rules.without.verdict"),
    ("rule", f"{RULE}.question.threshold", "1/2", f"{RULE}.question"),
    ("rule", f"{RULE}.verdict", "certified", f"{RULE}: verdict"),
    ("rule", "rules.surprise", 1, "rules.surprise"),
    *(
        ("full", f"variants.{name}", number, NO_PLACE)
        for name in ("arrows", "classes")
        for number in NO_COUNTS
    ),
    *(("edit", "variants.graphs", number, "") for number in (*NO_COUNTS, "5", 0)),
    ("edit", f"{UNEDITED}.verdict", "certified", f"{UNEDITED}.verdict"),
    ("edit", f"{UNEDITED}.measured", 9, f"{UNEDITED}.measured"),
    ("edit", f"{UNEDITED}.violating", 9, f"{UNEDITED}.violating"),
    ("edit", f"{UNEDITED}.violating", GONE, "violating"),
    ("edit", f"{UNEDITED}.doubtful", GONE, "doubtful"),
    ("edit", f"{UNEDITED}.surprise", 1, f"{UNEDITED}.surprise"),
    ("edit", f"{UNEDITED}.population", "x", NO_PLACE),
    ("edit", f"{UNEDITED}.doubtful", ["ab"], NO_PLACE),
    ("edit", f"{UNEDITED}.arrows", more(["major", "test_score"]), "other links"),
    ("edit", f"{UNEDITED}.arrows", more(["admission", "gender"]), "malformed"),
    # releases
    *(
        (name, f"release.{part}", value, where)
        for name, part, value, where in [
            ("edited", "notice", "Nothing was changed.", "assumptions"),
            ("edited", "change", "mended", "release.change"),
            ("edited", "changed_rows", 2201, "release.changed_rows"),
            ("edited", "changed_rows", 0, "release.changed_rows"),
            ("edited", "changed_columns", [], "release.changed_rows"),
            ("edited", "changed_columns", ["admission", "major"], "release.changed_columns"),
            ("edited", "changed_columns", ["major"], "release.changed_columns"),
            ("edited", "changed_columns", ["gender", "major"], "release.changed_columns"),
            ("edited", "changed_columns", ["admission"] * 2, "release.changed_columns"),
            ("edited", "changed_columns", "", "malformed: release.changed_columns"),
            ("edited", "left_out_before", 1, "release.left_out_before"),
            ("edited", "dropped_columns", ["major"], "release.dropped_columns"),
            ("edited", "surprise", "x", "release.surprise"),
            ("redrawn", "changed_columns", ["admission", "gender"], "release.changed_columns"),
            ("redrawn", "changed_columns", ["admission", "test_score"] * 2, "release.changed"),
            ("generated", "changed_columns", ["admission"], "release.changed_columns"),
            ("generated", "changed_rows", 2199, "release.changed_rows"),
            ("resampled", "changed_rows", 0, "release.changed_rows"),
            ("resampled", "changed_columns", ["admission"], "release.changed_columns"),
            ("shuffled", "changed_columns", ["gender", "gender"], "release.changed_columns"),
            ("shuffled", "changed_columns", ["gender", "score"], "release.changed_columns"),
            ("shuffled", "changed_rows", -1, "malformed"),
            ("shuffled", "dropped_before", True, "malformed"),
        ]
    ),
    # effects through other attributes
    *(
        ("loans", f"indirect.{place}", value, "indirect.")
        for place, value in [
            ("tables.-1.counts.0.-1", plus(1)),
            ("graphs.0.effects.forward.through.1", "0.016666666668"),
            ("graphs.0.sides.income", "explained"),
            ("graphs.0.witnesses", []),
            ("graphs.0.potentials.forward.0.0.0", "1/2"),
            ("graphs.0.verdict", "not certified"),
            ("graphs.0.tables.1", True),
            ("graphs", again(0)),
            ("tables", again(0)),
            ("tables", more({"names": ["loan"], "counts": [[0, 74], [1, 126]]})),
            ("tables.0.counts", backwards),
            ("verdict", "cannot decide"),
            ("gap", "1/2"),
            ("more", 1),
            ("consistent", False),
            ("standard_errors.forward.through", "0.1"),
            ("standard_errors.forward.total", plus("0")),
            ("standard_errors.backward.total", "-0.1"),
            ("standard_errors.backward.total", "inf"),
        ]
    ),
    ("loans", "indirect", GONE, "indirect"),
    ("loans", "graph.arrows", less(["income", "zip"]), "indirect.graphs"),
    ("loans", "question.redlining_threshold", "1/30", "indirect"),
]
ACCUSATION = json.loads(text_of("full"))["partitions"][1] | {"names": ["test_score"]}
# The record, what is changed in several places, and what the notes say.
SEVERAL = [
    ("all", changes("rows.dropped", plus(-5), "rows.read", plus(-5)), NO_PLACE),
    ("edited", changes("rows.dropped", plus(1), "rows.read", plus(1)), "rows.dropped"),
    ("generated", changes("rows.left_out", plus(1), "rows.read", plus(1)), "changed_rows"),
    (
        "all",
        changes(
            TABLE, more(["ME", "H", 0, 0, 0, 0, None]),
            "partitions.0.subpopulations.occupied", plus(1),
        ),
        "partitions[0].table",
    ),
    (
        "all",
        changes(
            "graph.arrows", less(["gender", "admission"]),
            "graph.arrows", more(["admission", "gender"]),
            "direct_arrow", False,
        ),
        "lead back from the decision",
    ),
    (
        "full",
        changes(
            "graph.arrows", more(["gender", "age"], ["age", "major"]),
            "graph.nodes", more("age"),
            "partitions.1.names", ["age"],
        ),
        "['age'] is not a block set",
    ),
    (
        "causes",
        changes(
            "graph.undirected", [["zz", "zzz"]],
            "graph.nodes", more("zz", "zzz"),
            "partitions", more(ACCUSATION),
            "verdict", "not certified",
        ),
        "partitions: only the causes should be there",
    ),
    (
        "full/10",
        changes("partitions.0.verdict", "certified", "verdict", "certified"),
        "partitions[0].verdict",
    ),
    ("rule", changes("rules.declared", [], "verdict", "certified"), "verdict"),
    (
        "loans",
        changes("indirect.tables", backwards, "indirect.graphs.0.tables", backwards),
        "indirect.tables: one is of no graph, or not in order",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "place", "value", "words"), PLACES)
def test_one_other_place_is_found(name, place, value, words):
    status, notes = forged(lambda document: put(document, place, value), text_of(name))
    assert status == 1
    assert words in " ".join(notes)


@pytest.mark.parametrize(("name", "change", "words"), SEVERAL)
def test_several_other_places_are_found(name, change, words):
    status, notes = forged(change, text_of(name))
    assert status == 1
    assert words in " ".join(notes)

"""Tables that differ only where a copy for others shows nothing, and what these copies say."""

import json
from itertools import product

from hypothesis import assume
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import CannotReleaseError
from evenhand.report import report

GRAPH = "sex -> hired; sex -> town; town -> hired; job -> hired; age -> job; hired -> bonus"
# Whether the job is a cause or a consequence is open.
OPEN_GRAPH = (
    "sex -> hired; sex -> town; sex -> job; town -> hired; town -> job; job - hired; age"
)
TOWNS, JOBS = ("9", "10", "11"), ("x", "y")
LINES = [*product(TOWNS, JOBS)]
CELLS = [("f", "yes"), ("f", "no"), ("m", "yes"), ("m", "no")]
ASKED = eh.Question(protected="sex", group="f", other="m", decision="hired", favorable="yes")


@st.composite
def pairs(draw):
    """A least count, a threshold, and two tables that differ only in withheld lines."""
    least_count = draw(st.sampled_from([2, 5, 10]))
    large = st.tuples(*[st.integers(least_count, 60)] * 4)
    small = st.tuples(*[st.integers(0, 40)] * 4).filter(lambda four: min(four) < least_count)
    shown = draw(st.lists(st.sampled_from(LINES), unique=True, max_size=4))
    same = {line: draw(large) for line in shown}
    hidden = [line for line in LINES if line not in same]
    tables = [
        {**same, **{line: draw(small) for line in hidden if draw(st.booleans())}}
        for _ in range(2)
    ]
    # Columns that no line is about, groups that are not compared, a third decision, and a town
    # that is no number and turns the order of all of them.
    extra = [
        (
            draw(st.integers(0, 2**30)),
            draw(st.integers(0, 5)),
            draw(st.sampled_from(["no", "later"])) if hidden else "no",
            draw(st.sampled_from(["12", "?", "9.5"])),
        )
        for _ in range(2)
    ]
    threshold = draw(st.sampled_from(["0.05", "0.1", "0.3"]))
    counted = [
        table_of(cells, *more, same={*same}) for cells, more in zip(tables, extra, strict=True)
    ]
    return least_count, threshold, counted


def table_of(cells, mix, others, refused, elsewhere, *, same=frozenset()):
    """Counts with each of these numbers; what else is recorded is mixed in by a number."""
    lines = []
    for (town, job), four in cells.items():
        for at, ((sex, hired), many) in enumerate(zip(CELLS, four, strict=True)):
            decision = hired if hired == "yes" or (town, job) in same else refused
            first = many if not mix else (mix >> at) % (many + 1)
            lines += [
                (sex, town, job, decision, "old", "none", first),
                (sex, town, job, decision, "young", "some", many - first),
            ]
    lines.append(("x", "9", "x", "yes", "old", "none", others))
    # Somebody of each kind, so that the question can be asked at all; alone in their lines.
    lines += [(sex, elsewhere, "x", hired, "old", "none", 1) for sex, hired in CELLS]
    *columns, counts = zip(*lines, strict=True)
    names = ("sex", "town", "job", "hired", "age", "bonus")
    return eh.CountTable.of(dict(zip(names, columns, strict=True)), counts)


def shared_texts(counts, least_count, threshold, *, graph=GRAPH, method=None, scope="causes"):
    """The certificate and the page for others."""
    question = eh.Question(**{**ASKED.to_dict(), "threshold": threshold})
    given = eh.PartialGraph.parse(graph) if " - " in graph else eh.CausalGraph.parse(graph)
    audit = eh.audit(counts, question, graph=given, scope=scope, min_coverage=0)
    release = audit.release(method=method, seed=7) if method else None
    record = (release or audit).certificate.shared_document(least_count=least_count)
    record.get("release", {}).pop("seed_commitment", None)  # it holds a random number
    record.pop("seal")
    page = report(
        audit,
        release,
        partition=audit.explain_partition([]),
        doubt=audit.doubt(),
        share=True,
        least_count=least_count,
        generated="today",
        title="people",
    )
    return json.dumps(record, sort_keys=True), page.html


def check_audits(pair, **options):
    """Both tables give the same certificate and the same page."""
    least_count, threshold, tables = pair
    one, other = (
        shared_texts(counts, least_count, threshold, scope="all", **options)
        for counts in tables
    )
    assert one == other


def check_releases(pair, method):
    """Releases with the same large groups give the same page and the same certificate.

    The released rows are there to be read: which of their groups are large is no secret.
    """
    least_count, threshold, tables = pair
    copies = []
    for counts in tables:
        try:
            copies.append(shared_texts(counts, least_count, threshold, method=method))
        except CannotReleaseError:
            assume(False)  # that there is a release is told by the release
    shown = [json.loads(record)["partitions"][0]["table"] for record, _ in copies]
    assert shown[0] != shown[1] or copies[0] == copies[1]

"""Tables that differ only where a copy for others shows nothing, and what these copies say."""

import csv
import json
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import CannotReleaseError
from evenhand.graph import DiscoveryRecord
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


@dataclass(frozen=True)
class Unseen:
    """What else of two tables may differ and no copy for others may tell.

    ``dropped`` people lack a value, and a search with so many ``tests`` found the graph.
    """

    dropped: int
    tests: int
    seed: int


UNSEEN = (Unseen(0, 20, 7), Unseen(13, 345, 2**99 + 1))


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
            draw(st.sampled_from(["no", "later"])),
            draw(st.sampled_from(["12", "?", "9.5"])),
        )
        for _ in range(2)
    ]
    threshold = draw(st.sampled_from(["0.05", "0.1", "0.3"]))
    counted = [table_of(cells, *more) for cells, more in zip(tables, extra, strict=True)]
    return least_count, threshold, counted


def table_of(cells, mix, others, refused, elsewhere):
    """Counts with each of these numbers; what else is recorded is mixed in by a number."""
    lines = []
    for (town, job), four in cells.items():
        for at, ((sex, hired), many) in enumerate(zip(CELLS, four, strict=True)):
            decision = hired if hired == "yes" else refused
            first = many if not mix else (mix >> at) % (many + 1)
            lines += [
                (sex, town, job, decision, "old", "none", first),
                (sex, town, job, hired, "young", "some", many - first),
            ]
    lines.append(("x", "9", "x", "yes", "old", "none", others))
    # Somebody of each kind, so that the question can be asked at all; alone in their lines.
    lines += [(sex, elsewhere, "x", hired, "old", "none", 1) for sex, hired in CELLS]
    *columns, counts = zip(*lines, strict=True)
    names = ("sex", "town", "job", "hired", "age", "bonus")
    return eh.CountTable.of(dict(zip(names, columns, strict=True)), counts)


def read_from(folder, counts, dropped):
    """The counts as rows of a file, with people who lack a value and are left out."""
    path = Path(folder) / "people.csv"
    lines = [(*labels, n) for labels, n in counts if n]
    lines += [("f", "?", "x", "yes", "old", "none", dropped)] if dropped else []
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([(*counts.names, "n"), *lines])
    merge = {"age": {"elder": ["old"]}}
    return eh.read(path, frequency="n", missing="drop", na=["?"], merge=merge)


def learned_graph(text, unseen):
    """The graph as a search gives it that tried so many sets."""
    graph = eh.PartialGraph.parse(text)
    record = DiscoveryRecord(
        algorithm="stable",
        test="chi-square",
        significance=0.01,
        tests=(unseen.tests,),
        limits="Sets of at most two columns were tried.",
        ended_early="" if unseen.tests < 100 else "Larger sets were not tried.",
        depth=None if unseen.tests < 100 else 2,
    )
    return replace(graph, record=record)


def shared_texts(
    counts, least_count, threshold, *, graph=GRAPH, method=None, scope="causes", unseen=None
):
    """The certificate and the page for others; with what is unseen, of a file and a search.

    A release is then written, and the certificate is the file beside it.
    """
    question = eh.Question(**{**ASKED.to_dict(), "threshold": threshold})
    given = eh.PartialGraph.parse(graph) if " - " in graph else eh.CausalGraph.parse(graph)
    given = learned_graph(graph, unseen) if unseen else given
    with TemporaryDirectory() as folder:
        rows = read_from(folder, counts, unseen.dropped) if unseen else counts
        audit = eh.audit(rows, question, graph=given, scope=scope, min_coverage=0)
        release = None
        if method:
            seed = unseen.seed if unseen else 7
            release = audit.release(method=method, seed=seed, accept_graph="A test.")
        if release and unseen:
            files = release.write(Path(folder) / "out.csv", share=True, least_count=least_count)
            record = json.loads(files.shared.read_text())
        else:
            record = json.loads(
                (release or audit).certificate.to_shared_json(least_count=least_count)
            )
        page = report(
            audit,
            release,
            partition=audit.explain_partition([]),
            share=True,
            least_count=least_count,
            generated="today",
            title="people",
        )
    record.get("release", {}).pop("seed_commitment", None)  # it holds a random number
    record.pop("seal")
    return json.dumps(record, sort_keys=True), page.html


def check_audits(pair, **options):
    """Both tables give the same certificate and the same page."""
    least_count, threshold, tables = pair
    one, other = (
        shared_texts(counts, least_count, threshold, scope="all", unseen=unseen, **options)
        for counts, unseen in zip(tables, UNSEEN, strict=True)
    )
    assert one == other


def check_releases(pair, method):
    """Releases with the same large groups give the same page and the same certificate.

    The released rows are there to be read: which of their groups are large is no secret.
    """
    least_count, threshold, tables = pair
    copies = []
    for counts, unseen in zip(tables, UNSEEN, strict=True):
        try:
            copies.append(
                shared_texts(counts, least_count, threshold, method=method, unseen=unseen)
            )
        except CannotReleaseError:
            assume(False)  # that there is a release is told by the release
    shown = [json.loads(record)["partitions"][0]["table"] for record, _ in copies]
    assert shown[0] != shown[1] or copies[0] == copies[1]

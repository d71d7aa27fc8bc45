"""The claim of the verdict, from those on the partitions."""

from .graph_claims import RecordedGraph
from .record_fields import Record
from .subpopulation_claims import NO, OPEN, VERDICTS, WITHHELD, YES


def overall_verdict(
    record: Record,
    graph: RecordedGraph,
    entries: list[Record],
    *,
    causes: int,
    complete: bool,
) -> str:
    """The worst verdict of all partitions, of which so many are by possible causes.

    With open edges a difference in one partition need not be one in every graph.
    """
    verdicts: list[str] = [*(entry["verdict"] for entry in entries), YES if complete else OPEN]
    is_sure = not graph.undirected or {*verdicts[:causes]} == {NO}
    is_open = record["scope"]["asked"] == "causes" or record["verdict"] == OPEN
    if not is_sure and is_open:
        verdicts = [min(one, OPEN, key=VERDICTS.index) for one in verdicts]
    return max(verdicts, key=VERDICTS.index)


def shared_verdict(
    record: Record, entry: Record, possible: list[list[str]], of_all: str
) -> str:
    """The verdict of a shared copy: what its lines show, or that of all rows of a release.

    The verdict of the partition's entry is brought into line with it.
    """
    violates = entry["verdict"] == NO
    entry["verdict"] = NO if violates else of_all if "release" in record else WITHHELD
    is_sure = len(possible) == 1 and not record["rules"]["declared"]
    return str(entry["verdict"] if is_sure or not violates else WITHHELD)

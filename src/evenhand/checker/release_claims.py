"""The claims about a release that follow from the rest of the record."""

from .graph_claims import RecordedGraph
from .record_fields import Record
from .row_claims import check_counts

_COUNTS = ("changed_rows", "dropped_before", "left_out_before")


def check_release(record: Record, graph: RecordedGraph) -> list[str]:
    """What cannot be true of released rows; the rest is stated, as the rows before are gone."""
    release, is_full = record["release"], record["copy"] == "full"
    columns = release["changed_columns" if is_full else "can_change"]
    change = release["change"]
    errors = {
        "assumptions: the notice of the release is not among them": release["notice"]
        not in record["assumptions"],
        f"release.change: {change!r} is not known here": change
        not in ("edited", "resampled", "generated"),
        f"release.changed_columns: rows are not {change} in {columns}": not can_change(
            change, columns, graph
        ),
        "release.dropped_columns: a dropped column is there": bool(
            {*release.get("dropped_columns", ())} & {*graph.nodes, *columns}
        ),
        "release: what was changed has no place in a shared copy": not is_full
        and {*_COUNTS, "changed_columns"} & {*release},
        "release.can_change: this is what a shared copy says": is_full
        and "can_change" in release,
    }
    errors |= row_errors(release, record["rows"]) if is_full else {}
    return [error for error, applies in errors.items() if applies]


def can_change(change: str, columns: list[str], graph: RecordedGraph) -> bool:
    """Whether a change of this kind can be one in these columns.

    Edited are decisions, and with them possible effects, or else the protected attribute.
    """
    if change == "generated":
        return sorted(columns) == sorted(graph.nodes)
    effects = {*columns[1:]}
    is_of_decisions = columns[:1] == [graph.decision] and len(effects) == len(columns) - 1
    is_edit = is_of_decisions and effects <= graph.possible_effects
    is_of_groups = columns == sorted({*columns} & {*graph.protected}, key=columns.index)
    return columns == [] or (change == "edited" and (is_edit or is_of_groups))


def row_errors(release: Record, rows: Record) -> dict[str, bool]:
    """What the numbers of rows cannot be, and whether they are that."""
    change, changed, columns = (
        release[name] for name in ("change", "changed_rows", "changed_columns")
    )
    check_counts({name: release[name] for name in _COUNTS})
    most = rows["examined"] if columns else 0
    return {
        "rows.dropped: a release has no rows with missing values": rows["dropped"] > 0,
        "release.changed_rows: all rows of a generated release are new": change == "generated"
        and (rows["left_out"] > 0 or changed != rows["examined"]),
        "release.changed_rows: none was left out or doubled": change == "resampled"
        and not changed,
        "release.left_out_before: only generated rows lack those": change != "generated"
        and release["left_out_before"] > 0,
        f"release.changed_rows: {changed} cannot have changed in {columns}": change == "edited"
        and not bool(columns) <= changed <= most,
    }

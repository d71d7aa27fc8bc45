"""The claims about rows: how many were read and examined, and how a release was made."""

from collections import defaultdict
from functools import lru_cache
from operator import add

from .graph_claims import RecordedGraph
from .partition_claims import (
    JOIN,
    SHARED,
    Counts,
    GroupComparisons,
    Table,
    count_people,
)
from .people_in_csv import read_people
from .record_fields import Record


def count_data(
    path: str, record: Record, compared: GroupComparisons, tables: list[Table]
) -> tuple[list[Table], list[tuple[list[str], Table]], dict[str, int], list[str]]:
    """Count the data: tables with their lines in the recorded order, rows, and errors.

    Besides, the people by all columns of the graph but those that are compared.
    """
    question, pooled = record["question"], record["pooled"]
    pools = pooled["unfavorable"]
    rows = dict.fromkeys(("dropped", "left_out", "examined"), 0)
    ends = {*compared.protected, question["decision"]}
    names = [name for name in record["graph"]["nodes"] if name not in ends]
    columns, last = [*names, *compared.protected, question["decision"]], len(names)
    kinds, cells = len(compared.kinds), len(compared.kinds) * len(compared.groups)
    flat = defaultdict[tuple[str, ...], list[int]](lambda: [0] * cells)
    errors = []

    @lru_cache(SHARED)
    def cell_of(ends: tuple[str, ...]) -> tuple[int | None, int | None]:
        """The places of a group and of a decision."""
        *groups, decision = ends
        group = compared.place(JOIN.join(groups), pooled=pooled["other"])
        return group, compared.kind(decision)

    for line, labels, weight in read_people(path, record["codings"], columns):
        if not labels:
            rows["dropped"] += weight
            continue
        group, kind = cell_of(labels[last:])
        rows["left_out" if group is None else "examined"] += weight
        if group is not None:
            flat[labels[:last]][group * kinds + (1 if kind is None else kind)] += weight
            if kind is None and not (pools and compared.favorable):
                what = "the decision is none of those that are compared"
                errors.append(f"{path}, line {line}: {what}")
        elif not compared.is_named:
            what = (
                f"the group {JOIN.join(labels[last:-1])!r} is none of those that are compared"
            )
            errors.append(f"{path}, line {line}: {what}")
    split = lru_cache(SHARED)(compared.split)
    people = {values: split((*flat.pop(values),)) for values in [*flat]}
    partitions = zip(record["partitions"], tables, strict=True)
    counted = [recount(entry, table, names, people) for entry, table in partitions]
    return counted, [(names, people)], {"read": sum(rows.values()), **rows}, errors


def recount(entry: Record, table: Table, names: list[str], people: Table) -> Table:
    """The table of a partition in the data, its lines in the recorded order."""
    counted = people_by(people, names, entry["names"])
    return {line: counted[line] for line in (*table, *counted) if line in counted}


def people_by(table: Table, names: list[str], keep: list[str]) -> Table:
    """The people of a table by some of its names."""
    if keep == names:
        return table
    places, people = [*map(names.index, keep)], defaultdict[tuple[str, ...], list[Counts]](list)
    for values, counts in table.items():
        people[tuple([values[at] for at in places])].append(counts)
    return {line: sum_counts(alike) for line, alike in people.items()}


def sum_counts(lines: list[Counts]) -> Counts:
    """The people of several lines."""
    groups = zip(*lines, strict=True)
    return tuple(tuple(map(sum, zip(*kinds, strict=True))) for kinds in groups)


def right_pooled(record: Record) -> Record:
    """Whether several groups and several decisions count as one, as far as their names say.

    A shared copy pools decisions in any case: another name would tell of people withheld.
    """
    question = record["question"]
    kinds, name = question["decisions"], f"not {question['decisions'][0]}"
    is_named = "favorable" in question and (record["copy"] != "full" or kinds[1] == name)
    if is_named and kinds[1] != name:
        raise ValueError(f"question.decisions: in a shared copy the second is {name!r}")
    return {
        "other": record["pooled"]["other"] and "group" in question,
        "unfavorable": is_named,
    }


def absent_values(compared: GroupComparisons, table: Table) -> list[str]:
    """The values asked about that nobody in a table has: no question can be about them."""
    people = [[0] * len(compared.kinds) for _ in compared.groups]
    for counts in {*table.values()}:  # whether somebody has them, not how many
        people = [[*map(add, *both)] for both in zip(people, counts, strict=True)]
    named = [*zip(compared.roles, compared.groups, map(sum, people), strict=True)]
    decisions = [*zip(compared.kinds, map(sum, zip(*people, strict=True)), strict=True)]
    # Decisions that are not favorable, and some of an order, may occur in other groups alone.
    asked = 0 if compared.is_cumulative else len(decisions)
    role, asked = ("favorable", 1) if compared.favorable else ("decisions", asked)
    named += [(role, label, many) for label, many in decisions[:asked]]
    return [f"question.{role}: nobody has {label!r}" for role, label, many in named if not many]


def sum_tables(rows: Record, tables: list[Table]) -> Record:
    """The numbers of rows that follow from the record's own tables."""
    totals = [count_people(table) for table in tables]
    return {
        **rows,
        "read": totals[0] + rows["dropped"] + rows["left_out"],
        "examined": totals[0] if len({*totals}) == 1 else totals,
    }


def check_release(record: Record, graph: RecordedGraph) -> list[str]:
    """What cannot be true of released rows; the rest is stated, as the rows before are gone."""
    release, is_full = record["release"], record["copy"] == "full"
    columns = release["changed_columns" if is_full else "can_change"]
    change = release["change"]
    errors = {
        "assumptions: the notice of the release is not among them": release["notice"]
        not in record["assumptions"],
        f"release.changed_columns: rows are not {change} in {columns}": not can_change(
            change, columns, graph
        ),
        "release.dropped_columns: a dropped column is there": bool(
            {*release.get("dropped_columns", ())} & {*graph.nodes, *columns}
        ),
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

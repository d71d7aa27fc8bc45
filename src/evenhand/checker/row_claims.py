"""The claims about rows: how many were read, dropped, left out and examined."""

from operator import add

from .group_comparisons import JOIN, Counts, GroupComparisons, Table
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
    rows = dict.fromkeys(("read", "dropped", "left_out", "examined"), 0)
    ends = {*compared.protected, question["decision"]}
    names = [name for name in record["graph"]["nodes"] if name not in ends]
    people: Table = {}
    errors = []
    for line, labels, weight in read_people(path, record["codings"]):
        group = JOIN.join(labels.get(name, "") for name in compared.protected)
        place = compared.place(group, pooled=pooled["other"])
        fate = "dropped" if not labels else "left_out" if place is None else "examined"
        rows["read"], rows[fate] = rows["read"] + weight, rows[fate] + weight
        if fate == "left_out" and not compared.is_named:
            errors += [f"{line}: the group {group!r} is none of those that are compared"]
        if place is None or fate == "dropped":
            continue
        kind = compared.kind(labels[question["decision"]])
        if kind is None and not (pools and compared.favorable):
            errors += [f"{line}: the decision is none of those that are compared"]
        values = tuple(labels[name] for name in names)
        if values not in people:
            people[values] = compared.nobody()
        people[values][place][1 if kind is None else kind] += weight
    partitions = zip(record["partitions"], tables, strict=True)
    counted = [recount(entry, table, names, people) for entry, table in partitions]
    return counted, [(names, people)], rows, errors


def recount(entry: Record, table: Table, names: list[str], people: Table) -> Table:
    """The table of a partition in the data, its lines in the recorded order."""
    counted = people_by(people, names, entry["names"])
    return {line: counted[line] for line in (*table, *counted) if line in counted}


def people_by(table: Table, names: list[str], keep: list[str]) -> Table:
    """The people of a table by some of its names."""
    if keep == names:
        return table
    places, people = [*map(names.index, keep)], dict[tuple[str, ...], Counts]()
    for values, counts in table.items():
        line = tuple(values[at] for at in places)
        totals = people.setdefault(line, [[0] * len(kinds) for kinds in counts])
        for total, kinds in zip(totals, counts, strict=True):
            total[:] = map(add, total, kinds)
    return people


def check_pooled(record: Record) -> list[str]:
    """A shared copy pools unfavorable decisions: a name would tell of people withheld."""
    kinds, pooled = record["question"]["decisions"], record["pooled"]["unfavorable"]
    name = f"not {kinds[0]}"
    is_pooled = "favorable" not in record["question"] or (pooled is True and kinds[1] == name)
    return [] if is_pooled else [f"question.decisions: in a shared copy the second is {name!r}"]


def absent_values(compared: GroupComparisons, table: Table) -> list[str]:
    """The values asked about that nobody in a table has: no question can be about them."""
    people = compared.nobody()
    for counts in table.values():
        people = [[*map(add, *both)] for both in zip(people, counts, strict=True)]
    named = [*zip(compared.roles, compared.groups, map(sum, people), strict=True)]
    decisions = [*zip(compared.kinds, map(sum, zip(*people, strict=True)), strict=True)]
    # Of decisions that are favorable or not, the others need not occur in a group compared.
    role, asked = ("favorable", 1) if compared.favorable else ("decisions", None)
    named += [(role, label, many) for label, many in decisions[:asked]]
    return [f"question.{role}: nobody has {label!r}" for role, label, many in named if not many]


def sum_tables(rows: Record, tables: list[Table]) -> Record:
    """The numbers of rows that follow from the record's own tables."""
    totals = [sum(sum(map(sum, n)) for n in table.values()) for table in tables]
    return {
        **rows,
        "read": totals[0] + rows["dropped"] + rows["left_out"],
        "examined": totals[0] if len({*totals}) == 1 else totals,
    }


def check_counts(numbers: Record) -> None:
    """Refuse numbers of rows that are none."""
    if not all(type(number) is int and number >= 0 for number in numbers.values()):
        raise ValueError(f"{numbers} are no counts")

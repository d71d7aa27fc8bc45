"""The claims about rows: how many were read, dropped, left out and examined."""

from .people_in_csv import read_people
from .record_fields import Record
from .subpopulation_claims import Table


def count_data(
    path: str, record: Record, tables: list[Table]
) -> tuple[list[Table], dict[str, Table], dict[str, int], list[str]]:
    """Count the data: tables with their lines in the recorded order, rows, and errors.

    Besides, each column of the graph but the two that are compared has a table of its own.
    """
    question, pooled = record["question"], record["pooled"]
    decisions = {question["favorable"], question["unfavorable"]}
    pools = pooled["unfavorable"]
    rows = dict.fromkeys(("read", "dropped", "left_out", "examined"), 0)
    tables = [{labels: [0, 0, 0, 0] for labels in table} for table in tables]
    ends = {question["protected"], question["decision"]}
    alone: dict[str, Table] = {
        name: {} for name in record["graph"]["nodes"] if name not in ends
    }
    pairs = [*zip([entry["names"] for entry in record["partitions"]], tables, strict=True)]
    pairs += [([name], table) for name, table in alone.items()]
    errors = []
    for place, labels, weight in read_people(path, record["codings"]):
        group = labels.get(question["protected"])
        decision = labels.get(question["decision"])
        compared = pooled["other"] or group in (question["group"], question["other"])
        fate = "dropped" if not labels else "examined" if compared else "left_out"
        rows["read"], rows[fate] = rows["read"] + weight, rows[fate] + weight
        if fate == "examined" and not pools and decision not in decisions:
            errors += [f"{place}: the decision is neither favorable nor unfavorable"]
        cell = 2 * (group != question["group"]) + (decision != question["favorable"])
        for names, table in pairs if fate == "examined" else ():
            values = tuple(labels[name] for name in names)
            table.setdefault(values, [0, 0, 0, 0])[cell] += weight
    kept = [{v: n for v, n in table.items() if any(n)} for table in tables]
    alone = {name: {v: n for v, n in table.items() if any(n)} for name, table in alone.items()}
    return kept, alone, rows, errors


def check_pooled(record: Record) -> list[str]:
    """A shared copy pools unfavorable decisions: a name would tell of people withheld."""
    question, pooled = record["question"], record["pooled"]
    name = f"not {question['favorable']}"
    is_pooled = pooled["unfavorable"] is True and question["unfavorable"] == name
    return [] if is_pooled else [f"question.unfavorable: in a shared copy it is {name!r}"]


def absent_values(question: Record, table: Table) -> list[str]:
    """The values asked about that nobody in a table has: no question can be about them."""
    a, b, c, d = map(sum, zip((0, 0, 0, 0), *table.values(), strict=True))
    people = {"group": a + b, "other": c + d, "favorable": a + c}
    return [f"question.{n}: nobody has {question[n]!r}" for n in people if not people[n]]


def sum_tables(rows: Record, tables: list[Table]) -> Record:
    """The numbers of rows that follow from the record's own tables."""
    totals = [sum(map(sum, table.values())) for table in tables]
    return {
        **rows,
        "read": totals[0] + rows["dropped"] + rows["left_out"],
        "examined": totals[0] if len({*totals}) == 1 else totals,
    }


def check_counts(numbers: Record) -> None:
    """Refuse numbers of rows that are none."""
    if not all(type(number) is int and number >= 0 for number in numbers.values()):
        raise ValueError(f"{numbers} are no counts")

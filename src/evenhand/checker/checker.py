"""Check an evenhand certificate with nothing but Python.

    python checker.py CERTIFICATE.json [DATA.csv] [--expect certified]

The record is derived again from its own question, graph and counts, or from the counts of the
data, and compared; its estimates (population) are not checked. Exit status: 0 the record is
true whatever its verdict, 1 it is false (and where), 3 undecided. No program checks the graph.
"""

import argparse
import csv
import hashlib
import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

YES, OPEN, NO = VERDICTS = "certified", "cannot decide", "not certified"
MALFORMED = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, csv.Error)
GIVEN = "assumptions copy format graph pooled population question reasons release versions"
CODINGS = "bins columns delimiter frequency merge missing na"
Record = dict[str, Any]
Table = dict[tuple[str, ...], list[int]]


class Checker:
    """A parsed record, the errors found in it, and what could not be decided."""

    def __init__(self, record: Record) -> None:
        self.record, self.question, self.graph = record, record["question"], record["graph"]
        self.partitions, self.is_full = record["partitions"], record["copy"] == "full"
        self.protected, self.decision = self.question["protected"], self.question["decision"]
        self.ends = (self.protected, self.decision)
        self.arrows = {(cause, effect) for cause, effect in self.graph["arrows"]}
        self.errors, self.undecided = list[str](), list[str]()

    def check(self, data: str | None) -> tuple[int, list[str]]:
        """Derive the record again, from the data if given; return exit status and notes."""
        record, part = self.record, {"full": "rows", "shared": "withheld"}[self.record["copy"]]
        rest = {name: value for name, value in record.items() if name != "seal"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        right = {name: record[name] for name in GIVEN.split() if name in record}
        right["codings"] = {n: v for n, v in record["codings"].items() if n in CODINGS.split()}
        right["seal"] = hashlib.sha256(text.encode()).hexdigest()
        numbers, tables = {**record[part]}, [*map(read_table, self.partitions)]
        if not all(type(number) is int and number >= 0 for number in numbers.values()):
            raise ValueError(f"{part}: {numbers} are no counts")
        if data:
            tables, rows = self.count_data(data, tables)
            small = [n for n in tables[0].values() if min(n) < numbers.get("least_count", 0)]
            numbers |= rows if self.is_full else {"subpopulations": len(small)}
        elif self.is_full:
            totals = [sum(map(sum, table.values())) for table in tables]
            numbers["read"] = totals[0] + numbers["dropped"] + numbers["left_out"]
            numbers["examined"] = totals[0] if len({*totals}) == 1 else totals
        else:
            self.undecided.append("this is a shared copy: its verdict needs the data")
        entries = [judge(table, self.question) for table in tables]
        for at, (entry, written) in enumerate(zip(entries, self.partitions, strict=True)):
            if self.is_full:
                written["evidence"].sort()  # their order is a matter of statistics
                entry["digest"] = self.digest(written["names"], tables[at])
            else:
                shown = [n for n in entry["table"] if min(n[-5:-1]) >= numbers["least_count"]]
                verdict = (entry if data or entry["verdict"] == NO else written)["verdict"]
                entries[at] = {"verdict": verdict} | ({} if at else {"table": shown})
        right |= {part: numbers, "partitions": entries, **self.derived(entries)}
        self.errors += differences("", record, right)
        status = 1 if self.errors else 3 if self.undecided else 0
        return status, self.errors or self.undecided

    def derived(self, entries: list[Record]) -> Record:
        """The fields that follow from the graph and the verdicts on the partitions."""
        scope, possible = self.record["scope"], self.record["possible_decision_causes"]
        edges = [{a, b} for a, b in (*self.graph["arrows"], *self.graph["undirected"])]
        distinct, nodes = {frozenset(e) for e in edges if len(e) == 2}, self.graph["nodes"]
        arrows, ends = self.arrows | {self.ends}, {*self.ends}.union(*edges)
        if len(distinct) < len(edges) or sorted({*nodes} | ends) != sorted(nodes):
            raise ValueError("graph: a node or an edge is there twice, or an end is no node")
        if any(cause in reachable({effect}, arrows) for cause, effect in arrows):
            raise ValueError("graph: arrows form a cycle, or lead back from the decision")
        if any(self.decision in edge for edge in self.graph["undirected"]):
            self.undecided.append("possible_decision_causes: an edge at the decision is open")
        else:
            possible = [sorted(a for a, b in self.arrows - {self.ends} if b == self.decision)]
        others = [entry["names"] for entry in self.partitions[len(possible) :]]
        roles = ["causes"] * len(possible) + ["block set"] * len(others)
        for entry, names, role in zip(entries, possible + others, roles, strict=True):
            entry |= {"names": names, "role": role}
        if complete := scope["asked"] == "causes":
            self.errors += ["partitions: only the causes should be there"] * bool(others)
        else:
            complete = self.check_block_sets(*map(frozenset, possible[:1] + others))
        verdicts = [entry["verdict"] for entry in entries] + [YES if complete else OPEN]
        sure = not self.graph["undirected"] or {*verdicts[: len(possible)]} == {NO}
        if not sure and (scope["asked"] == "causes" or self.record["verdict"] == OPEN):
            verdicts = [min(one, OPEN, key=VERDICTS.index) for one in verdicts]  # no NO in all
        return {
            "direct_arrow": {*self.ends} in edges,
            "possible_decision_causes": possible,
            "decision_causes": sorted({*possible[0]}.intersection(*possible)),
            "scope": {"asked": scope["asked"], "complete": complete},
            "verdict": max(verdicts, key=VERDICTS.index),
        }

    def check_block_sets(self, causes: frozenset[str], *others: frozenset[str]) -> bool:
        """Check that the others are block sets; return whether none is missing."""
        scope, free = self.record["scope"], {*self.graph["nodes"]} - {*self.ends}
        complete, sets = bool(scope["complete"]), {s for s in others if self.is_block_set(s)}
        if self.graph["undirected"] or len(free) > 12:  # 4096 combinations
            self.undecided.append("scope: whether it is complete was not checked")
        else:
            trials = chain(*(combinations(free, size) for size in range(len(free) + 1)))
            sets = {s for s in map(frozenset, trials) if self.is_block_set(s)}
            sets = {s for s in sets if scope["asked"] == "all" or not any(t < s for t in sets)}
            complete = sets <= {causes, *others}
        self.errors += [f"partitions: {sorted(s)} is not a block set" for s in {*others} - sets]
        return complete

    def is_block_set(self, names: frozenset[str]) -> bool:
        """Whether names block all paths but the direct arrow, as far as edges are directed."""
        arrows, side = self.arrows - {self.ends}, {self.protected}
        above = reachable({*names, *self.ends}, {(b, a) for a, b in arrows})
        families = [{node, *(a for a, b in arrows if b == node)} for node in above]
        while more := set().union(*(f for f in families if f & side)) - side - names:
            side |= more
        is_one = self.decision not in side and not names & reachable({self.decision}, arrows)
        return is_one or bool(above & {*chain(*self.graph["undirected"])})

    def digest(self, names: list[str], table: Table) -> str:
        """SHA-256 of the counts as lines of JSON: the sorted names, then the sorted lines."""
        columns, lines = [*names, *self.ends], []
        cells = [*product(("group", "other"), ("favorable", "unfavorable"))]
        for (labels, counts), (at, cell) in product(table.items(), enumerate(cells)):
            values = dict(zip(columns, (*labels, *map(self.question.get, cell)), strict=True))
            line = [*(values[column] for column in sorted(columns)), counts[at]]
            lines += [json.dumps(line, ensure_ascii=False)] if counts[at] else []
        text = "\n".join([json.dumps(sorted(columns), ensure_ascii=False), *sorted(lines)])
        return hashlib.sha256(text.encode()).hexdigest()

    def count_data(self, path: str, tables: list[Table]) -> tuple[list[Table], dict[str, int]]:
        """Count the data as the record says, with the lines of its tables in the same order."""
        question, pooled = self.question, self.record["pooled"]
        decisions = {question["favorable"], question["unfavorable"]}
        rows = dict.fromkeys(("read", "dropped", "left_out", "examined"), 0)
        tables = [{labels: [0, 0, 0, 0] for labels in table} for table in tables]
        pairs = [*zip(self.partitions, tables, strict=True)]
        for place, labels, weight in read_people(path, self.record["codings"]):
            group, decision = labels.get(self.protected), labels.get(self.decision)
            compared = pooled["other"] or group in (question["group"], question["other"])
            fate = "dropped" if not labels else "examined" if compared else "left_out"
            rows["read"], rows[fate] = rows["read"] + weight, rows[fate] + weight
            if fate == "examined" and not pooled["unfavorable"] and decision not in decisions:
                self.errors += [f"{place}: the decision is neither favorable nor unfavorable"]
            cell = 2 * (group != question["group"]) + (decision != question["favorable"])
            for entry, table in pairs if fate == "examined" else ():
                values = tuple(labels[name] for name in entry["names"])
                table.setdefault(values, [0, 0, 0, 0])[cell] += weight
        return [{v: n for v, n in table.items() if any(n)} for table in tables], rows


def read_table(entry: Record) -> Table:
    """The counts of a partition, by the values that people share."""
    kinds = [str] * len(entry["names"]) + [int] * 4
    for line in entry.get("table", ()):
        if [*map(type, line[:-1])] != kinds or min(line[-5:-1]) < 0:
            raise ValueError(f"{entry['names']}: {line} is no subpopulation")
    return {(*line[:-5],): line[-5:-1] for line in entry.get("table", ()) if any(line[-5:-1])}


def read_people(path: str, codings: Record) -> Iterator[tuple[str, dict[str, str], int]]:
    """Each CSV line: its place, its labels (none if dropped), and its frequency."""
    absent = dict.fromkeys(["", *codings.get("na", ())], "(missing)")
    missing, frequency = codings["missing"], codings.get("frequency")
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        head = file.readlines(2**18)
        lines = {m: [*filter(None, csv.reader(head, delimiter=m))][:20] for m in ",;\t|"}
        widest = max(lines, key=lambda m: (len({*map(len, lines[m])}) == 1, len(lines[m][0])))
        delimiter = codings.get("delimiter") or widest
        reader = csv.DictReader(chain(head, file), delimiter=delimiter, strict=True)
        header = reader.fieldnames or []
        names = codings.get("columns") or [name for name in header if name != frequency]
        needed = {*names, *codings.get("bins", ()), *codings.get("merge", ())}
        if len({*header}) < len(header) or not needed <= {*header}:
            raise ValueError(f"{path}: a column is lacking, or there are two of one name")
        for row in reader:
            place = f"{path}, line {reader.line_num}"
            weight = Fraction(Decimal(row[frequency].strip())) if frequency else Fraction(1)
            if None in row or None in row.values() or weight < 0 or weight.denominator > 1:
                raise ValueError(f"{place}: too many fields, too few, or no whole frequency")
            lacking = [name for name in names if row[name] in absent]
            if lacking and missing == "error" and weight:
                raise ValueError(f"{place}: there is no value of {lacking[0]!r}")
            used = [] if lacking and missing == "drop" else names
            labels = {n: absent.get(row[n]) or encode(n, row[n], codings) for n in used}
            yield from [(place, labels, int(weight))] if weight else []


def encode(name: str, text: str, codings: Record) -> str:
    """The label under which a text is counted."""
    if cuts := codings.get("bins", {}).get(name):
        at = sum(Fraction(cut) < Fraction(Decimal(text.strip())) for cut in cuts)
        below, above = cuts[:at][-1:], cuts[at:][:1]
        return ", ".join([f">{cut}" for cut in below] + [f"<={cut}" for cut in above])
    merge = codings.get("merge", {}).get(name, {})
    return next((new for old in (text, "*") for new in merge if old in merge[new]), text)


def judge(table: Table, question: Record) -> Record:
    """The fields of a partition that follow from its counts."""
    texts = (question[name].split("/") for name in ("threshold", "min_coverage"))
    threshold, least = (Fraction(*map(int, text)) for text in texts)
    if not 0 < threshold < 1 or not 0 <= least <= 1:
        raise ValueError(f"threshold {threshold} or least coverage {least} is out of range")
    exact = [  # the others' rate, c of c + d, minus the group's
        Fraction(c, c + d) - Fraction(a, a + b) if a + b and c + d else None
        for a, b, c, d in table.values()
    ]
    lines = zip(table, table.values(), exact, strict=True)
    sides = [0 if d is None or abs(d) < threshold else 1 if d > 0 else -1 for d in exact]
    shares = {}
    for name, cells in {"rows": slice(4), "group": slice(2), "other": slice(2, 4)}.items():
        sizes = [sum(counts[cells]) for counts in table.values()]
        measured = sum(n for n, d in zip(sizes, exact, strict=True) if d is not None)
        shares[name] = Fraction(measured, sum(sizes) or 1)
    enough = shares["rows"] > 0 and min(shares["group"], shares["other"]) >= least
    above, below, occupied = sides.count(1), sides.count(-1), len(sides)
    numbers = {"above": above, "below": below, "violating": above + below, "occupied": occupied}
    return {
        "coverage": {name: str(share) for name, share in shares.items()},
        "subpopulations": {**numbers, "measured": occupied - exact.count(None)},
        "evidence": [line for line, side in enumerate(sides) if side],
        "verdict": NO if any(sides) else YES if enough else OPEN,
        "table": [[*v, *n, d if d is None else str(d)] for v, n, d in lines],
    }


def reachable(nodes: set[str], arrows: set[tuple[str, str]]) -> set[str]:
    """The nodes and all descendants of them."""
    while more := {effect for cause, effect in arrows if cause in nodes} - nodes:
        nodes = nodes | more
    return nodes


def differences(where: str, written: object, right: object) -> Iterator[str]:
    """The innermost places that differ."""
    if isinstance(written, dict) and isinstance(right, dict):
        for name in {**written, **right}:
            pair = (part.get(name, ()) for part in (written, right))
            yield from differences(f"{where}.{name}".lstrip("."), *pair)
    elif isinstance(written, list) and isinstance(right, list) and len(written) == len(right):
        for at, item in enumerate(written):
            yield from differences(f"{where}[{at}]", item, right[at])
    elif written != right or type(written) is not type(right):
        yield f"{where}: it says {written!r:.300}, but should say {right!r:.300}"


def verify(text: str, data: str | None = None) -> tuple[int, list[str]]:
    """The exit status for a certificate's text, and the errors or what is undecided."""

    def unique_names(pairs: list[tuple[str, Any]]) -> Record:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(f"a name stands twice among {[name for name, _ in pairs]}")
        return dict(pairs)

    try:
        record = json.loads(text, object_pairs_hook=unique_names, parse_float=Decimal)
        if record["format"] != "evenhand certificate 1":
            return 3, [f"format: {record['format']!r} is not known here"]
        return Checker(record).check(data)
    except (*MALFORMED, RecursionError) as error:
        return 1, [f"malformed: {type(error).__name__}: {error}"]


def main(arguments: list[str] | None = None) -> int:
    """Run the checker on command-line arguments."""
    parser = argparse.ArgumentParser(description="Check an evenhand certificate.")
    parser.add_argument("certificate")
    parser.add_argument("data", nargs="?", help="the CSV file that the certificate is about")
    parser.add_argument("--expect", choices=VERDICTS, help="exit with 1 otherwise")
    options = parser.parse_args(arguments)
    try:
        text = Path(options.certificate).read_text(encoding="utf-8")
        status, notes = verify(text, options.data)
    except (OSError, UnicodeDecodeError) as error:
        parser.error(str(error))
    if not status and options.expect not in (None, json.loads(text)["verdict"]):
        status, notes = 1, [f"verdict: it is not {options.expect!r}"]
    texts = ("The record is true.", "The record is false.", "", "This cannot be decided.")
    sys.stdout.write("\n  ".join([texts[status], *notes, "Estimates are not checked."]) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Check an evenhand certificate with nothing but Python.

    python checker.py CERTIFICATE.json [DATA.csv] [--expect certified]

All that the record says but its estimates (population) is computed again from its own counts;
with the data, these too. Exit status: 0 the record is true whatever its verdict, 1 it is false
(and where), 3 that cannot be decided from what was given. No program can check the graph.
"""

import argparse
import csv
import hashlib
import json
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

YES, NO, OPEN = "certified", "not certified", "cannot decide"
BAD = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, csv.Error)
Table = dict[tuple[str, ...], list[int]]


class Checker:
    """A record under examination, and what is wrong in it."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record, self.question = record, record["question"]
        self.protected, self.decision = self.question["protected"], self.question["decision"]
        self.partitions, self.is_full = record["partitions"], record["copy"] == "full"
        self.wrong: list[str] = []

    def expect(self, where: str, written: object, right: object) -> None:
        """Note a place where something else should stand."""
        if written != right or type(written) is not type(right):
            self.wrong.append(f"{where}: it says {written!r}, but should say {right!r}")

    def check(self, data: str | None) -> None:
        """Examine everything, with the data if there are any."""
        rest = {name: value for name, value in self.record.items() if name != "seal"}
        text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        if self.record.get("seal") != hashlib.sha256(text.encode()).hexdigest():
            self.wrong.append("seal: the record was altered after it was written")
        self.check_causes()
        self.check_block_sets()
        self.check_verdict()
        tables = [self.read_table(at) for at in range(len(self.partitions))]
        (self.check_totals if self.is_full else self.check_shown)(tables)
        if data:
            self.check_data(data, tables)

    def check_causes(self) -> None:
        """The causes of the decision are those of the graph, as far as the graph tells."""
        graph, possible = self.record["graph"], self.record["possible_decision_causes"]
        causes = {cause for cause, effect in graph["arrows"] if effect == self.decision}
        near = {name for edge in graph["undirected"] if self.decision in edge for name in edge}
        if self.protected not in near:
            self.expect("direct_arrow", self.record["direct_arrow"], self.protected in causes)
        causes, near = causes - {self.protected}, near - {self.protected, self.decision}
        if not near:
            self.expect("possible_decision_causes", possible, [sorted(causes)])
        if not all(causes <= set(names) <= causes | near for names in possible):
            self.wrong.append("possible_decision_causes: the graph says otherwise")
        certain = sorted(set(possible[0]).intersection(*possible))
        self.expect("decision_causes", self.record["decision_causes"], certain)
        examined = [entry["names"] for entry in self.partitions if entry["role"] == "causes"]
        self.expect("partitions, the causes among them", examined, possible)

    def check_block_sets(self) -> None:
        """Other partitions block every path but the direct arrow, and hold no consequence."""
        ends, graph = (self.protected, self.decision), self.record["graph"]
        arrows = {(cause, effect) for cause, effect in graph["arrows"]} - {ends}
        others = [entry["names"] for entry in self.partitions if entry["role"] != "causes"]
        for given in map(set, () if graph["undirected"] else others):
            above = reached({*given, *ends}, {(b, a) for a, b in arrows})
            families = [{node, *(a for a, b in arrows if b == node)} for node in above]
            side = {self.protected}
            while more := set().union(*(f for f in families if f & side)) - side - given:
                side |= more
            bad = given & {self.protected, *reached({self.decision}, arrows)}
            if bad or self.decision in side:
                self.wrong.append(f"partitions: {sorted(given)} is not a block set")

    def check_verdict(self) -> None:
        """The verdict follows from the partitions' own."""
        causes = {entry["verdict"] for entry in self.partitions if entry["role"] == "causes"}
        others = {entry["verdict"] for entry in self.partitions if entry["role"] != "causes"}
        settled = len(causes) == 1 and self.record["scope"]["complete"]
        others |= causes if settled or causes == {NO} else {OPEN}
        right = NO if NO in others else OPEN if OPEN in others else YES
        self.expect("verdict", self.record["verdict"], right)

    def place(self, at: int, labels: tuple[str, ...]) -> str:
        """Name a subpopulation."""
        pairs = zip(self.partitions[at]["names"], labels, strict=True)
        alike = ", ".join(f"{name} = {label}" for name, label in pairs)
        return f"partitions[{at}].table, {alike or 'everybody'}"

    def read_table(self, at: int) -> Table:
        """The counts of a partition, by the values that people share; differences checked."""
        table, width = Table(), len(self.partitions[at]["names"])
        for row in self.partitions[at].get("table", ()):
            labels, counts = tuple(row[:width]), row[width:-1]
            where = self.place(at, labels)
            if len(counts) != 4 or not all(type(n) is int and n >= 0 for n in counts):
                raise ValueError(f"{where}: {counts} are no four counts")
            if labels in table or not any(counts):
                self.wrong.append(f"{where}: it is empty, or stands there twice")
            right = None if (exact := risk_difference(counts)) is None else str(exact)
            self.expect(f"{where}, risk_difference", row[-1], right)
            table[labels] = counts
        return table

    def check_totals(self, tables: list[Table]) -> None:
        """All that a full copy says of its tables follows from them."""
        rows = self.record["rows"]
        self.expect("rows.read", rows["read"], sum(rows.values()) - rows["read"])
        for at, (entry, table) in enumerate(zip(self.partitions, tables, strict=True)):
            right = judged(table, self.question)
            right["digest"] = self.digest(entry["names"], table)
            for name, value in right.items():
                written = sorted(entry[name]) if name == "evidence" else entry[name]
                self.expect(f"partitions[{at}].{name}", written, value)
            total = sum(map(sum, table.values()))
            self.expect(f"rows.examined, against partitions[{at}]", rows["examined"], total)

    def check_shown(self, tables: list[Table]) -> None:
        """What a shared copy shows has no small count, and does not contradict its verdict."""
        for labels, counts in tables[0].items():
            if min(counts) < self.record["withheld"]["least_count"]:
                self.wrong.append(f"{self.place(0, labels)}: it should have been withheld")
        if judged(tables[0], self.question)["evidence"]:
            self.expect("partitions[0].verdict", self.partitions[0]["verdict"], NO)

    def digest(self, names: list[str], table: Table) -> str:
        """SHA-256 of the counts as lines of JSON: the sorted names, then the sorted lines."""
        columns, lines = sorted([*names, self.protected, self.decision]), []
        for labels, counts in table.items():
            for cell, count in enumerate(counts):
                values = dict(zip(names, labels, strict=True))
                values[self.protected] = self.question[("group", "other")[cell // 2]]
                values[self.decision] = self.question[("favorable", "unfavorable")[cell % 2]]
                line = [*(values[column] for column in columns), count]
                lines += [json.dumps(line, ensure_ascii=False)] if count else []
        text = "\n".join([json.dumps(columns, ensure_ascii=False), *sorted(lines)])
        return hashlib.sha256(text.encode()).hexdigest()

    def check_data(self, path: str, tables: list[Table]) -> None:
        """Count the data again and compare every number with them."""
        asked, pooled = self.question, self.record["pooled"]
        decisions = {asked["favorable"], asked["unfavorable"]}
        rows = Counter(read=0, dropped=0, left_out=0, examined=0)
        counted: list[Table] = [{} for _ in self.partitions]
        for place, labels, weight in people(path, self.record["codings"]):
            group, decision = labels.get(self.protected), labels.get(self.decision)
            compared = pooled["other"] or group in (asked["group"], asked["other"])
            fate = "dropped" if not labels else "examined" if compared else "left_out"
            rows.update({"read": weight, fate: weight})
            if fate != "examined":
                continue
            if not pooled["unfavorable"] and decision not in decisions:
                self.wrong.append(f"{place}: the decision is neither favorable nor unfavorable")
            cell = 2 * (group != asked["group"]) + (decision != asked["favorable"])
            for entry, table in zip(self.partitions, counted, strict=True):
                values = tuple(labels[name] for name in entry["names"])
                table.setdefault(values, [0, 0, 0, 0])[cell] += weight
        hidden = self.record.get("withheld", {"least_count": 0, "subpopulations": 0})
        self.expect("rows, against the data", self.record.get("rows", dict(rows)), dict(rows))
        for at, (written, right) in enumerate(zip(tables, counted, strict=True)):
            verdict = judged(right, asked)["verdict"]
            self.expect(f"partitions[{at}].verdict", self.partitions[at]["verdict"], verdict)
            if "table" not in self.partitions[at]:
                continue
            shown = {v: n for v, n in right.items() if min(n) >= hidden["least_count"]}
            withheld = {**hidden, "subpopulations": len(right) - len(shown)}
            self.expect("withheld, against the data", hidden, withheld)
            for values in {**written, **shown}:
                where = f"{self.place(at, values)}, against the data"
                self.expect(where, written.get(values), shown.get(values))


def people(path: str, codings: dict[str, Any]) -> Iterator[tuple[str, dict[str, str], int]]:
    """Each line of a CSV file: its place, its labels (none if dropped), and how often it is."""
    missing, frequency = codings.get("missing", "error"), codings.get("frequency")
    absent = dict.fromkeys(["", *codings.get("na", ())], "(missing)")
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        delimiter = max(",;\t|", key=file.readline().count)
        file.seek(0)
        reader = csv.DictReader(file, delimiter=delimiter, strict=True)
        for row in reader:
            place = f"{path}, line {reader.line_num}"
            names = codings.get("columns") or [name for name in row if name != frequency]
            lacking = [name for name in names if row[name] in absent]
            if lacking and missing == "error":
                raise ValueError(f"{place}: there is no value of {lacking[0]!r}")
            weight = int(Fraction(row[frequency].strip())) if frequency else 1
            kept = [] if lacking and missing == "drop" else names
            labels = {n: absent.get(row[n]) or coded(n, row[n], codings) for n in kept}
            yield place, labels, weight


def coded(name: str, text: str, codings: dict[str, Any]) -> str:
    """The label under which a text is counted."""
    cuts = codings.get("bins", {}).get(name)
    if cuts:
        at = bisect_left([*map(Fraction, cuts)], Fraction(Decimal(text.strip())))
        below, above = cuts[:at][-1:], cuts[at:][:1]
        return ", ".join([f">{cut}" for cut in below] + [f"<={cut}" for cut in above])
    merge = codings.get("merge", {}).get(name, {})
    found = [new for new, olds in merge.items() if text in olds]
    return next(iter(found + [new for new, olds in merge.items() if "*" in olds]), text)


def judged(table: Table, question: dict[str, str]) -> dict[str, Any]:
    """What follows from the counts of a partition: coverage, tally, evidence, verdict."""
    threshold, least = Fraction(question["threshold"]), Fraction(question["min_coverage"])
    if not 0 < threshold < 1 or not 0 <= least <= 1:
        raise ValueError(f"threshold {threshold} or least coverage {least} is out of range")
    differences = [risk_difference(counts) for counts in table.values()]
    reach = [0 if d is None or abs(d) < threshold else 1 if d > 0 else -1 for d in differences]
    shares = {}
    for name, cells in {"rows": slice(4), "group": slice(2), "other": slice(2, 4)}.items():
        sizes = [sum(counts[cells]) for counts in table.values()]
        measured = sum(n for n, d in zip(sizes, differences, strict=True) if d is not None)
        shares[name] = Fraction(measured, sum(sizes) or 1)
    enough = shares["rows"] > 0 and min(shares["group"], shares["other"]) >= least
    above, below = reach.count(1), reach.count(-1)
    tally = {"above": above, "below": below, "violating": above + below, "occupied": len(reach)}
    return {
        "coverage": {name: str(share) for name, share in shares.items()},
        "subpopulations": {**tally, "measured": len(reach) - differences.count(None)},
        "evidence": [line for line, side in enumerate(reach) if side],
        "verdict": NO if any(reach) else YES if enough else OPEN,
    }


def risk_difference(counts: list[int]) -> Fraction | None:
    """The others' rate minus the group's, or None where one of them is absent."""
    group_yes, group_no, other_yes, other_no = counts
    group, other = group_yes + group_no, other_yes + other_no
    both = group and other
    return Fraction(other_yes * group - group_yes * other, group * other) if both else None


def reached(nodes: set[str], arrows: Iterable[tuple[str, str]]) -> set[str]:
    """The nodes and all to which arrows lead from them."""
    while more := {effect for cause, effect in arrows if cause in nodes} - nodes:
        nodes = nodes | more
    return nodes


def verify(text: str, data: str | None = None) -> tuple[int, list[str]]:
    """The exit status for a certificate's text, and what there is to say."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(f"a name stands twice among {[name for name, _ in pairs]}")
        return dict(pairs)

    wrong: list[str] = []
    try:
        record = json.loads(text, object_pairs_hook=once, parse_float=Decimal)
        if record["format"] != "evenhand certificate 1":
            return 3, [f"format: {record['format']!r} is not known here"]
        checker = Checker(record)
        wrong = checker.wrong
        checker.check(data)
    except (*BAD, RecursionError) as error:
        return 1, [*wrong, f"malformed: {type(error).__name__}: {error}"]
    if not wrong and not data and not checker.is_full:
        return 3, ["this is a shared copy: its verdict can be checked with the data only"]
    return int(bool(wrong)), wrong


def main(arguments: list[str] | None = None) -> int:
    """Check what the command line names."""
    parser = argparse.ArgumentParser(description="Check an evenhand certificate.")
    parser.add_argument("certificate")
    parser.add_argument("data", nargs="?", help="the CSV file that the certificate is about")
    parser.add_argument("--expect", choices=(YES, NO, OPEN), help="exit with 1 otherwise")
    asked = parser.parse_args(arguments)
    try:
        text = Path(asked.certificate).read_text(encoding="utf-8")
        status, notes = verify(text, asked.data)
    except (OSError, UnicodeDecodeError) as error:
        parser.error(str(error))
    if not status and asked.expect not in (None, json.loads(text)["verdict"]):
        status, notes = 1, [f"verdict: it is not {asked.expect!r}"]
    said = ("The record is true.", "The record is false.", "", "This cannot be decided.")
    sys.stdout.write("\n  ".join([said[status], *notes, "Estimates are not checked."]) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main())

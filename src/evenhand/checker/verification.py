"""Derives a record again from its own question, graph and counts, or those of the data."""

from collections.abc import Sequence
from typing import NamedTuple

from . import partition_claims as partitions
from . import row_claims, rule_claims
from .graph_claims import RecordedGraph, check_scope
from .partition_claims import NO, OPEN, WITHHELD, YES, GroupComparisons, Table
from .path_claims import PathClaims
from .people_in_csv import NoClassError, UnreadableDataError
from .record_fields import (
    MALFORMED,
    VERDICTS,
    Record,
    UnknownFormatError,
    differences,
    inputs,
    parse,
)
from .unchecked_fields import stated_fields


class CheckOutcome(NamedTuple):
    """The exit status, what is false or undecided, and what is stated, by field.

    ``verdicts`` has for each claim the attributes through which an effect goes, none of the
    direct one, and what the record says; ``fields`` are those of the record. Nothing is stated
    where the check could not be made: the format is not known, or a number in the data lies in
    no class. Beside data that are no text its own numbers are checked.
    """

    status: int
    notes: list[str]
    stated: dict[str, str]
    verdicts: Sequence[tuple[list[str], str]] = ()
    fields: Sequence[str] = ()


def verify(text: str, data: str | None = None) -> CheckOutcome:
    """Check a certificate's text, against a CSV file if one is given."""
    try:
        return Checker(parse(text)).check(data)
    except UnknownFormatError as error:
        return CheckOutcome(3, [str(error)], {})
    except (NoClassError, UnreadableDataError) as error:
        # What its own numbers refute is false; of the data nothing can be said.
        own = verify(text)
        if own.status == 1:
            return own
        stated = {} if isinstance(error, NoClassError) else own.stated
        return own._replace(status=3, notes=[f"cannot be checked: {error}"], stated=stated)
    except (*MALFORMED, RecursionError) as error:
        what = "it has no " if isinstance(error, KeyError) else ""
        says = verify(text) if data else CheckOutcome(1, [], {})
        return says._replace(status=1, notes=[f"malformed: {what}{error}"], stated={})


class Checker:
    """A parsed record, the errors found in it, and what could not be decided."""

    def __init__(self, record: Record) -> None:
        self.right = inputs(record)
        self.record, self.compared = record, GroupComparisons(record["question"])
        self.is_full = {"full": True, "shared": False}[record["copy"]]
        self.graph = RecordedGraph.of(record)
        self.errors, self.undecided = list[str](), list[str]()
        self.stated, self.people = dict[str, str](), list[tuple[list[str], Table]]()

    def check(self, data: str | None) -> CheckOutcome:
        """Derive the record again, from the data if given, and compare."""
        record, right = self.record, self.right
        self.stated |= stated_fields(record, with_data=data is not None)
        numbers, entries = self.derived_partitions(data)
        right |= {
            "seal": partitions.seal(record),
            "rows" if self.is_full else "withheld": numbers,
        }
        right |= {"partitions": entries, **self.derived(entries)}
        right["pooled"] = row_claims.right_pooled(record)
        right["rules"] = rules = rule_claims.right_rules(
            record, self.graph, rule_claims.columns_of(self.people)
        )
        if self.is_full:  # how many variants were judged, but for those taken as recorded
            sets, beside = len(right["possible_decision_causes"]), "without" in rules
            right["variants"] |= {"cause_sets": sets, "rules": 1 + beside}
        if self.is_full and (rules["declared"] or rules["determining"]):
            right["verdict"] = OPEN
        if "unedited" in (origin := right["graph"]["origin"]):
            origin["unedited"], errors, stated = rule_claims.check_edits(
                record, self.people, self.compared
            )
            self.errors, self.stated = self.errors + errors, self.stated | stated
        if "redlining" in record["question"]:
            claims = PathClaims(record, self.graph, self.compared)
            right["indirect"] = claims.right(self.people, rules, with_data=data is not None)
            self.errors += claims.errors
            for field, why in claims.open.items():
                self.leave_open(field, why)
        if "record" in rules.get("without", {}):
            self.check_beside(rules["without"]["record"], data)
        self.errors += differences("", record, right)
        if "release" in record:
            self.errors += row_claims.check_release(record, self.graph)
        status = 1 if self.errors else 3 if self.undecided else 0
        verdicts: list[tuple[list[str], str]] = [([], str(record["verdict"]))]
        if "indirect" in record:
            through = record["question"]["redlining"]
            verdicts.append((through, str(record["indirect"]["verdict"])))
        notes = self.errors or self.undecided
        return CheckOutcome(status, notes, self.stated, verdicts, [*record])

    def derived_partitions(self, data: str | None) -> tuple[Record, list[Record]]:
        """The numbers of rows, or the least count of a line, and the partitions' entries."""
        numbers = self.right["rows" if self.is_full else "withheld"]
        compared, written = self.compared, self.record["partitions"]
        tables = [partitions.read_table(entry, compared) for entry in written]
        if data:
            tables, self.people, rows, errors = row_claims.count_data(
                data, self.record, compared, tables
            )
            self.errors += errors
            numbers = rows if self.is_full else numbers
        elif self.is_full:
            numbers = row_claims.sum_tables(numbers, tables)
            self.people = [*zip((entry["names"] for entry in written), tables, strict=True)]
        else:
            self.undecided.append("this is a shared copy: only the data can verify it")
            self.stated["verdict"] = self.stated["partitions.table"] = "needs the data"
        first, *_ = tables
        if data or self.is_full:
            self.errors += row_claims.absent_values(compared, first)
            self.errors += rule_claims.check_declared(self.record, tables)
        if not self.is_full:
            self.verdict_of_all = partitions.judge(first, compared)["verdict"] if data else YES
            least = numbers["least_count"] = max(numbers["least_count"], 1)
            tables = [partitions.shown_part(first, compared, least)]
        pairs = zip(written, tables, strict=True)
        return numbers, [self.derived_entry(entry, table) for entry, table in pairs]

    def derived_entry(self, written: Record, table: Table) -> Record:
        """What follows from counts; chance and the digest, which a shared copy has not."""
        entry = partitions.judge(table, self.compared, written.get("table", ()))
        if not self.is_full:
            del entry["coverage"], entry["evidence"]
            return entry
        place = {line: at for at, line in enumerate(written["evidence"])}
        # The order is a matter of statistics, which are not computed here.
        entry["evidence"].sort(key=lambda line: place.get(line, len(place)))
        decision = self.record["question"]["decision"]
        entry["digest"] = partitions.digest(self.compared, decision, written["names"], table)
        measured = entry["subpopulations"]["measured"]
        if "release" not in self.record and measured and self.compared.is_one:
            chance = partitions.right_chance(
                written["subpopulations"]["by_chance"], table, self.compared
            )
            entry["subpopulations"]["by_chance"] = chance
            if partitions.has_too_many_rows(table):
                self.stated["by_chance"] = "all of it, as there are very many rows"
        return entry

    def derived(self, entries: list[Record]) -> Record:
        """The fields that follow from the graph and the verdicts on the partitions."""
        scope, possible = self.record["scope"], self.record["possible_decision_causes"]
        if (causes := self.graph.causes) is not None:
            possible = [causes]
        else:
            self.leave_open(
                "possible_decision_causes",
                "an edge at the decision is open: which sets of causes that allows is not "
                "worked out here",
            )
        others = [sorted({*one["names"]}) for one in self.record["partitions"][len(possible) :]]
        if len({*map(tuple, possible + others)}) < len(entries):
            self.errors.append("partitions: one of them is there twice")
        roles = ["causes"] * len(possible) + ["block set"] * len(others)
        named = [*zip(possible + others, roles, strict=True)][: None if self.is_full else 1]
        for entry, (names, role) in zip(entries, named, strict=True):
            entry |= {"names": names, "role": role}
        complete, errors, why = check_scope(self.record, self.graph, possible, others)
        self.errors += errors
        if why and self.is_full:
            self.leave_open("scope.complete", why)
        elif why or not complete:
            limit = "how many block sets were to be examined at most"
            self.stated["scope.complete"] = why or limit
        return {
            # The arrows are those of the recorded decision: a prediction has no direct one.
            "direct_arrow": "predicts" not in self.record["question"]
            and self.graph.has_direct_edge,
            "possible_decision_causes": possible,
            "decision_causes": sorted(set.intersection(*map(set, possible))),
            "scope": {"asked": scope["asked"], "complete": complete},
            "verdict": overall_verdict(
                self.record, self.graph, entries, causes=len(possible), complete=complete
            )
            if self.is_full
            else shared_verdict(
                self.record, next(iter(entries)), possible, self.verdict_of_all
            ),
        }

    def check_beside(self, record: Record, data: str | None) -> None:
        """Check the record without a declared rule in the same way."""
        self.errors += rule_claims.check_without(self.record, record)
        answer = Checker(record).check(data)
        notes = self.errors if answer.status == 1 else self.undecided
        notes += [f"rules.without.record: {note}" for note in answer.notes]

    def leave_open(self, field: str, why: str) -> None:
        """Note that a field was neither confirmed nor refuted."""
        self.undecided.append(f"{field}: {why}")
        self.stated[field] = why


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

"""Checks a certificate by the stand-alone checker, and with data reproduces the audit.

The checker derives a record again from its own numbers, or from one plain CSV file. The engine
reads whatever data evenhand reads, judges them with the recorded question and graph, and
reproduces the record. The two must be equal except for the estimates: these are floats, written
with twelve digits, of which another machine may round the last one differently. A graph that
was learned from these rows is learned again, and the answer is found again. Another version may
learn and answer differently: what differs there is left open.
"""

import gc
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from itertools import product, zip_longest
from math import isclose
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evenhand.counts import CountTable
from evenhand.display import ProgressCallback
from evenhand.effects.measure import measure_examined
from evenhand.errors import (
    ColumnError,
    EvenhandError,
    InputError,
    MissingValueError,
    Spelling,
    UnplacedError,
    ValuesError,
    words_only,
)
from evenhand.evidence.answer import answer_of
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.certificate_record import full_record, shared_record
from evenhand.evidence.certification import certify, with_indirect
from evenhand.evidence.graph_origin import (
    GraphOrigin,
    learned_again,
    told_before,
)
from evenhand.evidence.implied_independences import doubt
from evenhand.evidence.release_provenance import ReleaseStatement
from evenhand.graph import PartialGraph, graph_of_edges
from evenhand.question import REST, Codings, Knowledge, Question
from evenhand.record import BLOCK, ROUNDING, Table
from evenhand.record.checker_process import ask_checker, can_read
from evenhand.rows import Rows, read
from evenhand.rows.file_sources import is_spreadsheet
from evenhand.rows.finer_classes import finer_counts

Outcome: TypeAlias = Literal["verified", "refuted", "open", "stated"]

_OWN = "its own numbers"
_LARGEST = 1_000_000_000
_OTHER_DATA = (ColumnError, ValuesError, MissingValueError)  # readable, but not what is named
_RECORD = {
    0: "Certificate verified",
    1: "Certificate refuted",
    3: "Certificate neither verified nor refuted; it says",
}
_BESIDE = "rules.without.record"
# The inputs of the reproduced audit, which no data show. Everything else that the checker took
# as stated is derived again.
_INPUTS = re.compile(
    r"question|codings|guesses|graph(\.origin(\.unedited)?)?|scope\.asked|versions|release(\..*)?"
    r"|rules\.(declared|without)|answer\.knowledge|variants\..*"
    r"|withheld\.least_count|indirect\.graphs\.potentials"
)
_ESTIMATES = re.compile(
    r"(rules\.without\.record\.)?(population|indirect\.standard_errors"
    r"|partitions\[\d+\]\.subpopulations\.by_chance)\..*"
    r"|answer\.(detectable|hidden_cause\..*)"
)
# So exactly two estimates agree: of the answer less, as some are found by steps.
_AGREE, _ANSWERS_AGREE = 1.01e-11, 1e-8
_LEARNED, _ANSWERED = "graph: learned again ", "answer"
_NO_CLASSES = "answer: it was not judged in other classes, in which these rows give another one"
_ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRecord:
    """What the checker says of a certificate, and with data the engine besides.

    ``verdicts`` are by the attributes of each claim, the direct effect under ``()``.
    ``by_checker`` and ``by_engine`` are what each holds to be false or cannot decide;
    ``stated`` is what neither checked, and ``by_engine_alone`` what the checker did not.
    """

    status: int
    verdicts: Mapping[tuple[str, ...], str]
    against: str
    checker_read_data: bool
    by_checker: tuple[str, ...]
    by_engine: tuple[str, ...]
    stated: Mapping[str, str]
    by_engine_alone: tuple[str, ...]
    fields: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Whether the certificate is verified, and what it says."""
        told = "; ".join(
            f"{through(names)}: {verdict}" if names else verdict
            for names, verdict in self.verdicts.items()
        )
        if self.status != 1:
            return f"{_RECORD[self.status]}: {told or 'no verdict'}"
        other = "its own numbers" if self.against == _OWN else "the data"
        said = f"it says {told}" if told else "it holds no verdict"
        return f"{_RECORD[self.status]}: {said}, and does not agree with {other}"

    @property
    def objections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """By program, what it objects to."""
        return ("checker", self.by_checker), ("engine", self.by_engine)

    @property
    def checks(self) -> tuple["FieldCheck", ...]:
        """Field by field what came of it; none where an objection is to no single field."""
        # The field that each objection is about.
        objections = (one for _, many in self.objections for one in many)
        places = [re.split(r"[.:\[]", one, maxsplit=1)[0] for one in objections]
        if self.status == 1 and not {*places} <= {*self.fields}:
            return ()
        doubted: Outcome = "refuted" if self.status == 1 else "open"
        return tuple(
            FieldCheck(
                name=name,
                outcome=doubted
                if name in places
                else "stated"
                if name in self.stated
                else "verified",
                objections=places.count(name),
                why=self.stated.get(name, ""),
                by_engine_alone=name in self.by_engine_alone,
            )
            for name in self.fields
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCheck:
    """One field of a record: verified or refuted, open, or only stated."""

    name: str
    outcome: Outcome
    objections: int
    why: str
    by_engine_alone: bool


def through(names: tuple[str, ...]) -> str:
    """The claim about effects through these attributes, in words."""
    return f"through {', '.join(names)}"


def check_file(path: Path) -> None:
    """Refuse a file that is no JSON object, or a manifest."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError.of("This is too large for a certificate.", where=str(path))
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of(
            f"The certificate cannot be read: {error}.",
            remedy="Name a file that evenhand wrote as a certificate.",
            where=str(path),
        ) from error
    if not text.lstrip().startswith("{"):
        raise InputError.of(
            "This is no certificate, which is one JSON object.",
            remedy="Give the certificate first, and the data after it.",
            where=str(path),
        )
    # Nothing is parsed of a text without that name: a large certificate takes seconds.
    content: object = None
    if "evenhand manifest " in text or "\\u" in text:
        with suppress(ValueError, RecursionError):
            content = json.loads(text)
    if isinstance(content, dict) and "evenhand manifest " in str(content.get("format")):
        raise InputError.of(
            "This is the manifest of a release, not its certificate.",
            remedy="Check the certificate; to reproduce the release, release again with the "
            "seed in this manifest.",
            where=str(path),
        )


def check_record(
    path: Path,
    data: str | None = None,
    *,
    sheet: str | None = None,
    spelling: Spelling = words_only,
    progress: ProgressCallback | None = None,
) -> CheckedRecord:
    """Check the file of a certificate, from its own numbers or against data.

    What the checker calls false is false, and what it could not begin to check stays open; else
    the data settle what it leaves open.
    """
    check_file(path)
    reads_data = can_read(data)
    found = ask_checker(path, data if reads_data else None, progress)
    status, left, wrong = found.status, tuple(found.notes), tuple[str, ...]()
    stated = found.stated if found.status != 1 else {}
    if data is not None and stated:
        recorded = RecordedCertificate.parse(path.read_text("utf-8"))
        status, wrong = _reproduce(recorded, data, sheet, spelling, progress)
        stated = {name: why for name, why in stated.items() if recorded.is_input(name)}
        left = left if status == found.status else ()
        stated = {} if status == 1 else stated
    return CheckedRecord(
        status=status,
        verdicts={tuple(names): verdict for names, verdict in found.verdicts},
        against=data or _OWN,
        checker_read_data=reads_data,
        by_checker=left,
        by_engine=wrong,
        stated=stated,
        by_engine_alone=tuple(name for name in found.stated if name not in stated)
        if status != 1
        else (),
        fields=tuple(found.fields),
    )


def _reproduce(
    recorded: "RecordedCertificate",
    data: str,
    sheet: str | None,
    spelling: Spelling,
    progress: ProgressCallback | None,
) -> tuple[int, tuple[str, ...]]:
    """The status that the data give, and where the engine disagrees.

    Data that cannot be read are bad input, unless they lack columns and values that are named.
    Only a spreadsheet has its sheet.
    """
    codings = None
    try:
        codings = recorded.codings
        if sheet is None and is_spreadsheet(data):
            sheet = codings.sheet
        rows = read(data, codings=replace(codings, sheet=sheet), progress=progress)
        wrong = recorded.differences(
            rows.count(), dropped=rows.dropped, rows=rows, progress=progress
        )
        if wrong and recorded.leaves_open(wrong):
            return 3, wrong
    except EvenhandError as error:
        if codings is not None and not isinstance(error, _OTHER_DATA):
            raise
        texts = tuple(problem.text(spelling) for problem in error.problems)
        return 3 if isinstance(error, UnplacedError) else 1, texts
    return 1 if wrong else 0, wrong


@dataclass(frozen=True, eq=False, repr=False)
class RecordedCertificate:
    """What a record says of how it was made: the inputs that reproduce it."""

    content: dict[str, Any]

    @classmethod
    def parse(cls, text: str) -> "RecordedCertificate":
        """Parse the JSON text of a record, which the checker has found to be one."""
        is_collecting = gc.isenabled()
        gc.disable()  # a million lines are no garbage, and looking for it takes longer
        try:
            content = json.loads(text)
        finally:
            if is_collecting:
                gc.enable()
        _encode_tables(content)
        return cls(content)

    @property
    def question(self) -> Question:
        """The question as it was asked."""
        content = self.content
        fields: dict[str, Any] = {**content["question"], "rule": content["rules"]["declared"]}
        for derived in ("groups", "decisions", "min_coverage"):
            del fields[derived]
        return Question(**fields | ({"other": REST} if content["pooled"]["other"] else {}))

    @property
    def codings(self) -> Codings:
        """How the columns are to be read."""
        return Codings.of(**self.content["codings"])

    @property
    def graph(self) -> PartialGraph:
        """The graph, with the doubts that remained when it was learned."""
        return graph_of_edges(self.content["graph"]["nodes"], self.content["graph"])

    @property
    def origin(self) -> GraphOrigin:
        """Where the graph came from."""
        return GraphOrigin.parse(self.content["graph"]["origin"])

    @property
    def release(self) -> ReleaseStatement | None:
        """What was changed in the rows, if they are a release."""
        if "release" not in self.content:
            return None
        return ReleaseStatement.parse(self.content["release"], self.content["question"])

    @property
    def is_shared(self) -> bool:
        """Whether this is a copy for others."""
        return bool(self.content["copy"] == "shared")

    def is_input(self, field: str) -> bool:
        """Whether the reproduced audit takes a field from the record."""
        # All that was asked for is found again; how much a limit left out is not told.
        is_limited = self.is_shared or not self.content["scope"]["complete"]
        name = field.removeprefix(f"{_BESIDE}.")
        return bool(_INPUTS.fullmatch(name)) or (name == "scope.complete" and is_limited)

    def leaves_open(self, found: tuple[str, ...]) -> bool:
        """Whether what differs may be right all the same: as another version gives it."""
        if found == (_NO_CLASSES,):
            return True
        is_other = self.content["versions"]["evenhand"] != version("evenhand")
        return is_other and all(one.startswith((_LEARNED, _ANSWERED)) for one in found)

    def differences(
        self,
        counts: CountTable,
        *,
        dropped: int = 0,
        rows: Rows | None = None,
        progress: ProgressCallback | None = None,
    ) -> tuple[str, ...]:
        """Every place in which the counts give another record.

        ``rows`` are what was counted: the answer hangs on numbers in other classes, too.
        """
        try:
            certificate = self.judge(counts, dropped)
            right = self.record_of(certificate, counts, dropped)
            graph, another = learned_again(
                counts, self._edited_graph, self.origin, self.question, progress=progress
            )
            other = [f"graph: {another}"] if another else []
            if "answer" in self.content:
                right["answer"], unread = self._answered_again(certificate, rows, graph)
                other += unread
            return (*differences(self.content, right), *other)
        except _OTHER_DATA:
            raise
        except EvenhandError as error:
            return tuple(problem.text(words_only) for problem in error.problems)

    def record_of(
        self, certificate: Certificate, counts: CountTable, dropped: int
    ) -> dict[str, Any]:
        """The reproduced record; program and seal, which is checked, are taken over."""
        content = self.content
        if content["copy"] == "shared":
            least_count = content["withheld"]["least_count"]
            right = shared_record(certificate, least_count=least_count)
        else:
            right = full_record(certificate)
            if (beside := self._without_rule) is not None:
                right["rules"]["without"]["record"] = beside.record_of(
                    beside.judge(counts, dropped), counts, dropped
                )
        return right | {"versions": content["versions"], "seal": content["seal"]}

    def _answered_again(
        self, certificate: Certificate, rows: Rows | None, learned: PartialGraph
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The answer that the rows give, by the recorded graph and what was known.

        A graph that was read from a file does not tell what separates its nodes; one that was
        learned does. Rows that could be read only once were not judged in other classes: where
        that makes the difference, it is left open.
        """
        written = self.content["answer"]
        known = told_before(self.origin, certificate.question.decision)
        if "knowledge" in written:
            known = Knowledge(**written["knowledge"])
        examined, question = certificate.examined.counts, certificate.question
        doubted = doubt(examined, learned, question, knowledge=known)
        finer = None
        if rows is not None and not certificate.is_determined:
            finer = finer_counts(rows, certificate.partition.names, self.question)
        graphs = [learned, self._edited_graph] if learned.record else [learned]
        unread = [None] if finer and "classes" not in written["variations"] else []
        first = None
        for classes, graph in product([finer, *unread], graphs):
            judged = replace(certificate, graph=graph)
            found = answer_of(judged, known, doubted, classes).to_record(known)
            if not any(differences(written, found, _ANSWERED)):
                return found, (_NO_CLASSES,) if classes is not finer else ()
            first = first or found
        return first or {}, ()

    @property
    def _edited_graph(self) -> PartialGraph:
        return replace(self.graph, edits=self.origin.edits)

    def judge(self, counts: CountTable, dropped: int) -> Certificate:
        """Judge counts by the recorded question and graph."""
        content, question = self.content, self.question
        judged = partial(
            certify,
            counts,
            min_coverage=content["question"]["min_coverage"],
            codings=self.codings,
            dropped=dropped,
            released=self.release is not None,
        )
        origin = self.origin
        before = origin.unedited
        if before and "verdict" in before:
            graph = graph_of_edges(self.graph.nodes, before)
            unedited = judged(graph, question.direct).as_unedited
            origin = replace(origin, unedited=unedited)
        asked, complete = content["scope"]["asked"], content["scope"]["complete"]
        roles = [entry["role"] for entry in content["partitions"]]
        certificate = judged(
            self.graph,
            question,
            scope="causes" if self.is_shared else asked,
            limit=roles.count("block set"),
            graph_origin=origin,
        )
        if proofs := self._potentials:
            measure = partial(measure_examined, potentials=proofs)
            certificate = with_indirect(
                certificate, lambda new: measure(new.examined, new.graph)
            )
        guesses = content.get("guesses", {})
        certificate = replace(certificate, release=self.release, guesses=guesses)
        if content["copy"] == "shared":
            return replace(certificate, scope=asked, complete=complete)
        beside, tried = self._without_rule, content["variants"]
        without = beside.judge(counts, dropped) if beside else None
        return replace(certificate, without_rule=without, tried=tried)

    @property
    def _without_rule(self) -> "RecordedCertificate | None":
        """The record that stands beside one under a declared rule."""
        if self.content["copy"] == "shared" or "without" not in self.content["rules"]:
            return None
        return RecordedCertificate(self.content["rules"]["without"]["record"])

    @property
    def _potentials(self) -> list[dict[str, Any]]:
        """What proves the bounds in each graph: others may prove the same."""
        if self.content["copy"] == "shared" or "indirect" not in self.content:
            return []
        return [
            {
                at: tuple(tuple(tuple(map(Fraction, one)) for one in kind) for kind in proof)
                for at, proof in graph.get("potentials", {}).items()
            }
            for graph in self.content["indirect"].get("graphs", ())
        ]


def _encode_tables(content: Mapping[str, Any]) -> None:
    """Keep the tables as text, also those of a record within: they take a sixth of memory."""
    for entry in content["partitions"]:
        entry["table"] = Table.of(entry["table"])
    if "without" in content["rules"]:
        _encode_tables(content["rules"]["without"]["record"])


def differences(written: object, right: object, where: str = "") -> Iterator[str]:
    """The innermost places in which a record differs from the reproduced one.

    >>> print(*differences({"rows": 1, "p": "0.5"}, {"rows": True}), sep="; ")
    rows: it says 1, the counts say True; p: it says '0.5', which has no place there
    """
    if isinstance(written, Table) and isinstance(right, Table):
        yield from _table_differences(written, right, where)
    elif isinstance(written, dict) and isinstance(right, dict):
        for name in {**written, **right}:
            first, second = (content.get(name, _ABSENT) for content in (written, right))
            yield from differences(first, second, f"{where}.{name}".lstrip("."))
    elif isinstance(written, list) and isinstance(right, list) and len(written) == len(right):
        for at, (first, second) in enumerate(zip(written, right, strict=True)):
            yield from differences(first, second, f"{where}[{at}]")
    elif written is _ABSENT:
        yield f"{where}: it is not there, the counts say {right!r:.300}"
    elif right is _ABSENT:
        yield f"{where}: it says {written!r:.300}, which has no place there"
    elif type(written) is not type(right) or not (
        written == right or _is_same_estimate(where, written, right)
    ):
        yield f"{where}: it says {written!r:.300}, the counts say {right!r:.300}"


def _table_differences(written: Table, right: Table, where: str) -> Iterator[str]:
    """The same of tables: only blocks that differ become plain values, as all are 300 MB."""
    pairs = zip_longest(written.blocks, right.blocks, fillvalue=b"")
    for at, (first, second) in enumerate(pairs):
        if first == second:
            continue
        own, new = (json.loads(b"[%b]" % block) for block in (first, second))
        if len(own) != len(new):
            yield f"{where}: it has other lines than the counts give"
            return
        for line, (one, other) in enumerate(zip(own, new, strict=True), at * BLOCK):
            yield from differences(one, other, f"{where}[{line}]")


def _is_same_estimate(where: str, written: object, right: object) -> bool:
    """Whether two texts are one estimate, up to a unit of the twelfth digit.

    Only the spelling with twelve digits at most, and no zeros at the end, is one.

    >>> _is_same_estimate("population.p", "1.23456789012e-40", "1.23456789013e-40")
    True
    >>> _is_same_estimate("population.p", "1.23456789012e-40", "1.23456789015e-40")
    False
    """
    if not _ESTIMATES.fullmatch(where) or not isinstance(written, str):
        return False
    try:
        first, second = float(written), float(str(right))
    except ValueError:
        return False
    is_p = where.rpartition(".")[2].startswith("p")
    agree = _ANSWERS_AGREE if where.startswith(_ANSWERED) else _AGREE
    return f"{first:.12g}" == written and isclose(
        first, second, rel_tol=agree, abs_tol=0 if is_p else ROUNDING
    )

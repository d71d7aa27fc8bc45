"""A certificate that was written: what it says, and whether it would be written again.

One law decides: ``certify``, given the counts and what the document says was asked, writes the
same document. Without counts these are taken from the document's own tables.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from graphlib import TopologicalSorter
from itertools import pairwise
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts, examined_counts
from evenhand.errors import EvenhandError, InputError, Problem, words_only
from evenhand.evidence import certificate_document
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.certificate_schema import misfits
from evenhand.evidence.certification import certify_divided
from evenhand.evidence.partition import Partition
from evenhand.evidence.verdict import Verdict
from evenhand.graph.partial_graph import DiscoveryRecord, PartialGraph
from evenhand.question import Codings, Question
from evenhand.question.question import REST

_MOST_ROWS = 2**62
# Who wrote the document with which version, and what a release changed, no counts can tell.
_NOT_DERIVED = ("versions", "release", "seal", "assumptions")


@dataclass(frozen=True, eq=False, repr=False)
class RecordedCertificate:
    """The content of a certificate document, which has the form of one."""

    content: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str, *, where: str = "certificate") -> "RecordedCertificate":
        """Read the text of a document."""
        try:
            content = json.loads(text)
            known = content["format"] == certificate_document.FORMAT
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise InputError(
                Problem(f"This is no certificate: {error}.", where=where)
            ) from error
        if not known:
            raise InputError(
                Problem(
                    f"The format {content['format']!r} is not known here.",
                    remedy=f"This version reads {certificate_document.FORMAT!r}; "
                    "use a later one.",
                    where=where,
                )
            )
        problems = [
            Problem(f"This is no certificate: {place}.", where=where)
            for place in misfits(content)
        ]
        if problems:
            raise InputError(*problems)
        return cls(content)

    @property
    def verdict(self) -> Verdict:
        """The verdict as written."""
        return Verdict(self.content["verdict"])

    @property
    def question(self) -> Question:
        """The question as it was asked."""
        asked = dict(self.content["question"])
        del asked["unfavorable"], asked["min_coverage"]
        if self.content["pooled"]["other"]:
            asked["other"] = REST
        return Question(**asked)

    @property
    def codings(self) -> Codings:
        """How the columns are to be read."""
        return Codings.of(**self.content["codings"])

    @property
    def graph(self) -> PartialGraph:
        """The graph, with the doubts that remained when it was learned."""
        drawn = self.content["graph"]
        doubts = tuple((a, centre, b) for a, centre, b in drawn["doubtful"])
        record = DiscoveryRecord(algorithm="", test="", significance=0, ambiguous=doubts)
        return PartialGraph(drawn["nodes"], drawn["arrows"], drawn["undirected"], record)

    def differences(self, counts: CountTable, *, dropped: int = 0) -> tuple[str, ...]:
        """Every place where the counts make another document than this."""

        def certified() -> Certificate:
            examined = examined_counts(counts, self.question)
            self.graph.check(counts.names, self.question)
            return self._certified(examined, partial(Partition.of, examined), dropped)

        return self._compared(certified)

    def own_differences(self) -> tuple[str, ...]:
        """Every place where a full document's own tables make another document."""
        if self.content["copy"] != "full":
            return ()

        def certified() -> Certificate:
            entries = {tuple(entry["names"]): entry for entry in self.content["partitions"]}
            first = next(iter(entries.values()))

            def divided(names: tuple[str, ...]) -> Partition:
                if names not in entries:
                    raise InputError(Problem(f"partitions: {list(names)} is not among them."))
                return Partition.of(self._examined(entries[names]), names)

            self.graph.check(question=self.question)
            return self._certified(
                self._examined(first), divided, self.content["rows"]["dropped"]
            )

        return self._compared(certified)

    def _certified(
        self,
        examined: ExaminedCounts,
        divide: Callable[[tuple[str, ...]], Partition],
        dropped: int,
    ) -> Certificate:
        """What is certified today if the same is asked."""
        content = self.content
        roles = [entry["role"] for entry in content["partitions"]]
        return certify_divided(
            examined,
            divide,
            self.graph,
            pools_others=content["pooled"]["other"],
            scope=content["scope"]["asked"],
            limit=roles.count("block set"),
            min_coverage=content["question"]["min_coverage"],
            graph_origin=content["graph"]["origin"],
            codings=self.codings,
            dropped=dropped,
        )

    def _compared(self, certified: Callable[[], Certificate]) -> tuple[str, ...]:
        try:
            return tuple(self._differences(certified()))
        except EvenhandError as error:
            return tuple(problem.text(words_only) for problem in error.problems)

    def _differences(self, found: Certificate) -> Iterator[str]:
        content = dict(self.content)
        if content["copy"] == "full":
            right = found.full_document()
        else:
            least_count = content["withheld"]["least_count"]
            right = found.shared_document(least_count=least_count)
        yield from _different("", _derived(content), _derived(right))
        for sentence in right["assumptions"]:
            if sentence not in content["assumptions"]:
                yield f"assumptions: {sentence!r} is not among them"
        notice = content.get("release", {}).get("notice")
        if notice is not None and notice not in content["assumptions"]:
            yield "assumptions: that this is a release is not among them"
        del content["seal"]
        yield from _different(
            "seal", self.content["seal"], certificate_document.with_seal(content)["seal"]
        )

    def _examined(self, entry: Mapping[str, Any]) -> ExaminedCounts:
        """The counts that a partition's table holds, as they were compared."""
        asked, pooled = self.content["question"], self.content["pooled"]
        other = f"not {asked['group']}" if pooled["other"] else asked["other"]
        decisions = [asked["favorable"], asked["unfavorable"]]
        if pooled["unfavorable"]:
            decisions.append(f"not {asked['unfavorable']}")  # one more, of which no row is left
        values, codes, cells = _coded(entry)
        cell = np.tile(np.arange(4), len(cells))
        counts = CountTable.build(
            [
                *map(Attribute, entry["names"], values),
                Attribute(asked["protected"], (asked["group"], other)),
                Attribute(asked["decision"], tuple(decisions)),
            ],
            [*(np.repeat(column, 4) for column in codes), cell // 2, cell % 2],
            np.array(cells, np.int64).ravel(),
        )
        return ExaminedCounts(
            counts=counts,
            question=replace(self.question, other=other),
            left_out=0 if pooled["other"] else self.content["rows"]["left_out"],
        )


def _derived(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in _NOT_DERIVED}


def _coded(
    entry: Mapping[str, Any],
) -> tuple[list[tuple[str, ...]], list[NDArray[np.int64]], list[list[int]]]:
    """A table as values of each name in their order, the codes of each name, and counts.

    Lines are sorted by values; in which order these stand, only the lines tell.
    """
    names, table = entry["names"], entry["table"]
    kinds = [str] * len(names) + [int] * 4
    if any([*map(type, line[:-1])] != kinds for line in table):
        raise InputError(Problem(f"The table of {names} has a line without four counts."))
    lines, cells = [line[:-5] for line in table], [line[-5:-1] for line in table]
    if sum(map(sum, cells)) > _MOST_ROWS:
        raise InputError(Problem(f"The table of {names} has too many rows."))
    orders = [TopologicalSorter({line[at]: () for line in lines}) for at in range(len(names))]
    try:
        for line, following in pairwise(lines):
            at = [a == b for a, b in zip(line, following, strict=True)].index(False)
            orders[at].add(following[at], line[at])
        values = [tuple(order.static_order()) for order in orders]
    except ValueError as error:  # no difference, or a cycle
        raise InputError(
            Problem(f"The lines of the table of {names} are not sorted.")
        ) from error
    codes = [
        np.array([order.index(line[at]) for line in lines], np.int64)
        for at, order in enumerate(values)
    ]
    return values, codes, cells


def _near(written: object, right: object) -> bool:
    """Whether two estimates are one, computed by different machines."""
    try:
        return isclose(float(str(written)), float(str(right)), rel_tol=1e-4, abs_tol=1e-9)
    except ValueError:
        return False


def _different(where: str, written: object, right: object) -> Iterator[str]:
    """The innermost places in which two documents differ."""
    if written == right or (where.startswith("population.") and _near(written, right)):
        return
    if isinstance(written, Mapping) and isinstance(right, Mapping):
        for name in {**written, **right}:
            place = f"{where}.{name}".lstrip(".")
            yield from _different(place, written.get(name), right.get(name))
    elif isinstance(written, list) and isinstance(right, list) and len(written) == len(right):
        for at, pair in enumerate(zip(written, right, strict=True)):
            yield from _different(f"{where}[{at}]", *pair)
    else:
        yield f"{where}: it says {written!r:.300}, the counts say {right!r:.300}"

"""A certificate that was written: what it says, and whether counts agree with it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from evenhand.counts import CountTable, pose
from evenhand.errors import EvenhandError, InputError, Problem
from evenhand.evidence import document
from evenhand.evidence.partition import Partition
from evenhand.evidence.verdict import Verdict
from evenhand.question import Codings, Question
from evenhand.question.question import REST


@dataclass(frozen=True, eq=False, repr=False)
class RecordedCertificate:
    """The content of a certificate document, as it stands there.

    Its arithmetic is the stand-alone checker's matter; here it meets counts of any source.
    """

    content: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str, *, where: str = "certificate") -> "RecordedCertificate":
        """Read the text of a document."""
        try:
            content = json.loads(text)
            known = content["format"] == document.FORMAT
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise InputError(
                Problem(f"This is no certificate: {error}.", where=where)
            ) from error
        if not known:
            raise InputError(
                Problem(
                    f"The format {content['format']!r} is not known here.",
                    remedy=f"This version reads {document.FORMAT!r}; use a later one.",
                    where=where,
                )
            )
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

    def differences(self, counts: CountTable, *, dropped: int = 0) -> tuple[str, ...]:
        """Every place where the counts say something else than the document."""
        try:
            return tuple(self._differences(counts, dropped))
        except EvenhandError as error:
            return tuple(map(str, error.problems))

    def own_differences(self) -> tuple[str, ...]:
        """Every place where a full document's tables say something else than the rest of it."""
        if self.content["copy"] != "full":
            return ()
        try:
            return tuple(self._own_differences())
        except (EvenhandError, LookupError, TypeError, ValueError) as error:
            return (f"malformed: {error}",)

    def _own_differences(self) -> Iterator[str]:
        asked = self.content["question"]
        least = Fraction(asked["min_coverage"])
        question = replace(self.question, other=asked["other"])
        for at, entry in enumerate(self.content["partitions"]):
            posed = pose(_counts_in(entry, asked), question)
            partition = Partition.of(posed, entry["names"])
            right = {"verdict": str(partition.verdict(least))}
            for name, value in (right | document.counted(posed, partition)).items():
                yield from _compared(f"partitions[{at}].{name}", entry.get(name), value)

    def _differences(self, counts: CountTable, dropped: int) -> Iterator[str]:
        content = self.content
        posed = pose(counts, self.question)
        rows = {
            "read": counts.rows + dropped,
            "dropped": dropped,
            "left_out": posed.left_out,
            "examined": posed.counts.rows,
        }
        yield from _compared("rows", content.get("rows", rows), rows)
        least = Fraction(content["question"]["min_coverage"])
        for at, entry in enumerate(content["partitions"]):
            partition, where = Partition.of(posed, entry["names"]), f"partitions[{at}]"
            right: dict[str, Any] = {"verdict": str(partition.verdict(least))}
            if content["copy"] == "full":
                right |= document.counted(posed, partition)
            elif "table" in entry:
                hidden = content["withheld"]
                shown, withheld = document.withholding(partition, hidden["least_count"])
                yield from _compared("withheld", hidden, withheld)
                right |= {"table": shown}
            for name, value in right.items():
                yield from _compared(f"{where}.{name}", entry.get(name), value)


def _counts_in(entry: Mapping[str, Any], asked: Mapping[str, str]) -> CountTable:
    """The counts that a partition's table holds."""
    names = [*entry["names"], asked["protected"], asked["decision"]]
    cells = [
        (group, decision)
        for group in (asked["group"], asked["other"])
        for decision in (asked["favorable"], asked["unfavorable"])
    ]
    lines = [
        ((*line[: len(entry["names"])], *cell), count)
        for line in entry["table"]
        for cell, count in zip(cells, line[len(entry["names"]) :], strict=False)
    ]
    columns = zip(*(labels for labels, _ in lines), strict=True)
    return CountTable.of(dict(zip(names, columns, strict=True)), [count for _, count in lines])


def _compared(where: str, written: object, right: object) -> Iterator[str]:
    """The innermost places in which two documents differ."""
    if isinstance(written, Mapping) and isinstance(right, Mapping):
        for name in {**written, **right}:
            yield from _compared(f"{where}.{name}", written.get(name), right.get(name))
    elif isinstance(written, list) and isinstance(right, list) and len(written) == len(right):
        for at, pair in enumerate(zip(written, right, strict=True)):
            yield from _compared(f"{where}[{at}]", *pair)
    elif written != right:
        yield f"{where}: it says {written!r}, the counts say {right!r}"

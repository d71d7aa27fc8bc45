"""The certificate document: canonical JSON that anyone can check without this program.

Everything in it is exact: counts are integers, shares and differences are fractions in text.
docs/certificate.md describes every field, certificate.schema.json its form.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.errors import Problem, QuestionError, Remedy, ResourceError, words_only
from evenhand.evidence.findings import Findings, Graph
from evenhand.evidence.partition import Partition
from evenhand.graph.partial_graph import PartialGraph

FORMAT = "evenhand certificate 1"

_SCOPES = {
    "causes": "Only the decision causes were examined: in rows that follow the graph exactly "
    "no other block set differs by more, but in finite data one can.",
    "minimal": "The decision causes and all minimal block sets were examined: in finite data a "
    "larger block set can still differ.",
    "all": "All block sets of the graph were examined.",
}


_ESTIMATES = (
    "These are estimates, computed in floating point and rounded. They are no part of what the "
    "checker certifies: it only sees that nobody altered them afterwards."
)


def full(found: Findings) -> dict[str, Any]:
    """The document for the owner of the data: every subpopulation, and digests."""
    document = _head(found, copy="full")
    document["reasons"] = [reason.text(words_only) for reason in found.reasons]
    document["rows"] = {
        "read": found.rows + found.examined.left_out + found.dropped,
        "dropped": found.dropped,
        "left_out": found.examined.left_out,
        "examined": found.rows,
    }
    for entry, partition in zip(document["partitions"], found.partitions, strict=True):
        entry.update(_counted(found.examined, partition))
    document["population"] |= in_text(found.population.to_dict())
    return sealed(document)


def _counted(examined: ExaminedCounts, partition: Partition) -> dict[str, Any]:
    """What a full document says of a partition beside its verdict."""
    return {
        "coverage": partition.coverage.to_dict(),
        "subpopulations": tally(partition),
        "table": table(partition, np.arange(len(partition))),
        "evidence": partition.by_strength.tolist(),
        "digest": digest(examined, partition),
    }


def shared(found: Findings, *, least_count: int = 10) -> dict[str, Any]:
    """The document for others: what it withholds cannot be computed from what it shows.

    Of the decision causes it shows the subpopulations with no cell under the least count. A
    total would give a withheld row back by subtraction, and so would a second partition of the
    same people: there are none.
    """
    document = _head(found, copy="shared")
    partition = found.partition
    shown = np.flatnonzero(np.all([cell >= least_count for cell in partition.cells], axis=0))
    hidden = len(partition) - len(shown)
    document["partitions"][0]["table"] = table(partition, shown)
    document["withheld"] = {"least_count": least_count, "subpopulations": hidden}
    return sealed(document)


def _head(found: Findings, *, copy: str) -> dict[str, Any]:
    """What both copies say."""
    question = found.question
    causes = len(found.possible_decision_causes)
    return {
        **({"release": _release(found.release, copy)} if found.release else {}),
        "format": FORMAT,
        "copy": copy,
        "versions": {"evenhand": version("evenhand")},
        "verdict": str(found.verdict),
        "population": {"notice": _ESTIMATES, "verdict": str(found.population.verdict)},
        "question": {
            **question.to_dict(),
            "unfavorable": unfavorable(found.examined),
            "min_coverage": str(found.min_coverage),
        },
        "pooled": {"other": found.pools_others, "unfavorable": _many_valued(found.examined)},
        "codings": found.codings.to_dict(),
        "graph": {
            **found.graph.to_dict(),
            "doubtful": _doubtful(found.graph),
            "origin": found.graph_origin,
        },
        "direct_arrow": found.direct_arrow,
        "decision_causes": list(found.decision_causes),
        "possible_decision_causes": [list(names) for names in found.possible_decision_causes],
        "scope": {"asked": found.scope, "complete": found.complete},
        "partitions": [
            {
                "names": list(partition.names),
                "role": "causes" if at < causes else "block set",
                "verdict": str(partition.verdict(found.min_coverage)),
            }
            for at, partition in enumerate(found.partitions)
        ],
        "assumptions": list(assumptions(found)),
    }


def _doubtful(graph: Graph) -> list[list[str]]:
    """Where a collider was neither found nor excluded, so that open edges may make one."""
    return sorted(map(list, graph.doubtful)) if isinstance(graph, PartialGraph) else []


def _release(
    release: Mapping[str, str | int | list[str]], copy: str
) -> dict[str, str | int | list[str]]:
    """What was changed for a release; how many rows, only its owner reads."""
    return {n: v for n, v in release.items() if copy == "full" or not isinstance(v, int)}


def tally(partition: Partition) -> dict[str, int]:
    """How many subpopulations occur, are measured, and reach the threshold on which side."""
    return {
        "occupied": len(partition),
        "measured": int(np.count_nonzero(partition.measured)),
        "violating": partition.violating,
        "above": int(np.count_nonzero(partition.side > 0)),
        "below": int(np.count_nonzero(partition.side < 0)),
    }


def table(partition: Partition, lines: NDArray[np.intp]) -> list[list[Any]]:
    """One line for each subpopulation: its values, its four counts, its exact difference."""
    assignments = partition.assignments
    labels = (
        np.asarray(attribute.values, object)[codes[lines]].tolist()
        for attribute, codes in zip(assignments.attributes, assignments.codes, strict=True)
    )
    counts = (column[lines].tolist() for column in partition.cells)
    differences = map(partition.risk_difference, lines.tolist())
    texts = (None if difference is None else str(difference) for difference in differences)
    return [list(line) for line in zip(*labels, *counts, texts, strict=True)]


def in_text(value: Any) -> Any:  # noqa: ANN401  # plain values of any depth
    """The same plain values, floats as six digits of text: no number here has a point.

    >>> in_text({"p": 0.0123456789, "rows": 3})
    {'p': '0.0123457', 'rows': 3}
    """
    if isinstance(value, dict):
        return {name: in_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [in_text(inner) for inner in value]
    return f"{value:.6g}" if isinstance(value, float) else value


def unfavorable(examined: ExaminedCounts) -> str:
    """The label of decisions that are not favorable, pooled where there are several."""
    favorable = examined.question.favorable
    values = examined.counts.attribute(examined.question.decision).values
    others = [value for value in values if value != favorable]
    return others[0] if len(others) == 1 else f"not {favorable}"


def _many_valued(examined: ExaminedCounts) -> bool:
    return len(examined.counts.attribute(examined.question.decision)) > 2


def digest(examined: ExaminedCounts, partition: Partition) -> str:
    """SHA-256 of the counts of protected attribute, decision and the partition's attributes.

    They are counted as they were compared: two groups, two decisions.
    """
    question, assignments = examined.question, partition.assignments
    groups = Attribute(question.protected, (question.group, str(question.other)))
    decisions = Attribute(question.decision, (question.favorable, unfavorable(examined)))
    cell = np.tile(np.arange(4), len(partition))
    return CountTable.build(
        [*assignments.attributes, groups, decisions],
        [*(np.repeat(column, 4) for column in assignments.codes), cell // 2, cell % 2],
        np.stack(partition.cells, axis=1).ravel(),
    ).digest


def assumptions(found: Findings) -> tuple[str, ...]:
    """What the verdict takes for granted, in words and without numbers."""
    question = found.question
    said = {
        "The verdict holds if the graph is right: it lacks no common cause of its attributes, "
        "and every arrow points from cause to effect.": True,
        f"The graph was {found.graph_origin}.": True,
        f"Only the direct effect of {question.protected} on {question.decision} is measured, "
        "not what works through other attributes.": True,
        "The threshold was chosen by whoever asked the question.": True,
        "The verdict describes these rows; what they tell about other people is a matter of "
        "statistics.": True,
        _SCOPES[found.scope]: found.complete,
        "Not all block sets that were asked for were examined.": not found.complete,
        "Where one of the groups is absent nothing is measured, and nothing is said.": True,
        "Certified does not mean anonymous.": True,
        f"All groups other than {question.group} were pooled.": found.pools_others,
        "Rows of groups that are not compared were left out.": found.examined.left_out > 0,
        "Rows with missing values were dropped.": found.dropped > 0,
        "All decisions that are not favorable were pooled.": _many_valued(found.examined),
    }
    return (*(sentence for sentence, applies in said.items() if applies), *found.also_assumed)


def canonical(document: dict[str, Any]) -> str:
    """The one text of a document: sorted keys, no spaces, one line."""
    return _compact(document) + "\n"


def sealed(document: dict[str, Any]) -> dict[str, Any]:
    """Add the SHA-256 of the rest, so that a slip or a careless hand shows."""
    return {**document, "seal": hashlib.sha256(_compact(document).encode()).hexdigest()}


def _compact(document: dict[str, Any]) -> str:
    return json.dumps(
        document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )


def write(path: str | Path, text: str, *, mode: int, overwrite: bool) -> Path:
    """Write a file that appears whole under its name, or not at all.

    A file that is there already may be somebody's evidence: it is replaced only if that is
    allowed.
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        unfinished = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            unfinished.chmod(mode)
            if overwrite:
                unfinished.replace(path)
            else:
                _give_free_name(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise ResourceError(
            Problem(
                f"This file cannot be written: {error.strerror or error}.",
                remedy="Name a file in a folder that exists and may be written to.",
                where=str(path),
            )
        ) from error
    return path


def _give_free_name(unfinished: Path, path: Path) -> None:
    """Name the file if the name is free, in one step: of two writers only one succeeds."""
    try:
        _link(unfinished, path)
    except FileExistsError as error:
        if path.is_dir():
            raise
        raise QuestionError(exists(path)) from error


def exists(path: Path) -> Problem:
    """What is said of a name that is taken."""
    return Problem(
        "This file exists.",
        remedy=(
            Remedy("Choose another name"),
            Remedy("allow to overwrite it", "overwrite", value=True),
        ),
        where=str(path),
    )


def _link(unfinished: Path, path: Path) -> None:
    try:
        path.hardlink_to(unfinished)
    except FileExistsError:
        raise
    except OSError:  # some disks have no links: there an empty file holds the name first
        path.touch(exist_ok=False)
        unfinished.replace(path)

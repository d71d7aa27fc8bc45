"""What can be written into a column: values that are stored there already, and no others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.errors import CannotReleaseError, InputError, Problem, Remedy, listed
from evenhand.question.codings import MISSING
from evenhand.removal import Plan
from evenhand.rows import Rows
from evenhand.rows.arrow_arrays import as_arrow
from evenhand.rows.value_labels import distinct, texts


@dataclass(frozen=True, slots=True)
class Stored:
    """For each label the first value that was met with it, and the row in which it stood."""

    places: Mapping[str, int]
    values: pa.Array
    rows: NDArray[np.int64]


def changed_columns(plan: Plan) -> tuple[str, ...]:
    """The columns in which a plan changes values."""
    moved = dict.fromkeys(name for move in plan.moves for name in move.becomes)
    drawn = dict.fromkeys(table.node.name for table in plan.redrawn) if moved else {}
    return tuple(moved | drawn)


def stored_values(rows: Rows, plan: Plan) -> dict[str, Stored]:
    """The values that a plan may write, by column."""
    names = changed_columns(plan)
    coded = [name for name in names if rows.codings.is_coded(name)]
    if coded:
        raise CannotReleaseError(
            Problem(
                f"The plan changes {listed(coded)}, counted in classes or merged values.",
                "There is no single stored value that a class could be written as.",
                "Leave out the coding, or use modify-data, which changes decisions alone.",
            )
        )
    labels = {name: _labels(plan, name) for name in names}
    if plan.pooled in labels.get(plan.question.protected, ()):
        raise CannotReleaseError(
            Problem(
                f"The plan changes {plan.question.protected!r}, whose other groups are pooled.",
                f"{plan.pooled!r} is no stored value.",
                Remedy("Name the other group", "other"),
            )
        )
    return {name: _first_of_each(rows, name, labels[name]) for name in names}


def rows_differ(where: str, found: str) -> InputError:
    """The rows at hand are not those that were counted."""
    return InputError(
        Problem(
            "The rows are not those that were counted.",
            found,
            "They changed in between, or belong to another audit: audit them again.",
            where,
        )
    )


def _labels(plan: Plan, name: str) -> frozenset[str]:
    """The labels that a plan may write into a column."""
    moved = {move.becomes[name] for move in plan.moves if name in move.becomes}
    drawn = {
        value
        for table in plan.redrawn
        if table.node.name == name
        for value, count in zip(table.node.values, _totals(table.counts), strict=True)
        if count
    }
    return frozenset(moved | drawn)


def _totals(counts: NDArray[np.int64]) -> list[int]:
    totals: list[int] = counts.reshape(-1, counts.shape[-1]).sum(axis=0).tolist()
    return totals


def _first_of_each(rows: Rows, name: str, labels: frozenset[str]) -> Stored:
    """Read the column until each label was met."""
    met: dict[str, tuple[pa.Array, int]] = {}
    for label, value, row in _first_values(rows, name):
        if label in labels:
            met.setdefault(label, (value, row))
            if len(met) == len(labels):
                break
    if len(met) < len(labels):
        absent = sorted(labels - met.keys())
        raise rows_differ(rows.source, f"No {name!r} is {listed(absent)}.")
    return Stored(
        {label: place for place, label in enumerate(met)},
        pa.concat_arrays([value for value, _ in met.values()]),
        np.array([row for _, row in met.values()], np.int64),
    )


def _first_values(rows: Rows, name: str) -> Iterator[tuple[str, pa.Array, int]]:
    """The label of every distinct value in each batch, the value, and its first row there."""
    begin = 0
    for part in rows.parts:
        for batch in part.open([name], coded=True):
            values, indices = distinct(batch.column(name))
            occurring, first = np.unique(indices, return_index=True)
            present = values.take(as_arrow(occurring.astype(np.int64)))
            labels = texts(present, na=rows.codings.na).to_pylist()
            for at in np.argsort(first).tolist():
                label = MISSING if labels[at] is None else labels[at]
                yield label, present.slice(at, 1), begin + int(first[at])
            begin += batch.num_rows

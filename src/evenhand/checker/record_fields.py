"""Reads a certificate's text, and says which fields it may have."""

import json
import re
from decimal import Decimal
from typing import Any

FORMAT = "evenhand certificate 2"
UNPUBLISHED = "evenhand certificate 1"
# Errors that a record or data of the wrong form raise while they are checked.
MALFORMED = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError)
Record = dict[str, Any]

# Of the question: what only effects along paths are asked about with.
PATH_FIELDS = ("redlining", "explained", "redlining_threshold", "basis")
# The parts of a record that are taken from it, and the fields that each of them may have.
_INPUTS = {
    "question": "protected group other decision favorable threshold criterion order min_rows "
    f"groups decisions min_coverage predicts {' '.join(PATH_FIELDS)}",
    "pooled": "other unfavorable",
    "codings": "bins columns delimiter frequency merge missing na sheet",
    "graph": "nodes arrows undirected doubtful origin",
    "versions": "evenhand",
    "release": "notice change method policy seed_commitment changed_columns can_change "
    "dropped_columns changed_rows dropped_before left_out_before",
}
_ORIGIN = "kind rows algorithm test significance decision_last"
_HALF = re.compile(r"\\u[dD]")  # an escape of half a character, or of another
_OPTIONAL = ("question", "codings", "release")


class UnknownFormatError(Exception):
    """The record is of a format that this program does not read."""


def parse(text: str) -> Record:
    """The record, if it has the format that is known here."""
    record: Record = json.loads(text, object_pairs_hook=_unique_names, parse_float=Decimal)
    try:
        # Without an escape of one the text itself tells.
        whole = (
            json.dumps(record, ensure_ascii=False, default=str) if _HALF.search(text) else text
        )
        whole.encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a character, a lone surrogate") from error
    found = record["format"]
    if found == UNPUBLISHED:
        raise UnknownFormatError(
            f"format: {UNPUBLISHED!r} was never published; make the certificate anew"
        )
    if found != FORMAT:
        raise UnknownFormatError(f"format: {found!r} is not known here")
    for name, classes in record["codings"].get("bins", {}).items():
        if type(classes) is int:
            raise UnknownFormatError(
                f"codings.bins.{name}: {classes} is a number of classes, and does not say which"
            )
    return record


def inputs(record: Record) -> Record:
    """The fields that are not derived, without those that nobody knows."""
    taken: Record = {name: record[name] for name in ("format", "copy", "assumptions")}
    if record["copy"] == "full":
        taken |= {name: record[name] for name in ("population", "reasons")}
    for part, text in _INPUTS.items():
        if part in record or part != "release":
            names = text.split()
            if part in _OPTIONAL:
                names = [name for name in names if name in record[part]]
            taken[part] = {name: record[part][name] for name in names}
    origin = record["graph"]["origin"]
    learned = _ORIGIN.split() if origin["kind"] == "learned" else ["kind"]
    optional = ("limits", "ended_early", "chosen_from", "edits", "unedited")
    learned += [name for name in optional if name in origin]
    taken["graph"]["origin"] = {name: origin[name] for name in learned}
    return taken


def _unique_names(pairs: list[tuple[str, Any]]) -> Record:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a name stands twice among {[name for name, _ in pairs]}")
    return dict(pairs)

"""Reads a certificate's text: which fields it may have, of which form, and where two differ."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any


def differences(where: str, written: object, right: object) -> Iterator[str]:
    """The innermost places that differ, in value or in type."""
    if written is right:
        return
    if isinstance(written, dict) and isinstance(right, dict):
        for name in {**written, **right}:
            pair = (part.get(name, ()) for part in (written, right))
            yield from differences(f"{where}.{name}".lstrip("."), *pair)
    elif isinstance(written, list) and isinstance(right, list) and len(written) == len(right):
        for at, item in enumerate(written):
            if item is not right[at]:
                yield from differences(f"{where}[{at}]", item, right[at])
    elif written != right or type(written) is not type(right):
        yield f"{where}: it says {written!r:.300}, but should say {right!r:.300}"


FORMAT = "evenhand certificate 3"
UNPUBLISHED = ("evenhand certificate 1", "evenhand certificate 2")
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
_TRIPLE = 3


def is_text(value: object) -> bool:
    """Whether a value is text."""
    return type(value) is str


def is_flag(value: object) -> bool:
    """Whether a value is true or false."""
    return type(value) is bool


def are_texts(value: object) -> bool:
    """Whether a value is a list of texts."""
    return type(value) is list and all(map(is_text, value))


def are_names(value: Any) -> bool:  # noqa: ANN401  # of whatever form
    """Whether a value is a list of texts, each there once."""
    return are_texts(value) and len({*value}) == len(value)


def are_edits(value: Any) -> bool:  # noqa: ANN401  # of whatever form
    """Whether a value is a list of edits of a graph."""
    return type(value) is list and all(
        edit.keys() == {"kind", "arrow", "reason"}
        and edit["kind"] in ("add", "remove", "reverse", "open")
        and are_names(edit["arrow"])
        and len(edit["arrow"]) == len("ab")
        and is_text(edit["reason"])
        for edit in value
    )


def is_knowledge(value: Any) -> bool:  # noqa: ANN401  # of whatever form
    """Whether a value is what was told the search: tiers, required and forbidden arrows."""
    arrows = [*value["required"], *value["forbidden"]]
    return (
        value.keys() == {"tiers", "required", "forbidden"}
        and any(value.values())
        and all(map(are_names, [*value["tiers"], *arrows]))
        and all(len(arrow) == len("ab") for arrow in arrows)
        and all(value["tiers"])
    )


# What is taken from a record as it stands: of which form each of it must be, if it is there.
_FORMS: dict[str, Callable[[Any], object]] = {
    "versions.evenhand": is_text,
    "assumptions": are_names,
    "reasons": are_texts,
    "population": lambda value: type(value) is dict,
    "pooled.other": is_flag,
    "scope.asked": ("causes", "minimal", "all").__contains__,
    "scope.complete": is_flag,
    "question.predicts": is_text,
    "question.basis": "all".__eq__,
    "codings.missing": ("error", "drop", "level").__contains__,
    "codings.frequency": is_text,
    "codings.delimiter": is_text,
    "codings.sheet": is_text,
    "codings.na": are_names,
    "codings.columns": are_names,
    "codings.bins": lambda bins: all(map(are_names, bins.values())),
    "codings.merge": lambda merge: all(
        are_names(olds) for groups in merge.values() for olds in groups.values()
    ),
    "graph.doubtful": lambda triples: all(
        are_names(one) and len(one) == _TRIPLE for one in triples
    ),
    "graph.origin.kind": ("given", "learned").__contains__,
    "graph.origin.rows": ("same", "original", "other", "withheld").__contains__,
    "graph.origin.algorithm": is_text,
    "graph.origin.test": is_text,
    "graph.origin.significance": is_text,
    "graph.origin.decision_last": is_flag,
    "graph.origin.limits": is_text,
    "graph.origin.ended_early": is_text,
    "graph.origin.chosen_from": lambda value: type(value) is int and value > 0,
    "graph.origin.edits": are_edits,
    "graph.origin.knowledge": is_knowledge,
    "release.method": is_text,
    "release.policy": is_text,
    "release.seed_commitment": re.compile("[0-9a-f]{64}").fullmatch,
    "release.changed_columns": are_texts,
    "release.can_change": are_texts,
    "release.dropped_columns": are_texts,
}


class UnknownFormatError(Exception):
    """The record is of a format that this program does not read."""


def parse(text: str) -> Record:
    """The record, if it has the format that is known here."""
    record: Record = json.loads(
        text,
        object_pairs_hook=_unique_names,
        parse_float=_refuse_number,
        parse_constant=_refuse_number,
    )
    try:
        # Without an escape of one the text itself tells.
        whole = json.dumps(record, ensure_ascii=False) if _HALF.search(text) else text
        whole.encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a character, a lone surrogate") from error
    found = record["format"]
    if found in UNPUBLISHED:
        raise UnknownFormatError(
            f"format: {found!r} was never published; make the certificate anew"
        )
    if found != FORMAT:
        raise UnknownFormatError(f"format: {found!r} is not known here")
    for name, classes in record["codings"].get("bins", {}).items():
        if type(classes) is int:
            raise UnknownFormatError(
                f"codings.bins.{name}: {classes} is a number of classes, and does not say which"
            )
    check_forms(record)
    return record


def check_forms(record: Record) -> None:
    """Refuse a field of another form than it can have."""
    for place, has_form in _FORMS.items():
        *parts, name = place.split(".")
        block = record
        for part in parts:
            block = block.get(part, {})
        if name in block and not has_form(block[name]):
            raise ValueError(f"{place}: {block[name]!r:.300} cannot stand there")


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
    optional = ("knowledge", "limits", "ended_early", "chosen_from", "edits", "unedited")
    learned += [name for name in optional if name in origin]
    taken["graph"]["origin"] = {name: origin[name] for name in learned}
    return taken


def _refuse_number(text: str) -> object:
    raise ValueError(f"{text} is no JSON of a record, whose numbers are whole")


def _unique_names(pairs: list[tuple[str, Any]]) -> Record:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a name stands twice among {[name for name, _ in pairs]}")
    return dict(pairs)

"""Reads a certificate's text: which fields it may have, of which form, and where two differ."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
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
# Errors that a record or data of the wrong form raise while they are checked.
MALFORMED = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError)
Record = dict[str, Any]

# Of the question: what only effects along paths are asked about with.
PATH_FIELDS = ("redlining", "explained", "redlining_threshold", "basis")
_HALF = re.compile(r"\\u[dD]")  # an escape of half a character, or of another


def alike(names: str, form: object = object) -> Record:
    """The same form for each of some fields."""
    return dict.fromkeys(names.split(), form)


# The forms of what is taken from a record as it stands, and of nothing else: a type (of any is
# what is looked at elsewhere), one of several texts, a range of numbers, a pattern, a list of
# things that are alike or of so many names, distinct names, a block with its fields. Those with
# a ? may be missing. Instead of the form after it there may be null (None) or a text (str).
NAMES = frozenset[str]()
VERDICTS = "certified", "cannot decide", "not certified"
PAIR, TRIPLE = [str] * 2, [str] * 3
EDIT = {"kind": ("add", "remove", "reverse", "open"), "arrow": PAIR, "reason": str}
UNEDITED = {
    **alike("arrows undirected", [PAIR]),
    "doubtful": [TRIPLE],
    "verdict?": VERDICTS,
    "population?": (
        "difference shown",
        "all differences shown to be within the threshold",
        "inconclusive",
    ),
    **alike("measured? violating?", int),
}
GIVEN = {"kind": ("given", "learned"), "edits?": [EDIT], "unedited?": UNEDITED}
KNOWN = {"tiers": [NAMES], "required": [PAIR], "forbidden": [PAIR]}
COUNT = range(2**63)
LEARNED = {
    **GIVEN,
    **alike("algorithm test significance limits? ended_early?", str),
    "rows": ("same", "original", "other", "withheld"),
    "decision_last": bool,
    "depth?": COUNT,
    "chosen_from?": int,
    "knowledge?": KNOWN,
}
SHARE = re.compile("[0-9]+(/[1-9][0-9]*)?")
ESTIMATE = re.compile(r"-?[0-9][0-9.]*(e[-+][0-9]+)?")
VARIATIONS = ("with", "without", "all before", "classes", "depth", "without suspects")
REASONS = (
    *("determined", "nothing compared", "graph refuted", "depends on", "written after"),
    *("not separated", "classes", "too few rows"),
)
ANSWER = {
    "word": ("Yes", "No", "Not shown", "Cannot tell"),
    "reason": (None, {"kind": REASONS, "names": NAMES}),
    "variations": {f"{kind}?": COUNT for kind in VARIATIONS},
    "differing": [
        {
            "kind": VARIATIONS,
            "names": NAMES,
            "falls": ("smaller", "not separated", "within", "shown", "larger"),
        }
    ],
    "graph_fit": {"implied": COUNT, "rejected": NAMES},
    **alike("placed unplaced suspects", NAMES),
    "at_least": COUNT,
    "detectable": (None, ESTIMATE),
    "hidden_cause": (
        None,
        {
            "name": str,
            "bound": ESTIMATE,
            "interval": [ESTIMATE] * 2,
            "breaking_factor": (None, ESTIMATE),
        },
    ),
    "knowledge?": KNOWN,
}
INPUTS = {
    **alike("format copy", str),
    "assumptions": NAMES,
    "versions": {"evenhand": str},
    "question": {
        **alike("protected favorable?", (str, NAMES)),
        **alike("group? other? decision predicts?", str),
        **alike("groups decisions order? redlining? explained?", NAMES),
        **alike("threshold min_coverage redlining_threshold?", SHARE),
        "criterion?": ("every", "cumulative"),
        "min_rows?": range(2, 2**63),
        "basis?": ("all",),
    },
    "codings": {
        "missing": ("error", "drop", "level"),
        **alike("frequency? delimiter? sheet?", str),
        **alike("na? columns?", NAMES),
        "bins?": {"*": NAMES},
        "merge?": {"*": {"*": NAMES}},
    },
    "pooled": {"other": bool, "unfavorable": object},
    "scope": {"asked": ("causes", "minimal", "all"), "complete": bool},
    "guesses?": {"*": [str]},
}
RELEASE = {
    **alike("notice method policy accepted_graph?", str),
    "change": ("edited", "resampled", "generated"),
    "dropped_columns?": [str],
    "seed_commitment": re.compile("[0-9a-f]{64}"),
}
OF_FULL = {
    "population": dict,
    "reasons": [str],
    "answer?": ANSWER,
    "release?": {
        **RELEASE,
        "changed_columns": [str],
        **alike("changed_rows dropped_before left_out_before", COUNT),
    },
    "rows": alike("read dropped left_out examined", COUNT),
    "variants": {**alike("cause_sets rules arrows classes", COUNT), "graphs?": range(1, 2**63)},
}
OF_SHARED = {"withheld": {"least_count": COUNT}, "release?": {**RELEASE, "can_change": [str]}}


def inputs(record: Record) -> Record:
    """The fields that are not derived, without those that nobody knows; refuse other forms."""
    is_learned = record["graph"]["origin"]["kind"] == "learned"
    graph = alike("nodes arrows undirected") | {"doubtful": [TRIPLE]}
    form = {**INPUTS, "graph": graph | {"origin": LEARNED if is_learned else GIVEN}}
    form |= OF_FULL if record["copy"] == "full" else OF_SHARED
    taken: Record = taken_as(form, record, "")
    return taken


def taken_as(form: Any, value: Any, where: str) -> Any:  # noqa: ANN401  # of any form
    """The value, as far as its form knows it."""
    if isinstance(form, tuple) and not isinstance(form[0], str):
        instead, form = form
        if type(value) in (instead, type(instead)):
            return value
    if isinstance(form, dict) and type(value) is dict:
        forms = [(field.removesuffix("?"), field[-1] != "?", form[field]) for field in form]
        if "*" in form:
            forms = [(name, True, form["*"]) for name in value]
        return {
            name: taken_as(one, value[name], f"{where}.{name}".lstrip("."))
            for name, is_required, one in forms
            if name in value or is_required
        }
    is_list = isinstance(form, list) and type(value) is list
    if is_list and (len(form) == 1 or len(form) == len(value) == len({*map(str, value)})):
        return [taken_as(form[0], one, f"{where}[{at}]") for at, one in enumerate(value)]
    fits = (
        form is object
        or type(value) is form
        or (isinstance(form, tuple) and value in form)
        or (isinstance(form, range) and type(value) is int and value in form)
        or (isinstance(form, re.Pattern) and form.fullmatch(value))
        or (form is NAMES and is_list_of_names(value))
    )
    if not fits:
        raise ValueError(f"{where}: {value!r:.300} cannot stand there")
    return value


def is_list_of_names(value: object) -> bool:
    """Whether a value is a list of different texts."""
    if not isinstance(value, list):
        return False
    return {*map(type, value)} <= {str} and len({*value}) == len(value)


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
    if (found := record["format"]) != FORMAT:
        raise UnknownFormatError(f"format: {found!r} is not known here, only {FORMAT!r}")
    for name, classes in record["codings"].get("bins", {}).items():
        if type(classes) is int:
            raise UnknownFormatError(
                f"codings.bins.{name}: {classes} is a number of classes, and does not say which"
            )
    return record


def _refuse_number(text: str) -> object:
    raise ValueError(f"{text} is no JSON of a record, whose numbers are whole")


def _unique_names(pairs: list[tuple[str, Any]]) -> Record:
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a name stands twice among {[name for name, _ in pairs]}")
    return dict(pairs)


def listed(value: str | list[str]) -> list[str]:
    """One text or several, as a list."""
    return [value] if isinstance(value, str) else value


def read_share(text: str) -> Fraction:
    """A fraction in lowest terms; any other spelling of it is refused.

    >>> read_share("1/20")
    Fraction(1, 20)
    """
    share = Fraction(*map(int, text.split("/")))
    if str(share) != text:
        raise ValueError(f"{text!r} should be written {str(share)!r}")
    return share

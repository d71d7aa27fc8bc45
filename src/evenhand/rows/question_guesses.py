"""What a question leaves open, guessed as ``init`` does, so that two columns are enough."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from evenhand.counts import equivalent_columns
from evenhand.display import ProgressCallback
from evenhand.errors import ColumnError, listed
from evenhand.question import Codings, Guess, QuestionFile
from evenhand.question.question_file import ASKED, needed_parts
from evenhand.rows.frame_sources import Source
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.rows.inspect.question_draft import draft as drafted
from evenhand.rows.rows import Rows, read

# What these keys name has to stay a column as it is.
_NAMING = {"question": ("rule", "redlining", "explained"), "data": ("columns", "frequency")}


def draft(
    source: Source,
    *,
    protected: str | tuple[str, ...],
    decision: str,
    codings: Codings | None = None,
    memory: str | int | None = None,
    progress: ProgressCallback | None = None,
    **asked: Any,  # noqa: ANN401  # further parts of the question
) -> QuestionFile:
    """A question about a table of which only two columns are known; the rest is guessed.

    The result's ``guesses`` say what was taken to be so, and why; an audit records them. An
    order of the columns is proposed and not taken.

    >>> import pyarrow as pa
    >>> table = pa.table({"sex": ["f", "m"] * 50, "hired": ["yes", "no", "no", "yes"] * 25})
    >>> asked = draft(table, protected="sex", decision="hired")
    >>> asked.question.favorable
    'yes'
    """
    said = {"protected": protected, "decision": decision, **asked}
    rows = read(source, codings=codings, memory=memory, progress=progress)
    check_columns(rows, said)
    data = {} if codings is None else codings.to_dict()
    tables, guesses = completed(rows, {"question": said, "data": data})
    return replace(QuestionFile.from_tables(tables, where=""), guesses=guesses)


def completed(
    rows: Rows,
    tables: Mapping[str, Any],
    *,
    reading: bool = True,
    keep: Collection[str] = (),
) -> tuple[dict[str, Any], tuple[Guess, ...]]:
    """The tables of a question file with what they leave open, and the guesses that fill it.

    Both columns must be named. Without ``reading`` only the question is completed, as where a
    file says how columns are read. Columns to ``keep`` are those of a given graph.
    """
    said, data = ({**tables.get(name, {})} for name in ("question", "data"))
    given = {role: value for role, value in said.items() if role in ASKED and value != ""}
    # With another group alone all are compared with it, and the group stays open.
    roles = {*needed_parts(given), "criterion"} - {*given}
    if {"group", "other"}.isdisjoint(given):
        roles |= {"group", "other"}
    if roles == {"criterion"} and not reading:
        return {**tables}, ()
    made = drafted(rows.inspect, given, Codings(**data))
    made = replace(made, copies=_copies_of_left_out(rows))
    kept = {*keep, *_named(tables)}
    guesses: list[Guess] = []
    for one in _guesses(made):
        in_question = one.argument in ASKED
        if one.argument == "tiers":  # asked about where something else is, too
            is_told = tables.get("knowledge", {}).get("tiers")
            is_open = reading and bool(guesses) and not (keep or is_told)
        else:
            is_open = one.argument in roles if in_question else reading
            is_open &= one.argument != "missing" or "missing" not in data
        value = one.value
        if one.argument in ("exclude", "bins", "merge"):
            read = {*data.get("bins", ()), *data.get("merge", ())}
            value = _without(value, kept if one.argument == "exclude" else read)
        if is_open and value:
            guesses.append(replace(one, value=value))
    for one in guesses:
        if one.is_taken:
            table = said if one.argument in ASKED else data
            table[one.argument] = _added(table.get(one.argument), one.value)
    return {**tables, "question": said, "data": data}, (*guesses,)


def _copies_of_left_out(rows: Rows) -> dict[str, str]:
    """The columns that say the same as one that was left out."""
    left_out = [name for name in rows.excluded if name in rows.sources[0].names]
    if not left_out:
        return {}
    columns = replace(rows.requested, columns=(*rows.columns, *left_out))
    table = replace(rows, requested=columns, base=None).lines.table
    return {
        name: first
        for alike in equivalent_columns(table)
        for first in alike
        if first in left_out
        for name in alike
        if name not in left_out
    }


def check_columns(rows: Rows, said: Mapping[str, Any]) -> None:
    """Refuse a protected attribute or decision that the table lacks."""
    protected, names = said.get("protected", ()), rows.sources[0].names
    named = [*((protected,) if isinstance(protected, str) else protected), said.get("decision")]
    if unknown := [name for name in named if name and name not in names]:
        raise ColumnError.unknown(unknown, names, where=rows.where)


def _guesses(made: QuestionDraft) -> Iterator[Guess]:
    """What a draft guesses, and what an audit needs besides."""
    asked = made.asked
    if "favorable" not in asked and "criterion" not in asked:
        values = listed(
            value for value, _ in made.inspection.column(made.given["decision"]).frequent
        )
        why = f"nothing speaks for any of {values}, so each is compared"
        yield Guess(argument="criterion", value="every", why=why, sure=False)
    if made.counting:
        why = "no two lines are alike in the other columns"
        yield Guess(argument="frequency", value=made.counting[0], why=why, sure=False)
    yield from made.guesses


def _named(tables: Mapping[str, Any]) -> Iterator[str]:
    """The columns that other keys name."""
    for table, keys in _NAMING.items():
        for key in keys:
            named = tables.get(table, {}).get(key) or ()
            yield from (named,) if isinstance(named, str) else named
    for tier in tables.get("knowledge", {}).get("tiers", ()):
        yield from tier
    for key in ("bins", "merge"):
        yield from tables.get("data", {}).get(key, ())


def _without(value: Any, names: Collection[str]) -> Any:  # noqa: ANN401  # a list or a mapping
    if isinstance(value, Mapping):
        return {
            name: [*map(str, of)] if isinstance(of, list) else of
            for name, of in value.items()
            if name not in names
        }
    return [name for name in value if name not in names]


def _added(before: Any, value: Any) -> Any:  # noqa: ANN401  # plain values
    if isinstance(before, Mapping):
        return {**before, **value}
    return [*before, *value] if isinstance(before, list) else value

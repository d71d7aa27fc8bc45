"""How columns are read for counting: chosen columns, bins, merged values, missing values.

A coding is a function from the text of a value to the label it is counted under. It never
changes what is released.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from evenhand.errors import Problem, QuestionError, Remedy, UnplacedError, ValuesError, listed
from evenhand.question.number_classes import Bins
from evenhand.question.parse_values import (
    Number,
    as_label,
    require_table,
    require_text,
    require_texts,
)

MissingRule: TypeAlias = Literal["error", "level", "drop"]
MISSING = "(missing)"
WILDCARD = "*"  # in merges and tiers: all that is not named


@dataclass(frozen=True, slots=True, kw_only=True)
class Codings:
    """Which columns are counted, and under which labels.

    ``bins`` holds cut points for each column, 37 for "up to 37" and ">=37" for "37 or more", or
    a whole number of quantile classes;
    ``merge`` the new value and the old ones that it replaces (``"*"`` for all not named).
    ``na`` are texts that mean a missing value, beside the empty field. ``exclude`` names
    columns that are not counted. ``delimiter`` stands between the fields of text files; by
    default it is detected. ``sheet`` is the sheet of a spreadsheet that holds the table.
    """

    columns: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    bins: Mapping[str, Bins | int] = field(default_factory=dict)
    merge: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    missing: MissingRule = "error"
    na: tuple[str, ...] = ()
    frequency: str | None = None
    delimiter: str | None = None
    sheet: str | None = None

    @classmethod
    def of(
        cls,
        *,
        columns: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
        bins: Mapping[str, Sequence[Number] | int | Bins] | None = None,
        merge: Mapping[str, Mapping[str, Sequence[Number]]] | None = None,
        missing: str = "error",
        na: Iterable[str] = (),
        frequency: str | None = None,
        delimiter: str | None = None,
        sheet: str | None = None,
    ) -> "Codings":
        """Parse codings as a user writes them, and raise all problems together."""
        problems = []
        if missing not in get_args(MissingRule):
            problems.append(
                Problem(
                    f"There is no rule {missing!r} for missing values.",
                    remedy="Choose 'error', 'level' or 'drop'.",
                )
            )
        checked_bins: dict[str, Bins | int] = {}
        checked_merge: dict[str, dict[str, tuple[str, ...]]] = {}
        try:
            columns = None if columns is None else require_texts(columns, "`columns`")
            exclude = require_texts(exclude, "`exclude`")
            na = require_texts(na, "`na`")
            frequency = None if frequency is None else require_text(frequency, "`frequency`")
            delimiter = None if delimiter is None else require_text(delimiter, "`delimiter`")
            sheet = None if sheet is None else require_text(sheet, "`sheet`")
        except QuestionError as error:
            problems += error.problems
        for column, cuts in require_table(bins or {}, "`bins`").items():
            try:
                checked_bins[column] = _parse_bins(column, cuts)
            except QuestionError as error:
                problems += [replace(p, where=f"bins of {column!r}") for p in error.problems]
        for column, groups in require_table(merge or {}, "`merge`").items():
            try:
                checked_merge[column] = _parse_merge(groups)
            except QuestionError as error:
                problems += [replace(p, where=f"merge of {column!r}") for p in error.problems]
        problems += [
            Problem(
                f"The column {column!r} is both binned and merged.",
                remedy="Choose one of the two.",
            )
            for column in checked_merge
            if column in checked_bins
        ]
        if problems:
            raise QuestionError(*problems)
        return cls(
            columns=None if columns is None else tuple(columns),
            exclude=tuple(exclude),
            bins=checked_bins,
            merge=checked_merge,
            missing=missing,  # type: ignore[arg-type]  # checked above
            na=tuple(map(as_label, na)),
            frequency=frequency,
            delimiter=delimiter,
            sheet=sheet,
        )

    @classmethod
    def either(cls, codings: "Codings | None", given: Mapping[str, Any]) -> "Codings | None":
        """Codings, or what is given one by one; None if nothing is."""
        if not given:
            return codings
        if codings is not None:
            raise QuestionError.of(
                "Codings were given twice: as `codings` and one by one.", remedy="Give either."
            )
        return cls.of(**given)

    def select(self, available: Sequence[str]) -> tuple[str, ...]:
        """The columns that are counted."""
        if self.columns is not None:
            return tuple(name for name in self.columns if name not in self.exclude)
        excluded = {*self.exclude, self.frequency}
        return tuple(name for name in available if name not in excluded)

    def named_columns(self) -> tuple[str, ...]:
        """All columns that the codings name."""
        names = (*(self.columns or ()), *self.exclude, *self.bins, *self.merge, self.frequency)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def label(self, column: str, text: str) -> str:
        """The label under which a value is counted; ``ValueError`` if it cannot be binned."""
        bins = self.bins.get(column)
        if isinstance(bins, Bins):
            return bins.label(text)
        for new, olds in self.merge.get(column, {}).items():
            if text in olds:
                return new
        rest = (new for new, olds in self.merge.get(column, {}).items() if WILDCARD in olds)
        return next(rest, text)

    def without(self, column: str) -> "Codings":
        """The same codings, but for one column, whose values are taken as they are."""
        bins = {name: bins for name, bins in self.bins.items() if name != column}
        merge = {name: merge for name, merge in self.merge.items() if name != column}
        return replace(self, bins=bins, merge=merge)

    def dropping(self, columns: Collection[str]) -> "Codings":
        """The same codings for a table that lacks some columns."""
        codings = self
        for column in columns:
            codings = codings.without(column)
        if self.columns is None or not columns:
            return codings
        return replace(codings, columns=tuple(n for n in self.columns if n not in columns))

    def is_coded(self, column: str) -> bool:
        """Whether values of the column are counted under other labels than their own."""
        return column in self.bins or column in self.merge

    def to_dict(self) -> dict[str, object]:
        """Plain values, without what is not set."""
        bins = {
            column: bins if isinstance(bins, int) else bins.notation
            for column, bins in self.bins.items()
        }
        merge = {
            column: {new: list(olds) for new, olds in groups.items()}
            for column, groups in self.merge.items()
        }
        fields = {
            "columns": None if self.columns is None else list(self.columns),
            "exclude": list(self.exclude),
            "missing": self.missing,
            "na": list(self.na),
            "frequency": self.frequency,
            "delimiter": self.delimiter,
            "sheet": self.sheet,
            "bins": bins,
            "merge": merge,
        }
        return {name: value for name, value in fields.items() if value not in (None, [], {})}


def unplaced(
    column: str, offending: Mapping[str, str], *, is_number: bool, where: str
) -> ValuesError:
    """The error for values that cannot be binned; ``offending`` maps each to its place."""
    text, place = next(iter(offending.items()))
    why = "lies in no class, as these are of whole numbers" if is_number else "is not a number"
    kind = UnplacedError if is_number else ValuesError
    return kind.of(
        f"The column {column!r} is to be binned, but {listed([text])} {why}.",
        f"First at {place}; {len(offending)} such values in all: {listed(offending)}.",
        (
            Remedy("Write cut points instead of classes", "bins", {column: [37]})
            if is_number
            else Remedy("Declare them as missing", "na"),
            Remedy("drop the bins"),
            Remedy("correct them"),
        ),
        where,
    )


def _parse_bins(column: str, cuts: Sequence[Number] | int | Bins) -> Bins | int:
    if isinstance(cuts, Bins):
        return cuts
    if isinstance(cuts, Iterable) and not isinstance(cuts, str | bytes | Mapping):
        return Bins.at(*cuts)
    if not isinstance(cuts, int):
        raise QuestionError.of(
            f"{cuts!r} is no list of cut points, nor a number of classes.",
            remedy=Remedy("Write numbers, for example", "bins", {column: [37]}),
        )
    if isinstance(cuts, bool) or cuts < 2:
        raise QuestionError.of(
            f"{cuts!r} quantile classes make no classes of {column!r}.",
            remedy="Ask for at least 2, or give cut points in a list.",
        )
    return cuts


def _parse_merge(groups: Mapping[str, Sequence[Number]]) -> dict[str, tuple[str, ...]]:
    merged: dict[str, tuple[str, ...]] = {}
    for new, olds in require_table(groups, "What is merged").items():
        if isinstance(olds, str) or not isinstance(olds, Iterable):
            raise QuestionError.of(
                f"{new!r} replaces {olds!r}, which is no list of values.",
                remedy='Write a list, as ["old", "another"].',
            )
        merged[as_label(new)] = tuple(as_label(old) for old in olds)
    named = [old for olds in merged.values() for old in olds]
    twice = sorted({old for old in named if named.count(old) > 1})
    if twice:
        raise QuestionError.of(
            f"The values {listed(twice)} are merged twice.",
            remedy="Put each old value under one new value.",
        )
    return merged

"""How columns are read for counting: chosen columns, bins, merged values, missing values.

A coding is a function from the text of a value to the label it is counted under. It never
changes what is released.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from evenhand.errors import QuestionError, Remedy, UnplacedError, ValuesError, listed
from evenhand.question.fields import read_parts, said_parts
from evenhand.question.number_classes import Bins
from evenhand.question.parse_values import WILDCARD

MissingRule: TypeAlias = Literal["error", "level", "drop"]
MISSING = "(missing)"


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
    missing: MissingRule = "error"
    na: tuple[str, ...] = ()
    frequency: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    bins: Mapping[str, Bins | int] = field(default_factory=dict)
    merge: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_parts(self, "data")
        if both := [column for column in self.merge if column in self.bins]:
            raise QuestionError.of(
                f"The columns {listed(both)} are both binned and merged.",
                remedy="Choose one of the two.",
            )

    @classmethod
    def of(cls, **given: Any) -> "Codings":  # noqa: ANN401  # of each part its own kind
        """Codings as a person writes them; the same as the class itself, untyped."""
        return cls(**given)

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
        merge = self.merge.get(column, {})
        places = ((old, new) for old in (text, WILDCARD) for new in merge)
        return next((new for old, new in places if old in merge[new]), text)

    def without(self, *columns: str) -> "Codings":
        """The same codings, but for some columns, whose values are taken as they are."""
        bins = {name: bins for name, bins in self.bins.items() if name not in columns}
        merge = {name: merge for name, merge in self.merge.items() if name not in columns}
        return replace(self, bins=bins, merge=merge)

    def dropping(self, columns: Collection[str]) -> "Codings":
        """The same codings for a table that lacks some columns."""
        left = tuple(name for name in self.columns or () if name not in columns)
        kept = None if self.columns is None else left
        return replace(self.without(*columns), columns=kept)

    def is_coded(self, column: str) -> bool:
        """Whether values of the column are counted under other labels than their own."""
        return column in self.bins or column in self.merge

    def to_dict(self) -> dict[str, object]:
        """Plain values, without what is not set."""
        return said_parts(self, "data", "missing")


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

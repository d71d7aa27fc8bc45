"""What the checker answers."""

from collections.abc import Sequence
from typing import NamedTuple


class Answer(NamedTuple):
    """The exit status, what is false or undecided, and what is stated, by field.

    ``verdicts`` has for each claim the attributes through which an effect goes, none of the
    direct one, and what the record says; ``fields`` are those of the record. Nothing is stated
    where the check could not be made: the format is not known, or a number in the data lies in
    no class. Beside data that are no text its own numbers are checked.
    """

    status: int
    notes: list[str]
    stated: dict[str, str]
    verdicts: Sequence[tuple[list[str], str]] = ()
    fields: Sequence[str] = ()

"""What the checker answers."""

from typing import NamedTuple


class Answer(NamedTuple):
    """The exit status, what is false or undecided, and what is stated, by field.

    Nothing is stated where the check could not be made: the format is not known, or a number in
    the data lies in no class. Beside data that are no text its own numbers are checked.
    """

    status: int
    notes: list[str]
    stated: dict[str, str]

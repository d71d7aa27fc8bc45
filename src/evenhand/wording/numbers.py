"""Numbers and lists as a reader should meet them."""

from collections.abc import Iterable, Sequence

from evenhand.display import percent

MOST_LISTED = 10


def rate(yes: int, total: int) -> str:
    """A share of a count as a percentage that shows neither none nor all where that is untrue.

    >>> rate(31, 462), rate(9_999, 10_000), rate(1, 10_000)
    ('6.7%', '>99.9%', '<0.1%')
    """
    return share(yes / total) if total else "none"


def share(part: float) -> str:
    """A share as a percentage, without decimals where it is all or none."""
    return f"{part:.0%}" if part in (0, 1) else percent(part).replace(" ", "")


def count(many: int, one: str, several: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "group"), count(1200, "group")
    ('1 group', '1,200 groups')
    """
    return f"{many:,} {one if many == 1 else several or one + 's'}"


def listing(names: Iterable[str]) -> str:
    """Names in a row: "a, b and c".

    >>> listing(["a", "b", "c"]), listing([])
    ('a, b and c', 'nothing')
    """
    *most, last = [*names] or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def shortened(names: Sequence[str]) -> list[str]:
    """The names, of more than ten the first ten and how many more there are.

    >>> shortened([*"abcdefghijkl"])[-2:]
    ['j', '2 more']
    """
    rest = len(names) - MOST_LISTED
    return [*names[:MOST_LISTED], f"{rest:,} more"] if rest > 0 else [*names]


def tally(counts: Iterable[int], names: Iterable[str]) -> list[str]:
    """How many of each there are, none left out; of more than ten the most frequent ones.

    >>> tally([0, 3, 1200], ["red", "green", "blue"])
    ['3 green', '1,200 blue']
    """
    each = [(many, name) for many, name in zip(counts, names, strict=True) if many]
    if len(each) > MOST_LISTED:
        each.sort(key=lambda one: -one[0])
    return shortened([f"{many:,} {name}" for many, name in each])


def capital(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]

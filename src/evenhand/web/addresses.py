"""Addresses of screens: what a query asks for, links to other parts, pages of long lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode


def graph_address(keep: Mapping[str, str], *ends: str) -> str:
    """The graph screen with a chosen box, or a chosen link of two."""
    query = dict(zip(("a", "b"), ends, strict=False)) | dict(keep)
    return f"graph?{urlencode(query)}" if query else "graph"


def _items(query: Mapping[str, str]) -> list[tuple[str, str]]:
    """The names and values of a query; a name may occur several times."""
    return [*getattr(query, "multi_items", query.items)()]


def query_values(query: Mapping[str, str], name: str) -> list[str]:
    """All values of a name that are not empty."""
    return [value for key, value in _items(query) if key == name and value]


def query_number(query: Mapping[str, str], name: str) -> int | None:
    """A whole number that is not negative, or None where there is no such number."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def address(query: Mapping[str, str], **changed: object) -> str:
    """The address of the same screen with some parts changed; empty ones are left out.

    >>> address({"page": "2", "find": "a b"}, page="", column="x&y")
    '?find=a+b&column=x%26y'
    """
    kept = [item for item in _items(query) if item[0] not in changed]
    return "?" + urlencode([item for item in (*kept, *changed.items()) if item[1] != ""])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pager:
    """One page of so many things; ``before`` and ``after`` are addresses, "" for none."""

    page: int
    pages: int
    size: int
    many: int
    before: str
    after: str

    @classmethod
    def of(cls, query: Mapping[str, str], name: str, many: int, size: int) -> "Pager":
        """The page that the address names, or the nearest that there is."""
        pages = max(-(-many // size), 1)
        page = min(max(query_number(query, name) or 1, 1), pages)
        before, after = (
            address(query, **{name: to}) if 1 <= to <= pages else ""
            for to in (page - 1, page + 1)
        )
        return cls(page=page, pages=pages, size=size, many=many, before=before, after=after)

    @property
    def slice(self) -> slice:
        """The things of this page."""
        return slice((self.page - 1) * self.size, self.page * self.size)

    @property
    def first(self) -> int:
        """The number of the first thing, from 1."""
        return (self.page - 1) * self.size + 1 if self.many else 0

    @property
    def last(self) -> int:
        """The number of the last thing."""
        return min(self.page * self.size, self.many)

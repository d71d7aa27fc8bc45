"""Addresses of screens: what is looked at stands in the query, so that links are enough."""

from collections.abc import Mapping
from urllib.parse import urlencode


def graph_address(keep: Mapping[str, str], *ends: str) -> str:
    """The graph screen with a chosen box, or a chosen link of two."""
    query = dict(zip(("a", "b"), ends, strict=False)) | dict(keep)
    return f"graph?{urlencode(query)}" if query else "graph"


def query_items(query: Mapping[str, str]) -> list[tuple[str, str]]:
    """The names and values of a query; a name may occur several times."""
    items = getattr(query, "multi_items", query.items)
    return [*items()]


def query_values(query: Mapping[str, str], name: str) -> list[str]:
    """All values of a name that are not empty."""
    return [value for key, value in query_items(query) if key == name and value]


def query_number(query: Mapping[str, str], name: str) -> int | None:
    """A whole number that is not negative, or None where there is no such number."""
    text = query.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 19 else None


def changed_query(query: Mapping[str, str], **changes: str | None) -> str:
    """The address of the same screen with other values; None leaves a name out."""
    kept = [item for item in query_items(query) if item[0] not in changes and item[1]]
    new = [(name, value) for name, value in changes.items() if value is not None]
    return f"?{urlencode([*kept, *new])}"

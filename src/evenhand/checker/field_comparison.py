"""Compares a record with what it should say, and names every place that differs."""

from collections.abc import Iterator


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

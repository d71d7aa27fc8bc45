"""What results depend on, as keys: the graph that is learned, and the verdict on it."""

from evenhand.question import QuestionFile
from evenhand.web.recent import key_of
from evenhand.web.store import Tables

# Parts of [question] that are judged anew without learning the graph again.
_JUDGED = frozenset(
    {"threshold", "judge", "min_rows", "redlining", "explained", "redlining_threshold", "basis"}
)


def learning_key(stamp: str, tables: Tables) -> str:
    """What the learned graph depends on; the stamp is that of the table as it was read."""
    asked = {k: v for k, v in tables.get("question", {}).items() if k not in _JUDGED}
    return stamp + key_of(
        [asked, *(tables.get(name, {}) for name in ("knowledge", "learning", "data"))]
    )


def audit_key(stamp: str, tables: Tables, file: QuestionFile, *, direct: bool = False) -> str:
    """What the verdict depends on; ``direct`` leaves out effects through other attributes."""
    asked = {**tables.get("question", {})}
    if direct:
        asked["redlining"] = None
    key = learning_key(stamp, tables) + key_of([asked, tables.get("labels")])
    return key + key_of([edit.to_dict() for edit in file.edits])

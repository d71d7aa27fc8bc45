"""Tiers as columns of names: which come first, and where each name may be moved."""

from dataclasses import dataclass

from evenhand.errors import ColumnError, QuestionError
from evenhand.evidence.graph_origin import decision_last
from evenhand.graph import known_order
from evenhand.question.knowledge import Tiers
from evenhand.web.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class TierName:
    """A column in its tier; ``role`` is that of the question, if it has one."""

    name: str
    label: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TierColumn:
    """A tier: its heading, its place, and the columns in it."""

    heading: str
    place: int
    names: tuple[TierName, ...]


def tiers_of(session: Session) -> list[list[str]]:
    """The tiers as lists of all names; the decision comes last if no order is given."""
    names = _names(session)
    file = session.file
    order = known_order(decision_last(file.knowledge, file.question.decision), names)
    placed = sorted({tier for tier in order.tier.values() if tier is not None})
    tiers = [[name for name in names if order.tier[name] == tier] for tier in placed]
    free = [name for name in names if order.tier[name] is None]
    if not tiers:
        return [names_of_one for names_of_one in [free] if names_of_one]
    return [*tiers, free] if free else tiers


def moved(session: Session, name: str, by: object, beside: object) -> list[list[str]]:
    """The tiers with a name some places later, or earlier, than it is now.

    At either end it gets a new tier. ``beside`` names columns instead, with whose first it
    shares a tier from then on; with none it comes last, by itself.
    """
    names, tiers = _names(session), tiers_of(session)
    if name not in names:
        raise ColumnError.unknown([name], names)
    at = {one: place for place, tier in enumerate(tiers) for one in tier}
    if isinstance(by, int):
        to = at[name] + by
    elif isinstance(beside, list):
        others = (
            at[one] for one in beside if isinstance(one, str) and one in at and one != name
        )
        to = next(others, at[name]) if beside else len(tiers)
    else:
        raise QuestionError.of("This is no move between tiers.", remedy="Reload the page.")
    left = [[other for other in tier if other != name] for tier in tiers]
    if 0 <= to < len(tiers):
        left[to].append(name)
    else:
        left.insert(max(to, 0), [name])
    tiers = [tier for tier in left if tier]
    Tiers(*tiers)  # raises what is wrong with them
    return tiers


def tier_columns(session: Session) -> tuple[TierColumn, ...]:
    """The tiers as they are shown, whether the graph is learned or not."""
    tiers, question, labels = tiers_of(session), session.file.question, session.file.labels
    roles = dict.fromkeys(question.protected_names, "protected") | {
        question.decision: "decision"
    }
    last = len(tiers) - 1
    return tuple(
        TierColumn(
            heading="At any time"
            if not last
            else "First"
            if not at
            else "Last"
            if at == last
            else "Then",
            place=at,
            names=tuple(
                TierName(name=name, label=labels.column(name), role=roles.get(name, ""))
                for name in tier
            ),
        )
        for at, tier in enumerate(tiers)
    )


def _names(session: Session) -> list[str]:
    rows = session.rows
    if rows is None:
        raise QuestionError.of("No table is open.", remedy="Choose one first.")
    frequency = session.file.codings.frequency
    return [name for name in rows.columns if name != frequency]

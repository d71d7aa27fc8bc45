"""Tiers as columns of names: which come first, and where each name may be moved."""

from dataclasses import dataclass

from evenhand.audit_result import Audit
from evenhand.errors import ColumnError, QuestionError
from evenhand.evidence.graph_origin import decision_last
from evenhand.graph.mixed_graph import known_order
from evenhand.question.knowledge import Tiers
from evenhand.report.phrases import Words
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


def moved(session: Session, name: str, to: object, *, new: bool) -> list[list[str]]:
    """The tiers with a name in another one, or in a new one before that place."""
    names = _names(session)
    if name not in names:
        raise ColumnError.unknown([name], names)
    tiers = tiers_of(session)
    if not isinstance(to, int) or not 0 <= to <= len(tiers):
        raise QuestionError.of(f"There is no tier {to!r}.", remedy="Choose one of those shown.")
    left = [[other for other in tier if other != name] for tier in tiers]
    if new or to == len(tiers):
        left.insert(to, [name])
    else:
        left[to].append(name)
    tiers = [tier for tier in left if tier]
    Tiers(*tiers)  # raises what is wrong with them
    return tiers


def tier_columns(session: Session, audit: Audit, words: Words) -> tuple[TierColumn, ...]:
    """The tiers as they are shown."""
    tiers = tiers_of(session)
    question = audit.question
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
                TierName(name=name, label=words.column(name), role=roles.get(name, ""))
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

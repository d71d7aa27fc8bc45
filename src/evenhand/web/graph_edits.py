"""Changes of the graph: links with reasons, the order of events, and what is open."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from evenhand.auditing import Audit
from evenhand.errors import ColumnError, EvenhandError, GraphError, Problem, QuestionError
from evenhand.evidence.graph_origin import decision_last
from evenhand.graph import PartialGraph, known_order
from evenhand.question import GraphEdit, QuestionFile
from evenhand.question.knowledge import NO_REASON, EditKind, Tiers
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web.question_store import Tables
from evenhand.web.session import Session, needed

# Whether the first causes the second, the second the first, either, or neither.
LinkState: TypeAlias = Literal["to", "from", "open", "none"]
STATES: tuple[LinkState, ...] = get_args(LinkState)
# The kinds of edits in the order in which a question file has them, and what they make.
_GIVEN: dict[EditKind, LinkState] = {
    "remove": "none",
    "reverse": "from",
    "open": "open",
    "add": "to",
}
Edits: TypeAlias = tuple[GraphEdit, ...]


class Preview(NamedTuple):
    """One state of a link: what it would give, or why it cannot be."""

    state: LinkState
    chosen: bool
    audit: Audit | None
    problem: Problem | None


def link_state(graph: PartialGraph, first: str, second: str) -> LinkState:
    """How two attributes are linked in a graph."""
    if (first, second) in graph.arrows:
        return "to"
    if (second, first) in graph.arrows:
        return "from"
    return "open" if graph.adjacent(first, second) else "none"


def edits_with(
    learned: PartialGraph,
    edits: Sequence[GraphEdit],
    ends: tuple[str, str],
    state: LinkState,
    reason: str = NO_REASON,
) -> tuple[GraphEdit, ...]:
    """The edits with which two attributes are linked in this way; others stay as they are."""
    kept = [edit for edit in edits if {*edit.arrow} != {*ends}]
    if edit := _edit(learned, ends, state, reason):
        # The same chosen again keeps its reason.
        same = [one for one in _about(edits, ends) if edit == replace(one, reason=reason)]
        kept += same if same and reason == NO_REASON else [edit]
    return tuple(sorted(kept, key=lambda edit: [*_GIVEN].index(edit.kind)))


def _about(edits: Iterable[GraphEdit], ends: tuple[str, str]) -> list[GraphEdit]:
    """The edits of one link: there is one, or none."""
    return [edit for edit in edits if {*edit.arrow} == {*ends}]


def _check(
    session: Session, ends: tuple[str, str], revision: int | None, edits: Iterable[GraphEdit]
) -> None:
    """Refuse other edits of a link that was changed since a page was shown."""

    def part(tables: Tables) -> object:
        return _about(QuestionFile.from_tables(tables).edits, ends)

    session.history.check(revision, part, _about(edits, ends))


def _edit(
    learned: PartialGraph, ends: tuple[str, str], state: LinkState, reason: str
) -> GraphEdit | None:
    """The edit that makes a link of the learned graph so; None if it is so already."""
    first, second = ends
    before = link_state(learned, first, second)
    if before == state:
        return None
    wanted = (second, first) if state == "from" else (first, second)
    if state == "none":
        arrow = (second, first) if before == "from" else (first, second)
        return GraphEdit(kind="remove", arrow=arrow, reason=reason)
    if state == "open":
        return GraphEdit(kind="open", arrow=wanted, reason=reason)
    if before in ("to", "from"):
        return GraphEdit(kind="reverse", arrow=wanted[::-1], reason=reason)
    return GraphEdit(kind="add", arrow=wanted, reason=reason)


def _judged(session: Session, ends: tuple[str, str], state: str, edits: Edits) -> Audit:
    """The audit with edits that give a link this state, of the direct claim alone.

    Refused if that closes a cycle, contradicts tiers, or is not what comes of it.
    """
    audit = session.judged(edits, direct=True)
    if link_state(audit.certificate.graph, *ends) != state:
        raise GraphError.of(
            "The other arrows leave only one direction.",
            remedy="Change one of them first.",
            where=" and ".join(ends),
        )
    return audit


def previews(
    session: Session, ends: tuple[str, str], states: Iterable[LinkState] = STATES
) -> Iterator[Preview]:
    """Each state of a link with what it would give; none is chosen by looking.

    Only the direct claim is judged: effects through others take long to measure.
    """
    learned, now = session.learned, session.audit
    if learned is None or now is None:
        return
    shown, edits = link_state(now.certificate.graph, *ends), session.file.edits
    for state in states:
        try:
            new = edits if state == shown else edits_with(learned.graph, edits, ends, state)
            yield Preview(state, state == shown, _judged(session, ends, state, new), None)
        except EvenhandError as error:
            yield Preview(state, state == shown, None, error.problems[0])


def choose_link(
    session: Session,
    ends: tuple[str, str],
    state: str,
    revision: int | None,
    reason: str = NO_REASON,
) -> None:
    """Link two attributes in a state; refused if it closes a cycle or contradicts tiers."""
    learned = needed(session.learned)
    if state not in STATES:
        raise QuestionError.of(
            f"There is no state {state!r}.", remedy=f"Choose one of {', '.join(STATES)}."
        )
    if unknown := [name for name in ends if name not in learned.graph.nodes]:
        raise GraphError.unknown(unknown, learned.graph.nodes)
    edits = edits_with(learned.graph, session.file.edits, ends, state, reason)
    _check(session, ends, revision, edits)
    _judged(session, ends, state, edits)
    session.replace_tables(_with_edits(session.tables, session.file, edits))


def give_reason(
    session: Session, ends: tuple[str, str], reason: str, revision: int | None
) -> None:
    """Say why two attributes are linked as they are."""
    edits = tuple(
        replace(edit, reason=reason.strip() or NO_REASON) if {*edit.arrow} == {*ends} else edit
        for edit in session.file.edits
    )
    _check(session, ends, revision, edits)
    session.replace_tables(_with_edits(session.tables, session.file, edits))


def _with_edits(tables: Tables, file: QuestionFile, edits: Edits) -> Tables:
    """The tables of a file with these edits of the graph and no others."""
    table = replace(file, edits=edits, graphs_judged=0).graph_table
    rest = {name: value for name, value in tables.items() if name != "graph"}
    return {**rest, "graph": table} if table else rest


def refit_edits(session: Session) -> None:
    """Keep the edits that fit the graph as it is learned now; says what became of the others.

    It is part of the change that was just made: undoing that undoes both.
    """
    is_done = False
    while not is_done:
        with session.lock:
            file, before, learned = session.file, session.tables, session.learned
        if learned is None:
            return
        kept, said = _fitting(learned, file)
        with session.lock:
            # Else something was changed meanwhile.
            if is_done := session.amend(before, _with_edits(before, file, kept)):
                session.notices, session.refits = said, False


def _fitting(
    learned: Audit, file: QuestionFile
) -> tuple[tuple[GraphEdit, ...], tuple[str, ...]]:
    """The edits that fit a learned graph, and what became of the others."""
    kept: Edits = ()
    said: list[str] = []
    for edit in file.edits:
        trial = edits_with(learned.graph, kept, edit.arrow, _GIVEN[edit.kind], edit.reason)
        try:
            learned.judged_with(replace(file, question=file.question.direct, edits=trial))
        except EvenhandError as error:
            said.append(f"No longer fits, and was dropped: {edit} ({error.problems[0].what})")
            continue
        if edit not in trial:
            now = " and ".join(map(str, {*trial} - {*kept})) or "there by itself"
            said.append(f"In the graph that was learned now, “{edit}” is {now}.")
        kept = trial
    return kept, tuple(said)


def audit_to_publish(session: Session) -> Audit:
    """The audit for a certificate, report or release: every edit of the graph has its reason.

    How many graphs were judged before is stated in it.
    """
    session.check_table()
    with session.lock:
        file, learned = session.file, needed(session.learned)
    GraphEdit.check_reasons(file.edits)
    session.save()  # the file states as many graphs as the certificate
    return needed(session.audit) if session.predictions else learned.judged_with(file)


def tiers_of(session: Session) -> list[list[str]]:
    """The tiers as lists of all names; what ``init`` suggests where no order is chosen."""
    names = _names(session)
    file = session.file
    known = file.knowledge
    if session.asks_order and not known.tiers:
        draft = QuestionDraft(
            session.reading.inspection, session.tables["question"], file.codings
        )
        suggested = Tiers(*(tier for tier in draft.tiers if tier))
        known = replace(known, tiers=suggested).restricted(names)
    order = known_order(decision_last(known, file.question.decision), names)
    placed = sorted({tier for tier in order.tier.values() if tier is not None})
    tiers = [[name for name in names if order.tier[name] == tier] for tier in placed]
    free = [name for name in names if order.tier[name] is None]
    return [*tiers, free] if free else tiers


def moved(session: Session, body: Mapping[str, Any]) -> list[list[str]]:
    """The tiers with one name elsewhere.

    It moves ``by`` so many tiers, shares a tier with the name ``beside``, or gets one of its
    own that follows that of ``after``: with "" the first. Beyond either end it gets a new one.
    """
    name, names, tiers = str(body.get("name", "")), _names(session), tiers_of(session)
    if name not in names:
        raise ColumnError.unknown([name], names)
    at = {one: place for place, tier in enumerate(tiers) for one in tier} | {"": -1}
    by, beside, after = (body.get(part) for part in ("by", "beside", "after"))
    is_new = beside is None and by is None
    if isinstance(by, int):
        to = at[name] + by
    elif isinstance(beside, str) and beside in at:
        to = at[beside]
    elif isinstance(after, str) and after in at:
        to = at[after] + 1
    else:
        raise QuestionError.of("This is no move between tiers.", remedy="Reload the page.")
    left = [[other for other in tier if other != name] for tier in tiers]
    if 0 <= to < len(tiers) and not is_new:
        left[to].append(name)
    else:
        left.insert(max(to, 0), [name])
    tiers = [tier for tier in left if tier]
    Tiers(*tiers)  # raises what is wrong with them
    return tiers


def _names(session: Session) -> list[str]:
    out = {session.file.codings.frequency, session.predictions}
    return [name for name in session.rows.columns if name not in out]


def missing_reasons(session: Session) -> list[GraphEdit]:
    """Edits of the graph that lack a reason; nothing is published until they have one."""
    return [edit for edit in session.file.edits if edit.reason == NO_REASON]

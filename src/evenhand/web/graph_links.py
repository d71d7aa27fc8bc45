"""Links of the graph as people choose them: four states for two attributes, and reasons.

What was chosen is kept as edits of the learned graph, which a question file can hold. An edit
may wait for its reason; a certificate, report or release may not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from evenhand.auditing import Audit
from evenhand.errors import EvenhandError, GraphError, Problem, QuestionError
from evenhand.evidence import Variations
from evenhand.evidence.certificate import Graph
from evenhand.question import GraphEdit, QuestionFile
from evenhand.question.graph_edits import NO_REASON, EditKind
from evenhand.web.session import Session
from evenhand.web.store import Tables

# Whether the first causes the second, the second the first, either, or neither.
LinkState: TypeAlias = Literal["to", "from", "open", "none"]
STATES: tuple[LinkState, ...] = get_args(LinkState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One state of a link: what it would give, or why it cannot be."""

    state: LinkState
    chosen: bool
    audit: Audit | None
    problem: Problem | None


def link_state(graph: Graph, first: str, second: str) -> LinkState:
    """How two attributes are linked in a graph."""
    if (first, second) in graph.arrows:
        return "to"
    if (second, first) in graph.arrows:
        return "from"
    return "open" if graph.adjacent(first, second) else "none"


def edits_with(
    learned: Graph,
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
    return in_order(kept)


def _about(edits: Iterable[GraphEdit], ends: tuple[str, str]) -> list[GraphEdit]:
    """The edits of one link: there is one, or none."""
    return [edit for edit in edits if {*edit.arrow} == {*ends}]


def _check(
    session: Session, ends: tuple[str, str], revision: int | None, edits: Iterable[GraphEdit]
) -> None:
    """Refuse other edits of a link that was changed since a page was shown."""

    def part(tables: Tables) -> object:
        return _about(QuestionFile.from_tables(tables).edits, ends)

    session.check(revision, part, _about(edits, ends))


def in_order(edits: Iterable[GraphEdit]) -> tuple[GraphEdit, ...]:
    """The edits in the order in which a question file has them."""
    kinds: tuple[EditKind, ...] = ("remove", "reverse", "open", "add")
    return tuple(sorted(edits, key=lambda edit: kinds.index(edit.kind)))


def _edit(
    learned: Graph, ends: tuple[str, str], state: LinkState, reason: str
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


def previews(session: Session, ends: tuple[str, str]) -> Iterator[Preview]:
    """Each state of a link with what it would give; none is chosen by looking.

    Only the direct claim is judged: effects through others take long to measure.
    """
    learned, now = session.learned, session.audit
    if learned is None or now is None:
        return
    shown = link_state(now.certificate.graph, *ends)
    for state in STATES:
        if state == shown:
            audit = session.judged(session.file.edits, direct=True)
            yield Preview(state=state, chosen=True, audit=audit, problem=None)
            continue
        try:
            edits = edits_with(learned.graph, session.file.edits, ends, state)
            audit = session.judged(edits, direct=True)
        except EvenhandError as error:
            problem = error.problems[0]
            yield Preview(state=state, chosen=False, audit=None, problem=problem)
            continue
        if link_state(audit.certificate.graph, *ends) != state:
            problem = Problem("The other arrows leave only one direction.")
            yield Preview(state=state, chosen=False, audit=None, problem=problem)
        else:
            yield Preview(state=state, chosen=False, audit=audit, problem=None)


def judged_arrows(audit: Audit) -> Variations | None:
    """What hangs on each arrow; None under a rule, where nothing is measured."""
    try:
        return audit.arrows()
    except EvenhandError:
        return None


def choose_link(
    session: Session,
    ends: tuple[str, str],
    state: str,
    revision: int | None,
    reason: str = NO_REASON,
) -> None:
    """Link two attributes in a state; refused if it closes a cycle or contradicts tiers."""
    learned = session.learned
    if learned is None:
        raise QuestionError.of("No graph is learned yet.", remedy="Learn it first.")
    if state not in STATES:
        raise QuestionError.of(
            f"There is no state {state!r}.", remedy=f"Choose one of {', '.join(STATES)}."
        )
    if unknown := [name for name in ends if name not in learned.graph.nodes]:
        raise GraphError.unknown(unknown, learned.graph.nodes)
    edits = edits_with(learned.graph, session.file.edits, ends, state, reason)
    _check(session, ends, revision, edits)
    found = session.judged(edits, direct=True).certificate.graph
    if link_state(found, *ends) != state:
        raise GraphError.of(
            "The other arrows leave only one direction.",
            remedy="Change one of them first.",
            where=" and ".join(ends),
        )
    session.replace_tables(_with_edits(session, edits))


def give_reason(
    session: Session, ends: tuple[str, str], reason: str, revision: int | None
) -> None:
    """Say why two attributes are linked as they are."""
    edits = tuple(
        replace(edit, reason=reason.strip() or NO_REASON) if {*edit.arrow} == {*ends} else edit
        for edit in session.file.edits
    )
    _check(session, ends, revision, edits)
    session.replace_tables(_with_edits(session, edits))


def _with_edits(session: Session, edits: Iterable[GraphEdit]) -> Tables:
    """The tables with these edits of the graph and no others."""
    table = replace(session.file, edits=tuple(edits), graphs_judged=0).graph_table
    rest = {name: value for name, value in session.tables.items() if name != "graph"}
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
            table = replace(file, edits=kept, graphs_judged=0).graph_table
            rest = {name: value for name, value in before.items() if name != "graph"}
            # Else something was changed meanwhile.
            if is_done := session.amend(before, {**rest, "graph": table} if table else rest):
                session.notices, session.refits = said, False


def _fitting(
    learned: Audit, file: QuestionFile
) -> tuple[tuple[GraphEdit, ...], tuple[str, ...]]:
    """The edits that fit a learned graph, and what became of the others."""
    kept: tuple[GraphEdit, ...] = ()
    said: list[str] = []
    for edit in file.edits:
        trial = edits_with(learned.graph, kept, *_wanted(edit), edit.reason)
        try:
            learned.judged_with(replace(file, question=file.question.direct, edits=trial))
        except EvenhandError as error:
            said.append(f"No longer fits, and was dropped: {edit} ({error.problems[0].what})")
            continue
        if len(trial) == len(kept):
            said.append(f"The graph has it so by itself now: {edit}")
        elif edit not in trial:
            (new,) = {*trial} - {*kept}
            said.append(f"In the graph that was learned now, “{edit}” is “{new}”.")
        kept = trial
    return kept, tuple(said)


def _wanted(edit: GraphEdit) -> tuple[tuple[str, str], LinkState]:
    """The link that an edit is about, and the state that it gives it."""
    states: dict[EditKind, LinkState] = {
        "add": "to",
        "reverse": "from",
        "open": "open",
        "remove": "none",
    }
    return edit.arrow, states[edit.kind]


def without_reason(file: QuestionFile) -> tuple[GraphEdit, ...]:
    """The edits that still wait for a reason."""
    return tuple(edit for edit in file.edits if edit.reason == NO_REASON)


def audit_to_publish(session: Session) -> Audit:
    """The audit for a certificate, report or release: every edit of the graph has its reason.

    How many graphs were judged before is stated in it.
    """
    session.check_table()
    with session.lock:
        file, learned = session.file, session.learned
    if learned is None:
        raise QuestionError.of("No graph is learned yet.", remedy="Learn it first.")
    GraphEdit.check_reasons(file.edits)
    session.save()  # the file states as many graphs as the certificate
    return learned.judged_with(file)

"""Changes of the graph: links with reasons, the order of events, and what is open."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from evenhand.auditing import Audit
from evenhand.errors import ColumnError, EvenhandError, GraphError, Problem, QuestionError
from evenhand.evidence import Variations
from evenhand.evidence.graph_origin import decision_last
from evenhand.graph import PartialGraph, known_order
from evenhand.question import GraphEdit, QuestionFile
from evenhand.question.graph_edits import NO_REASON, EditKind
from evenhand.question.knowledge import Tiers
from evenhand.report.html_report import View
from evenhand.web.addresses import graph_address
from evenhand.web.question_store import Tables
from evenhand.web.session import Session
from evenhand.wording import Words

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


def tier_columns(session: Session) -> tuple[View, ...]:
    """The tiers as they are shown, whether the graph is learned or not."""
    tiers, question, labels = tiers_of(session), session.file.question, session.file.labels
    roles = dict.fromkeys(question.protected_names, "protected") | {
        question.decision: "decision"
    }
    last = len(tiers) - 1
    return tuple(
        View(
            heading="At any time"
            if not last
            else "First"
            if not at
            else "Last"
            if at == last
            else "Then",
            place=at,
            names=tuple(
                View(name=name, label=labels.column(name), role=roles.get(name, ""))
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


def open_links(audit: Audit, words: Words) -> Iterator[View]:
    """Links at the decision that are open, so that its causes are ambiguous."""
    found, decision = audit.certificate, audit.question.decision
    if found.ambiguous:
        sets = " or ".join(
            "{" + ", ".join(map(words.column, names)) + "}"
            for names in found.possible_decision_causes
        )
        for name in sorted(found.graph.neighbors(decision)):
            yield View(
                what=f"The causes of {words.decision} are ambiguous: {sets}.",
                found=f"The graph does not direct {words.column(name)} — {words.decision}.",
                words=f"Settle {words.column(name)} — {words.decision}",
                address=graph_address({}, name, decision),
                settling=(
                    (
                        f"{words.column(name)} causes {words.decision}",
                        {"a": name, "b": decision, "state": "to"},
                    ),
                    (
                        f"{words.decision} causes {words.column(name)}",
                        {"a": name, "b": decision, "state": "from"},
                    ),
                ),
            )


def missing_reasons(session: Session, words: Words) -> Iterator[View]:
    """Edits of the graph that lack a reason; nothing is published until they have one."""
    for edit in without_reason(session.file):
        first, second = map(words.column, edit.arrow)
        yield View(
            what=f"No reason is given why the graph was changed at {first}, {second}.",
            found="A certificate carries every change of the graph with its reason.",
            words="Write the reason",
            address=graph_address({}, *edit.arrow),
            settling=(),
        )

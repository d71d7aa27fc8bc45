"""What a verdict rests on: each point with its status, and how it could be disputed."""

from collections.abc import Iterator
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.counts.compared_groups import group_labels
from evenhand.effects.claim import Indirect
from evenhand.errors import words_only
from evenhand.evidence import Answer, Certificate, Verdict, Word
from evenhand.evidence.answer import hidden_cause
from evenhand.evidence.graph_origin import graph_of_edges, outcome_text
from evenhand.graph import PartialGraph
from evenhand.question import Bins, Knowledge
from evenhand.rows import FindingKind, Inspection, Rows
from evenhand.wording.answer_words import hidden_cause_sentence
from evenhand.wording.numbers import count, listing
from evenhand.wording.statements import Premise, Strong
from evenhand.wording.words import Words

_EXAMPLES = 5
_INDEPENDENT_ROWS = Premise(
    "Cannot be tested",
    "Each row is one person, recorded once and independently of the others.",
    "Rows of one person, or of people decided about together, make chance look like a "
    "difference: intervals are then too narrow, and p-values too small.",
)
_EDITS = {
    "add": "The arrow {} -> {} was added to the graph.",
    "remove": "The edge between {} and {} was removed from the graph.",
    "reverse": "The arrow {} -> {} of the graph was reversed.",
    "open": "Whether {} causes {}, or the other way round, was left open.",
}


class Audited(Protocol):
    """What is told of an audit."""

    @property
    def rows(self) -> Rows | None:
        """The rows, if they were read from somewhere."""

    @property
    def counts(self) -> CountTable:
        """Their counts."""

    @property
    def knowledge(self) -> Knowledge:
        """What was known before."""

    @property
    def certificate(self) -> Certificate:
        """The verdict with everything it rests on."""

    @property
    def answer(self) -> Answer:
        """The answer in a word, and what it stands on."""

    @property
    def inspection(self) -> Inspection:
        """What a look at the table found."""


def premises(
    audit: Audited,
    certificate: Certificate,
    words: Words,
    *,
    arrows: int = 0,
) -> Iterator[Premise]:
    """Everything that could be disputed; ``arrows`` counts the other arrows that were tried."""
    yield _graph(certificate)
    yield from _open_edges(certificate, words)
    yield from _order(certificate, audit.knowledge, words)
    yield from _edits(certificate)
    yield from _missing_values(audit.counts, words)
    yield from _inspected(audit.inspection)
    for one in certificate.determinations:
        if not one.exact:
            yield Premise(
                "Seen",
                f"{words.column(one.name)} determines {words.decision} but for a few rows.",
                f"The exceptions may be the finding: {one.exceptions_text}.",
            )
    yield _variants(certificate, words, arrows)
    yield _threshold(certificate, words)
    yield from _codings(certificate, words)
    yield from _left_out(audit.counts, certificate, words)
    yield hidden_cause_premise(certificate, words)
    yield _INDEPENDENT_ROWS
    yield _record(words)
    yield _direct_effect(certificate, words)
    for assumed in certificate.also_assumed:
        yield Premise("Stated", assumed)


def shared_premises(
    shown: Certificate, knowledge: Knowledge, words: Words
) -> Iterator[Premise]:
    """What a copy for others rests on; nothing of it depends on rows that are withheld."""
    yield Premise(
        "Given" if shown.graph_origin.kind == "given" else "Learned, not given",
        "The causal graph.",
        f"It has {_links(shown.graph)}, {shown.graph_origin}. It must not lack a common cause "
        "of two attributes. Another graph can change which people are compared.",
    )
    yield Premise("Given", "The threshold.", "It is a convention, not a natural limit.")
    for one in shown.contradictions:
        yield Premise("Stated", one)
    yield from _order(shown, knowledge, words)
    yield from _edits(shown)
    if shown.question.rule:
        yield Premise("Declared", f"That was decided by {words.columns(shown.question.rule)}.")
    yield from _codings(shown, words)
    if release := shown.release:
        if release.dropped_columns:
            dropped = words.columns(release.dropped_columns)
            yield Premise("Stated", f"Not released: {dropped}.")
        yield Premise(
            "Stated",
            f"How the rows were made: method {release.method}, policy {release.policy}.",
            (Strong(release.notice),),
        )
        for one in release.acceptance:
            yield Premise("Stated", one)
    yield _INDEPENDENT_ROWS
    yield _record(words)
    yield _direct_effect(shown, words)


def what_is_seen(words: Words) -> str:
    """What a difference between people alike is, if nothing is missing."""
    return "a difference of people alike" if words.question.predicts else "a direct effect"


def _links(graph: PartialGraph) -> str:
    open_links = f" and {count(len(graph.undirected), 'link')} of open direction"
    return count(len(graph.arrows), "arrow") + open_links * bool(graph.undirected)


def _graph(certificate: Certificate) -> Premise:
    graph = certificate.graph
    record = graph.record
    origin = "stated by whoever asked."
    if record is not None and not certificate.learned_here:
        origin = f"{certificate.graph_origin}, and given as such."
    elif record is not None:
        conflicts, made = len(record.conflicts), sum(record.tests)
        tests = f", {count(made, 'test')}" if made else ""
        among = f", {count(conflicts, 'contradiction')} among them" if conflicts else ""
        origin = (
            f"found in these rows by the PC algorithm ({record.algorithm}): {record.test} "
            f"test, significance {record.significance}{tests}{among}. Links too weak for these "
            "rows to show are missing in it."
        )
    return Premise(
        "Learned, not given" if record else "Given",
        "The causal graph.",
        f"It has {_links(graph)}, {origin} It must not lack a common cause of two attributes. "
        "Another graph can change which people are compared, and with that the verdict.",
    )


def _open_edges(certificate: Certificate, words: Words) -> Iterator[Premise]:
    if not certificate.ambiguous:
        return
    sets = " or ".join(
        f"{{{words.columns(names)}}}" for names in certificate.possible_decision_causes
    )
    why = "All of them were examined, and give the same verdict on these rows."
    if not certificate.population.agreed:
        why += " What they show of the population differs."
    if certificate.deciding_edges:
        edges = listing(
            f"{words.column(a)} – {words.column(b)}" for a, b in certificate.deciding_edges
        )
        why = f"The verdict hangs on {edges}: state the direction to settle it."
    yield Premise("Left open", f"The causes of {words.decision} may be {sets}.", why)


def _order(certificate: Certificate, knowledge: Knowledge, words: Words) -> Iterator[Premise]:
    """The order and the arrows that were given; that none was, where arrows were learned.

    That the decision was taken to come last is an assumption with a sentence of its own.
    """
    is_given = knowledge.tiers and not knowledge.tiers_assumed
    tiers = knowledge.tiers.tiers if knowledge.tiers and is_given else ()
    named = ["all others" if tier is ... else words.columns(tier) for tier in tiers]
    sentences = [f"First {'; then '.join(named)}. No arrow may point back in it."] * bool(named)
    for arrows, kind in ((knowledge.required, "Required"), (knowledge.forbidden, "Forbidden")):
        if arrows:
            pairs = (f"{words.column(a)} → {words.column(b)}" for a, b in arrows)
            sentences.append(f"{kind}: {', '.join(pairs)}.")
    origin = certificate.graph_origin
    if sentences:
        yield Premise("Given", "The order of events.", " ".join(sentences))
    elif origin.kind != "given" and not origin.decision_last:
        yield Premise("Not given", "The order of events.", "None was stated.")


def _edits(certificate: Certificate) -> Iterator[Premise]:
    """One point for each edit, with the reason that was given, and one for the graph before."""
    origin = certificate.graph_origin
    for edit in origin.edits:
        what = _EDITS[edit.kind].format(*edit.arrow)
        yield Premise("Given", what, f"The reason given: {edit.reason}")
    if before := origin.unedited:
        gave = outcome_text(before)
        yield Premise(
            "Tried" if gave else "Given",
            f"As {origin.kind}{f': {gave}' if gave else ', before the edits'}.",
            f"The graph was then: {graph_of_edges(certificate.graph.nodes, before)}",
        )


def _missing_values(counts: CountTable, words: Words) -> Iterator[Premise]:
    """Values that may mean a missing one, and how many rows have them."""
    markers = [
        f"{count(rows, 'row')} with “{value}” as {words.column(name)}"
        for value, by_column in counts.missing_markers.items()
        for name, rows in by_column.items()
    ]
    examples = markers[:_EXAMPLES]
    if rest := len(markers) - len(examples):
        examples.append(f"{rest} more such values")
    if examples:
        yield Premise(
            "Not declared",
            "Values that look as if something were missing were taken as they stand.",
            f"{listing(examples)}. If they mean that nothing is known, declare them as "
            "missing: the groups change then.",
        )


def _inspected(inspection: Inspection) -> Iterator[Premise]:
    """What else a look at the table found that can change the answer."""
    told = [one.problem for one in inspection.matters if one.kind is not FindingKind.MARKER]
    for problem in (*told, *inspection.same_decisions()):
        why = " ".join(filter(None, (problem.found, problem.remedy_text(words_only))))
        yield Premise("Found in the table", problem.what, why)


def _variants(certificate: Certificate, words: Words, arrows: int) -> Premise:
    """How many variants were judged."""
    judged = certificate.stating(arrows=arrows).variants
    kinds = [
        f"{count(judged['cause_sets'], 'set')} of causes of {words.decision}",
        *(["with the rule and without"] if judged["rules"] > 1 else []),
        "no other classes",
        f"{judged['arrows'] or 'no'} other arrows",
        *([count(judged["graphs"], "graph")] if "graphs" in judged else []),
    ]
    why = "That no more was tried before is not known here."
    return Premise("Stated", f"Variants judged: {', '.join(kinds)}.", why)


def _threshold(certificate: Certificate, words: Words) -> Premise:
    """Who chose it and, where one set of causes decides, which others give the verdict."""
    why = "Chosen by whoever asked the question. It is a convention, not a natural limit."
    largest = max(
        (abs(end) for one in certificate.partitions for end in one.extremes), default=None
    )
    decided = certificate.verdict is not Verdict.CANNOT_DECIDE and not certificate.ambiguous
    if largest is not None and decided:
        only = "only " if largest else ""
        why += (
            f" The criterion is met {only}above the largest difference, "
            f"{words.points(largest)} points."
        )
    return Premise("Given", f"The threshold of {words.threshold_points}.", why)


def _codings(certificate: Certificate, words: Words) -> Iterator[Premise]:
    """How values were put in classes, chosen and counted."""
    codings = certificate.codings
    classed = [
        f"{words.column(name)} "
        f"({'; '.join(bins.labels) if isinstance(bins, Bins) else f'{bins} classes'})"
        for name, bins in codings.bins.items()
    ]
    classed += [
        f"{words.column(name)} ({'; '.join(map(str, new))})"
        for name, new in codings.merge.items()
    ]
    if classed:
        yield Premise(
            "Given",
            "Values put in classes before counting.",
            f"{listing(classed)}. Within a class people may still differ, which can look like "
            f"{what_is_seen(words)} or hide one; other classes can give another verdict.",
        )
    rules = {
        "Only chosen columns were counted: a cause among the others is not held equal.": (
            codings.columns is not None
        ),
        f"Each line counts for as many people as its {codings.frequency} says.": (
            codings.frequency is not None
        ),
        "A missing value counts as a value of its own.": codings.missing == "level",
    }
    yield from (Premise("Given", rule) for rule, applies in rules.items() if applies)


def _left_out(counts: CountTable, certificate: Certificate, words: Words) -> Iterator[Premise]:
    """Rows, groups and decisions that were left out or put together."""
    question, examined = certificate.question, certificate.examined
    asked = {question.group, question.other}
    every = group_labels(counts, question)[0] if question.group is not None else ()
    further = [words.group_name(value) for value in every if value not in asked]
    these = f" ({listing(further)})" if further else ""
    left, dropped = examined.left_out, certificate.dropped
    values = len(examined.counts.attribute(question.decision))
    favorable = len(question.favorable_values)
    statements = {
        f"{count(left, 'row')} of groups that are not compared{these} were left out.": left,
        f"{count(dropped, 'row')} with missing values {'was' if dropped == 1 else 'were'} "
        "dropped. Whether such people fare like the others is not known.": dropped,
        f"Everybody but {words.group}{these} was put together as {words.other}.": (
            certificate.pools_others
        ),
        f"The {favorable} favorable decisions count as one.": favorable > 1,
        "All decisions that are not favorable were put together.": (
            favorable and values - favorable > 1
        ),
    }
    yield from (Premise("Given", one) for one, applies in statements.items() if applies)


def hidden_cause_premise(certificate: Certificate, words: Words) -> Premise:
    """What an unrecorded cause could do, with the strongest recorded one as the yardstick."""
    what = (
        f"No unrecorded cause of {words.recorded} differs between {words.both} of the same "
        "group."
    )
    hidden = hidden_cause(certificate, Word.NOT_SHOWN)
    why = "No recorded cause that differs between them says how strong one could be."
    if hidden is not None:
        why = hidden_cause_sentence(hidden, words)
    within = "Only the average is bounded: within a group it could hide or make a difference."
    return Premise("Cannot be tested", what, f"{why} {within}")


def _record(words: Words) -> Premise:
    """What no table can show of how it came about."""
    return Premise(
        "Cannot be tested",
        "What came before the table.",
        "That the values are right, were not altered, and lost nothing that matters in "
        "classes made before; that nobody is in the table, or missing from it, because "
        f"of {words.protected} and {words.decision} together; and that no other "
        "question, threshold, grouping or graph was tried first. Nor does this page "
        "know who asked.",
    )


def _direct_effect(certificate: Certificate, words: Words) -> Premise:
    """What the question leaves out, with the names of what passes it on."""
    if certificate.question.predicts:
        return Premise(
            "Stated",
            "Compared are predictions of people alike in the causes of the recorded "
            f"{words.recorded}.",
            f"No direct effect of {words.protected} is claimed: a model that does not read it "
            "has none, and differences can run through whatever else it reads. The verdict is "
            "about these predictions, not about the model as a rule for new rows. It says "
            "nothing about intent, and is not a legal finding.",
        )
    passing = frozenset[str]().union(
        *map(certificate.graph.descendants, certificate.question.protected_names)
    )
    through = [name for name in certificate.partition.names if name in passing]
    named = f" (here {words.columns(through)})" if through else ""
    asked = words.columns(certificate.question.redlining)
    apart = f" Section 5a is about those through {asked}." if certificate.indirect else ""
    return Premise(
        "Stated",
        f"What is measured is the direct effect of {words.protected} in these rows.",
        f"It says nothing about intent, about effects that reach {words.decision} through "
        f"other attributes{named}, which can be discrimination too, or about people who "
        f"are not in the table. It is not a legal finding.{apart}",
    )


def path_premises(
    certificate: Certificate, indirect: Indirect, words: Words
) -> Iterator[Premise]:
    """What the claim about effects through chosen attributes rests on."""
    yield Premise(
        "Yours to say",
        "Which of these ways are justified.",
        f"Whoever asked put {words.columns(indirect.question.redlining)} in question. An "
        "effect is called explained because it goes in other ways, not because it is right "
        "that it does. This page measures; it does not judge that.",
    )
    learned = certificate.graph_origin.kind != "given"
    doubt = (
        "was learned from rows; that it could have been another is not in the intervals"
        if learned
        else "was stated; that it may be wrong is not in the intervals"
    )
    yield Premise(
        "Learned" if learned else "Given",
        "The graph is taken as it is.",
        f"It {doubt}, which hold the chance of the rows alone. It must not lack a common cause "
        "of two attributes; hidden ones are not treated here.",
    )
    if indirect.witnesses:
        yield Premise(
            "Not identified",
            f"Witnesses: {words.columns(indirect.witnesses)}. The effect has bounds.",
            f"Each is changed by {words.protected}, causes what is asked about and reaches "
            f"{words.decision} past it too. It would have to have two values at once, and no "
            "data tell how the two go together.",
        )
    if not indirect.consistent:
        yield Premise(
            "Open",
            "No way to direct the open links fits all that was found.",
            "So every way without a cycle was taken.",
        )
    if not indirect.is_exact:
        yield Premise(
            "Rounded",
            "These numbers are floats, on which no verdict rests.",
            "Exact ones would need larger tables than fit.",
        )

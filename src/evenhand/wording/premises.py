"""What a verdict rests on: each point with its status, and how it could be disputed."""

from collections.abc import Iterator
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.counts.examined import group_labels
from evenhand.effects.indirect_claim import Indirect
from evenhand.errors import words_only
from evenhand.evidence import Answer, Certificate, Verdict, Word
from evenhand.evidence.answer import hidden_cause
from evenhand.evidence.graph_origin import outcome_text
from evenhand.graph import PartialGraph, graph_of_edges
from evenhand.question import Bins, Knowledge
from evenhand.rows import Inspection, Rows
from evenhand.wording.answer_words import NO_YARDSTICK, hidden_cause_sentence
from evenhand.wording.sentence_parts import Premise, Strong, capital, count, listing
from evenhand.wording.verdict_words import compared_sentence
from evenhand.wording.vocabulary import Words

_INDEPENDENT_ROWS = Premise(
    "Cannot be tested",
    "Each row is one person, recorded once and independently of the others.",
    "Otherwise intervals are too narrow and p-values too small.",
)
_EDITS = {
    "add": "The arrow {} -> {} was added to the graph.",
    "remove": "The edge between {} and {} was removed from the graph.",
    "reverse": "The arrow {} -> {} of the graph was reversed.",
    "open": "Whether {} causes {}, or the other way round, was left open.",
}


class Audited(Protocol):
    """The parts of an audit that are stated."""

    @property
    def rows(self) -> Rows | None: ...  # noqa: D102
    @property
    def counts(self) -> CountTable: ...  # noqa: D102
    @property
    def knowledge(self) -> Knowledge: ...  # noqa: D102
    @property
    def certificate(self) -> Certificate: ...  # noqa: D102
    @property
    def answer(self) -> Answer: ...  # noqa: D102
    @property
    def inspection(self) -> Inspection: ...  # noqa: D102


def premises(audit: Audited, certificate: Certificate, words: Words) -> Iterator[Premise]:
    """Everything that could be disputed."""
    yield _graph(certificate)
    yield from _open_edges(certificate, words)
    yield from _order(certificate, audit.knowledge, words)
    yield from _edits(certificate)
    found = (one.problem for one in audit.inspection.matters)
    for problem in (*found, *audit.inspection.same_decisions()):
        why = " ".join(filter(None, (problem.found, problem.remedy_text(words_only))))
        yield Premise("Found in the table", problem.what, why)
    for one in certificate.determinations:
        if not one.exact:
            yield Premise(
                "Found in the table",
                f"{words.named(one.name)} determines {words.decision} but for a few rows.",
                f"The exceptions may be the finding: {one.exceptions_text}.",
            )
    yield _variants(certificate, audit.answer, words)
    yield _threshold(certificate, words)
    yield from _codings(certificate, words)
    yield from _left_out(audit.counts, certificate, words)
    hidden = hidden_cause_premise(certificate, words)
    yield hidden if audit.answer.hidden_cause is None else hidden._replace(why="")
    yield from _beyond_the_table(certificate, words)
    for assumed in certificate.also_assumed:
        yield Premise("Stated", assumed)


def not_examined(certificate: Certificate, words: Words) -> Iterator[str]:
    """What the answer does not cover, for whoever reads no further."""
    yield (
        "This is about these predictions, not about the model as a rule for new rows."
        if certificate.question.predicts
        else other_effects(certificate, words)
    )
    if certificate.partition.names:
        yield "Whether the attributes held equal are justified grounds for the decision."
    if certificate.unmeasured:
        compared = compared_sentence(certificate, words)
        yield (
            "People for whom nobody in the other group is alike in all causes (no overlap). "
            f"{compared}"
        )
    yield (
        f"Whether the values are right, and whether {words.protected} and {words.decision} "
        "together determine who is in the table."
    )


def shared_premises(
    shown: Certificate, knowledge: Knowledge, words: Words
) -> Iterator[Premise]:
    """What a copy for others rests on; nothing of it depends on rows that are withheld."""
    yield Premise(
        _origin_status(shown),
        "The causal graph.",
        f"It has {_links(shown.graph)}, {shown.graph_origin}. {_NO_COMMON_CAUSE}",
    )
    yield Premise("Given", "The threshold.", "It is a convention.")
    for one in shown.contradictions:
        yield Premise("Stated", one)
    yield from _order(shown, knowledge, words)
    yield from _edits(shown)
    if shown.question.rule:
        rule = shown.question.rule
        determine = "determines" if len(rule) == 1 else "determine"
        yield Premise("Declared", f"{words.columns(rule)} fully {determine} the decision.")
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
    yield from _beyond_the_table(shown, words)


def what_is_seen(words: Words) -> str:
    """What a difference between people alike is, if nothing is missing."""
    return "a difference of people alike" if words.question.predicts else "a direct effect"


_NO_COMMON_CAUSE = (
    "Every common cause of two attributes must be recorded. Another graph can change who is "
    "compared, and so the verdict."
)


def _origin_status(certificate: Certificate) -> str:
    return "Given" if certificate.graph_origin.kind == "given" else "Learned, not given"


def _links(graph: PartialGraph) -> str:
    open_links = f" and {count(len(graph.undirected), 'link')} of open direction"
    return count(len(graph.arrows), "arrow") + open_links * bool(graph.undirected)


def _graph(certificate: Certificate) -> Premise:
    record, origin = certificate.graph.record, "stated by whoever asked."
    if record is not None and not certificate.learned_here:
        origin = f"{certificate.graph_origin}, and given as such."
    elif record is not None:
        conflicts, made = len(record.conflicts), sum(record.tests)
        tests = f" in {count(made, 'test')}" if made else ""
        among = ""
        if conflicts:
            among = f" Contradictory tests in {count(conflicts, 'place')} gave no direction."
        origin = (
            f"found in these rows by the PC algorithm ({record.algorithm}, {record.test} test, "
            f"significance {record.significance}){tests}.{among} Links too weak to show in "
            "these rows are missing."
        )
    return Premise(
        "Learned, not given" if record else "Given",
        "The causal graph.",
        f"It has {_links(certificate.graph)}, {origin} {_NO_COMMON_CAUSE}",
    )


def _open_edges(certificate: Certificate, words: Words) -> Iterator[Premise]:
    if not certificate.ambiguous:
        return
    sets = certificate.possible_decision_causes
    every = [{*names} for names in sets]
    always = set.intersection(*every)
    unsure = [name for name in certificate.graph.nodes if name in set.union(*every) - always]
    every_set = "Both" if len(sets) == 2 else f"All {len(sets)}"
    why = f"{every_set} possible sets were judged, with the same verdict on these rows."
    if not certificate.population.agreed:
        why += " What they say about the population differs."
    if certificate.deciding_edges:
        edges = listing(
            f"{words.named(a)} – {words.named(b)}" for a, b in certificate.deciding_edges
        )
        why = f"The verdict depends on {edges}: state the direction to settle it."
    cause = "causes" if len(unsure) == 1 else "cause"
    what = f"Whether {words.columns(unsure)} {cause} {words.decision}."
    yield Premise("Left open", what, why)


def _order(certificate: Certificate, knowledge: Knowledge, words: Words) -> Iterator[Premise]:
    """The order and the arrows that were given; that none was, where arrows were learned.

    That the decision was taken to come last is an assumption with a sentence of its own.
    """
    is_given = knowledge.tiers and not knowledge.tiers_assumed
    tiers = knowledge.tiers.tiers if knowledge.tiers and is_given else ()
    named = ["all others" if tier is ... else words.columns(tier) for tier in tiers]
    sentences = [f"First {'; then '.join(named)}. No arrow may point back."] * bool(named)
    for arrows, kind in ((knowledge.required, "Required"), (knowledge.forbidden, "Forbidden")):
        if arrows:
            pairs = (f"{words.named(a)} → {words.named(b)}" for a, b in arrows)
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


def _variants(certificate: Certificate, answer: Answer, words: Words) -> Premise:
    """How many variants were judged."""
    judged = certificate.variants | answer.tried
    sets, classes, arrows = (judged[kind] for kind in ("cause_sets", "classes", "arrows"))
    kinds = [
        f"{count(sets, 'set')} of causes of {words.decision}",
        *([f"{count(arrows, 'set')} with one attribute more or less"] if arrows else []),
        *([f"{count(classes, 'other division')} of numbers into classes"] if classes else []),
        *(["the decision with its rule and without"] if judged["rules"] > 1 else []),
        *([count(judged["graphs"], "graph")] if "graphs" in judged else []),
    ]
    why = "It cannot know what was tried before."
    return Premise("Stated", f"This audit judged {listing(kinds)}.", why)


def _threshold(certificate: Certificate, words: Words) -> Premise:
    """Who chose it and, where one set of causes decides, which others give the verdict."""
    why = "Whoever asked the question chose it; it is a convention."
    largest = max(
        (abs(end) for one in certificate.partitions for end in one.extremes), default=None
    )
    decided = certificate.verdict is not Verdict.CANNOT_DECIDE and not certificate.ambiguous
    if largest is not None and decided:
        only = "only " if largest else ""
        above = f"above a threshold of {words.points(largest)} points"
        why += f" These rows meet the criterion {only}{above}."
    return Premise("Given", f"The threshold of {words.threshold_points}.", why)


def _codings(certificate: Certificate, words: Words) -> Iterator[Premise]:
    """How values were put in classes, chosen and counted."""
    codings = certificate.codings
    classed = [
        f"{words.named(name)} "
        f"({'; '.join(bins.labels) if isinstance(bins, Bins) else f'{bins} classes'})"
        for name, bins in codings.bins.items()
    ]
    classed += [
        f"{words.named(name)} ({'; '.join(map(str, new))})"
        for name, new in codings.merge.items()
    ]
    if classed:
        yield Premise(
            "Given",
            "Values were divided into classes before counting.",
            f"{listing(classed)}. Differences within a class can look like "
            f"{what_is_seen(words)} or hide one.",
        )
    rules = {
        "Only chosen columns were counted: no other cause is held equal.": (
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
        f"Everybody but {words.group_people}{these} was pooled as {words.other}.": (
            certificate.pools_others
        ),
        f"The {favorable} favorable decisions count as one.": favorable > 1,
        "All decisions that are not favorable were pooled.": (
            favorable and values - favorable > 1
        ),
    }
    yield from (Premise("Given", one) for one, applies in statements.items() if applies)


def hidden_cause_premise(certificate: Certificate, words: Words) -> Premise:
    """What an unrecorded cause could do, with the strongest recorded one as the yardstick."""
    hidden = hidden_cause(certificate, Word.NOT_SHOWN)
    return Premise(
        "Cannot be tested",
        f"No unrecorded cause of {words.recorded} differs between {words.both}.",
        hidden_cause_sentence(hidden, words) if hidden is not None else NO_YARDSTICK,
    )


def _beyond_the_table(certificate: Certificate, words: Words) -> Iterator[Premise]:
    """What no table can show of how it came about, and what the question leaves out."""
    yield _INDEPENDENT_ROWS
    yield Premise(
        "Cannot be tested",
        "What came before the table.",
        f"The values are right and unaltered. {capital(words.protected)} and "
        f"{words.decision} together do not determine who is in the table. No other question, "
        "threshold, grouping or graph was tried first.",
    )
    if certificate.question.predicts:
        yield Premise(
            "Stated",
            "Compared are predictions for people alike in the causes of the recorded "
            f"{words.recorded}.",
            f"No direct effect of {words.protected} is claimed: differences can run "
            "through whatever else the model reads. The verdict is about these predictions, "
            "not about the model as a rule for new rows, says nothing about intent, and is "
            "not a legal finding.",
        )
        return
    yield Premise(
        "Stated",
        f"Only the direct effect of {words.protected} is measured.",
        f"{other_effects(certificate, words, named=False)} The verdict says nothing about "
        "intent, and is not a legal finding.",
    )


def other_effects(certificate: Certificate, words: Words, *, named: bool = True) -> str:
    """That effects through other attributes are not part of the answer, with their names."""
    passing = frozenset[str]().union(
        *map(certificate.graph.descendants, certificate.question.protected_names)
    )
    through = [name for name in certificate.partition.names if name in passing]
    here = f" (here {words.columns(through)})" if through and named else ""
    apart = " They are a claim of their own, below." if certificate.indirect else ""
    return (
        f"Effects of {words.protected} on {words.decision} through other attributes{here} "
        f"are not included, and can be discrimination too.{apart}"
    )


def path_premises(
    certificate: Certificate, indirect: Indirect, words: Words
) -> Iterator[Premise]:
    """What the claim about effects through chosen attributes rests on."""
    yield Premise(
        "Yours to say",
        "Which of these paths are justified.",
        f"Whoever asked put {words.columns(indirect.question.redlining)} in question. An "
        "effect is called explained because it takes another path, not because that is right.",
    )
    learned = certificate.graph_origin.kind != "given"
    doubt = "was learned from rows" if learned else "was stated"
    yield Premise(
        "Learned" if learned else "Given",
        "The graph is taken as it is.",
        f"It {doubt}; the intervals do not allow for an error in it, nor for hidden causes.",
    )
    if indirect.witnesses:
        yield Premise(
            "Not identified",
            f"Witnesses: {words.columns(indirect.witnesses)}. The effect has bounds.",
            f"Each is changed by {words.protected}, causes what is asked about and reaches "
            f"{words.decision} on another path too, so the effect cannot be identified.",
        )
    if not indirect.consistent:
        yield Premise(
            "Open",
            "The open links cannot all be directed consistently.",
            "Every direction without a cycle was tried.",
        )
    if not indirect.is_exact:
        yield Premise(
            "Rounded",
            "These numbers are floating-point; no verdict rests on them.",
            "Exact ones would need tables that do not fit into memory.",
        )

"""What a verdict rests on: each point with its status, and how it could be disputed."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.counts.compared_groups import group_labels
from evenhand.effects.claim import Indirect, ResampledEffects
from evenhand.errors import words_only
from evenhand.evidence import Certificate, Variations, Verdict, sensitivity_of_findings
from evenhand.evidence.subpopulations import p_value
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.graph import PartialGraph
from evenhand.question import Bins, Judge, Knowledge
from evenhand.rows import FindingKind, Inspection, Rows
from evenhand.wording.numbers import count, listing, share
from evenhand.wording.statements import Premise, Section, Strong, text
from evenhand.wording.words import Words

_EXAMPLES = 5
_EDITS = {
    "add": "The arrow {} -> {} was added to the graph.",
    "remove": "The edge between {} and {} was removed from the graph.",
    "reverse": "The arrow {} -> {} of the graph was reversed.",
    "open": "Whether {} causes {}, or the other way round, was left open.",
}
_SIDES = {
    "direct": "straight to the decision",
    "through": "only by way of what is asked about",
    "explained": "past it, explained",
    "not judged": "past it, not judged",
    "witness": "both by way of it and past it",
    "open": "as open links are directed",
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
    def judge(self) -> Judge:
        """Which verdict decides."""

    @property
    def inspection(self) -> Inspection:
        """What a look at the table found."""


def premises(
    audit: Audited,
    certificate: Certificate,
    words: Words,
    *,
    doubt: GraphDoubt | None = None,
    resampled: Bootstrap | None = None,
    arrows: Variations | None = None,
) -> Iterator[Premise]:
    """Everything that could be disputed; what was tried is told where it was."""
    yield _graph(certificate, tried=resampled is not None)
    yield from _open_edges(certificate, words)
    if doubt:
        yield _doubt(doubt, words)
    if resampled:
        yield _resamples(resampled, words)
    yield from _order(certificate, audit.knowledge, words)
    yield from _edits(certificate)
    yield from _missing_values(audit.counts, words)
    yield from _inspected(audit.inspection)
    if audit.judge != "rows":
        yield Premise(
            "Given",
            "What the rows show of the population decides.",
            "Chosen by whoever asked the question, in place of the exact verdict on these "
            "rows. A difference that the rows are too few to show does not count then; "
            "released rows are judged by the exact verdict all the same.",
        )
    for one in certificate.determinations:
        if not one.exact:
            yield Premise(
                "Seen",
                f"{words.column(one.name)} determines {words.decision} but for a few rows.",
                f"The exceptions may be the finding: {one.exceptions_text}.",
            )
    yield from _variants(certificate, words, arrows)
    yield _threshold(certificate, words)
    yield from _codings(certificate, words)
    yield from _left_out(audit.counts, certificate, words)
    yield sensitivity_premise(certificate, words)
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
    yield _record(words)
    yield _direct_effect(shown, words)


def what_is_seen(words: Words) -> str:
    """What a difference between people alike is, if nothing is missing."""
    return "a difference of people alike" if words.question.predicts else "a direct effect"


def _links(graph: PartialGraph) -> str:
    open_links = f" and {count(len(graph.undirected), 'link')} of open direction"
    return count(len(graph.arrows), "arrow") + open_links * bool(graph.undirected)


def _graph(certificate: Certificate, *, tried: bool) -> Premise:
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
            + ("" if tried else " Whether other rows would give it, too, was not tried.")
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


def _doubt(doubt: GraphDoubt, words: Words) -> Premise:
    """What the counts say against the graph at the decision."""
    weakest = next(iter(doubt.arrows), None)
    link = (
        f"The weakest of the links at {words.decision} is the one with "
        f"{words.column(weakest.cause)}: the largest p for their independence is "
        f"{p_value(weakest.p)}."
        if weakest
        else f"No link leads to {words.decision}."
    )
    against = [words.column(one.name) for one in doubt.contradicted]
    return Premise(
        "Tried",
        "The links at the decision.",
        f"{link} Of {count(len(doubt.implied), 'independence')} that the graph implies, the "
        f"rows speak against {len(against)}" + (f": {listing(against)}." if against else "."),
    )


def _resamples(bootstrap: Bootstrap, words: Words) -> Premise:
    """What comes out when rows are drawn again."""
    verdicts = ", ".join(
        f"{verdict} in {share(bootstrap.share(many))}"
        for verdict, many in bootstrap.verdicts.items()
    )
    causes = ", ".join(
        f"{words.column(name)} {share(bootstrap.share(many))}"
        for name, many in sorted(bootstrap.causes.items(), key=lambda item: -item[1])
    )
    how = "each with its own graph" if bootstrap.relearned else "all with the same graph"
    certain = f" Certain causes: {causes}." if bootstrap.relearned else ""
    return Premise(
        "Tried",
        f"{count(bootstrap.resamples, 'resample')} of the rows, {how}.",
        f"The verdict is {verdicts} of them.{certain}",
    )


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
        gives = f": {before.outcome}" if before.outcome else ", before the edits"
        yield Premise(
            "Tried" if before.outcome else "Given",
            f"As {origin.kind}{gives}.",
            f"The graph was then: {before.graph(certificate.graph.nodes)}",
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


def _variants(
    certificate: Certificate, words: Words, arrows: Variations | None
) -> Iterator[Premise]:
    """How many variants were judged, and what other arrows gave."""
    if arrows is not None:
        added = sum(way.is_cause for way in arrows.ways)
        yield Premise(
            "Tried",
            f"Each of {count(len(arrows.ways) - added, 'cause')} of {words.decision} left "
            f"out, each of {count(added, 'candidate')} added.",
            f"{arrows.sentence(words.column)} {' '.join(arrows.notes)}",
        )
    judged = certificate.stating(arrows=len(arrows.ways) if arrows else 0).variants
    kinds = [
        f"{count(judged['cause_sets'], 'set')} of causes of {words.decision}",
        *(["with the rule and without"] if judged["rules"] > 1 else []),
        "no other classes",
        f"{judged['arrows'] or 'no'} other arrows",
        *([count(judged["graphs"], "graph")] if "graphs" in judged else []),
    ]
    why = "That no more was tried before is not known here."
    yield Premise("Stated", f"Variants judged: {', '.join(kinds)}.", why)


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


def sensitivity_premise(certificate: Certificate, words: Words) -> Premise:
    """How strong an unrecorded cause would have to be, in terms of the recorded ones."""
    what = (
        f"No unrecorded cause of {words.recorded} differs between {words.both} of the same "
        "group."
    )
    if not certificate.partition.violating:
        why = (
            "Under the threshold only the average over such a cause is bounded: differences "
            "of opposite signs could hide within a group, and an unrecorded cause could "
            f"cover {what_is_seen(words)}."
        )
        return Premise("Cannot be tested", what, why)
    findings = sensitivity_of_findings(certificate.partition)
    needed = []
    for rank, finding in enumerate(findings[:_EXAMPLES], 1):
        strongest = next(iter(finding.benchmarks), None)
        times = finding.times(strongest) if strongest else None
        needed.append(
            (
                f"E{rank}",
                f"{100 * finding.needed:.1f} points",
                words.column(strongest.name) if strongest else "none has rows enough here",
                f"{100 * strongest.strength:.1f} points" if strongest else "",
                "" if times is None else f"{times:.1f}",
            )
        )
    return Premise(
        "Cannot be tested",
        what,
        text(
            "How many points such a cause would have to account for to bring a difference "
            "under the threshold, beside what the strongest recorded cause could account "
            "for among the same people. ",
            *_survival([finding.survives for finding in findings]),
            " Chance is not allowed for here",
            Section(" (section 4)"),
            ".",
        ),
        tuple(needed),
    )


def _survival(survives: Sequence[bool | None]) -> tuple[str, ...]:
    """How many findings outlast a cause as strong as a recorded one, where there is one."""
    comparable = [survived for survived in survives if survived is not None]
    if not comparable:
        return text(
            "No recorded cause that has rows enough differs between the two sides there, so "
            "there is nothing to compare with."
        )
    survive, rest = sum(comparable), len(survives) - len(comparable)
    one = len(survives) == 1
    of = "The one" if one else f"{survive:,} of {count(len(comparable), 'difference')}"
    verb = "would not survive" if one and not survive else "would survive"
    beside = f"; for {rest:,} more there is none to compare with" if rest else ""
    return Strong(f"{of} {verb}"), f" an unrecorded cause as strong as that{beside}."


def _record(words: Words) -> Premise:
    """What no table can show of how it came about."""
    return Premise(
        "Cannot be tested",
        "What came before the table.",
        "That each row is one person, recorded once and independently of the others; "
        "that the values are right, were not altered, and lost nothing that matters in "
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
    certificate: Certificate,
    indirect: Indirect,
    words: Words,
    resampled: ResampledEffects | None,
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
    yield from _measured_paths(indirect, words)
    if resampled is not None:
        facts = "; ".join(f"{name}: {value}" for name, value in resampled.facts)
        yield Premise(
            "Resampled", "How far the ends of the effect move in resampled rows.", f"{facts}."
        )


def _measured_paths(indirect: Indirect, words: Words) -> Iterator[Premise]:
    """On whose rows, by which ways, with what missing."""
    group, other = words.group_people, words.other_people
    if indirect.question.basis == "all":
        why = "Everybody is taken to have one value, then the other."
        yield Premise("Measured", "On everybody’s rows.", why)
    else:
        yield Premise(
            "Measured",
            "On the rows of those who are asked about.",
            f"From {group} to {other} on the rows of {group}, the other way on those of "
            f"{other}.",
        )
    ways = "; ".join(_ways(indirect, words))
    yield Premise(
        "Ways",
        f"How {words.protected} reaches {words.decision}, by what it changes first.",
        f"{ways[:1].upper()}{ways[1:]}.",
    )
    rest = [name for name, side in indirect.sides.items() if side == "not judged"]
    if judged := indirect.question.explained:
        by_way = f"What goes by way of {words.columns(rest)}."
        yield Premise(
            "Not judged",
            by_way if rest else "Nothing is left unjudged.",
            f"Called explained is only what goes through {words.columns(judged)}.",
        )
    if indirect.witnesses:
        yield Premise(
            "Not identified",
            f"Witnesses: {words.columns(indirect.witnesses)}. The effect has bounds.",
            f"Each is changed by {words.protected}, causes what is asked about and reaches "
            f"{words.decision} past it too. It would have to have two values at once, and no "
            "data tell how the two go together.",
        )
    if indirect.unseen_mass:
        yield Premise(
            "Unseen",
            f"For up to {share(float(indirect.unseen_mass))} of the people a table that is "
            "needed has no row.",
            "Nothing is put in its place: they may all count either way.",
        )
    if len(indirect.graphs) > 1:
        yield Premise(
            "Open",
            f"The effects in {count(len(indirect.graphs), 'graph')} that the open links allow.",
            "The bounds are the least and the largest of all of them."
            if indirect.consistent
            else "No way to direct the open links fits all that was found, so every way "
            "without a cycle was taken. The bounds are the least and the largest of all.",
        )
    if not indirect.is_exact:
        yield Premise(
            "Rounded",
            "These numbers are floats, on which no verdict rests.",
            "Exact ones would need larger tables than fit.",
        )


def _ways(indirect: Indirect, words: Words) -> Iterator[str]:
    """How the protected attribute goes on, with the children that lead each way."""
    for side, way in _SIDES.items():
        names = [name for name, its in indirect.sides.items() if its == side]
        if names:
            yield way if side == "direct" else f"{way}: {words.columns(names)}"

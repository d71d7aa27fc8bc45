"""Section 7: what the verdict rests on, each point with its status and how to dispute it."""

from collections.abc import Sequence

from evenhand.counts import CountTable
from evenhand.counts.compared_groups import group_labels
from evenhand.evidence import Certificate, Sensitivity, Verdict, sensitivity_of_findings
from evenhand.evidence.subpopulations import p_value
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.question import Bins, Judge, Knowledge
from evenhand.report.html_report import View
from evenhand.report.model_section import prediction_premise, what_is_seen
from evenhand.report.shown_groups import Case
from evenhand.wording import Premise, Strong, Text, Words, count, listing, share, text

_EXAMPLES = 5


def graph_premises(
    certificate: Certificate,
    knowledge: Knowledge,
    words: Words,
    doubt: GraphDoubt | None,
    resampled: Bootstrap | None,
) -> tuple[Premise, ...]:
    """The graph, how sure it is, and the order of events that it follows."""
    return (
        _graph(certificate, tried=resampled is not None),
        *_open_edges(certificate, words),
        *((_doubt(doubt, words),) if doubt else ()),
        *((_resamples(resampled, words),) if resampled else ()),
        *order_premises(certificate, knowledge, words),
    )


def judge_premises(judge: Judge) -> tuple[Premise, ...]:
    """That what is shown of the population decides, where that was chosen."""
    if judge == "rows":
        return ()
    why = (
        "Chosen by whoever asked the question, in place of the exact verdict on these rows. A "
        "difference that the rows are too few to show does not count then; released rows are "
        "judged by the exact verdict all the same."
    )
    return (
        Premise(
            status="Given",
            what="What the rows show of the population decides.",
            why=text(why),
        ),
    )


def other_premises(
    counts: CountTable,
    certificate: Certificate,
    cases: Sequence[Case],
    words: Words,
) -> tuple[Premise, ...]:
    """Everything else that could be disputed."""
    return (
        _threshold(certificate, words),
        *coding_premises(certificate, words),
        *_left_out(counts, certificate, words),
        sensitivity_premise(certificate, cases, words),
        record_premise(words),
        direct_effect_premise(certificate, words),
        *(Premise(status="Stated", what=assumed) for assumed in certificate.also_assumed),
    )


def record_premise(words: Words) -> Premise:
    """What no table can show of how it came about."""
    return Premise(
        status="Cannot be tested",
        what="What came before the table.",
        why=text(
            "That each row is one person, recorded once and independently of the others; "
            "that the values are right, were not altered, and lost nothing that matters in "
            "classes made before; that nobody is in the table, or missing from it, because "
            f"of {words.protected} and {words.decision} together; and that no other "
            "question, threshold, grouping or graph was tried first. Nor does this page "
            "know who asked."
        ),
    )


def _threshold(certificate: Certificate, words: Words) -> Premise:
    """Who chose it and, where one set of causes decides, which others give the verdict."""
    why = "Chosen by whoever asked the question. It is a convention, not a natural limit."
    largest = max(
        (abs(end) for one in certificate.partitions for end in one.extremes), default=None
    )
    decided = certificate.verdict is not Verdict.CANNOT_DECIDE and not certificate.ambiguous
    if largest is not None and decided:
        reached = "The criterion is met only above" if largest else "The criterion is met above"
        why += f" {reached} the largest difference, {words.points(largest)} points."
    return Premise(
        status="Given", what=f"The threshold of {words.threshold_points}.", why=text(why)
    )


def direct_effect_premise(certificate: Certificate, words: Words) -> Premise:
    """What the question leaves out, with the names of what passes it on."""
    passing = frozenset[str]().union(
        *map(certificate.graph.descendants, certificate.question.protected_names)
    )
    if certificate.question.predicts:
        return prediction_premise(words)
    through = [name for name in certificate.partition.names if name in passing]
    named = f" (here {words.columns(through)})" if through else ""
    asked = words.columns(certificate.question.redlining)
    apart = f" Section 5a is about those through {asked}." if certificate.indirect else ""
    return Premise(
        status="Stated",
        what=f"What is measured is the direct effect of {words.protected} in these rows.",
        why=text(
            f"It says nothing about intent, about effects that reach {words.decision} through "
            f"other attributes{named}, which can be discrimination too, or about people who "
            f"are not in the table. It is not a legal finding.{apart}",
        ),
    )


def _graph(certificate: Certificate, *, tried: bool) -> Premise:
    graph = certificate.graph
    record = graph.record
    links = count(len(graph.arrows), "arrow")
    if graph.undirected:
        links += f" and {count(len(graph.undirected), 'link')} of open direction"
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
        status="Learned, not given" if record else "Given",
        what="The causal graph.",
        why=text(
            f"It has {links}, {origin} It must not lack a common cause of two attributes. "
            "Another graph can change which people are compared, and with that the verdict."
        ),
    )


def _open_edges(certificate: Certificate, words: Words) -> tuple[Premise, ...]:
    if not certificate.ambiguous:
        return ()
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
    return (
        Premise(
            status="Left open",
            what=f"The causes of {words.decision} may be {sets}.",
            why=text(why),
        ),
    )


def _doubt(doubt: GraphDoubt, words: Words) -> Premise:
    """What the counts say against the graph at the decision."""
    weakest = next(iter(doubt.arrows), None)
    sentences = [
        f"The weakest of the links at {words.decision} is the one with "
        f"{words.column(weakest.cause)}: the largest p for their independence is "
        f"{p_value(weakest.p)}."
        if weakest
        else f"No link leads to {words.decision}."
    ]
    against = [words.column(one.name) for one in doubt.contradicted]
    sentences.append(
        f"Of {count(len(doubt.implied), 'independence')} that the graph implies, the rows "
        f"speak against {len(against)}" + (f": {listing(against)}." if against else ".")
    )
    return Premise(
        status="Tried", what="The links at the decision.", why=text(" ".join(sentences))
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
    sentence = f"The verdict is {verdicts} of them."
    if bootstrap.relearned:
        sentence += f" Certain causes: {causes}."
    return Premise(
        status="Tried",
        what=f"{count(bootstrap.resamples, 'resample')} of the rows, {how}.",
        why=text(sentence),
    )


def order_premises(
    certificate: Certificate, knowledge: Knowledge, words: Words
) -> tuple[Premise, ...]:
    """The order and the arrows that were given; that none was, where arrows were learned.

    That the decision was taken to come last is an assumption with a sentence of its own.
    """
    is_given = knowledge.tiers and not knowledge.tiers_assumed
    tiers = knowledge.tiers.tiers if knowledge.tiers and is_given else ()
    named = ["all others" if tier is ... else words.columns(tier) for tier in tiers]
    sentences = []
    if named:
        later = "".join(f"; then {tier}" for tier in named[1:])
        sentences.append(f"First {named[0]}{later}. No arrow may point back in it.")
    for arrows, kind in ((knowledge.required, "Required"), (knowledge.forbidden, "Forbidden")):
        if arrows:
            pairs = (f"{words.column(a)} → {words.column(b)}" for a, b in arrows)
            sentences.append(f"{kind}: {', '.join(pairs)}.")
    origin = certificate.graph_origin
    if not sentences and (origin.kind == "given" or origin.decision_last):
        return ()
    return (
        Premise(
            status="Given" if sentences else "Not given",
            what="The order of events.",
            why=text(" ".join(sentences) or "None was stated."),
        ),
    )


def coding_premises(certificate: Certificate, words: Words) -> tuple[Premise, ...]:
    """How values were put in classes, chosen and counted."""
    codings = certificate.codings
    binned = [
        f"{words.column(name)} "
        f"({'; '.join(bins.labels) if isinstance(bins, Bins) else f'{bins} classes'})"
        for name, bins in codings.bins.items()
    ]
    merged = [
        f"{words.column(name)} ({'; '.join(map(str, new))})"
        for name, new in codings.merge.items()
    ]
    premises = []
    if binned or merged:
        premises.append(
            Premise(
                status="Given",
                what="Values put in classes before counting.",
                why=text(
                    f"{listing([*binned, *merged])}. Within a class people may still differ, "
                    f"which can look like {what_is_seen(words)} or hide one; other classes "
                    "can give another verdict."
                ),
            )
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
    stated = [rule for rule, applies in rules.items() if applies]
    return (*premises, *(Premise(status="Given", what=rule) for rule in stated))


def _left_out(
    counts: CountTable, certificate: Certificate, words: Words
) -> tuple[Premise, ...]:
    statements = []
    further = [words.group_name(value) for value in _further_groups(counts, certificate)]
    these = f" ({listing(further)})" if further else ""
    if certificate.examined.left_out:
        many = f"{count(certificate.examined.left_out, 'row')} of"
        statements.append(f"{many} groups that are not compared{these} were left out.")
    if certificate.dropped:
        many = count(certificate.dropped, "row")
        statements.append(
            f"{many} with missing values {'was' if many == '1 row' else 'were'} dropped. "
            "Whether such people fare like the others is not known."
        )
    if certificate.pools_others:
        statements.append(
            f"Everybody but {words.group}{these} was put together as {words.other}."
        )
    values = len(certificate.examined.counts.attribute(certificate.question.decision))
    favorable = len(certificate.question.favorable_values)
    if favorable > 1:
        statements.append(f"The {favorable} favorable decisions count as one.")
    if favorable and values - favorable > 1:
        statements.append("All decisions that are not favorable were put together.")
    return tuple(Premise(status="Given", what=one) for one in statements)


def _further_groups(counts: CountTable, certificate: Certificate) -> list[str]:
    """The groups that are not compared, or not by themselves."""
    question = certificate.question
    if question.group is None:
        return []
    labels, _ = group_labels(counts, question)
    return [value for value in labels if value not in (question.group, question.other)]


def sensitivity_premise(
    certificate: Certificate, cases: Sequence[Case], words: Words
) -> Premise:
    """How strong an unrecorded cause would have to be, in terms of the recorded ones."""
    findings: tuple[Sensitivity, ...] = ()
    if not certificate.partition.violating:
        why = text(
            "Under the threshold only the average over such a cause is bounded: differences "
            "of opposite signs could hide within a group, and an unrecorded cause could "
            f"cover {what_is_seen(words)}."
        )
    else:
        findings = sensitivity_of_findings(certificate.partition)
        why = text(
            "How many points such a cause would have to account for to bring a difference "
            "under the threshold, beside what the strongest recorded cause could account "
            "for among the same people. ",
            *_survival([finding.survives for finding in findings]),
            " Chance is not allowed for here (section 4).",
        )
    return Premise(
        status="Cannot be tested",
        what=f"No unrecorded cause of {words.recorded} differs between {words.both} of the "
        "same group.",
        why=why,
        needed=tuple(
            _needed(case, finding, words)
            for case, finding in zip(cases, findings[:_EXAMPLES], strict=False)
        ),
    )


def _survival(survives: Sequence[bool | None]) -> Text:
    """How many findings outlast a cause as strong as a recorded one, where there is one."""
    comparable = [survived for survived in survives if survived is not None]
    if not comparable:
        return text(
            "No recorded cause that has rows enough differs between the two sides there, so "
            "there is nothing to compare with."
        )
    survive = sum(comparable)
    one = len(survives) == 1
    of = "The one" if one else f"{survive:,} of {count(len(comparable), 'difference')}"
    verb = "would not survive" if one and not survive else "would survive"
    rest = len(survives) - len(comparable)
    return text(
        Strong(f"{of} {verb}"),
        " an unrecorded cause as strong as that"
        + (f"; for {rest:,} more there is none to compare with." if rest else "."),
    )


def _needed(case: Case, finding: Sensitivity, words: Words) -> View:
    strongest = next(iter(finding.benchmarks), None)
    times = finding.times(strongest) if strongest else None
    return View(
        id=case.id,
        points=f"{100 * finding.needed:.1f} points",
        cause=words.column(strongest.name) if strongest else "none has rows enough here",
        could=f"{100 * strongest.strength:.1f} points" if strongest else "",
        times="" if times is None else f"{times:.1f}",
    )

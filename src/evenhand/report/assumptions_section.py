"""Section 7: what the verdict rests on, each point with its status and how to dispute it."""

from collections.abc import Sequence

from evenhand.counts import CountTable
from evenhand.evidence import Certificate, Sensitivity, sensitivity_of_findings
from evenhand.evidence.bootstrap import Bootstrap
from evenhand.evidence.graph_doubt import GraphDoubt
from evenhand.evidence.subpopulations import p_value
from evenhand.graph import PartialGraph
from evenhand.question import Bins, Knowledge
from evenhand.report import view
from evenhand.report.phrases import Words, count, listing, share
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.view import Strong, text

_EXAMPLES = 5


def of_graph(
    certificate: Certificate,
    knowledge: Knowledge,
    words: Words,
    doubt: GraphDoubt | None,
    resampled: Bootstrap | None,
) -> tuple[view.Premise, ...]:
    """The graph, how sure it is, and the order of events that it follows."""
    return (
        _graph(certificate),
        *_open_edges(certificate, words),
        *((_doubt(doubt, words),) if doubt else ()),
        *((_resampled(resampled, words),) if resampled else ()),
        _order(knowledge, words),
    )


def premises(
    certificate: Certificate, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> tuple[view.Premise, ...]:
    """Everything else that could be disputed."""
    return (
        view.Premise(
            status="Given",
            what=f"The threshold of {words.threshold_points}.",
            why=text(
                "Chosen by whoever asked the question. It is a convention, not a natural "
                "limit.",
            ),
        ),
        *_codings(certificate, words),
        *_left_out(certificate, words, sharing),
        _sensitivity(certificate, drawn, words, sharing),
        view.Premise(
            status="Stated",
            what=f"What is measured is the direct effect of {words.protected} in these rows.",
            why=text(
                "It says nothing about intent, about effects that reach "
                f"{words.decision} through other "
                "attributes, or about people who are not in the table. It is not a legal "
                "finding.",
            ),
        ),
        *(view.Premise(status="Stated", what=said) for said in certificate.also_assumed),
    )


def _graph(certificate: Certificate) -> view.Premise:
    graph = certificate.graph
    record = graph.record if isinstance(graph, PartialGraph) else None
    links = count(len(graph.arrows), "arrow")
    if graph.undirected:
        links += f" and {count(len(graph.undirected), 'link')} of open direction"
    dispute = "Another graph can change which people are compared, and with that the verdict."
    if record is None:
        return view.Premise(
            status="Given",
            what="The causal graph.",
            why=text(f"It has {links}, stated by whoever asked. {dispute}"),
        )
    tests = sum(record.tests)
    return view.Premise(
        status="Learned, not given",
        what="The causal graph.",
        why=text(
            f"It has {links}, found in these rows by the PC algorithm "
            f"({record.algorithm}): {record.test} test, significance "
            f"{record.significance}, {count(tests, 'test')}"
            + (
                f", {count(len(record.conflicts), 'contradiction')} among them"
                if record.conflicts
                else ""
            )
            + f". No common cause of two attributes may be missing. {dispute}",
        ),
    )


def _open_edges(certificate: Certificate, words: Words) -> tuple[view.Premise, ...]:
    if not certificate.ambiguous:
        return ()
    sets = " or ".join(
        f"{{{words.columns(names)}}}" for names in certificate.possible_decision_causes
    )
    why = "All of them were examined, and give the same verdict."
    if certificate.deciding_edges:
        edges = listing(
            f"{words.column(a)} – {words.column(b)}" for a, b in certificate.deciding_edges
        )
        why = f"The verdict hangs on {edges}: state the direction to settle it."
    return (
        view.Premise(
            status="Left open",
            what=f"The causes of {words.decision} may be {sets}.",
            why=text(why),
        ),
    )


def _doubt(found: GraphDoubt, words: Words) -> view.Premise:
    """What the counts say against the graph at the decision."""
    weakest = next(iter(found.arrows), None)
    said = [
        f"The weakest of the links at {words.decision} is the one with "
        f"{words.column(weakest.cause)}: the largest p for their independence is "
        f"{p_value(weakest.p)}."
        if weakest
        else f"No link leads to {words.decision}."
    ]
    against = [words.column(one.name) for one in found.contradicted]
    said.append(
        f"Of {count(len(found.implied), 'independence')} that the graph implies, the rows "
        f"speak against {len(against)}" + (f": {listing(against)}." if against else ".")
    )
    return view.Premise(
        status="Tried", what="The links at the decision.", why=text(" ".join(said))
    )


def _resampled(found: Bootstrap, words: Words) -> view.Premise:
    """What comes out when rows are drawn again."""
    verdicts = ", ".join(
        f"{verdict} in {share(found.share(many))}" for verdict, many in found.verdicts.items()
    )
    causes = ", ".join(
        f"{words.column(name)} {share(found.share(many))}"
        for name, many in sorted(found.causes.items(), key=lambda item: -item[1])
    )
    how = "each with its own graph" if found.relearned else "all with the same graph"
    told = f"The verdict is {verdicts} of them."
    if found.relearned:
        told += f" Certain causes: {causes}."
    return view.Premise(
        status="Tried",
        what=f"{count(found.resamples, 'resample')} of the rows, {how}.",
        why=text(told),
    )


def _order(knowledge: Knowledge, words: Words) -> view.Premise:
    tiers = knowledge.tiers.tiers if knowledge.tiers else ()
    if not tiers:
        return view.Premise(
            status="Not given",
            what="The order of events.",
            why=text("No order of the attributes was stated."),
        )
    named = ["all others" if tier is ... else words.columns(tier) for tier in tiers]
    return view.Premise(
        status="Given",
        what="The order of events.",
        why=text(
            f"First {named[0]}{''.join(f'; then {tier}' for tier in named[1:])}. No "
            "arrow may point back in it.",
        ),
    )


def _codings(certificate: Certificate, words: Words) -> tuple[view.Premise, ...]:
    codings = certificate.codings
    binned = [
        f"{words.column(name)} "
        f"({', '.join(bins.labels) if isinstance(bins, Bins) else f'{bins} classes'})"
        for name, bins in codings.bins.items()
    ]
    merged = [
        f"{words.column(name)} ({', '.join(map(str, new))})"
        for name, new in codings.merge.items()
    ]
    if not binned and not merged:
        return ()
    return (
        view.Premise(
            status="Given",
            what="Values put in classes before counting.",
            why=text(f"{listing([*binned, *merged])}. Within a class people may still differ."),
        ),
    )


def taken_as_values(
    counts: CountTable, words: Words, sharing: Sharing
) -> tuple[view.Premise, ...]:
    """Values that may mean a missing one; how many rows have them is not for others."""
    found = counts.missing_markers
    if not found or sharing.share:
        return ()
    said = [
        f"{count(one.rows, 'row')} with “{one.value}” as {words.column(one.name)}"
        for one in found[:_EXAMPLES]
    ]
    rest = len(found) - len(said)
    return (
        view.Premise(
            status="Not declared",
            what="Values that look as if something were missing were taken as they stand.",
            why=text(
                f"{listing([*said, f'{rest} more such values'] if rest else said)}. If they "
                "mean that nothing is known, declare them as missing: the groups change then.",
            ),
        ),
    )


def _left_out(
    certificate: Certificate, words: Words, sharing: Sharing
) -> tuple[view.Premise, ...]:
    said = []
    shown = sharing.whole
    if certificate.examined.left_out:
        many = f"{count(certificate.examined.left_out, 'row')} of" if shown else "Rows of"
        said.append(f"{many} groups that are not compared were left out.")
    if certificate.dropped:
        many = count(certificate.dropped, "row") if shown else "Rows"
        said.append(
            f"{many} with missing values {'was' if many == '1 row' else 'were'} dropped."
        )
    if certificate.pools_others:
        said.append(f"Everybody but {words.group} was put together as {words.other}.")
    if len(certificate.examined.counts.attribute(certificate.question.decision)) > 2:
        said.append("All decisions that are not favorable were put together.")
    return tuple(view.Premise(status="Given", what=one) for one in said)


def _sensitivity(
    certificate: Certificate, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> view.Premise:
    """How strong an unrecorded cause would have to be, in terms of the recorded ones."""
    what = (
        f"No unrecorded cause of {words.decision} differs between {words.group} and "
        f"{words.other} of the same group."
    )
    if not any(case.side for case in drawn):
        hidden = (
            "Under the threshold only the average over such a cause is bounded: differences "
            "of opposite signs could hide within a group, and an unrecorded cause could "
            "cover a direct effect."
        )
        return view.Premise(status="Cannot be tested", what=what, why=text(hidden))
    if not sharing.whole:
        hidden = (
            "How strong such a cause would have to be is told in the full report: beside it "
            "stand the recorded causes, whose strength rests on groups that are withheld."
        )
        return view.Premise(status="Cannot be tested", what=what, why=text(hidden))
    tried = sensitivity_of_findings(certificate.partition)
    return view.Premise(
        status="Cannot be tested",
        what=what,
        why=text(
            "How many points such a cause would have to account for to bring a finding "
            "under the threshold, beside what the strongest recorded cause could account "
            "for among the same people. ",
            *_survival([finding.survives for finding in tried]),
        ),
        needed=tuple(
            _needed(case, finding, words)
            for case, finding in zip(drawn, tried[:_EXAMPLES], strict=False)
        ),
    )


def _survival(survives: Sequence[bool | None]) -> view.Text:
    """How many findings outlast a cause as strong as a recorded one, where there is one."""
    comparable = [survived for survived in survives if survived is not None]
    if not comparable:
        return text(
            "No recorded cause that has rows enough differs between the two sides there, so "
            "there is nothing to compare with."
        )
    survive = sum(comparable)
    one = len(survives) == 1
    of = "The finding" if one else f"{survive:,} of {count(len(comparable), 'finding')}"
    verb = "would not survive" if one and not survive else "would survive"
    rest = len(survives) - len(comparable)
    return text(
        Strong(f"{of} {verb}"),
        " an unrecorded cause as strong as that"
        + (f"; for {rest:,} more there is none to compare with." if rest else "."),
    )


def _needed(case: Case, found: Sensitivity, words: Words) -> view.Needed:
    strongest = next(iter(found.benchmarks), None)
    times = found.times(strongest) if strongest else None
    return view.Needed(
        id=case.id,
        points=f"{100 * found.needed:.1f} points",
        cause=words.column(strongest.name) if strongest else "none has rows enough here",
        could=f"{100 * strongest.strength:.1f} points" if strongest else "",
        times="" if times is None else f"{times:.1f}",
    )

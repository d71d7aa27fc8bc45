"""A certificate as a terminal shows it: its first sentence, its facts, its table."""

from collections.abc import Iterator, Sequence
from operator import attrgetter, itemgetter

from evenhand.display import Summary, percent
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.determining_columns import met_by_construction
from evenhand.evidence.graph_origin import outcome_text
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistical_verdict import Population
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.evidence.subpopulations import p_value
from evenhand.question.display_labels import Labels, group_heading
from evenhand.verdict import MET
from evenhand.wording.difference_words import first_sentence
from evenhand.wording.sentence_parts import count
from evenhand.wording.vocabulary import Words

_SHOWN_PAIRS = 10
_SHOWN_GROUPS = 10  # of more those with the smallest coverage


def opening(certificate: Certificate, labels: Labels | None = None) -> str:
    """The first sentence, in the words of a question file."""
    return first_sentence(certificate, Words.of(certificate, labels))


def summary(certificate: Certificate, labels: Labels | None = None) -> Summary:
    """The verdict, what was asked and given, and the strongest evidence."""
    words = Words.of(certificate, labels)
    question, origin = certificate.question, certificate.graph_origin
    gave = outcome_text(origin.unedited or {})
    sets = ["{" + ", ".join(names) + "}" for names in certificate.possible_decision_causes]
    compared = f"{question.groups_column} {question.pairs_text(certificate.examined.groups)}"
    counted = question.cuts_text(len(certificate.examined.decisions))
    claim = f"{MET[certificate.verdict]} at τ = {question.threshold}, given this graph"
    if question.rule:
        claim = met_by_construction(question)
    population, is_sample = certificate.population, certificate.is_sample
    facts = [
        ("verdict", f"criterion {claim}"),
        *([("in the population", _headline(population))] if is_sample else []),
        ("question", f"{question.decision}{counted}: {compared}"),
        *certificate.prediction_claim.items(),
        ("threshold", f"{question.threshold}, chosen by whoever asked the question"),
        ("graph", str(origin)),
        *([(f"as {origin.kind}", gave)] if gave else []),
        ("decision causes", ", ".join(certificate.decision_causes) or "none"),
        *([("possible decision causes", " or ".join(sets))] if certificate.ambiguous else []),
        *partition_facts(certificate.partition, words),
        *(chance_facts(certificate.partitions) if is_sample else []),
        *(_population_facts(population, words) if is_sample and certificate.by_chance else ()),
    ]
    if (beside := certificate.without_rule) is not None:
        said = f"{beside.verdict}: {first_sentence(beside, words)}"
        facts.insert(1, ("without the rule", said))
    if (indirect := certificate.indirect) is not None:
        said = f"criterion {indirect.claim}. {indirect.sentence(labels)}"
        facts.insert(1 + is_sample, (indirect.name, said))
    table = certificate.evidence.summary()
    # Chance did not make released rows: no interval and no p, which are the last columns.
    columns = slice(-2 if certificate.release else None)
    return Summary(
        title=str(certificate.verdict),
        sentence=first_sentence(certificate, words),
        facts=tuple(facts),
        columns=table.columns[columns] if table.lines else (),
        lines=tuple(line[columns] for line in table.lines),
        more=table.more,
        notes=(
            *certificate.reasons,
            *(
                one.near_problem(question.decision, certificate.row_count)
                for one in certificate.determinations
                if not one.exact
            ),
            *certificate.also_assumed,
        ),
        hint='evenhand.audit(…).report().write("report.html") writes the whole page.',
    )


def partition_facts(partition: Partition, words: Words) -> list[tuple[str, str]]:
    """Names and texts: its subpopulations, their coverage, and the range of differences."""
    question, numbers, rows = partition.question, partition.numbers, partition.row_counts
    above, below = numbers["above"], numbers["below"]
    detail = f" ({above:,} above, {below:,} below)"
    if not partition.two_groups:
        detail = f"; of {numbers['comparisons']:,} comparisons {above + below:,} at or beyond"
    shares = [*zip(partition.groups, partition.coverage.groups, strict=True)]
    rest = len(shares) - _SHOWN_GROUPS
    if rest > 0:
        shares.sort(key=itemgetter(1))
    by_group = ", ".join(
        f"{group_heading(question, label)} {percent(float(share))}"
        for label, share in shares[:_SHOWN_GROUPS]
    )
    more = f" and {rest:,} more" if rest > 0 else ""
    # Where everybody got the same decision no difference can be.
    alike = partition.same_decision
    share_alike = percent(int(rows[alike].sum()) / max(int(rows.sum()), 1))
    # Exact ends, so that neither is rounded across the threshold.
    ends = dict.fromkeys(map(words.points, partition.extremes))
    occur = f"{numbers['occupied']:,} occur, {numbers['measured']:,} measured"
    covered = percent(float(partition.coverage.overall))
    return [
        (
            "subpopulations",
            f"{occur}, {numbers['violating']:,} at or beyond the threshold{detail}",
        ),
        ("coverage", f"{covered} of the rows; {by_group}{more}"),
        (
            "same decision for all",
            f"{share_alike} of the rows, in {count(int(alike.sum()), 'subpopulation')}",
        ),
        *([("difference in points", " to ".join(ends))] if ends else []),
    ]


def chance_facts(partitions: Sequence[Partition]) -> list[tuple[str, str]]:
    """For each partition how many would reach the threshold by chance."""
    first, *others = partitions
    further = [
        (f"alike in {', '.join(one.names) or 'nothing'}", f"{one.violating:,} seen; {chance}")
        for one in others
        if (chance := _chance_text(one))
    ]
    own = _chance_text(first)
    return [*([("expected by chance", own)] if own else []), *further]


def _chance_text(partition: Partition) -> str:
    chance = partition.by_chance
    if chance is None:
        return ""
    said = f"{chance}, p for the number at or beyond the threshold {p_value(chance.p)}"
    if not partition.two_groups:
        return said
    return (
        f"{said}; {partition.violating_rows:,} people in groups that differ, "
        f"{chance.rows:,.0f} expected by chance"
    )


def population_summary(population: Population) -> Summary:
    """What the rows tell of the population, and the tests over all subpopulations."""
    threshold = population.partition.question.threshold
    return Summary(
        title=f"groups and average, at τ = {threshold}: {_headline(population)}",
        facts=tuple(_population_facts(population, Words.of(population.partition))),
        notes=population.notes,
    )


def _headline(population: Population) -> str:
    """The statistical verdict with the numbers of subpopulations behind it."""
    where = " on average, in no single group" if population.shown_on_average_only else ""
    if not population.agreed:
        where = ", as the possible sets of decision causes disagree"
    what, favored = "group", population.shown_for_group
    if population.pairs:
        what, favored = "comparison", 0
    for_group = f" ({favored:,} in favor of the group asked about)" if favored else ""
    return (
        f"{population.verdict}{where}; {population.shown:,} of "
        f"{count(population.measured, what)} significantly beyond the threshold"
        f"{for_group}, {population.within:,} significantly within it"
    )


def _population_facts(population: Population, words: Words) -> Iterator[tuple[str, str]]:
    """The tests over all subpopulations; of many groups those of the strongest pairs."""
    common = population.common
    if population.pairs:
        several = len(population.partition.favorable) > 1
        yield "pooled differences", "the second group's rate minus the first's"
        pairs = sorted(population.pairs, key=attrgetter("strength"))
        for pair in pairs[:_SHOWN_PAIRS]:
            if pair.common:
                name = f"{pair.group} → {pair.other}{f', {pair.decision}' if several else ''}"
                beyond = f", {_beyond_text(pair.common)}" if pair.common.shown else ""
                yield name, f"{_common_text(pair.common, words)}{beyond}"
        if rest := len(pairs) - sum(bool(one.common) for one in pairs[:_SHOWN_PAIRS]):
            yield "", f"and {rest:,} more pairs"
        return
    if common is None:
        return
    yield "pooled difference (Mantel–Haenszel)", _common_text(common, words)
    if population.measured > 1 and abs(common.difference) > words.question.threshold:
        adjusted = f"{p_value(common.p_adjusted)} after Holm's correction"
        beyond = f"{_beyond_text(common)}, p {p_value(common.p_threshold)}, {adjusted}"
        yield "pooled difference against τ", f"{beyond} for {population.comparisons:,}"
    if (tests := population.heterogeneity) and population.measured > 1:
        same = "too few people" if tests.p is None else f"p {p_value(tests.p)}"
        yield "homogeneity test", same
        yield "qualitative interaction (Gail–Simon)", f"p {p_value(tests.p_opposite)}"


def _common_text(common: PooledDifference, words: Words) -> str:
    size, span = words.points(common.difference), words.interval((common.low, common.high))
    return f"{size} points, 95 % interval {span}, p {p_value(common.p_zero)}"


def _beyond_text(common: PooledDifference) -> str:
    return f"{'' if common.shown else 'not '}significantly beyond the threshold"

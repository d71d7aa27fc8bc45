"""A certificate in words, as a terminal shows it: its first sentence, its facts, its table.

The number of subpopulations that reach the threshold says little alone: small ones differ by
chance. So beside it stands how many chance would make, and where that explains everything, the
first sentence says so.
"""

from collections.abc import Sequence
from fractions import Fraction
from operator import attrgetter, itemgetter

from evenhand.display import Summary, percent, points
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.decision_rules import met_by_construction
from evenhand.evidence.graph_origin import outcome_text
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import Population
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.evidence.subpopulations import p_value, threshold_points
from evenhand.question import Question
from evenhand.question.labels import Labels, decision_phrase, group_heading, people_of
from evenhand.verdict import MET
from evenhand.wording.numbers import capital

_SHOWN_PAIRS = 10


def summary(certificate: Certificate, labels: Labels | None = None) -> Summary:
    """The verdict, what was asked and given, and the strongest evidence."""
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
        ("decision causes", "{" + ", ".join(certificate.decision_causes) + "}"),
        *([("possible decision causes", " or ".join(sets))] if certificate.ambiguous else []),
        *partition_facts(certificate.partition),
        *(chance_facts(certificate.partitions) if is_sample else []),
        *(_population_facts(population) if is_sample and certificate.by_chance else ()),
    ]
    if (beside := certificate.without_rule) is not None:
        said = f"{beside.verdict}: {first_sentence(beside, labels)}"
        facts.insert(1, ("without the rule", said))
    if (indirect := certificate.indirect) is not None:
        said = f"criterion {indirect.claim}. {indirect.sentence(labels)}"
        facts.insert(1 + is_sample, (indirect.name, said))
    table = certificate.evidence.summary()
    # Chance did not make released rows: no interval and no p, which are the last columns.
    columns = slice(-2 if certificate.release else None)
    return Summary(
        title=str(certificate.verdict),
        sentence=first_sentence(certificate, labels),
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


def first_sentence(certificate: Certificate, labels: Labels | None = None) -> str:
    """How many groups differ, seen and by chance, and the difference on average.

    Where the decision is determined, that, and the verdict without the rule. Else it is about
    the people alike in the decision causes; where that shows nothing but another block set
    does, about that one. Where several sets of causes are possible the one with the largest
    difference on average is told besides. Released rows get neither chance nor interval: chance
    did not make them.
    """
    beside, labels = certificate.without_rule, labels or Labels()
    if certificate.is_determined:
        without = ""
        if beside is not None:
            without = f" Without it: {beside.verdict}. {first_sentence(beside, labels)}"
        return certificate.reasons[0].what + without
    partition, released = certificate.deciding_partition, certificate.release is not None
    if not partition.measured.any():
        return f"{capital(nobody_compared(partition.question))}."
    sentence = seen_sentence(partition)
    if partition is not certificate.partition:
        sentence = f"Alike in {_names(partition, labels)}: {_lower(sentence)}"
    sentence += coverage_phrase(partition, certificate.min_coverage, labels)
    if not released:
        words = ", no more than chance would make, given this graph: {}"
        explained = certificate.explained_by_chance
        sentence += (words if explained else "; chance alone would make {}").format(
            partition.by_chance
        )
    sentence = f"{sentence}. {average_sentence(partition, labels, released=released)}".rstrip()
    others = [one for one in certificate.causes if one is not partition and one.measured.any()]
    if not others:
        return sentence
    other = max(others, key=_average)
    average = _lower(average_sentence(other, labels, released=released))
    return (
        f"{sentence} If instead the other causes are {_names(other, labels)}, which the graph "
        f"leaves open: {_lower(seen_sentence(other))}; {average}"
    )


def nobody_compared(question: Question) -> str:
    """That nobody could be compared, within a sentence."""
    two = "both groups" if question.group is not None else "two groups"
    enough = f" with {question.min_rows:,} rows or more" if question.min_rows > 1 else ""
    return f"nobody could be compared: in no group of people alike do {two} occur{enough}"


def _average(partition: Partition) -> float:
    common = partition.statistics.common
    return abs(common.difference) if common else 0.0


def _names(partition: Partition, labels: Labels) -> str:
    return ", ".join(map(labels.column, partition.names)) or "nothing"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def coverage_phrase(
    partition: Partition, min_coverage: Fraction, labels: Labels | None = None
) -> str:
    """How many of the rows, or of a group's, could be compared; empty where enough could."""
    cover, question = partition.coverage, partition.question
    if cover.reaches(min_coverage):
        return ""
    if cover.overall < min_coverage:
        share, whom = cover.overall, "the rows"
    else:
        share, fewest = min(
            zip(cover.groups, partition.groups, strict=True), key=lambda pair: pair[0]
        )
        whom = f"the {people_of(question, fewest, labels or Labels())}"
    return f", in the {percent(float(share))} of {whom} that could be compared"


def average_sentence(partition: Partition, labels: Labels, *, released: bool = False) -> str:
    """Who is ahead on average, by how much; empty if nothing is measured.

    The interval is what chance in sampling leaves open, so released rows have none.
    """
    question, common = partition.question, partition.statistics.common
    if common is None:
        return ""
    low, high = common.low, common.high
    if common.difference < 0:
        low, high = -high, -low
    span = "" if released else f" ({_points(low, question)} to {_points(high, question)})"
    size = _points(abs(common.difference), question)
    if not common.difference:
        return f"On average nobody is ahead{span}."
    pair = partition.leading_labels
    ahead, behind = pair[::-1] if common.difference > 0 else pair
    leads = people_of(question, ahead, labels)
    if partition.two_groups:
        return f"On average {leads} are {size} points ahead{span}."
    pairs = partition.statistics.mean_count
    clearest = f"On average the clearest of {pairs:,} differences"
    if not partition.statistics.any_mean_differs:
        clearest = f"{clearest} is not statistically significant"
    did = decision_phrase(question, labels, partition.leading_decision)
    return (
        f"{clearest}: {leads} {did} {size} points more "
        f"often than {people_of(question, behind, labels)}{span}."
    )


def seen_sentence(partition: Partition) -> str:
    """How many comparable groups reach the threshold, without a period."""
    many, differing = int(partition.measured.sum()), partition.violating
    reach = f"by {threshold_points(partition.question)} or more"
    if many == 1:
        verb = "differs" if differing else "does not differ"
        return f"The one comparable group {verb} {reach}"
    some, verb = f"{differing:,}", "differ" if differing > 1 else "differs"
    return f"{some if differing else 'None'} of {many:,} comparable groups {verb} {reach}"


def _points(difference: Fraction | float, question: Question) -> str:
    # Turning an interval of just 0 must not leave a minus sign before it.
    return points(difference + 0.0, threshold=question.threshold)


_SHOWN_GROUPS = 10  # of more those with the smallest coverage


def partition_facts(partition: Partition) -> list[tuple[str, str]]:
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
    ends = dict.fromkeys(_points(end, question) for end in partition.extremes)
    occur = f"{numbers['occupied']:,} occur, {numbers['measured']:,} measured"
    covered = percent(float(partition.coverage.overall))
    return [
        (
            "subpopulations",
            f"{occur}, {numbers['violating']:,} at or beyond the threshold{detail}",
        ),
        ("coverage", f"{covered} of the rows; {by_group}{more}"),
        ("same decision for all", f"{share_alike} of the rows, in {alike.sum():,} of them"),
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
    return [*([("by chance alone", text)] if (text := _chance_text(first)) else []), *further]


def _chance_text(partition: Partition) -> str:
    chance = partition.by_chance
    if chance is None:
        return ""
    said = f"{chance}, p of as many {p_value(chance.p)}"
    if not partition.two_groups:
        return said
    return f"{said}; {chance.rows:,.0f} people, seen {partition.violating_rows:,}"


def population_summary(population: Population) -> Summary:
    """What the rows tell of the population, and the tests over all subpopulations."""
    threshold = population.partition.question.threshold
    return Summary(
        title=f"population, at τ = {threshold}: {_headline(population)}",
        facts=tuple(_population_facts(population)),
        notes=population.notes,
    )


def _headline(population: Population) -> str:
    """The statistical verdict with the numbers of subpopulations behind it."""
    where = " on average, in no single group" if population.shown_on_average_only else ""
    if not population.agreed:
        where = ", as possible sets of decision causes differ in it"
    what, for_group = "measured", f" ({population.shown_for_group:,} in favor of the group)"
    if population.pairs:
        what, for_group = "comparisons", ""
    return (
        f"{population.verdict}{where}: of {population.measured:,} {what} {population.shown:,} "
        f"shown beyond the threshold{for_group}, {population.within:,} shown within"
    )


def _population_facts(population: Population) -> list[tuple[str, str]]:
    """The tests over all subpopulations; of many groups those of the strongest pairs."""
    common, question = population.common, population.partition.question
    if population.pairs:
        several = len(population.partition.favorable) > 1
        facts = [
            (
                f"{pair.group} → {pair.other}{f', {pair.decision}' if several else ''}",
                f"{_common_text(pair.common, question)}, {_shown_text(pair.common)}",
            )
            for pair in sorted(population.pairs, key=attrgetter("strength"))[:_SHOWN_PAIRS]
            if pair.common
        ]
        rest = len(population.pairs) - len(facts)
        more = [("", f"and {rest:,} more pairs")] if rest else []
        return [("on average", "the second group's rate minus the first's"), *facts, *more]
    if common is None:
        return []
    facts = [("common difference (p vs 0)", _common_text(common, question))]
    if population.measured > 1 and abs(common.difference) > question.threshold:
        adjusted = f"{p_value(common.p_adjusted)} after Holm's correction"
        beyond = f"{_shown_text(common)}, p {p_value(common.p_threshold)}, {adjusted}"
        many = population.comparisons
        facts.append(("common difference (p vs τ)", f"{beyond} for {many:,}"))
    if (tests := population.heterogeneity) and population.measured > 1:
        same = "too few people" if tests.p is None else f"p {p_value(tests.p)}"
        facts += [
            ("homogeneity", same),
            ("qualitative interaction", f"p {p_value(tests.p_opposite)}"),
        ]
    return facts


def _common_text(common: PooledDifference, question: Question) -> str:
    size, low, high = (
        points(one, threshold=question.threshold)
        for one in (common.difference, common.low, common.high)
    )
    return f"{size} points, 95 % interval {low} to {high}, p {p_value(common.p_zero)}"


def _shown_text(common: PooledDifference) -> str:
    return f"{'shown' if common.shown else 'not shown'} beyond the threshold"

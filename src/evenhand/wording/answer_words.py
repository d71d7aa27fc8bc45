"""The answer in words: a first line to quote, and the lines that say what it rests on."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, cast

from evenhand.evidence import Answer, HiddenCause, Reason, Word
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.evidence.variations.adjustment_sets import AdjustmentSet
from evenhand.verdict import StatisticalVerdict
from evenhand.wording.certificate_words import (
    coverage_phrase,
    nobody_compared,
    seen_sentence,
)
from evenhand.wording.numbers import capital, count, listing
from evenhand.wording.statements import Attribute, Text, text
from evenhand.wording.verdict_words import verdict_word
from evenhand.wording.words import Words


class AnswerStatements(NamedTuple):
    """The answer as sentences.

    ``headline`` begins with the word of the answer. ``counts`` says what was seen beside what
    chance makes, ``depends`` what the answer stands on, ``release`` whether these rows meet the
    criterion of the paper, and ``further`` what else a reader should know.
    """

    headline: str
    counts: str
    depends: str
    release: str
    further: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """All but the headline, in order, without empty ones."""
        return tuple(filter(None, (self.counts, self.depends, *self.further, self.release)))


def answer_statements(answer: Answer, words: Words) -> AnswerStatements:
    """What the answer is, in the words of a question."""
    said = {
        Word.YES: _yes,
        Word.NO: _no,
        Word.NOT_SHOWN: _not_shown,
        Word.CANNOT_TELL: _cannot_tell,
    }[answer.word]
    sentence = said(answer, words)
    if answer.word is not Word.CANNOT_TELL:
        certificate = answer.certificate
        least, labels = certificate.min_coverage, words.labels
        cover = coverage_phrase(certificate.partition, least, labels)
        sentence = f"{sentence.removesuffix('.')}{cover}."
    return AnswerStatements(
        headline=f"{answer.word}: {sentence}",
        counts=_counts(answer, words),
        depends=_depends(answer, words),
        release=f"For release: {verdict_word(answer.verdict).lower()}.",
        further=tuple(_further(answer, words)),
    )


def _yes(answer: Answer, words: Words) -> str:
    beyond, partition = f"{words.threshold_points} or more", answer.certificate.partition
    statistics = partition.statistics
    places = partition.comparisons.mean[statistics.shown].tolist()
    shown = sum(at in answer.standing for at in places)
    if shown:
        groups = f"{shown:,} of {count(answer.compared, words.comparison)}"
        differ = f"{groups} {'differs' if shown == 1 else 'differ'} by {beyond}"
        names = _pairs(answer, words)
        return f"{differ}, which is statistically significant after correction{names}."
    means = {
        at: mean
        for at, mean in enumerate(statistics.means)
        if mean and mean.shown and at in answer.standing
    }
    if means:
        at = min(means, key=lambda one: (means[one].p_threshold, one != statistics.leading))
        return f"{capital(_average(at, words, answer))}, which is statistically significant."
    return (
        f"at least {answer.at_least:,} of {answer.measured:,} comparable groups differ by "
        f"{beyond}; none of them can be named for certain."
    )


def _pairs(answer: Answer, words: Words) -> str:
    """Of many groups, between which pairs; and for which nothing stands."""
    partition = answer.certificate.partition
    if partition.two_groups:
        return ""

    def named(places: frozenset[int]) -> list[str]:
        pairs = [partition.pairs[at % len(partition.pairs)] for at in sorted(places)]
        each = (
            f"{words.group_name(partition.groups[a])} and "
            f"{words.group_name(partition.groups[b])}"
            for a, b in pairs
        )
        return [*dict.fromkeys(each)]

    stands, falls = named(answer.standing), named(answer.fallen)
    said = f": between {'; between '.join(stands)}"
    return f"{said}; what differs between {listing(falls)} does not stand" if falls else said


def _no(answer: Answer, words: Words) -> str:
    return f"{_all_within(answer, words)}."


def _all_within(answer: Answer, words: Words) -> str:
    groups = count(answer.measured, "comparable group")
    verb = "differs" if answer.measured == 1 else "differ"
    return f"all {groups} {verb} by less than {words.threshold_points}"


def _not_shown(answer: Answer, words: Words) -> str:
    is_within = answer.certificate.population.verdict is StatisticalVerdict.WITHIN
    if is_within and answer.unplaced:
        names = words.columns(answer.unplaced)
        return (
            f"{_all_within(answer, words)}, if {names} came before the decision; nobody has "
            "confirmed that."
        )
    said = f"these rows neither show nor exclude a difference of {words.threshold_points}"
    means = filter(None, answer.certificate.partition.statistics.means)
    most = max((abs(end) for mean in means for end in mean.interval), default=None)
    if most is None:
        return f"{said}."
    return f"{said}; on average up to {words.points(most)} remain possible."


def _cannot_tell(answer: Answer, words: Words) -> str:
    reason = cast("Reason", answer.reason)  # an answer that nobody can tell has one
    return f"{_REASONS[reason.kind](answer, reason, words)}."


def _determined(_answer: Answer, reason: Reason, words: Words) -> str:
    alone = "alone determines" if len(reason.names) == 1 else "together determine"
    return f"{words.columns(reason.names)} {alone} the decision, so nothing is left to measure"


def _nothing_compared(answer: Answer, _reason: Reason, words: Words) -> str:
    if not answer.measured:
        return nobody_compared(words.question)
    if not answer.causes:
        return (
            f"no column but {words.protected} is known to cause {words.decision}, so all "
            "people would be compared, alike or not"
        )
    return f"too few people alike in {words.columns(answer.causes)} could be compared"


def _graph_refuted(answer: Answer, reason: Reason, words: Words) -> str:
    if answer.certificate.contradictions and not (answer.found or reason.names):
        return "the graph contradicts itself: no way to direct its open links fits all of it"
    if not reason.names:
        return (
            f"the graph has no link from {words.protected} to {words.decision}, and the rows "
            "show a difference"
        )
    names = words.columns(reason.names)
    return (
        f"the rows reject the graph: {words.decision} depends on {names}, which the graph "
        "rules out, and the answer depends on it"
    )


def _depends_on(answer: Answer, reason: Reason, words: Words) -> str:
    names = words.columns(reason.names)
    if not reason.names:
        return "it depends on what else causes the decision"
    if answer.found:
        return f"the difference depends on whether people are compared alike in {names}"
    return f"people who are alike in {names}, too, differ by more than the threshold"


def _written_after(_answer: Answer, reason: Reason, words: Words) -> str:
    was = "was" if len(reason.names) == 1 else "were"
    it = "it" if len(reason.names) == 1 else "them"
    return (
        f"{was} {words.columns(reason.names)} written after the decision? Without {it} the "
        "groups differ"
    )


def _not_separated(_answer: Answer, reason: Reason, words: Words) -> str:
    return (
        f"{words.protected} and {words.columns(reason.names)} cannot be separated: people who "
        "are alike in the one are hardly ever of both groups"
    )


def _classes(_answer: Answer, reason: Reason, words: Words) -> str:
    return f"it depends on how {words.columns(reason.names)} is classed"


def _too_few(answer: Answer, _reason: Reason, words: Words) -> str:
    if answer.detectable is None:
        return "there are too few rows"
    return (
        "there are too few rows: they would have shown an average difference of "
        f"{words.points(answer.detectable)} points or more, not a smaller one"
    )


_REASONS: dict[str, Callable[[Answer, Reason, Words], str]] = {
    "determined": _determined,
    "nothing compared": _nothing_compared,
    "graph refuted": _graph_refuted,
    "depends on": _depends_on,
    "written after": _written_after,
    "not separated": _not_separated,
    "classes": _classes,
    "too few rows": _too_few,
}


def _average(at: int, words: Words, answer: Answer) -> str:
    """Who is ahead on average, and how far, of the pair of groups with this mean."""
    partition = answer.certificate.partition
    cut, pair = divmod(at, len(partition.pairs))
    common = cast("PooledDifference", partition.statistics.means[at])
    group, other = (words.people_with(partition.groups[one]) for one in partition.pairs[pair])
    ahead, behind = (other, group) if common.difference > 0 else (group, other)
    ends = common.interval if common.difference > 0 else (-common.high, -common.low)
    causes = answer.causes
    alike = f" who are alike in {count(len(causes), 'attribute')}" if causes else ""
    size, span = words.points(abs(common.difference)), words.interval(ends)
    if not common.difference:
        return f"on average nobody is ahead ({span})"
    if not words.is_favor:
        did = words.did_by(partition.cut_label(cut))
        return (
            f"on average {ahead} {did} {size} points more often than {behind}{alike} ({span})"
        )
    return f"on average {behind} are {size} points behind {ahead}{alike} ({span})"


def _counts(answer: Answer, words: Words) -> str:
    """What was seen, beside what chance makes."""
    if not answer.measured:
        return ""
    chance = answer.certificate.by_chance
    said = f"{seen_sentence(answer.certificate.partition)} in these rows"
    expected = f"; {chance.text(what=' expected by chance')}" if chance else ""
    at = answer.certificate.partition.statistics.leading
    average = f" {capital(_average(at, words, answer))}." if answer.common_difference else ""
    statistics = answer.certificate.partition.statistics
    if average and statistics.mean_count > 1 and not statistics.any_mean_differs:
        many = f"None of {statistics.mean_count:,} average differences"
        average = f" {many} is statistically significant; the clearest:{average}"
    return f"{said}{expected}.{average}"


def _depends(answer: Answer, words: Words) -> str:
    """Against what the answer was tried."""
    if not answer.measured:
        return ""
    tried = _tried(answer)
    falls = answer.differing
    if answer.word is Word.YES and not falls:
        return f"It stands {tried}. {_graph(answer, words)}" if tried else _graph(answer, words)
    if falls:
        return f"{_falling(falls, words)} {_graph(answer, words)}"
    same = f"Nothing is shown either {tried}." if tried else ""
    return f"{same} {_graph(answer, words)}".strip()


def hinges(answer: Answer, words: Words) -> Text:
    """On which attributes the answer depends, in one sentence that names each of them."""
    named = dict.fromkeys(name for one in answer.differing for name in one.names)
    names = [*(answer.reason.names if answer.reason else ()), *named]
    if names:
        which = _named(dict.fromkeys(names), words)
        return text("It depends on ", *which, ": held alike or left out, it may change.")
    many, stands = count(sum(answer.tally.values()), "other way"), ""
    if answer.tally and answer.word is not Word.CANNOT_TELL:
        is_shown = answer.word is Word.YES
        stands = f"{'It stands' if is_shown else 'The same is seen'} in {many} of comparing"
    if answer.unplaced:
        came = _named(dict.fromkeys(answer.unplaced), words)
        before = "; that " if stands else "That "
        return text(stands, before, *came, " came before the decision is assumed.")
    return f"{stands}." if stands else ""


def _named(names: Iterable[str], words: Words) -> Iterator[str]:
    """A listing of attributes, each as a piece of its own."""
    several = [*names]
    for at, name in enumerate(several):
        if at:
            yield " and " if at == len(several) - 1 else ", "
        yield Attribute.of(name, words.column(name))


def _tried(answer: Answer) -> str:
    many = answer.tally
    parts = []
    if added := many.get("with"):
        any_one = "any one of " if added > 1 else ""
        parts.append(f"with {any_one}{count(added, 'further attribute')}")
    if left := many.get("without"):
        any_one = "any one of " if left > 1 else ""
        parts.append(f"without {any_one}{count(left, 'attribute')}")
    if classes := many.get("classes"):
        parts.append(f"in {count(classes, 'other way')} to class or split values")
    if many.get("depth"):
        parts.append("with the causes of a search one level less deep")
    return listing(parts) if parts else ""


def _falling(falls: tuple[AdjustmentSet, ...], words: Words) -> str:
    named = listing(dict.fromkeys(_changed(one, words) for one in falls[:_MOST_NAMED]))
    more = len(falls) - _MOST_NAMED
    rest = f" and in {more:,} more ways" if more > 0 else ""
    if any(one.falls == "shown" for one in falls):
        return f"A difference is significant {named}{rest}."
    if all(one.falls == "larger" for one in falls):
        return f"The average lies beyond the threshold {named}{rest}."
    return f"What is seen does not stand {named}{rest}."


_MOST_NAMED = 4


def _changed(one: AdjustmentSet, words: Words) -> str:
    names = words.columns(one.names)
    return {
        "with": f"with {names} held alike, too",
        "without": f"without {names}",
        "without suspects": f"without {names}",
        "classes": f"in other classes of {names}",
        "depth": f"with {names}, which a less deep search keeps",
        "all before": "with all columns before the decision held alike",
    }[one.kind]


def _graph(answer: Answer, words: Words) -> str:
    """Where the graph came from, who gave the order, and what the rows say against it."""
    origin, fit = answer.certificate.graph_origin, answer.graph_fit
    if origin.kind == "given":
        said = "The graph was given"
    elif not (answer.placed or answer.unplaced):
        said = "The graph was learned"
    elif not answer.unplaced:
        said = "The graph was learned, with your order"
    else:
        names = words.columns(answer.unplaced)
        said = f"The graph was learned; that {names} came before the decision is assumed"
    against = ""
    if fit.rejected:
        against = (
            f"; the rows reject {len(fit.rejected):,} of the {fit.implied:,} independences of "
            f"the decision that it implies ({words.columns(fit.rejected)})"
        )
    depth = origin.depth
    sets = count(depth or 0, "attribute")
    ended = f", and the search ended with sets of {sets}" if depth is not None else ""
    return f"{said}{ended}{against}."


def _further(answer: Answer, words: Words) -> Iterator[str]:
    """Exact values within classes, and a cause that nobody recorded."""
    if answer.detectable is not None and answer.word is Word.NOT_SHOWN:
        yield (
            "These rows would have shown an average difference of "
            f"{words.points(answer.detectable)} points four times in five."
        )
    if answer.underpowered and answer.word is Word.NOT_SHOWN:
        pairs = count(
            answer.certificate.partition.comparisons.means, "pair of groups", "pairs of groups"
        )
        yield (
            f"For {answer.underpowered:,} of {pairs} these rows are too few to show a "
            f"difference of {words.points(2 * words.question.threshold)} points."
        )
    for one in answer.within_classes[:1]:
        exact = f"exact {words.columns(one.names)}"
        yield (
            f"{words.points(one.adjusted)} instead of {words.points(one.difference)} points on "
            f"average when {exact} are compared linearly ({words.interval(one.interval)})."
        )
    if answer.hidden_cause is not None:
        yield hidden_cause_sentence(answer.hidden_cause, words)
    elif answer.measured and answer.word is not Word.CANNOT_TELL:
        yield (
            "No recorded cause that differs between the groups says how strong an unrecorded "
            "one could be."
        )


def hidden_cause_sentence(hidden: HiddenCause, words: Words) -> str:
    """What an unrecorded cause as strong as the strongest recorded one could do."""
    cause = words.column(hidden.name)
    said = (
        f"With an unrecorded cause as strong as {cause} the average would lie anywhere from "
        f"{words.points(hidden.interval[0])} to {words.points(hidden.interval[1])} points"
    )
    factor = hidden.breaking_factor
    if factor is None:
        return f"{said}."
    return f"{said}; the answer stays up to {factor:.1f} times that strength."

"""The answer in words: a first line to quote, and the lines that say what it rests on."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, cast

from evenhand.evidence import Answer, GraphFit, HiddenCause, Reason, Word
from evenhand.evidence.variations.adjustment_sets import AdjustmentSet
from evenhand.verdict import StatisticalVerdict
from evenhand.wording.difference_words import (
    average_clause,
    average_sentence,
    coverage_phrase,
    expected_phrase,
    nobody_compared,
    seen_sentence,
)
from evenhand.wording.sentence_parts import NamedAttribute, Text, count, listing, text
from evenhand.wording.verdict_words import verdict_word
from evenhand.wording.vocabulary import Words

_MOST_NAMED = 4
_LARGE = 10  # times the strength of a recorded cause


class AnswerStatements(NamedTuple):
    """The answer as sentences.

    ``sentence`` says why the answer is its ``word``, ``counts`` what was seen beside what
    chance makes, ``depends`` what the answer depends on, ``release`` whether these rows meet
    the criterion of the paper, and ``further`` what else a reader should know.
    """

    word: Word
    sentence: str
    counts: str
    depends: str
    release: str
    further: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return f"{self.word}: {self.sentence}"

    @property
    def lines(self) -> tuple[str, ...]:
        """All but the headline, in order, without empty ones."""
        return tuple(filter(None, (self.counts, self.depends, *self.further, self.release)))


def answer_statements(answer: Answer, words: Words) -> AnswerStatements:
    """What the answer is, in the words of a question."""
    said = {
        Word.YES: _yes,
        Word.NO: _all_within,
        Word.NOT_SHOWN: _not_shown,
        Word.CANNOT_TELL: _cannot_tell,
    }[answer.word]
    certificate, cover = answer.certificate, ""
    if answer.word is not Word.CANNOT_TELL:
        cover = coverage_phrase(certificate.partition, certificate.min_coverage, words)
    return AnswerStatements(
        word=answer.word,
        sentence=f"{said(answer, words)}{cover}.",
        counts=_counts(answer, words),
        depends=_depends(answer, words),
        release=f"For release: {verdict_word(answer.certificate.verdict).lower()}.",
        further=tuple(_further(answer, words)),
    )


def _yes(answer: Answer, words: Words) -> str:
    beyond, partition = f"more than {words.threshold_points}", answer.certificate.partition
    statistics = partition.statistics
    if shown := _significant_groups(answer):
        groups = f"in {shown:,} of {count(answer.compared, words.comparison)}"
        who = f"{words.both} differ" if partition.two_groups else "the two groups differ"
        return (
            f"{groups} {who} by {beyond}, which is statistically significant after "
            f"correction{_pairs(answer, words)}"
        )
    means = {
        at: mean
        for at, mean in enumerate(statistics.means)
        if mean and mean.shown and at in answer.standing
    }
    if means:
        at = min(means, key=lambda one: (means[one].p_threshold, one != statistics.leading))
        said = average_clause(partition, words, means[at], at=at, alike=True)
        return f"on average {said}, which is statistically significant"
    return (
        f"in at least {answer.at_least:,} of {answer.measured:,} comparable groups "
        f"{words.both} differ by {words.threshold_points} or more; the rows do not show which "
        "groups these are"
    )


def _significant_groups(answer: Answer) -> int:
    """How many single differences are significant, of the pairs whose finding stands."""
    partition = answer.certificate.partition
    places = partition.comparisons.mean[partition.statistics.shown].tolist()
    return sum(at in answer.standing for at in places)


def _pairs(answer: Answer, words: Words) -> str:
    """Of many groups, between which pairs; and for which nothing stands."""
    partition = answer.certificate.partition
    if partition.two_groups:
        return ""

    def named(places: frozenset[int]) -> str:
        pairs = [partition.pairs[at % len(partition.pairs)] for at in sorted(places)]
        each = (
            f"between {words.group_name(partition.groups[a])} and "
            f"{words.group_name(partition.groups[b])}"
            for a, b in pairs
        )
        return listing(dict.fromkeys(each))

    fallen = answer.fallen and f"; the difference {named(answer.fallen)} is not robust"
    return f": {named(answer.standing)}{fallen or ''}"


def _all_within(answer: Answer, words: Words) -> str:
    if answer.measured == 1:
        return (
            f"in the one comparable group {words.both} differ by less than "
            f"{words.threshold_points}"
        )
    groups = "both" if answer.measured == 2 else f"all {answer.measured:,}"
    return (
        f"in {groups} comparable groups {words.both} differ by less than "
        f"{words.threshold_points}"
    )


def _not_shown(answer: Answer, words: Words) -> str:
    is_within = answer.certificate.population.verdict is StatisticalVerdict.WITHIN
    if is_within and answer.unplaced:
        names = words.columns(answer.unplaced)
        return (
            f"{_all_within(answer, words)}, provided that {names} came before the "
            "decision, which nobody has confirmed"
        )
    said = f"these rows neither show nor exclude a difference of {words.threshold_points}"
    means = filter(None, answer.certificate.partition.statistics.means)
    most = max((abs(end) for mean in means for end in mean.interval), default=None)
    if most is None:
        return said
    return f"{said}; on average up to {words.points(most)} points remain possible"


def _cannot_tell(answer: Answer, words: Words) -> str:
    reason = cast("Reason", answer.reason)  # an answer that nobody can tell has one
    return _REASONS[reason.kind](answer, reason, words)


def _determined(_answer: Answer, reason: Reason, words: Words) -> str:
    alone = "alone determines" if len(reason.names) == 1 else "together determine"
    return f"{words.columns(reason.names)} {alone} the decision, so nothing is left to measure"


def _nothing_compared(answer: Answer, _reason: Reason, words: Words) -> str:
    if not answer.measured:
        return nobody_compared(words)
    if not answer.causes:
        return (
            f"the graph shows no cause of {words.decision} other than {words.protected}, so it "
            "does not say which people are alike"
        )
    many = len(answer.causes)
    alike = words.columns(answer.causes) if many <= _MOST_NAMED else f"{many} attributes"
    return f"too few people who are alike in {alike} could be compared"


def _graph_refuted(answer: Answer, reason: Reason, words: Words) -> str:
    if answer.certificate.contradictions and not (answer.found or reason.names):
        return "the graph contradicts itself: its open links cannot all be directed"
    if not reason.names:
        return (
            f"the graph has no link from {words.protected} to {words.decision}, yet the rows "
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
        return "the answer depends on what else causes the decision"
    if answer.found:
        return f"the difference depends on whether {names} {_is(reason)} held equal"
    return f"once {names} {_is(reason)} also held equal, there is a significant difference"


def _is(reason: Reason) -> str:
    return "is" if len(reason.names) == 1 else "are"


def _written_after(_answer: Answer, reason: Reason, words: Words) -> str:
    was, it = ("was", "it") if len(reason.names) == 1 else ("were", "them")
    return (
        f"{was} {words.columns(reason.names)} written after the decision? Without {it} the "
        "groups differ"
    )


def _not_separated(_answer: Answer, reason: Reason, words: Words) -> str:
    return (
        f"{words.protected} and {words.columns(reason.names)} cannot be separated: people who "
        f"are alike in the latter hardly ever differ in {words.protected}"
    )


def _classes(_answer: Answer, reason: Reason, words: Words) -> str:
    return (
        f"the answer depends on how {words.columns(reason.names)} {_is(reason)} divided into "
        "classes"
    )


def _too_few(answer: Answer, _reason: Reason, words: Words) -> str:
    if answer.detectable is None:
        return "there are too few rows"
    return (
        "there are too few rows to detect an average difference of less than "
        f"{words.points(answer.detectable)} points (with 80% power)"
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


def _counts(answer: Answer, words: Words) -> str:
    """What was seen, beside what chance makes; nothing where no decision can differ."""
    certificate = answer.certificate
    if not answer.measured or certificate.is_determined:
        return ""
    seen = f"{seen_sentence(certificate.partition, words)} in these rows"
    expected = expected_phrase(certificate, certificate.partition)
    average = average_sentence(certificate.partition, words, alike=True)
    together = ""
    if answer.word is Word.YES and not _significant_groups(answer):
        average = average if answer.at_least else ""  # else the headline says it
        if answer.at_least:
            together = (
                " No single group's difference is significant, but all groups together show "
                "that some differ that much."
            )
    return f"{seen}{expected}.{together} {average}".rstrip()


def _depends(answer: Answer, words: Words) -> str:
    """Against what the answer was tried."""
    if not answer.measured:
        return ""
    graph = _graph(answer, words)
    if answer.differing:
        return f"{_falling(answer.differing, words)} {graph}"
    tried = _tried(answer)
    if not tried:
        return graph
    if answer.word is Word.YES:
        return f"The finding remains {tried}. {graph}"
    return f"Nothing significant appears {tried}. {graph}"


def hinges(answer: Answer, words: Words) -> Text:
    """On which attributes the answer depends, in one sentence that names each of them."""
    named = dict.fromkeys(name for one in answer.differing for name in one.names)
    names = [*(answer.reason.names if answer.reason else ()), *named]
    if names:
        which = _named(dict.fromkeys(names), words)
        return text("The answer may change if ", *which, " is held equal or left out.")
    many, stands = count(sum(answer.tally.values()), "other way"), ""
    if answer.tally and answer.word is not Word.CANNOT_TELL:
        is_shown = answer.word is Word.YES
        stands = f"{'It remains' if is_shown else 'The same is seen'} in {many} of comparing"
    if answer.unplaced:
        came = _named(dict.fromkeys(answer.unplaced), words)
        before = "; it is assumed that " if stands else "It is assumed that "
        return text(stands, before, *came, " came before the decision.")
    return f"{stands}." if stands else ""


def _named(names: Iterable[str], words: Words) -> Iterator[str]:
    """A listing of attributes, each as a piece of its own."""
    several = [*names]
    for at, name in enumerate(several):
        if at:
            yield " and " if at == len(several) - 1 else ", "
        yield NamedAttribute.of(name, words.named(name))


def _tried(answer: Answer) -> str:
    many = answer.tally
    parts = []
    if added := many.get("with"):
        more = "one further attribute"
        if added > 1:
            more = f"any one of {added} further attributes"
        parts.append(f"when {more} is also held equal")
    if left := many.get("without"):
        less = "the only attribute held equal"
        if left > 1:
            less = f"any one of the {left} attributes held equal"
        parts.append(f"when {less} is left out")
    if classes := many.get("classes"):
        parts.append(f"with {count(classes, 'other division')} of numbers into classes")
    if many.get("depth"):
        parts.append("with the causes that a search one level less deep finds")
    return listing(parts) if parts else ""


def _falling(falls: tuple[AdjustmentSet, ...], words: Words) -> str:
    named = listing(dict.fromkeys(_changed(one, words) for one in falls[:_MOST_NAMED]))
    more = len(falls) - _MOST_NAMED
    rest = f" and in {count(more, 'other variation')}" if more > 0 else ""
    if any(one.falls == "shown" for one in falls):
        return f"A difference is significant {named}{rest}."
    if all(one.falls == "larger" for one in falls):
        return f"The average lies beyond the threshold {named}{rest}."
    return f"The finding does not remain {named}{rest}."


def _changed(one: AdjustmentSet, words: Words) -> str:
    names = words.columns(one.names)
    return {
        "with": f"with {names} also held equal",
        "without": f"without {names}",
        "without suspects": f"without {names}",
        "classes": f"in other classes of {names}",
        "depth": f"with {names}, which a less deep search keeps",
        "all before": "with all columns before the decision held equal",
    }[one.kind]


def _graph(answer: Answer, words: Words) -> str:
    """Where the graph came from, who gave the order, and what the rows say against it."""
    origin, fit = answer.certificate.graph_origin, answer.graph_fit
    if origin.kind == "given":
        said = "The graph was given"
    elif not (answer.placed or answer.unplaced):
        said = "The graph was learned"
    elif not answer.unplaced:
        said = (
            "The graph was learned; every compared column is known to come before the decision"
        )
    else:
        names = words.columns(answer.unplaced)
        said = f"The graph was learned; it is assumed that {names} came before the decision"
    sets = count(origin.depth or 0, "attribute")
    ended = f" The search ended with sets of {sets}." if origin.depth is not None else ""
    return f"{said}.{ended}{_rejected(fit, words)}"


def _rejected(fit: GraphFit, words: Words) -> str:
    """Which independences of the decision, implied by the graph, the rows reject."""
    if not fit.rejected:
        return ""
    rejected, independent = len(fit.rejected), f"{words.decision} is independent of"
    said = f" According to the graph, {independent}"
    given = "once the causes of the decision are held equal; the rows reject this"
    if fit.implied == 1:
        return f"{said} {words.columns(fit.rejected)} {given}."
    which = "both" if rejected == fit.implied == 2 else f"{rejected:,} of them"
    if rejected == fit.implied > 2:
        which = "all of them"
    others = f"{fit.implied:,} other attributes"
    return f"{said} {others} {given} for {which} ({words.columns(fit.rejected)})."


def _further(answer: Answer, words: Words) -> Iterator[str]:
    """Exact values within classes, and a cause that nobody recorded."""
    if answer.detectable is not None and answer.word is Word.NOT_SHOWN:
        yield (
            "These rows would have shown an average difference of "
            f"{words.points(answer.detectable)} points with 80% power."
        )
    if answer.underpowered and answer.word is Word.NOT_SHOWN:
        pairs = answer.certificate.partition.comparisons.means
        where = f"For {answer.underpowered:,} of {pairs:,} pairs of groups there"
        yield (
            f"{where if pairs > 1 else 'There'} are too few rows to detect an average "
            f"difference of {words.points(2 * words.question.threshold)} points."
        )
    for one in answer.within_classes[:1]:
        yield (
            f"With a linear adjustment for exact {words.columns(one.names)} the average is "
            f"{words.points(one.adjusted)} instead of {words.points(one.difference)} points "
            f"({words.interval(one.interval)})."
        )
    if answer.hidden_cause is not None:
        yield hidden_cause_sentence(answer.hidden_cause, words)
    elif answer.measured and answer.word is not Word.CANNOT_TELL:
        yield NO_YARDSTICK


NO_YARDSTICK = (
    "No recorded cause differs between the groups, so there is no benchmark for an unrecorded "
    "one."
)


def hidden_cause_sentence(hidden: HiddenCause, words: Words) -> str:
    """What an unrecorded cause as strong as the strongest recorded one could do."""
    low, high = map(words.points, hidden.interval)
    said = (
        f"An unrecorded cause as strong as {words.named(hidden.name)} could put the average "
        f"difference anywhere from {low} to {high} points"
    )
    factor = hidden.breaking_factor
    if factor is None:
        return f"{said}."
    times = f"{factor:.1f}" if factor < _LARGE else f"{_LARGE}"
    upto = "up to" if factor < _LARGE else "at more than"
    return f"{said}; the answer holds {upto} {times} times that strength."

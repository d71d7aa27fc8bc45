"""The groups of a report one by one, and all of them in a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from evenhand.evidence import Certificate, Partition, Subpopulation, Subpopulations
from evenhand.question import Question
from evenhand.report.pictures.charts import KINDS, Mark, dot_plot, funnel, unsigned
from evenhand.report.rendering import View
from evenhand.wording import Words, capital, has_sides, part, rate

# Up to so many groups one plot shows all of them.
FEW = 15


@dataclass(frozen=True)
class Case:
    """A line of a partition as it is told: the two groups that chance explains least in it.

    Where any group may be ahead of any other, ``people`` has the one behind first: differences
    are gaps then. ``rows`` counts all people of the line, whomever they are compared with.
    """

    partition: Partition
    line: int

    @cached_property
    def people(self) -> Subpopulation:
        """The counts of both groups with what they tell."""
        (people,) = Subpopulations(self.partition, np.array([self.line]))
        return turned(people, self.partition.question)

    @property
    def id(self) -> str:
        """Its place in the evidence; empty if it is none."""
        rank = self.partition.strength_rank[self.line]
        return f"E{rank}" if rank else ""

    @property
    def rows(self) -> int:
        """All people of it."""
        return int(self.partition.row_counts[self.line])

    @property
    def side(self) -> int:
        """On which side it reaches the threshold; 0 if it does not."""
        return int(unsigned(self.partition.side, self.partition.question)[self.line])

    @property
    def difference(self) -> Fraction:
        """The others' rate minus the group's, where both occur."""
        return self.people.risk_difference or Fraction(0)

    @property
    def widest(self) -> Subpopulation | None:
        """The widest gap, where it is not the one that chance explains least."""
        partition, line = self.partition, self.line
        is_lead = partition.widest[line] == partition.lead[line]
        return None if is_lead else widest_in(partition, line)


def select_cases(partition: Partition, most: int | None = None) -> list[Case]:
    """The measured groups: evidence, strongest first, then the others, largest first."""
    lines = partition.strength_order[: np.count_nonzero(partition.measured)]
    return [Case(partition, line) for line in lines[:most].tolist()]


def turned(people: Subpopulation, question: Question) -> Subpopulation:
    """The same counts with the group behind first, where any group may be ahead."""
    difference = people.risk_difference
    if has_sides(question) or difference is None or difference >= 0:
        return people
    interval = people.interval
    return replace(
        people,
        group_yes=people.other_yes,
        group_no=people.other_no,
        other_yes=people.group_yes,
        other_no=people.group_no,
        risk_difference=-difference,
        interval=interval and (0.0 - interval[1], 0.0 - interval[0]),
        labels=people.labels[::-1],
    )


def widest_in(partition: Partition, line: int) -> Subpopulation:
    """A subpopulation with the widest difference in it, as exact counts without statistics."""
    at, compared = int(partition.widest[line]), partition.comparisons
    pair, cut = (0, 0) if at < 0 else (int(compared.pair[at]), int(compared.cut[at]))
    ends = partition.pairs[pair]
    group_yes, other_yes = (int(partition.favorable[cut, end, line]) for end in ends)
    group, other = (int(partition.rows[end, line]) for end in ends)
    named = partition.question.group is not None
    people = Subpopulation(
        where=partition.where(line),
        group_yes=group_yes,
        group_no=group - group_yes,
        other_yes=other_yes,
        other_no=other - other_yes,
        risk_difference=None if at < 0 else compared.difference(at),
        interval=None,
        p_zero=None,
        p_threshold=None,
        p_adjusted=None,
        discovery_rate=None,
        shown=False,
        labels=() if named else tuple(partition.groups[end] for end in ends),
        decision="" if partition.two_groups else partition.cut_label(cut),
    )
    return turned(people, partition.question)


def group_heads(names: Sequence[str], words: Words) -> tuple[str, str]:
    """What heads the names of few groups: one attribute leads, the others are in small type."""
    lead = capital(words.column(names[0])) if names else "Group"
    return lead, " · ".join([*map(words.column, names[1:]), "people"])


def group_names(case: Case, words: Words) -> tuple[str, str]:
    """The leading value of a group; its other values, and how many people it holds."""
    values = [words.labels.value(*one) for one in case.people.where.items()]
    return values[0] if values else "everybody", " · ".join([*values[1:], f"{case.rows:,}"])


def case_mark(case: Case, words: Words) -> Mark:
    """The difference of a group."""
    text, interval = words.points(case.difference), case.people.interval or (0.0, 0.0)
    ahead = words.higher(case.difference, words.pair(case.people))
    points, low, high = (100 * float(value) for value in (case.difference, *interval))
    told = f"difference {text} points, {ahead}, interval {words.interval(interval)}"
    return Mark(points, low, high, KINDS[case.side], case.people.shown, text, told)


def case_rates(case: Case, words: Words) -> tuple[float, float, str]:
    """The rates of both groups in percent, and in words."""
    people, (group, other) = case.people, words.pair(case.people)
    rates = rate(people.group_yes, people.group), rate(people.other_yes, people.other)
    return (
        100 * people.group_yes / people.group,
        100 * people.other_yes / people.other,
        f"{group} {rates[0]}, {other} {rates[1]}",
    )


def picture(certificate: Certificate, words: Words) -> View | None:
    """All groups: by name if they are few, else as dots by size; None if none is measured."""
    if not certificate.partition.measured.any():
        return None
    if not is_few(certificate):
        return View(plot=None, funnel=group_dots(certificate, words))
    return View(plot=plot_of_few(certificate, words), funnel=None)


def is_few(certificate: Certificate) -> bool:
    """Whether one plot can show all groups that were measured."""
    return int(np.count_nonzero(certificate.partition.measured)) <= FEW


def group_dots(certificate: Certificate, words: Words) -> View | None:
    """All comparisons; where there are several in a group, an id is that of its strongest."""
    every = np.arange(len(certificate.partition.comparisons))
    if not len(every):
        return None
    return funnel(certificate.partition, every, words, named=True, what=words.comparison)


def plot_of_few(certificate: Certificate, words: Words) -> View:
    """Rates beside differences, for every group."""
    chosen, reaching = select_cases(certificate.partition), certificate.partition.violating
    title = "In no group does a difference reach the threshold"
    if reaching:
        title = (
            f"In {part(reaching, len(chosen), 'group')} the difference reaches the threshold"
        )
    return dot_plot(
        (
            View(
                id=case.id,
                names=group_names(case, words),
                pair=words.pair_phrase(case.people),
                rates=case_rates(case, words),
                mark=case_mark(case, words),
            )
            for case in chosen
        ),
        words,
        title=title,
        subtitle=f"Share who {words.did}, and the difference with its 95% interval.",
        heads=group_heads(certificate.partition.names, words),
        rates=f"Share who {words.did}",
    )


def varying(cases: Sequence[Case]) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The values that all cases share, if they are several, and of each case the others."""
    every = [dict(case.people.where) for case in cases]
    common = {
        name: value
        for name, value in (every[0] if every[1:] else {}).items()
        if all(one[name] == value for one in every)
    }
    others = [{name: of[name] for name in of if name not in common} for of in every]
    return common, others

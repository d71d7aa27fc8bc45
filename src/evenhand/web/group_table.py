"""All groups in pages of a hundred, sorted and filtered, and one of them in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from evenhand.evidence import Certificate, Subpopulations
from evenhand.evidence.subpopulations import KINDS
from evenhand.evidence.variations.sensitivity import sensitivity
from evenhand.report.differences import finding, rate_bars
from evenhand.report.groups import Case, Cases
from evenhand.report.html_report import View
from evenhand.web.addresses import changed_query, query_number, query_values
from evenhand.wording import Strong, Text, Words, capital, count, text

PAGE_ROWS = 100
# Of an attribute with more values none is offered: they can be searched for.
_MOST_VALUES = 50
_KIND_WORDS = {
    "violating": "at or beyond the threshold",
    "shown": "shown to lie beyond it",
    "tied": "exactly on the threshold",
    "measured": "that can be compared",
    "unmeasured": "that cannot be compared",
}

_ORDER_WORDS = {
    "strength": "least likely to be chance",
    "-strength": "most likely to be chance",
    "difference": "largest difference",
    "-difference": "smallest difference",
    "size": "most people",
    "-size": "fewest people",
    "name": "values",
    "-name": "values, backwards",
}


@dataclass(frozen=True, slots=True)
class GroupQuery:
    """Which groups an address asks for: an order, conditions, a page."""

    sort: str
    conditions: tuple[str, ...]
    page: int

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "GroupQuery":
        """Read it from the query of an address."""
        return cls(
            query.get("sort") or "strength",
            tuple(query_values(query, "where")),
            max(query_number(query, "page") or 1, 1),
        )

    def select(self, groups: Subpopulations, words: Words) -> Subpopulations:
        """All groups that meet the conditions, in order; none of them is read."""
        return groups.meeting(self.conditions, words.labels).sorted_by(self.sort)

    def page_of(self, groups: Subpopulations) -> Subpopulations:
        """The groups of the page; the last page where there are not so many."""
        last = max(ceil(len(groups) / PAGE_ROWS), 1)
        first = (min(self.page, last) - 1) * PAGE_ROWS
        return groups[first : first + PAGE_ROWS]


def group_table(certificate: Certificate, query: Mapping[str, str], words: Words) -> View:
    """The page of groups that an address asks for."""
    asked, every = GroupQuery.of(query), certificate.subpopulations
    selected = asked.select(every, words)
    cases = Cases(asked.page_of(selected))
    chosen = query_number(query, "group")
    return View(
        said=_said(len(selected), len(every)),
        rows=tuple(_row(certificate, case, query, words, chosen) for case in cases),
        columns=dict(_columns(asked.sort, query)),
        group=capital(words.group),
        other=capital(words.other),
        kinds=tuple(
            View(value=kind, label=_KIND_WORDS[kind], chosen=kind in asked.conditions)
            for kind in KINDS
        ),
        values=tuple(_values(certificate, asked.conditions, words)),
        words=_free_words(certificate, asked.conditions),
        orders=tuple(
            View(value=order, label=label, chosen=order == asked.sort)
            for order, label in _ORDER_WORDS.items()
        ),
        pages=tuple(_pages(len(selected), asked.page, query)),
    )


def _said(selected: int, every: int) -> str:
    if selected == every:
        return f"All {count(every, 'group')}" if every > 1 else count(every, "group")
    return f"{selected:,} of {count(every, 'group')}"


def _row(
    certificate: Certificate,
    case: Case,
    query: Mapping[str, str],
    words: Words,
    chosen: int | None,
) -> View:
    return View(
        finding=finding(certificate.partition, case, words),
        line=case.line,
        people=f"{int(certificate.partition.row_counts[case.line]):,}",
        address=changed_query(query, group=str(case.line)) + "#group",
        chosen=case.line == chosen,
    )


def _columns(sort: str, query: Mapping[str, str]) -> Iterator[tuple[str, View]]:
    titles = {"name": "Group", "size": "People", "difference": "Difference, points"}
    for name, title in {**titles, "strength": "p"}.items():
        here, turned = sort == name, sort == f"-{name}"
        yield (
            name,
            View(
                title=title,
                address=changed_query(query, sort=f"-{name}" if here else name, page=None)
                + "#groups",
                direction="ascending" if here else "descending" if turned else "none",
            ),
        )


def _values(
    certificate: Certificate, conditions: Sequence[str], words: Words
) -> Iterator[tuple[str, tuple[View, ...]]]:
    """The values of each attribute in which people of a group are alike."""
    for attribute in certificate.partition.assignments.attributes:
        if len(attribute.values) <= _MOST_VALUES:
            yield (
                words.column(attribute.name),
                tuple(
                    View(
                        value=f"{attribute.name}={value}",
                        label=words.labels.value(attribute.name, value),
                        chosen=f"{attribute.name}={value}" in conditions,
                    )
                    for value in attribute.values
                ),
            )


def _free_words(certificate: Certificate, conditions: Sequence[str]) -> str:
    """The condition that is neither a kind nor a value of an attribute."""
    values = {
        f"{attribute.name}={value}"
        for attribute in certificate.partition.assignments.attributes
        for value in attribute.values
    }
    return " ".join(one for one in conditions if one not in KINDS and one not in values)


def _pages(groups: int, here: int, query: Mapping[str, str]) -> Iterator[tuple[str, str, bool]]:
    """The pages near this one, the first and the last: number, address, whether it is this."""
    last = ceil(groups / PAGE_ROWS)
    here = min(here, last)
    if last < 2:
        return
    near = {1, last, *range(max(here - 2, 1), min(here + 2, last) + 1)}
    for number in sorted(near):
        address = changed_query(query, page=str(number)) + "#groups"
        yield f"{number:,}", address, number == here


def chosen_group(
    certificate: Certificate, query: Mapping[str, str], words: Words
) -> View | None:
    """The group whose line the address names."""
    partition, line = certificate.partition, query_number(query, "group")
    if line is None or line >= len(partition):
        return None
    (case,) = Cases(Subpopulations(partition, np.array([line])))
    needed = sensitivity(partition, line)
    counts = partition.counts[:, :, line].T.tolist()
    return View(
        title=f"{case.id}: {words.alike(case.people.where) or 'everybody'}".removeprefix(": "),
        shares=f"Share who {words.did_by(case.people.decision)}",
        sentence=words.story(case.people),
        difference=_difference(case, words),
        bars=rate_bars(case.people, words),
        heads=tuple(map(capital, words.decision_names)),
        counts=tuple(
            (capital(who), tuple(f"{many:,}" for many in each))
            for who, each in zip(words.groups, counts, strict=True)
        ),
        notes=tuple(map(str, needed.summary().notes)) if needed else (),
        close=changed_query(query, group=None) + "#groups",
    )


def _difference(case: Case, words: Words) -> Text:
    """The difference with its interval, and whether it is shown."""
    people, threshold = case.people, words.threshold_points
    if people.risk_difference is None:
        return "One side is absent or too small here: there is no difference to speak of."
    exact = str(people.risk_difference).replace("-", "−")
    reached = "reaches" if case.side else "is under"
    said = (
        f"is shown to lie beyond {threshold}, chance and all comparisons allowed for"
        if case.shown
        else f"is not shown to lie beyond {threshold}: chance may explain what is seen of it"
        if case.side
        else f"is not shown to lie beyond {threshold}"
    )
    return text(
        "The difference is ",
        Strong(f"{words.points(people.risk_difference)} points"),
        f" ({words.higher(people.risk_difference, words.pair(people))}), exactly "
        f"{exact}, and {reached} the threshold of {words.question.threshold}. "
        f"Its 95% interval goes from {words.interval(people.interval)}. It {said}.",
    )

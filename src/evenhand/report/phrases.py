"""The words of a report: people, values and numbers as a reader should meet them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.display import percent
from evenhand.evidence import Subpopulation, points
from evenhand.evidence.finding_sentence import decision_phrase
from evenhand.evidence.subpopulations import threshold_points
from evenhand.question import Question
from evenhand.question.question_file import Labels
from evenhand.report.template_types import Strong, Text, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How the people, the decision and the values of one question are called.

    With a label the group is "women", without one "sex 2"; a labelled value speaks for itself,
    any other is named with its column.
    """

    question: Question
    labels: Labels

    @property
    def protected(self) -> str:
        """The protected attribute."""
        return self.labels.column(self.question.protected)

    @property
    def decision(self) -> str:
        """The decision."""
        return self.labels.column(self.question.decision)

    @property
    def did(self) -> str:
        """What those did who got the favorable decision: "were admitted", "had income >50K"."""
        return decision_phrase(self.question, self.labels)

    @property
    def group(self) -> str:
        """The group asked about."""
        return self.value(self.question.protected, self.question.group)

    @property
    def other(self) -> str:
        """Whom it is compared with."""
        return self.value(self.question.protected, str(self.question.other))

    @property
    def group_people(self) -> str:
        """The group asked about, as people: "women", or "people with sex 2"."""
        return self.people_with(self.question.group)

    @property
    def other_people(self) -> str:
        """Whom it is compared with, as people."""
        return self.people_with(str(self.question.other))

    def people_with(self, value: str) -> str:
        """A group of people in a sentence: "women", or "people with sex 2"."""
        label = self.labels.values.get(self.question.protected, {}).get(value)
        return f"people with {self.protected} {value}" if label is None else label

    def column(self, name: str) -> str:
        """What an attribute is called."""
        return self.labels.column(name)

    def columns(self, names: Iterable[str]) -> str:
        """Attributes in a list."""
        return listing(map(self.column, names))

    def same(self, names: Collection[str]) -> str:
        """What is held equal in a comparison."""
        return f"Same {self.columns(names)}" if names else "Everybody at once"

    def value(self, name: str, value: str) -> str:
        """A value that makes sense without its column: "women", or "age >37"."""
        label = self.labels.values.get(name, {}).get(value)
        return f"{self.column(name)} {value}" if label is None else label

    def alike(self, where: Mapping[str, str]) -> str:
        """What people of a group share."""
        return ", ".join(self.value(name, value) for name, value in where.items())

    def people(self, many: int, who: str) -> Text:
        """So many people: "1 row (women)", because labels have no singular."""
        return text(Strong(f"{many:,}"), f" {who}" if many != 1 else f" row ({who})")

    def story(self, people: Subpopulation) -> Text:
        """A group in counts, both sides in one breath."""
        alike = self.alike(people.where)
        group = self.people_with(self.question.group)
        other = self.people_with(str(self.question.other))
        return text(
            "Of ",
            *self.people(people.group, group),
            f" ({alike}), " if alike else ", ",
            Strong(f"{people.group_yes:,}"),
            f" ({rate(people.group_yes, people.group)}) {self.did}. Of ",
            *self.people(people.other, f"such {other}" if people.other != 1 else other),
            ", ",
            Strong(f"{people.other_yes:,}"),
            f" ({rate(people.other_yes, people.other)}).",
        )

    def points(self, difference: Fraction | float | None) -> str:
        """A difference in percentage points, never rounded across the threshold."""
        return points(difference, threshold=self.question.threshold)

    def interval(self, interval: tuple[float, float] | None) -> str:
        """Both ends of an interval, in points."""
        return " to ".join(self.points(end) for end in interval or ())

    def higher(self, difference: Fraction | float | None) -> str:
        """Who is ahead."""
        if not difference:
            return "no difference"
        return f"{self.other if difference > 0 else self.group} higher"

    @property
    def threshold_points(self) -> str:
        """The threshold with its unit: "5 points", "1 point"."""
        return threshold_points(self.question)


def readable_labels(labels: Labels, names: Collection[str]) -> Labels:
    """The labels, and for columns without one their names with spaces between words.

    Where two columns would then be called the same, both keep their names.

    >>> labels = Labels(columns={"hours": "hours a week"})
    >>> readable_labels(labels, ["Income_class", "hours"]).columns
    {'Income_class': 'Income class', 'hours': 'hours a week'}
    >>> readable_labels(Labels(), ["job_kind", "job kind", "_id"]).columns
    {'job_kind': 'job_kind', 'job kind': 'job kind', '_id': '_id'}
    """
    read = {
        name: labels.columns.get(name, re.sub(r"(?<=[^\W_])_(?=[^\W_])", " ", name))
        for name in names
    }
    called = Counter(read.values())
    clear = {
        name: word if name in labels.columns or called[word] == 1 else name
        for name, word in read.items()
    }
    return replace(labels, columns={**clear, **labels.columns})


def rate(yes: int, total: int) -> str:
    """A share of a count as a percentage that shows neither none nor all where that is untrue.

    >>> rate(31, 462), rate(9_999, 10_000), rate(1, 10_000)
    ('6.7%', '>99.9%', '<0.1%')
    """
    return share(yes / total) if total else "none"


def share(part: float) -> str:
    """A share as a percentage, without decimals where it is all or none."""
    return f"{part:.0%}" if part in (0, 1) else percent(part).replace(" ", "")


def count(many: int, one: str, several: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "group"), count(1200, "group")
    ('1 group', '1,200 groups')
    """
    return f"{many:,} {one if many == 1 else several or one + 's'}"


def listing(names: Iterable[str]) -> str:
    """Names in a row: "a, b and c".

    >>> listing(["a", "b", "c"]), listing([])
    ('a, b and c', 'nothing')
    """
    *most, last = [*names] or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def capital(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]

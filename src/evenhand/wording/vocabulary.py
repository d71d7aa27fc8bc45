"""``Words``: how the people, the values and the decision of one question are called."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from evenhand.display import points
from evenhand.evidence import Certificate, Partition, Subpopulation
from evenhand.evidence.subpopulations import threshold_points
from evenhand.question import JOIN, OR, Question
from evenhand.question.display_labels import Labels, decision_phrase, people_of, quoted
from evenhand.wording.sentence_parts import Strong, capital, listing, rate, shortened, text

_MOST_NAMED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How the people, the decision and the values of one question are called.

    ``is_known_good`` is false of a favorable value that was guessed, with nothing speaking for
    it: then nobody is ahead or behind.

    With a label the group is "women", without one it is named in quotation marks: people with
    “sex = 2”. In tables and pictures, and where they are plain words, names stand without them.
    """

    question: Question
    labels: Labels
    group_values: tuple[str, ...] = ()
    cuts: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    is_known_good: bool = True

    @classmethod
    def of(cls, of: Certificate | Partition, labels: Labels | None = None) -> "Words":
        """The words for what is certified, or only counted, from a question file's labels."""
        partition = of if isinstance(of, Partition) else of.partition
        cuts = tuple(map(partition.cut_label, range(len(partition.favorable))))
        return cls(
            question=partition.question,
            labels=joined_labels(
                labels or Labels(), partition.question, partition.groups, cuts
            ),
            group_values=partition.groups,
            cuts=cuts,
            decisions=partition.decisions,
            is_known_good=isinstance(of, Partition)
            or "favorable" not in of.guesses.get("unsure", ()),
        )

    def column(self, name: str) -> str:
        """What an attribute is called in tables and pictures."""
        return self.labels.column(name)

    def named(self, name: str) -> str:
        """What an attribute is called within a sentence."""
        label = self.labels.column(name)
        return label if label != name or name.rstrip("?").isalnum() else quoted(name)

    def columns(self, names: Iterable[str]) -> str:
        """Attributes in a sentence."""
        return listing(map(self.named, names))

    @property
    def protected(self) -> str:
        """The protected attribute, in a sentence."""
        return self.named(self.question.groups_column)

    @property
    def decision(self) -> str:
        """The decision, in a sentence."""
        return self.named(self.question.decision)

    @property
    def recorded(self) -> str:
        """The decision whose causes are held equal: of predictions the recorded one."""
        return self.named(self.question.predicts or self.question.decision)

    @property
    def decision_names(self) -> tuple[str, ...]:
        """The kinds of decision that are counted apart."""
        return tuple(self.labels.value(self.question.decision, one) for one in self.decisions)

    @property
    def is_named(self) -> bool:
        """Whether the question names the two groups that it compares."""
        return self.question.group is not None

    @property
    def has_sides(self) -> bool:
        """Whether differences have a sign; where any group may be ahead they are gaps."""
        return has_sides(self.question)

    @property
    def did(self) -> str:
        """What those did who got the favorable decision: "were admitted"."""
        if len(self.cuts) > 1:
            better = " or a better one" if self.question.criterion == "cumulative" else ""
            return f"had the {self.decision} named{better}"
        return decision_phrase(self.question, self.labels)

    def did_by(self, cut: str) -> str:
        """What those did whom one of several rates counts."""
        return decision_phrase(self.question, self.labels, cut)

    @property
    def group(self) -> str:
        """The group asked about; of several the one behind."""
        if self.is_named:
            return self.group_name(str(self.question.group))
        return "others" if self.has_sides else f"the group {self.behind}"

    @property
    def other(self) -> str:
        """Whom it is compared with; of several groups the one ahead."""
        if self.has_sides:
            return self.group_name(str(self.question.other))
        return f"the group {self.ahead}"

    @property
    def is_favor(self) -> bool:
        """Whether a higher rate is an advantage, as far as anybody knows.

        It is just more of one of several values, or of one that was guessed for no reason.
        """
        return self.question.criterion != "every" and self.is_known_good

    @property
    def ahead(self) -> str:
        """What is said of the group with the higher rate."""
        return "ahead" if self.is_favor else "with more"

    @property
    def behind(self) -> str:
        """What is said of the group with the lower rate."""
        return "behind" if self.is_favor else "with less"

    @property
    def lead(self) -> str:
        """What people with the higher rate do."""
        if self.is_favor:
            return "are ahead"
        many = self.question.criterion == "every"
        return f"have one {self.decision} more often" if many else f"{self.did} more often"

    @property
    def than(self) -> str:
        """What stands between the group with the higher rate and the other."""
        return "ahead of" if self.is_favor else "more often than"

    def group_name(self, value: str) -> str:
        """A group: "women", or "sex = 2"; of many a word like "Black" is enough."""
        is_word = sum(letter.isalpha() for letter in value) > 1
        if is_word and not self.is_named:
            return self.labels.value(self.question.groups_column, value)
        return self.value(self.question.groups_column, value)

    @property
    def kinds(self) -> str:
        """What tells groups apart: "values of race", "combinations of sex and race"."""
        several = len(self.question.protected_names) > 1
        return f"{'combinations' if several else 'values'} of {self.protected}"

    @property
    def groups(self) -> tuple[str, ...]:
        """All groups that are compared."""
        named = (str(self.question.group), str(self.question.other))
        return tuple(map(self.group_name, self.group_values or named))

    @property
    def group_people(self) -> str:
        """The group asked about, as people: "women", or "people with “sex = 2”"."""
        return self.people_with(str(self.question.group)) if self.is_named else self.group

    @property
    def other_people(self) -> str:
        """Whom it is compared with, as people."""
        return self.people_with(str(self.question.other)) if self.has_sides else self.other

    @property
    def both(self) -> str:
        """Two groups that are compared, whichever they are: "women and men"."""
        if self.is_named:
            return f"{self.group_people} and {self.other_people}"
        if self.has_sides:
            return f"{self.other_people} and others"
        return f"people with different {self.kinds}"

    def compared(self, alike: str = "") -> str:
        """Who is compared with whom, and what makes them ``alike``, without a period."""
        if self.is_named:
            return f"{capital(self.group_people)} are compared with {self.other_people}{alike}"
        values = [value for value in self.group_values if value != self.question.other]
        names = [self.group_name(value) for value in values[:_MOST_NAMED]]
        if rest := len(values) - len(names):
            names.append(f"{rest:,} more")
        if self.has_sides:
            return f"{capital(listing(names))} are compared with {self.other_people}{alike}"
        return f"People{alike} are compared across all {self.kinds} ({', '.join(names)})"

    @property
    def comparison(self) -> str:
        """One of what is counted where several differences are measured in a group."""
        return "comparable group" if self.is_named and len(self.cuts) < 2 else "comparison"

    def leading_pair(self, partition: Partition) -> tuple[str, str]:
        """The names of the two groups whose average difference chance explains least."""
        group, other = map(self.group_name, partition.leading_labels)
        return group, other

    def people_with(self, value: str) -> str:
        """A group of people in a sentence: "women", or "people with “sex = 2”"."""
        return people_of(self.question, value, self.labels)

    def pair(self, people: Subpopulation) -> tuple[str, str]:
        """The names of both groups that are compared in a subpopulation."""
        group, other = map(self.group_name, self._pair_of(people))
        return group, other

    def _pair_of(self, people: Subpopulation) -> tuple[str, ...]:
        return people.labels or (str(self.question.group), str(self.question.other))

    def pair_phrase(self, people: Subpopulation) -> str:
        """Who is compared in a subpopulation, by what; nothing where the question says that."""
        decided = [self.did_by(people.decision)] if len(self.cuts) > 1 else []
        if self.is_named:
            return capital("".join(decided))
        behind, ahead = self.pair(people)
        who = f"{behind} and {ahead}" if self.has_sides else f"{ahead} {self.than} {behind}"
        return ", ".join([who, *decided])

    def same(self, names: Collection[str]) -> str:
        """What is held equal in a comparison, in a table."""
        return f"Same {listing(map(self.column, names))}" if names else "Everybody at once"

    def value(self, name: str, value: str) -> str:
        """A value that makes sense without its column: "women", or "age = >37"."""
        label = self.labels.values.get(name, {}).get(value)
        return f"{self.column(name)} = {value}" if label is None else label

    def alike(self, where: Mapping[str, str]) -> str:
        """What people of a group share."""
        return ", ".join(self.value(name, value) for name, value in where.items())

    def so_many(self, many: int, value: str, *, such: bool = False) -> tuple[str, ...]:
        """A number of people of a group: "12 women", "1 of the women".

        Labels have no singular. ``such`` are alike with others named before.
        """
        who = self.people_with(value)
        if many == 1:
            unlabelled = who.startswith("people ")
            who = f"person {who.removeprefix('people ')}" if unlabelled else f"of the {who}"
        return text(Strong(f"{many:,}"), f" {'such ' * (such and many != 1)}{who}")

    def story(
        self, people: Subpopulation, where: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """A group in counts, both sides in one breath; ``where`` may leave values out."""
        alike = self.alike(people.where if where is None else where)
        group, other = self._pair_of(people)
        return text(
            "Of ",
            *self.so_many(people.group, group),
            f" ({alike}), " if alike else ", ",
            Strong(f"{people.group_yes:,}"),
            f" ({rate(people.group_yes, people.group)}) {self.did_by(people.decision)}; of ",
            *self.so_many(people.other, other, such=True),
            ", ",
            Strong(f"{people.other_yes:,}"),
            f" ({rate(people.other_yes, people.other)}).",
        )

    def counted(self, people: Subpopulation) -> list[tuple[str, str]]:
        """Both groups with their favorable decisions, and their names where these change."""
        cells = (people.group_yes, people.group), (people.other_yes, people.other)
        names = ("", "") if self.is_named else (f"{one}: " for one in self.pair(people))
        return [
            (whose, f"{name}{yes:,} of {total:,}")
            for whose, name, (yes, total) in zip(
                (self.group, self.other), names, cells, strict=True
            )
        ]

    def widest(self, people: Subpopulation) -> str:
        """The widest gap of a group, where it is not the one that chance explains least."""
        group, other = self.pair(people)
        decided = f" {self.did_by(people.decision)}" if len(self.cuts) > 1 else ""
        return (
            f"Widest gap: {self.points(abs(people.risk_difference or Fraction(0)))} points, "
            f"{people.other_yes:,} of {people.other:,} {other} and {people.group_yes:,} of "
            f"{people.group:,} {group}{decided}."
        )

    def points(self, difference: Fraction | float | None) -> str:
        """A difference in percentage points, never rounded across the threshold."""
        return points(difference, threshold=self.question.threshold)

    def interval(self, interval: tuple[float, float] | None) -> str:
        """Both ends of an interval, in points."""
        # Turning an interval of just 0 must not leave a minus sign before it.
        return " to ".join(self.points(end + 0.0) for end in interval or ())

    def higher(
        self, difference: Fraction | float | None, pair: tuple[str, str] | None = None
    ) -> str:
        """Who is ahead, of a pair of names or of the two groups asked about."""
        if not difference:
            return "no difference"
        group, other = pair or (self.group, self.other)
        return f"{other if difference > 0 else group} higher"

    @property
    def threshold_points(self) -> str:
        """The threshold with its unit: "5 points", "1 point"."""
        return threshold_points(self.question)


def has_sides(question: Question) -> bool:
    """Whether it is said who is compared with whom, so that differences have a sign."""
    return question.group is not None or question.other is not None


def joined_labels(
    labels: Labels, question: Question, groups: Iterable[str], cuts: Iterable[str]
) -> Labels:
    """The labels, and those of groups and decisions that several values define.

    >>> asked = Question(protected=("sex", "race"), decision="hired", favorable="yes")
    >>> words = Labels(values={"sex": {"f": "women", "m": "men"}})
    >>> joined_labels(words, asked, ["f & b"], []).values["sex & race"]
    {'f & b': 'women & b'}
    """
    names, column = question.protected_names, question.groups_column
    columns, values = dict(labels.columns), {**labels.values}
    if len(names) > 1:
        columns[column] = listing(map(labels.column, names))
        joined = {
            group: JOIN.join(
                labels.value(name, value)
                for name, value in question.group_values(group).items()
            )
            for group in groups
        }
        values[column] = {group: label for group, label in joined.items() if label != group}
    parts = {cut: cut.split(OR) for cut in (question.favorable_label, *cuts) if OR in cut}
    if parts:
        decided = question.decision
        values[decided] = {**labels.values.get(decided, {})} | {
            cut: OR.join(labels.value(decided, one) for one in these)
            for cut, these in parts.items()
            if any(one in labels.values.get(decided, {}) for one in these)
        }
    return replace(labels, columns=columns, values=values)


def codes_statement(certificate: Certificate, words: Words) -> str:
    """How groups, decisions and renamed columns are called in the table."""
    question = words.question
    decided = f"{question.decision}, each of: {'; '.join(words.cuts)}"
    if question.favorable:
        decided = f"{question.decision} = {question.favorable_label}"
    whom = f"each compared with {question.other}" if words.has_sides else "in pairs"
    groups = f"{question.groups_column} ({'; '.join(shortened(words.group_values))}), {whom}"
    if words.is_named:
        groups = f"{question.groups_column} = {question.group}, compared with {question.other}"
    renamed = "; ".join(
        f"{words.column(name)} = {name}"
        for name in certificate.graph.nodes
        if words.column(name) != name
    )
    columns = f" Columns: {renamed}." if renamed else ""
    return f"{groups}; {decided}; τ = {question.threshold}.{columns}"

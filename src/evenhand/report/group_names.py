"""How few groups are named in a plot: one attribute leads, the others follow in small type."""

from dataclasses import dataclass

from evenhand.evidence import Certificate
from evenhand.report.phrases import Words, capital
from evenhand.report.shown_groups import Case


@dataclass(frozen=True, slots=True)
class Naming:
    """The attribute with most values leads, because it tells most groups apart."""

    words: Words
    names: tuple[str, ...]

    @classmethod
    def of(cls, certificate: Certificate, words: Words) -> "Naming":
        """Name the groups of the decision causes."""
        counts = certificate.examined.counts
        names = certificate.partition.names
        return cls(words, tuple(sorted(names, key=lambda name: -len(counts.attribute(name)))))

    @property
    def head(self) -> str:
        """The name of the leading attribute."""
        return capital(self.words.column(self.names[0])) if self.names else "Group"

    @property
    def detail_head(self) -> str:
        """The names of the others, and of the count."""
        return " · ".join([*map(self.words.column, self.names[1:]), "people"])

    def name(self, case: Case) -> str:
        """The leading value of a group."""
        return self._value(case, self.names[0]) if self.names else "everybody"

    def detail(self, case: Case) -> str:
        """Its other values, and how many people it holds."""
        values = (self._value(case, name) for name in self.names[1:])
        return " · ".join([*values, f"{case.found.rows:,}"])

    def _value(self, case: Case, name: str) -> str:
        return self.words.labels.value(name, case.found.where[name])

"""``ReleaseChoice``: by which method rows are released, with which settings.

It stands in the address of the screen, so that links are enough to choose.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any
from urllib.parse import urlencode

from evenhand.errors import QuestionError
from evenhand.question import exact_fraction
from evenhand.question.fields import option_words
from evenhand.removal import POLICIES, Baseline, Method, ModifyData, named_method

_FEWEST = ModifyData()
# Those that promise to meet the criterion; all others are compared, and never written.
_RELEASING = {f"{one.method}:{one.name}": one for one in POLICIES if one.guaranteed}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseChoice:
    """A method and its settings; ``margin`` is in percentage points, as it was typed."""

    way: str = f"{_FEWEST.name}:{_FEWEST.policy}"
    margin: str = "0"
    only: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ReleaseChoice":
        """The choice that an address, or the body of a request, names."""
        return cls(
            way=str(given.get("way") or cls().way),
            margin=str(given.get("margin") or "0").strip() or "0",
            **{name: _texts(given, name) for name in ("only", "drop")},
        )

    @property
    def takes_groups(self) -> bool:
        """Whether it can be said whose decisions may change."""
        policy = _RELEASING.get(self.way)
        return policy is not None and policy.takes_groups

    @property
    def method(self) -> Method | Baseline:
        """The method with its settings; one that gives no guarantee is refused."""
        found = _RELEASING.get(self.way)
        if found is None:
            raise QuestionError.of(
                f"{self.way.replace(':', ' ')} gives no guarantee.",
                "It is compared with others, and never written.",
                "Choose one that ends certified.",
            )
        return named_method(found.method, found.name, margin=self.margin_share, only=self.only)

    @property
    def margin_share(self) -> Fraction:
        """The margin as a share."""
        try:
            return exact_fraction(self.margin) / 100
        except ValueError as error:
            raise QuestionError.of(
                f"The margin {self.margin!r} cannot be read.", f"{error}.", "Write a number."
            ) from error

    def address(self, **changed: Any) -> str:  # noqa: ANN401  # fields of the choice
        """The screen with this choice, or with parts of it changed."""
        choice = replace(self, **changed)
        if not choice.takes_groups:
            choice = replace(choice, only=())
        return f"release?{urlencode(choice.query, doseq=True)}" if choice.query else "release"

    @property
    def query(self) -> dict[str, Any]:
        """What differs from the first choice, as plain values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        usual = ReleaseChoice()
        return {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in values.items()
            if value != getattr(usual, name)
        }

    @property
    def options(self) -> list[str]:
        """The same as options of the command line."""
        method, _, policy = self.way.partition(":")
        table = {
            "method": method if method != _FEWEST.name else None,
            "policy": policy if self.way != ReleaseChoice().way else None,
            "margin": str(self.margin_share) if self.margin != "0" else None,
            "only": [*self.only],
            "drop": [*self.drop],
        }
        return option_words({"release": table}, "release")


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """All values of one name: of an address, or a list of a body."""
    values: Iterable[Any]
    if hasattr(given, "getlist"):
        values = given.getlist(name)
    else:
        value = given.get(name, ())
        values = value if isinstance(value, list | tuple) else (value,)
    return tuple(dict.fromkeys(str(value) for value in values if str(value)))

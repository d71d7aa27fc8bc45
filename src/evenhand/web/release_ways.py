"""Every method side by side: what it changes, what it leaves, whether it ends certified."""

from dataclasses import dataclass
from math import floor, log10

from evenhand.evidence import Verdict
from evenhand.releasing.compare import Comparison, Outcome
from evenhand.web.release_choice import ReleaseChoice
from evenhand.wording import Words

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A method as it is compared: what it is called, what it changes, what it leaves."""

    title: str
    what: str
    changed: str
    at: float  # percent of the width
    both: str
    left: str
    certified: bool
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """All methods, those first that end certified."""

    title: str
    sure: tuple[Way, ...]
    others: tuple[Way, ...]
    ticks: tuple[tuple[float, str], ...]
    notes: tuple[str, ...]


def compared_ways(
    comparison: Comparison | None, choice: ReleaseChoice, words: Words
) -> Ways | None:
    """All outcomes in the order of changed rows; None if they are not known yet."""
    if comparison is None:
        return None
    outcomes = sorted(comparison.outcomes, key=lambda one: one.changed_rows)
    most = max((one.changed_rows for one in outcomes), default=1)
    least = min((one.changed_rows for one in outcomes if one.changed_rows), default=1)
    low = floor(log10(least))
    high = max(log10(max(most, 1)), low + 1)

    def at(rows: float) -> float:
        return 100 * (log10(rows) - low) / (high - low) if rows else 0.0

    sure = [one for one in outcomes if _is_sure(one)]
    both = [
        tuple(
            _way(one, choice, words, at(one.changed_rows))
            for one in outcomes
            if (one in sure) is certified
        )
        for certified in (True, False)
    ]
    return Ways(
        title=_title(sure, comparison),
        sure=both[0],
        others=both[1],
        ticks=tuple((at(10**n), f"{10**n:,}") for n in range(low, floor(high) + 1)),
        notes=comparison.skipped,
    )


def _is_sure(outcome: Outcome) -> bool:
    """Whether a release by this method is certified by promise and by count."""
    return outcome.guaranteed and _is_certified(outcome)


def _is_certified(outcome: Outcome) -> bool:
    """Whether all claims are certified: also that on effects through other attributes."""
    claim = outcome.indirect
    claims = {outcome.verdict, *([] if claim is None else [claim.verdict])}
    return claims == {Verdict.CERTIFIED}


def _title(sure: list[Outcome], comparison: Comparison) -> str:
    if not sure:
        return "No method ends certified"
    number = _NUMBERS[len(sure)] if len(sure) < len(_NUMBERS) else f"{len(sure)}"
    rows = int(comparison.before[0].row_counts.sum())
    least = min(one.changed_rows for one in sure)
    ways = "way ends" if len(sure) == 1 else "ways end"
    return f"{number} {ways} certified; the smallest changes {least:,} of {rows:,} rows"


def _way(outcome: Outcome, choice: ReleaseChoice, words: Words, at: float) -> Way:
    name = f"{outcome.method}:{outcome.policy}"
    title, what = plain_name(outcome, words)
    changed = outcome.changed_decisions
    both = ""
    if changed is not None:
        gain, lose = (sum(way) for way in zip(*changed.groups, strict=True))
        both = f"{gain:,} gain, {lose:,} lose"
    return Way(
        title=title,
        what=what,
        changed=f"{outcome.changed_rows:,}",
        at=at,
        both=both,
        left=f"{outcome.violating:,} of {outcome.measured:,}" if outcome.violating else "none",
        certified=_is_certified(outcome),
        address=choice.address(way=name),
        chosen=name == choice.way,
    )


def plain_name(outcome: Outcome, words: Words) -> tuple[str, str]:
    """A method in plain words."""
    named = {
        "modify-data minimal": (
            "Fewest changes",
            "as few decisions as possible; those of all groups may change",
        ),
        "modify-data rows": ("Fewest rows", "as few rows, however far a value moves"),
        "modify-data raise": ("Only in people’s favor", "nobody loses a favorable decision"),
        "modify-data group": (f"Only decisions of {words.group_people}", ""),
        "modify-graph quotas": (
            "Nearest to the model",
            "as near as whole rows come to the best changed distribution",
        ),
        "modify-graph generate": (
            "A wholly new table",
            "no row is kept; it follows the changed distribution",
        ),
        "modify-data paper": ("The paper’s rule", ""),
        "modify-data printed": ("The paper’s algorithm as printed", ""),
        "modify-graph sample": ("A random draw from the model", ""),
    }
    others = {
        "shuffle-protected": f"Shuffle {words.protected} among the rows",
        "local-massaging": "Local massaging",
        "local-preferential-sampling": "Local preferential sampling",
        "repair-attributes": "Repair the other attributes",
    }
    name = f"{outcome.method} {outcome.policy}"
    return named.get(name, (others.get(outcome.method, name), ""))

"""What a release would do, before any file is written: every method, and the chosen one."""

from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.releasing.compare import Comparison, compare
from evenhand.report.release_facts import ReleaseFacts
from evenhand.web.release_choice import ReleaseChoice
from evenhand.web.session import Session

_MOST_PREVIEWS = 8


@dataclass(eq=False)
class Previews:
    """What was worked out for one audit: nothing is repeated when one comes back to it."""

    comparison: Comparison | None = None
    facts: dict[ReleaseChoice, ReleaseFacts] = field(default_factory=dict)


def previews_of(session: Session, audit: Audit) -> Previews:
    """What was worked out for an audit so far."""
    by_audit: WeakKeyDictionary[Audit, Previews] = session.results.setdefault(
        "previews", WeakKeyDictionary()
    )
    return by_audit.setdefault(audit, Previews())


def work_out(
    session: Session, audit: Audit, choice: ReleaseChoice, progress: ProgressCallback
) -> None:
    """Compare all methods, and carry out the chosen one on the rows without writing them.

    The seed is that of the counts, so that the same is seen each time, as with a dry run.
    """
    known = previews_of(session, audit)
    if known.comparison is None:
        known.comparison = compare(audit.certificate, progress=progress)
    if choice in known.facts:
        return
    released = audit.release(
        method=choice.method,
        seed=audit.certificate.examined.counts.seed,
        uncertified=True,
        drop=choice.drop,
        progress=progress,
    )
    facts = ReleaseFacts.of(released)
    for old in [*known.facts][: 1 - _MOST_PREVIEWS]:
        del known.facts[old]
    known.facts[choice] = replace(facts, file=None)

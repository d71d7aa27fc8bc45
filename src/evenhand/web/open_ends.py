"""What must be settled before something is published, each with where it can be settled."""

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.auditing import Audit
from evenhand.web.addresses import graph_address
from evenhand.web.graph_links import without_reason
from evenhand.web.session import Session
from evenhand.wording import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEnd:
    """What must be settled before, and where; ``settling`` are buttons."""

    what: str
    found: str
    words: str
    address: str
    settling: tuple[tuple[str, dict[str, str]], ...] = ()


def open_links(audit: Audit, words: Words) -> Iterator[OpenEnd]:
    """Links at the decision that are open, so that its causes are ambiguous."""
    found, decision = audit.certificate, audit.question.decision
    if found.ambiguous:
        sets = " or ".join(
            "{" + ", ".join(map(words.column, names)) + "}"
            for names in found.possible_decision_causes
        )
        for name in sorted(found.graph.neighbors(decision)):
            yield OpenEnd(
                what=f"The causes of {words.decision} are ambiguous: {sets}.",
                found=f"The graph does not direct {words.column(name)} — {words.decision}.",
                words=f"Settle {words.column(name)} — {words.decision}",
                address=graph_address({}, name, decision),
                settling=(
                    (
                        f"{words.column(name)} causes {words.decision}",
                        {"a": name, "b": decision, "state": "to"},
                    ),
                    (
                        f"{words.decision} causes {words.column(name)}",
                        {"a": name, "b": decision, "state": "from"},
                    ),
                ),
            )


def missing_reasons(session: Session, words: Words) -> Iterator[OpenEnd]:
    """Edits of the graph that lack a reason; nothing is published until they have one."""
    for edit in without_reason(session.file):
        first, second = map(words.column, edit.arrow)
        yield OpenEnd(
            what=f"No reason is given why the graph was changed at {first}, {second}.",
            found="A certificate carries every change of the graph with its reason.",
            words="Write the reason",
            address=graph_address({}, *edit.arrow),
        )

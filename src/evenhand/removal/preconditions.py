"""What a certificate must fulfil before decisions can be changed."""

from itertools import chain

from evenhand.errors import CannotReleaseError, Problem, Remedy
from evenhand.evidence import Certificate, Partition
from evenhand.evidence.certification import direct_edge


def check_releasable(certificate: Certificate) -> Partition:
    """The partition whose decisions may change.

    Raises ``CannotReleaseError`` unless the causes of the decision are known and its values are
    counted as they are stored: a merged one has no single value to write back.
    """
    question = certificate.question
    problems = []
    if certificate.ambiguous:
        causes = certificate.possible_decision_causes
        sets = " or ".join("{" + ", ".join(names) + "}" for names in causes)
        # Not only the edges on which the verdict hangs: a release needs one set of causes.
        problems += [
            Problem(
                f"The causes of {question.decision!r} are ambiguous: {sets}.",
                f"The graph does not direct {name} - {question.decision}.",
                direct_edge(name, question.decision),
            )
            for name in sorted({*chain(*causes)})
            if not all(name in names for names in causes)
        ]
    if certificate.pools_others and len(question.protected_names) > 1:
        problems.append(
            Problem(
                f"All but {question.group!r} are pooled, and several columns define groups.",
                "A changed row could not be told by its values.",
                Remedy("Compare all groups: name neither group nor other", "group"),
            )
        )
    if certificate.codings.is_coded(question.decision):
        problems.append(
            Problem(
                f"The decision {question.decision!r} is counted in classes or merged values.",
                "A changed decision would have no stored value to become.",
                (
                    Remedy(
                        "Count its values as they are, and name several as favorable",
                        "favorable",
                    ),
                    Remedy("add a column to the data that holds the classes"),
                ),
            )
        )
    if problems:
        raise CannotReleaseError(*problems)
    return certificate.partition


def check_two_groups(partition: Partition, what: str) -> None:
    """Refuse more than two groups or two decisions, for a method that knows only two."""
    if len(partition.groups) != 2 or partition.counts.shape[0] != 2:
        raise CannotReleaseError.of(
            f"{what} is for two groups and two decisions.",
            f"There are {len(partition.groups)} groups and {len(partition.decisions)} kinds of "
            "decision.",
            (Remedy("Name a group", "group"), Remedy("use another method", "method")),
        )

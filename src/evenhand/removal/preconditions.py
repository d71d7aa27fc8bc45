"""What a certificate must fulfil before decisions can be changed."""

from itertools import chain

from evenhand.errors import CannotReleaseError, Problem, listed
from evenhand.evidence import Certificate, Partition
from evenhand.evidence.certification import direct_edge


def check_releasable(certificate: Certificate) -> tuple[Partition, str]:
    """The partition whose decisions may change, and the unfavorable value.

    Raises ``CannotReleaseError`` unless the causes of the decision are known and it is stored
    in exactly two values: a merged one has no value to write back.
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
    values = certificate.examined.counts.attribute(question.decision).values
    if len(values) != 2:
        problems.append(
            Problem(
                f"The decision {question.decision!r} has {len(values)} values: "
                f"{listed(values)}.",
                "A changed decision would have no single value to become.",
                "Add a column to the data that says only whether it is "
                f"{question.favorable!r}, and name that as the decision; or leave out the rows "
                "of further values. The audit stands as it is.",
            )
        )
    if certificate.codings.is_coded(question.decision):
        problems.append(
            Problem(
                f"The decision {question.decision!r} is counted in classes or merged values.",
                "A changed decision would have no stored value to become.",
                "Add a column to the data that holds the merged values or classes, and name "
                "that as the decision, without a coding.",
            )
        )
    if problems:
        raise CannotReleaseError(*problems)
    unfavorable = next(value for value in values if value != question.favorable)
    return certificate.partition, unfavorable

"""What a certificate must fulfil before decisions can be changed."""

from evenhand.errors import CannotReleaseError, Problem, Remedy, listed
from evenhand.evidence import Certificate, Partition


def check_releasable(certificate: Certificate) -> tuple[Partition, str]:
    """The partition whose decisions may change, and the unfavorable value.

    Raises ``CannotReleaseError`` unless the causes of the decision are known and it is stored
    in exactly two values: a merged one has no value to write back.
    """
    question = certificate.question
    problems = []
    if certificate.ambiguous:
        edges = ", ".join(f"{a} - {b}" for a, b in certificate.deciding_edges)
        sets = " or ".join(
            "{" + ", ".join(names) + "}" for names in certificate.possible_decision_causes
        )
        problems.append(
            Problem(
                f"The causes of {question.decision!r} are ambiguous: {sets}.",
                f"The graph does not direct {edges}." if edges else "",
                (
                    Remedy("Direct the edge", "required"),
                    Remedy("give tiers", "tiers"),
                    Remedy("give a graph", "graph"),
                ),
            )
        )
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

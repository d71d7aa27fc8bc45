"""How many predictions are of the kind of their label, before and after a release."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from evenhand.counts import CountTable
from evenhand.display import percent
from evenhand.errors import ColumnError, QuestionError
from evenhand.evidence import Certificate
from evenhand.evidence.error_bias import share_of_right
from evenhand.question.parse_values import require_text
from evenhand.rows import Rows


class Accuracy(NamedTuple):
    """The shares of the rows compared, of those whose label is known."""

    before: Fraction
    after: Fraction

    def to_dict(self) -> dict[str, float]:
        """Both as plain numbers."""
        return {name: float(share) for name, share in self._asdict().items()}

    def __str__(self) -> str:
        return f"{percent(float(self.before))} before, {percent(float(self.after))} after"


def check_apart(column: str, uncounted: Sequence[str], counted: set[str]) -> None:
    """Refuse labels or scores from a column that is compared or held equal."""
    if used := sorted({*uncounted} & counted):
        what = "holds the predictions" if used[0] == column else "is in the graph or question"
        raise QuestionError.of(
            f"The column {used[0]!r} {what}: it cannot hold labels or scores as well.",
            remedy="Name another column.",
        )


def check_labels(labels: str, source: Rows | CountTable, certificate: Certificate) -> None:
    """Refuse labels that are no column of single rows, or one that is compared."""
    labels = require_text(labels, "`labels`")
    question = certificate.question
    check_apart(
        question.decision, [labels], {*certificate.graph.nodes, *question.named_columns}
    )
    names = source.sources[0].names if isinstance(source, Rows) else (labels,)
    if labels not in names:
        raise ColumnError.unknown([labels], names, where="labels")


def accuracy_by(
    labels: str, before: Rows, after: Rows, certificate: Certificate
) -> Accuracy | None:
    """The accuracy by a column of labels; None if nobody who is compared has one.

    Both are judged as the certificate of the rows before has it: a value that nobody is
    predicted to have afterwards is still a value.
    """
    counted = [rows.labelled(labels) for rows in (before, after)]
    shares = [share_of_right(certificate, one, labels) for one in counted if one is not None]
    whole = [share for share in shares if share is not None]
    return Accuracy(*whole) if len(whole) == len(counted) else None

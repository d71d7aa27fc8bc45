"""How many predictions are of the kind of their label, before and after a release."""

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from evenhand.display import percent
from evenhand.evidence import Certificate
from evenhand.evidence.error_bias import ErrorBias
from evenhand.question.question import REST
from evenhand.rows import Rows
from evenhand.rows.count_rows import count


class Accuracy(NamedTuple):
    """The shares of the rows compared, of those whose label is known."""

    before: Fraction
    after: Fraction

    def to_dict(self) -> dict[str, float]:
        """Both as plain numbers."""
        return {name: float(share) for name, share in self._asdict().items()}

    def __str__(self) -> str:
        return f"{percent(float(self.before))} before, {percent(float(self.after))} after"


def share_of_right(rows: Rows, certificate: Certificate, labels: str) -> Fraction:
    """The accuracy of the predictions that a certificate is about, by a column of labels."""
    question = certificate.question
    if certificate.pools_others:
        question = replace(question, other=REST)
    # Rows that lack any counted value were left out of the certificate.
    names = rows.columns if certificate.dropped else question.columns
    chosen = tuple(dict.fromkeys((*names, labels)))
    counts = count(rows.sources, chosen, rows.codings, memory=rows.memory).table
    return ErrorBias.of(
        counts.marginal((*question.columns, labels)), question, labels, ()
    ).accuracy

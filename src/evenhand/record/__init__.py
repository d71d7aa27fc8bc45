"""The record of a result: plain values, their one JSON text with a seal, and who checks it."""

from evenhand.record.canonical_json import (
    BLOCK,
    FORMAT,
    ROUNDING,
    Table,
    canonical,
    floats_as_text,
    sealed,
)

__all__ = ["BLOCK", "FORMAT", "ROUNDING", "Table", "canonical", "floats_as_text", "sealed"]

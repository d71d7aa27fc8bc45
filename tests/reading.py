"""Reading and counting tables: a small table in several forms, and how refusals are caught."""

import gzip

import pyarrow as pa
import pytest

from evenhand import CountTable
from evenhand.rows import read

COLUMNS = {"sex": ["f", "m", "f", "f"], "hired": ["no", "yes", "no", "yes"]}
EXPECTED = CountTable.of(COLUMNS)
CSV = b"sex,hired\nf,no\nm,yes\nf,no\nf,yes\n"
MEGABYTE = 10**6


def packed(path, *pieces):
    """A file that is small, whatever it holds."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(pieces)
    return path


def refusal(kind, source, **options):
    """The problems that reading and counting raise, and that they are of exactly this class."""
    with pytest.raises(kind) as caught:
        read(source, **options).count()
    assert type(caught.value) is kind
    return caught.value.problems


def the_problem(kind, source, **options):
    """The only problem, which has a remedy."""
    (problem,) = refusal(kind, source, **options)
    assert problem.what
    assert problem.remedy
    return problem


def value_counts(values, **options):
    """How often each label of a column occurs."""
    return read(pa.table({"a": values}), **options).count().values("a")

"""A small table of people with odd texts in it, audited and ready for a release."""

import csv
import json
from functools import cache

import numpy as np

from evenhand import Question
from evenhand.evidence import certify
from evenhand.graph import CausalGraph
from evenhand.releasing.release import release
from evenhand.removal import ModifyData
from evenhand.rows import read

QUESTION = Question(protected="sex", group="f", decision="hired", favorable="yes", other="m")
GRAPH = CausalGraph.parse("sex -> hired; degree -> hired; sex -> degree; hired -> pay")
NAMES = ("note", "sex", "degree", "hired", "pay")
COLUMNS = NAMES[1:]
NOTES = ("", "plain", "with, comma", 'with "quotes"', "two\nlines", " spaces ", "é", "=1+1")


def people(rows=400, *, seed=0, groups="fm"):
    """One tuple for each person, in the order of ``NAMES``; women are hired less often."""
    return [*_people(rows, seed, groups)]


@cache  # drawn one by one: a tenth of the time of the tests of releases
def _people(rows, seed, groups):
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(rows):
        sex = str(generator.choice(list(groups)))
        degree = str(generator.choice(["none", "some", "most"], p=[0.5, 0.3, 0.2]))
        hired = "yes" if generator.random() < (0.3 if sex == "f" else 0.6) else "no"
        pay = "high" if generator.random() < (0.8 if hired == "yes" else 0.1) else "low"
        found.append((str(generator.choice(NOTES)), sex, degree, hired, pay))
    return found


def table(rows=400, **options):
    """The people by column."""
    return dict(zip(NAMES, map(list, zip(*people(rows, **options), strict=True)), strict=True))


def csv_text(found, *, newline="\n", delimiter=",", quoting=csv.QUOTE_MINIMAL):
    """The people as a CSV file."""

    def written(field):
        # Before Python 3.13 the writer leaves carriage returns without quotes.
        needs = any(mark in field for mark in (delimiter, '"', "\r", "\n"))
        quoted = needs or quoting != csv.QUOTE_MINIMAL
        return '"' + field.replace('"', '""') + '"' if quoted else field

    rows = (delimiter.join(map(written, row)) for row in (NAMES, *found))
    return "".join(row + newline for row in rows)


def audited(
    source, *, question=QUESTION, graph=GRAPH, columns=COLUMNS, scope="causes", **options
):
    """The rows, counted, and their certificate."""
    rows = read(source, columns=columns, **options)
    counts = rows.count()
    found = certify(
        counts, graph, question, scope=scope, codings=rows.codings, dropped=rows.dropped
    )
    return rows, found


def released(source, *, method=None, seed=7, uncertified=False, **options):
    """The release of a source by the fewest changes."""
    rows, found = audited(source, **options)
    plan = (method or ModifyData()).plan(found)
    return release(rows, plan, seed=seed, uncertified=uncertified)


def is_reproduced(written, release_by):
    """Whether a release by the seed of the manifest has the bytes of the files written."""
    seed = int(json.loads(written.manifest.read_text())["seed"])
    folder = written.data.parent / "again"
    folder.mkdir()
    again = release_by(seed).write(folder / written.data.name)
    return again.data.read_bytes() == written.data.read_bytes()

"""Every leaf of a record changed in every way: what the checker and an audit again find."""

import copy
import json
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import sealed
from tests.loans import APART, INCOME_FIRST, ZIP_FIRST, asking, loans
from tests.several_groups import GRAPH as SEVERAL_GRAPH
from tests.several_groups import QUESTIONS, csv_text

import evenhand as eh
from evenhand import checker, datasets
from evenhand.errors import EvenhandError
from evenhand.graph import PartialGraph
from evenhand.question.display_labels import Labels
from evenhand.recheck import RecordedCertificate

CHANCE = {f"partitions.subpopulations.by_chance.{n}" for n in ("lower", "upper", "p")}


DROPPED = object()


def alterations(document):
    """Each way in which one place differs: the field, the kind of change, the new document.

    Only what lies above the place is copied: copies of it all took half of the time.
    """
    for path in places(document):
        old = at_path(document, path)
        for kind, value in changes(old):
            if type(value) is type(old) and value == old:
                continue
            yield field(path), kind, replaced(document, path, value)
        yield field(path), "dropped", replaced(document, path, DROPPED)


def replaced(document, path, value):
    """The document with another value in one place, or without the place."""
    new, (key, *rest) = copy.copy(document), path
    if rest:
        new[key] = replaced(document[key], rest, value)
    elif value is DROPPED:
        del new[key]
    else:
        new[key] = value
    return new


def places(value, path=()):
    """Every place of a document, containers too."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            if (*path, key) != ("seal",):
                yield (*path, key)
                yield from places(value[key], (*path, key))


def at_path(document, path):
    for key in path:
        document = document[key]
    return document


def field(path):
    return ".".join(str(key) for key in path if not isinstance(key, int))


def changes(value):
    """Other values of one place, by kind."""
    if isinstance(value, bool):
        yield "flipped", not value
        yield "number", int(value)
    elif isinstance(value, int):
        yield "plus one", value + 1
        yield "minus one", value - 1
        yield "text", str(value)
        yield "flipped", bool(value)
    elif isinstance(value, str):
        yield "text", value + "x"
        if (number := numeric(value)) is not None:
            yield "plus one", like(number + 1, value)
            yield "a millionth more", like(number * Fraction(1000001, 1000000), value)
    elif isinstance(value, dict):
        yield "added", {**value, "added": None}
        yield "added", {**value, "added": "x"}
    elif isinstance(value, list):
        yield "added", [*value, *(value[-1:] or ["x"])]
        if value[::-1] != value:
            yield "reordered", value[::-1]
    else:
        yield "text", "x"


def numeric(text):
    try:
        return Fraction(text)
    except ValueError:
        return None


def like(number, text):
    """A number written as another one is: as a fraction or as a decimal."""
    return str(number) if "/" in text or text.isdigit() else f"{float(number):.12g}"


def found_by_checker(text, data):
    """Whether the checker refuses a record, and the fields that it says are only stated."""
    answer = checker.verify(text, data)
    is_refused = answer.status == 1 or not answer.stated
    return is_refused, answer.stated


def found_with_data(text, data):
    """The same of the checker and an audit again, which derives all but its inputs."""
    is_refused, stated = found_by_checker(text, data)
    if is_refused:
        return True, stated
    try:
        record = RecordedCertificate.parse(text)
        rows = eh.read(data, codings=record.codings)
        found = record.differences(rows.count(), dropped=rows.dropped, rows=rows)
        is_refused = bool(found)
    except EvenhandError:
        return True, {}
    return is_refused, {name: why for name, why in stated.items() if record.is_input(name)}


def is_stated(place, kind, stated):
    """Whether a program said that it did not check a place."""
    return (
        any(place == name or place.startswith(f"{name}.") for name in stated)
        or (
            kind == "reordered"
            and place.startswith(("partitions", "indirect"))
            and "order" in stated
        )
        or (place in CHANCE and "by_chance" in stated)
    )


def accepted(text, data, *, chosen=slice(None)):
    """The changes that a program does not find: program, place, kind, whether it is stated."""
    document = json.loads(text)
    for place, kind, changed in [*alterations(document)][chosen]:
        record = sealed(changed)
        programs = {"checker": found_by_checker}
        if data is not None:
            programs["both"] = found_with_data
        for program, find in programs.items():
            found, stated = find(record, data)
            if not found:
                yield program, place, kind, is_stated(place, kind, stated)


# Fields that a single change can turn into a true record of something else, with the data.
INPUTS = {
    "question.threshold",
    "question.min_coverage",
    "question.min_rows",
    "question.redlining",
    "question.basis",
    "indirect.graphs.potentials",  # others that prove the same bounds
    "indirect.values",
    "codings",
    "graph.arrows",
    "graph.undirected",
    "versions.evenhand",
    "variants.classes",
    "variants.arrows",
    "rules.without.record.variants",
    "release.method",
    "release.policy",
    "release.changed_rows",
    "release.dropped_before",
    "withheld.least_count",
    "rules.without.record.graph.",
    "rules.without.record.versions.evenhand",
    "rules.without",  # dropped; and the verdict in a shared copy
}
HEAD = "gender,major,test_score,admission,n\n"
# A third gender, and a missing score.
MORE = "other,CS,H,admitted,7\nfemale,CS,,admitted,4\n"
CODINGS = eh.Codings.of(frequency="n", missing="drop", merge={"major": {"CS": ["CS", "IT"]}})
KINDS = [
    (name, copy, with_data)
    for name in (
        *("given", "learned", "open", "pooled", "released", "determined", "ruled"),
        *("paths", "witness", "open paths", "released paths"),
        *QUESTIONS,
    )
    for copy in ("full", "shared")
    for with_data in (False, True)
]


def _asked():
    """Tables and questions of all kinds."""
    lines = HEAD + "".join(
        ",".join([*labels, f"{n}\n"]) for labels, n in datasets.admissions(2)
    )
    asked = replace(datasets.question("admissions"), codings=eh.Codings.of(frequency="n"))
    men = replace(asked, question=replace(QUESTION, other="male"), codings=CODINGS)
    rest = replace(asked, question=replace(QUESTION, other="rest"), codings=CODINGS)
    yield "given", lines + MORE, men, {"graph": GRAPH, "scope": "all"}
    yield "learned", lines, asked, {}
    yield "open", lines, asked, {"graph": OPEN_GRAPH, "scope": "minimal"}
    yield "pooled", lines + MORE, rest, {"graph": GRAPH}
    yield "released", lines, asked, {"graph": GRAPH}
    # Points that decide, and a class made from them that is not looked at.
    points = "gender,major,points,class,admission,n\n" + "".join(
        f"{gender},{major},{at},{at // 2},{'rejected' if at < 3 else 'admitted'},{n + at}\n"
        for gender, n in (("female", 11), ("male", 17))
        for major in ("CS", "EE")
        for at in range(5)
    )
    given = eh.CausalGraph.parse(
        "gender -> points -> admission; major -> points; major -> class; gender -> admission"
    )
    unlabelled = replace(asked, labels=Labels())
    yield "determined", points, unlabelled, {"graph": given}
    ruled = replace(unlabelled, question=replace(QUESTION, rule=["points"]))
    yield "ruled", points, ruled, {"graph": given}


def _asked_of_several():
    """The table of several groups, and the questions about them."""
    for name, question in QUESTIONS.items():
        asked = eh.QuestionFile(question=question, codings=eh.Codings.of(frequency="n"))
        scope = "all" if name == "pairs" else "causes"
        yield name, csv_text(), asked, {"graph": SEVERAL_GRAPH, "scope": scope}


def _asked_of_paths():
    """Loans by race through the district: identified, with a witness, with an open edge.

    Age causes the district alone, so no partition has it.
    """
    lines = [
        f"{','.join(labels)},{age},{half}\n"
        for labels, n in loans()
        for age, half in (("old", n // 2), ("young", n - n // 2))
        if half
    ]
    text = "".join(["race,zip,income,loan,age,n\n", *lines])
    age, nodes = ("age", "zip"), (*APART.nodes, "age")
    graphs = {
        "paths": eh.CausalGraph(nodes, ZIP_FIRST.arrows | {age}),
        "witness": eh.CausalGraph(nodes, INCOME_FIRST.arrows | {age}),
        "open paths": PartialGraph(nodes, APART.arrows | {age}, [("income", "zip")]),
        "released paths": eh.CausalGraph(nodes, ZIP_FIRST.arrows | {age}),
    }
    for name, graph in graphs.items():
        asked = eh.QuestionFile(
            question=asking(basis="all", redlining_threshold="1/10"),
            codings=eh.Codings.of(frequency="n"),
        )
        yield name, text, asked, {"graph": graph}


def make_records(folder):
    """Certificates of all kinds: the two copies of each, and its data."""
    records = {}
    for name, lines, asked, options in chain(_asked(), _asked_of_several(), _asked_of_paths()):
        data = folder / f"{name}.csv"
        data.write_text(lines)
        audit = eh.audit(data, asked, knowledge=eh.Knowledge(), **options)
        certificate = audit.stated_certificate
        if name in {"released", "released paths", "edited groups"}:
            release = audit.release(seed=1)
            data, certificate = (
                release.write(folder / f"{name} new.csv").data,
                release.certificate,
            )
        texts = {"full": certificate.to_json(), "shared": certificate.to_shared_json()}
        records[name] = texts, data
    return records


def unnoticed(record, copy, *, with_data, chosen=slice(None)):
    """Changes that are neither found nor said not to have been checked.

    Besides, those that are only stated beside data although they are no inputs.
    """
    texts, data = record
    found = accepted(texts[copy], str(data) if with_data else None, chosen=chosen)
    return [
        (program, place, kind)
        for program, place, kind, is_listed in found
        if (place, kind) != ("answer", "dropped")  # no record must have it
        if not is_listed
        or (
            program == "both"
            and not any(place.startswith(one) for one in INPUTS)
            # Whether a rule was declared does not follow from what a copy for others shows.
            and (copy, place) != ("shared", "rules.declared")
        )
    ]

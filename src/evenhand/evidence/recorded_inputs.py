"""What a certificate document states, as no count can show it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from evenhand.evidence.graph_origin import GraphOrigin
from evenhand.question.question import JOIN, OR

_NOT_COMPARED = "of this shared copy only form and seal are checked without the data"
_VARIANTS = {
    "classes": "ways to class numbers",
    "arrows": "other arrows",
    "graphs": "graphs",
}
_COUNTS = {
    "changed_rows": "were changed, left out or doubled",
    "dropped_before": "with missing values there were before",
    "left_out_before": "of groups that are not compared there were before",
}


class StatedField(NamedTuple):
    """A field of a document, or a property of one, that was not checked, and what it says."""

    field: str
    what: str


def _stated_rules(content: Mapping[str, Any], *, with_data: bool) -> Iterator[StatedField]:
    rules = content["rules"]
    if rules["declared"]:
        yield StatedField(
            "rules.declared", f"that was decided by {', '.join(rules['declared'])}"
        )
    if not with_data and "predicts" not in content["question"]:
        yield StatedField("rules.determining", "of columns in no partition")
    if rules["declared"] and "without" not in rules:
        yield StatedField("rules.without", "that there is none: the graph leaves it open")
    elif "without" in rules:
        for name, what in (
            ("graph", "that its arrows are right"),
            ("versions", "what made it"),
            ("variants", "how many ways to class numbers and other arrows were judged"),
        ):
            yield StatedField(f"rules.without.record.{name}", what)


def _stated_paths(indirect: Mapping[str, Any], *, with_data: bool) -> Iterator[StatedField]:
    if any("potentials" in graph for graph in indirect.get("graphs", ())):
        what = "which of those that prove the same bounds"
        yield StatedField("indirect.graphs.potentials", what)
    if "values" in indirect and not with_data:
        yield StatedField("indirect.values", "the names of those that are in no partition")


def _stated_release(
    release: Mapping[str, Any] | None, question: Mapping[str, Any]
) -> Iterator[StatedField]:
    if release is None:
        made = "predicted" if "predicts" in question else "recorded"
        what = f"that there was none: that the rows are as they were {made}"
        yield StatedField("release", what)
        return
    how = f"how the rows were changed: {release['method']} ({release['policy']})"
    yield StatedField("release", how)
    for name, what in _COUNTS.items():
        if name in release:
            yield StatedField(f"release.{name}", f"how many rows {what}: {release[name]:,}")
    if "dropped_columns" in release:
        what = f"which more columns there were before: {', '.join(release['dropped_columns'])}"
        yield StatedField("release.dropped_columns", what)


def _asked(question: Mapping[str, Any]) -> str:
    """The question in a few words."""
    protected, favorable = (
        one if isinstance(one, str) else joint.join(one)
        for one, joint in ((question["protected"], JOIN), (question.get("favorable", ""), OR))
    )
    if "group" in question:
        groups = f"{question['group']} against {question['other']}"
    else:
        against = f"each against {question['other']}" if "other" in question else "in pairs"
        groups = f"{', '.join(question['groups'])}, {against}"
    what = f" = {favorable}" if favorable else f", {question['criterion']}"
    what += f", groups of {question['min_rows']} rows or more" if "min_rows" in question else ""
    what += f", predictions of {question['predicts']}" if "predicts" in question else ""
    return (
        f"{protected} {groups}, {question['decision']}{what}, threshold "
        f"{question['threshold']}, least coverage {question['min_coverage']}"
        f"{_asked_paths(question)}"
    )


def _asked_paths(question: Mapping[str, Any]) -> str:
    """Which effects through other attributes were asked about, if any were."""
    words = {"redlining": "effects through {}", "explained": "explained by {}"}
    words |= {"redlining_threshold": "threshold {} of these", "basis": "on {} rows"}
    parts = {name: question[name] for name in words if name in question}
    return "".join(
        f", {words[name].format(value if isinstance(value, str) else ', '.join(value))}"
        for name, value in parts.items()
    )


def recorded_inputs(content: Mapping[str, Any], *, with_data: bool) -> Iterator[StatedField]:
    """The fields that are not derived, with the data at hand or from the document alone."""
    release = content.get("release")
    yield StatedField("question", f"what was asked: {_asked(content['question'])}")
    yield StatedField("codings", "how columns were read, classed and merged")
    yield StatedField(
        "graph",
        "that its arrows, open edges and doubtful triples are right and that no "
        "common cause is missing",
    )
    origin = GraphOrigin.parse(content["graph"]["origin"])
    yield StatedField("graph.origin", str(origin))
    if origin.unedited is not None:
        yield StatedField("graph.origin.unedited", "that this is the graph before the edits")
        if origin.unedited.outcome is not None and not with_data:
            what = "what it gives, as far as no partition has its causes"
            yield StatedField("graph.origin.unedited.verdict", what)
    yield StatedField(
        "scope.asked", f"how much was to be examined: {content['scope']['asked']}"
    )
    for kind, many in content.get("variants", {}).items():
        if kind in _VARIANTS:
            what = f"how many {_VARIANTS[kind]} were judged: {many:,}"
            yield StatedField(f"variants.{kind}", what)
    yield StatedField("versions", f"made by evenhand {content['versions']['evenhand']}")
    yield from _stated_release(release, content["question"])
    if not release and content["copy"] == "full":
        yield from _stated_rules(content, with_data=with_data)
    if content["copy"] == "full":
        yield from _stated_paths(content.get("indirect", {}), with_data=with_data)
    if content["copy"] == "shared":
        yield StatedField("withheld.least_count", "the least count of lines that are shown")
        yield StatedField("rules.declared", "the rule by which was decided, if there is one")
        yield StatedField("scope.complete", "whether all block sets were examined")
    if not with_data:
        yield from _stated_without_data(content)


def _stated_without_data(content: Mapping[str, Any]) -> Iterator[StatedField]:
    yield StatedField("data", "none were given: that the counts are those of any table")
    yield StatedField("rows", "how many rows were dropped or left out")
    yield StatedField("pooled", "whether several groups or decisions count as one")
    yield StatedField("order", "of values, and so of the lines in the tables")
    if content["copy"] == "shared":
        yield StatedField("verdict", "that of the rows which are not shown")
        yield StatedField("partitions.table", "the values of its lines, and their counts")
        if "indirect" in content:
            yield StatedField("indirect.verdict", "that of the rows which are not shown")
    if not is_derivable(content):
        listed = {"question", "codings", "graph", "versions", "release", "pooled", "verdict"}
        for name in sorted({*content} - listed - {"format", "copy", "seal"}):
            yield StatedField(name, _NOT_COMPARED)


def is_derivable(content: Mapping[str, Any]) -> bool:
    """Whether a document follows from its own tables.

    A copy for others has no line where all are withheld, one of several sets of causes, and
    under a declared rule nothing that shows it.
    """
    if content["copy"] == "full":
        return True
    is_alone = (
        len(content["possible_decision_causes"]) == 1 and not content["rules"]["declared"]
    )
    return bool(is_alone and content["partitions"][0]["table"])

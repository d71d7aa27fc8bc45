"""What a record states and this program does not check, each with a word on what it is."""

from .record_fields import Record

_VARIANTS = {"classes": "ways to class numbers", "arrows": "other arrows", "graphs": "graphs"}
_FIRST = ("protected", "group", "other", "groups", "decision", "favorable")
_COUNTS = {
    "changed_rows": "were changed, left out or doubled",
    "dropped_before": "with missing values there were before",
    "left_out_before": "of groups that are not compared there were before",
}


def stated_fields(record: Record, *, with_data: bool) -> dict[str, str]:
    """The fields that are taken from the record as they are."""
    question, origin = record["question"], record["graph"]["origin"]
    release, variants = record.get("release"), record.get("variants", {})
    learned = "learned from the {rows} rows by {algorithm}, {test}, significance {significance}"
    fields = {
        "question": f"what was asked: {asked(question)}",
        "pooled": "whether several groups or decisions count as one",
        "codings": "how columns were read, classed and merged",
        "graph": "that its arrows, open edges and doubtful triples are right and that no "
        "common cause is missing",
        "graph.origin": ("given" if origin["kind"] == "given" else learned.format(**origin))
        + (", {limits}".format(**origin) if "limits" in origin else "")
        + (", ended early" if "ended_early" in origin else "")
        + _knowledge(origin.get("knowledge", {}))
        + (", columns chosen from {chosen_from:,}" if "chosen_from" in origin else "").format(
            **origin
        )
        + "".join("; {kind} {arrow}: {reason}".format(**e) for e in origin.get("edits", ())),
        "scope.asked": f"how much was to be examined: {record['scope']['asked']}",
        "versions": f"made by evenhand {record['versions']['evenhand']}",
        "release": "how the rows were changed: {method} ({policy})".format(**release)
        if release
        else "that there was none: that the rows are as they were "
        + ("predicted" if "predicts" in question else "recorded"),
        "assumptions": "the sentences: which of them apply is not worked out here",
        "order": "of the lines in the tables, and of the evidence by strength",
    }
    if record["copy"] == "full":
        fields |= {
            "reasons": "the sentences",
            "population": "estimates, computed in floating point",
            "by_chance": "its range, p, and the number at the threshold",
        }
        fields |= _answer(record.get("answer"))
        fields |= {
            f"variants.{kind}": f"how many {what} were judged: {variants[kind]}"
            for kind, what in _VARIANTS.items()
            if kind in variants
        }
        fields |= stated_paths(record.get("indirect", {}), with_data=with_data)
    else:
        fields["withheld.least_count"] = "the least count of lines that are shown"
        if "indirect" in record:
            fields["indirect.verdict"] = "that of the rows which are not shown"
    fields |= _released(release or {})
    fields |= stated_rules(record["rules"], is_full=record["copy"] == "full")
    if (
        not with_data
        and not release
        and record["copy"] == "full"
        and "predicts" not in question
    ):
        fields["rules.determining"] = "of columns in no partition"
    if release:
        fields.pop("by_chance", None)
    if not with_data:
        fields["data"] = "none were given: that the counts are those of any table"
        if record["copy"] == "full":
            fields["rows"] = "how many rows were dropped or left out"
    return fields


def _answer(answer: Record | None) -> dict[str, str]:
    """The word of the answer, and the reason why nobody can tell."""
    if answer is None:
        return {}
    said = ": ".join(
        [answer["word"], *([answer["reason"]["kind"]] if answer["reason"] else [])]
    )
    known = (
        {"answer.knowledge": "what was known beside the graph"} if "knowledge" in answer else {}
    )
    return {
        "answer": f"what chance, the graph and the order of columns leave of it: {said}",
        **known,
    }


def _released(release: Record) -> dict[str, str]:
    """What only whoever made a release knows of it."""
    fields = {
        f"release.{name}": f"how many rows {what}: {release[name]:,}"
        for name, what in _COUNTS.items()
        if name in release
    }
    if "dropped_columns" in release:
        dropped = ", ".join(release["dropped_columns"])
        fields["release.dropped_columns"] = f"which more columns there were before: {dropped}"
    if "accepted_graph" in release:
        why = release["accepted_graph"]
        fields["release.accepted_graph"] = f"why the graph was relied on: {why}"
    return fields


def _knowledge(known: Record) -> str:
    """What a person told the search for the graph."""
    words = {"tiers": "tiers", "required": "required arrows", "forbidden": "forbidden arrows"}
    told = [words[name] for name in words if known.get(name)]
    return f", background knowledge: {', '.join(told)}" if told else ""


def asked(question: Record) -> str:
    """The question by its fields; groups and decisions that these name are not repeated."""
    repeated = {"decisions", "groups" if "group" in question else ""}
    parts = {name: question[name] for name in (*_FIRST, *question) if name in question}
    return ", ".join(
        f"{name.replace('_', ' ')} {' and '.join(one) if isinstance(one, list) else one}"
        for name, one in parts.items()
        if name not in repeated
    )


def stated_paths(indirect: Record, *, with_data: bool) -> dict[str, str]:
    """What is taken from the record about effects through other attributes."""
    fields = {"indirect.reasons": "the sentences"} if indirect else {}
    if "standard_errors" in indirect:
        fields["indirect.standard_errors"] = "estimates, computed in floating point"
    if any("potentials" in graph for graph in indirect.get("graphs", ())):
        fields["indirect.graphs.potentials"] = "that no others prove closer bounds"
    if "values" in indirect and not with_data:
        fields["indirect.values"] = "the names of those that are in no partition"
    return fields


def stated_rules(rules: Record, *, is_full: bool) -> dict[str, str]:
    """What is taken from the record about a declared rule."""
    if not is_full:
        return {"rules.declared": "the rule by which was decided, if there is one"}
    fields = {}
    if rules["declared"]:
        fields["rules.declared"] = f"that was decided by {', '.join(rules['declared'])}"
        if "without" not in rules:
            fields["rules.without"] = "that there is none: the graph leaves it open"
    if "without" in rules:
        without = rules["without"]
        beside = stated_fields(without["record"], with_data=True)
        fields |= {f"rules.without.record.{name}": what for name, what in beside.items()}
    return fields

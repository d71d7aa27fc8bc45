"""What a record states and this program does not check, each with a word on what it is."""

from .record_fields import Record

_FIRST = ("protected", "group", "other", "groups", "decision", "favorable")
_LEARNED = "learned from the {rows} rows by {algorithm}, {test}, significance {significance}"
_KNOWN = {"tiers": "tiers", "required": "required arrows", "forbidden": "forbidden arrows"}
# By the field: what is said of it where it is there.
_OF_FULL = {
    "reasons": "the sentences",
    "population": "estimates, computed in floating point",
    "by_chance": "its range, p, and the number at the threshold",
}
_OF_RELEASES = {
    "changed_rows": "how many rows were changed, left out or doubled: {:,}",
    "dropped_before": "how many rows with missing values there were before: {:,}",
    "left_out_before": "how many rows of groups that are not compared there were before: {:,}",
    "dropped_columns": "which more columns there were before: {}",
    "accepted_graph": "why the graph was relied on: {}",
}
_OF_VARIANTS = {
    "classes": "how many ways to class numbers were judged: {:,}",
    "arrows": "how many other arrows were judged: {:,}",
    "graphs": "how many graphs were judged: {:,}",
}


def stated_fields(record: Record, *, with_data: bool) -> dict[str, str]:
    """The fields that are taken from the record as they are."""
    release, is_full = record.get("release"), record["copy"] == "full"
    is_predicted = "predicts" in record["question"]
    fields = {
        "question": f"what was asked: {asked(record['question'])}",
        "pooled": "whether several groups or decisions count as one",
        "codings": "how columns were read, classed and merged",
        "graph": "that its arrows, open edges and doubtful triples are right and that no "
        "common cause is missing",
        "graph.origin": how_it_was_learned(record["graph"]["origin"]),
        "scope.asked": f"how much was to be examined: {record['scope']['asked']}",
        "versions": f"made by evenhand {record['versions']['evenhand']}",
        "release": "how the rows were changed: {method} ({policy})".format(**release)
        if release
        else "that there was none: that the rows are as they were "
        + ("predicted" if is_predicted else "recorded"),
        "assumptions": "the sentences: which of them apply is not worked out here",
        "order": "of the lines in the tables, and of the evidence by strength",
    }
    if is_full:
        fields |= {**_OF_FULL, **_answer(record.get("answer"))}
        fields |= _told("variants", _OF_VARIANTS, record["variants"])
        fields |= stated_paths(record.get("indirect", {}), with_data=with_data)
    else:
        fields["withheld.least_count"] = "the least count of lines that are shown"
        if "indirect" in record:
            fields["indirect.verdict"] = "that of the rows which are not shown"
    fields |= _told("release", _OF_RELEASES, release or {})
    fields |= stated_rules(record["rules"], is_full=is_full)
    if guesses := record.get("guesses"):
        parts = ", ".join(sorted({*guesses} - {"unsure"}))
        fields["guesses"] = f"which parts nobody gave: {parts}"
    if release:
        fields.pop("by_chance", None)
    elif is_full and not with_data and not is_predicted:
        fields["rules.determining"] = "of columns in no partition"
    if not with_data:
        fields["data"] = "none were given: that the counts are those of any table"
    if not with_data and is_full:
        fields["rows"] = "how many rows were dropped or left out"
    return fields


def _told(block: str, texts: dict[str, str], values: Record) -> dict[str, str]:
    """The texts about those fields of a block that are there, with their values."""
    shown = {name: values[name] for name in texts if name in values}
    shown = {n: ", ".join(one) if isinstance(one, list) else one for n, one in shown.items()}
    return {f"{block}.{name}": texts[name].format(one) for name, one in shown.items()}


def how_it_was_learned(origin: Record) -> str:
    """Where the graph came from, what a person told the search, and how it was edited."""
    known = [_KNOWN[name] for name, told in origin.get("knowledge", {}).items() if told]
    parts = [_LEARNED if origin["kind"] == "learned" else "given"]
    parts += ["{limits}"] * ("limits" in origin)
    parts += ["ended early"] * ("ended_early" in origin)
    parts += ["tried sets of up to {depth:,}"] * ("depth" in origin)
    parts += [f"background knowledge: {', '.join(known)}"] * bool(known)
    parts += ["columns chosen from {chosen_from:,}"] * ("chosen_from" in origin)
    edits = ["{kind} {arrow}: {reason}".format(**edit) for edit in origin.get("edits", ())]
    return "; ".join([", ".join(parts).format(**origin), *edits])


def asked(question: Record) -> str:
    """The question by its fields; groups and decisions that these name are not repeated."""
    repeated = {"decisions", "groups" if "group" in question else ""}
    parts = {name: question[name] for name in (*_FIRST, *question) if name in question}
    return ", ".join(
        f"{name.replace('_', ' ')} {' and '.join(one) if isinstance(one, list) else one}"
        for name, one in parts.items()
        if name not in repeated
    )


def _answer(answer: Record | None) -> dict[str, str]:
    """The word of the answer, and the reason why nobody can tell."""
    if answer is None:
        return {}
    reason = f": {answer['reason']['kind']}" if answer["reason"] else ""
    said = f"what chance, the graph and the order of columns leave of it: {answer['word']}"
    known = {"answer.knowledge": "what was known beside the graph"}
    return {"answer": said + reason, **(known if "knowledge" in answer else {})}


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
        return {"rules.declared": "the rule of the decision, if there is one"}
    fields = {}
    if rules["declared"]:
        fields["rules.declared"] = f"that was decided by {', '.join(rules['declared'])}"
        if "without" not in rules:
            fields["rules.without"] = "that there is none: the graph leaves it open"
    if "without" in rules:
        beside = stated_fields(rules["without"]["record"], with_data=True)
        fields |= {f"rules.without.record.{name}": what for name, what in beside.items()}
    return fields

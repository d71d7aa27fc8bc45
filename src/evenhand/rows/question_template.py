"""The text of a commented question file, from a draft of what it should say."""

from collections.abc import Iterator

from evenhand.question.question_file import toml_key, toml_string, toml_value
from evenhand.rows.column_profile import ColumnProfile
from evenhand.rows.question_draft import QuestionDraft

_SHOWN = 5  # values of a column
_EXAMPLES = 2
_AUDIT = "# An audit holds only the causes of the decision equal, often far fewer columns."
_ROLES = {
    "protected": "the column whose own effect is asked about",
    "group": "one of its values; left out: all groups are compared, in pairs",
    "other": 'compared with whom: another value, or "rest" for all of them',
    "decision": "the column that holds the decision",
    "favorable": "the value that people hope for; empty: as it sounds, or the rarer of two",
}


def template(draft: QuestionDraft, *, data: str) -> str:
    """Return a question file; what the draft leaves open is empty or commented out."""
    inspection = draft.inspection
    alike = f"# {inspection.comparison}.\n{_AUDIT}" if inspection.comparison else ""
    lines = [
        f"# What is asked of {toml_string(data)}.",
        f"# {inspection.rows:,} rows, {len(inspection.columns)} columns.",
        *alike.replace("; ", ";\n# ").splitlines(),
        "#",
        "# column: values, most frequent first",
        *(f"# {_value_list(one)}" for one in draft.kept),
        "",
        "[question]",
        *_question(draft),
        "",
        "[knowledge]",
        '# A column of a later tier cannot cause one of an earlier tier; "*" is the rest.',
        "# Only you know the order. Perhaps:",
        f"# tiers = {toml_value(draft.tiers if draft.tiers[0] else [['*']])}",
        '# require = ["cause -> effect"]',
        "# forbid = []",
        "",
        "[data]",
        *_columns(draft),
        *_missing(draft),
        *_reading(draft),
        "",
        "[data.bins]",
        *_bins(draft),
        "",
        *_merges(draft),
        "# Plain words for sentences and pictures; they never change the data.",
        "[labels.columns]",
        *_trimmed([one.name for one in draft.kept]),
        *(f"# {line}" for line in _label_examples(draft)),
        "",
    ]
    return "\n".join(lines)


def _question(draft: QuestionDraft) -> Iterator[str]:
    for role, words in _ROLES.items():
        value, rule = draft.asked.get(role, ("", ""))
        absent = ("group", "other", *(("favorable",) if "criterion" in draft.given else ()))
        mark = "# " if role in absent and not value else ""
        said = rule or ("" if role in draft.given else words)
        yield f"{mark}{role} = {toml_value(value)}" + (f"  # {said}" if said else "")
    threshold, _ = draft.asked.get("threshold", ("0.05", ""))
    yield f"threshold = {toml_string(threshold)}  # the difference of rates that counts"
    for role in ("criterion", "order", "rule", "min_rows"):
        if role in draft.given:
            yield f"{role} = {toml_value(draft.given[role])}"
    if "min_rows" not in draft.given:
        yield "# min_rows = 5  # compare groups of at least so many people"
    yield '# redlining = ["COLUMN"]  # judge also the effect that goes through these columns'
    yield '# judge = "population"  # what an audit\'s exit status goes by; default: "rows"'


def _columns(draft: QuestionDraft) -> Iterator[str]:
    """Which columns are left out, and which perhaps should be."""
    if draft.codings.columns is not None:
        yield f"columns = {toml_value([one.name for one in draft.inspection.columns])}"
    if not draft.excluded and not draft.doubtful:
        return
    yield "exclude = ["
    for name, why in draft.excluded.items():
        yield f"  {toml_string(name)},  # {_comment(why)}"
    for name, why in draft.doubtful.items():
        yield f"  # {toml_string(name)},  # {_comment(why)}: leave it out if made from it"
    yield "]"


def _missing(draft: QuestionDraft) -> Iterator[str]:
    rules = {"drop": "leaves such rows out", "level": "makes that a value of its own"}
    instead = "; or ".join(f'"{r}": {w}' for r, w in rules.items() if r != draft.missing)
    said = rules.get(draft.missing, "refuses the table")
    rows = "row lacks" if draft.missing_rows == 1 else "rows lack"
    many = f"up to {draft.missing_rows:,} {rows} a value; " if draft.missing_rows else ""
    yield f"missing = {toml_string(draft.missing)}  # {many}{said}; or {instead}"
    if draft.na:
        yield f"na = {toml_value(draft.na)}  # texts that mean a missing value"
    others = {value: rows for value, rows in draft.markers.items() if value not in draft.na}
    if others:
        often = ", ".join(f"{toml_string(value)} ({many:,})" for value, many in others.items())
        yield f"# na = {toml_value([*draft.na, *others])}  # if these fields are empty: {often}"


def _reading(draft: QuestionDraft) -> Iterator[str]:
    for key in ("frequency", "delimiter", "sheet"):
        value = getattr(draft.codings, key)
        if value is not None:
            yield f"{key} = {toml_string(value)}"
    for name in draft.counting:
        yield f"# frequency = {toml_string(name)}  # if it says how many each line stands for"


def _bins(draft: QuestionDraft) -> Iterator[str]:
    """Cut points, and the other suggestions as comments."""
    given = draft.codings.to_dict().get("bins", {})
    for name, cuts in (given if isinstance(given, dict) else {}).items():
        yield f"{toml_key(name)} = {toml_value(cuts)}"
    if draft.bins:
        yield "# A class includes its upper cut; any cut points may be written. If the"
        yield "# numbers are codes, as of regions, merge them ([data.merge]) or leave them out."
    for one in draft.kept:
        if one.name in draft.bins:
            yield f"{toml_key(one.name)} = {toml_value(draft.bins[one.name])}"
            lost = dict(one.as_stored).get("without_comparator")
            alone = "" if lost is None else f"; as they are {lost:,} rows have no comparator"
            others = [way for way in one.classes if way.cuts != draft.bins[one.name]]
            yield f"# {one.distinct:,} values{alone}.{' Also:' * bool(others)}"
            for other in others:
                how = "  # looks at the decision" if other.method == "entropy" else ""
                yield f"#   {toml_value(other.cuts)}{how}"


def _merges(draft: QuestionDraft) -> Iterator[str]:
    """Merges that were given or are needed, and others to consider."""
    for name, merged in draft.codings.merge.items():
        yield f"[data.merge.{toml_key(name)}]"
        yield from (f"{toml_string(new)} = {toml_value(olds)}" for new, olds in merged.items())
        yield ""
    for name, groups in draft.merges.items():
        # Any column may still be named as one that is asked about.
        mark = "" if name in draft.named or len(draft.named) < 2 else "# "
        yield f"{mark}[data.merge.{toml_key(name)}]  # one value in several spellings"
        for new, olds in groups.items():
            yield f"{mark}{toml_string(new)} = {toml_value(olds)}"
        yield ""
    if not draft.merges and not draft.codings.merge:
        yield "# [data.merge.COLUMN]"
        yield '# "new value" = ["old value", "another"]'
        yield ""


def _trimmed(names: list[str]) -> Iterator[str]:
    """Labels of columns without the blanks around their names."""
    for name in names:
        label = name.strip()
        if label and label not in names:
            yield f"{toml_string(name)} = {toml_string(label)}"


def _label_examples(draft: QuestionDraft) -> Iterator[str]:
    """Examples in the table's own names and values."""
    plain = [one for one in draft.kept if one.name == one.name.strip()]
    some = [one for one in plain if one.name not in draft.bins][:_EXAMPLES]
    for one in some:
        yield f"{toml_string(one.name)} = {toml_string(f'words for {one.name}')}"
    for one in some[:1]:
        yield f"[labels.values.{toml_key(one.name)}]"
        for value, _ in one.frequent[:3]:
            yield f"{toml_string(value)} = {toml_string(f'words for {value}')}"


def _value_list(one: ColumnProfile) -> str:
    shown = [f"{toml_string(value)} {rows:,}" for value, rows in one.frequent[:_SHOWN]]
    rest = one.distinct - len(shown)
    more = f", and {rest:,} more" if rest > 0 else ""
    return f"{toml_string(one.name)}: {', '.join(shown)}{more}"


def _comment(text: str) -> str:
    """Text that cannot end the comment."""
    return " ".join(text.split())

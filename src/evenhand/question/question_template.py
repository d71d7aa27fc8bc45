"""Template of a question file to fill in, from a table's columns and values."""

from collections.abc import Iterator, Mapping

from evenhand.question.question_file import toml_key, toml_string

_MANY = 12
_FEW = 12  # values of a column that examples are made of


def template(profile: Mapping[str, Mapping[str, int] | None], *, data: str) -> str:
    """Return a commented question file for a table.

    ``profile`` holds how often each value of each column occurs, or None for a column whose
    values hardly repeat.
    """
    rows = max((sum(values.values()) for values in profile.values() if values), default=0)
    usable = [name for name, values in profile.items() if values is not None]
    few = {name: [*vs] for name, vs in profile.items() if vs and len(vs) <= _FEW}
    lines = [
        f"# What is asked of {toml_string(data)}: {rows:,} rows, {len(profile)} columns.",
        "# Fill in the four empty values, and the order of the columns if you know it.",
        "#",
        "# column: values, most frequent first",
        *(f"# {toml_string(name)}: {_value_list(values)}" for name, values in profile.items()),
        "",
        "[question]",
        'protected = ""    # the column whose own effect is asked about',
        'group = ""        # one of its values',
        '# other = ""      # compared with whom: another value, or "rest" for all of them',
        'decision = ""     # the column that holds the decision',
        'favorable = ""    # the value that people hope for',
        'threshold = "0.05"  # the difference of rates that counts',
        '# judge = "population"  # what an audit\'s exit status goes by; default: "rows"',
        "",
        "[knowledge]",
        '# A column of a later tier cannot cause one of an earlier tier; "*" is the rest.',
        f'# tiers = [[{toml_string(usable[0]) if usable else ""}], ["*"]]',
        '# require = ["cause -> effect"]',
        "# forbid = []",
        *(f"# {line}" for line in _tier_examples([*few])),
        "",
        "[data]",
        *_columns_line(profile),
        'missing = "error"  # or "level": a value of its own; or "drop": leave such rows out',
        '# na = ["?"]       # texts that mean a missing value',
        "",
        "[data.bins]",
        *(
            f"# {toml_string(name)} = 4  # quantile classes, or cut points: [10, 20]"
            for name in _number_columns(profile)
        ),
        "",
        "# [data.merge.COLUMN]",
        '# "new value" = ["old value", "another"]',
        "",
        "# Plain words for sentences and pictures; they never change the data.",
        "[labels.columns]",
        *(f"# {line}" for line in _label_examples(few)),
        "",
    ]
    return "\n".join(lines)


def _tier_examples(names: list[str]) -> Iterator[str]:
    """Examples in the table's own names."""
    if len(names) < 3:
        return
    first, second, *_, last = map(toml_string, names)
    yield f"For example, if {first} comes before all others and {last} after them:"
    yield f'tiers = [[{first}], ["*"], [{last}]]'
    if len(names) > 3:
        yield f"Or, if {second} comes before all others, too:"
        yield f'tiers = [[{first}, {second}], ["*"], [{last}]]'


def _label_examples(named: Mapping[str, list[str]]) -> Iterator[str]:
    """Examples in the table's own names and values."""
    for name in [*named][:2]:
        yield f"{toml_string(name)} = {toml_string(f'words for {name}')}"
    for name, values in [*named.items()][:1]:
        yield f"[labels.values.{toml_key(name)}]"
        for value in values[:3]:
            yield f"{toml_string(value)} = {toml_string(f'words for {value}')}"


def _value_list(values: Mapping[str, int] | None) -> str:
    if values is None:
        return "nearly as many values as rows; left out below, or bin it"
    often = sorted(values.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{toml_string(value)} {count:,}" for value, count in often[:_MANY])
    rest = len(often) - _MANY
    return shown + (f", and {rest:,} more" if rest > 0 else "")


def _columns_line(profile: Mapping[str, Mapping[str, int] | None]) -> list[str]:
    """Name the columns to count where some cannot be."""
    if None not in profile.values():
        return []
    usable = [name for name, values in profile.items() if values is not None]
    return [f"columns = [{', '.join(map(toml_string, usable))}]"]


def _number_columns(profile: Mapping[str, Mapping[str, int] | None]) -> list[str]:
    """Columns of many different numbers, for which bins are proposed."""

    def is_number(text: str) -> bool:
        return text.strip().lstrip("+-").replace(".", "", 1).isdigit()

    return [
        name
        for name, values in profile.items()
        if values is not None and len(values) > _MANY and all(map(is_number, values))
    ]

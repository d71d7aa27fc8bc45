"""Every key of a question file, once: what it means, how it is typed, and who offers it.

The parser of question files, the options of the command line, ``--set key=value`` and the
spelling of remedies are made from this table. The tables [run], [audit], [discover] and
[release] say what the verbs of the command line do besides; Python takes arguments for it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import groupby
from string import ascii_lowercase
from typing import Any, TypeAlias

from evenhand.display import plain
from evenhand.errors import Problem, QuestionError, did_you_mean
from evenhand.question import parse_values as values
from evenhand.question.knowledge import SIGNIFICANCE, Tiers
from evenhand.question.number_classes import Bins, read_bins

# What a question file says, as plain values.
Tables: TypeAlias = Mapping[str, Any]
_IN_QUOTES = '"((?:[^"]|"")*)"'
_KEY_LETTERS = f"{ascii_lowercase}_"
_NAME = re.compile(rf"\s*{_IN_QUOTES}\s*(?:,|$)|([^,]*)(?:,|$)", re.DOTALL)


def parse_names(text: str) -> list[str]:
    """Split names at commas; one in double quotes keeps its blanks and commas.

    >>> parse_names('a, b," c,d"')
    ['a', 'b', ' c,d']
    """
    names, end = list[str](), 0
    while part := _NAME.match(text, end):
        quoted, plain = part.groups()
        names.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        end = part.end()
        if not part[0].endswith(","):
            break
    return names


def join_names(names: object) -> str:
    """Names that ``parse_names`` splits again."""
    texts = [names] if isinstance(names, str) or not isinstance(names, list | tuple) else names
    return ",".join(n if parse_names(n) == [n] else _quoted(n) for n in map(str, texts))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number(text: str) -> int | float | str:
    """A number as it is typed; what is none stays text, and is refused when it is read."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


def _truth(text: str) -> bool | str:
    return {"true": True, "false": False}.get(text, text)


def _cuts(text: str) -> list[str] | int:
    """Cut points, or a number of classes: ``37,>=50`` or ``quantiles:4``."""
    kind, _, number = text.partition(":")
    return int(number) if kind == "quantiles" and number.isdigit() else parse_names(text)


def _cuts_text(cuts: Any) -> str:  # noqa: ANN401  # a number, or a list of them
    return f"quantiles:{cuts}" if isinstance(cuts, int) else ",".join(map(str, cuts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a value is: read from Python or a file, parsed from what is typed, and spelled.

    ``write`` gives what a file has. Of ``many`` values each is typed for itself, or all of
    them ``joined`` in one text; what is typed several times comes together. ``names`` says how
    many names stand between the key and the value: one in bins.age=37. ``shown`` is what the
    help calls it.
    """

    shown: str
    read: Callable[[Any, str], Any] = values.require_text
    write: Callable[[Any], Any] = plain
    parse: Callable[[str], Any] = str
    spell: Callable[[Any], str] = str
    many: bool = False
    joined: bool = False
    names: int = 0


def _one_of(*names: str) -> Kind:
    return Kind(shown="TEXT", read=values.one_of(*names))


def _written_bins(bins: Mapping[str, Bins | int]) -> dict[str, Any]:
    return {name: one if isinstance(one, int) else one.notation for name, one in bins.items()}


_of_type = values.of_type
TEXT, COLUMN = Kind(shown="TEXT"), Kind(shown="COLUMN")
VALUE = Kind(shown="VALUE", read=values.group_label)
CRITERION = _one_of("favorable", "every", "cumulative")
BASIS, JUDGE = _one_of("group", "all"), _one_of("answer", "rows")
MISSING_RULE = _one_of("error", "level", "drop")
THRESHOLD = Kind(shown="NUMBER", read=values.difference_of_rates)
_REAL = _of_type("number", "Write a number", str, int, float, Decimal, Fraction)
NUMBER = Kind(shown="NUMBER", read=_REAL)
FLOAT = Kind(
    shown="NUMBER", read=_of_type("number", "Write a number", int, float), parse=_number
)
WHOLE = Kind(shown="N", read=values.whole_from(0), parse=_number)
ROWS = replace(WHOLE, read=values.whole_from(1))
_BOOL = _of_type("truth value, true or false", "Write true or false", bool)
FLAG = Kind(shown="true", read=_BOOL, parse=_truth, spell=json.dumps)
VALUES = Kind(shown="VALUE", read=values.labels, many=True)
TEXTS = Kind(shown="VALUE", read=values.text_labels, many=True)
FAVORABLE = Kind(shown="VALUE", read=values.label_or_labels, many=True)
PROTECTED = Kind(shown="COLUMN", read=values.text_or_texts, many=True)
ARROWS = Kind(shown="A->B", many=True)
COLUMNS = Kind(
    shown="A,B",
    read=values.require_texts,
    parse=parse_names,
    spell=join_names,
    many=True,
    joined=True,
)
ATTRIBUTES = replace(COLUMNS, read=values.distinct_texts)
TIERS = Kind(
    shown="TIERS",
    parse=lambda text: Tiers.parse(text).plain,
    spell=lambda t: "|".join(map(join_names, t)),
)
MARK = Kind(
    shown="MARK",
    parse=lambda text: "\t" if text == r"\t" else text,
    spell=lambda mark: str(mark).replace("\t", r"\t"),
)
CUTS = Kind(
    shown="COLUMN=CUTS",
    read=values.of_columns(read_bins),
    write=_written_bins,
    parse=_cuts,
    spell=_cuts_text,
    names=1,
)
MERGED = Kind(
    shown="COLUMN.NEW=OLD",
    read=values.of_columns(values.merged_labels),
    parse=parse_names,
    spell=join_names,
    names=2,
)
WORDS = Kind(shown="COLUMN=WORDS", read=values.of_columns(values.require_text), names=1)
VALUE_WORDS = Kind(
    shown="COLUMN.VALUE=WORDS", read=values.of_columns(values.value_words), names=2
)


@dataclass(frozen=True, slots=True)
class Field:
    """A key of the question file.

    ``verbs`` have an option of their own for it, others take it by ``--set``. A key with the
    name of an ``option`` and no verbs is taken as that option, too, which no help lists.
    ``argument`` is the library's word for it. What is typed replaces what a file says, or with
    ``adds`` is added to it.
    """

    table: str
    name: str
    kind: Kind
    help: str
    verbs: str = ""
    default: str = ""
    option: str = ""
    argument: str = ""
    adds: bool = False

    @property
    def key(self) -> str:
        """The key as ``--set`` takes it: with its table where another has that name, too."""
        return self.name if find(self.name) is self else f"{self.table}.{self.name}"

    @property
    def flag(self) -> str:
        """The option of the verbs that have one."""
        return f"--{self.option or self.name.replace('_', '-')}"

    def read(self, value: Any) -> Any:  # noqa: ANN401  # of each kind its own
        """What a file or a caller of the library gives; what it cannot be is refused."""
        return self.kind.read(value, f"`{self.name}`")

    @property
    def usual(self) -> Any:  # noqa: ANN401  # plain values
        """What holds where nothing is said, or None; a default in words is nobody's value."""
        if self.kind is FLAG:
            return False
        if self.kind.many:
            return []
        is_value = self.default and " " not in self.default
        return self.kind.parse(self.default) if is_value else None

    def parse(self, text: str) -> Any:  # noqa: ANN401  # plain values
        """What is typed after the key, as the question file would have it."""
        if not self.kind.names:
            parsed = self.kind.parse(text)
            if self.kind.parse in (_number, _truth):
                self.read(parsed)
            return [parsed] if self.kind.many and not self.kind.joined else parsed
        *outer, last, value = self._parts(text)
        parsed = {last: self.kind.parse(value)}
        return {outer[0]: parsed} if outer else parsed

    def _parts(self, text: str) -> list[str]:
        """The names between key and value, each plain or in double quotes, and the value."""
        inner = rf'(?:{_IN_QUOTES}|([^."]+?))\.' * (self.kind.names - 1)
        found = re.fullmatch(rf'{inner}(?:{_IN_QUOTES}|([^="]+?))=(.*)', text, re.DOTALL)
        if found is None:
            raise QuestionError.of(
                f"{text!r} cannot be read as {self.key}.",
                remedy=f"Write {self.kind.shown}, and names with . or = in double quotes.",
            )
        *names, value = found.groups()
        return [
            *(
                plain if quoted is None else quoted.replace('""', '"')
                for quoted, plain in zip(names[::2], names[1::2], strict=True)
            ),
            value,
        ]

    def texts(self, value: Any) -> list[str]:  # noqa: ANN401  # plain values
        """A plain value in texts that ``parse`` reads."""
        if self.kind.names:
            return [
                f"{path}={self.kind.spell(inner)}"
                for path, inner in _leaves(value, self.kind.names)
            ]
        each = self.kind.many and not self.kind.joined and isinstance(value, list | tuple)
        return [*map(self.kind.spell, value if each else [value])]

    def words(self, value: Any, verb: str | None = None) -> list[str]:  # noqa: ANN401
        """The words to type for a value, or with ``...`` for one that is to be chosen."""
        texts = ["…"] if value is ... else self.texts(value)
        if self.verbs if verb is None else verb in self.verbs.split():
            if self.kind is FLAG:
                return [self.flag] if value else []
            return [word for text in texts for word in (self.flag, text)]
        if self.kind.names and value is ...:
            return ["--set", f"{self.key}.{self.kind.shown}"]
        mark = "." if self.kind.names else "="
        return [word for text in texts for word in ("--set", f"{self.key}{mark}{text}")]


def _leaves(value: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    """The values of nested mappings, each with its names as they are typed."""
    for name, inner in value.items():
        is_plain = name == name.strip() and name and not {*'."='} & {*name}
        typed = name if is_plain else _quoted(name)
        if depth == 1:
            yield typed, inner
        else:
            yield from ((f"{typed}.{rest}", one) for rest, one in _leaves(inner, depth - 1))


_JUDGE = "audit release compare"
_HAND_IN = "tables comparators"
_ASK = f"{_JUDGE} {_HAND_IN} discover inspect init"
_READ = f"audit compare {_HAND_IN} discover inspect init"
_LOOK = "inspect init"


_question, _learning, _data = (partial(Field, t) for t in ("question", "learning", "data"))
_known, _graph, _labels = (partial(Field, t) for t in ("knowledge", "graph", "labels"))
_run, _audit, _release = (partial(Field, t) for t in ("run", "audit", "release"))
_BINS = (
    "Classes of numbers: 'age=37,50' for up to 37 and up to 50, 'age=>=38' for 38 or more, "
    "'age=quantiles:4' for four of about equal size."
)
_METHODS = (
    "modify-data, modify-graph; or, uncertified, shuffle-protected, local-massaging, "
    "local-preferential-sampling, repair-attributes."
)
_POLICIES = (
    "Of modify-data: minimal, group, raise, rows, uncertified paper, printed. Of modify-graph: "
    "quotas, generate, uncertified sample."
)
FIELDS = (
    _question("protected", PROTECTED, "The protected attribute; several: combinations.", _ASK),
    _question("decision", COLUMN, "The column that holds the decision.", _ASK),
    _question("favorable", FAVORABLE, "The favorable value of the decision, or several.", _ASK),
    _question("group", VALUE, "The value whose group is asked about.", _ASK, "all, in pairs"),
    _question("other", VALUE, "The value to compare with; 'rest' pools all others."),
    _question("threshold", THRESHOLD, "The difference of rates that counts.", _JUDGE, "0.05"),
    _question(
        "criterion",
        CRITERION,
        "Compare favorable, every value, or cumulative.",
        "",
        "favorable",
    ),
    _question("order", VALUES, "The values of the decision, best first."),
    _question("min_rows", ROWS, "Compare groups of at least so many rows.", "", "1"),
    _question("rule", ATTRIBUTES, "The columns that make the decision, without exception."),
    _question("redlining", ATTRIBUTES, "Judge effects through these, too.", "compare"),
    _question(
        "explained", ATTRIBUTES, "An effect through these is accepted.", "", "all others"
    ),
    _question(
        "redlining_threshold",
        THRESHOLD,
        "The effect through them that counts.",
        "",
        "threshold",
    ),
    _question("basis", BASIS, "Measure it on the rows of the group, or on all.", "", "group"),
    _question(
        "judge",
        JUDGE,
        "What gives the status: the answer, or these rows.",
        "",
        "answer",
        option="judge",
    ),
    _question("scope", TEXT, "Partitions examined: causes, minimal or all.", "", "causes"),
    _question("min_coverage", NUMBER, "Least share of each group to be compared.", "", "0.9"),
    _known(
        "tiers",
        TIERS,
        "Order of the columns, causes first: 'a,b|c|*|e'; * is the rest.",
        f"{_JUDGE} {_HAND_IN} discover",
    ),
    _known(
        "require", ARROWS, "An arrow that must be.", "discover", argument="required", adds=True
    ),
    _known(
        "forbid", ARROWS, "One that must not be.", "discover", argument="forbidden", adds=True
    ),
    _learning("significance", FLOAT, "Significance level of the tests.", "", str(SIGNIFICANCE)),
    _learning("test", TEXT, "Independence test; a wrong name lists all.", "", "chi-square"),
    _learning("max_depth", WHOLE, "Test given at most so many attributes."),
    _learning("local", FLAG, "Search only near the decision, in any table.", "discover"),
    _graph("add", ARROWS, "An arrow to add, as 'a -> b: the reason'.", adds=True),
    _graph("remove", ARROWS, "An arrow to remove, with the reason.", adds=True),
    _graph("reverse", ARROWS, "An arrow to turn, with the reason.", adds=True),
    _graph("open", ARROWS, "An arrow to leave open, with the reason.", adds=True),
    _graph("judged", WHOLE, "How many graphs were judged before."),
    _data("columns", COLUMNS, "Use only these columns.", _LOOK),
    _data("exclude", COLUMNS, "Leave these columns out.", _READ, adds=True),
    _data("bins", CUTS, _BINS, _READ, option="bin"),
    _data("merge", MERGED, "Merge values into one: 'work.new=old1,old2'."),
    _data("missing", MISSING_RULE, "Missing values: error, level or drop.", _LOOK, "error"),
    _data("na", TEXTS, "A text that means a missing value.", _LOOK),
    _data("frequency", COLUMN, "The column that says how often each row occurs.", _LOOK),
    _data("delimiter", MARK, "The field delimiter of text files.", "", "detected"),
    _data("sheet", TEXT, "The sheet of a spreadsheet that is the table."),
    _labels("columns", WORDS, "Plain words for a column."),
    _labels("values", VALUE_WORDS, "Plain words for a value of a column."),
    _run(
        "predictions",
        COLUMNS,
        "Judge a model's predictions in this column, given a graph; of an audit several.",
        "audit",
    ),
    _run("labels", COLUMN, "With predictions: what was recorded, to tell errors."),
    _run("least_count", WHOLE, "The smallest count shown in copies for others.", "", "10"),
    _run("memory", TEXT, "Memory limit, as 2GB.", "", "half of the machine's, up to 4GB"),
    _audit("partition", COLUMNS, "Explain a partition of your own."),
    _audit("assurance", NUMBER, "Share of rows of the relaxed criterion.", "", "0.8"),
    _audit("bootstrap", WHOLE, "Learn and certify again on so many resamples."),
    _audit("bootstrap_seed", WHOLE, "Random seed of the resamples.", "", "of the counts"),
    _audit("doubt", FLAG, "List all evidence against the graph."),
    _audit("strict", FLAG, "Exit with 3 where the answer is Not shown.", "audit"),
    _audit("arrows", FLAG, "Judge without each cause, and with each that may be one."),
    _audit("rates", FLAG, "Add rates of selection and impact ratios to the report."),
    Field("discover", "algorithm", TEXT, "PC: stable or original.", "", "stable"),
    Field("discover", "max_tests", WHOLE, "End the search after so many tests."),
    _release("method", TEXT, _METHODS, "release", "modify-data"),
    _release("policy", TEXT, _POLICIES, "release"),
    _release("margin", NUMBER, "Stay below the threshold by this much.", "", "0"),
    _release("only", VALUES, "Of modify-data: change decisions of this group alone."),
    _release("rank", COLUMN, "Of modify-data: change rows by this score.", "", "at random"),
    _release("drop", COLUMNS, "Do not release these columns, outside the question."),
    _release(
        "metadata",
        FLAG,
        "Also describe the file for its publication: Croissant, and an in-toto statement to "
        "sign.",
        option="metadata",
    ),
)
# The tables of a question file, each with its keys.
TABLES = {
    table: {field.name: field for field in fields}
    for table, fields in groupby(FIELDS, key=lambda field: field.table)
}


def read_parts(owner: Any, table: str) -> None:  # noqa: ANN401  # a question, or codings
    """Read what a frozen dataclass was given for the keys of a table; None where it may be."""
    problems = list[Problem]()
    for part in fields(owner):
        value = getattr(owner, part.name)
        if (key := TABLES[table].get(part.name)) and not (value is part.default is None):
            try:
                object.__setattr__(owner, part.name, key.read(value))
            except QuestionError as error:
                problems += error.problems
    if problems:
        raise QuestionError(*problems)


def said_parts(owner: Any, table: str, *always: str) -> dict[str, Any]:  # noqa: ANN401
    """The parts that are not as they are by default, as a question file has them."""
    said = {}
    for part in fields(owner):
        value, key = getattr(owner, part.name), TABLES[table].get(part.name, COLUMN)
        if part.name in always or value not in (part.default, None, (), {}):
            said[part.name] = (key.kind if isinstance(key, Field) else key).write(value)
    return said


def find(name: str) -> Field | None:
    """The key that a name means, or an argument of the library; the first of several."""
    return next((one for one in FIELDS if name in (one.name, one.argument or ...)), None)


def option_words(tables: Tables, verb: str) -> list[str]:
    """The words to type at a verb for what tables say; what is empty is left out.

    >>> tables = {"data": {"exclude": ["id", "a,b"], "merge": {"job": {"it": ["IT"]}}}}
    >>> option_words(tables, "init")
    ['--exclude', 'id,"a,b"', '--set', 'merge.job.it=IT']
    """
    return [
        word
        for field in FIELDS
        if (value := tables.get(field.table, {}).get(field.name)) not in (None, [], {}, "")
        for word in field.words(value, verb)
    ]


def parse_setting(text: str) -> tuple[Field, Any]:
    """The key that ``--set`` names, and its value as the file would have it.

    >>> field, value = parse_setting("data.bins.age=37,>=50")
    >>> field.table, field.name, value
    ('data', 'bins', {'age': ['37', '>=50']})
    """
    table, _, inner = text.partition(".")
    rest = inner if table in TABLES else text
    name = rest[: len(rest) - len(rest.lstrip(_KEY_LETTERS))]
    mark, value = rest[len(name) :][:1], rest[len(name) + 1 :]
    field = TABLES[table].get(name) if table in TABLES else find(name)
    if field is None:
        keys = [one.key for one in FIELDS]
        raise QuestionError.of(
            f"There is no key {name!r}.",
            did_you_mean(name, keys),
            "All are listed by `help keys`.",
        )
    if field.kind is FLAG and not mark:
        return field, True
    if mark != ("." if field.kind.names else "="):
        raise QuestionError.of(
            f"{text!r} gives {field.key} no value.",
            remedy=f"Write {field.key}{'.' if field.kind.names else '='}{field.kind.shown}.",
        )
    return field, field.parse(value)


def with_typed(file: Tables, typed: Iterable[tuple[Field, Any]]) -> dict[str, Any]:
    """The tables of a question file, overridden by what was typed."""
    together: dict[Field, Any] = {}
    for field, value in typed:
        together[field] = _joined(field.kind, together.get(field), value)
    tables: dict[str, Any] = {**file}
    for field, value in together.items():
        table = tables.get(field.table)
        table = table if isinstance(table, Mapping) else {}
        said = table.get(field.name)
        if field.kind.names and isinstance(said, Mapping):
            tables[field.table] = {**table, field.name: {**said, **value}}
        elif field.adds and isinstance(said, list):
            tables[field.table] = {**table, field.name: [*said, *value]}
        else:
            one = (
                value[0] if field.kind in (PROTECTED, FAVORABLE) and len(value) == 1 else value
            )
            tables[field.table] = {**table, field.name: one}
    return tables


def _joined(kind: Kind, before: Any, value: Any) -> Any:  # noqa: ANN401  # plain values
    """What was typed several times: lists and names come together, else the last one holds."""
    if before is None or not (kind.many or kind.names):
        return value
    if isinstance(value, list):
        return [*before, *value]
    return before | {
        name: {**before.get(name, {}), **inner} if isinstance(inner, dict) else inner
        for name, inner in value.items()
    }

"""Question files: everything that defines a run, in TOML, so that it can be repeated.

``fields`` lists the keys of the tables [question], [knowledge], [learning], [graph], [data] and
[labels]. Edits of the graph are written as "a -> b: the reason" or ["a", "b", "the reason"],
bins and merges under the name of their column, labels of values in [labels.values.COLUMN].
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from evenhand.errors import (
    ColumnError,
    EvenhandError,
    Problem,
    QuestionError,
    Remedy,
    did_you_mean,
    listed,
)
from evenhand.question.codings import WILDCARD, Codings
from evenhand.question.fields import FIELDS, TABLES
from evenhand.question.graph_edits import GraphEdit
from evenhand.question.knowledge import Knowledge, Tiers
from evenhand.question.parse_values import as_label, require_text
from evenhand.question.question import Question
from evenhand.question.toml_limits import excess

# Which verdict decides: the exact one on these rows, or what they show of the population.
Judge: TypeAlias = Literal["rows", "population"]

# The keys that are parts of the question itself.
ASKED = [name for name in TABLES["question"] if name in Question.__dataclass_fields__]
# Tables of values that nothing else reads before they are used: their types are checked here.
_PLAIN = ("learning", "run", "audit", "discover", "release")
# What these say goes to an audit as arguments.
_SETTINGS = ("scope", "min_coverage", *TABLES["learning"])
Completion: TypeAlias = Callable[[Mapping[str, Any], Codings], Mapping[str, Any]]
_LARGEST_FILE = 1_000_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Plain words for columns and values, used in sentences and pictures, never in data."""

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        labels = {
            name: {as_label(value): word for value, word in words.items()}
            for name, words in self.values.items()
        }
        object.__setattr__(self, "values", labels)

    def check(self, columns: Sequence[str], *, where: str) -> None:
        """Refuse labels for columns that the table lacks: they would have no effect."""
        if unknown := [name for name in {**self.columns, **self.values} if name not in columns]:
            raise ColumnError.unknown(unknown, columns, where=where)

    def column(self, name: str) -> str:
        """The plain words for the column, or its name."""
        return self.columns.get(name, name)

    def value(self, name: str, value: str) -> str:
        """The plain words for a value of the column, or the value."""
        return self.values.get(name, {}).get(value, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFile:
    """A question with what is known, how columns are read, and words for people.

    ``judge`` says which verdict of an audit decides; releases are always judged by their rows.
    ``graphs_judged`` says how many graphs were tried on the way to these ``edits``: an audit
    states it in its certificate. ``settings`` are further arguments of an audit: the scope,
    the least coverage, and how a graph is learned.
    """

    question: Question
    judge: Judge = "rows"
    knowledge: Knowledge = field(default_factory=Knowledge)
    codings: Codings = field(default_factory=Codings)
    labels: Labels = field(default_factory=Labels)
    edits: tuple[GraphEdit, ...] = ()
    graphs_judged: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        question: "Question | QuestionFile",
        *,
        judge: Judge | None = None,
        knowledge: Knowledge | Tiers | None = None,
        codings: Codings | None = None,
        edits: Iterable[GraphEdit] | None = None,
        **settings: Any,  # noqa: ANN401  # of each key its own kind
    ) -> "QuestionFile":
        """A question, or a file with what is given besides in place of what it says."""
        if not isinstance(question, Question | QuestionFile):
            raise QuestionError.of(
                f"{question!r} is no question.", remedy="Give a Question, or a QuestionFile."
            )
        asked = question if isinstance(question, QuestionFile) else cls(question=question)
        edits = None if edits is None else tuple(edits)
        given: tuple[object, ...] = edits or ()
        if wrong := [edit for edit in given if not isinstance(edit, GraphEdit)]:
            raise QuestionError.of(
                f"{wrong[0]!r} is no edit of the graph.",
                remedy="Give a GraphEdit, as GraphEdit.parse('add', 'a -> b: why') makes it.",
            )
        return replace(
            asked,
            judge=check_judge(asked.judge if judge is None else judge),
            knowledge=asked.knowledge if knowledge is None else Knowledge.of(knowledge),
            codings=asked.codings if codings is None else codings,
            edits=asked.edits if edits is None else edits,
            settings={
                **asked.settings,
                **{name: value for name, value in settings.items() if value is not None},
            },
        )

    @property
    def all_settings(self) -> dict[str, Any]:
        """The settings of an audit, with what holds where nothing is said."""
        tables = TABLES["question"] | TABLES["learning"]
        return {name: self.settings.get(name, tables[name].usual) for name in _SETTINGS}

    @classmethod
    def load(cls, path: str | Path) -> "QuestionFile":
        """Read a question file; see ``parse``."""
        return cls.from_tables(cls.load_tables(path), where=str(path))

    @classmethod
    def load_tables(cls, path: str | Path) -> dict[str, Any]:
        """Read the tables of a question file; see ``parse_tables``."""
        path = Path(path)
        try:
            if path.stat().st_size > _LARGEST_FILE:
                raise _too_large(str(path))
            return cls.parse_tables(path.read_text("utf-8"), where=str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise QuestionError.of(
                "There is no such question file."
                if isinstance(error, FileNotFoundError)
                else f"The question file cannot be read: {error}.",
                remedy="Name another file, or write one with a table [question].",
                where=str(path),
            ) from error

    @classmethod
    def parse(cls, text: str, *, where: str = "question file") -> "QuestionFile":
        """Parse the text of a question file; all problems are raised together."""
        return cls.from_tables(cls.parse_tables(text, where=where), where=where)

    @staticmethod
    def parse_tables(text: str, *, where: str = "question file") -> dict[str, Any]:
        """The tables of a question file as plain values; only whether it is TOML is checked."""
        if len(text) > _LARGEST_FILE:
            raise _too_large(where)
        if beyond := excess(text):
            raise QuestionError.of(
                f"A question file does not need {beyond[0]}.",
                remedy="Mend that line.",
                where=f"{where}, line {beyond[1]:,}",
            )
        try:
            return tomllib.loads(text)
        except ValueError as error:  # not TOML, or a date that no calendar has
            raise QuestionError.of(
                f"This is not TOML: {error}.", remedy="Mend that line.", where=where
            ) from error

    @classmethod
    def from_tables(
        cls,
        content: Mapping[str, Any],
        *,
        where: str = "question file",
        complete: Completion | None = None,
    ) -> "QuestionFile":
        """A question file from its tables as plain values; see ``parse``.

        ``complete`` gets the table [question] and the codings, and returns that table with
        what it leaves open.
        """
        problems = [
            Problem(f"{name!r} is not a table.", remedy=f"Write [{name}].", where=where)
            for name, table in content.items()
            if not isinstance(table, dict)
        ]
        content = {name: table for name, table in content.items() if isinstance(table, dict)}
        problems += [*_unknown_keys(content, where=where), *_wrong_types(content, where=where)]

        def attempt(parse: Callable[[Mapping[str, Any]], _T], name: str) -> _T | None:
            """Parse one table; add its problems to the list instead of raising them."""
            try:
                return parse(content.get(name, {}))
            except EvenhandError as error:
                problems.extend(replace(problem, where=where) for problem in error.problems)
            except (TypeError, AttributeError) as error:
                what = f"A value has the wrong type: {error}."
                remedy = "Write a text in quotes, a list in brackets, a table under its name."
                problems.append(Problem(what, remedy=remedy, where=where))
            return None

        codings = attempt(_parse_codings, "data")

        def parse_question(table: Mapping[str, Any]) -> Question:
            return _parse_question(complete(table, codings) if complete and codings else table)

        question = attempt(parse_question, "question")
        judge = attempt(lambda table: check_judge(table.get("judge", "rows")), "question")
        knowledge = attempt(_parse_knowledge, "knowledge")
        labels = attempt(_parse_labels, "labels")
        edits = attempt(GraphEdit.parse_table, "graph")
        graphs_judged = attempt(_parse_judged, "graph")
        if problems or not (question and judge and knowledge and codings and labels):
            raise QuestionError(*problems)
        return cls(
            question=question,
            judge=judge,
            knowledge=knowledge,
            codings=codings,
            labels=labels,
            edits=edits or (),
            graphs_judged=graphs_judged or 0,
            settings={
                name: table[name]
                for table in (content.get("question", {}), content.get("learning", {}))
                for name in _SETTINGS
                if name in table
            },
        )

    @property
    def graph_table(self) -> dict[str, Any]:
        """The table [graph]: a list for each kind of edit, and the graphs judged, if any."""
        table: dict[str, Any] = {}
        for edit in self.edits:
            table.setdefault(edit.kind, []).append(edit.notation)
        return table | ({"judged": self.graphs_judged} if self.graphs_judged else {})

    def __str__(self) -> str:
        knowledge = {name: value for name, value in self.knowledge.to_dict().items() if value}
        labels = {"columns": self.labels.columns, "values": self.labels.values}
        judge = {} if self.judge == "rows" else {"judge": self.judge}
        learning = {n: v for n, v in self.settings.items() if n in TABLES["learning"]}
        judge |= {n: v for n, v in self.settings.items() if n not in learning}
        return "\n".join(
            _toml_table(name, table)
            for name, table in (
                ("question", self.question.to_dict() | judge),
                ("knowledge", knowledge),
                ("learning", learning),
                ("graph", self.graph_table),
                ("data", self.codings.to_dict()),
                ("labels", {name: words for name, words in labels.items() if words}),
            )
            if table
        )


def _too_large(where: str) -> QuestionError:
    return QuestionError.of(
        f"This is too large for a question file: more than {_LARGEST_FILE:,} bytes.",
        remedy="Write what is asked of the columns that matter.",
        where=where,
    )


def check_judge(judge: object) -> Judge:
    """Return the name of a judge if it is one."""
    if judge == "rows" or judge == "population":  # noqa: PLR1714  # narrows the type
        return judge
    raise QuestionError.of(
        f"There is no judge {judge!r}.",
        remedy=(
            Remedy("Let the exact verdict on these rows decide", "judge", "rows"),
            Remedy("what they show of the population", "judge", "population"),
        ),
    )


def toml_string(plain: str) -> str:
    """Quote text for TOML, whose basic strings are those of JSON."""
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parse_question(table: Mapping[str, Any]) -> Question:
    many = table.get("criterion", "favorable") != "favorable"
    needed = ("protected", "decision", *(() if many else ("favorable",)))
    absent = [key for key in needed if table.get(key, "") == ""]
    if absent:
        raise QuestionError(
            Problem(
                f"The table [question] lacks {listed(absent)}.",
                remedy="Name the column and the value for each.",
                is_open=True,
            )
        )
    return Question(**{key: table[key] for key in ASKED if table.get(key, "") != ""})


def _parse_knowledge(table: Mapping[str, Any]) -> Knowledge:
    tiers = table.get("tiers")
    return Knowledge(
        tiers=None if tiers is None else Tiers(*(... if t == [WILDCARD] else t for t in tiers)),
        required=table.get("require", ()),
        forbidden=table.get("forbid", ()),
    )


def _parse_judged(table: Mapping[str, Any]) -> int:
    """How many graphs were judged: a number, or a text for each, as the app writes."""
    judged = table.get("judged", 0)
    if isinstance(judged, list) and all(isinstance(one, str) for one in judged):
        return len({*judged})
    if type(judged) is not int or not 0 <= judged < 2**63:
        raise QuestionError.of(
            f"How many graphs were judged is no whole number from 0 on: {judged!r}.",
            remedy="Write it as judged = 3 in [graph], or leave it out.",
        )
    return judged


def _parse_codings(table: Mapping[str, Any]) -> Codings:
    return Codings.of(**{key: table[key] for key in TABLES["data"] if key in table})


def _parse_labels(table: Mapping[str, Any]) -> Labels:
    columns, values = table.get("columns", {}), table.get("values", {})
    words = [*columns.values(), *(word for of in values.values() for word in of.values())]
    for word in words:
        require_text(word, "A label")
    return Labels(columns=columns, values=values)


def _unknown_keys(content: Mapping[str, Any], *, where: str) -> list[Problem]:
    def unknown(shown: str, key: str, allowed: Iterable[str]) -> Problem:
        return Problem(
            f"Nothing is known of {shown}.",
            did_you_mean(key, allowed) or f"There are {listed(allowed)}.",
            "Correct or remove it.",
            where,
        )

    return [
        *(unknown(f"[{table}]", table, TABLES) for table in content if table not in TABLES),
        *(
            unknown(f"{key!r} in [{table}]", key, allowed)
            for table, allowed in TABLES.items()
            for key in content.get(table, {})
            if key not in allowed
        ),
    ]


def _wrong_types(content: Mapping[str, Any], *, where: str) -> list[Problem]:
    given = [(one, content.get(one.table, {}).get(one.name)) for one in FIELDS]
    return [
        Problem(
            f"{one.name!r} in [{one.table}] is {value!r}, which cannot be.",
            remedy=f"Write {one.kind.shown}, of which the help says: {one.help}",
            where=where,
        )
        for one, value in given
        if value is not None
        and (one.table in _PLAIN or one.name in _SETTINGS)
        and type(value) not in one.kind.plain
    ]


def _toml_table(name: str, table: Mapping[str, Any]) -> str:
    """One TOML table; nested mappings become sub-tables after the plain values."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    nested = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lines = [f"[{name}]"] if plain or not nested else []
    lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in plain.items()]
    lines += [_toml_table(f"{name}.{toml_key(key)}", value) for key, value in nested.items()]
    return "\n".join(lines) + ("\n" if plain else "")


def toml_key(key: str) -> str:
    """A TOML key, quoted where needed."""
    simple = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if simple else toml_string(key)


def toml_value(value: Any) -> str:  # noqa: ANN401
    """A list, a whole number or a text as TOML."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else toml_string(str(value))

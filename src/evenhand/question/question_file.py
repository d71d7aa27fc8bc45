"""Question files: everything that defines a run, in TOML, so that it can be repeated.

``fields`` lists the keys of the tables [question], [knowledge], [learning], [graph], [data] and
[labels]. Edits of the graph are written as "a -> b: the reason" or ["a", "b", "the reason"],
bins and merges under the name of their column, labels of values in [labels.values.COLUMN].
"""

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from evenhand.display import Plain
from evenhand.errors import (
    EvenhandError,
    Problem,
    QuestionError,
    Remedy,
    Spelling,
    did_you_mean,
    listed,
    python_argument,
)
from evenhand.question.codings import Codings
from evenhand.question.display_labels import Labels
from evenhand.question.fields import TABLES, said_parts
from evenhand.question.knowledge import GraphEdit, Knowledge, Tiers
from evenhand.question.parse_values import refused
from evenhand.question.question import Question

# Which verdict decides: the exact one on these rows, or what they show of the population.
Judge: TypeAlias = Literal["answer", "rows"]

# The keys that are parts of the question itself.
ASKED = [name for name in TABLES["question"] if name in Question.__dataclass_fields__]
# Tables of values that nothing else reads before they are used: their types are checked here.
_PLAIN = ("learning", "run", "audit", "discover", "release")
# What these say goes to an audit as arguments.
_ARGUMENTS = {key: one.argument or key for key, one in TABLES["knowledge"].items()}
_SETTINGS = ("scope", "min_coverage", *TABLES["learning"])
_LARGEST_FILE = 1_000_000
# The parser takes time that grows with the square of the parts of a dotted key, and converts
# numbers of any length. Each pattern is found in one linear look.
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""
_EXCESS = {
    "a name of more than 40 parts": re.compile(rf"(?<![\w-])(?:{_PART}){{40}}"),
    "a number or bare name of more than 1,000 characters": re.compile(
        r"(?<![\w.+-])[\w.+-]{1001}"
    ),
}
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess(Plain):
    """A part of a question that nobody gave, filled in from a look at the table.

    ``argument`` is the key of the question file: favorable, criterion, group, other, exclude,
    bins, merge, na, missing, frequency or tiers. ``value`` is what the file would say; lists
    and mappings add to what was given. ``why`` is a clause for people, without a period. Of a
    guess that is not ``sure`` a person should be asked; ``instead`` is the value to give if it
    is wrong, where there is just one. A frequency, and an order of columns (``tiers``), are
    proposed and never taken.
    """

    argument: str
    value: Any
    why: str
    sure: bool = True
    instead: Any = None

    @property
    def is_taken(self) -> bool:
        """Whether the value holds until somebody says otherwise."""
        return self.argument not in ("tiers", "frequency")

    @property
    def texts(self) -> list[str]:
        """The value as it would be typed."""
        return TABLES[self.table][self.argument].texts(self.value)

    @property
    def table(self) -> str:
        """The table of a question file that has the key."""
        return next(str(name) for name, keys in TABLES.items() if self.argument in keys)

    def asked(self, question: Question) -> Problem:
        """What to ask about it, why it was taken, and what to pass if it is wrong."""
        what, words, argument, value = _GUESSED[self.argument]
        names = [*self.value] if self.argument == "bins" else self.texts
        shown = ", ".join(name or "''" for name in names)  # a column may have no name
        if self.argument == "bins" and len(names) > _MOST_CLASSED:
            shown = f"{', '.join(names[:_MOST_CLASSED])} and {len(names) - _MOST_CLASSED} more"
        what = what.format(
            shown=shown, decision=question.decision, protected=question.groups_column
        )
        if self.argument == "bins":
            value = {name: self.value[name] for name in names[:_MOST_CLASSED]}
        elif not self.is_taken:
            value = self.value
        elif self.instead is not None:
            value = self.instead
        check = "" if self.sure else " please check,"
        return Problem(what, f"Guessed:{check} {self.why}.", Remedy(words, argument, value))


_MOST_CLASSED = 3  # columns of which the cut points are told in a question
# By the key: what is asked about a guess, and if it is wrong what to do, with which argument.
_GUESSED: dict[str, tuple[str, str, str, Any]] = {
    "favorable": (
        "Is {decision} = {shown} good for the person?",
        "If not, correct it",
        "favorable",
        ...,
    ),
    "criterion": ("Which values of {decision} are good?", "Name them", "favorable", ...),
    "group": (
        "Is {protected} = {shown} the group that is asked about?",
        "If not, correct it",
        "group",
        ...,
    ),
    "other": ("Is it compared with {protected} = {shown}?", "If not, correct it", "other", ...),
    "exclude": (
        "Is it right to leave out {shown}?",
        "If not, name what to use",
        "columns",
        ...,
    ),
    "bins": ("Are the classes of {shown} right?", "If not, give cut points", "bins", ...),
    "merge": ("Are these spellings of one value: {shown}?", "If not, correct it", "merge", ...),
    "na": (
        "Does {shown} mean that a value is missing?",
        "If not, correct it",
        "missing",
        "level",
    ),
    "missing": (
        "Is this right for missing values: {shown}?",
        "If not, correct it",
        "missing",
        ...,
    ),
    "frequency": (
        "Does {shown} count people? Each line was counted as one.",
        "If so, declare it",
        "frequency",
        ...,
    ),
    "tiers": (
        "Is this the order of the columns: {shown}? No order was assumed.",
        "If so, declare it",
        "tiers",
        ...,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFile:
    """A question with what is known, how columns are read, and words for people.

    ``judge`` says which verdict of an audit decides; releases are always judged by their rows.
    ``graphs_judged`` says how many graphs were tried on the way to these ``edits``: an audit
    states it in its certificate. ``settings`` are further arguments of an audit: the scope,
    the least coverage, and how a graph is learned. ``guesses`` say which parts nobody gave;
    they are not written into a file, whose reader has seen them.
    """

    question: Question
    judge: Judge = "answer"
    knowledge: Knowledge = field(default_factory=Knowledge)
    codings: Codings = field(default_factory=Codings)
    labels: Labels = field(default_factory=Labels)
    edits: tuple[GraphEdit, ...] = ()
    graphs_judged: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    guesses: tuple[Guess, ...] = ()

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
            judge=asked.judge if judge is None else TABLES["question"]["judge"].read(judge),
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
        """Read the tables of a question file; what they hold is not checked."""
        path = Path(path)
        try:
            if path.stat().st_size > _LARGEST_FILE:
                raise _too_large(str(path))
            tables = cls.parse_tables(path.read_text("utf-8"), where=str(path))
        except (OSError, UnicodeDecodeError) as error:
            raise QuestionError.of(
                "There is no such question file."
                if isinstance(error, FileNotFoundError)
                else f"The question file cannot be read: {error}.",
                remedy="Name another file, or write one with a table [question].",
                where=str(path),
            ) from error
        if problems := [*_no_tables(tables)]:
            raise QuestionError(*(replace(problem, where=str(path)) for problem in problems))
        return tables

    @classmethod
    def parse(cls, text: str, *, where: str = "question file") -> "QuestionFile":
        """Parse the text of a question file; all problems are raised together."""
        return cls.from_tables(cls.parse_tables(text, where=where), where=where)

    @staticmethod
    def parse_tables(text: str, *, where: str = "question file") -> dict[str, Any]:
        """The tables of a question file as plain values; only whether it is TOML is checked."""
        if len(text) > _LARGEST_FILE:
            raise _too_large(where)
        for what, pattern in _EXCESS.items():
            if beyond := pattern.search(text):
                line = text.count("\n", 0, beyond.start()) + 1
                raise _not_toml(
                    f"A question file does not need {what}", f"{where}, line {line:,}"
                )
        try:
            return tomllib.loads(text)
        except RecursionError as error:
            raise _not_toml("A question file does not need so many brackets", where) from error
        except ValueError as error:  # not TOML, or a date that no calendar has
            raise _not_toml(f"This is not TOML: {error}", where) from error

    @classmethod
    def from_tables(
        cls, content: Mapping[str, Any], *, where: str = "question file"
    ) -> "QuestionFile":
        """A question file from its tables as plain values; see ``parse``."""
        problems = [*_wrong_tables(content)]
        tables = {
            name: {key: v for key, v in content[name].items() if key in known}
            if isinstance(content.get(name), dict)
            else {}
            for name, known in TABLES.items()
        }

        def attempt(read: Callable[[Mapping[str, Any]], _T], name: str) -> _T | None:
            """Read one table; add its problems to the list instead of raising them."""
            try:
                return read(tables[name])
            except EvenhandError as error:
                problems.extend(error.problems)
            except (TypeError, AttributeError) as error:
                what = f"A value has the wrong type: {error}."
                remedy = "Write a text in quotes, a list in brackets, a table under its name."
                problems.append(Problem(what, remedy=remedy))
            return None

        def read_knowledge(table: Mapping[str, Any]) -> Knowledge:
            return Knowledge(**{_ARGUMENTS[key]: value for key, value in table.items()})

        codings = attempt(lambda table: Codings(**table), "data")
        question = attempt(_question, "question")
        knowledge = attempt(read_knowledge, "knowledge")
        labels = attempt(lambda table: Labels(**table), "labels")
        edits = attempt(GraphEdit.parse_table, "graph")
        graphs_judged = attempt(_graphs_judged, "graph")
        if problems or not (question and knowledge and codings and labels):
            raise QuestionError(*(replace(problem, where=where) for problem in problems))
        said = tables["question"] | tables["learning"]
        return cls(
            question=question,
            judge=said.get("judge", "answer"),
            knowledge=knowledge,
            codings=codings,
            labels=labels,
            edits=edits or (),
            graphs_judged=graphs_judged or 0,
            settings={name: said[name] for name in _SETTINGS if name in said},
        )

    @property
    def guessed(self) -> dict[str, list[str]]:
        """The keys that were guessed, with their values as they would be typed.

        Under "unsure" are those for which nothing speaks.
        """
        taken = [one for one in self.guesses if one.is_taken]
        unsure = [one.argument for one in taken if not one.sure]
        return {one.argument: one.texts for one in taken} | (
            {"unsure": unsure} if unsure else {}
        )

    def told_guesses(self, spelling: Spelling = python_argument) -> list[dict[str, Any]]:
        """Each guess as plain values, with what to ask about it."""
        asked = (one.asked(self.question).to_dict(spelling) for one in self.guesses)
        return [g.to_dict() | of for g, of in zip(self.guesses, asked, strict=True)]

    @property
    def graph_table(self) -> dict[str, Any]:
        """The table [graph]: a list for each kind of edit, and the graphs judged, if any."""
        table: dict[str, Any] = {}
        for edit in self.edits:
            table.setdefault(edit.kind, []).append(edit.notation)
        return table | ({"judged": self.graphs_judged} if self.graphs_judged else {})

    def __str__(self) -> str:
        learning = {n: v for n, v in self.settings.items() if n in TABLES["learning"]}
        judge = {} if self.judge == "answer" else {"judge": self.judge}
        judge |= {n: v for n, v in self.settings.items() if n not in learning}
        tables = {
            "question": self.question.to_dict() | judge,
            "knowledge": {name: v for name, v in self.knowledge.to_dict().items() if v},
            "learning": learning,
            "graph": self.graph_table,
            "data": self.codings.to_dict(),
            "labels": said_parts(self.labels, "labels"),
        }
        return "\n".join(_toml_table(name, table) for name, table in tables.items() if table)


def _too_large(where: str) -> QuestionError:
    return QuestionError.of(
        f"This is too large for a question file: more than {_LARGEST_FILE:,} bytes.",
        remedy="Write what is asked of the columns that matter.",
        where=where,
    )


def _not_toml(what: str, where: str) -> QuestionError:
    return QuestionError.of(f"{what}.", remedy="Mend that line.", where=where)


def needed_parts(said: Mapping[str, Any]) -> list[str]:
    """The parts that a question lacks and cannot lack."""
    many = said.get("criterion", "favorable") != "favorable"
    return [k for k in ("protected", "decision", *["favorable"][many:]) if k not in said]


def lacking(parts: Iterable[str]) -> QuestionError:
    """The error for parts of a question that nobody gave."""
    return QuestionError(
        *(
            Problem(
                f"The question lacks {part!r}.",
                TABLES["question"][part].help,
                Remedy("Name it", part),
                is_open=True,
            )
            for part in parts
        )
    )


def _question(table: Mapping[str, Any]) -> Question:
    said = {key: value for key, value in table.items() if key in ASKED and value != ""}
    if absent := needed_parts(said):
        raise lacking(absent)
    return Question(**said)


def _graphs_judged(table: Mapping[str, Any]) -> int:
    """How many graphs were judged: a number, or a text for each, as the app writes."""
    judged = table.get("judged", 0)
    if isinstance(judged, list) and all(isinstance(one, str) for one in judged):
        return len({*judged})
    if type(judged) is not int or not 0 <= judged < 2**63:
        raise refused("`judged`", judged, "no whole number from 0 on", "Count the graphs")
    return judged


def _no_tables(content: Mapping[str, Any]) -> Iterator[Problem]:
    for name, table in content.items():
        if not isinstance(table, dict):
            yield Problem(f"{name!r} is not a table.", remedy=f"Write [{name}].")


def _wrong_tables(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Tables and keys that there are not, and values that nothing else reads before use."""
    yield from _no_tables(content)
    for name, table in content.items():
        known = TABLES.get(name, {})
        if not isinstance(table, dict):
            continue
        if not known:
            yield _unknown(f"[{name}]", name, TABLES)
        else:
            for key in [key for key in table if key not in known]:
                yield _unknown(f"{key!r} in [{name}]", key, known)
            for key in [key for key in known if key in table]:
                if name in _PLAIN or key in ("judge", *_SETTINGS):
                    try:
                        known[key].read(table[key])
                    except QuestionError as error:
                        yield from error.problems


def _unknown(what: str, name: str, known: Collection[str]) -> Problem:
    near = did_you_mean(name, known) or f"There are {listed(known)}."
    return Problem(f"Nothing is known of {what}.", near, "Correct or remove it.")


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
    return key if simple else toml_value(key)


def toml_value(value: Any) -> str:  # noqa: ANN401
    """A text, a number or a list of them as TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False, default=str).replace("\x7f", "\\u007f")

"""One neutral shape in which every result describes itself: title, facts, a table, notes.

Results return a ``Summary``; this module turns it into plain text or an HTML fragment. So no
result knows about terminals or pages, and all of them look alike.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from html import escape
from math import ceil, floor, inf
from operator import attrgetter
from textwrap import fill
from time import perf_counter
from typing import Any, ClassVar, TypeAlias
from unicodedata import category, east_asian_width

# Categories of characters that act on a terminal or cannot be seen there.
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Further characters that Unicode lets a program show as nothing (Default_Ignorable_Code_Point).
_IGNORABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
# A notebook keeps every output: long tables are cut there.
_MOST_LINES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A result in words: what it is, its main facts, and at most one table.

    A ``sentence`` continues the title: after a colon in text, as a paragraph in HTML; what is
    ``besides`` are sentences that follow. The table leaves out so many ``more`` lines. A
    sentence or note is a text, or prints as one, such as a problem with its remedies. A
    ``hint`` says what to call next, in a notebook only.
    """

    title: str
    sentence: str = ""
    besides: tuple[object, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    more: int = 0
    notes: tuple[object, ...] = ()
    hint: str = ""

    @property
    def opening(self) -> str:
        """Title and sentence in one line."""
        return f"{self.title}: {self.sentence}" if self.sentence else self.title

    def __str__(self) -> str:
        return "\n".join(self.parts())

    def parts(self, width: float = inf) -> list[str]:
        """The opening, and what follows; for a terminal too narrow for it each is wrapped.

        A table that is too wide becomes a list.
        """
        names = max((_width(name) for name, _ in self.facts), default=0)
        table = [f"  {line}" for line in _align(self.columns, self.lines)]
        more = [f"and {self.more:,} more"] if self.more else []
        end, besides = [*more, *map(str, self.notes)], [*map(str, self.besides)]
        plain = [
            visible(self.opening),
            *(f"  {visible(one)}" for one in besides),
            *(f"  {_pad(visible(name), names)}  {visible(fact)}" for name, fact in self.facts),
            *table,
            *(f"  {visible(one)}" for one in end),
        ]
        if max(map(_width, plain)) <= width:
            return plain
        if max(map(_width, table), default=0) > width:
            rows = (zip(self.columns, row, strict=True) for row in self.lines)
            listed = ("; ".join(f"{name} {cell}" for name, cell in row) for row in rows)
            table = [_wrap(f"{n}. {text}", int(width)) for n, text in enumerate(listed, 1)]
        return [
            _wrap(self.opening, int(width), indent=0),
            *(_wrap(one, int(width)) for one in besides),
            *(_wrap(f"{name}: {fact}", int(width)) for name, fact in self.facts),
            *table,
            *(_wrap(one, int(width)) for one in end),
        ]

    def markdown(self) -> str:
        """A heading, the table and the notes as Markdown, in which no text acts."""

        def row(cells: Sequence[str]) -> str:
            return f"| {' | '.join(map(_markdown, cells))} |"

        lines = [f"## {_markdown(self.opening)}", ""]
        if self.columns:
            lines += [row(self.columns), "|" + " --- |" * len(self.columns)]
            lines += [*map(row, self.lines), ""]
        lines += [f"- {_markdown(str(note))}" for note in self.notes]
        return "\n".join(lines).rstrip()

    def __html__(self) -> str:
        """As a part of a page, where the hint has no place."""
        return replace(self, hint="").html()

    def _repr_html_(self) -> str:
        return self.html()

    def html(self, figures: str = "") -> str:
        """An HTML fragment; with figures, which are HTML, facts and table are folded."""
        facts = "".join(
            f"<div><dt>{_html(name)}</dt><dd>{_html(fact)}</dd></div>"
            for name, fact in self.facts
        )
        head = "".join(f'<th scope="col">{_html(column)}</th>' for column in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>"
            for row in self.lines[:_MOST_LINES]
        )
        details = f"<dl>{facts}</dl>" if facts else ""
        if body:
            details += (
                f'<table class="data keep"><thead><tr>{head}</tr></thead>'
                f"<tbody>{body}</tbody></table>"
            )
        if more := self.more + max(0, len(self.lines) - _MOST_LINES):
            details += f"<p>and {more:,} more</p>"
        if figures and details:
            details = f"<details><summary>In numbers</summary>{details}</details>"
        notes = (*map(str, self.notes), *filter(None, [self.hint]))
        return (
            f'<div class="result"><h3>{_html(self.title[:1].upper() + self.title[1:])}</h3>'
            + (f"<p><strong>{_html(self.sentence)}</strong></p>" if self.sentence else "")
            + "".join(f"<p>{_html(str(one))}</p>" for one in self.besides)
            + figures
            + details
            + "".join(f'<p class="note">{_html(note)}</p>' for note in notes)
            + "</div>"
        )


def _markdown(text: str) -> str:
    return "".join(f"\\{mark}" if mark in r"\`*_[]<>|#" else mark for mark in visible(text))


def plain(value: Any) -> Any:  # noqa: ANN401  # whatever a result holds, as JSON has it
    """The values of JSON: results by their ``to_dict``, sets sorted, fractions as text.

    >>> plain({"share": Fraction(1, 2), "names": ("a", "b")})
    {'share': '1/2', 'names': ['a', 'b']}
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, Sequence | Iterator | AbstractSet):
        return [*map(plain, sorted(value) if isinstance(value, AbstractSet) else value)]
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    return str(value)


class Plain:
    """Mixin of results whose plain values are their fields, or what ``keys`` says.

    A key is the name of an attribute, or ``key=attribute``, perhaps of an attribute; one that
    ends in ``?`` is left out where the value is None or empty.
    """

    __slots__ = ()
    keys: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        keys = self.keys or " ".join(one.name for one in fields(self))  # type: ignore[arg-type]
        content = {}
        for key in keys.split():
            name, _, attribute = key.rstrip("?").partition("=")
            value = attrgetter(attribute or name)(self)
            if not key.endswith("?") or (value is not None and value not in ((), "")):
                content[name] = plain(value)
        return content


class Described:
    """Mixin of results: text and notebook views from the result's own ``summary()``.

    ``repr`` is one line with the summary's title, unless the class has its own: a dataclass
    that wants it says ``repr=False``.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {visible(self.summary().opening)}>"

    def summary(self) -> Summary:
        """Describe the result in words."""
        raise AttributeError(f"{type(self).__name__} has no summary")

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


class Pictured(Described):
    """Mixin of results that a notebook shows with pictures."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # The report draws results, so it stands above them; it is loaded when a notebook asks.
        from evenhand.report.notebook import figures  # noqa: PLC0415

        return self.summary().html(figures(self))


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a long step is done, of how much where that is known, after how many seconds.

    ``depth`` is the size of the sets given, where the step is tests of independence; ``work``
    is then the seconds that these and further tests take at most on an ordinary machine, by
    their number. Parts of a step that is not ``is_even`` take unequal times, and tell nothing
    about those to come. ``whole`` is the share done of everything that is asked for, and
    ``whole_left`` about how many seconds are left of it; None where nobody adds it up.

    >>> Progress("counting rows", done=3_000_000, total=12_000_000, seconds=2.0).seconds_left
    6.0
    """

    step: str
    done: int
    total: int | None
    seconds: float
    depth: int | None = None
    is_even: bool = True
    work: float | None = None
    whole: float | None = None
    whole_left: float | None = None

    @property
    def rate(self) -> float:
        """How much is done in a second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the rest of the step will take at this rate; None if that is not known."""
        if self.total is None or not self.rate or not self.is_even:
            return None
        return max(self.total - self.done, 0) / self.rate


ProgressCallback: TypeAlias = Callable[[Progress], object]

# What all steps are called together that test independences with a depth.
LEARNING = "learning the graph"
COUNTING, READING, LOOKING = "counting rows", "reading rows", "looking at columns"
DONE = "done"
_SETTLED = 0.5  # seconds of a step, from where on its rate tells how long the rest takes


class ProgressReporter:
    """Calls the callback, if there is one, and keeps the time of the present step."""

    def __init__(self, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._step, self._done = "", 0
        self._start = self._last = perf_counter()

    def report(
        self,
        step: str,
        done: int,
        total: int | None = None,
        *,
        depth: int | None = None,
        is_even: bool = True,
        work: float | None = None,
    ) -> None:
        """Report that so much of a step is done."""
        if self._callback:
            now = perf_counter()
            # A step begins when the one before ends; the first when the reporter is made.
            if self._step not in ("", step):
                self._start = self._last
            self._step, self._done, self._last = step, done, now
            passed = now - self._start
            self._callback(Progress(step, done, total, passed, depth, is_even, work))

    def advance(self, step: str, more: int, total: int | None = None) -> None:
        """Report that so much more of a step is done."""
        self.report(step, more + (self._done if step == self._step else 0), total)


class WholeProgress:
    """One share for all steps of a piece of work: it grows from 0 to 1 and never goes back.

    It is a callback itself, and calls another with each step's progress and the share. What
    each step will take is ``expected``, in seconds on an ordinary machine, and corrected by
    its own reports. At each report the share moves on by the time that has passed, as a part
    of that time and all that is left: work that turns out to be less makes it faster, more
    makes it slower, and nothing makes it jump.

    >>> shares = []
    >>> whole = WholeProgress(lambda progress: shares.append(progress.whole), {"counting": 1.0})
    >>> whole(Progress("counting", done=2, total=2, seconds=0.5))
    >>> shares
    [1.0]
    """

    def __init__(self, callback: ProgressCallback, expected: Mapping[str, float]) -> None:
        self._callback = callback
        self._to_come = {**expected}
        self._step, self._expected = "", 0.0
        self._share, self._last = 0.0, inf  # until the first report nothing was done
        self._check: Callable[[], object] = lambda: None

    @contextmanager
    def checking(self, check: Callable[[], object]) -> Iterator[None]:
        """Call this before each report meanwhile; it may raise to end the work."""
        self._check, before = check, self._check
        try:
            yield
        finally:
            self._check = before

    def expect(self, expected: Mapping[str, float]) -> None:
        """Correct what steps to come will take; one that takes 0 is not going to be."""
        self._to_come = {name: expected.get(name, of) for name, of in self._to_come.items()}

    def __call__(self, progress: Progress) -> None:
        """Pass on a report, with the share of everything and the seconds left."""
        self._check()
        step = progress.step if progress.depth is None else LEARNING
        if step != self._step:
            self._step, self._expected = step, self._to_come.pop(step, 0.0)
        left = self._left(progress) + sum(self._to_come.values())
        now = perf_counter()
        passed, self._last = max(now - self._last, 0.0), now
        self._share += (1 - self._share) * (passed / (passed + left) if left else 1.0)
        self._callback(replace(progress, whole=self._share, whole_left=left))

    def finish(self) -> None:
        """Report that everything is done, whatever was expected."""
        self._to_come.clear()
        self(Progress(DONE, done=1, total=1, seconds=0.0))

    def _left(self, progress: Progress) -> float:
        """What the present step still takes: by its work, its rate, or what was expected."""
        if progress.work is not None:
            return progress.work
        done, total, seconds = progress.done, progress.total, progress.seconds
        if total is not None and done >= total:
            return 0.0
        by_rate = progress.seconds_left
        if by_rate is not None and seconds > _SETTLED:
            return by_rate
        # A step that takes longer than it should is expected to take half as long again.
        share = 1 - done / total if total else 1.0
        return max(self._expected * share - seconds * (not total), seconds / 2, 1e-3)


def visible(text: str) -> str:
    r"""Escape control, zero-width and direction characters, so that data cannot act.

    The escapes are those of Python and, but for the longer ones, of JSON.

    >>> print(visible("a\u202eb\n\U000e0041"))
    a\u202eb\u000a\U000e0041
    """
    if text.isprintable() and not _IGNORABLE.search(text):
        return text
    return "".join(_escape(mark) if _is_hidden(mark) else mark for mark in text)


def _is_hidden(mark: str) -> bool:
    return category(mark) in _HIDDEN or bool(_IGNORABLE.match(mark))


def _escape(mark: str) -> str:
    return f"\\u{ord(mark):04x}" if ord(mark) <= 0xFFFF else f"\\U{ord(mark):08x}"


def duration(seconds: float) -> str:
    """About how long something takes, in the largest unit that gives a whole number.

    >>> duration(0.4), duration(41), duration(400), duration(90_000), duration(900_000)
    ('under 1 second', 'about 41 seconds', 'about 7 minutes', 'about 25 hours', 'about 10 days')
    """
    if seconds < 1:
        return "under 1 second"
    units = ((172_800, 86_400, "days"), (7_200, 3_600, "hours"), (120, 60, "minutes"))
    for least, unit, name in units:
        if seconds >= least:
            return f"about {seconds / unit:.0f} {name}"
    return f"about {seconds:.0f} second{'s' if round(seconds) != 1 else ''}"


def percent(share: float, *, digits: int = 1) -> str:
    """A share as a percentage; only 1 prints as 100 %, only 0 as 0 %.

    >>> percent(0.99999), percent(1.0)
    ('>99.9 %', '100.0 %')
    """
    text = f"{100 * share:.{digits}f}"
    if share < 1 and float(text) >= 100:
        return f">{100 - 10**-digits:.{digits}f} %"
    if share > 0 and float(text) == 0:
        return f"<{10**-digits:.{digits}f} %"
    return f"{text} %"


def points(difference: Fraction | float | None, *, threshold: Fraction, digits: int = 1) -> str:
    """A difference in percentage points that never rounds across the threshold.

    >>> differences = (Fraction("0.0498"), Fraction("-0.049998"), 0.062)
    >>> [points(difference, threshold=Fraction(1, 20)) for difference in differences]
    ['4.98', '−4.99', '6.2']
    """
    if difference is None:
        return "unmeasured"
    exact, limit = 100 * abs(Fraction(difference)), 100 * threshold
    shown = round(exact, digits)
    if (shown < limit) != (exact < limit):
        away, digits = floor if exact < limit else ceil, digits + 1
        shown = Fraction(away(10**digits * exact), 10**digits)
    return ("−" if difference < 0 and shown else "") + f"{float(shown):.{digits}f}"


def _wrap(text: str, width: int, *, indent: int = 2) -> str:
    first, rest = " " * indent, " " * (indent + 2)
    return fill(visible(text), width, initial_indent=first, subsequent_indent=rest)


def _align(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> list[str]:
    lines = [tuple(map(visible, line)) for line in (columns, *rows) if line]
    if not lines:
        return []
    widths = [max(map(_width, cells)) for cells in zip(*lines, strict=True)]
    numeric = [all(_is_number(row[i]) for row in rows) for i in range(len(widths))]
    return [
        "  ".join(
            _pad(cell, width, right=right)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    ]


def _is_number(text: str) -> bool:
    return bool(text) and all(mark in "0123456789.,+-−% " for mark in text)


def _pad(text: str, width: int, *, right: bool = False) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space


def _width(text: str) -> int:
    return sum(2 if east_asian_width(mark) in "WF" else 1 for mark in visible(text))


def _html(text: str) -> str:
    return escape(visible(text), quote=True)

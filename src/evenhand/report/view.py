"""What the page shows: the contract between those who collect and the templates that draw.

``Page`` is the templates' whole context. Text comes as it will be read, numbers of pictures as
percentages of a width or as pixels; the templates decide nothing and compute nothing. A ``Text``
is a sentence in pieces, so that emphasis needs no markup and data cannot bring any.
"""

from dataclasses import dataclass
from typing import TypeAlias


class Strong(str):
    """A piece of a sentence that carries its weight."""

    __slots__ = ()


class Code(str):
    """A piece of a sentence that is meant to be typed."""

    __slots__ = ()


Text: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two verdicts: its mark, its word, one sentence."""

    about: str
    mark: str
    word: str
    sentence: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A large number and what it counts."""

    number: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The exact verdict and the statistical one, side by side, and what both rest on."""

    exact: Side
    statistical: Side
    rests_on: Text
    reasons: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rate as a bar: its people, its length, its numbers."""

    who: str
    kind: str
    width: float
    rate: str
    counts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One group in words and two bars."""

    sentence: Text
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """An attribute in the graph: where it stands, its name in lines, its part in the question."""

    name: str
    lines: tuple[tuple[float, str], ...]
    role: str
    caption: str
    caption_y: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A link of the graph as a path with its head; without a head its direction is open."""

    kind: str
    path: str
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The name of a column of the graph, with the line under it."""

    text: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The graph for one width of page."""

    left: float
    top: float
    width: float
    height: float
    headings: tuple[Heading, ...]
    arrows: tuple[Arrow, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFigure:
    """The graph, drawn for wide and for narrow pages, with its key and its words."""

    subtitle: str
    told: str
    wide: Drawing
    narrow: Drawing
    key: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """A number on an axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Differences from left to right: ticks, the zero line, and the band under the threshold."""

    ticks: tuple[Tick, ...]
    zero: float
    band: tuple[float, float]
    left: str
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A difference with its interval: ``kind`` is who is behind, ``shown`` more than chance."""

    at: float
    low: float
    high: float
    text: str
    text_at: float
    text_left: bool
    kind: str
    shown: bool
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The rates of both groups on one line."""

    group: float
    other: float
    group_text: str
    other_text: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One group in a dot plot."""

    id: str
    name: str
    detail: str
    flags: tuple[bool, ...]
    rates: Rates | None
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class DotPlot:
    """Groups under each other, one difference each. ``flags`` head a matrix of who they are."""

    title: str
    subtitle: str
    name: str
    detail: str
    flags: tuple[str, ...]
    rates: str
    group: str
    other: str
    shown: str
    axis: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A kind of group in the bar of all people."""

    kind: str
    label: str
    groups: str
    people: str
    share: str
    at: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A group in the funnel."""

    at: float
    y: float
    kind: str
    shown: bool
    id: str
    id_left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A number of people in the funnel."""

    y: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """All groups by difference and size."""

    title: str
    subtitle: str
    axis: Axis
    levels: tuple[Level, ...]
    dots: tuple[Dot, ...]
    height: float
    shown: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Section 2: few groups in one plot, many in three."""

    lead: Text
    all_people: str
    parts: tuple[Part, ...]
    funnel: Funnel | None
    plot: DotPlot | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A piece of evidence in words and numbers."""

    id: str
    sentence: Text
    rows: str
    group: str
    other: str
    difference: str
    direction: str
    interval: str
    p: str
    adjusted: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Section 3: the strongest in words, the others in numbers."""

    lead: Text
    told: tuple[Finding, ...]
    others: tuple[Finding, ...]
    others_title: str
    group: str
    other: str
    shown: str
    not_shown: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """Section 4: what chance could have done, and what must be said beside it."""

    told: tuple[Text, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A way of comparing people: whether it means anything, and what it shows."""

    alike: str
    origin: str
    meaningful: bool
    reasons: tuple[str, ...]
    reached: str
    span: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """Section 5."""

    lead: Text
    rows: tuple[Comparison, ...]
    reached: str
    after: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The verdict before or after a release."""

    when: str
    mark: str
    word: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A group before and after: two dots and what was changed."""

    id: str
    name: str
    detail: str
    before: float
    after: float
    kind: str
    told: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedPlot:
    """Few groups before and after."""

    title: str
    subtitle: str
    name: str
    detail: str
    axis: Axis
    lines: tuple[Moved, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A bar of a histogram, from the bottom up."""

    at: float
    width: float
    y: float
    height: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Many groups before or after."""

    label: str
    columns: tuple[Column, ...]
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Histograms:
    """Many groups before and after, on one axis."""

    title: str
    subtitle: str
    axis: Axis
    height: float
    both: tuple[Histogram, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeAfter:
    """One measure, as recorded and as released."""

    measure: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """Section 6."""

    states: tuple[State, ...]
    moved: MovedPlot | None
    histograms: Histograms | None
    measures: tuple[BeforeAfter, ...]
    told: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """How strong an unrecorded cause would have to be, beside the strongest recorded one."""

    id: str
    points: str
    cause: str
    could: str
    times: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """Something the verdict rests on: its status, what it is, how it could be disputed."""

    status: str
    what: str
    why: tuple[Text, ...]
    needed: tuple[Needed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """A group in which nobody can be compared."""

    alike: str
    group: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Section 8."""

    lead: tuple[Text, ...]
    group: str
    other: str
    largest: tuple[Absent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """Section 9: one sum by hand, commands, and what identifies the data."""

    sums: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    data: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the templates need, and nothing that they do not use."""

    title: str
    masthead: tuple[str, ...]
    question: str
    lead: Text
    verdicts: Verdicts
    example: Example | None
    causes: tuple[Text, ...]
    graph: GraphFigure
    differences: Differences
    evidence: Evidence
    chance: Chance
    comparisons: Comparisons
    released: Released | None
    premises: tuple[Premise, ...]
    unmeasured: Unmeasured
    checking: Checking
    small_print: tuple[tuple[str, Text], ...]

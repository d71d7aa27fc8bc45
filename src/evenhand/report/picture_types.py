"""What pictures are made of: the numbers and texts that the templates draw.

Across, numbers are percentages of the width, so that one picture serves a phone, a screen and
paper; only the graph has coordinates of its own. Down, they are pixels. A ``description`` is
what a screen reader says instead of the picture.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A rate as a bar: its people, its length, its numbers."""

    who: str
    kind: str
    width: float
    rate: str
    counts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """An attribute in the graph: where it stands, its name in lines, its role.

    ``asked`` marks those through which effects are asked about; ``key`` is the column's name,
    and ``layer`` the column or row of the picture.
    """

    name: str
    key: str
    layer: int
    lines: tuple[tuple[float, str], ...]
    role: str
    asked: bool
    caption: str
    caption_y: float
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A link of the graph as a path with its head; without a head its direction is open."""

    ends: tuple[str, str]
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
class GraphDrawing:
    """The graph for one width of page."""

    left: float
    top: float
    width: float
    height: float
    headings: tuple[Heading, ...]
    arrows: tuple[Arrow, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Differences from left to right: numbers, the zero line, the band under the threshold."""

    ticks: tuple[tuple[float, str], ...]
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
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The rates of both groups on one line."""

    group: float
    other: float
    group_text: str
    other_text: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One group in a dot plot; ``pair`` says who is compared in it, where that varies."""

    id: str
    name: str
    detail: str
    flags: tuple[bool, ...] = ()
    pair: str = ""
    rates: Rates | None = None
    mark: Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class DotPlot:
    """Groups under each other, one difference each. ``flags`` head a matrix of who they are."""

    title: str
    subtitle: str
    name: str
    detail: str
    flags: tuple[str, ...]
    rates: str = ""
    group: str
    other: str
    filled: str
    hollow: str
    axis: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
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
class Funnel:
    """All groups by difference and size; ``levels`` are heights with numbers of people."""

    title: str
    subtitle: str
    axis: Axis
    levels: tuple[tuple[float, str], ...]
    dots: tuple[Dot, ...]
    height: float
    filled: str
    hollow: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLine:
    """One way to compare: the share of groups at or beyond the threshold, seen and by chance.

    ``band`` is the range that chance makes, ``limit`` what would be expected if every true
    difference were just under the threshold.
    """

    alike: str
    seen: float
    band: tuple[float, float]
    limit: float | None
    seen_text: str
    chance_text: str
    limit_text: str
    p: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenAndByChance:
    """How many groups reach the threshold, seen and by chance, for each way to compare."""

    title: str
    subtitle: str
    lines: tuple[SeenLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A group before and after: two dots and what was changed."""

    id: str
    name: str
    detail: str
    before: float
    after: float
    description: str
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftPlot:
    """Few groups before and after. ``changes`` heads what was changed, if that may be shown."""

    title: str
    before: str
    subtitle: str
    name: str
    detail: str
    changes: str
    axis: Axis
    lines: tuple[Shift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramBar:
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
    bars: tuple[HistogramBar, ...]
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Histograms:
    """Many groups before and after, on one axis."""

    title: str
    subtitle: str
    axis: Axis
    height: float
    both: tuple[Histogram, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCell:
    """Two groups in a matrix: by how many points the one at the left is ahead on average.

    ``kind`` says how sure that is; a cell without a pair is "self" or the "mirror" of another.
    ``head`` is the group on top.
    """

    kind: str
    head: str = ""
    points: str = ""
    interval: str = ""
    reached: str = ""
    shown: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMatrix:
    """Groups against groups by one rate, those ahead first.

    ``than`` is "ahead of" or "more often than"; ``corner`` says it with arrows.
    """

    title: str
    than: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PairCell, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A line of a waterfall: a rate, which is a mark, or an effect, which is a bar.

    A bar goes from ``start`` to ``at``, filled as far as is certain (``solid``), hatched where
    it may end (``hatch``); both are a place and a width. ``whisker`` is a 95 % interval;
    ``band`` what is under the threshold. ``gap`` is a line between two rates. Lines are linked
    to the one they come from, above, and to the one they lead to.
    """

    kind: str
    name: str
    detail: str
    number: str
    range: str
    at: float
    start: float | None
    solid: tuple[float, float] | None
    hatch: tuple[float, float] | None
    whisker: tuple[float, float] | None
    band: tuple[float, float] | None
    gap: tuple[float, float] | None
    comes_from: bool
    leads_on: bool
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """From one rate to another in steps; ``height`` is that of a line.

    ``key`` says which of the signs occur, and what they mean.
    """

    title: str
    subtitle: str
    ticks: tuple[tuple[float, str], ...]
    height: int
    steps: tuple[Step, ...]
    key: tuple[tuple[str, str], ...]

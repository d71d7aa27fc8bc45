"""What the page shows: the contract between the sections and the templates.

``Page`` is the templates' whole context; the templates decide nothing and compute nothing. A
``Text`` is a sentence in pieces, so that emphasis needs no markup and data cannot bring any.
"""

from dataclasses import dataclass
from typing import TypeAlias

from evenhand.report import picture_types as pictures


class Strong(str):
    """A piece of a sentence to be emphasized."""

    __slots__ = ()


class Code(str):
    """A piece of a sentence in a typewriter face: a digest, a command."""

    __slots__ = ()


Text: TypeAlias = tuple[str, ...]


def text(*pieces: str) -> Text:
    """A sentence made of pieces."""
    return pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCard:
    """A verdict: what it is about, its mark, its word, one sentence."""

    about: str
    mark: str
    word: str
    sentence: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The exact verdict and the statistical one, side by side, and what both rest on.

    ``figures`` are large numbers, each with what it counts.
    """

    exact: VerdictCard
    statistical: VerdictCard
    rests_on: Text
    reasons: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One group, or all on average, in words and two bars."""

    heading: str
    sentence: Text
    bars: tuple[pictures.Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoAgainstWhom:
    """All pairs of groups: matrices or one plot, and in ``rows`` the same in numbers.

    ``size`` says how much room a matrix needs; ``key`` gives kinds of cells and their meaning.
    """

    heading: str
    lead: Text
    matrices: tuple[pictures.PairMatrix, ...]
    size: str
    key: tuple[tuple[str, str], ...]
    plot: pictures.DotPlot | None
    rows_title: str
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFigure:
    """The graph, drawn for wide pages and perhaps for narrow ones, with its key and words."""

    subtitle: str
    description: str
    wide: pictures.GraphDrawing
    narrow: pictures.GraphDrawing | None
    key: tuple[tuple[str, str, bool], ...]  # kind, meaning, with an arrowhead


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Section 2: few groups in one plot, many in three."""

    lead: Text
    all_people: str
    segments: tuple[pictures.Segment, ...]
    funnel: pictures.Funnel | None
    plot: pictures.DotPlot | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A group in words and numbers; ``shown`` is None where nothing is measured."""

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
    shown: bool | None
    widest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Section 3: the strongest in words, the others in numbers."""

    lead: Text
    in_words: tuple[Finding, ...]
    others: tuple[Finding, ...]
    others_title: str
    group: str
    other: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """Section 4: what chance alone would make, the tests, with notes on the method."""

    by_chance: tuple[Text, ...]
    seen: pictures.SeenAndByChance | None
    paragraphs: tuple[Text, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A way of comparing people: whether it means anything (None: open), and what it shows."""

    alike: str
    origin: str
    meaningful: bool | None
    reasons: tuple[str, ...]
    reached: str
    span: str
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRow:
    """A measure that people know: values, each with its column's head, and what it misses."""

    name: str
    formula: str
    values: tuple[tuple[str, str], ...]
    unseen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTable:
    """Measures that people know; ``heads`` says of which rows the values are."""

    title: str
    subtitle: str
    heads: tuple[str, ...]
    rows: tuple[KnownRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonTable:
    """Section 5: the rows of the table; ``reached`` heads a column."""

    lead: Text
    rows: tuple[ComparisonRow, ...]
    reached: str
    after: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """The release, with which the page opens, and section 6: ``measures`` before and after.

    ``before`` says how decisions stood: recorded, or predicted. ``moves`` says from which
    decision to which, and whose.
    """

    heading: str
    before: str
    lead: Text
    cards: tuple[VerdictCard, ...]
    shifts: pictures.ShiftPlot | None
    histograms: pictures.Histograms | None
    measures: tuple[tuple[str, str, str], ...]
    moves: tuple[tuple[str, str], ...]
    paragraphs: tuple[Text, ...]


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
    why: Text = ()
    needed: tuple[Needed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PathTable:
    """The effects along paths in numbers, in one direction."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMeasurement:
    """Effects along paths in some rows: as recorded, or as released."""

    heading: str
    lead: Text
    waterfalls: tuple[pictures.Waterfall, ...]
    tables_title: str
    tables: tuple[PathTable, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Section 5a: the claim about effects through chosen attributes, and what it rests on."""

    heading: str
    claims: tuple[VerdictCard, ...]
    lead: tuple[Text, ...]
    measurements: tuple[PathMeasurement, ...]
    rests_on: tuple[Premise, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmeasured:
    """Section 8: the ``largest`` groups without a comparison; ``heads`` says who is there."""

    lead: tuple[Text, ...]
    heads: tuple[str, ...]
    largest: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """Section 9: one sum by hand, commands, and what identifies the data."""

    sums: tuple[str, ...]
    commands: tuple[tuple[str, str], ...]
    data: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallPrint:
    """What the last lines say of these data; the definitions among them are always the same."""

    sign: str
    codes: str
    privacy: str
    made: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainTable:
    """A table of texts: the first of each row names it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Predictions of models, and what errors add."""

    subtitle: str
    lead: Text
    tables: tuple[PlainTable, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything the templates need, and nothing that they do not use."""

    title: str
    masthead: tuple[str, ...]
    question: str
    first_sentence: Text
    lead: Text
    verdicts: Verdicts
    claim: VerdictCard | None
    who: WhoAgainstWhom | None
    example: Example | None
    causes: tuple[Text, ...]
    graph: GraphFigure
    differences: Differences
    evidence: Evidence
    chance: Chance
    comparisons: ComparisonTable
    known: KnownTable
    paths: Paths | None
    released: Released | None
    premises: tuple[Premise, ...]
    unmeasured: Unmeasured
    checking: Checking
    small_print: SmallPrint
    models: Models | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookFigures:
    """The pictures of one result: those that it has."""

    graph: GraphFigure | None = None
    who: WhoAgainstWhom | None = None
    plot: pictures.DotPlot | None = None
    funnel: pictures.Funnel | None = None
    shifts: pictures.ShiftPlot | None = None
    histograms: pictures.Histograms | None = None
    waterfalls: tuple[pictures.Waterfall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedGroup:
    """A group that may be shown: its counts, and the largest difference of two in it.

    ``pair`` says of whom that is, where several are compared.
    """

    id: str
    alike: str
    counts: tuple[tuple[str, str], ...]
    pair: str
    difference: str
    direction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPage:
    """Everything that the page for others shows; ``groups`` are rows of a table.

    ``heads`` are its columns of counts if two groups are compared; of more they are listed.
    """

    title: str
    masthead: tuple[str, ...]
    kick: str
    question: str
    first_sentence: Text
    lead: Text
    verdict: VerdictCard
    claim: VerdictCard | None
    rests_on: Text
    causes: tuple[Text, ...]
    graph: GraphFigure
    funnel: pictures.Funnel | None
    heads: tuple[str, ...]
    groups: tuple[SharedGroup, ...]
    more: str
    premises: tuple[Premise, ...]
    commands: tuple[tuple[str, str], ...]
    small_print: SmallPrint

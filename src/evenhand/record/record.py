"""The fields of a record: what each of them is, from which its schema is made.

A record is plain values, as JSON has them: nothing is converted on the way to a file or back.
Every number is exact: counts are integers, shares and differences fractions in text. Only what
stands under ``population``, ``by_chance`` and ``standard_errors`` are estimates, as decimals in
text. docs/certificate.md says more of each.
"""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from evenhand.record.canonical_json import Table


def rule(**words: object) -> tuple[tuple[str, object], ...]:
    """What JSON schema says of a text, a number or a list besides its type."""
    return tuple(words.items())


Count = Annotated[int, rule(minimum=0, maximum=2**63 - 1)]
Positive = Annotated[int, rule(minimum=1, maximum=2**63 - 1)]
Share = Annotated[str, rule(pattern="^[0-9]+(/[1-9][0-9]*)?$")]
Fraction = Annotated[str, rule(pattern="^-?[0-9]+(/[1-9][0-9]*)?$")]
Estimate = Annotated[str, rule(pattern="^-?[0-9][0-9.]*(e[-+][0-9]+)?$")]
Decimal = Annotated[str, {"pattern": r"^-?[0-9]+\.[0-9]{12}$"}]
Sha256 = Annotated[str, {"pattern": "^[0-9a-f]{64}$"}]
Names = Annotated[list[str], rule(minItems=1, uniqueItems=True)]
Labels = Annotated[list[str], rule(minItems=2, uniqueItems=True)]
Pair = Annotated[list[str], rule(minItems=2, maxItems=2)]
Triple = Annotated[list[str], rule(minItems=3, maxItems=3)]
Verdict: TypeAlias = Literal["certified", "not certified", "cannot decide", "withheld"]
PopulationVerdict: TypeAlias = Literal[
    "difference shown", "all differences shown to be within the threshold", "inconclusive"
]
# Of each line its values, its counts by group and decision, and the largest difference or null.
Lines: TypeAlias = Table | list[Annotated[list[str | Count | None], rule(minItems=5)]]


class VersionsBlock(TypedDict):
    """Which program made the record."""

    evenhand: str


class QuestionBlock(TypedDict):
    """Who is compared with whom, by which decisions, at which threshold."""

    protected: str | Labels
    group: NotRequired[str]
    other: NotRequired[str]
    groups: Labels
    decision: str
    decisions: Labels
    favorable: NotRequired[str | Labels]
    criterion: NotRequired[Literal["every", "cumulative"]]
    order: NotRequired[Labels]
    threshold: Share
    min_coverage: Share
    min_rows: NotRequired[Annotated[int, rule(minimum=2)]]
    redlining: NotRequired[Names]
    explained: NotRequired[Names]
    redlining_threshold: NotRequired[Share]
    basis: NotRequired[Literal["all"]]
    predicts: NotRequired[str]


class PooledBlock(TypedDict):
    """Whether several groups, or several decisions, count as one."""

    other: bool
    unfavorable: bool


class CodingsBlock(TypedDict):
    """How columns were read, classed and merged."""

    columns: NotRequired[list[str]]
    missing: Literal["error", "level", "drop"]
    na: NotRequired[list[str]]
    frequency: NotRequired[str]
    delimiter: NotRequired[Annotated[str, rule(minLength=1, maxLength=1)]]
    sheet: NotRequired[str]
    bins: NotRequired[dict[str, list[str]]]
    merge: NotRequired[dict[str, dict[str, list[str]]]]


class EditBlock(TypedDict):
    """A change of a graph, with its reason."""

    kind: Literal["add", "remove", "reverse", "open"]
    arrow: Pair
    reason: Annotated[str, rule(minLength=1)]


class EdgesBlock(TypedDict):
    """Arrows, edges without direction, triples whose centre may be a collider or not."""

    arrows: list[Pair]
    undirected: list[Pair]
    doubtful: list[Triple]


class UneditedGraphBlock(EdgesBlock):
    """The graph before its edits, and what it gives by its causes alone."""

    verdict: NotRequired[Verdict]
    population: NotRequired[PopulationVerdict]
    measured: NotRequired[Count]
    violating: NotRequired[Count]


class KnowledgeBlock(TypedDict):
    """What a person told the search: ``["*"]`` are the columns that no tier names."""

    tiers: list[Names]
    required: list[Pair]
    forbidden: list[Pair]


class OriginBlock(TypedDict):
    """Where a graph came from; if it was learned, from which rows and how."""

    kind: Literal["given", "learned"]
    rows: NotRequired[Literal["same", "original", "other", "withheld"]]
    algorithm: NotRequired[str]
    test: NotRequired[str]
    significance: NotRequired[Annotated[str, rule(pattern="^[0-9.e-]+$")]]
    decision_last: NotRequired[bool]
    knowledge: NotRequired[KnowledgeBlock]
    limits: NotRequired[Annotated[str, rule(minLength=1)]]
    ended_early: NotRequired[Annotated[str, rule(minLength=1)]]
    chosen_from: NotRequired[Positive]
    edits: NotRequired[Annotated[list[EditBlock], rule(minItems=1)]]
    unedited: NotRequired[UneditedGraphBlock]


class GraphBlock(EdgesBlock):
    """The graph that the verdict takes for granted."""

    nodes: list[str]
    origin: OriginBlock


class ScopeBlock(TypedDict):
    """What was to be examined, and whether all of it was."""

    asked: Literal["causes", "minimal", "all"]
    complete: bool


class SharedSubpopulationsBlock(TypedDict):
    """How many there are; ``comparisons`` where one can have several."""

    occupied: Count
    measured: Count
    violating: Count
    above: Count
    below: Count
    comparisons: NotRequired[Count]


class ByChanceBlock(TypedDict):
    """How many would reach the threshold if nothing but chance made differences.

    The number expected, its 95 % range, the probability of at least as many, the rows in them,
    and the standard error of the number expected, if it was simulated.
    """

    expected: Estimate
    lower: Count
    upper: Count
    p: Estimate
    rows: Estimate
    error: NotRequired[Estimate]


class SubpopulationsBlock(SharedSubpopulationsBlock):
    """How many there are, and how many there would be by chance."""

    by_chance: NotRequired[ByChanceBlock]


class CoverageBlock(TypedDict):
    """The share of rows that could be compared, of all and of each group in its order."""

    rows: Share
    groups: list[Share]


class SharedPartitionBlock(TypedDict):
    """People divided by some attributes, as far as their lines may be shown."""

    names: list[str]
    role: Literal["causes", "block set"]
    verdict: Verdict
    subpopulations: SharedSubpopulationsBlock
    table: Lines


class PartitionBlock(TypedDict):
    """People divided by some attributes; ``evidence`` counts violating lines from 0."""

    names: list[str]
    role: Literal["causes", "block set"]
    verdict: Verdict
    subpopulations: SubpopulationsBlock
    table: Lines
    coverage: CoverageBlock
    evidence: list[Count]
    digest: Sha256


class SharedRulesBlock(TypedDict):
    """The columns by which was decided, as declared."""

    declared: list[str]


class WithoutRuleBlock(TypedDict):
    """The verdict without a declared rule, and the whole record of it."""

    left_out: list[str]
    verdict: Verdict
    record: "FullRecord"


class RulesBlock(SharedRulesBlock):
    """The declared rule, the columns that alone determine the decision, and without both."""

    determining: list[str]
    without: NotRequired[WithoutRuleBlock]


class VariantsBlock(TypedDict):
    """How many variants were judged."""

    cause_sets: Count
    rules: Count
    classes: Count
    arrows: Count
    graphs: NotRequired[Positive]


class RowsBlock(TypedDict):
    """How many rows were read: dropped, left out, examined."""

    read: Count
    dropped: Count
    left_out: Count
    examined: Count


class WithheldBlock(TypedDict):
    """Lines with a smaller count are withheld."""

    least_count: Positive


class _ReleaseBlock(TypedDict):
    notice: str
    change: Literal["edited", "resampled", "generated"]
    method: str
    policy: str
    seed_commitment: Sha256
    dropped_columns: NotRequired[list[str]]
    accepted_graph: NotRequired[str]


class SharedReleaseBlock(_ReleaseBlock):
    """How the rows were made, as far as others may know: the columns that can be changed."""

    can_change: list[str]


class ReleaseBlock(_ReleaseBlock):
    """How the rows were made of others."""

    changed_columns: list[str]
    changed_rows: Count
    dropped_before: Count
    left_out_before: Count


class PeopleBlock(TypedDict):
    """The people by an attribute, which is named last, and its causes.

    For each assignment that occurs the places of its values, and its count.
    """

    names: Names
    counts: list[Annotated[list[Count], rule(minItems=2)]]


Interval = Annotated[list[Decimal], rule(minItems=2, maxItems=2)]
Proof = Annotated[list[list[list[Fraction]]], rule(minItems=2, maxItems=2)]
EffectsBlock = TypedDict(
    "EffectsBlock",
    {
        "direct": Interval,
        "through": Interval,
        "explained": Interval,
        "not judged": NotRequired[Interval],
        "combination": Interval,
        "total": Interval,
        "spurious": Interval,
    },
)


VariationsBlock = TypedDict(
    "VariationsBlock",
    {
        "with": NotRequired[Positive],
        "without": NotRequired[Positive],
        "all before": NotRequired[Positive],
        "classes": NotRequired[Positive],
        "depth": NotRequired[Positive],
        "without suspects": NotRequired[Positive],
    },
)


class DifferingBlock(TypedDict):
    """A variation against which the answer's finding falls, or that shows another one."""

    kind: Literal["with", "without", "all before", "classes", "depth", "without suspects"]
    names: list[str]
    falls: Literal["smaller", "not separated", "within", "shown", "larger"]


class ReasonBlock(TypedDict):
    """Why nobody can tell, and on which columns that hangs."""

    kind: Literal[
        "determined",
        "nothing compared",
        "graph refuted",
        "depends on",
        "written after",
        "not separated",
        "classes",
        "too few rows",
    ]
    names: list[str]


class GraphFitBlock(TypedDict):
    """How many independences of the decision the graph implies; those the rows reject."""

    implied: Count
    rejected: list[str]


class HiddenCauseBlock(TypedDict):
    """What a hidden cause as strong as the strongest recorded one could do to the average."""

    name: str
    bound: Estimate
    interval: Annotated[list[Estimate], rule(minItems=2, maxItems=2)]
    breaking_factor: Estimate | None


class AnswerBlock(TypedDict):
    """Whether the protected attribute itself changes the decision, as far as rows can tell.

    ``variations`` has the number of each kind. ``knowledge`` is what was known, if that is not
    what the search for the graph was told.
    """

    word: Literal["Yes", "No", "Not shown", "Cannot tell"]
    reason: ReasonBlock | None
    variations: VariationsBlock
    differing: list[DifferingBlock]
    graph_fit: GraphFitBlock
    placed: list[str]
    unplaced: list[str]
    suspects: list[str]
    at_least: Count
    detectable: Estimate | None
    hidden_cause: HiddenCauseBlock | None
    knowledge: NotRequired[KnowledgeBlock]


class BothEffectsBlock(TypedDict):
    """The effects in both directions: the least and the largest value, rounded outward."""

    forward: EffectsBlock
    backward: EffectsBlock


class ProofsBlock(TypedDict):
    """What proves the least share of favorable and of other decisions."""

    forward: Proof
    backward: Proof


class StandardErrorsBlock(TypedDict):
    """Of the value of each effect; null of bounds."""

    forward: dict[str, Estimate | None]
    backward: dict[str, Estimate | None]


class MeasuredGraphBlock(TypedDict):
    """A graph that the open edges allow, with the places of its tables, causes first."""

    tables: Annotated[list[Count], rule(minItems=2)]
    sides: dict[str, Literal["direct", "through", "explained", "not judged", "witness"]]
    witnesses: list[str]
    verdict: Verdict
    effects: BothEffectsBlock
    potentials: NotRequired[ProofsBlock]


class SharedIndirectBlock(TypedDict):
    """The verdict on effects through chosen attributes."""

    verdict: Verdict


class IndirectBlock(SharedIndirectBlock):
    """Effects through chosen attributes; without graphs nothing was measured."""

    reasons: list[str]
    consistent: NotRequired[bool]
    values: NotRequired[dict[str, Names]]
    tables: NotRequired[Annotated[list[PeopleBlock], rule(minItems=1)]]
    graphs: NotRequired[Annotated[list[MeasuredGraphBlock], rule(minItems=1)]]
    gap: NotRequired[Fraction]
    standard_errors: NotRequired[StandardErrorsBlock]


class _Record(TypedDict):
    format: Literal["evenhand certificate 3"]
    versions: VersionsBlock
    verdict: Verdict
    question: QuestionBlock
    pooled: PooledBlock
    codings: CodingsBlock
    graph: GraphBlock
    direct_arrow: bool
    decision_causes: list[str]
    possible_decision_causes: Annotated[list[list[str]], rule(minItems=1)]
    scope: ScopeBlock
    assumptions: list[str]
    seal: Sha256


class FullRecord(_Record):
    """The record for the owner of the data."""

    copy: Literal["full"]
    answer: NotRequired[AnswerBlock]
    population: dict[str, object]
    reasons: list[str]
    rows: RowsBlock
    rules: RulesBlock
    variants: VariantsBlock
    partitions: Annotated[list[PartitionBlock], rule(minItems=1)]
    release: NotRequired[ReleaseBlock]
    indirect: NotRequired[IndirectBlock]


class SharedRecord(_Record):
    """The record for others: what it withholds cannot be computed from what it shows."""

    copy: Literal["shared"]
    withheld: WithheldBlock
    rules: SharedRulesBlock
    partitions: Annotated[list[SharedPartitionBlock], rule(minItems=1, maxItems=1)]
    release: NotRequired[SharedReleaseBlock]
    indirect: NotRequired[SharedIndirectBlock]


Record: TypeAlias = FullRecord | SharedRecord

"""Tables whose right answer is known: who decided, by what, and what the rows leave out.

Each ``Case`` draws tables from one population and says how often each word may, or must, be
the answer. In all of them ``c`` is the protected attribute, ``e`` the decision, and ``direct``
the part of the difference that the attribute itself makes; what is not passed to ``counted``
is not in the table.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
from tests.data_folder import DUTCH
from tests.permuted import permute_column

from evenhand import CausalGraph, CountTable, Question, Tiers, audit, datasets
from evenhand.counts import Attribute

YES, NO, NOT_SHOWN, CANNOT_TELL = "yes", "no", "not shown", "cannot tell"
TOO_FEW = "cannot tell: too few rows"
QUESTION = Question(protected="c", group="1", decision="e", favorable="1", threshold="0.05")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One population: how a table is drawn and audited, and what the answers may be.

    ``most`` and ``least`` are shares of all tables, by word or by a word with its reason; the
    shares of several words that are joined by "or" are added. Where ``graph`` is the true one,
    ``most_lost`` is how many of the *Yes* that it gives may be lost without it. A case without
    limits is one where no rule can see the truth: what is said there is reported.
    """

    name: str
    draw: Callable[[np.random.Generator], CountTable | pa.Table]
    settings: Mapping = field(default_factory=dict)
    question: object = QUESTION
    most: Mapping[str, float] = field(default_factory=dict)
    least: Mapping[str, float] = field(default_factory=dict)
    graph: str | None = None
    most_lost: float = 0.1
    tables: int = 500

    @property
    def with_true_graph(self):
        """The same tables, judged by the true graph."""
        graph = CausalGraph.parse(self.graph)
        return replace(self, name=f"{self.name}, true graph", settings={"graph": graph})


def said(table, case):
    """The word of the answer, and the word with its reason."""
    answer = audit(table, case.question, **case.settings).answer
    word = str(answer.word).lower()
    return word, f"{word}: {answer.reason.kind}" if answer.reason else word


def tally(case, tables, seed=20170613):
    """How often each word is said, and each word with its reason."""
    generator = np.random.default_rng(seed)
    return Counter(name for _ in range(tables) for name in {*said(case.draw(generator), case)})


def failures(case, told, tables, seed=20170613):
    """Limits that the shares miss by more than chance: three standard errors."""
    missed = []
    for limits, sign in ((case.most, 1), (case.least, -1)):
        for words, limit in limits.items():
            share = sum(told[word] for word in words.split(" or ")) / tables
            noise = 3 * (limit * (1 - limit) / tables) ** 0.5
            if sign * (share - limit) > noise:
                missed.append(f"{words} in {share:.3f}, limit {limit}")
    if case.graph:
        best = tally(case.with_true_graph, tables, seed)[YES]
        noise = 3 * (case.most_lost * best) ** 0.5
        if told[YES] < (1 - case.most_lost) * best - noise:
            missed.append(f"yes in {told[YES]}, with the true graph in {best}")
    return missed


def counted(**columns):
    """The table of these columns of codes."""
    codes = [np.asarray(column).astype(np.int64) for column in columns.values()]
    attributes = [
        Attribute(name, tuple(map(str, range(int(column.max()) + 1))))
        for name, column in zip(columns, codes, strict=True)
    ]
    return CountTable.build(attributes, codes, np.ones(len(codes[0]), np.int64)).pruned()


def coin(generator, rate, rows=None):
    """Whether something happens to each person, at one rate or at each person's own."""
    return generator.random(np.size(rate) if rows is None else rows) < rate


def slipped(generator, decision, share):
    """The decision written down once more, with slips in a share of the rows."""
    return decision ^ coin(generator, share, len(decision))


def proxy(generator, rows, loyalty, *, direct=0.0, effect=0.2, noise=0):
    """The group lacks ``m``, which decides, and the others have it, in a share of the rows."""
    c, a = coin(generator, 0.5, rows), coin(generator, 0.5, rows)
    m = coin(generator, np.where(c, 1 - loyalty, loyalty))
    e = coin(generator, 0.25 + effect * m + 0.2 * a - direct * c)
    other = {f"n{at}": coin(generator, 0.5, rows) for at in range(noise)}
    return counted(c=c, a=a, m=m, **other, e=e)


def proxy_as_counted(_):
    """The thousand rows in which learning finds no cause at all."""
    lines = np.array([[1, 1, 380, 171], [1, 0, 20, 5], [0, 1, 30, 13], [0, 0, 570, 143]])
    c, m, rows, favorable = lines.T
    columns = {"c": [*c, *c], "m": [*m, *m], "e": [1] * 4 + [0] * 4}
    labels = {name: list(map(str, codes)) for name, codes in columns.items()}
    return CountTable.of(labels, [*favorable, *(rows - favorable)])


def leak(generator, rows, slips, *, direct=0.2, grade=None):
    """Letters are written after the decision; a grade is one that tells one column more.

    That of a city tells where somebody lives, which goes with the group. No name says when a
    letter was written: letters are called forms.
    """
    c, exam = coin(generator, 0.5, rows), generator.integers(0, 3, rows)
    e = coin(generator, 0.35 + 0.15 * exam - direct * c)
    letters = {f"form{at}": slipped(generator, e, share) for at, share in enumerate(slips)}
    columns = {"c": c, "exam": exam}
    if grade == "city":
        city = coin(generator, np.where(c, 0.7, 0.3))
        letters = {"grade": 2 * letters["form0"] + city}
    elif grade:
        letters = {"grade": 3 * letters["form0"] + columns[grade]}
    return counted(**columns, **letters, e=e)


def mediators(generator, rows, direct):
    """Two mediators of moderate strength, a cause, and a direct effect."""
    c, a = coin(generator, 0.5, rows), coin(generator, 0.5, rows)
    m, o = (coin(generator, np.where(c, 0.35, 0.65)) for _ in range(2))
    e = coin(generator, 0.3 + 0.1 * m + 0.1 * o + 0.15 * a - direct * c)
    return counted(c=c, a=a, m=m, o=o, e=e)


def twins(generator, rows, slips, direct, effect=0.25):
    """One mediator decides, and stands in the table twice, the second time with slips."""
    c, a = coin(generator, 0.5, rows), coin(generator, 0.5, rows)
    m = coin(generator, np.where(c, 0.3, 0.7))
    e = coin(generator, 0.3 + effect * m + 0.15 * a - direct * c)
    return counted(c=c, a=a, m=m, again=slipped(generator, m, slips), e=e)


def hidden_of_mediator(generator, rows, effect):
    """A hidden cause of the mediator ``m`` and of the decision; no direct effect."""
    c, a, u = (coin(generator, 0.5, rows) for _ in range(3))
    m = coin(generator, 0.05 + 0.3 * c + 0.45 * u + 0.2 * a)
    return counted(c=c, a=a, m=m, e=coin(generator, 0.2 + effect * m + 0.5 * u))


def m_bias(generator, rows):
    """The column ``x`` causes nothing and shares hidden causes with group and decision."""
    u, v = (coin(generator, 0.5, rows) for _ in range(2))
    c, x = coin(generator, 0.2 + 0.6 * u), coin(generator, 0.05 + 0.45 * u + 0.45 * v)
    return counted(c=c, x=x, e=coin(generator, 0.2 + 0.6 * v))


def amplifier(generator, rows, strength):
    """``z`` causes the group alone, and a hidden cause group and decision."""
    z, u = (coin(generator, 0.5, rows) for _ in range(2))
    c = coin(generator, 0.4 + strength * (z - 0.5) + 0.2 * u)
    return counted(z=z, c=c, e=coin(generator, 0.25 + 0.4 * u))


def selected(generator, rows):
    """Rows are kept by group and decision; nothing else ties them."""
    c, a = (coin(generator, 0.5, 2 * rows) for _ in range(2))
    e = coin(generator, 0.3 + 0.3 * a)
    kept = np.flatnonzero(coin(generator, np.where(c & ~e, 0.9, 0.6)))[:rows]
    return counted(c=c[kept], a=a[kept], e=e[kept])


def postcodes(generator, rows, number=40):
    """Segregated postcodes decide, and nothing else does."""
    x = generator.integers(0, number, rows)
    c, a = coin(generator, np.where(x % 2, 0.97, 0.03)), coin(generator, 0.5, rows)
    return counted(c=c, a=a, x=x, e=coin(generator, 0.55 - 0.2 * (x % 2) + 0.15 * a))


def hours(generator, rows, steepness=1.5, gap=1.0):
    """Hours decide, and differ between the groups; they are read in classes."""
    c = coin(generator, 0.5, rows)
    score = generator.normal(np.where(c, -gap, 0.0), 1.0)
    e = coin(generator, 1 / (1 + np.exp(-steepness * score)))
    worked = np.round(40 + 8 * score).astype(int)
    return pa.table({"c": c.astype(int), "hours": worked, "e": e.astype(int)})


def repeated(generator, rows, times):
    """Every row stands in the table several times, and nothing makes a difference."""
    c, a = (coin(generator, 0.5, rows) for _ in range(2))
    once = counted(c=c, a=a, e=coin(generator, 0.3 + 0.3 * a))
    return CountTable.build(once.attributes, once.codes, once.counts * times)


def tossed(generator, load, rows=None):
    """A table whose protected column is permuted, all rows or some of them."""
    counts, protected = load()
    if rows:
        drawn = generator.multinomial(rows, counts.counts / counts.row_count)
        counts = CountTable.build(counts.attributes, counts.codes, drawn)
    return permute_column(counts, protected, int(generator.integers(2**32)))


def _loaded(name):
    """A data set and its protected attribute."""
    load = {
        "adult": datasets.adult,
        "dutch": partial(datasets.dutch, DUTCH),
        "admissions 1": partial(datasets.admissions, 1),
        "admissions 2": partial(datasets.admissions, 2),
    }
    if name not in _LOADED:
        _LOADED[name] = load[name](), datasets.question(name.split()[0]).question.protected
    return _LOADED[name]


_LOADED: dict = {}
_PROXY = {"knowledge": Tiers(["c", "a"], ["m"], ..., ["e"])}
_TWINS = {"knowledge": Tiers(["c", "a"], ["m", "again"], ["e"])}
_BEFORE = {"knowledge": Tiers(["c"], ..., ["e"])}
_RARELY_YES = {YES: 0.05}
_NO_CERTIFICATE = {NO: 0.0, NOT_SHOWN: 0.1}


def _proxies():
    yield Case(name="F1", draw=proxy_as_counted, most={YES: 0.0})
    tiers = {"knowledge": Tiers(["c"], ["m"], ["e"])}
    yield Case(name="F1 with tiers", draw=proxy_as_counted, settings=tiers, most={YES: 0.0})
    for rows, loyalty in ((300, 0.85), (1000, 0.93), (1000, 0.95), (3000, 0.97)):
        yield Case(
            name=f"proxy {loyalty}, n {rows:,}",
            draw=partial(proxy, rows=rows, loyalty=loyalty),
            settings=_PROXY,
            most=_RARELY_YES,
        )
    at_threshold = partial(proxy, rows=3000, loyalty=0.97, direct=0.05)
    yield Case(
        name="proxy .97, n 3,000, truth τ", draw=at_threshold, settings=_PROXY, most={YES: 0.08}
    )
    yield Case(
        name="genuine mediators, nobody gave an order",
        draw=partial(mediators, rows=5000, direct=0.0),
        most={**_RARELY_YES, "cannot tell: written after": 0.02},
    )


def _twins():
    for rows, slips in ((1000, 0.03), (3000, 0.01), (10_000, 0.003)):
        for direct in (0.0, 0.15):
            yield Case(
                name=f"a mediator twice, slips {slips:.1%}, effect {direct}, n {rows:,}",
                draw=partial(twins, rows=rows, slips=slips, direct=direct),
                settings=_TWINS,
                most=_RARELY_YES if not direct else {},
                graph="c -> m; a -> e; m -> e; c -> e; m -> again" if direct else None,
            )


def _leaks():
    for share in (0.002, 0.01, 0.02, 0.03, 0.05, 0.12):
        for columns in (1, 2, 3):
            yield Case(
                name=f"letters: {columns}, slips {share:.1%}, n 5,000",
                draw=partial(leak, rows=5000, slips=(share,) * columns),
                most=_NO_CERTIFICATE,
            )
    more = {
        "1 letter, 5 %, n 2,000": partial(leak, rows=2000, slips=(0.05,)),
        "1 letter, 5 %, n 20,000": partial(leak, rows=20_000, slips=(0.05,)),
        "1 letter, 20 %, n 20,000": partial(leak, rows=20_000, slips=(0.2,)),
        "1 letter, 12 %, effect .1, n 20,000": partial(
            leak, rows=20_000, slips=(0.12,), direct=0.1
        ),
        "3 letters, 15 %, n 20,000": partial(leak, rows=20_000, slips=(0.15,) * 3),
        "grade of decision and exam, n 20,000": partial(
            leak, rows=20_000, slips=(0.02,), grade="exam"
        ),
        "letter merged with a city, n 5,000": partial(
            leak, rows=5000, slips=(0.02,), grade="city"
        ),
    }
    for name, draw in more.items():
        yield Case(name=name, draw=draw, most=_NO_CERTIFICATE)
    yield Case(
        name="grade of decision and sex, n 20,000: only a person can see it",
        draw=partial(leak, rows=20_000, slips=(0.02,), grade="c"),
        most={NO: 0.0},
    )


def _given_graphs():
    graph = {"graph": CausalGraph.parse("c -> m; a -> e; c -> e")}
    yield Case(
        name="F4: the given graph lacks a cause, n 5,000",
        draw=partial(mediators, rows=5000, direct=0.0),
        settings={"graph": CausalGraph.parse("c -> m; c -> o; a -> e; c -> e")},
        most={YES: 0.05, NO: 0.05},
    )
    yield Case(
        name="F4: a proxy that the given graph takes for no cause, n 5,000",
        draw=partial(proxy, rows=5000, loyalty=0.9),
        settings=graph,
        most={YES: 0.05, NO: 0.05},
    )


def _hidden():
    given = {"graph": CausalGraph.parse("c -> m; a -> m; m -> e; c -> e")}
    hidden = {
        "given graph": (0.1, given, _RARELY_YES),
        "learned": (0.1, _PROXY, _RARELY_YES),
        "learned, strong mediator": (0.3, _PROXY, {}),
    }
    for name, (effect, settings, most) in hidden.items():
        draw = partial(hidden_of_mediator, rows=20_000, effect=effect)
        yield Case(name=f"F4h, {name}", draw=draw, settings=settings, most=most)
    blind = {
        "M-bias, n 20,000": partial(m_bias, rows=20_000),
        "bias amplifier .6, n 20,000": partial(amplifier, rows=20_000, strength=0.6),
        "bias amplifier 0, n 20,000": partial(amplifier, rows=20_000, strength=0.0),
        "selection by group and decision, n 5,000": partial(selected, rows=5000),
        "every row twice, n 2 × 1,000": partial(repeated, rows=1000, times=2),
        "every row four times, n 4 × 1,000": partial(repeated, rows=1000, times=4),
    }
    for name, draw in blind.items():
        yield Case(name=name, draw=draw, settings=_BEFORE)


def _lost_overlap():
    for rows in (2000, 5000):
        yield Case(
            name=f"forty segregated postcodes, n {rows:,}",
            draw=partial(postcodes, rows=rows),
            settings=_BEFORE,
            most=_RARELY_YES,
        )


def _classes():
    for number in (2, 3, 5):
        yield Case(
            name=f"hours in {number} classes, n 10,000",
            draw=partial(hours, rows=10_000),
            settings={**_BEFORE, "bins": {"hours": number}},
            most=_RARELY_YES,
        )


def _coins():
    nothing = f"{NOT_SHOWN} or {TOO_FEW}"
    for name in ("admissions 1", "admissions 2", "adult", "dutch"):
        asked = datasets.question(name.split()[0])
        draw = partial(tossed, load=partial(_loaded, name))
        sizes = {"": None, ", 3,000 rows": 3000} if name == "adult" else {"": None}
        for size, rows in sizes.items():
            if name == "dutch" and not DUTCH.is_file():
                continue
            yield Case(
                name=f"coin on {name}{size}",
                draw=partial(draw, rows=rows),
                settings={"knowledge": asked.knowledge},
                question=asked.question,
                most=_RARELY_YES,
                least={nothing: 0.85},
                tables=50,
            )


def _power():
    for direct in (0.1, 0.15, 0.2):
        for rows in (1000, 5000):
            yield Case(
                name=f"true effect {direct}, n {rows:,}",
                draw=partial(mediators, rows=rows, direct=direct),
                settings=_BEFORE,
                graph="c -> m; c -> o; a -> e; m -> e; o -> e; c -> e",
            )
    for name, rows, loyalty, settings in (
        ("proxy .95, effect .2", 1000, 0.95, {"direct": 0.2}),
        ("proxy .85, effect .15", 3000, 0.85, {"direct": 0.15}),
        ("innocent proxy .92, effect .2", 1000, 0.92, {"direct": 0.2, "effect": 0.0}),
        (
            "proxy .9, 3 noise columns, effect .15",
            1000,
            0.9,
            {"direct": 0.15, "effect": 0.0, "noise": 3},
        ),
    ):
        yield Case(
            name=f"{name}, n {rows:,}",
            draw=partial(proxy, rows=rows, loyalty=loyalty, **settings),
            settings=_PROXY,
        )


PARTS = {
    "proxies": _proxies,
    "twins": _twins,
    "leaks": _leaks,
    "given": _given_graphs,
    "hidden": _hidden,
    "overlap": _lost_overlap,
    "classes": _classes,
    "coins": _coins,
    "power": _power,
}


def cases():
    """All cases, by part; of tables of 20,000 rows at most 100 are drawn."""
    return {
        name: [replace(one, tables=min(one.tables, _most_tables(one))) for one in part()]
        for name, part in PARTS.items()
    }


def _most_tables(case):
    return 100 if "20,000" in case.name or case.name.startswith("F4h") else 500

"""Published Bayesian networks whose truth is known, read from the files that pgmpy ships.

``network("alarm")`` gives the graph, the conditional tables and samples; the test that asks is
skipped where the files are absent. pgmpy is not imported for that: it only carries the files.
"""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable

_VARIABLE = re.compile(r"variable (\S+) \{\s*type discrete \[ \d+ \] \{ (.*?) \};")
_TABLE = re.compile(r"probability \( ([^|)]+?)(?: \| ([^)]+?))? \) \{(.*?)\}", re.DOTALL)
_LINE = re.compile(r"(?:table|\((.*?)\)) ([^;()]+);")


@dataclass(frozen=True, eq=False)
class Network:
    """A graph with a conditional table at each node.

    ``tables[node]`` has one axis for each of ``parents[node]``, in that order, and a last one
    for the node itself; it sums to one along the last axis.
    """

    name: str
    values: dict[str, tuple[str, ...]]
    parents: dict[str, tuple[str, ...]]
    tables: dict[str, NDArray[np.float64]]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The variables, in the order of the file."""
        return tuple(self.values)

    @property
    def arrows(self) -> frozenset[tuple[str, str]]:
        """(cause, effect) for every arrow."""
        return frozenset((cause, node) for node in self.nodes for cause in self.parents[node])

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The nodes with causes before effects."""
        return tuple(sorted(self.nodes, key=lambda node: (self.depth[node], node)))

    @cached_property
    def depth(self) -> dict[str, int]:
        """The length of the longest directed path that ends in each node."""
        depth: dict[str, int] = {}
        while len(depth) < len(self.nodes):
            for node, causes in self.parents.items():
                if node not in depth and all(cause in depth for cause in causes):
                    depth[node] = max((depth[cause] + 1 for cause in causes), default=0)
        return depth

    def tiers(self, number: int = 3) -> tuple[tuple[str, ...], ...]:
        """Cut the nodes into so many tiers by their depth; no arrow runs to an earlier tier."""
        levels = max(self.depth.values()) + 1
        tier = {node: deep * number // levels for node, deep in self.depth.items()}
        return tuple(
            tuple(node for node in self.nodes if tier[node] == level)
            for level in sorted(set(tier.values()))
        )

    def sample(self, rows: int, seed: int) -> CountTable:
        """Count so many rows drawn from the network; values that never occur are left out."""
        generator = np.random.default_rng(seed)
        drawn: dict[str, NDArray[np.intp]] = {}
        for node in self.order:
            shares = self.tables[node][tuple(drawn[cause] for cause in self.parents[node])]
            bounds = np.cumsum(np.broadcast_to(shares, (rows, shares.shape[-1])), axis=1)
            bounds[:, -1] = 1
            drawn[node] = np.argmax(generator.random((rows, 1)) < bounds, axis=1)
        attributes, codes = [], []
        for node in self.nodes:
            occurring, code = np.unique(drawn[node], return_inverse=True)
            labels = tuple(self.values[node][value] for value in occurring)
            attributes.append(Attribute(node, labels))
            codes.append(code)
        return CountTable.build(attributes, codes, np.ones(rows, np.int64))


def network(name: str) -> Network:
    """Read a published network, or skip the test where its file is absent."""
    return _read(shipped_file(f"{name}.bif.gz"))


def shipped_file(name: str) -> Path:
    """A file that pgmpy ships; skips the test where it is absent."""
    package = find_spec("pgmpy")
    if package is None or not package.submodule_search_locations:
        _skip("pgmpy, which carries the networks, is absent")
    path = Path(package.submodule_search_locations[0], "utils", "example_models", name)
    if not path.exists():
        _skip(f"{path} is absent")
    return path


def _skip(reason: str) -> NoReturn:
    import pytest  # noqa: PLC0415  # benchmarks read networks without it

    pytest.skip(reason, allow_module_level=True)


@lru_cache
def _read(path: Path) -> Network:
    text = gzip.decompress(path.read_bytes()).decode()
    values = {
        name: tuple(value.strip() for value in listed.split(","))
        for name, listed in _VARIABLE.findall(text)
    }
    parents, tables = {}, {}
    for node, listed, body in _TABLE.findall(text):
        parents[node] = tuple(listed.split(", ")) if listed else ()
        shape = [len(values[name]) for name in (*parents[node], node)]
        tables[node] = np.full(shape, np.nan)
        for given, shares in _lines(body):
            at = tuple(map(_code, [values[cause] for cause in parents[node]], given))
            tables[node][at] = shares
        # The files round, so their shares need not add up to one.
        tables[node] /= tables[node].sum(axis=-1, keepdims=True)
        if not np.isfinite(tables[node]).all():
            raise ValueError(f"the table of {node} in {path} has gaps")
    return Network(path.name.removesuffix(".bif.gz"), values, parents, tables)


def _lines(body: str) -> Iterator[tuple[list[str], list[float]]]:
    for given, shares in _LINE.findall(body):
        yield given.split(", ") if given else [], [float(share) for share in shares.split(",")]


def _code(values: tuple[str, ...], value: str) -> int:
    return values.index(value)

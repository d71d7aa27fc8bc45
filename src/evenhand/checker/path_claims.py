"""The claim about effects through chosen attributes: tables, graphs, effects, verdicts."""

from itertools import chain
from math import inf

from .graph_claims import MOST_OPEN, RecordedGraph, check_graphs
from .group_comparisons import GroupComparisons, Table
from .partition_claims import OPEN, WITHHELD, YES
from .path_effects import DIRECTIONS, PathQuestion, RecordedPaths, right_graph
from .path_tables import Names, counts_by, disagreements, encode, read_tables, shares_of
from .record_fields import Record

People = list[tuple[list[str], Table]]  # of each partition by its names, or of the data by all


class PathClaims:
    """The claim of a record, and what is wrong with it or left open."""

    def __init__(
        self, record: Record, graph: RecordedGraph, compared: GroupComparisons
    ) -> None:
        self.asked = PathQuestion.of(record["question"], compared)
        self.record, self.graph, self.written = record, graph, record["indirect"]
        is_near = "chosen_from" in record["graph"]["origin"]  # what leads there was not learned
        self.can_be_measured = compared.is_one and len(compared.protected) == 1 and not is_near
        self.errors, self.open = list[str](), dict[str, str]()

    def right(self, people: People, rules: Record, *, with_data: bool) -> Record:
        """The claim as it should be; where a column determines the decision it is open.

        A copy for others has the verdict alone: that of a release, or that it is withheld.
        """
        if self.record["copy"] != "full":
            return {"verdict": YES if "release" in self.record else WITHHELD}
        right: Record = {"verdict": OPEN, "reasons": self.written["reasons"]}
        if self.can_be_measured and "graphs" in self.written:
            right |= self.right_effects(people, with_data=with_data)
        elif self.can_be_measured:
            self.open["indirect.graphs"] = "that there was too much to be measured"
        is_determined = rules["determining"] and not rules["declared"]
        return right | ({"verdict": OPEN} if is_determined else {})

    def right_effects(self, people: People, *, with_data: bool) -> Record:
        """What follows from the tables, or from those of the data."""
        ends = self.asked.ends
        values, tables = read_tables(self.written, ends)
        people = people[: len(self.record["possible_decision_causes"])]  # by causes come first
        coded = [encode(names, table, values, ends) for names, table in people]
        if with_data:
            tables = {names: counts_by(*coded[0], names) for names in tables}
        else:
            self.errors += disagreements([*coded, *tables.items()])
        written = self.written["graphs"]
        graphs = [right_graph(self.asked, graph, values, tables) for graph in written]
        verdicts = {graph["verdict"] for graph in graphs}
        rates = shares_of((*ends,), counts_by(*coded[0], ends))
        group, others = (rates.at(dict(zip(ends, (at, 0), strict=True))) for at in (0, 1))
        right = {
            "verdict": verdicts.pop() if len(verdicts) == 1 else OPEN,
            "consistent": self.right_consistent([*tables]),
            "values": {name: values[name] for name in {*chain(*tables)}},
            "tables": [
                {"names": [*names], "counts": [[*line, n] for line, n in sorted(cells.items())]}
                for names, cells in tables.items()
            ],
            "graphs": graphs,
            "gap": str(others - group),
        }
        if "release" in self.record:  # changed rows are no sample
            return right
        return {**right, "standard_errors": self.right_estimates(graphs)}

    def right_consistent(self, tables: list[Names]) -> bool:
        """Whether colliders are as found in all graphs, which must be those that can be."""
        written = self.written["graphs"]
        used = dict.fromkeys(chain(*(graph["tables"] for graph in written)))
        if [*used] != [*range(len(tables))]:
            self.errors.append("indirect.tables: one is of no graph, or not in order")
        if len(self.graph.undirected) > MOST_OPEN:
            why = f"whether these are all is not worked out with over {MOST_OPEN} open edges"
            self.open["indirect.graphs"] = why
        of_graphs = ([tables[at] for at in graph["tables"]] for graph in written)
        arrows = [RecordedPaths(names, self.asked).arrows for names in of_graphs]
        known = bool(self.written["consistent"])
        consistent, wrong = check_graphs(self.graph, arrows, consistent=known)
        self.errors += wrong
        return consistent

    def right_estimates(self, graphs: list[Record]) -> Record:
        """The standard errors in their one spelling; none of what witnesses leave open."""
        bounded = {"through", "combination"} if any(g["witnesses"] for g in graphs) else set()
        right: Record = {}
        for at in DIRECTIONS:
            written = self.written["standard_errors"][at]
            right[at] = dict.fromkeys(bounded)
            for name in sorted({*graphs[0]["effects"][at]} - bounded):
                right[at][name] = text = written[name]
                if isinstance(text, str) and 0 <= float(text) < inf:
                    right[at][name] = f"{float(text):.12g}"
                else:
                    field = f"indirect.standard_errors.{at}.{name}"
                    self.errors.append(f"{field}: {text!r} is no estimate")
        return right

"""Random cases: a table, a question about it, a graph, and what is done with them.

A case is a folder with the input files and ``case.json``, whose steps a worker runs one by one.
It is made from the seed and its number alone, and speaks only of what users rely on: question
files, options, file formats and the public names of Python.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from revisions.broken_inputs import break_case
from revisions.tables import FORMATS, arrow_table, count_rows, random_table, write_table

_THRESHOLDS = ("0.05", "0.05", "0.1", "0.025", "1/3", "0.2", "0.45", "1/30")
# A release's method and policy, and whether it gives a guarantee.
_REMOVALS = (
    *(("modify-data", policy, True) for policy in ("minimal", "minimal", "group", "raise")),
    *(("modify-data", policy, False) for policy in ("paper", "printed")),
    *(("modify-graph", policy, True) for policy in ("quotas", "generate")),
    ("modify-graph", "sample", False),
    *((f"local-{way}", None, False) for way in ("massaging", "preferential-sampling")),
    ("shuffle-protected", None, False),
)
_WEIGHTS = {
    "audit": 11,
    "certificate": 5,
    "release": 9,
    "compare": 2,
    "discover": 6,
    "inspect": 9,
    "init": 3,
    "bad input": 16,
    "frame": 14,
    "parts": 10,
    "predictions": 8,
    "scikit-learn": 2,
}
# One case in so many runs its commands as processes of their own; what is refused costs least.
_PROCESSES = {"bad input": 30}
_OTHER_PROCESSES = 1000
Case = dict[str, Any]


class Writer:
    """Draws one case and writes its files."""

    def __init__(self, seed: int, number: int, folder: Path) -> None:
        self.rng = np.random.default_rng([seed, number])
        self.folder, self.features = folder, list[str]()
        kinds, weights = [*_WEIGHTS], np.array([*_WEIGHTS.values()], float)
        self.kind = str(self.rng.choice(kinds, p=weights / weights.sum()))
        self.table = random_table(self.rng)
        if self.kind != "scikit-learn" and self.happens(0.15):
            count_rows(self.table)
            self.features.append("rows: counted")
        self.case: Case = {"number": number, "kind": self.kind, "seed": int(seed % 1000 + 1)}

    def happens(self, chance: float) -> bool:
        """Whether something of this chance happens."""
        return bool(self.rng.random() < chance)

    def pick(self, *choices: Any) -> Any:  # noqa: ANN401
        """One of the choices."""
        return choices[self.rng.integers(len(choices))]

    def write(self) -> Case:
        """Write the table, the question, the graph and the steps."""
        table, case = self.table, self.case
        ending = self.pick("csv", "csv", "csv", *FORMATS)
        self.features.append(f"file: {ending}")
        case["data"] = "../" + write_table(self.rng, table, self.folder, ending)
        case["ending"] = ending
        if self.kind in {"frame", "parts", "predictions", "scikit-learn"}:
            typed = arrow_table(table, typed=self.happens(0.7))
            pq.write_table(typed, self.folder / "frame.parquet")
            case["source"] = self.pick("path", "pandas", "polars", "arrow", "duckdb", "counts")
            self.features.append(f"source: {case['source']}")
        given = self.kind in {"predictions", "scikit-learn"} or self.happens(0.5)
        asked = self.question(given=given)
        case["graph"] = self.graph() if given else None
        if not given:
            self.features.append("graph: learned")
        case["settings"] = self.settings(given=given)
        case["removal"] = self.removal(asked)
        case["protected"], case["names"] = table.protected, table.attributes[:1]
        case["partition"] = [name for name in table.attributes if self.happens(0.5)]
        steps: Callable[[list[str]], list[Case]] = {
            "audit": self.audit_steps,
            "certificate": self.certificate_steps,
            "release": self.release_steps,
            "compare": lambda asks: [self.run("compare", asks, "--seed", "5")],
            "discover": self.discover_steps,
            "inspect": lambda asks: [self.run("inspect", asks)],
            "init": self.init_steps,
            "bad input": lambda asks: break_case(self.rng, case, table, self.folder, asks),
        }.get(self.kind, self.call_steps)
        found = steps(self.asking(asked))
        every = _PROCESSES.get(self.kind, _OTHER_PROCESSES)
        if case["number"] % every == every // 2:
            found = [step | {"process": True} if "run" in step else step for step in found]
            self.features.append("commands: as processes")
        return write_case(self.folder, case, found, self.features)

    def question(self, *, given: bool) -> dict[str, dict[str, Any]]:
        """The tables of a question file."""
        table, rng = self.table, self.rng
        asked: dict[str, Any] = {"protected": table.protected, "decision": table.decision}
        self.ask_groups(asked)
        values = table.values(table.decision)
        self.ask_values(asked, values)
        asked["threshold"] = self.pick(*_THRESHOLDS)
        asked["judge"] = "rows"  # the base has no answer
        if self.happens(0.15):
            asked["min_rows"] = int(rng.integers(2, 6))
        self.ask_claims(asked, given=given)
        tables = {"question": asked, "data": self.codings()}
        if not given:
            tables["knowledge"] = self.knowledge()
        elif table.attributes and self.kind != "parts" and self.happens(0.06):
            kind = self.pick("add", "remove", "reverse", "open")
            edge = [table.attributes[0], table.decision, "somebody said so"]
            tables["graph"] = {kind: [edge], "judged": 2}
            self.features.append(f"graph: edited, {kind}")
        if self.happens(0.1):
            tables["labels"] = {"columns": {table.decision: "what was décided"}}
        return tables

    def ask_claims(self, asked: dict[str, Any], *, given: bool) -> None:
        """A rule by which was decided, or effects through chosen attributes."""
        table = self.table
        if table.attributes and self.happens(0.5 if table.determined else 0.02):
            asked["rule"] = [table.attributes[-1]]
            self.features.append("rule: declared")
        elif self.kind == "predictions":  # of these no effects through others are asked
            return
        elif given and table.attributes and len(table.protected) == 1 and self.happens(0.3):
            asked["redlining"] = table.attributes[:1]
            self.features.append("effects: through attributes")
            if self.happens(0.3):
                asked["redlining_threshold"] = self.pick(*_THRESHOLDS)
            if self.happens(0.3):
                asked["basis"] = self.pick("group", "all")
            if table.attributes[1:] and self.happens(0.5):
                asked["explained"] = table.attributes[1:]

    def ask_groups(self, asked: dict[str, Any]) -> None:
        """Who is compared with whom."""
        table, name = self.table, self.table.protected[0]
        if len(table.protected) > 1:
            self.features.append("groups: combinations")
            return
        asked["protected"] = name
        values = table.values(name)
        ways = ["pair", "pair", "pair", "all", "reference", "rest"]
        way = self.pick(*(ways[:3] if len(values) < 3 and self.happens(0.8) else ways))
        if way in {"pair", "rest"}:
            asked["group"] = values[-1] if self.happens(0.8) else values[0]
        others = [value for value in values if value != asked.get("group")]
        if way == "rest":
            asked["other"] = "rest"
        elif way == "reference" or (way == "pair" and (len(values) > 2 or self.happens(0.5))):
            asked["other"] = self.pick(*others) if others else "nobody"
        self.features.append(f"groups: {way}, {'many' if len(values) > 2 else 'two'}")

    def ask_values(self, asked: dict[str, Any], values: list[str]) -> None:
        """Which decisions count."""
        way = self.pick("value", "set", "every", "cumulative") if len(values) > 2 else "value"
        self.features.append(f"favorable: {way}")
        if way == "value":
            asked["favorable"] = self.pick(*values)
        elif way == "set":
            asked["favorable"] = values[:2]
        else:
            asked["criterion"] = way
        if way == "cumulative" or (way == "set" and self.happens(0.3)):
            asked["order"] = values

    def codings(self) -> dict[str, Any]:
        """How columns are read."""
        table, data = self.table, dict[str, Any]()
        data["exclude"] = [name for name in ("said", "score") if name in table.columns]
        if table.weights:
            data["frequency"] = "people"
        if table.missing is not None:
            data["missing"] = self.pick("level", "drop", "drop", "error")
            data["na"] = [table.missing] if table.missing and self.happens(0.8) else []
            self.features.append(f"missing: {data['missing']}")
        whole, decimal = ([30, 45], ["-0.5", "0.25", "1.75"])
        for name, kind in table.numbers.items():
            cuts = self.pick(
                whole if kind == "whole" else decimal,
                [">=30"] if kind == "whole" else [">=-0.1", "1.50"],
                [38] if kind == "whole" else [-1.5, 0.1],
                int(self.rng.integers(2, 4)),
            )
            data.setdefault("bins", {})[name] = cuts
            self.features.append(f"bins: {'quantiles' if isinstance(cuts, int) else kind}")
        for name in table.attributes:
            values = table.values(name)
            if name not in table.numbers and len(values) > 2 and self.happens(0.25):
                olds = self.pick(values[:2], [values[0], values[-1]], ["*"])
                data.setdefault("merge", {})[name] = {"merged": olds}
                self.features.append("merge")
        if self.happens(0.1):
            data["columns"] = [name for name in table.columns if name != "people"]
        return data

    def knowledge(self) -> dict[str, Any]:
        """What is known of a graph that is learned."""
        table, known = self.table, dict[str, Any]()
        last = [[table.effect]] if table.effect else []
        if self.happens(0.7):
            known["tiers"] = [table.protected, ["*"], [table.decision], *last]
        for name in table.attributes:
            if self.happens(0.3):
                how = self.pick("require", "require", "forbid")
                known.setdefault(how, []).append([name, table.decision])
        self.features += [f"known: {how}" for how in known]
        return known

    def graph(self) -> str:
        """Write a graph of the table in one of the formats that are read."""
        table = self.table
        arrows = [[name, table.decision] for name in table.protected if self.happens(0.85)]
        arrows += [[name, table.decision] for name in table.attributes if self.happens(0.85)]
        arrows += [[table.protected[0], name] for name in table.attributes if self.happens(0.5)]
        arrows += [[table.decision, table.effect]] if table.effect else []
        nodes = [*table.protected, *table.attributes, table.decision]
        nodes += [table.effect] if table.effect else []
        undirected = []
        if self.kind != "scikit-learn" and table.attributes and self.happens(0.25):
            name = self.pick(*table.attributes)
            arrows = [arrow for arrow in arrows if name not in arrow]
            undirected = [[name, table.decision]]
        form = self.pick("edges", "json", "dot", "dagitty") if table.plain else "json"
        self.features.append(f"graph: {form}{', open' * bool(undirected)}")
        text, name = written_graph(form, nodes, arrows, undirected)
        (self.folder / name).write_text(text)
        return f"../{name}"

    def settings(self, *, given: bool) -> dict[str, Any]:
        """How an audit judges and learns."""
        chosen: dict[str, Any] = {}
        if self.happens(0.15):
            chosen["scope"] = self.pick("minimal", "all")
        if self.kind in {"release", "frame"} and self.happens(0.6):
            chosen["min_coverage"] = "0.1"  # fewer releases are refused
        elif self.happens(0.4):
            chosen["min_coverage"] = self.pick("0.5", "0.1", "1", "0.99")
        if not given:
            if self.happens(0.4):
                chosen["significance"] = self.pick(0.05, 0.2, 0.001)
            if self.happens(0.2):
                chosen["test"] = self.pick("g-square", "chi-square-adjusted")
            if self.happens(0.1):
                chosen["max_depth"] = self.pick(0, 1)
            if self.happens(0.12):
                chosen["local"] = True
        self.features += [f"setting: {name}" for name in chosen]
        return chosen

    def removal(self, asked: dict[str, dict[str, Any]]) -> Case:
        """A method of removal, its policy and its settings."""
        simple = asked["question"].get("criterion") is None
        pair = simple and "group" in asked["question"]  # the baselines know two groups only
        ways = _REMOVALS if pair or self.happens(0.1) else _REMOVALS[:1] + _REMOVALS[3:4]
        method, policy, certified = self.pick(*(ways if simple else _REMOVALS[:1]))
        if asked["question"].get("redlining"):  # what is planned there besides will go
            method, policy, certified = _REMOVALS[0]
        if not simple and self.happens(0.3):
            policy = "rows"
        if method == "modify-data" and not certified and self.happens(0.2):
            certified = True  # refused without --uncertified
        chosen: Case = {"method": method, "policy": policy, "uncertified": not certified}
        if method.startswith("modify") and self.happens(0.15):
            chosen["margin"] = self.pick("0.01", "1/50")
        if simple and policy in {"minimal", "raise"}:
            if self.happens(0.1):
                chosen["only"] = [self.table.values(self.table.protected[0])[0]]
            elif self.happens(0.15) and "score" in self.table.columns:
                chosen["rank"] = "score"
        return chosen

    def asking(self, asked: dict[str, dict[str, Any]]) -> list[str]:
        """Write the question file; return the options that name it, or say the same."""
        (self.folder / "question.toml").write_text(toml(asked))
        if self.table.plain and self.kind != "init" and self.happens(0.25):
            options = None if self.leaves_open(asked["data"]) else as_options(asked)
            if options is not None:
                self.features.append("asked: by options")
                return options
        return ["--question", "../question.toml"]

    def leaves_open(self, data: dict[str, Any]) -> bool:
        """Whether options would let missing values be guessed, which the base did not do."""
        return bool(self.table.markers() - {*data.get("na", ())})

    def run(self, verb: str, asks: list[str], *more: str, wide: bool = True) -> Case:
        """A command with the question, the graph and the settings that its verb takes."""
        options = [*asks]
        learned = {"significance", "test", "max_depth", "local"}
        taken = learned | {"scope", "min_coverage"} if wide else learned
        taken = set() if verb in {"inspect", "init"} else taken
        for name, value in self.case["settings"].items():
            if name in taken:
                option = "--" + name.replace("_", "-")
                options += [option] if value is True else [option, str(value)]
        if self.case["graph"] and taken and wide:
            options += ["--graph", self.case["graph"]]
        options += [] if verb == "init" else ["--json"]
        options += ["--judge", "rows"] if verb == "audit" else []
        return {"run": [verb, self.case["data"], *options, *more]}

    def audit_steps(self, asks: list[str]) -> list[Case]:
        """An audit, sometimes with what it tells besides."""
        more = [*["--assurance", "0.9"] * self.happens(0.3), *["--arrows"] * self.happens(0.06)]
        more += ["--bootstrap", "3", "--seed", "3"] * self.happens(0.05)
        return [self.run("audit", asks, *more)]

    def certificate_steps(self, asks: list[str]) -> list[Case]:
        """An audit's certificate, checked from its numbers and against the data."""
        shared = (
            ["--share", "--least-count", self.pick("3", "10")] if self.happens(0.35) else []
        )
        self.features.append("certificate: shared" if shared else "certificate: full")
        file = "certificate.json"
        steps = [self.run("audit", asks, "--certificate", file, *shared)]
        steps += [{"run": ["verify", file, "--json"]}, {"check": [file]}]
        if self.happens(0.3):
            steps[1]["run"][2:2] = ["--expect", "certified"]
        way, text = self.pick("verify", "check", "shorter"), self.case["ending"] == "csv"
        if way == "verify" and not shared:
            steps.append({"run": ["verify", file, self.case["data"], "--json"]})
        elif way == "check" and text:
            steps.append({"check": [file, self.case["data"]]})
        elif way == "shorter" and text and not shared:
            data = (self.folder / "table.csv").read_bytes()
            (self.folder / "shorter.csv").write_bytes(data[: data.rstrip().rfind(b"\n") + 1])
            steps.append({"run": ["verify", file, "../shorter.csv", "--json"]})
            self.features.append("certificate: against other rows")
        return steps

    def release_steps(self, asks: list[str]) -> list[Case]:
        """A release, what it wrote, and its certificate."""
        chosen, ending = self.case["removal"], self.case["ending"]
        name = "out" if not chosen["uncertified"] else "out.uncertified"
        options = ["--method", chosen["method"], "--seed", str(self.case["seed"])]
        for option in ("policy", "margin", "rank"):
            options += [f"--{option}", chosen[option]] if chosen.get(option) else []
        options += [word for one in chosen.get("only", ()) for word in ("--only", one)]
        options += ["--uncertified"] * chosen["uncertified"]
        options += ["--share"] * self.happens(0.2)
        self.features.append(f"method: {chosen['method']}, {chosen['policy']}")
        if self.happens(0.1):
            return [self.run("release", asks, *options, "--dry-run")]
        if "score" in self.table.columns and self.happens(0.3):
            options += ["--drop", "score"]
        steps = [self.run("release", asks, *options, "--output", f"out.{ending}")]
        steps.append({"read": f"{name}.{ending}"})
        if self.happens(0.6):
            steps.append({"check": [f"{name}.certificate.json"]})
        if self.happens(0.3):
            steps.append(
                {"run": ["verify", f"{name}.certificate.json", f"{name}.{ending}", "--json"]}
            )
        return steps

    def discover_steps(self, asks: list[str]) -> list[Case]:
        """A learned graph, and sometimes the audit with it as it was saved."""
        algorithm = ["--algorithm", self.pick("stable", "stable", "original")]
        found = self.run("discover", asks, *algorithm, wide=False) | {"save": "learned.json"}
        if not self.happens(0.4):
            return [found]
        self.case["graph"] = "learned.json"
        return [found, self.run("audit", asks)]

    def init_steps(self, _: list[str]) -> list[Case]:
        """A question file drafted from the table, and the audit that it asks for."""
        table = self.table
        named = ["--decision", table.decision, "--protected", table.protected[0]]
        named = [*named, "--output", "draft.toml"]
        self.case["graph"], self.case["settings"] = None, {}
        return [
            self.run("init", named),
            {"read": "draft.toml"},
            self.run("audit", ["--question", "draft.toml"]),
        ]

    def call_steps(self, asks: list[str]) -> list[Case]:
        """Calls of the public Python names; predictions sometimes by a command."""
        chosen = self.case["removal"]
        if self.kind in {"frame", "predictions"}:
            self.features.append(f"method: {chosen['method']}, {chosen['policy']}")
        if self.kind == "predictions" and self.happens(0.35):
            labels = ["--labels", self.table.decision] if self.happens(0.6) else []
            return [self.run("audit", asks, "--predictions", "said", *labels)]
        return [{"call": self.kind}]


def make_case(seed: int, number: int, folder: Path) -> Case:
    """Write the case of this number to the folder; the first is about the paper's data."""
    if number == 0:
        return write_case(folder, {"number": 0, "kind": "data sets"}, [{"call": "data sets"}])
    return Writer(seed, number, folder).write()


def write_case(
    folder: Path, case: Case, steps: list[Case], features: Iterable[str] = ()
) -> Case:
    """Write what a worker reads."""
    case = {**case, "steps": steps, "features": [f"kind: {case['kind']}", *features]}
    (folder / "case.json").write_text(json.dumps(case, indent=1, ensure_ascii=False))
    return case


def toml(tables: dict[str, Any]) -> str:
    """Question tables as TOML, whose strings, lists and numbers are those of JSON."""
    lines: list[str] = []

    def add(path: list[str], table: dict[str, Any]) -> None:
        lines.append("[" + ".".join(map(json.dumps, path)) + "]")
        lines.extend(
            f"{json.dumps(key)} = {json.dumps(value, ensure_ascii=False)}"
            for key, value in table.items()
            if not isinstance(value, dict)
        )
        for key, value in table.items():
            if isinstance(value, dict):
                add([*path, key], value)

    for name, table in tables.items():
        add([name], table)
    return "\n".join(lines) + "\n"


def as_options(asked: dict[str, dict[str, Any]]) -> list[str] | None:
    """The same question as options, or None where something cannot be said by them."""
    question, data, known = asked["question"], asked["data"], asked.get("knowledge", {})
    texts = json.dumps([data.get("merge"), data.get("exclude")])
    if {"graph", "labels"} & {*asked} or any(mark in texts for mark in ('\\"', ";f", "c,d")):
        return None
    said: list[tuple[str, Any]] = [
        (key.replace("_", "-"), one)
        for key, value in question.items()
        for one in (value if isinstance(value, list) else [value])
        if key != "judge"
    ]
    said += [("tiers", "|".join(map(",".join, known["tiers"])))] if "tiers" in known else []
    said += [
        (key, "->".join(edge)) for key in ("require", "forbid") for edge in known.get(key, ())
    ]
    for name, cuts in data.get("bins", {}).items():
        text = f"quantiles:{cuts}" if isinstance(cuts, int) else ",".join(map(str, cuts))
        said.append(("bin", f"{name}={text}"))
    for name, merged in data.get("merge", {}).items():
        said += [("merge", f"{name}:{new}={','.join(olds)}") for new, olds in merged.items()]
    said += [(key, ",".join(data[key])) for key in ("exclude", "columns") if data.get(key)]
    said += [(key, data[key]) for key in ("missing", "frequency") if key in data]
    return [
        f"--{key}={value}" for key, value in (*said, *(("na", na) for na in data.get("na", ())))
    ]


def written_graph(
    form: str, nodes: list[str], arrows: list[list[str]], undirected: list[list[str]]
) -> tuple[str, str]:
    """A graph as text in a format, and the name of its file."""
    marks = {"edges": ("->", "-", ""), "dot": ("->", "->", " [dir=none]")}
    directed, open_mark, end = marks.get(form, ("->", "--", ""))
    lines = [*nodes, *(f"{a} {directed} {b}" for a, b in arrows)]
    lines += [f"{a} {open_mark} {b}{end}" for a, b in undirected]
    if form == "json":
        graph = {"nodes": nodes, "arrows": arrows, "undirected": undirected}
        text = json.dumps(graph)
    elif form == "edges":
        text = "\n".join(lines)
    elif form == "dot":
        text = "digraph { " + "; ".join(lines) + " }"
    else:
        text = ("pdag" if undirected else "dag") + " {\n" + "\n".join(lines) + "\n}\n"
    endings = {"json": "json", "dot": "dot"}
    return text, f"graph.{endings.get(form, 'txt')}"

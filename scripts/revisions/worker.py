"""Runs the steps of cases under one revision of evenhand, which PYTHONPATH names.

    python worker.py SIDE

Standard input names a case's folder on each line. The worker runs the steps in FOLDER/SIDE,
writes what came out to FOLDER/SIDE.json, and answers with a line. It must run under any
revision, so it knows nothing of evenhand but its public names.
"""

import contextlib
import functools
import hashlib
import inspect
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer.main

import evenhand as eh
from evenhand.__main__ import main  # type: ignore[attr-defined]
from evenhand.cli.application import app
from evenhand.graph.skeleton import Skeleton

Case = dict[str, Any]
_METHODS: dict[str, Callable[..., Any]] = {
    "modify-data": eh.ModifyData,
    "modify-graph": eh.ModifyGraph,
    "shuffle-protected": eh.ShuffleProtected,
    "local-massaging": eh.LocalMassaging,
    "local-preferential-sampling": eh.LocalPreferentialSampling,
}
# What verbs never took, whatever they take now by ``--set``.
_THROUGH = {"--redlining", "--explained", "--redlining-threshold", "--basis"}
_JUDGING = _THROUGH | {"--scope", "--min-coverage"}
_LEARNING = {"--tiers", "--require", "--forbid", "--significance", "--test", "--max-depth"}
_NEVER_OFFERED = {
    "discover": _JUDGING,
    "inspect": _JUDGING | _LEARNING | {"--local"},
    "init": _JUDGING | _LEARNING | {"--local"},
}
_ACCEPTED = "The releases of two revisions are compared."
_POLICIES: tuple[Any, ...] = ("minimal", "group", "raise", "paper", "printed")


def run_case(folder: Path, side: str) -> None:
    """Run all steps of a case; each gives a status, and a document where there is one.

    What is ``told`` of an error is there to be read, and not compared.
    """
    case = json.loads((folder / "case.json").read_text())
    own = folder / side
    own.mkdir(exist_ok=True)
    with contextlib.chdir(own):
        found = [_run_step(step, case) for step in case["steps"]]
    (folder / f"{side}.json").write_text(json.dumps(found))


def _run_step(step: Case, case: Case) -> Case:
    try:
        if "run" in step:
            return _command(step)
        if "check" in step:
            return _as_process(
                ["-m", "evenhand.checker", *step["check"], "--json"], alone=False
            )
        if "read" in step:
            return {"status": 0, "document": _content(Path(step["read"]))}
        return {"status": 0, "document": dict(_CALLS[step["call"]](case))}
    except eh.EvenhandError as error:
        return {"status": error.exit_status, "document": None, "told": str(error)}
    except Exception as error:  # noqa: BLE001  # a crash is a result, and the next case follows
        told = traceback.format_exc()
        return {"status": f"crash: {type(error).__name__}", "document": None, "told": told}


def _command(step: Case) -> Case:
    if step.get("process"):
        return _as_process(["-m", "evenhand", *_as_offered(step["run"])], alone=True)
    result = _captured(main, ["evenhand", *_as_offered(step["run"])])
    if "save" in step:
        Path(step["save"]).write_text(json.dumps(result["document"]))
    return result


def _as_offered(words: list[str]) -> list[str]:
    """The command with ``--set`` for what was an option once, if its verb has it now."""
    verb, *rest = words
    options = {o: p for p in _verbs()[verb].params for o in p.opts}
    if "--set" not in options:
        return words
    said, typed = iter(rest), [verb]
    if "--accept-graph" in options:
        typed += ["--accept-graph", _ACCEPTED]
    for word in said:
        name, mark, value = word.partition("=")
        never = {"--fairness", *_NEVER_OFFERED.get(verb, ())}
        if name in never or not name.startswith("--"):
            typed.append(word)
        elif name in options:
            typed += [word] if mark or options[name].is_flag else [word, next(said)]
        elif name in {"--local", "--doubt", "--arrows"}:
            typed += ["--set", name[2:]]
        else:
            typed += ["--set", _setting(verb, name[2:], value if mark else next(said))]
    return typed


@functools.cache
def _verbs() -> dict[str, Any]:
    root: Any = typer.main.get_command(app)
    return dict(root.commands)


def _setting(verb: str, option: str, value: str) -> str:
    """What an option of old is as a key with its value."""
    if option == "merge":
        column, _, rest = value.partition(":")
        new, _, olds = rest.partition("=")
        return f'merge."{column}"."{new}"={olds}'
    if option == "bin":
        return f"bins.{value}"
    key = "bootstrap_seed" if (verb, option) == ("audit", "seed") else option
    return f"{key.replace('-', '_')}={value}"


def _as_process(arguments: list[str], *, alone: bool) -> Case:
    """What ``python -m MODULE`` gives, in a process of its own or in this one."""
    if alone:
        run = subprocess.run(  # our own interpreter
            [sys.executable, *arguments], capture_output=True, text=True, check=False
        )
        return {"status": run.returncode, "document": _parsed(run.stdout)}
    module = functools.partial(runpy.run_module, arguments[1], run_name="__main__")
    return _captured(module, arguments[1:])


def _captured(call: Callable[[], object], arguments: list[str], *, keep: bool = False) -> Case:
    """The exit status of a command that runs in this process, and the JSON that it prints."""
    out, before = io.StringIO(), sys.argv
    sys.argv, status = arguments, 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            call()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.argv = before
    text = {"text": out.getvalue()} if keep else {}
    return {"status": status, "document": _parsed(out.getvalue()), **text}


def _parsed(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text) if text.startswith("{") else None
    except ValueError:
        return {"json": "broken"}


def _content(path: Path) -> Case:
    """What a file holds: bytes of text, content of Parquet and Arrow, tables of TOML."""
    if not path.exists():
        return {"exists": False}
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text())
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq  # noqa: PLC0415

        return _rows(pq.read_table(path))
    if path.suffix in {".arrow", ".feather"}:
        from pyarrow import feather  # noqa: PLC0415

        return _rows(feather.read_table(path))
    data = path.read_bytes()
    if path.suffix == ".gz":
        import gzip  # noqa: PLC0415

        data = gzip.decompress(data)
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _rows(table: Any) -> Case:  # noqa: ANN401  # any kind of table
    """The kind of a table, its types, and a digest of its values in their order."""
    if isinstance(table, eh.CountTable):
        return {"kind": "counts", "rows": table.row_count, "sha256": table.digest}
    if isinstance(table, eh.Rows):  # of a file, whose text is compared where it is written
        return _rows(table.count())
    kind, types = type(table).__module__.partition(".")[0], []
    if kind == "pandas":
        types = [str(one) for one in table.dtypes] + [str(table.index.dtype)]
        values: Any = {"index": [*map(str, table.index)], **_by_name(table.columns, table)}
    else:
        arrow = table if kind == "pyarrow" else table.to_arrow()
        types = [str(one) for one in (table.dtypes if kind == "polars" else arrow.schema.types)]
        values = arrow.to_pydict()
    text = json.dumps(values, default=str)
    found = {"kind": kind, "names": [*values], "types": types, "rows": len(table)}
    return {**found, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _by_name(names: Any, table: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    return {str(name): table[name].tolist() for name in names}


def _source(case: Case, codings: Any) -> Any:  # noqa: ANN401
    """The table as the kind of object that the case asks for."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    kind, path = case["source"], "../frame.parquet"
    if kind in {"path", "counts"}:
        return case["data"] if kind == "path" else eh.read(path, codings=codings).count()
    table = pq.read_table(path)
    if kind == "pandas":
        return table.to_pandas()
    if kind == "polars":
        import polars as pl  # noqa: PLC0415

        return pl.from_arrow(table)
    if kind == "duckdb":
        return _duckdb().from_arrow(table)
    return table


@functools.cache
def _duckdb() -> Any:  # noqa: ANN401
    import duckdb  # noqa: PLC0415

    return duckdb.connect(config={"threads": 1})


def _asked(case: Case) -> tuple[Any, Any]:
    """The question file and the graph, if one is given."""
    graph = eh.load_graph(case["graph"]) if case["graph"] else None
    return eh.QuestionFile.load("../question.toml"), graph


def _method(chosen: Case) -> Any:  # noqa: ANN401
    method, settings = chosen["method"], dict[str, Any]()
    if method == "modify-data":
        settings = {"policy": chosen["policy"]}
        settings |= {key: chosen[key] for key in ("only", "rank", "margin") if key in chosen}
    elif method == "modify-graph":
        settings = {"margin": chosen["margin"]} if "margin" in chosen else {}
        settings |= {} if chosen["policy"] == "quotas" else {chosen["policy"]: True}
    return _METHODS[method](**settings)


def _attempt(call: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401
    """The value of a call, or the status of its refusal."""
    try:
        return call(*arguments, **settings)
    except eh.EvenhandError as error:
        return f"refused: {error.exit_status}"


def _plan(planned: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401
    """What a plan says of itself, or the status of its refusal."""
    plan = _attempt(planned, *arguments, **settings)
    names = ("method", "policy", "changed_rows", "cell_changes", "reaches_criterion")
    return (
        plan if isinstance(plan, str) else {name: getattr(plan, name, None) for name in names}
    )


def _release(released: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401
    """What a release says of itself, and its rows, or the status of its refusal."""
    # The base has no answer that could keep a release back.
    if "accept_graph" in inspect.signature(released).parameters:
        settings["accept_graph"] = _ACCEPTED

    def told() -> Case:
        release = released(*arguments, **settings)
        after = str(release.certificate.verdict)
        return {**release.to_dict(), "released": _rows(release.rows), "after": after}

    return _attempt(told)


def _frame(case: Case) -> Iterator[tuple[str, Any]]:
    """An audit of a table in memory, or of a path, and a release of it."""
    file, graph = _asked(case)
    source = _source(case, file.codings)
    codings = eh.Codings() if case["source"] == "counts" else None
    audit = eh.audit(source, file, graph=graph, codings=codings, **case["settings"])
    yield "audit", audit.to_dict()
    yield "exit_status", audit.exit_status
    yield "digest", audit.counts.digest
    yield "subpopulations", audit.subpopulations.to_arrow().to_pydict()
    for policy in (_POLICIES[case["number"] % 5], _POLICIES[case["number"] // 5 % 5]):
        yield f"plan {policy}", _plan(audit.plan, method=eh.ModifyData(policy=policy))
    yield "plan quotas", _plan(audit.plan, method=eh.ModifyGraph())
    chosen, unsure = case["removal"], case["removal"]["uncertified"]
    settings = {"method": _method(chosen), "seed": case["seed"], "uncertified": unsure}
    yield "release", _release(audit.release, **settings)


def _parts(case: Case) -> Iterator[tuple[str, Any]]:
    """The same in parts: counts, graph, evidence, plan and release of counts."""
    file, graph = _asked(case)
    question, known, seed = file.question, file.knowledge, case["seed"]
    source = case["data"] if case["source"] == "counts" else _source(case, None)
    counts = eh.read(source, codings=file.codings).count()
    yield "counts", {"digest": counts.digest, "rows": counts.row_count, "names": counts.names}
    yield "values", {name: counts.values(name) for name in counts.names}
    examined = _attempt(eh.examined_counts, counts, question)
    yield "examined", examined if isinstance(examined, str) else examined.counts.digest
    chosen = case["settings"]
    if graph is None:
        search = {key: chosen[key] for key in ("significance", "test") if key in chosen}
        graph = eh.discover(counts, knowledge=known, **search)
        causes = eh.find_causes(counts, question.decision, knowledge=known, **search)
        yield "causes", causes.to_dict()
    elif isinstance(graph, eh.CausalGraph):
        yield "block_sets", [sorted(one) for one in graph.block_sets(question)]
    yield "graph", graph.to_dict()
    asked: tuple[Any, ...] = (counts, graph, question)
    scope = chosen.get("scope", "causes")
    certificate = eh.certify(*asked, knowledge=known, scope=scope)
    yield "certificate", certificate.to_dict()
    relaxed = _attempt(eh.certify_relaxed, *asked, assurance="0.75", knowledge=known)
    partition = _attempt(eh.explain_partition, *asked, case["partition"])
    paths = _attempt(eh.measure_paths, *asked) if question.redlining else "not asked"
    for name, found in (("relaxed", relaxed), ("partition", partition), ("paths", paths)):
        yield name, found if isinstance(found, str) else found.to_dict()
    if case["number"] % 10 == 0:
        compared = _attempt(eh.compare, certificate, seed=seed)
        yield "compare", compared if isinstance(compared, str) else compared.to_dict()
    method = eh.ModifyData() if case["number"] % 2 else eh.ModifyGraph()
    plan = _attempt(eh.plan_removal, certificate, method=method)
    yield "plan", _plan(lambda: plan) if not isinstance(plan, str) else plan
    if not isinstance(plan, str):
        yield "release", _release(eh.release, counts, plan, seed=seed)


def _predictions(case: Case) -> Iterator[tuple[str, Any]]:
    """An audit of the column of predictions, and a release of them."""
    file, graph = _asked(case)
    source = "arrow" if case["source"] == "counts" else case["source"]
    audit = eh.audit_predictions(
        _source({**case, "source": source}, None),
        "said",
        file,
        graph=graph,
        labels=file.question.decision if case["number"] % 2 else None,
        scores="score" if case["removal"].get("rank") else None,
    )
    yield "audit", audit.to_dict()
    yield "release", _release(audit.release, seed=case["seed"])


def _sklearn(case: Case) -> Iterator[tuple[str, Any]]:
    """The resampler and the metric."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    from evenhand.sklearn import RemoveDirectEffect, conditional_difference  # noqa: PLC0415

    file, graph = _asked(case)
    people = pq.read_table("../frame.parquet").to_pandas()
    y = people[file.question.decision]
    alike = {
        "sensitive_features": people[case["protected"]],
        "control_features": people[case["names"]] if case["names"] else None,
        "favorable": file.question.favorable or y[0],
        "codings": eh.Codings.of(missing="level"),
    }
    for statistic in ("largest", "common"):
        settings = {"statistic": statistic, **alike}
        yield statistic, _attempt(conditional_difference, y, people["said"], **settings)
    seed = case["seed"]
    remove = RemoveDirectEffect(file, graph=graph, random_state=seed, min_coverage="0.1")
    fitted = _attempt(remove.fit_resample, people.drop(columns=[y.name]), y)
    if isinstance(fitted, str):
        yield "fit", fitted
        return
    yield "changed_rows", remove.changed_rows_
    yield "verdict", str(remove.certificate_.verdict)
    yield "y", _rows(fitted[1].to_frame())
    yield "kept", [*map(int, remove.sample_indices_)]


def _data_sets(_: Case) -> Iterator[tuple[str, Any]]:
    """The paper's data with their questions, and the list of public names."""
    yield "names", sorted(eh.__all__)
    graph = eh.CausalGraph.parse(
        "gender -> major; gender -> admission; major -> admission; test_score -> admission"
    )
    for example in (1, 2):
        asked = eh.datasets.question("admissions")
        audit = eh.audit(eh.datasets.admissions(example), asked, graph=graph, judge="rows")
        yield f"admissions {example}", audit.to_dict()
    tiers = eh.Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    asked = eh.datasets.question("adult")
    audit = eh.audit(eh.datasets.adult(), asked, knowledge=tiers, judge="rows")
    yield "adult", audit.to_dict()
    yield "plan", _plan(audit.plan)
    for name, counts in (
        ("adult", audit.counts),
        ("paper", eh.datasets.adult(paper=True)),
        ("five", eh.datasets.adult(race="five")),
    ):
        yield f"digest {name}", counts.digest


def _paper(_: Case) -> Iterator[tuple[str, Any]]:
    """How often each figure occurs in what ``evenhand paper`` prints; times are left out."""
    found = _captured(main, ["evenhand", "paper"], keep=True)
    yield "exit_status", found["status"]
    tables = [one for one in found["text"].split("\n\n") if "seconds\n" not in one]
    figures = re.findall(r"[−+-]?\d[\d,.]*\d|[−+-]?\d", "".join(tables))
    yield "figures", dict(sorted(Counter(figures).items()))


_CALLS: dict[str, Callable[[Case], Iterator[tuple[str, Any]]]] = {
    "frame": _frame,
    "parts": _parts,
    "predictions": _predictions,
    "scikit-learn": _sklearn,
    "data sets": _data_sets,
    "paper": _paper,
}


def serve(side: str) -> None:
    """Answer the cases that standard input names, until it ends."""
    warnings.simplefilter("ignore")
    # The tree of commands is built once instead of for each command: a third of its time.
    typer.main.get_command = functools.cache(typer.main.get_command)
    # The base did not keep two columns that separate each other from the decision.
    Skeleton.join_together = lambda *_: None
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints by itself is no answer
    answers.write(f"{Path(eh.__file__).parent.parent}\n")
    answers.flush()
    for line in sys.stdin:
        run_case(Path(line.rstrip("\n")), side)
        answers.write("done\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])

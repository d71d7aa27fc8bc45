"""Runs the steps of cases under one revision of evenhand, which PYTHONPATH names.

    python worker.py SIDE

Standard input names a case's folder on each line. The worker runs the steps in FOLDER/SIDE,
writes what came out to FOLDER/SIDE.json, and answers with a line. It must run under any
revision, so it knows nothing of evenhand but its public names.
"""

import contextlib
import functools
import hashlib
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
from evenhand.__main__ import main

Case = dict[str, Any]
_METHODS: dict[str, Callable[..., Any]] = {
    "modify-data": eh.ModifyData,
    "modify-graph": eh.ModifyGraph,
    "shuffle-protected": eh.ShuffleProtected,
    "local-massaging": eh.LocalMassaging,
    "local-preferential-sampling": eh.LocalPreferentialSampling,
}
_POLICIES = ("minimal", "group", "raise", "paper", "printed")


def run_case(folder: Path, side: str) -> None:
    """Run all steps of a case; each gives a status, and a document where there is one."""
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
        return {"status": error.exit_status, "document": None}
    except Exception as error:  # noqa: BLE001  # a crash is a result, and the next case follows
        told = traceback.format_exc()  # to be read in the case's folder, not compared
        return {"status": f"crash: {type(error).__name__}", "document": None, "told": told}


def _command(step: Case) -> Case:
    if step.get("process"):
        return _as_process(["-m", "evenhand", *step["run"]], alone=True)
    result = _captured(main, ["evenhand", *step["run"]])
    if "save" in step:
        Path(step["save"]).write_text(json.dumps(result["document"]))
    return result


def _as_process(arguments: list[str], *, alone: bool) -> Case:
    """What ``python -m MODULE`` gives, in a process of its own or in this one."""
    if alone:
        run = subprocess.run(  # noqa: S603  # our own interpreter
            [sys.executable, *arguments], capture_output=True, text=True, check=False
        )
        return {"status": run.returncode, "document": _parsed(run.stdout)}
    module = arguments[1]
    return _captured(
        lambda: runpy.run_module(module, run_name="__main__", alter_sys=False), arguments[1:]
    )


def _captured(call: Callable[[], object], arguments: list[str]) -> Case:
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
    return {"status": status, "document": _parsed(out.getvalue())}


def _parsed(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text) if text.startswith("{") else None
    except ValueError:
        return {"json": "broken"}


def _content(path: Path) -> Case:
    """What a written file holds: bytes of text, content of Parquet and Arrow, tables of TOML."""
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
        import polars  # noqa: PLC0415

        return polars.from_arrow(table)
    if kind == "duckdb":
        import duckdb  # noqa: PLC0415

        return duckdb.connect(config={"threads": 1}).from_arrow(table)
    return table


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


def _attempt(call: Callable[[], Any]) -> Any:  # noqa: ANN401
    """The value of a call, or the status of its refusal."""
    try:
        return call()
    except eh.EvenhandError as error:
        return f"refused: {error.exit_status}"


def _plan(plan: Any) -> Case:  # noqa: ANN401
    names = ("method", "policy", "changed_rows", "cell_changes", "reaches_criterion")
    return {name: getattr(plan, name) for name in names if hasattr(plan, name)}


def _release(release: Any) -> Case:  # noqa: ANN401
    found = release.to_dict()
    return {**found, "released": _rows(release.rows), "after": str(release.certificate.verdict)}


def _frame(case: Case) -> Iterator[tuple[str, Any]]:
    """An audit of a table in memory, or of a path, and the releases of it."""
    file, graph = _asked(case)
    source, codings = _source(case, file.codings), None
    if case["source"] == "counts":
        codings = eh.Codings()
    audit = eh.audit(source, file, graph=graph, codings=codings, **case["settings"])
    yield "audit", audit.to_dict()
    yield "exit_status", audit.exit_status
    yield "digest", audit.counts.digest
    yield "subpopulations", audit.subpopulations.to_arrow().to_pydict()
    for policy in (_POLICIES[case["number"] % 5], _POLICIES[case["number"] // 5 % 5]):
        method = eh.ModifyData(policy=policy)
        yield f"plan {policy}", _attempt(lambda method=method: _plan(audit.plan(method=method)))
    chosen, seed = case["removal"], case["seed"]
    yield (
        "release",
        _attempt(
            lambda: _release(
                audit.release(
                    method=_method(chosen), seed=seed, uncertified=chosen["uncertified"]
                )
            )
        ),
    )


def _parts(case: Case) -> Iterator[tuple[str, Any]]:
    """The same in parts: counts, graph, evidence, plan and release of counts."""
    file, graph = _asked(case)
    question, known, seed = file.question, file.knowledge, case["seed"]
    source = case["data"] if case["source"] == "counts" else _source(case, None)
    counts = eh.read(source, codings=file.codings).count()
    yield "counts", {"digest": counts.digest, "rows": counts.row_count, "names": counts.names}
    yield "values", {name: counts.values(name) for name in counts.names}
    yield "examined", _attempt(lambda: eh.examined_counts(counts, question).counts.digest)
    if graph is None:
        settings = {key: case["settings"].get(key) for key in ("significance", "test")}
        settings = {key: value for key, value in settings.items() if value is not None}
        graph = eh.discover(counts, knowledge=known, **settings)
        causes = eh.find_causes(counts, question.decision, knowledge=known, **settings)
        yield "causes", causes.to_dict()
    elif isinstance(graph, eh.CausalGraph):
        blocks = _attempt(lambda: [sorted(one) for one in graph.block_sets(question)])
        yield "block_sets", blocks
    yield "graph", graph.to_dict()
    narrow = {key: case["settings"][key] for key in ("scope",) if key in case["settings"]}
    certificate = eh.certify(counts, graph, question, knowledge=known, **narrow)
    yield "certificate", certificate.to_dict()
    names = case["partition"]
    explained = _attempt(
        lambda: eh.explain_partition(counts, certificate.graph, question, names).to_dict()
    )
    yield "partition", explained
    relaxed = _attempt(
        lambda: eh.certify_relaxed(
            counts, graph, question, assurance="0.75", knowledge=known
        ).to_dict()
    )
    yield "relaxed", relaxed
    if question.redlining:
        yield "paths", _attempt(lambda: eh.measure_paths(counts, graph, question).to_dict())
    if case["number"] % 6 == 0:
        yield "compare", _attempt(lambda: eh.compare(certificate, seed=seed).to_dict())
    plan = _attempt(lambda: eh.plan_removal(certificate, method=eh.ModifyData()))
    if isinstance(plan, str):
        yield "plan", plan
        return
    yield "plan", _plan(plan)
    yield "release", _attempt(lambda: _release(eh.release(counts, plan, seed=seed)))


def _predictions(case: Case) -> Iterator[tuple[str, Any]]:
    """An audit of the column of predictions, and a release of them."""
    file, graph = _asked(case)
    chosen, seed = case["removal"], case["seed"]
    scored = bool(chosen.get("rank"))
    codings = file.codings
    if case["source"] == "counts":
        case = {**case, "source": "arrow"}
    audit = eh.audit_predictions(
        _source(case, codings),
        "said",
        file,
        graph=graph,
        labels=file.question.decision if seed % 2 else None,
        scores="score" if scored else None,
    )
    yield "audit", audit.to_dict()
    yield "release", _attempt(lambda: _release(audit.release(seed=seed)))


def _sklearn(case: Case) -> Iterator[tuple[str, Any]]:
    """The resampler and the metric."""
    import numpy as np  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    from evenhand.sklearn import RemoveDirectEffect, conditional_difference  # noqa: PLC0415

    file, graph = _asked(case)
    people = pq.read_table("../frame.parquet").to_pandas()
    decision, favorable = file.question.decision, file.question.favorable
    y = people[decision]
    alike = {
        "sensitive_features": people[[*file.question.protected_names]],
        "control_features": people[case["names"]] if case["names"] else None,
        "favorable": favorable or y[0],
        "codings": eh.Codings.of(missing="level"),
    }
    for statistic in ("largest", "common"):
        value = _attempt(
            lambda statistic=statistic: float(
                conditional_difference(y, people["said"], statistic=statistic, **alike)
            )
        )
        yield statistic, value
    remove = RemoveDirectEffect(
        file, graph=graph, random_state=case["seed"], min_coverage="0.1"
    )
    fitted = _attempt(lambda: remove.fit_resample(people.drop(columns=[decision]), y))
    if isinstance(fitted, str):
        yield "fit", fitted
        return
    yield "changed_rows", remove.changed_rows_
    yield "verdict", str(remove.certificate_.verdict)
    yield "y", _rows(fitted[1].to_frame())
    yield "kept", hashlib.sha256(np.asarray(remove.sample_indices_).tobytes()).hexdigest()


def _data_sets(_: Case) -> Iterator[tuple[str, Any]]:
    """The paper's data with their questions, and the list of public names."""
    yield "names", sorted(eh.__all__)
    graph = eh.CausalGraph.parse(
        "gender -> major; gender -> admission; major -> admission; test_score -> admission"
    )
    for example in (1, 2):
        asked = eh.datasets.question("admissions")
        audit = eh.audit(eh.datasets.admissions(example), asked, graph=graph)
        yield f"admissions {example}", audit.to_dict()
    tiers = eh.Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
    audit = eh.audit(eh.datasets.adult(), eh.datasets.question("adult"), knowledge=tiers)
    yield "adult", audit.to_dict()
    yield "plan", _plan(audit.plan())
    for name, counts in (
        ("adult", audit.counts),
        ("paper", eh.datasets.adult(paper=True)),
        ("five", eh.datasets.adult(race="five")),
    ):
        yield f"digest {name}", counts.digest


def _paper(_: Case) -> Iterator[tuple[str, Any]]:
    """How often each figure occurs in what ``evenhand paper`` prints."""
    out, before = io.StringIO(), sys.argv
    sys.argv = ["evenhand", "paper"]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            main()
    except SystemExit as stop:
        yield "exit_status", stop.code
    finally:
        sys.argv = before
    figures = re.findall(r"[−+-]?\d[\d,.]*\d|[−+-]?\d", out.getvalue())
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

"""Fixed runs of the command line whose every output is compared with a recorded digest.

    python -m tests.recorded_runs FOLDER     writes all outputs there, to look at as a diff
    python -m tests.recorded_runs --record   records their digests in tests/golden/runs.json

Numbers of more than nine digits after the point are rounded and versions left out, so that the
digests do not depend on the machine; the bytes of Parquet files give way to their content.
"""

import contextlib
import gzip
import hashlib
import io
import json
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq
from tests.hiring import csv_text, people

from evenhand import datasets
from evenhand.cli import main

DIGESTS = Path(__file__).parent / "golden" / "runs.json"
HIRING = (
    "--protected sex --group f --other m --decision hired --favorable yes "
    "--columns sex,degree,hired,pay"
)
ADULT = "adult.csv --question adult.toml --frequency n"
DUTCH = "dutch.csv --question dutch.toml --frequency n"
RUNS = {
    "example 1": ["audit first.csv --question admissions.toml --frequency n --graph graph.txt"],
    "example 2": [
        (
            "audit second.csv --question admissions.toml --frequency n --graph graph.txt "
            "--certificate c.json --report r.html --partition test_score --scope all --doubt"
        ),
        "audit second.csv --question admissions.toml --frequency n --graph graph.txt --json",
        (
            "audit second.csv --question admissions.toml --frequency n --graph graph.txt "
            "--certificate shared.json --report shared.html --share --quiet"
        ),
        "verify c.json second.csv",
        "verify c.json first.csv",
        "verify shared.json",
    ],
    "example 2 released": [
        (
            "release second.csv --question admissions.toml --frequency n --graph graph.txt "
            "--output out.csv --seed 7 --share --report r.html"
        ),
        "verify out.certificate.json out.csv --expect certified",
        "verify out.manifest.json second.csv --json",
        (
            "release second.csv --question admissions.toml --frequency n --graph graph.txt "
            "--output out.csv --seed 7"
        ),
    ],
    "adult audited": [
        f"audit {ADULT} --certificate c.json --report r.html",
        f"audit {ADULT} --json --bootstrap 5",
        "verify c.json --json",
    ],
    "adult released": [f"release {ADULT} --output out.csv --seed 1 --report r.html"],
    "adult by its graph": [
        f"release {ADULT} --method modify-graph --output out.csv --seed 2 --json",
        f"release {ADULT} --method modify-graph --policy generate --output new.csv --seed 3",
    ],
    "adult compared": [f"compare {ADULT} --thresholds 0.05,0.1 --seed 4"],
    "adult discovered": [
        f"discover {ADULT}",
        f"discover {ADULT} --format dot",
        f"discover {ADULT} --json --significance 0.05 --test g-square",
        f"discover {ADULT} --local",
    ],
    "dutch": [
        f"audit {DUTCH} --json",
        f"release {DUTCH} --output out.csv --seed 5 --report r.html --share",
    ],
    "people in files": [
        f"audit people.csv {HIRING} --json",
        f"release people.csv {HIRING} --output out.csv --seed 6 --graph hiring.txt",
        f"release people.csv {HIRING} --output one.parquet --seed 6 --graph hiring.txt --json",
        f"release people.parquet {HIRING} --output two.parquet --seed 6 --graph hiring.txt",
        (
            f"release people.csv {HIRING} --method modify-graph --output three.tsv.gz --seed 6 "
            "--graph hiring.txt"
        ),
        (
            f"release people.csv {HIRING} --policy group --output four.csv --seed 6 "
            "--graph hiring.txt --threshold 0.001"
        ),
        f"release people.csv {HIRING} --dry-run --graph hiring.txt --json",
        (
            f"release people.csv {HIRING} --method local-massaging --uncertified --output five.csv "
            "--seed 6 --graph hiring.txt"
        ),
        "verify out.manifest.json people.csv",
        "verify out.certificate.json out.csv",
        "verify out.certificate.json people.csv",
    ],
    "people in classes": [
        (
            "audit pay.csv --protected sex --group f --other rest --decision hired --favorable yes "
            "--bin pay=20,40 --merge 'degree:any=some,most' --missing level --min-coverage 0.5 "
            "--report r.html"
        ),
        (
            "release pay.csv --protected sex --group f --other rest --decision hired "
            "--favorable yes --bin pay=quantiles:3 --missing drop --min-coverage 0.5 --seed 8 "
            "--output out.csv"
        ),
    ],
    "the question file": ["init people.csv", "init pay.csv --output other.toml"],
    "broken inputs": [
        f"audit absent.csv {HIRING}",
        f"audit peeple.csv {HIRING}",
        "audit people.csv",
        "audit people.csv --protected sexx --group f --decision hired --favorable yes",
        "audit people.csv --protected sex --group f --decision degree --favorable some",
        "audit people.csv --protected sex --group g --decision hired --favorable yes",
        f"audit people.csv {HIRING} --threshold 2",
        f"audit people.csv {HIRING} --threshold 5%",
        f"audit people.csv {HIRING} --min-coverage many",
        f"audit people.csv {HIRING} --scope some",
        f"audit people.csv {HIRING} --significance 3",
        f"audit people.csv {HIRING} --test t",
        f"audit people.csv {HIRING} --tiers 'sex|nobody'",
        f"audit people.csv {HIRING} --tiers 'hired|sex' --json",
        f"audit people.csv {HIRING} --require 'hired->sex'",
        f"audit people.csv {HIRING} --require 'sex=hired'",
        f"audit people.csv {HIRING} --require 'sex->pay' --forbid 'sex->pay'",
        f"audit people.csv {HIRING} --graph people.csv",
        f"audit people.csv {HIRING} --graph cycle.txt",
        f"audit people.csv {HIRING} --bin degree=1,2",
        f"audit people.csv {HIRING} --bin degree",
        f"audit people.csv {HIRING} --merge degree",
        f"audit people.csv {HIRING} --merge 'degree:a=nothing'",
        f"audit people.csv {HIRING} --missing sometimes",
        f"audit people.csv {HIRING} --frequency degree",
        f"audit people.csv {HIRING} --memory lots",
        f"audit people.csv {HIRING} --partition nobody",
        f"audit people.csv {HIRING} --share",
        f"audit people.csv {HIRING} --certificate people.csv",
        f"audit people.csv {HIRING} --certificate absent/c.json --json",
        f"audit people.csv {HIRING} --delimiter ';'",
        "audit pay.csv --protected sex --group f --decision hired --favorable yes",
        (
            "audit pay.csv --protected sex --group f --decision hired --favorable yes "
            "--missing drop"
        ),
        "audit many.csv --protected sex --group f --decision hired --favorable yes --json",
        "audit spelled.csv --protected sex --group f --decision hired --favorable yes",
        "audit ragged.csv --protected sex --group f --decision hired --favorable yes",
        "audit twice.csv --protected sex --group f --decision hired --favorable yes",
        "audit empty.csv --protected sex --group f --decision hired --favorable yes",
        "audit latin.csv --protected sex --group f --decision hired --favorable yes",
        "audit broken.parquet --protected sex --group f --decision hired --favorable yes",
        "audit people.csv --question broken.toml",
        "audit people.csv --question wrong.toml --json",
        f"release people.csv {HIRING}",
        f"release people.csv {HIRING} --output people.csv",
        f"release people.csv {HIRING} --output out.xyz",
        f"release people.csv {HIRING} --output absent/out.csv",
        f"release people.csv {HIRING} --output out.csv --method magic",
        f"release people.csv {HIRING} --output out.csv --policy magic --graph hiring.txt",
        f"release people.csv {HIRING} --output out.csv --margin 1 --graph hiring.txt",
        f"release people.csv {HIRING} --output out.csv --policy paper",
        f"release few.csv {HIRING} --output out.csv --graph hiring.txt --policy group --seed 3",
        (
            f"release few.csv {HIRING} --output out.csv --graph hiring.txt --seed 3 "
            "--policy raise --json"
        ),
        f"release people.csv {HIRING} --output out.csv --seed -1 --graph hiring.txt",
        f"discover people.csv {HIRING} --format png",
        "discover people.csv --local",
        f"discover people.csv {HIRING} --max-tests 3",
        f"discover people.csv {HIRING} --algorithm fast",
        f"compare people.csv {HIRING} --thresholds 0.1,x --graph hiring.txt",
        "verify absent.json",
        "verify people.csv",
        "verify broken.json --json",
        "init absent.csv",
        "init people.csv --output people.csv",
        "paper --data absent",
    ],
}


def prepare(dutch):
    """Write the inputs of all runs to the current folder."""
    for name in ("admissions", "adult", "dutch"):
        Path(f"{name}.toml").write_text(str(datasets.question(name)))
    Path("graph.txt").write_text(
        "gender -> major; gender -> admission; major -> admission; test_score -> admission"
    )
    Path("hiring.txt").write_text("sex -> hired; degree -> hired; sex -> degree; hired -> pay")
    Path("cycle.txt").write_text("sex -> hired -> pay -> sex")
    counted("first.csv", datasets.admissions(1))
    counted("second.csv", datasets.admissions(2))
    counted("adult.csv", datasets.adult())
    if dutch:
        counted("dutch.csv", datasets.dutch(dutch))
    everybody = people()
    Path("people.csv").write_text(csv_text(everybody))
    Path("few.csv").write_text(csv_text(everybody[:9]))
    pq.write_table(_table("people.csv"), "people.parquet")
    pays = ["", *map(str, range(60))]
    lines = [
        ",".join([sex, degree, hired, pays[at % 7 * at % 61]])
        for at, (_, sex, degree, hired, _) in enumerate(people(3000, seed=1, groups="fmx"))
    ]
    text("pay.csv", "sex,degree,hired,pay", *lines)
    rows = [(s, m, h) for s in "fm" for m in "ab" for h in ("yes", "no") for _ in range(3)]
    plain = [",".join(row) for row in rows]
    many = [f"{line},{1000 + at}" for at, line in enumerate(plain * 80)]
    text("many.csv", "sex,major,hired,id", *many)
    text("spelled.csv", "sex,major,hired", *plain, "f,a,yes.", "m,a,yes.")
    text("ragged.csv", "sex,major,hired", *plain, "f,a")
    text("twice.csv", "sex,major,hired,sex", *(f"{line},x" for line in plain))
    text("empty.csv", "sex,major,hired")
    Path("latin.csv").write_bytes("sex,major,hired\nf,é,yes\nm,a,no\n".encode("latin-1"))
    Path("broken.parquet").write_bytes(b"PAR1 but not really")
    text("broken.toml", "[question", "protected = ")
    text("wrong.toml", "[question]", 'protected = "sex"', "[data]", "bin = 3", "[extra]")
    text("broken.json", '{"format": "evenhand certificate 1"}')


def text(name, *lines):
    Path(name).write_text("\n".join(lines) + "\n")


def counted(name, counts):
    lines = [[*counts.names, "n"], *([*labels, str(n)] for labels, n in counts)]
    Path(name).write_text(csv_lines(lines))


def csv_lines(lines):
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


def _table(path):
    from pyarrow import csv  # noqa: PLC0415

    return csv.read_csv(path, parse_options=csv.ParseOptions(newlines_in_values=True))


def outputs(commands):
    """What the commands print and write in the current folder, by name."""
    before = {path.name for path in Path().iterdir()}
    told = {}
    for number, command in enumerate(commands, 1):
        told[f"{number:02} said"] = f"$ evenhand {command}\n{said(shlex.split(command))}"
    for path in sorted(Path().iterdir()):
        if path.name not in before:
            told[path.name] = content(path)
            path.unlink()
    return {name: normalized(text) for name, text in told.items()}


def said(arguments):
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["evenhand", *arguments]),
        mock.patch("secrets.token_bytes", bytes),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            status = stop.code or 0
    return f"{out.getvalue()}--- errors\n{err.getvalue()}--- status {status}\n"


def content(path):
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return f"{table.schema}\n{json.dumps(table.to_pylist())}"
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    return path.read_bytes().decode("latin-1")


def normalized(told):
    told = re.sub(r'"versions":\s*\{[^}]*\}', '"versions": {}', told)
    told = re.sub(r'"(certificate_sha256|seal)": ?"[0-9a-f]+"', r'"\1": ""', told)
    if re.search(r'"name": ?"[^"]*[.](parquet|gz)"', told):
        told = re.sub(r'"(bytes|sha256)": ?("[0-9a-f]+"|[0-9]+)', r'"\1": ""', told)
    told = told.replace(str(Path.cwd()), "FOLDER")
    told = re.sub(r"[Gg]enerated \d+ \w+ \d{4}|\d{1,2} [A-Z][a-z]+ 20\d\d", "DATE", told)
    return re.sub(r"-?\d+\.\d{9,}(?:e[-+]?\d+)?|\d\.\d+e[-+]?\d+", rounded, told)


def rounded(match):
    return f"{float(match[0]):.9g}"


def dutch_file():
    beside = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("EVENHAND_DATA", beside)) / "dutch" / "dutch_census_2001.arff"
    return path if path.is_file() else None


def run(name):
    """All outputs of one group of runs."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        prepare(dutch_file() if name == "dutch" else None)
        return outputs(RUNS[name])


def digests(found):
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in found.items()}


def main_program(argument):
    found = {name: run(name) for name in RUNS}
    if argument == "--record":
        told = {name: digests(outputs) for name, outputs in found.items()}
        DIGESTS.write_text(json.dumps(told, indent=1) + "\n")
        return
    for name, texts in found.items():
        for output, told in texts.items():
            path = Path(argument, name, output)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(told)


if __name__ == "__main__":
    main_program(sys.argv[1])

"""Fixed runs of the command line, whose outputs are compared with those that were reviewed.

    python -m tests.recorded_runs --record   writes tests/golden anew (``make goldens``)
    python -m tests.recorded_runs FOLDER     writes all outputs there whole, to compare folders

``tests/golden/runs.txt`` lists the commands in groups; each group has a file of its outputs.
What is long is shortened as ``tests/readable.py`` says. Numbers of more than nine digits after
the point are rounded; versions, seconds and dates are left out, so that nothing depends on the
machine. Parquet files are compared by content. One report is kept whole, as a page.
"""

import contextlib
import gzip
import io
import json
import re
import shlex
import sys
import tempfile
from difflib import unified_diff
from math import inf
from pathlib import Path
from string import Template
from unittest import mock

import pyarrow.parquet as pq
from tests.data_folder import ABSENT, DUTCH
from tests.hiring import csv_text, people
from tests.open_decision import write_open_decision
from tests.readable import readable

import evenhand as eh
from evenhand import datasets
from evenhand.cli.application import main
from evenhand.report import report

GOLDEN = Path(__file__).with_name("golden")
PAGE = GOLDEN / "report.html"
DATA_NEEDED = "dutch"  # the group of runs that needs the census
WORDS = {
    "ADULT": "adult.csv --question adult.toml --set frequency=n "
    "--tiers 'sex,age,native_country,race|education|*|income'",
    "DUTCH": "dutch.csv --question dutch.toml --set frequency=n",
    "HIRING": "--protected sex --group f --set other=m --decision hired --favorable yes "
    "--set columns=sex,degree,hired,pay",
    "PREDICTED": "predicted.csv --protected sex --group f --decision hired --favorable yes "
    "--graph hiring.txt --predictions said",
    "QUESTION": "--question of_sex.toml",
    "SECOND": "second.csv --question admissions.toml --set frequency=n --graph graph.txt",
}


def commands():
    """The commands of each group of runs; a line with # names the group."""
    groups = (GOLDEN / "runs.txt").read_text().split("# ")
    for group in groups[1:]:
        name, *lines = group.strip().splitlines()
        yield name, [Template(line).substitute(WORDS) for line in lines]


RUNS = dict(commands())


def prepare(dutch):
    """Write the inputs of all runs to the current folder."""
    for name in ("admissions", "adult", "dutch"):
        Path(f"{name}.toml").write_text(str(datasets.question(name)))
    Path("graph.txt").write_text(
        "gender -> major; gender -> admission; major -> admission; test_score -> admission"
    )
    Path("hiring.txt").write_text("sex -> hired; degree -> hired; sex -> degree; hired -> pay")
    Path("cycle.txt").write_text("sex -> hired -> pay -> sex")
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    Path("of_sex.toml").write_text(str(eh.QuestionFile(question=asked)))
    counted("first.csv", datasets.admissions(1))
    counted("second.csv", datasets.admissions(2))
    counted("adult.csv", datasets.adult())
    write_open_decision(Path())
    if dutch:
        counted("dutch.csv", datasets.dutch(dutch))
    everybody = people()
    Path("people.csv").write_text(csv_text(everybody))
    Path("few.csv").write_text(csv_text(everybody[:9]))
    pq.write_table(_table("people.csv"), "people.parquet")
    text("predicted.csv", "sex,degree,hired,pay,said,also,score", *predicted(everybody))
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
    text("thin.csv", "sex,major,hired", *plain, *["f,c,yes"] * 9)
    text("thin.txt", "sex -> hired; major -> hired")
    text("ragged.csv", "sex,major,hired", *plain, "f,a")
    text("twice.csv", "sex,major,hired,sex", *(f"{line},x" for line in plain))
    text("empty.csv", "sex,major,hired")
    Path("latin.csv").write_bytes("sex,major,hired\nf,é,yes\nm,a,no\n".encode("latin-1"))
    Path("broken.parquet").write_bytes(b"PAR1 but not really")
    text("broken.toml", "[question", "protected = ")
    text("wrong.toml", "[question]", 'protected = "sex"', "[data]", "bin = 3", "[extra]")
    text("broken.json", '{"format": "evenhand certificate 2"}')


def predicted(everybody):
    """Lines with two models' predictions of who was hired, and the score of the first."""
    for at, (_, sex, degree, hired, pay) in enumerate(everybody):
        score = at * 37 % 101 + 20 * (sex == "m") + 30 * (hired == "yes")
        said, also = ("yes" if good else "no" for good in (score > 75, degree == "most"))
        yield ",".join([sex, degree, hired, pay, said, hired if at % 5 else also, str(score)])


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
    before = {str(path) for path in Path().iterdir()}
    told = {}
    for number, command in enumerate(commands, 1):
        told[f"{number:02} said"] = f"$ evenhand {command}\n{said(shlex.split(command))}"
    for path in sorted(Path().rglob("*")):
        if path.is_file() and str(path) not in before:
            told[str(path).replace("/", " ")] = content(path)
            path.unlink()
    return {name: normalized(text) for name, text in told.items()}


def said(arguments):
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["evenhand", *arguments]),
        mock.patch("secrets.token_bytes", bytes),
        # On a busy machine it would be told how long the rest takes.
        mock.patch.multiple("evenhand.cli.terminal", _PATIENCE=inf),
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
        kinds = {field.name: str(field.type) for field in table.schema}
        return "\n".join(json.dumps(line) for line in [kinds, *table.to_pylist()])
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).decode()
    return path.read_bytes().decode("utf-8", "backslashreplace")


def normalized(told):
    told = re.sub(r'"versions":\s*\{[^}]*\}', '"versions": {}', told)
    told = re.sub(r'"(certificate_sha256|seal)": ?"[0-9a-f]+"', r'"\1": ""', told)
    if re.search(r'"name": ?"[^"]*[.](parquet|gz)"', told):
        told = re.sub(r'"(bytes|sha256)": ?("[0-9a-f]+"|[0-9]+)', r'"\1": ""', told)
    told = told.replace(str(Path.cwd()), "FOLDER")
    told = re.sub(r"(?m)( yes | no ) +\d+\.\d\d$", r"\1 SECONDS", told)
    told = re.sub(r"[Gg]enerated \d+ \w+ \d{4}|\d{1,2} [A-Z][a-z]+ 20\d\d", "DATE", told)
    return re.sub(r"-?\d+\.\d{9,}(?:e[-+]?\d+)?|\d\.\d+e[-+]?\d+", rounded, told)


def rounded(match):
    return f"{float(match[0]):.9g}"


def run(name):
    """All outputs of one group of runs."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        prepare(DUTCH if name == DATA_NEEDED else None)
        return outputs(RUNS[name])


def golden_file(name):
    """Where the outputs of a group are kept."""
    return GOLDEN / f"{name.replace(' ', '_')}.txt"


def golden_text(found):
    """The outputs of a group as they are kept: readable, and not too long."""
    parts = (f"=== {name}\n{readable(name, text)}" for name, text in found.items())
    return "\n".join(parts)


def golden_page():
    """The report on the paper's second example, whole."""
    asked = datasets.question("admissions")
    graph = eh.CausalGraph.parse(
        "gender -> major -> admission; test_score -> admission; gender -> admission"
    )
    audit = eh.audit(datasets.admissions(2), asked, graph=graph)
    return report(
        audit,
        audit.release(seed=7),
        labels=asked.labels,
        partition=audit.explain_partition(["test_score"]),
        title="Admissions, example 2",
        generated="15 November 2026",
    ).html


def differences(path, now):
    """A unified diff of what is kept in a file and what is there now."""
    before = path.read_text("utf-8") if path.is_file() else ""
    names = f"golden/{path.name}", "now"
    lines = unified_diff(before.splitlines(), now.splitlines(), *names, lineterm="")
    return "\n".join(lines)


def record():
    """Write everything that is kept anew, or nothing."""
    if not DUTCH.is_file():
        sys.exit(f"Nothing was recorded: {ABSENT}")
    texts = {golden_file(name): golden_text(run(name)) for name in RUNS}
    texts[PAGE] = golden_page()
    for path in GOLDEN.iterdir():
        if path not in texts and path.name != "runs.txt":
            path.unlink()
    for path, text in texts.items():
        path.write_text(text, "utf-8")


def write_whole(folder):
    """Write all outputs whole into a folder; without the census, all but those of its group."""
    for name in RUNS:
        if name != DATA_NEEDED or DUTCH.is_file():
            for output, told in run(name).items():
                path = Path(folder, name, output)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(told)


if __name__ == "__main__":
    record() if sys.argv[1:] == ["--record"] else write_whole(*sys.argv[1:])

import json
import re
import shlex

import pandas as pd
import pytest
from tests.admission import SUBPOPULATIONS

from evenhand import datasets


def test_json_is_one_document_with_every_promised_field(run, options):
    status, out, err = run("audit", *options, "--json")
    document = json.loads(out)
    assert status == 1
    assert err == ""
    assert document["verdict"] == "not certified"
    assert document["threshold"] == "1/20"
    assert document["subpopulations"] == SUBPOPULATIONS
    promised = "protected group other decision favorable direct_arrow rows decision_causes"
    assert {*promised.split(), "possible_decision_causes"} <= set(document)
    assert set(document["coverage"]) == {"rows", "group", "other"}
    assert {"nodes", "arrows", "undirected", "origin"} <= set(document["graph"])
    assert set(document["risk_difference"]) == {"min", "max", "mean", "sd"}
    assert {"bound", "assurance", "claimed"} <= set(document["relaxed"])
    told = "where group other risk_difference interval p_zero p_threshold"
    assert {*told.split()} <= set(document["evidence"][0])


@pytest.mark.parametrize("option", ["--certificate", "--report"])
def test_a_page_that_cannot_be_written_exits_with_4(run, example, options, option):
    place = example / "absent" / "page"
    status, _, err = run("audit", *options, option, place)
    assert status == 4
    assert f"{place}: This cannot be written" in err
    assert "Name a file" in err


@pytest.mark.parametrize("mark", [":", "~"])
def test_any_delimiter_holds_from_the_command_line_to_the_certificate(
    run, example, options, mark
):
    data, certificate = example / "data.csv", example / "c.json"
    data.write_text(data.read_text().replace(",", mark))
    status, _, err = run("audit", *options)
    assert status == 2
    assert "delimiter" in err
    status, *_ = run(
        "audit", *options, "--set", f"delimiter={mark}", "--certificate", certificate
    )
    assert status == 1
    assert json.loads(certificate.read_text())["codings"]["delimiter"] == mark
    assert run("verify", certificate, data)[0] == 0
    question = (example / "q.toml").read_text()
    assert "[data]" in question
    (example / "q.toml").write_text(question.replace("[data]", f'[data]\ndelimiter = "{mark}"'))
    assert run("audit", *options)[0] == 1


def test_a_wrong_column_name_is_answered_with_the_right_one(run, options):
    status, _, err = run("audit", *options, "--protected", "gendr")
    assert status == 2
    assert "Did you mean 'gender'?" in err


def test_each_p_says_what_it_is_against(run, options):
    _, out, _ = run("audit", *options, "--set", "partition=test_score")
    assert "gender -> major -> admission" in out
    assert "pooled difference (Mantel–Haenszel)" in out
    heads = [line for line in out.splitlines() if "95 % interval  " in line]
    assert len(heads) == 2
    assert all(line.endswith("p (vs τ)") for line in heads)


def test_a_column_called_p_keeps_its_name(run, example, options):
    for name in ("data.csv", "q.toml", "graph.txt"):
        path = example / name
        path.write_text(path.read_text().replace("test_score", "p"))
    out = run("audit", *options)[1]
    assert any(line.split()[:2] == ["major", "p"] for line in out.splitlines())


def rewrite(example, number, times, judge=None):
    """An example of the paper with so many times the people, and a judge in the file."""
    lines = ["gender,major,test_score,admission,n"]
    lines += [
        ",".join([*labels, str(count * times)]) for labels, count in datasets.admissions(number)
    ]
    (example / "data.csv").write_text("\n".join(lines) + "\n")
    if judge:
        path = example / "q.toml"
        path.write_text(path.read_text().replace('judge = "rows"', f'judge = "{judge}"'))


STATUSES = [
    (1, 1, "rows", 0, "certified"),
    (2, 1, "rows", 1, "not certified"),
    (1, 1000, "answer", 0, "No"),
    (2, 1000, "answer", 1, "Yes"),
    (2, 1, "answer", 3, "Cannot tell"),
]


@pytest.mark.parametrize("door", ["option", "file"])
@pytest.mark.parametrize("case", STATUSES, ids=str)
def test_the_exit_status_is_that_of_the_judge(run, example, options, door, case):
    number, times, judge, status, verdict = case
    rewrite(example, number, times, judge=judge if door == "file" else None)
    typed = ["--judge", judge] if door == "option" else []
    found, out, _ = run("audit", *options, *typed)
    assert found == status
    if judge == "answer":
        assert out.startswith(f"{verdict}: ")
    else:
        assert ["judged", "by", "the", "rows:", *verdict.split()] in map(
            str.split, out.splitlines()
        )
    assert run("audit", *options, *typed, "--quiet")[:2] == (status, verdict + "\n")
    found, out, _ = run("audit", *options, *typed, "--json")
    document = json.loads(out)
    assert found == status
    assert (document["judge"], document["deciding_verdict"]) == (judge, verdict)


def test_what_is_not_shown_passes_unless_that_is_strict(run, tmp_path):
    table = tmp_path / "in.csv"
    cells = [
        f"{c},{a},{e},{20_000 if e == a else 5_000}" for c in "fm" for a in "01" for e in "01"
    ]
    table.write_text("\n".join(["sex,exam,hired,n", *cells]) + "\n")
    asked = "--protected sex --group f --decision hired --favorable 1 --set frequency=n"
    for words, status in (((), 0), (("--strict",), 3), (("--set", "audit.strict=true"), 3)):
        found, out, _ = run("audit", table, *asked.split(), "--quiet", *words)
        assert (found, out) == (status, "Not shown\n")
    order = ("--tiers", "sex|exam|hired")
    assert run("audit", table, *asked.split(), *order, "--quiet", "--strict")[:2] == (0, "No\n")


def test_the_option_overrides_the_judge_of_the_file(run, example, options):
    rewrite(example, 2, 1, judge="answer")
    assert run("audit", *options)[0] == 3
    assert run("audit", *options, "--judge", "rows")[0] == 1


@pytest.mark.parametrize("judge", ["people", ""])
def test_there_are_two_judges_to_choose_from(run, options, judge):
    status, _, err = run("audit", *options, "--judge", judge)
    assert status == 2
    assert f"`judge` is {judge!r}, which is none of 'answer', 'rows'." in err
    assert "Choose one (--set judge=…)." in err
    status, out, _ = run("audit", *options, "--judge", judge, "--json")
    (problem,) = json.loads(out)["problems"]
    assert [one["argument"] for one in problem["remedies"]] == ["judge"]


def test_what_a_certificate_says_does_not_hang_on_the_judge(run, example, options):
    record = example / "c.json"
    assert run("audit", *options, "--judge", "answer", "--certificate", record)[0] == 3
    assert run("verify", record, "--expect", "not certified")[0] == 0


def test_commands_to_check_name_the_files_that_were_written(example, run):
    path = example / "data.csv"
    written = example / "c1.json"
    options = f"--question {example / 'q.toml'} --graph {example / 'graph.txt'}".split()
    page = example / "report.html"
    run("audit", path, *options, "--certificate", written, "--report", page)
    assert "evenhand verify c1.json data.csv" in page.read_text()
    run("audit", path, *options, "--report", page, "--overwrite")
    assert "evenhand verify CERTIFICATE.json data.csv" in page.read_text()
    out = example / "out.csv"
    run("release", path, *options, "--output", out, "--report", page, "--overwrite", "--share")
    assert "evenhand verify out.shared.certificate.json out.csv" in page.read_text()


def test_an_audit_of_a_release_says_which_graph_its_certificate_holds_for(run, example):
    question = ["--question", example / "q.toml"]
    out = example / "new.csv"
    assert run("release", example / "data.csv", *question, "--output", out)[0] == 0
    text = run("audit", out, *question)[1]
    assert "certifies this release given its own graph" in text
    graph = example / "new.certificate.json"
    status, text, _ = run("audit", out, *question, "--graph", graph)
    assert status == 0
    assert "certifies this release" not in text
    assert "learned from the rows before release" in text or "given" in text


def test_what_cannot_be_judged_besides_is_a_note(run, tmp_path):
    data = tmp_path / "data.csv"
    rows = ["f,low,no"] * 60 + ["f,high,yes"] * 40 + ["m,low,no"] * 30 + ["m,high,yes"] * 50
    data.write_text("\n".join(["sex,score,hired", *rows]) + "\n")
    asked = "--protected sex --group f --decision hired --favorable yes --set rule=score"
    words = ["audit", data, *asked.split()]
    plain, out, _ = run(*words)
    status, noted, _ = run(*words, "--set", "arrows")
    assert status == plain == 3
    assert noted.startswith(out[:200])
    status, document, _ = run(*words, "--set", "arrows", "--json")
    assert status == plain
    told = "Under the rule 'score' nothing is measured, with no arrows."
    assert told in noted
    assert any(note.startswith(told) for note in json.loads(document)["notes"])
    assert "--rule" not in noted


def test_arrows_are_judged_where_that_is_asked_for(run, example):
    page = example / "r.html"
    words = ["audit", example / "data.csv", "--question", example / "q.toml", "--set", "arrows"]
    _, out, _ = run(*words, "--json", "--report", page)
    found = json.loads(out)["arrows"]
    many = len(found["variants"])
    assert many
    stated = json.loads(out)["variants"]
    assert stated == {"cause_sets": 1, "rules": 1, "classes": 0, "arrows": many}
    assert f"and {many} sets with one attribute more or less." in page.read_text("utf-8")
    record = example / "stated.json"
    run(*words, "--quiet", "--certificate", record)
    assert json.loads(record.read_text("utf-8"))["variants"] == stated
    assert f"how many other arrows were judged: {many}" in run("verify", record)[1]
    assert "variations" in page.read_text("utf-8")
    assert "without major" in page.read_text("utf-8")
    _, out, _ = run(*words)
    assert f"sensitivity to each arrow to {found['decision']}: " in out


def test_the_least_count_of_a_copy_for_others_is_chosen(run, example, options):
    page = example / "s.html"
    for count, shown in ((10, 4), (60, 1), (5000, 0)):
        record = example / f"s{count}.json"
        run(
            "audit", *options, "--certificate", record, "--report", page, "--overwrite",
            "--share", "--set", f"least_count={count}",
        )  # fmt: skip
        assert len(json.loads(record.read_text())["partitions"][0]["table"]) == shown
        assert f"counts under {count} withheld" in page.read_text()
    status, _, error = run(
        "audit", *options, "--report", page, "--overwrite", "--share", "--set", "least_count=0"
    )
    assert (status, "whole number of at least 1" in error) == (2, True)


def test_a_table_too_wide_for_a_graph_is_refused_with_columns_that_can_be_typed(run, tmp_path):
    """Before anything is counted; what is suggested can be run."""
    names = ["sex", "hired", "grade", *(f"c{at}" for at in range(2_000))]
    lines = [",".join(names)]
    for at in range(80):
        grade = at % 2
        row = [at // 2 % 2, grade if at % 8 else 1 - grade, grade, *[at * 7 % 3] * 2_000]
        lines.append(",".join(f"v{value}" for value in row))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n")
    (tmp_path / "q.toml").write_text(  # where a file is given no copy is left out by a guess
        '[question]\nprotected = "sex"\ngroup = "v0"\ndecision = "hired"\nfavorable = "v1"\n'
    )
    asked = ["--question", tmp_path / "q.toml"]
    status, out, err = run("audit", path, *asked)
    assert (status, out) == (4, "")
    assert "2,003 columns takes 2,005,003 tests or more" in err
    chosen = re.search(r"\(--set columns=(\S+)\)", err).group(1)
    assert chosen.split(",")[:3] == ["sex", "hired", "grade"]
    assert run("audit", path, *asked, "--set", f"columns={chosen}")[0] in (0, 1, 3)
    status, _, err = run("discover", path)
    assert (status, "Choose columns (--set columns" in err) == (4, True)


def test_a_search_may_be_ended_early_and_that_is_said(run, options):
    learned = [one for one in options if not str(one).endswith(("--graph", "graph.txt"))]
    for verb in (["audit"], ["release", "--dry-run"], ["compare"]):
        assert run(*verb, *learned, "--set", "max_depth=0")[0] in (0, 1)
    _, out, _ = run("audit", *learned, "--set", "max_depth=0")
    assert "Sets of more than 0 attributes were not tried." in out
    assert run("audit", *options, "--set", "max_depth=-1")[0] == 2


def test_a_local_search_is_recorded_and_verified(run, options, tmp_path):
    record, asked = tmp_path / "c.json", options[:3]
    run("audit", *asked, "--set", "local", "--certificate", record)
    origin = json.loads(record.read_text("utf-8"))["graph"]["origin"]
    assert origin["chosen_from"] == 4
    status, out, _ = run("verify", record, options[0])
    assert status == 0
    assert "columns chosen from 4" in run("verify", record, "--json")[1] + out
    assert "graph is given" in run("audit", *options, "--set", "local", "--graph", record)[2]


LOW = ["--favorable", "Low"]
SCORES = "--set criterion=cumulative --set order=Low"


@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        ("--favorable Nobody", 2, "has no value 'Nobody'"),
        ("--set other=z --favorable Low", 2, "no value 'z', which is asked for"),
        (
            f"{SCORES} --set order=High",
            2,
            "It misses 'Medium'. Write each value that occurs once, best first (--set order=",
        ),
        (SCORES, 2, "Write them all, best first, one by one (--set order=…)."),
        ("--set min_rows=0 --favorable Low", 2, "Give one (--set min_rows=1)."),
        (
            "--set min_rows=5000 --favorable Low",
            3,
            "two groups never occur with 5,000 rows or more",
        ),
        ("--set min_rows=5000 --favorable Low", 3, "(--set min_rows=…)"),
        ("--set criterion=every --favorable Low", 2, "no value is the favorable"),
        ("--set other=rest --favorable Low", 2, "Name it (--group …)"),
        (
            "--protected sex --set 'merge.race.a & b=a,b' --favorable Low",
            2,
            "contain ' & ': 'a & b'",
        ),
        ("--group a --favorable Low", 2, "pool all others (--set other=rest)"),
    ],
)
def test_what_cannot_be_asked_of_several_groups_is_said(run, scores, typed, status, words):
    code, printed, errors = run("audit", *scores, "--protected", "race", *shlex.split(typed))
    assert code == status
    assert words in printed + errors
    assert "Traceback" not in errors


def test_five_hundred_groups_are_refused_with_what_helps(run, tmp_path):
    lines = [f"g{at % 500:03},{'yes' if at % 3 else 'no'}" for at in range(2000)]
    (tmp_path / "many.csv").write_text("\n".join(["place,hired", *lines]) + "\n")
    code, _, errors = run(
        "audit",
        tmp_path / "many.csv",
        *("--protected", "place", "--decision", "hired", "--favorable", "yes"),
    )
    assert code == 2
    assert "'place' has 500 values" in errors
    assert "name one group (--group …)" in errors


@pytest.mark.parametrize(
    "typed",
    [
        [*LOW],
        [*LOW, "--favorable", "Medium", "--set", "other=a"],
        ["--set", "criterion=every"],
        [*SCORES.split(), "--set", "order=Medium", "--set", "order=High"],
    ],
)
@pytest.mark.parametrize("protected", [["race"], ["sex", "race"]])
def test_many_groups_and_values_are_audited_and_verified(
    run, scores, tmp_path, typed, protected
):
    named = [part for name in protected for part in ("--protected", name)]
    if len(protected) > 1:
        typed = [part.replace("other=a", "other=f & a") for part in typed]
    record = tmp_path / "record.json"
    code, printed, _ = run(
        "audit", *scores, *named, *typed, "--certificate", record, "--set", "scope=all"
    )
    assert code == 1
    assert " average differences: " in printed
    assert run("verify", record, scores[0])[0] == 0
    assert run("verify", record)[0] == 0


def test_a_group_of_one_row_is_measured_unless_more_are_asked_for(run, tmp_path):
    lines = [f"{g},{'yes' if at % 2 else 'no'}" for g in "ab" for at in range(200)] + ["c,yes"]
    (tmp_path / "one.csv").write_text("\n".join(["race,hired", *lines]) + "\n")
    asked = ["--protected", "race", "--decision", "hired", "--favorable", "yes", "--json"]
    asked += ["--judge", "rows"]
    results = {}
    for least in (1, 2):
        code, printed, _ = run(
            "audit", tmp_path / "one.csv", *asked, "--set", f"min_rows={least}"
        )
        results[least] = code, json.loads(printed)
    assert results[1][0] == 1
    assert results[2][0] == 3
    reasons = str(results[2][1])
    assert "Only 0 of 1 rows of 'c' lie in" in reasons
    assert "with 2 rows or more each" in reasons


@pytest.fixture
def predicted(example):
    """The example with a column of predictions, wrong of some women."""
    first, *lines = (example / "data.csv").read_text().splitlines()
    rows = []
    for line in lines:
        *labels, many = line.split(",")
        wrong = int(many) // 4 if labels[0] == "female" else 0
        other = {"admitted": "rejected", "rejected": "admitted"}[labels[-1]]
        rows += [
            ",".join([*labels, said, str(n)])
            for said, n in ((labels[-1], int(many) - wrong), (other, wrong))
            if n
        ]
    (example / "data.csv").write_text("\n".join([first.replace(",n", ",said,n"), *rows]))
    return ["--predictions", "said"]


def test_predictions_are_audited_with_the_graph_of_the_data(run, options, predicted):
    status, out, _ = run("audit", *options, *predicted, "--set", "labels=admission")
    assert status == 1
    assert "people alike in the causes of the recorded admission get different" in out
    assert "What errors add to the difference of admission" in out
    assert "predictions say nothing of how admission came about" in out
    assert "itself" not in out
    status, out, _ = run("audit", *options, *predicted, "--set", "labels=admission", "--json")
    document = json.loads(out)
    assert document["decision"] == "said"
    assert document["predicts"] == "admission"
    assert document["direct_arrow"] is False
    bias = document["error_bias"]
    assert bias["gap"]["predictions"] == pytest.approx(
        bias["gap"]["labels"] + bias["gap"]["errors"]
    )
    assert len(bias["subpopulations"]) == document["subpopulations"]["measured"]
    assert "admission" not in document["graph"]["nodes"]


def test_a_report_and_certificate_on_predictions_are_written_and_checked(
    run, example, options, predicted
):
    record, page = example / "p.json", example / "p.html"
    written = ("--certificate", record, "--report", page, "--set", "labels=admission")
    status, _, _ = run("audit", *options, *predicted, *written, "--quiet")
    assert status == 1
    assert "What errors add to the difference" in page.read_text()
    status, out, _ = run("verify", record, example / "data.csv")
    assert status == 0
    assert "predicts admission" in " ".join(out.split())


def test_predictions_without_a_graph_and_labels_alone_are_refused(
    run, example, options, predicted
):
    data, question = options[0], ["--question", example / "q.toml"]
    status, _, err = run("audit", data, *question, *predicted)
    assert status == 2
    assert "learned from predictions it would be another" in err
    assert "--graph" in err
    status, _, err = run("audit", *options, "--set", "labels=admission")
    assert status == 2
    assert "--predictions" in err


@pytest.fixture
def two_models(example, predicted):
    """The example with a model that admits every second one, and one that goes by major."""
    table = pd.read_csv(example / "data.csv")
    halves = [
        table.assign(even="admitted", n=table["n"] // 2),
        table.assign(even="rejected", n=table["n"] - table["n"] // 2),
    ]
    table = pd.concat(halves)
    by_major = dict(zip(table["major"].unique(), ["admitted", "rejected"], strict=True))
    table = table.assign(ruled=table["major"].map(by_major))
    table.to_csv(example / "data.csv", index=False)
    return [*predicted, "--predictions", "even", "--set", "labels=admission"]


def alone(run, options, column):
    """What is printed about one model, and the status."""
    named = ("--predictions", column, "--set", "labels=admission")
    return {how: run("audit", *options, *named, *how.split()) for how in ("", "--json", "-q")}


def test_two_models_are_printed_one_after_the_other_below_a_table(run, options, two_models):
    status, out, _ = run("audit", *options, *two_models)
    said, even = (alone(run, options, column)[""] for column in ("said", "even"))
    assert (status, said[0], even[0]) == (1, 1, 0)
    rest = f"Predictions in said\n\n{said[1]}Predictions in even\n\n{even[1]}"
    assert out.endswith(rest)
    title, heads, *rows = out.removesuffix(rest).splitlines()
    assert title == "2 models: in points, men minus women; they are not ranked."
    assert heads.split()[:4] == ["predictions", "these", "rows", "the"]
    first, second = (re.split(r"  +", row.strip()) for row in rows if row)
    assert (first[:2], second[:2]) == (["said", "not certified"], ["even", "certified"])
    assert second[3:5] == ["0 of 4", "0"]


def test_the_document_of_two_models_has_that_of_the_second_beside(run, options, two_models):
    status, out, _ = run("audit", *options, *two_models, "--json")
    said, even = (
        json.loads(alone(run, options, column)["--json"][1]) for column in ("said", "even")
    )
    assert status == 1
    assert json.loads(out) == said | {"beside": {"even": even}}


def by_gender(table):
    """Who is admitted by gender alone differs for sure."""
    admitted = {"female": "rejected", "male": "admitted"}
    return table.assign(gendered=table["gender"].map(admitted))


def with_women_alone(table):
    """A group without men is not measured: only a difference elsewhere still decides."""
    alone = table[table["gender"] == "female"].head(1).assign(test_score="unknown", n=1)
    return pd.concat([table, alone])


ANSWERS = {"ruled": "No", "even": "Cannot tell", "gendered": "Yes"}
UNCOVERED = {"said": "not certified", "even": "cannot decide", "ruled": "cannot decide"}
PLAIN = {"said": "not certified", "even": "certified", "ruled": "certified"}


@pytest.mark.parametrize(
    ("change", "typed", "verdicts", "statuses"),
    [
        (
            pd.DataFrame.copy,
            [],
            PLAIN,
            {"said even": 1, "even said": 1, "even": 0, "ruled even": 0, "ruled said": 1},
        ),
        (
            by_gender,
            ["--judge", "answer"],
            ANSWERS,
            {
                "ruled even": 3,
                "even ruled": 3,
                "ruled even gendered": 1,
                "gendered even": 1,
                "ruled gendered": 1,
            },
        ),
        (
            with_women_alone,
            ["--set", "min_coverage=1"],
            UNCOVERED,
            {"ruled even": 3, "even said": 1, "said ruled": 1},
        ),
    ],
)
@pytest.mark.usefixtures("two_models")
def test_the_status_is_the_worst_whatever_the_order(
    run, example, options, *, change, typed, verdicts, statuses
):
    """What is left open of one model is worse than a good verdict, and better than a bad."""
    data = example / "data.csv"
    change(pd.read_csv(data)).to_csv(data, index=False)
    for columns, expected in statuses.items():
        names = columns.split()
        named = [word for column in names for word in ("--predictions", column)]
        status, out, _ = run("audit", *options, *named, *typed, "--quiet")
        assert out.splitlines() == [
            f"{name}: {verdicts[name]}" if len(names) > 1 else verdicts[name] for name in names
        ]
        assert status == expected


def test_a_report_has_a_row_for_each_model(run, example, options, two_models):
    page = example / "p.html"
    status, _, _ = run("audit", *options, *two_models, "--report", page, "--quiet")
    assert status == 1
    html = page.read_text()
    assert "they are not ranked" in html
    rows = re.findall(r"<td>(said|even)</td><td>([^<]+)", html)
    assert rows[:2] == [("said", "not certified"), ("even", "certified")]


def test_two_models_have_no_certificate_and_two_names(run, example, options, two_models):
    record = example / "p.json"
    status, _, err = run("audit", *options, *two_models, "--certificate", record)
    assert status == 2
    assert "one model, and 2 are named" in err
    assert not record.exists()
    status, _, err = run("audit", *options, *two_models, "--predictions", "said")
    assert status == 2
    assert "'said' are named twice" in err
    status, _, err = run("audit", *options, *two_models, "--predictions", "evn")
    assert status == 2
    assert "Did you mean 'even'" in err

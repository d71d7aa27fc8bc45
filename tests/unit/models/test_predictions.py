import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.certificate_records import wrong
from tests.predictions import ASKED, GRAPH, audited, people

import evenhand as eh
from evenhand import checker
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    GraphError,
    InputError,
    MissingValueError,
    QuestionError,
    ValuesError,
)
from evenhand.models.predictions import audit_models
from evenhand.question.display_labels import Labels
from evenhand.recheck import RecordedCertificate
from evenhand.rows import FindingKind

FULL = eh.QuestionFile(
    question=ASKED,
    knowledge=eh.Knowledge(
        tiers=eh.Tiers(["sex"], ["job"], ["hired"]), forbidden=["hired -> job"]
    ),
    labels=Labels(
        columns={"hired": "the job offer"},
        values={"hired": {"yes": "were hired"}, "sex": {"f": "women", "m": "men"}},
    ),
)


def by_pandas(table, column):
    """The difference of each job, men minus women, and its people."""
    yes = table.assign(yes=table[column].eq("yes"))
    rates = yes.pivot_table(values="yes", index="job", columns="sex")
    return (rates["m"] - rates["f"]).to_dict()


def differences(result):
    return {
        one["where"]["job"]: one["predictions"]
        for one in result.error_bias.to_dict()["subpopulations"]
    }


def counts_of(table):
    kept = table.drop(columns=["score", "note"])
    return eh.CountTable.of({name: [*kept[name]] for name in kept}, [1] * len(kept))


KINDS = {
    "pandas": lambda table, _: table,
    "polars": lambda table, _: pl.from_pandas(table),
    "Arrow": lambda table, _: pa.Table.from_pandas(table),
    "file": lambda table, path: (table.to_csv(path, index=False), path)[1],
    "rows": lambda table, _: eh.read(table),
    "counts": lambda table, _: counts_of(table),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_what_pandas_gives(kind, tmp_path):
    table = people()
    result = audited(KINDS[kind](table, tmp_path / "people.csv"))
    assert differences(result) == pytest.approx(by_pandas(table, "said"))
    right = (table["said"] == table["hired"]).mean()
    assert float(result.error_bias.accuracy) == pytest.approx(right)
    seen = {one.where["job"]: one.risk_difference for one in result.subpopulations}
    assert seen == pytest.approx(by_pandas(table, "said"))
    assert {*result.counts.names} == {"job", "said", "sex"}


@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow"])
def test_values_beside_a_frame_are_columns_of_it(kind):
    table = people()
    frame = KINDS[kind](table.drop(columns=["said", "hired", "score"]), None)
    result = audited(
        frame,
        table["said"].to_numpy(),
        labels=[*table["hired"]],
        scores=table["score"].to_numpy(),
    )
    assert differences(result) == pytest.approx(by_pandas(table, "said"))
    assert (result.question.decision, result.score_column) == ("prediction", "prediction score")
    assert list(frame.columns if kind != "Arrow" else frame.column_names)[:2] == ["sex", "job"]


def test_numbers_as_predictions_are_labels_like_any_other():
    table = people()
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="1")
    numbers = table["said"].eq("yes").astype(int)
    result = audited(
        table.drop(columns="said"), numbers, asked, labels=table["hired"].eq("yes").astype(int)
    )
    assert differences(result) == pytest.approx(by_pandas(table, "said"))


def test_the_verdict_is_that_of_the_predictions_as_if_they_were_decided():
    table = people()
    result = audited(table, labels=None)
    renamed = table[["sex", "job", "said"]].rename(columns={"said": "hired"})
    decided = eh.audit(renamed, ASKED, graph=GRAPH)
    assert result.verdict is decided.verdict
    assert result.error_bias is None
    assert "error_bias" not in result.to_dict()
    assert [one.risk_difference for one in result.subpopulations] == [
        one.risk_difference for one in decided.subpopulations
    ]


def test_what_a_question_file_says_of_the_decision_goes_for_predictions():
    edits = [eh.GraphEdit.parse("add", "note -> hired: it was read")]
    result = audited(people(), asked=FULL)
    assert result.knowledge.tiers == eh.Tiers(["sex"], ["job"], ["said"])
    assert result.knowledge.forbidden == (("said", "job"),)
    assert result.labels.column("said") == "predicted the job offer"
    with pytest.raises(GraphError):
        audited(people(), edits=edits)
    wider = eh.CausalGraph(("sex", "job", "hired", "note"), GRAPH.arrows)
    table = people().assign(note=[*"xy"] * 200)
    edited = audited(table, graph=wider, edits=edits)
    assert edited.decision_causes == ("job", "note")
    assert "note -> said: it was read" in str(edited.certificate.graph_origin)


def test_knowledge_about_columns_that_the_graph_lacks_is_left_out():
    tiers = eh.Tiers(["sex"], ["job", "note"], ["hired"])
    knowledge = eh.Knowledge(tiers=tiers, forbidden=["hired -> note", "hired -> job"])
    result = audited(people(), knowledge=knowledge)
    assert result.knowledge.tiers == eh.Tiers(["sex"], ["job"], ["said"])
    assert result.knowledge.forbidden == (("said", "job"),)


def test_columns_that_a_file_leaves_out_are_read_for_predictions():
    codings = eh.Codings.of(columns=["sex", "job"])
    by_columns = audited(people(), codings=codings)
    by_exclusion = audited(people(), codings=eh.Codings.of(exclude=["said", "note"]))
    assert (
        differences(by_columns) == differences(by_exclusion) == differences(audited(people()))
    )


def test_a_graph_with_an_open_edge_keeps_it():
    graph = eh.PartialGraph.parse("sex -> job; sex -> hired; job - hired")
    result = audited(people(), graph=graph)
    assert result.graph.neighbors("said") == {"job"}


def test_the_certificate_never_speaks_of_the_attribute_itself():
    result = audited(people(), asked=FULL)
    said = str(result)
    assert "people alike in the causes of the recorded hired get different predictions" in said
    document = json.loads(result.certificate.to_json())
    assert document["question"]["predicts"] == "hired"
    assert document["direct_arrow"] is False
    sentences = " ".join(document["assumptions"])
    assert "not about the model as a rule for new rows" in sentences
    assert "no direct effect of sex on them is claimed" in sentences
    assert "Only the direct effect" not in sentences
    html = result.report(partition=result.explain_partition([])).html
    text = re.sub(r"<style.*?</style>|<svg.*?</svg>|<[^>]+>", " ", html, flags=re.DOTALL)
    assert "Do people alike in the causes of the job offer get different predictions?" in text
    wrong = "sex itself|direct effect of sex in|came along the thick arrow|(about|of) a direct"
    assert not re.search(wrong, text)
    shared = re.sub(r"<[^>]+>", " ", result.report(share=True, least_count=2).html)
    assert "sex itself" not in shared
    assert "not about the model as a rule for new rows" in shared
    written = {**result.to_dict(), "inspection": None}
    assert "itself" not in json.dumps({**written, "population": None})


def test_both_checkers_find_the_certificate_true_and_a_direct_arrow_false(tmp_path):
    table = people()
    path = tmp_path / "people.csv"
    table.to_csv(path, index=False)
    text = audited(path).certificate.to_json()
    record = RecordedCertificate.parse(text)
    assert record.question.predicts == "hired"
    for data in (None, str(path)):
        assert checker.verify(text, data)[0] == 0
    assert "predicts hired" in str(checker.verify(text)[2])
    shared = audited(path).certificate.to_shared_json()
    assert [checker.verify(shared, data)[0] for data in (None, str(path))] == [3, 0]
    document = json.loads(text)
    document["direct_arrow"] = True
    status, notes, *_ = checker.verify(json.dumps(document))
    assert (status, notes[0]) == (1, "direct_arrow: it says True, but should say False")


def test_predictions_are_no_evidence_against_the_graph_of_the_data():
    table = people().assign(note=[*"xy"] * 200)
    table["said"] = np.where(table["note"] == "x", "yes", table["said"])
    wider = eh.CausalGraph(("sex", "job", "hired", "note"), GRAPH.arrows)
    result = audited(table, graph=wider)
    assert not result.doubt().contradicted
    assert "predictions say nothing of how hired came about" in str(result.doubt())
    assert "speak against" not in result.report().html


def test_two_models_stand_beside_each_other_in_one_report():
    table = people()
    flipped = np.where(table["sex"] == "f", "yes", table["hired"])
    first, second = audited(table), audited(table, flipped)
    html = first.report(beside={"for women": second}).html
    assert "they are not ranked" in html
    assert "for women" in html
    assert "What errors add to the difference" in html
    alone = audited(table, labels=None).report().html
    assert "no labels" in alone
    assert "What errors add to the difference" not in alone


def test_what_stands_beside_is_an_audit_of_predictions_under_another_name():
    table = people()
    first, second = audited(table), audited(table, table["hired"].to_numpy())
    with pytest.raises(QuestionError, match="are called so themselves"):
        first.report(beside={"predicted hired": second})
    plain = eh.audit(table[["sex", "job", "hired"]], ASKED, graph=GRAPH)
    for other in (plain, 5):
        with pytest.raises(QuestionError, match="no audit of predictions"):
            first.report(beside={"other": other})
    with pytest.raises(QuestionError, match="no table of names and values"):
        first.report(beside=[second])


def test_what_a_model_said_is_never_called_recorded():
    table = people()
    result = audited(table, np.where(table["sex"] == "f", table["said"], "yes"))
    released = result.release(seed=1)
    assert released.changed_rows
    html = result.report(released).html + released._repr_html_()
    text = " ".join(re.sub(r"<[^>]+>", " ", html).split())
    assert not re.search(r"\b(as|were) recorded", text, re.IGNORECASE)
    for words in ("As predicted, ", "as predicted and as"):
        assert words in text
    compared = str(eh.compare(result.certificate, seed=1))
    assert "as recorded" not in compared
    assert "BER as predicted" in compared


def test_a_comparison_of_predictions_is_not_called_evidence():
    result = audited(people())
    for graph in (GRAPH, eh.PartialGraph.parse("sex -> job; sex -> hired; job - hired")):
        told = audited(people(), graph=graph).explain_partition(["job"])
        assert "evidence" not in str(told)
        assert "people alike" in str(told)
    html = result.report(partition=result.explain_partition(["job"])).html
    assert "what it shows is evidence" not in html


DROP = eh.Codings.of(missing="drop")


def test_errors_are_told_of_the_rows_that_the_verdict_is_about():
    table = people().assign(note="x")
    table.loc[
        (table["sex"] == "f") & (table["said"] == "no") & (table.index % 3 > 0), "note"
    ] = None
    wider = eh.CausalGraph((*GRAPH.nodes, "note"), {*GRAPH.arrows, ("note", "job")})
    result = audited(table, graph=wider, codings=DROP)
    whole = table.dropna()
    assert result.certificate.row_count == result.error_bias.labelled_rows == len(whole)
    assert differences(result) == pytest.approx(by_pandas(whole, "said"))
    common = result.certificate.partition.statistics.common.difference
    assert result.error_bias.common.predictions == pytest.approx(common)
    assert result.error_bias.accuracy == result.release(seed=1).accuracy.before


@pytest.mark.parametrize("missing", ["drop", "level"])
def test_rows_without_a_label_are_judged_and_said_to_have_none(missing):
    table = people()
    labels = table["hired"].where(table.index % 3 > 0)
    result = audited(table, labels=labels, codings=eh.Codings.of(missing=missing))
    labelled = table[labels.notna()]
    bias = result.error_bias
    assert result.certificate.row_count == len(table)
    assert (bias.labelled_rows, bias.unlabelled_rows) == (len(labelled), 400 - len(labelled))
    right = (labelled["said"] == labelled["hired"]).mean()
    assert float(bias.accuracy) == pytest.approx(right)
    assert float(result.release(seed=1).accuracy.before) == pytest.approx(right)
    assert differences(result) == pytest.approx(by_pandas(labelled, "said"))
    said = f"Only {len(labelled)} of 400 rows have a label"
    assert said in str(result)
    assert said in result.report().html
    assert "gap of rows with a label" in result.report().html


def test_of_labelled_rows_the_pair_is_that_of_the_certificate():
    rng = np.random.default_rng(0)
    table = people().assign(sex=rng.choice([*"fmx"], 400))
    said = np.where(rng.random(400) < 0.3 + 0.3 * (table["sex"] == "m"), "yes", "no")
    labels = table["hired"].where((table["sex"] != "m") | (said == "no"))
    asked = eh.Question(protected="sex", decision="hired", favorable="yes")
    result = audited(table, said, asked, labels=labels, codings=DROP)
    group, other = result.certificate.partition.leading_labels
    assert "m" in (group, other)
    document = result.error_bias.to_dict()
    assert (document["group"], document["other"]) == (group, other)
    kept = labels.notna()
    rates = pd.Series(said)[kept].eq("yes").groupby(table["sex"][kept]).mean()
    assert document["gap"]["predictions"] == pytest.approx(rates[other] - rates[group])


UNTOLD = {
    "of one group": lambda table: table["hired"].where(table["sex"] == "m"),
    "of nobody": lambda _: [None] * 400,
}


@pytest.mark.parametrize("case", UNTOLD)
def test_labels_that_do_not_reach_both_groups_leave_the_verdict(case):
    table = people()
    result = audited(table, labels=UNTOLD[case](table), codings=DROP)
    assert result.error_bias is None
    assert result.verdict is audited(table, labels=None).verdict
    said = "What errors add is not known: f and m do not both have rows with a label."
    assert result.notes == (said,)
    assert said in str(result)
    assert said in result.report().html
    assert result.release(seed=1).accuracy is None


def test_labels_only_where_one_prediction_was_made_are_compared():
    table = people()
    result = audited(table, labels=table["hired"].where(table["said"] == "no"), codings=DROP)
    assert result.error_bias.gap.predictions == 0
    assert not result.error_bias.other_labels


REFUSED = [
    ({"graph": None}, QuestionError, "learned from predictions it would be another"),
    ({"graph": eh.CausalGraph.parse("sex -> job")}, QuestionError, "has no node 'hired'"),
    ({"graph": eh.CausalGraph.parse("said -> hired")}, QuestionError, "has a node 'said'"),
    ({"graph": "sex -> hired"}, GraphError, "is of the type str"),
    ({"predictions": "sayd"}, ColumnError, "Did you mean 'said'"),
    ({"predictions": ["yes"]}, InputError, "There are 1 values of prediction"),
    ({"predictions": "hired"}, QuestionError, "cannot be what"),
    ({"predictions": None}, QuestionError, "No predictions are given"),
    ({"predictions": ""}, QuestionError, "No predictions are given"),
    ({"labels": "hird"}, ColumnError, "labels: There is no column"),
    ({"labels": "hird"}, ColumnError, "Did you mean 'hired'"),
    ({"labels": "said"}, QuestionError, "holds the predictions"),
    ({"labels": "job"}, QuestionError, "is in the graph or question"),
    ({"labels": ["1", "0"] * 200}, ColumnError, "No prediction is"),
    ({"scores": "note"}, ValuesError, "The scores in 'note' are no numbers"),
    ({"scores": ["high"] * 400}, ValuesError, "are no numbers"),
    ({"scores": np.zeros((400, 2))}, InputError, "400 × 2"),
    (
        {"scores": "score", "asked": replace(ASKED, favorable=None, criterion="every")},
        QuestionError,
        "no decision is asked for as favorable",
    ),
    ({"asked": {"protected": "sex"}}, QuestionError, "is no question"),
    ({"asked": replace(ASKED, redlining=["job"])}, QuestionError, "not how a model predicts"),
    ({"edits": ["x"]}, QuestionError, "'x' is no edit of the graph"),
    ({"codings": eh.Codings.of(columns=["sex"])}, GraphError, "no such column"),
]


@pytest.mark.parametrize(("change", "error", "words"), REFUSED)
def test_what_cannot_be_audited_is_refused_in_words(change, error, words):
    settings = {"predictions": "said", **change}
    with pytest.raises(error, match=re.escape(words)):
        audited(people(), **settings)


def test_scores_of_a_file_that_are_texts_are_refused_at_once(tmp_path):
    with pytest.raises(ValuesError, match="people.csv: The scores in 'note' are no numbers"):
        audited(KINDS["file"](people(), tmp_path / "people.csv"), scores="note")


def test_a_series_in_another_order_is_refused():
    table = people()
    with pytest.raises(InputError, match="another index"):
        audited(table, labels=table["hired"].sample(frac=1, random_state=1))


@pytest.mark.parametrize("which", ["predictions", "labels"])
def test_missing_values_are_not_to_be_mended_by_leaving_their_column_out(which):
    table = people()
    gaps = table["hired"].where(table.index > 3).to_numpy()
    with pytest.raises(MissingValueError) as refusal:
        audited(table, **{which: gaps})
    (problem,) = refusal.value.problems
    assert [remedy.argument for remedy in problem.remedies] == ["missing", "missing"]


def test_columns_of_one_name_do_not_matter_where_predictions_are_named():
    table = pd.concat([people(), people()[["note"]]], axis=1)
    assert audited(table).verdict is audited(people()).verdict


def test_values_are_coded_as_the_decision_is_where_they_are_written_as_it_is():
    table = people()
    asked = replace(ASKED, favorable="hi")
    codings = eh.Codings.of(merge={"hired": {"hi": ["yes"], "lo": ["no"]}})
    merged = {"yes": "hi", "no": "lo"}
    for said in (table["said"], table["said"].map(merged)):
        for labels in ("hired", table["hired"], table["hired"].map(merged)):
            result = audited(table, said, asked, labels=labels, codings=codings)
            assert differences(result) == pytest.approx(by_pandas(table, "said"))
    numbers = table["said"].eq("yes") * 5
    classes = eh.Codings.of(bins={"hired": [3]})
    written = {"4 or more": numbers, "over 3": numbers.map({0: "up to 3", 5: "over 3"})}
    for favorable, said in written.items():
        result = audited(
            table.assign(hired=numbers),
            said,
            replace(ASKED, favorable=favorable),
            labels=None,
            codings=classes,
        )
        seen = {one.where["job"]: one.risk_difference for one in result.subpopulations}
        assert seen == pytest.approx(by_pandas(table, "said"))


def test_a_name_that_the_table_has_is_not_taken_again():
    table = people().assign(prediction="yes")
    with pytest.raises(ColumnError, match="has a column 'prediction' already"):
        audited(table, table["said"])


@pytest.mark.parametrize("kind", ["file", "rows", "counts"])
def test_values_beside_what_is_no_frame_are_refused(kind, tmp_path):
    source = KINDS[kind](people(), tmp_path / "people.csv")
    with pytest.raises(InputError, match="cannot be put beside this table"):
        audited(source, ["yes"] * 400)


def test_codings_for_rows_that_are_read_are_refused():
    rows = eh.read(people())
    with pytest.raises(QuestionError, match="already read"):
        audited(rows, codings=eh.Codings.of(missing="drop"))


def test_a_graph_learned_from_the_recorded_decisions_is_that_of_the_data():
    rng = np.random.default_rng(3)
    table = people(2000)
    likely = np.where(table["job"] == "a", 0.8, 0.2) + np.where(table["sex"] == "f", -0.15, 0)
    table["hired"] = np.where(rng.random(2000) < likely, "yes", "no")
    learned = eh.discover(
        eh.read(table, columns=["sex", "job", "hired"]).count(),
        knowledge=eh.Tiers(["sex"], ["job"], ["hired"]),
    )
    assert learned.parents("hired") == {"sex", "job"}
    result = audited(table, graph=learned)
    assert result.decision_causes == ("job",)
    origin = result.certificate.graph_origin
    assert (origin.kind, origin.rows) == ("learned", "other")
    text = result.certificate.to_json()
    assert checker.verify(text)[0] == 0
    assert not wrong(text)
    assert result.release(seed=1).relearned is None


def test_a_graph_of_predictions_is_not_learned():
    asked = eh.Question(
        protected="sex", group="f", decision="said", favorable="yes", predicts="hired"
    )
    with pytest.raises(QuestionError, match="Learned from predictions"):
        eh.audit(people()[["sex", "job", "said"]], asked)


def test_predictions_without_an_error_on_adults_test_part_differ_as_its_labels_do():
    once, twice = (dict(eh.datasets.adult(paper=paper)) for paper in (False, True))
    test = {
        labels: many - once[labels] for labels, many in twice.items() if many > once[labels]
    }
    names = eh.datasets.adult().names
    columns = {name: [labels[at] for labels in test] for at, name in enumerate(names)}
    counts = eh.CountTable.of({**columns, "said": columns["income"]}, [*test.values()])
    graph = eh.CausalGraph(
        names, frozenset((name, "income") for name in names if name != "income")
    )
    asked = eh.datasets.question("adult").question
    result = eh.audit_predictions(counts, "said", asked, graph=graph, labels="income")
    assert counts.row_count == 16_281
    numbers = result.certificate.partition.numbers
    assert (numbers["measured"], numbers["violating"]) == (203, 104)
    bias = result.error_bias
    assert (bias.accuracy, bias.gap.errors, bias.common.errors) == (1, 0, 0)
    assert round(float(bias.gap.labels), 3) == 0.191
    assert round(bias.common.labels, 4) == 0.0115


def with_pay(table):
    """The pay that followed from what was recorded."""
    rng = np.random.default_rng(5)
    high = table["hired"].eq("yes") ^ (rng.random(len(table)) < 0.1)
    return table.assign(pay=np.where(high, "high", "low"), town=rng.choice([*"uv"], len(table)))


EFFECTS = eh.CausalGraph.parse("sex -> job -> hired -> pay -> town; sex -> hired")


def test_predictions_bring_about_none_of_the_effects_of_the_decision():
    table = with_pay(people()).assign(said=lambda one: np.where(one["sex"] == "f", "no", "yes"))
    table["said"] = np.where(table.index % 5 > 0, table["said"], table["hired"])
    result = audited(table, graph=EFFECTS)
    assert str(result.graph) == "job -> said; sex -> job; sex -> said"
    assert result.counts.names == ("sex", "job", "said")
    released = result.release(method=eh.ModifyGraph(), seed=1)
    assert released.changed_rows
    for name in ("pay", "town", "hired"):
        assert released.rows[name].tolist() == table[name].tolist()


def test_a_batch_needs_no_effects_of_the_decision():
    batch = people()[["sex", "job", "said"]]
    knowledge = eh.Knowledge(tiers=eh.Tiers(["sex"], ["job"], ["hired"], ["pay", "town"]))
    result = audited(batch, graph=EFFECTS, labels=None, knowledge=knowledge)
    assert result.verdict is audited(batch, labels=None).verdict
    assert result.knowledge.tiers == eh.Tiers(["sex"], ["job"], ["said"])


OPEN_EFFECTS = eh.PartialGraph.parse(
    "sex -> hired; job -> hired -> pay; hired -> town; sex -> pay; job -> pay; "
    "rank -> town; rank -> pay; pay - home; hired - home"
)


@pytest.mark.parametrize("settings", [{}, {"generate": True}])
def test_where_effects_are_open_no_plan_changes_what_was_recorded(settings):
    table = with_pay(people(2000)).assign(rank="a", home="b")
    table.loc[::2, ["rank"]] = "c"
    table.loc[::3, ["home"]] = "d"
    result = audited(table, graph=OPEN_EFFECTS)
    with pytest.raises(
        CannotReleaseError, match="would change 'home', 'pay', 'town' too"
    ) as no:
        result.release(method=eh.ModifyGraph(**settings), seed=1)
    assert [one.argument for one in no.value.problems[0].remedies] == ["method", "graph"]
    assert result.release(seed=1).rows["pay"].tolist() == table["pay"].tolist()
    repaired = result.plan(method=eh.RepairAttributes())
    assert repaired.method


def spellings(table):
    """Who was hired on trial counts as hired; the model says so of women above all."""
    rng = np.random.default_rng(3)
    hired = np.where(rng.random(len(table)) < 0.3, "trial", table["hired"])
    trial = table["sex"].eq("f") & table["said"].eq("yes")
    return table.assign(hired=hired, said=np.where(trial, "trial", table["said"]))


TRIAL = eh.Codings.of(merge={"hired": {"yes": ["yes", "trial"]}})


@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow", "file", "rows"])
def test_named_predictions_are_coded_as_the_decision_is(kind, tmp_path):
    table = spellings(people())
    by_value = audited(table.drop(columns="said"), table["said"].to_numpy(), codings=TRIAL)
    codings = {} if kind == "rows" else {"codings": TRIAL}
    source = (
        eh.read(table, codings=TRIAL)
        if kind == "rows"
        else KINDS[kind](table, tmp_path / "people.csv")
    )
    by_name = audited(source, **codings)
    assert differences(by_name) == pytest.approx(differences(by_value))
    merged = table.replace("trial", "yes")
    assert differences(by_name) == pytest.approx(by_pandas(merged, "said"))
    assert by_name.error_bias.gap == by_value.error_bias.gap
    right = (merged["said"] == merged["hired"]).mean()
    assert float(by_name.error_bias.accuracy) == pytest.approx(right)


@pytest.mark.parametrize("others", [{}, {"no": ["*"]}])
def test_predictions_that_are_merged_already_can_be_released(others):
    table = spellings(people()).replace({"said": {"trial": "yes"}})
    merge = {"hired": {"yes": ["yes", "trial"], **others}}
    result = audited(table, codings=eh.Codings.of(merge=merge))
    assert not result.certificate.codings.is_coded("said")
    assert result.release(seed=1).certificate.verdict is eh.Verdict.CERTIFIED


def test_models_in_named_columns_are_coded_as_the_decision_is():
    table = spellings(people()).assign(other=lambda one: one["said"].replace("trial", "yes"))
    file = eh.QuestionFile(question=ASKED, codings=TRIAL)
    one, other = audit_models(table, ["said", "other"], file, graph=GRAPH, labels="hired")
    assert differences(one) == differences(other)
    assert one.error_bias.accuracy == other.error_bias.accuracy


def test_a_column_with_codings_of_its_own_keeps_them():
    table = spellings(people())
    merge = {"hired": {"yes": ["yes", "trial"]}, "said": {"no": ["no", "trial"]}}
    result = audited(table, codings=eh.Codings.of(merge=merge))
    assert differences(result) == pytest.approx(by_pandas(table.replace("trial", "no"), "said"))


def test_named_predictions_fall_into_the_classes_of_the_decision():
    table = people()
    rng = np.random.default_rng(2)
    numbers = table.assign(hired=rng.integers(0, 10, 400), said=rng.integers(0, 10, 400))
    asked = replace(ASKED, favorable="5 or more")
    result = audited(numbers, asked=asked, codings=eh.Codings.of(bins={"hired": [4]}))
    right = numbers.assign(said=np.where(numbers["said"] > 4, "yes", "no"))
    assert differences(result) == pytest.approx(by_pandas(right, "said"))
    cut = int(np.sort(numbers["hired"])[199])
    asked = replace(ASKED, favorable=f"{cut + 1} or more")
    result = audited(numbers, asked=asked, codings=eh.Codings.of(bins={"hired": 2}))
    right = numbers.assign(said=np.where(numbers["said"] > cut, "yes", "no"))
    assert differences(result) == pytest.approx(by_pandas(right, "said"))


FILES = {
    "listed": {"codings": eh.Codings.of(columns=["sex", "job", "hired"])},
    "merged": {"codings": eh.Codings.of(merge={"hired": {"yes": ["yes", "trial"]}})},
    "in words": {"labels": FULL.labels},
    "effect in classes": {
        "codings": eh.Codings.of(bins={"pay": 4}, columns=["sex", "job", "hired", "pay"]),
        "labels": Labels(columns={"pay": "the pay"}),
    },
}


@pytest.mark.parametrize("case", FILES)
def test_a_batch_without_the_recorded_decision_is_read_by_the_file_for_the_data(case):
    graph = eh.CausalGraph.parse("sex -> job -> hired -> pay; sex -> hired")
    table = people()
    batch = table[["sex", "job", "said"]]
    file = eh.QuestionFile(question=ASKED, **FILES[case])
    for source, said in ((batch, "said"), (batch[["sex", "job"]], [*table["said"]])):
        result = audited(source, said, file, graph=graph, labels=None)
        seen = {one.where["job"]: one.risk_difference for one in result.subpopulations}
        assert seen == pytest.approx(by_pandas(table, "said"))
        assert result.labels.columns.items() >= file.labels.columns.items()
    models = audit_models(batch, ["said"], file, graph=graph)
    assert models[0].verdict is result.verdict


def test_merges_of_a_decision_that_a_batch_lacks_go_for_its_predictions():
    table = spellings(people())
    result = audited(table.drop(columns="hired"), labels=None, codings=TRIAL)
    seen = {one.where["job"]: one.risk_difference for one in result.subpopulations}
    assert seen == pytest.approx(by_pandas(table.replace("trial", "yes"), "said"))


def test_a_model_that_reads_one_cause_alone_is_judged():
    table = people().assign(said=lambda one: np.where(one["job"] == "a", "yes", "no"))
    result = audited(table)
    assert result.verdict is eh.Verdict.CERTIFIED
    assert result.exit_status == 0
    assert set(differences(result).values()) == {0}
    assert not {"exclude", "rule"} & {
        remedy.argument for one in result.inspection.findings for remedy in one.problem.remedies
    }
    assert not result.certificate.to_dict()["rules"]["near"]
    text = result.certificate.to_json()
    assert checker.verify(text)[0] == 0
    assert wrong(text, eh.read(table[["sex", "job", "said"]]).count()) == []
    assert "rules.determining" not in checker.verify(text).stated
    assert not result.release(seed=1).changed_rows
    table.loc[table.index[:40], "said"] = "no"
    nearly = audited(table)
    assert "determines" not in str(nearly) + str(nearly.inspection) + nearly.report().html


def test_what_predictions_determine_does_not_follow_from_them():
    table = people()
    table["job"] = np.where(table["said"] == "yes", "a", "b")
    wider = table.assign(said=np.where(table.index % 2, table["said"] + "!", table["said"]))
    asked = replace(ASKED, favorable=("yes", "yes!"))
    found = audited(wider, asked=asked, labels=None).inspection.findings
    assert FindingKind.FOLLOWS_FROM_DECISION not in [one.kind for one in found]


def graded(lacking):
    """Grades a to c, and a model that never says one of them."""
    rng = np.random.default_rng(8)
    table = people(900).drop(columns=["note", "score"])
    said = rng.choice([one for one in "abc" if one != lacking], 900)
    return table.assign(hired=rng.choice([*"abc"], 900), said=said)


SETS = {
    "favorable": replace(ASKED, favorable=("a", "c")),
    "cumulative": replace(ASKED, favorable=None, criterion="cumulative", order=[*"abc"]),
    "every": replace(ASKED, favorable=None, criterion="every"),
}


# Without b all that is said would be favorable.
@pytest.mark.parametrize(
    ("kind", "lacking"),
    [(kind, one) for kind in SETS for one in "abc" if (kind, one) != ("favorable", "b")],
)
def test_a_model_need_not_say_all_that_was_decided(kind, lacking, tmp_path):
    table, asked = graded(lacking), SETS[kind]
    result = audited(table, asked=asked)
    text = result.certificate.to_json()
    path = tmp_path / "people.csv"
    table.to_csv(path, index=False)
    assert [checker.verify(text, data)[0] for data in (None, str(path))] == [0, 0]
    assert wrong(text, eh.read(table[["sex", "job", "said"]]).count()) == []
    bias = result.error_bias
    cut = set(bias.to_dict()["favorable"].split(" or "))
    better = "abc"[: "abc".index(max(cut)) + 1] if kind == "cumulative" else cut
    rates = {
        name: table[name].isin([*better]).groupby(table["sex"]).mean()
        for name in ("hired", "said")
    }
    group, other = bias.to_dict()["group"], bias.to_dict()["other"]
    for part, name in (("labels", "hired"), ("predictions", "said")):
        right = rates[name][other] - rates[name][group]
        assert float(getattr(bias.gap, part)) == pytest.approx(right)
    if kind != "favorable":
        assert float(bias.accuracy) == (table["said"] == table["hired"]).mean()
    released = result.release(seed=1)
    assert released.certificate.verdict is eh.Verdict.CERTIFIED
    assert released.accuracy.before == bias.accuracy
    assert set(released.rows["said"]) <= set(table["said"])
    result.report(released)


def test_a_model_says_one_favorable_value_at_least_and_none_out_of_order():
    table = graded("a")
    with pytest.raises(QuestionError, match="has no value 'a'"):
        audited(table, asked=replace(ASKED, favorable=("a", "d")))
    with pytest.raises(QuestionError, match="It misses 'c'"):
        audited(table, asked=replace(SETS["cumulative"], order=[*"abd"]))
    with pytest.raises(QuestionError, match="are always 'b'"):
        audited(table.assign(said="b"), asked=SETS["cumulative"])
    with pytest.raises(ColumnError, match="No prediction is 'z'"):
        audited(table.replace({"hired": {"c": "z"}}), asked=SETS["cumulative"])


def test_settings_of_the_question_file_hold_and_unknown_ones_are_refused():
    file = eh.QuestionFile.of(ASKED, scope="all", min_coverage="0.5")
    found = audited(people(), asked=file).certificate
    assert (found.scope, found.min_coverage) == ("all", Fraction("0.5"))
    with pytest.raises(TypeError, match="scop"):
        audited(people(), scop="all")

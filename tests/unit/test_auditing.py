import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests import loans, several_groups
from tests.determined import question, scored

from evenhand import (
    Codings,
    CountTable,
    GraphEdit,
    Knowledge,
    Question,
    QuestionFile,
    Tiers,
    Verdict,
    audit,
    datasets,
    read,
)
from evenhand.errors import ColumnError, GraphError, QuestionError
from evenhand.evidence import certification
from evenhand.graph import CausalGraph, PartialGraph, discovery
from evenhand.graph.discovery import learn_graph
from evenhand.question.display_labels import Labels
from evenhand.verdict import Word

ASKED = datasets.question("admissions")
GRAPH = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score -> admission"
)

RULED = CausalGraph.parse("score -> risk; education -> score; sex -> score")


@pytest.fixture
def path(tmp_path):
    lines = ["gender,major,test_score,admission,n"]
    lines += [",".join([*labels, str(n)]) for labels, n in datasets.admissions(2)]
    target = tmp_path / "data.csv"
    target.write_text("\n".join(lines))
    return target


def test_a_file_and_its_counts_give_the_same_certificate(path):
    by_file = audit(path, ASKED.question, graph=GRAPH, codings=Codings.of(frequency="n"))
    by_counts = audit(datasets.admissions(2), ASKED.question, graph=GRAPH)
    assert by_file.verdict is Verdict.NOT_CERTIFIED
    assert by_file.certificate.digest == by_counts.certificate.digest


def test_a_graph_is_learned_where_none_is_given(path):
    found = audit(path, ASKED, codings=Codings.of(frequency="n"))
    assert found.graph.record.test == "chi-square"
    assert found.knowledge == ASKED.knowledge


def test_without_tiers_the_decision_comes_last_and_the_summary_says_so(path):
    found = audit(path, ASKED.question, codings=Codings.of(frequency="n"))
    assert found.knowledge.tiers == Tiers(..., ["admission"])
    assert "taken to come after all other columns" in str(found)


@pytest.mark.parametrize("counted", [True, False])
def test_codings_that_would_have_no_effect_are_refused(path, counted):
    rows = read(path, frequency="n")
    merge = Codings.of(merge={"major": {"any": ["CS", "EE"]}})
    with pytest.raises(QuestionError, match="already read"):
        audit(rows.count() if counted else rows, ASKED.question, codings=merge, graph=GRAPH)


def test_a_release_without_a_seed_is_drawn_anew_each_time(path):
    found = audit(path, ASKED.question, graph=GRAPH, codings=Codings.of(frequency="n"))
    assert found.release().seed != found.release().seed


def test_the_rest_is_pooled_in_a_partition_of_ones_own_too():
    question = ASKED.question
    pooled = type(question)(**(question.to_dict() | {"other": "rest"}))
    found = audit(datasets.admissions(1), pooled, graph=GRAPH)
    assert not found.explain_partition(["test_score"]).is_meaningful


def test_a_partition_is_explained_by_the_edges_that_knowledge_settles():
    graph = PartialGraph.parse(
        "gender -> admission; gender -> major; major - admission; test_score"
    )
    known = Knowledge(required=["major -> admission"])
    opened, settled = (
        audit(datasets.admissions(1), ASKED.question, graph=graph, knowledge=knowledge)
        for knowledge in (None, known)
    )
    assert opened.explain_partition(["major"]).is_meaningful is None
    assert settled.explain_partition(["major"]).is_meaningful is True


def test_a_single_name_is_a_partition_too():
    found = audit(datasets.admissions(1), ASKED.question, graph=GRAPH)
    by_name, by_names = map(found.explain_partition, ("test_score", ["test_score"]))
    assert by_name.to_dict() == by_names.to_dict()


def test_what_looks_missing_is_said_and_changes_nothing_that_is_certified(path):
    path.write_text(path.read_text().replace("EE", "?"))
    found = audit(path, ASKED.question, graph=GRAPH, codings=Codings.of(frequency="n"))
    said = "'?' is taken as a value: 'major' 1,200 rows."
    assert said in str(found)
    assert said not in str(found.certificate)
    assert said not in found.certificate.to_json()
    assert "?" in found.certificate.examined.counts.attribute("major").values


def test_an_audit_looks_at_the_table_that_it_counted():
    table = datasets.admissions(2)
    copied = {name: [] for name in (*table.names, "letter", "town")}
    often = []
    for labels, rows in table:
        line = dict(zip(table.names, labels, strict=True))
        more = {"letter": line["admission"].upper(), "town": line["major"].lower()}
        for name, value in {**line, **more}.items():
            copied[name].append(value)
        often.append(rows)
    found = audit(CountTable.of(copied, often), ASKED.question, graph=GRAPH)
    findings = found.to_dict()["inspection"]["findings"]
    assert findings[0]["columns"] == ["letter"]
    assert findings[0]["remedies"][0]["value"] == ["letter"]
    said = "The same column in other words: 'major' = 'town'."
    assert said in str(found)
    assert said not in str(audit(table, ASKED.question, graph=GRAPH))


def test_an_audit_compares_people_alike_in_the_causes():
    found = audit(datasets.admissions(2), ASKED.question, graph=GRAPH)
    comparison = found.inspection.comparison
    assert comparison.columns == found.decision_causes
    assert comparison.measured == len(found.subpopulations)
    assert comparison.same_decision == 0
    alike = CountTable.of(
        {"gender": ["f", "m"] * 2, "major": [*"xxyy"], "admission": ["no", "no", "no", "yes"]},
        [60, 40, 5, 5],
    )
    question = replace(ASKED.question, group="f", favorable="yes")
    graph = CausalGraph.parse("major -> admission; gender -> admission")
    found = audit(alike, question, graph=graph)
    assert found.inspection.comparison.same_decision == 100
    assert "90.9 % of the rows lie where both groups all got the same decision." in str(found)


def test_results_have_a_repr_of_one_short_line():
    found = audit(datasets.admissions(2), ASKED.question, graph=GRAPH)
    release = found.release(seed=1)
    explained = found.explain_partition(["major"])
    assert repr(found) == (
        "<Audit: not certified at 1/20, 2,200 rows, causes major, test_score>"
    )
    assert "audit.report()" in found._repr_html_()
    assert "audit.report(release)" in release._repr_html_()
    assert repr(release) == "<Release: modify-data (minimal) of 2,200 rows>"
    assert repr(explained) == (
        "<PartitionExplanation: {major} is a block set for gender and admission.>"
    )
    for result in (found.graph, found.plan(seed=1), found.report(release), found.doubt()):
        assert "\n" not in repr(result)
        assert len(repr(result)) < 200


# Many people alike make the differences of the paper's examples certain.
JUDGED = [
    (1, 1, "rows", Verdict.CERTIFIED, 0),
    (1, 1, "answer", Word.CANNOT_TELL, 3),
    (1, 1000, "answer", Word.NO, 0),
    (2, 1, "rows", Verdict.NOT_CERTIFIED, 1),
    (2, 1, "answer", Word.CANNOT_TELL, 3),
    (2, 1000, "answer", Word.YES, 1),
]


def many_times(example, times):
    table = datasets.admissions(example)
    lines = [(*labels, count * times) for labels, count in table]
    *columns, counts = zip(*lines, strict=True)
    return CountTable.of(dict(zip(table.names, columns, strict=True)), counts)


@pytest.mark.parametrize(("example", "times", "judge", "verdict", "status"), JUDGED)
def test_the_judge_says_which_verdict_decides(example, times, judge, verdict, status):
    found = audit(many_times(example, times), ASKED, graph=GRAPH, judge=judge)
    assert found.deciding_verdict is verdict
    assert found.exit_status == status
    assert found.verdict is found.certificate.verdict
    assert found.to_dict()["judge"] == judge
    assert found.to_dict()["deciding_verdict"] == str(verdict)
    if judge == "answer":
        assert found.summary().title == str(verdict)
    else:
        assert ("judged by", f"the rows: {verdict}") in found.summary().facts


def test_with_rows_that_cannot_be_compared_neither_judge_decides():
    counts = CountTable.of(
        {
            "gender": ["female", "female", "male", "male"],
            "major": ["CS", "CS", "EE", "EE"],
            "test_score": ["L"] * 4,
            "admission": ["admitted", "rejected"] * 2,
        },
        [5, 5, 5, 5],
    )
    for judge in ("rows", "answer"):
        assert audit(counts, ASKED, graph=GRAPH, judge=judge).exit_status == 3


def test_a_judge_that_is_passed_overrides_that_of_the_file():
    asked = replace(ASKED, judge="rows")
    counts = datasets.admissions(2)
    assert audit(counts, asked, graph=GRAPH).judge == "rows"
    assert audit(counts, asked, graph=GRAPH, judge="answer").judge == "answer"
    assert audit(counts, asked.question, graph=GRAPH).judge == "answer"


def test_there_are_two_judges():
    with pytest.raises(QuestionError, match="`judge` is 'people', which is none of"):
        audit(datasets.admissions(2), ASKED, graph=GRAPH, judge="people")


def test_a_judge_changes_no_certificate_and_no_release():
    found = [
        audit(datasets.admissions(2), ASKED, graph=GRAPH, judge=judge)
        for judge in ("rows", "answer")
    ]
    assert found[0].certificate == found[1].certificate
    releases = [one.release(seed=1) for one in found]
    assert {str(one.certificate.verdict) for one in releases} == {"certified"}
    assert releases[0].changed_rows == releases[1].changed_rows == 15


def test_a_notebook_opens_with_the_answer_and_says_where_the_pictures_are():
    found = audit(datasets.admissions(2), ASKED, graph=GRAPH)
    word, _, sentence = found.answer.statements[0].partition(": ")
    opening = f'<div class="result"><h3>{word}</h3><p><strong>{sentence}</strong></p>'
    assert found._repr_html_().startswith(opening)
    assert "audit.report()" in found._repr_html_()
    assert "audit.report" not in str(found)
    assert "audit.report(release)" in found.release(seed=7)._repr_html_()


def test_labels_for_a_column_that_is_not_there_are_refused_with_a_suggestion(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("sex,race,hired\n" + "f,a,yes\nm,b,no\n" * 20)
    asked = QuestionFile.parse(
        '[question]\nprotected = "sex"\ngroup = "f"\ndecision = "hired"\nfavorable = "yes"\n'
        '[labels.columns]\nrase = "race or origin"\n[labels.values.Sex]\nf = "women"\n'
    )
    with pytest.raises(ColumnError) as caught:
        audit(path, asked)
    first, second = caught.value.problems
    assert "no column 'rase'" in first.what
    assert "'race'" in first.found
    assert "'sex'" in second.found
    assert "labels" in first.where


def wide_table(rows=3000, further=40):
    """The decision follows sex and two of many columns; the others are noise."""
    generator = np.random.default_rng(5)
    codes = generator.integers(0, 2, (further + 4, rows))
    sex, grade, score, hired = codes[:4]
    hired[:] = generator.random(rows) < 0.1 + 0.2 * sex + 0.3 * grade + 0.3 * score
    names = ["sex", "grade", "score", "hired", *(f"c{at}" for at in range(further))]
    labels = np.array(["n", "y"])
    return CountTable.of({n: labels[c].tolist() for n, c in zip(names, codes, strict=True)})


HIRED = Question(protected="sex", group="n", decision="hired", favorable="y")


def test_a_local_search_judges_by_the_causes_that_the_whole_graph_has(monkeypatch):
    table = wide_table()
    whole = audit(table, HIRED)
    monkeypatch.setattr("evenhand.graph.searched_columns.MOST_COLUMNS", 20)
    near = audit(table, HIRED, local=True)
    assert near.decision_causes == whole.decision_causes == ("grade", "score")
    assert near.verdict is whole.verdict
    assert near.subpopulations == whole.subpopulations
    assert len(near.counts.names) < 10
    assert near.notes == (f"Of 44 columns {len(near.counts.names)} were counted.",)
    assert str(near.certificate.graph_origin).endswith(", columns chosen from 44")
    assert any("Of 44 columns" in one for one in near.certificate.assumptions)


def test_an_edge_that_a_local_search_leaves_open_is_not_guessed():
    generator = np.random.default_rng(8)
    sex, hired = generator.integers(0, 2, (2, 4000))
    tests = np.where(generator.random(4000) < 0.8, hired, sex)
    labels = np.array(["n", "y"])
    columns = {"sex": sex, "hired": hired, "test": tests}
    table = CountTable.of({name: labels[codes].tolist() for name, codes in columns.items()})
    known = Knowledge(tiers=Tiers(["sex"], ["hired", "test"]))
    by_search, by_all = (
        audit(table, HIRED, knowledge=known, local=one) for one in (True, False)
    )
    assert by_search.graph.undirected == by_all.graph.undirected
    assert by_search.certificate.possible_decision_causes == (
        by_all.certificate.possible_decision_causes
    )
    assert by_search.verdict is by_all.verdict


def test_columns_through_which_effects_are_asked_about_are_counted(monkeypatch):
    asked = replace(HIRED, redlining=["c7"], explained=["c9"])
    near = audit(wide_table(), asked, local=True)
    assert {"c7", "c9"} <= {*near.counts.names}
    monkeypatch.setattr("evenhand.graph.searched_columns.MOST_COLUMNS", 20)
    graph = CausalGraph.parse("sex -> hired; grade -> hired; c7; c9")
    given = audit(wide_table(), asked, graph=graph)
    assert {*given.counts.names} == {"sex", "grade", "hired", "c7", "c9"}


@pytest.mark.parametrize("local", [False, True])
def test_an_unknown_column_on_the_way_is_refused_with_a_suggestion(local):
    asked = replace(HIRED, redlining=["garde"])
    with pytest.raises(ColumnError, match="no column 'garde'. Did you mean 'grade'"):
        audit(wide_table(), asked, local=local)


def test_of_a_wide_table_with_a_graph_only_its_columns_are_counted(monkeypatch):
    monkeypatch.setattr("evenhand.graph.searched_columns.MOST_COLUMNS", 20)
    graph = CausalGraph.parse("sex -> hired; grade -> hired; score -> hired")
    known = Knowledge(forbidden=["c1 -> c2", "hired -> sex"])
    result = audit(wide_table(), HIRED, graph=graph, knowledge=known)
    assert {*result.counts.names} == {"sex", "grade", "score", "hired"}
    assert result.notes == ("Of 44 columns 4 were counted.",)
    assert not result.certificate.graph_origin.chosen_from
    with pytest.raises(GraphError, match="no such column"):
        audit(wide_table(), HIRED, graph=CausalGraph.parse("sex -> hired; d1 -> hired"))


@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_every_part_of_an_audit_speaks_of_many_groups_and_values(name):
    """Each part is worked out, printed and written as plain values."""
    question = several_groups.RELEASED[name]
    rows = several_groups.people() | {"age": [18 + at * 7 % 50 for at in range(600)]}
    codings = Codings.of(columns=["sex", "race", "town", "score", "age"], bins={"age": [40]})
    graph = CausalGraph.parse("race -> score; town -> score; sex -> score; age -> score")
    found = audit(pa.table(rows), question, graph=graph, codings=codings, min_coverage="0.3")
    parts = {
        "explained": found.explain_partition(["town", "age"]),
        "doubt": found.doubt(),
        "bootstrap": found.bootstrap(3, seed=1),
        "arrows": found.arrows(),
        "inspection": found.inspection,
        "population": found.certificate.population,
        "plan": found.plan(),
        "audit": found,
    }
    for part, value in parts.items():
        assert str(value), part
        if hasattr(value, "to_dict"):
            assert json.loads(json.dumps(value.to_dict())), part
    assert set(parts["bootstrap"].verdicts) <= set(Verdict)
    everything = audit(
        pa.table(rows), question, graph=graph, codings=codings, scope="all", min_coverage="0.3"
    )
    assert everything.certificate.partition.numbers == found.certificate.partition.numbers


@pytest.mark.parametrize("protected", ["race", ("sex", "race")])
def test_pooled_groups_are_explained_as_they_were_examined(protected):
    """Everybody else is pooled once: looking again gives the same numbers."""
    group = "a" if protected == "race" else ("f", "a")
    question = Question(
        protected=protected, group=group, other="rest", decision="score", favorable="Low"
    )
    found = audit(several_groups.counted(), question, graph=several_groups.GRAPH)
    explained = found.explain_partition(found.decision_causes)
    assert explained.partition.numbers == found.certificate.partition.numbers
    assert str(found.bootstrap(3, seed=1))


def test_a_graph_is_learned_for_many_groups():
    question = several_groups.RELEASED["crossed every"]
    found = audit(
        pa.table(several_groups.people(2000)), question, codings=several_groups.CODINGS
    )
    assert "race" not in found.decision_causes
    assert "sex" not in found.decision_causes
    assert str(found.doubt())
    assert str(found.arrows())


TOWNS = QuestionFile.parse("""
[question]
protected = "gender"
group = "female"
decision = "admission"
favorable = "admitted"

[knowledge]
tiers = [["gender"], ["major", "test_score"], ["admission"]]
""")
OTHER_FILES = {
    "threshold": {"question": {"threshold": "0.2"}},
    "rows": {"judge": "rows"},
    "redlining": {"question": {"redlining": ["major"], "redlining_threshold": "0.1"}},
    "labels": {"labels": Labels(columns={"major": "subject"})},
    "removed": {"edits": ("remove major -> admission: it was not known",)},
    "opened": {"edits": ("open major -> admission: it may have come later",)},
    "several": {
        "edits": (
            "remove test_score -> admission: nobody read it",
            "add gender -> major: it was so",
        ),
        "graphs_judged": 3,
    },
    "edits and redlining": {
        "question": {"redlining": ["major"]},
        "edits": ("add gender -> major: it was so",),
    },
}


def changed(file, change):
    """The question file with some things otherwise."""
    more = {name: value for name, value in change.items() if name not in ("question", "edits")}
    asked = replace(file.question, **change.get("question", {}))
    edits = tuple(GraphEdit.parse(*one.split(maxsplit=1)) for one in change.get("edits", ()))
    return replace(file, question=asked, edits=edits, **more)


@pytest.mark.parametrize("name", OTHER_FILES)
@pytest.mark.parametrize("graph", [GRAPH, None], ids=["given", "learned"])
def test_an_audit_judged_with_another_file_is_the_audit_of_that_file(name, graph):
    counts, file = datasets.admissions(2), changed(TOWNS, OTHER_FILES[name])
    if name == "several" and graph is not None:
        file = replace(file, edits=file.edits[:1])  # the other arrow is given
    if name == "edits and redlining" and graph is not None:
        file = replace(file, edits=())
    if name == "opened":
        file = replace(file, knowledge=Knowledge())
    first = audit(counts, replace(TOWNS, knowledge=file.knowledge), graph=graph)
    again, whole = first.judged_with(file), audit(counts, file, graph=graph)
    assert again.certificate.to_json() == whole.certificate.to_json()
    assert again.to_dict() == whole.to_dict()
    assert str(again) == str(whole)
    assert again.exit_status == whole.exit_status
    assert (again.labels, again.judge, again.graph) == (whole.labels, whole.judge, whole.graph)
    assert again.report().html == whole.report().html
    # Nothing of it stays: the first file gives the first audit again.
    back = again.judged_with(replace(TOWNS, knowledge=file.knowledge))
    assert back.certificate.to_json() == first.certificate.to_json()


@pytest.mark.parametrize("graph", [None, RULED], ids=["learned", "given"])
def test_a_declared_rule_can_be_judged_with_another_threshold_or_afterwards(graph):
    """A learned graph depends on the rule: it is learned for it, and judged with it again."""
    counts, ruled = CountTable.of(scored()), question(rule=["score"])
    first = audit(counts, question() if graph else ruled, graph=graph)
    file = QuestionFile(question=replace(ruled, threshold="0.3"))
    again, whole = first.judged_with(file), audit(counts, file, graph=graph)
    assert again.certificate.without_rule is not None
    assert again.certificate.to_json() == whole.certificate.to_json()


def test_the_graph_before_edits_is_judged_once_for_all_edits(monkeypatch):
    certify, graphs = certification.certify, []

    def counting(counts, graph, *args, **settings):
        graphs.append(graph)
        return certify(counts, graph, *args, **settings)

    monkeypatch.setattr(certification, "certify", counting)
    first = audit(datasets.admissions(2), TOWNS, graph=GRAPH)
    files = [changed(TOWNS, OTHER_FILES[name]) for name in ("removed", "several")]
    files = [replace(file, edits=file.edits[:1]) for file in files]
    for file in files:
        first.judged_with(file)
    assert len(graphs) == 1 + len(files) + 1
    first.judged_with(replace(files[0], question=replace(TOWNS.question, threshold="0.2")))
    assert len(graphs) == 6  # at another threshold it gives something else


def test_edits_of_a_given_graph_must_fit_what_is_known():
    turned = GraphEdit.parse("reverse", "test_score -> admission: no")
    with pytest.raises(GraphError, match="contradicts what is known"):
        audit(datasets.admissions(2), TOWNS, graph=GRAPH, edits=[turned])


def test_what_is_no_question_graph_or_edit_is_refused_in_words():
    counts = datasets.admissions(2)
    for asked in ({"protected": "gender"}, "gender", None):
        with pytest.raises(QuestionError, match="is no question"):
            audit(counts, asked, graph=GRAPH)
    for graph in ("gender -> admission", {"nodes": []}, 5):
        with pytest.raises(GraphError, match="CausalGraph.parse"):
            audit(counts, ASKED, graph=graph)
    with pytest.raises(QuestionError, match="'x' is no edit of the graph"):
        audit(counts, ASKED, graph=GRAPH, edits=["x"])


@pytest.mark.parametrize(("free", "evicted"), [("b - admission", 1), ("b; admission", 0)])
def test_a_required_arrow_that_evicts_a_cause_says_so(monkeypatch, free, evicted):
    def learned(_, *, knowledge, **__):
        return PartialGraph.parse("major -> admission" if knowledge.required else free)

    monkeypatch.setattr(discovery, "discover", learned)
    known = Knowledge(required=["major -> admission"])
    _, notes = learn_graph(datasets.admissions(2), ASKED.question, known)
    assert len(notes) == evicted
    said = "The required arrows evict 'b' from the possible causes of 'admission'"
    assert all(note.startswith(said) for note in notes)


@pytest.mark.parametrize(("group", "notes"), [(None, 1), ("female", 0)])
def test_which_of_two_groups_was_taken_is_said_where_nobody_named_one(group, notes):
    asked = replace(ASKED, question=replace(ASKED.question, group=group))
    found = audit(datasets.admissions(2), asked, graph=GRAPH)
    said = "No group was named: 'female' was taken, and is compared with 'male'."
    assert found.to_dict()["notes"] == [said] * notes
    assert str(found).count(said) == notes


def test_printing_by_the_rows_makes_no_test_of_the_graph():
    found = audit(datasets.admissions(2), TOWNS, judge="rows")
    assert "rows against the graph" not in str(found)
    assert found.known_doubt is None


def test_what_a_question_file_says_of_learning_and_judging_holds_unless_it_is_overridden():
    counts = datasets.admissions(2)
    said = '[learning]\nmax_depth = 0\nsignificance = 0.2\ntest = "g-square"\n'
    text = str(datasets.question("admissions")).replace(
        "[question]", '[question]\nscope = "all"\nmin_coverage = "0.5"'
    )
    file = QuestionFile.parse(text + said)
    given = {"max_depth": 0, "significance": 0.2, "test": "g-square", "scope": "all"}
    expected = audit(counts, replace(file, settings={}), **given, min_coverage="0.5")
    assert audit(counts, file).certificate.to_dict() == expected.certificate.to_dict()
    overridden = audit(counts, file, scope="minimal").certificate.to_dict()
    assert overridden["scope"]["asked"] == "minimal"


def test_an_audit_reads_columns_as_read_does():
    rows = {"sex": [*"ffmm"] * 30, "age": [1, 2, 3, 4] * 30, "hired": [*"ynyy"] * 30}
    table, graph = pa.table(rows), CausalGraph.parse("sex -> hired; age -> hired")
    asked = Question(protected="sex", group="f", decision="hired", favorable="y")
    one_by_one = audit(table, asked, graph=graph, bins={"age": [2]})
    codings = Codings.of(bins={"age": [2]})
    assert one_by_one.to_dict() == audit(table, asked, graph=graph, codings=codings).to_dict()
    with pytest.raises(QuestionError, match="given twice"):
        audit(table, asked, graph=graph, codings=codings, bins={"age": [2]})


def test_plain_values_say_how_well_the_rows_bear_out_the_graph_of_other_effects():
    found = audit(loans.loans(), loans.QUESTION, graph=loans.INCOME_FIRST)
    fit = found.to_dict()["indirect"]["graph_fit"]
    assert fit == found.answer.graph_fit.to_dict()
    direct = audit(loans.loans(), loans.asking(redlining=()), graph=loans.INCOME_FIRST)
    assert "indirect" not in direct.to_dict()

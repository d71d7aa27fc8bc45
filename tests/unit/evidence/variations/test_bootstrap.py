"""The audit again and again, on resample counts."""

import numpy as np
import pytest
from tests.admission import GRAPH

from evenhand import CountTable, Question, Tiers, datasets
from evenhand.errors import Problem, QuestionError, ResourceError
from evenhand.evidence import Verdict
from evenhand.evidence.variations.bootstrap import bootstrap, resample
from evenhand.graph import discover
from evenhand.verdict import StatisticalVerdict

ADMISSIONS = datasets.question("admissions")


def run(counts, asked=ADMISSIONS, **options):
    options = {"seed": 3, "resamples": 20, "knowledge": asked.knowledge} | options
    return bootstrap(counts, asked.question, **options)


def test_a_resample_has_as_many_rows_of_the_same_kinds():
    counts = datasets.admissions(2)
    drawn = resample(counts, np.random.default_rng(1))
    assert drawn.row_count == counts.row_count
    assert drawn.attributes == counts.attributes
    assert {labels for labels, _ in drawn} <= {labels for labels, _ in counts}


def test_counts_vary_as_those_of_rows_drawn_with_replacement():
    counts = CountTable.of({"x": ["a", "b", "c"]}, [100, 300, 600])
    generator = np.random.default_rng(2)
    drawn = np.array([resample(counts, generator).counts for _ in range(4000)])
    shares = counts.counts / counts.row_count
    assert drawn.mean(axis=0) == pytest.approx(counts.counts, rel=0.02)
    assert drawn.var(axis=0) == pytest.approx(counts.row_count * shares * (1 - shares), rel=0.1)


def test_the_same_seed_gives_the_same_shares():
    counts = datasets.admissions(2)
    assert run(counts).to_dict() == run(counts).to_dict()


def test_another_seed_draws_other_counts():
    digests = {
        resample(datasets.admissions(2), np.random.default_rng(seed)).digest for seed in (3, 4)
    }
    assert len(digests) == 2


def test_more_resamples_begin_with_the_same_ones():
    seen = {}
    for resamples in (5, 10):
        streams = np.random.SeedSequence(3).spawn(resamples)
        seen[resamples] = [
            resample(datasets.admissions(2), np.random.default_rng(stream)).digest
            for stream in streams
        ]
    assert seen[10][:5] == seen[5]


def test_every_resample_is_counted_once():
    found = run(datasets.admissions(2))
    assert sum(found.verdicts.values()) + found.failed == 20
    assert sum(found.statistical.values()) + found.failed == 20
    assert all(count <= found.possible[name] <= 20 for name, count in found.causes.items())


def test_strong_causes_are_found_in_every_resample():
    found = run(datasets.admissions(1))
    assert found.causes == {"major": 20, "test_score": 20}


def test_a_given_graph_is_kept_and_only_the_verdict_varies():
    found = run(datasets.admissions(2), graph=GRAPH)
    assert not found.relearned
    assert found.causes == {"major": 20, "test_score": 20}
    assert found.verdicts == {Verdict.NOT_CERTIFIED: 20}
    assert "all with the given graph" in str(found)


def test_a_large_difference_is_shown_in_every_resample():
    counts = CountTable.of(
        {"sex": ["f", "f", "m", "m"], "hired": ["no", "yes", "no", "yes"]},
        [4000, 1000, 2000, 3000],
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    found = bootstrap(
        counts, question, seed=1, resamples=5, knowledge=Tiers(["sex"], ["hired"])
    )
    assert found.statistical == {StatisticalVerdict.SHOWN: 5}


def test_a_resample_without_a_graph_counts_as_failed_and_in_no_verdict(monkeypatch):
    learned = discover(datasets.admissions(1), knowledge=ADMISSIONS.knowledge)
    answers = iter([learned, ResourceError(Problem("too large")), learned])

    def sometimes(*_, **__):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr("evenhand.evidence.variations.bootstrap.discover", sometimes)
    found = run(datasets.admissions(1), resamples=3)
    assert found.failed == 1
    assert sum(found.verdicts.values()) == 2
    assert "Resamples without any verdict: 1." in str(found)


def test_a_group_that_vanishes_in_a_resample_gives_no_verdict():
    # Nobody is left of a group of one in about a third of the resamples.
    counts = CountTable.of(
        {"sex": ["f", "m", "m"], "hired": ["yes", "no", "yes"]}, [1, 400, 599]
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    knowledge = Tiers(["sex"], ["hired"])
    found = bootstrap(counts, question, seed=1, resamples=30, knowledge=knowledge)
    assert found.failed + found.verdicts.get(Verdict.CANNOT_DECIDE, 0) > 3


def test_compiling_is_told_before_the_first_resample(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr("evenhand.evidence.variations.bootstrap._MANY_RESAMPLES", 2)
    told = []
    run(datasets.admissions(1), resamples=2, progress=told.append)
    first = [one.step.startswith("compiling, once") for one in told]
    assert first == sorted(first, reverse=True)
    assert first[0]
    assert (told[-1].step, told[-1].done) == ("resamples", 2)
    told.clear()
    run(datasets.admissions(1), resamples=2, graph=GRAPH, progress=told.append)
    assert {one.step for one in told} == {"resamples"}


def test_progress_is_told_after_each():
    told = []
    run(datasets.admissions(1), resamples=3, progress=told.append)
    done = [one.done for one in told]
    assert done == sorted(done)
    assert {*done} == {0, 1, 2, 3}
    assert {(one.step, one.total) for one in told} == {("resamples", 3)}


def test_who_listens_can_stop_it_while_a_graph_is_learned():
    class Stopped(BaseException):
        pass

    def stop(progress):
        raise Stopped(progress.done)

    with pytest.raises(Stopped) as stopped:
        run(datasets.admissions(1), resamples=3, progress=stop)
    assert stopped.value.args == (0,)  # not one resample was waited for


@pytest.mark.parametrize("resamples", [0, -1])
def test_at_least_one_resample_is_asked_for(resamples):
    with pytest.raises(QuestionError, match="no number of resamples"):
        run(datasets.admissions(1), resamples=resamples)


def test_that_resampling_exaggerates_is_said():
    assert "may be none" in str(run(datasets.admissions(1)))

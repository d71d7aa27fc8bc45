"""A copy for others is refused beside one from which it could be subtracted."""

import json
from dataclasses import replace

import pytest
from tests.several_groups import people

import evenhand as eh
from evenhand.errors import QuestionError

PEOPLE = eh.CountTable.of(
    {name: people(3000)[name] for name in ("sex", "race", "town", "score")}
)
ASKED = eh.Question(protected="race", decision="score", favorable="Low", threshold="0.1")
NAMED = replace(ASKED, group="a", other="b")
TOWN = "race -> score; town -> score; sex"
BOTH = "race -> score; town -> score; sex -> score"


def copied(folder, question=ASKED, graph=TOWN, name="copy.json", *, least_count=10, **options):
    graph = eh.CausalGraph.parse(graph)
    found = eh.audit(PEOPLE, question, graph=graph, **options).certificate
    return found.write_shared(folder / name, least_count=least_count)


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        ({"graph": BOTH}, "'attributes'"),
        ({"question": replace(ASKED, favorable="High")}, "'decisions'"),
        ({"question": replace(NAMED, other="rest")}, "'groups'"),
        (
            {"question": replace(ASKED, protected="sex"), "graph": "sex -> score; race"},
            "'attri",
        ),
        (
            {"graph": BOTH, "question": replace(ASKED, protected="sex", other="m")},
            "'attributes'",
        ),
    ],
)
def test_another_division_of_the_same_people_is_refused(tmp_path, asked, difference):
    first = copied(tmp_path)
    before = first.read_text()
    with pytest.raises(QuestionError, match=r"copy\.json is a copy for others, too") as caught:
        copied(tmp_path, name="new.json", **asked)
    assert difference in str(caught.value)
    assert [*tmp_path.iterdir()] == [first]
    (tmp_path / "elsewhere").mkdir()
    copied(tmp_path / "elsewhere", name="new.json", **asked)
    first.unlink()
    (tmp_path / "full.json").write_text(before.replace('"copy":"shared"', '"copy":"full"'))
    for name, text in (("a", "{"), ("b", '{"copy":"shared"}'), ("c", '["copy":"shared"]')):
        (tmp_path / f"{name}.json").write_text(text)
    copied(tmp_path, name="new.json", **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"least_count": 3},
        {"question": replace(ASKED, threshold="0.2"), "min_coverage": "1/2"},
        {"question": NAMED},
        {"question": replace(ASKED, other="c")},
    ],
)
def test_the_same_division_is_none_to_be_subtracted(tmp_path, asked):
    copied(tmp_path)
    copied(tmp_path, name="new.json", **asked)
    copied(tmp_path, name="third.json", question=replace(NAMED, other="c"))


def test_a_copy_of_other_columns_is_about_other_rows(tmp_path):
    columns = {"g": list("ffmm") * 40, "d": list("ynyn") * 40}
    asked = eh.Question(protected="g", group="f", decision="d", favorable="y")
    found = eh.audit(
        eh.CountTable.of(columns), asked, graph=eh.CausalGraph.parse("g -> d")
    ).certificate
    found.write_shared(tmp_path / "other.json")
    copied(tmp_path)


def test_rows_before_a_release_and_after_it_are_not_shared_together(tmp_path):
    audit = eh.audit(PEOPLE, NAMED, graph=eh.CausalGraph.parse(TOWN))
    release = audit.release(seed=1)
    audit.certificate.write_shared(tmp_path / "copy.json")
    with pytest.raises(QuestionError, match="'release'"):
        release.write(tmp_path / "out.csv", share=True)
    assert [path.name for path in tmp_path.iterdir()] == ["copy.json"]
    (tmp_path / "copy.json").unlink()
    release.write(tmp_path / "out.csv", share=True)
    audit.release(seed=2).write(tmp_path / "second.csv", share=True)
    release.write(tmp_path / "out.csv", share=True, overwrite=True)
    with pytest.raises(QuestionError, match="'release'"):
        audit.certificate.write_shared(tmp_path / "copy.json")
    assert json.loads((tmp_path / "second.shared.certificate.json").read_text())["release"]

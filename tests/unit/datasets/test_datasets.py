import importlib.util
from collections import Counter
from pathlib import Path

import pytest

from evenhand import datasets
from evenhand.errors import InputError

ODD = "@attribute age {1}\n@attribute occupation {1}\n@data\n1,1\n1\n"


def build_adult():
    path = Path(__file__).parents[3] / "scripts" / "build_adult.py"
    spec = importlib.util.spec_from_file_location("build_adult", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build


def test_the_shipped_counts_equal_a_fresh_build(data_folder):
    shipped = Path(datasets.__file__).with_name("adult.csv").read_text("utf-8")
    assert build_adult()(data_folder / "adult") == shipped


@pytest.mark.parametrize(("paper", "rows"), [(False, 48_842), (True, 65_123)])
def test_adult_has_its_rows_and_376_assignments(paper, rows):
    adult = datasets.adult(paper=paper)
    others = [name for name in adult.names if name not in ("sex", "income")]
    assert adult.row_count == rows
    assert len(others) == 9
    assert len(adult.marginal(others)) == 376


def test_dutch_has_60_420_rows_not_60_421(dutch):
    assert dutch.row_count == 60_420
    assert len(dutch.names) == 12
    assert dutch.attribute("age").values == ("up to 9", "10 or more")


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "@attribute sex {1}\n@data\n1\n", ODD])
def test_another_file_is_not_taken_for_the_census(tmp_path, text):
    path = tmp_path / "other.arff"
    path.write_text(text)
    with pytest.raises(InputError, match="not the ARFF file"):
        datasets.dutch(path)


def test_a_census_file_needs_age_and_occupation_alone(tmp_path):
    path = tmp_path / "small.arff"
    path.write_text(ODD.removesuffix("1\n") + "\n")
    assert datasets.dutch(path).row_count == 1


def test_an_absent_census_file_is_named(tmp_path):
    with pytest.raises(InputError, match="Name your copy") as caught:
        datasets.dutch(tmp_path / "absent.arff")
    assert "absent.arff" in caught.value.problems[0].where


@pytest.mark.parametrize(
    ("example", "digest"),
    [
        (1, "63709c205f3545ca558594b4de6ffa31cc43cc5f77b3fe75d02f05d5f5a5097a"),
        (2, "8f9246540875d4461f524fa756deae74f67d8147667bd0b28a3dc05be16bb55f"),
    ],
)
def test_the_examples_are_those_of_the_papers_tables(example, digest):
    """tests/paper has their rates; this has every count."""
    assert datasets.admissions(example).digest == digest


def test_there_are_two_examples():
    with pytest.raises(InputError, match="example 1 or 2"):
        datasets.admissions(3)


@pytest.mark.parametrize("name", ["admissions", "adult", "dutch"])
def test_every_data_set_has_its_question(name):
    assert datasets.question(name).question.threshold.denominator == 20


def test_an_unknown_data_set_is_refused():
    with pytest.raises(InputError, match="no data set 'compas'"):
        datasets.question("compas")


def test_five_races_are_the_same_people_as_two():
    """The default is what it was before races were kept apart; merged, five are these two."""
    two, five = datasets.adult(), datasets.adult(race="five")
    assert two.digest == "8599e59d2a1c7de4ddf4a80697648f85f1d720009a92ff6b33a36fc41a78e961"
    assert datasets.adult(paper=True).digest == (
        "d64e2c7581388b607b7fe014853ce1d4db57e0ce516bf39ad7e8a9bf824455a7"
    )
    assert five.values("race") == {
        "Amer-Indian-Eskimo": 470,
        "Asian-Pac-Islander": 1_519,
        "Black": 4_685,
        "Other": 406,
        "White": 41_762,
    }
    merged = Counter()
    for labels, rows in five:
        own = dict(zip(five.names, labels, strict=True))
        if own["race"] != "White":
            own["race"] = "not White"
        merged[tuple(own[name] for name in two.names)] += rows
    assert merged == {tuple(labels): rows for labels, rows in two}


def test_adult_has_two_or_five_races():
    with pytest.raises(InputError, match="no 'seven' classes of race"):
        datasets.adult(race="seven")

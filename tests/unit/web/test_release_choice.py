"""A choice stands in the address and comes back from it the same."""

from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

import pytest

from evenhand.errors import QuestionError
from evenhand.question.fields import parse_names
from evenhand.removal import ModifyData, ModifyGraph
from evenhand.web.release_choice import ReleaseChoice

CHOICES = [
    ReleaseChoice(),
    ReleaseChoice(way="modify-graph:quotas"),
    ReleaseChoice(way="modify-data:raise", margin="1.5", only=("a,b", "ü&=")),
    ReleaseChoice(drop=("x", 'say "y"', " z ")),
    ReleaseChoice(drop=("x",)),
]


@pytest.mark.parametrize("choice", CHOICES)
def test_the_address_says_it_all(choice: ReleaseChoice) -> None:
    query = parse_qs(urlsplit(choice.address()).query)
    plain = {name: query[name] if name in ("only", "drop") else query[name][0]
             for name in query}  # fmt: skip
    assert ReleaseChoice.of(plain) == choice


@pytest.mark.parametrize("choice", CHOICES)
def test_the_body_of_a_form_says_it_all(choice: ReleaseChoice) -> None:
    assert ReleaseChoice.of(choice.query) == choice


def test_the_first_choice_needs_no_query() -> None:
    assert ReleaseChoice().address() == "release"
    assert ReleaseChoice.of({}) == ReleaseChoice.of({"way": "", "margin": " "})


def test_groups_are_dropped_with_a_method_that_takes_none() -> None:
    choice = ReleaseChoice(only=("Female",))
    assert choice.takes_groups
    assert "only" in choice.address(way="modify-data:raise")
    assert "only" not in choice.address(way="modify-graph:generate")


def test_methods_have_their_settings() -> None:
    method = ReleaseChoice(way="modify-data:raise", margin="1", only=("f",)).method
    assert method == ModifyData(policy="raise", margin=Fraction(1, 100), only=("f",))
    generated = ReleaseChoice(way="modify-graph:generate", margin="0.5").method
    assert generated == ModifyGraph(generate=True, margin=Fraction(1, 200))


@pytest.mark.parametrize(
    "way", ["modify-data:paper", "modify-graph:sample", "shuffle-protected:all rows", "x", ":"]
)
def test_what_gives_no_guarantee_is_never_a_choice(way: str) -> None:
    with pytest.raises(QuestionError, match="gives no guarantee"):
        _ = ReleaseChoice(way=way).method


@pytest.mark.parametrize("margin", ["much", "-1", "1/0", "nan"])
def test_a_margin_that_is_none_is_refused(margin: str) -> None:
    with pytest.raises(QuestionError, match="margin"):
        _ = ReleaseChoice(margin=margin).method


def test_the_options_are_those_of_the_command_line() -> None:
    names = ("plain", "a,b", 'say "y"', " z ")
    options = ReleaseChoice(
        way="modify-data:raise", margin="1", only=("f",), drop=names
    ).options
    assert options[:6] == ["--policy", "raise", "--set", "margin=1/100", "--set", "only=f"]
    assert parse_names(options[7].removeprefix("drop=")) == [*names]
    assert ReleaseChoice().options == []
    assert ReleaseChoice(way="modify-graph:quotas").options == [
        "--method", "modify-graph", "--policy", "quotas"
    ]  # fmt: skip

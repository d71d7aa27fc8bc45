import pytest

from evenhand import Knowledge, Tiers
from evenhand.errors import ColumnError, KnowledgeError, QuestionError
from evenhand.question import GraphEdit

NAMES = ("sex", "age", "education", "job", "income")


def test_the_rest_takes_the_place_of_the_ellipsis():
    order = Knowledge.of(Tiers(["sex"], ..., ["income"])).about(NAMES)
    assert order.tier == {"sex": 0, "age": 1, "education": 1, "job": 1, "income": 2}


def test_a_later_tier_cannot_cause_an_earlier_one():
    order = Knowledge.of(Tiers(["sex"], ..., ["income"])).about(NAMES)
    assert order.may_cause("sex", "income")
    assert not order.may_cause("income", "sex")
    assert order.may_cause("age", "job")
    assert order.may_cause("job", "age")


def test_a_column_without_a_tier_is_free():
    order = Knowledge.of(Tiers(["sex"], ["income"])).about(NAMES)
    assert order.tier["job"] is None
    assert order.may_cause("income", "job")
    assert order.may_cause("job", "sex")


def test_required_and_forbidden_arrows_decide_directions():
    order = Knowledge(required=["age -> job"], forbidden=[("sex", "job")]).about(NAMES)
    assert order.may_cause("age", "job")
    assert not order.may_cause("job", "age")
    assert not order.may_cause("sex", "job")


def test_tiers_are_read_as_the_command_line_writes_them():
    assert Tiers.parse("sex, age|education|*|income") == Tiers(
        ["sex", "age"], ["education"], ..., ["income"]
    )


@pytest.mark.parametrize("text", ["", "sex||income", "sex,|income"])
def test_an_empty_place_in_tiers_is_refused(text):
    with pytest.raises(KnowledgeError, match="empty place"):
        Tiers.parse(text)


def test_a_column_in_two_tiers_is_refused():
    with pytest.raises(KnowledgeError, match="'sex' is in more than one tier") as caught:
        Tiers(["sex"], ["sex", "age"])
    assert caught.value.problems[0].where == "tiers 'sex | sex, age'"
    assert caught.value.problems[0].remedy


def test_an_unknown_column_in_tiers_is_named_with_its_neighbours():
    with pytest.raises(ColumnError, match=r"no column 'edukation'. Did you mean 'education'\?"):
        Knowledge.of(Tiers(["edukation"])).about(NAMES)


def test_an_arrow_both_required_and_forbidden_is_refused():
    with pytest.raises(KnowledgeError, match="both required and forbidden"):
        Knowledge(required=["a->b"], forbidden=["a->b"])


def test_a_required_arrow_against_the_tiers_is_refused():
    knowledge = Knowledge(tiers=Tiers(["sex"], ...), required=["job -> sex"])
    with pytest.raises(KnowledgeError, match="runs against the order of columns"):
        knowledge.about(NAMES)


def test_a_cycle_of_required_arrows_is_shown_as_a_path():
    knowledge = Knowledge(required=["sex->age", "age->job", "job->sex"])
    with pytest.raises(KnowledgeError, match="age -> job -> sex -> age"):
        knowledge.about(NAMES)


@pytest.mark.parametrize("arrow", ["a b", "a->", "a->a", 3, ("a", "b", "c")])
def test_what_is_no_arrow_is_refused(arrow):
    with pytest.raises(KnowledgeError):
        Knowledge(required=[arrow])


@pytest.mark.parametrize("tiers", [["sex", "age"], [[1]], [3]])
def test_a_tier_is_a_list_of_names(tiers):
    with pytest.raises(QuestionError, match="no list of texts"):
        Tiers(*tiers)


def test_arrows_are_a_list():
    with pytest.raises(KnowledgeError, match="which is no list"):
        Knowledge(required="a -> b")


def test_a_renamed_column_has_another_name_everywhere():
    known = Knowledge(
        tiers=Tiers(["sex"], ..., ["income"]),
        required=["job -> income"],
        forbidden=["income -> age"],
    )
    assert known.renamed("income", "pay") == Knowledge(
        tiers=Tiers(["sex"], ..., ["pay"]), required=["job -> pay"], forbidden=["pay -> age"]
    )
    assert Knowledge().renamed("income", "pay") == Knowledge()


def test_what_is_known_of_some_columns_is_what_names_no_other():
    known = Knowledge(
        tiers=Tiers(["sex"], ["job", "age"], ..., ["pay"]),
        required=["job -> pay", "sex -> pay"],
        forbidden=["pay -> age"],
    )
    assert known.restricted(["sex", "age", "pay"]) == Knowledge(
        tiers=Tiers(["sex"], ["age"], ..., ["pay"]),
        required=["sex -> pay"],
        forbidden=["pay -> age"],
    )
    assert known.restricted(["job"]) == Knowledge(tiers=Tiers(["job"], ...))
    assert known.told["required"] == [["job", "pay"], ["sex", "pay"]]
    assert known.named == {"sex", "job", "age", "pay"}
    assert (Knowledge().told, Knowledge().named) == ({}, {*()})


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("add", "added a -> b: so"),
        ("remove", "removed a -> b: so"),
        ("reverse", "reversed a -> b: so"),
        ("open", "left open a -> b: so"),
    ],
)
def test_each_kind_has_its_words_and_is_read_back(kind, words):
    edit = GraphEdit.parse(kind, "a -> b: so")
    assert str(edit) == words
    assert GraphEdit.parse(kind, edit.notation) == edit == GraphEdit(**edit.to_dict())
    assert GraphEdit.parse_table({kind: ["a -> b: so", ["a", "b:c", "so"]]}) == (
        edit,
        GraphEdit(kind=kind, arrow=("a", "b:c"), reason="so"),
    )


def test_a_table_is_read_in_an_order_in_which_edits_fit_each_other():
    """What is removed or left open can be added in another direction."""
    table = {"add": ["d -> c: 1"], "open": ["a -> b: 2"], "reverse": ["e -> f: 3"]}
    edits = GraphEdit.parse_table({**table, "remove": ["c -> d: 4"], "judged": 3})
    assert [edit.kind for edit in edits] == ["remove", "reverse", "open", "add"]


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_link_is_left_open_for_a_reason(reason):
    with pytest.raises(KnowledgeError, match="no reason") as refused:
        GraphEdit(kind="open", arrow=("a", "b"), reason=reason)
    assert "add, remove, reverse or open" in str(refused.value)

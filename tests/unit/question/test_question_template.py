import pytest

from evenhand import QuestionFile
from evenhand.errors import QuestionError
from evenhand.question.question_template import template

PROFILE = {
    "sex": {"f": 3, "m": 2},
    "age": {str(age): 1 for age in range(20)},
    "id": None,
    'odd"\n[x]': {"]\n[question]": 5},
}


def test_a_template_lacks_only_the_four_values_of_the_question():
    with pytest.raises(QuestionError) as caught:
        QuestionFile.parse(template(PROFILE, data="people.csv"))
    assert len(caught.value.problems) == 1
    assert "'protected', 'group', 'decision', 'favorable'" in str(caught.value)


def test_a_filled_in_template_is_a_question_file():
    text = template(PROFILE, data="people.csv")
    for role, value in {
        "protected": "sex",
        "group": "f",
        "decision": "age",
        "favorable": "1",
    }.items():
        text = text.replace(f'\n{role} = ""', f'\n{role} = "{value}"')
    asked = QuestionFile.parse(text)
    assert asked.question.group == "f"
    assert asked.codings.columns == ("sex", "age", 'odd"\n[x]')


def test_columns_of_many_numbers_are_proposed_for_bins():
    assert '# "age" = 4' in template(PROFILE, data="people.csv")

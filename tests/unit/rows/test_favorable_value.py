"""Which value of a decision is guessed to be the favorable one, and how sure that is."""

import pytest

from evenhand.rows.inspect.favorable_value import favorable_value


@pytest.mark.parametrize(
    ("name", "values", "value", "sure"),
    [
        # Words of harm in the name turn yes.
        ("two_year_recid", "0 1", "0", True),
        ("is_recid", "0 1", "0", True),
        ("default", "0 1", "0", True),
        ("default payment next month", "0 1", "0", True),
        ("HighCrime", "0 1", "0", True),
        ("dropout", "no yes", "no", True),
        ("charge_off", "False True", "False", True),
        ("late", "0 1", "0", True),
        ("loan_rejected", "Y N", "N", True),
        ("bad", "0 1", "0", True),
        ("no_recid", "0 1", "1", True),
        ("risk_of_violence", "low high", "low", True),
        ("credit_risk", "low medium high", "low", True),
        # Numbers of a risk: 1 is good in one table and bad in another.
        ("credit_risk", "1 2", "1", False),
        ("credit_risk", "0 1", "1", False),
        ("high_risk", "0 1", "0", True),
        # Words of benefit.
        ("hired", "no yes", "yes", True),
        ("loanGranted", "0 1", "1", True),
        ("bar_passed", "1 0", "1", True),
        ("income", "<=50K. >50K.", ">50K.", True),
        ("grade", "Low High", "High", True),
        ("not_hired", "0 1", "0", True),
        # Words in the values come first.
        ("credit", "good bad", "good", True),
        ("outcome", "Denied Granted", "Granted", True),
        ("status", "Paid Charged-Off", "Paid", True),
        ("label", "Low_risk High_risk", "Low_risk", True),
        ("student", "Graduate Dropout Enrolled_before", None, None),
        ("status", "current default", "current", True),
        ("decision", "refused granted later", "granted", True),
        ("fate", "refused hired later", "hired", True),
        # Nothing speaks for either.
        ("y", "0 1", "1", False),
        ("score_text", "low medium high", "high", False),
        ("narr86", "0 1 2 3", "3", False),
        ("consent", "yes no maybe", "yes", False),
        ("target", "a b", "b", False),
        ("target", "a b c", None, None),
        ("latest", "0 1", "1", False),
    ],
)
def test_the_favorable_value(name, values, value, sure):
    found = favorable_value(name, [one.replace("_", " ") for one in values.split(" ")])
    if value is None:
        assert found is None or not found.sure
        return
    assert (found.value, found.sure) == (value.replace("_", " "), sure)
    assert sure or "neither" in found.why


@pytest.mark.parametrize(
    ("name", "value", "sure"),
    [
        ("days_late", "up to 3", True),
        ("salary", "4 or more", True),
        ("points", "4 or more", False),
    ],
)
def test_of_numbers_the_larger_ones_unless_the_name_speaks_of_harm(name, value, sure):
    found = favorable_value(name, ["up to 3", "4 or more"], of_numbers=True)
    assert (found.value, found.sure) == (value, sure)

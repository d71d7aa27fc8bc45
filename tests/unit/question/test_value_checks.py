"""Values that are written in several ways."""

from itertools import combinations
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from evenhand.question.value_checks import spelling_variants

values = st.lists(st.text(st.sampled_from("aAbß1 .:ﬁé\u0301\u00a0"), max_size=3), unique=True)


@given(values)
def test_two_values_are_variants_if_only_their_spelling_differs(values):
    found = spelling_variants(values)
    alike = {frozenset(pair) for group in found for pair in combinations(group, 2)}
    assert alike == {
        frozenset(pair) for pair in combinations(values, 2) if plain(pair[0]) == plain(pair[1])
    }
    assert [value for group in found for value in group if value not in values] == []


def plain(value: str) -> str:
    spaced = " ".join(normalize("NFKC", value).split())
    while spaced[-1:] in (".", ",", ";", ":", " ") and spaced:
        spaced = spaced[:-1]
    return spaced.casefold()

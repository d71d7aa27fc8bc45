"""Pages of a long list: every thing on exactly one page, whatever the address says."""

from hypothesis import given
from hypothesis import strategies as st

from evenhand.web.addresses import Pager, address


@given(st.integers(0, 500), st.integers(1, 40))
def test_every_thing_is_on_exactly_one_page(many, size):
    first = Pager.of({}, "page", many, size)
    pages = [Pager.of({"page": str(n)}, "page", many, size) for n in range(1, first.pages + 1)]
    assert [one for page in pages for one in range(many)[page.slice]] == [*range(many)]
    assert pages[0].before == ""
    assert pages[-1].after == ""
    assert all(page.last - page.first + bool(many) <= size for page in pages)


@given(st.text())
def test_an_address_that_names_no_page_leads_to_one_that_there_is(text):
    pager = Pager.of({"page": text}, "page", 90, 25)
    assert 1 <= pager.page <= 4


def test_other_parts_of_the_address_stay():
    pager = Pager.of({"page": "2", "find": "a&b"}, "page", 90, 25)
    assert pager.after == "?page=3&find=a%26b"
    assert (pager.first, pager.last) == (26, 50)
    assert address({"column": "x", "page": "2"}, column="") == "?page=2"

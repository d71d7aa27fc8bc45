"""A report in a browser: no wider than its window, nothing loaded, and few printed pages."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.many_groups import hiring_audit

import evenhand as eh
from evenhand.report import report

MOST_PAGES = 6
ADULT = eh.datasets.question("adult")
TIERS = eh.Tiers(["sex", "age", "native_country", "race"], ["education"], ..., ["income"])
STATUS = "age -> marital_status; sex -> marital_status; age -> income; education -> income; "


def released(audit):
    return report(audit, audit.release(seed=1), labels=audit.labels, generated="today")


def learned():
    return released(eh.audit(eh.datasets.adult(), ADULT.question, knowledge=TIERS))


def with_effects():
    asked = eh.Question(
        protected="sex",
        group="Female",
        decision="income",
        favorable=">50K",
        redlining=("marital_status",),
    )
    graph = eh.CausalGraph.parse(f"{STATUS}marital_status -> income; sex -> income")
    return released(eh.audit(eh.datasets.adult(), asked, graph=graph))


def of_many_groups():
    return released(hiring_audit())


PAGES = {"learned": learned, "effects": with_effects, "many groups": of_many_groups}


@pytest.fixture(scope="module", params=PAGES)
def file(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(PAGES[request.param]().html, "utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_it_fits_its_window_loads_nothing_and_axe_finds_nothing(browser, file, width, scheme):
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page, requests = context.new_page(), []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file)
    assert requests == [file]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert Axe().run(page).response["violations"] == []
    context.close()


def test_it_prints_on_few_pages(browser, file):
    page = browser.new_page()
    page.goto(file)
    printed = page.pdf(prefer_css_page_size=True)
    assert 1 < len(re.findall(rb"/Type\s*/Page\b", printed)) <= MOST_PAGES
    page.close()

"""The question screen: counts of moved classes, missing values, five groups, words."""

import csv
import re
from collections import Counter

import pytest
from playwright.sync_api import expect
from tests.people_table import write_people
from tests.running_app import wait_until

ORIGINS = "ABCDE"


@pytest.fixture
def app(open_app):
    """A table of 900 people, opened without a question."""
    return open_app("people.csv", lambda folder: write_people(folder / "people.csv", 900))


@pytest.fixture
def people(app, page):
    """The people of the table, with the page at the question."""
    page.goto("question")
    with (app.folder / "people.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def choose(page, protected="origin", decision="hired", counted=None):
    page.get_by_label("Protected attribute").select_option(label=protected)
    expect(page.locator("h1 .ghost").first).to_have_text(protected)
    page.get_by_label("Decision").select_option(label=decision)
    if counted:  # of three texts none is favorable by itself
        page.get_by_label("What is counted").select_option(label=counted)
    expect(page.locator(".plain .bar").first).to_be_visible()


def asked(app):
    """What the question file asks; nothing if it was saved before anything was chosen."""
    return app.tables("people").get("question", {})


def column(page, name):
    """The line of a column in the list."""
    exact = page.locator("b", has_text=re.compile(f"^{name}$"))
    return page.locator(".columns .head").filter(has=exact)


def shown_rows(page):
    """Each class and its rows, as the table of the opened column has them."""
    lines = page.locator(".classes tbody tr")
    return {
        line.locator("th bdi").inner_text(): int(
            line.locator("[data-rows]").inner_text().replace(",", "")
        )
        for line in lines.all()
    }


def recount(people, cuts):
    """The rows of each class, counted without the library."""
    place = Counter(sum(int(one["age"]) > cut for cut in cuts) for one in people)
    return [place[at] for at in range(len(cuts) + 1)]


def cut(page, cuts):
    """Type the cuts of the column 'age' and wait for its classes."""
    page.get_by_label("Cut age at").fill(", ".join(map(str, cuts)))
    page.get_by_label("Cut age at").press("Enter")
    expect(page.locator(".classes tbody tr")).to_have_count(len(cuts) + 1)
    expect(page.locator(".classes")).to_contain_text(f"up to {cuts[0]}")


def test_counts_of_cuts_equal_a_recount(page, people):
    column(page, "age").click()
    for cuts in ([30, 41], [25, 41], [25, 33, 41], [33]):
        cut(page, cuts)
        assert [*shown_rows(page).values()] == recount(people, cuts)
    expect(page.get_by_label("Cut age at")).to_be_focused()
    page.get_by_label("Cut age at").fill("41, 30")
    page.get_by_label("Cut age at").press("Enter")
    expect(page.locator("#problems")).to_contain_text("do not rise")
    page.get_by_role("button", name="Every number by itself").click()
    expect(page.get_by_label("Cut age at")).to_have_value("")


def test_a_question_mark_is_taken_as_missing(app, page, people):
    many = sum(one["job"] == "?" for one in people)
    choose(page)
    notices = page.locator("#notices")
    expect(notices).to_contain_text(f"a value of its own: 'job' {many:,} rows")
    page.get_by_role("button", name="? is a value").click()
    expect(notices).to_contain_text(f"'?' is taken as a value: 'job' {many:,} rows")
    notices.get_by_role("button", name="If it means that there is none, declare it").click()
    expect(notices).to_contain_text(f"'job' {many:,} rows; {many:,} of 900 rows lack one")
    notices.get_by_role("button", name="Leave these rows out").click()
    expect(page.get_by_label("Where a value is missing")).to_have_value("drop")
    expect(page.locator(".plain")).to_contain_text(f"{many:,} rows are not counted")
    kept = [one for one in people if one["job"] != "?"]
    counted = Counter((one["origin"], one["hired"] == "yes") for one in kept)
    for origin in ORIGINS:
        yes, no = counted[origin, True], counted[origin, False]
        expect(page.locator(".plain")).to_contain_text(f"{yes:,} of {yes + no:,}")
    page.locator("a", has_text="Learn what causes what").click()
    page.locator("#keep-order").click()
    expect(page.locator("#now")).to_contain_text("groups")
    assert app.call("GET", "graph")[0] == 200


def test_five_groups_all_pairs_or_a_chosen_pair(page, people):
    choose(page)
    rates = {
        origin: sum(one["hired"] == "yes" for one in people if one["origin"] == origin)
        / sum(one["origin"] == origin for one in people)
        for origin in ORIGINS
    }
    expect(page.locator("#group + .ghost")).to_have_text("all 5 groups")
    expect(page.locator("#other + .ghost")).to_have_text("each other")
    expect(page.locator(".plain .bar")).to_have_count(5)
    page.get_by_label("Group", exact=True).select_option(label="B")
    expect(page.locator(".plain .bar")).to_have_count(2)
    page.get_by_label("Compared with", exact=True).select_option(label="E")
    expect(page.locator("#other + .ghost")).to_have_text("E")
    gap = 100 * (rates["E"] - rates["B"])
    said = page.locator(".plain > p b").inner_text().replace("−", "-")
    assert float(re.match(r"[-\d.]+", said).group()) == pytest.approx(abs(gap), abs=0.06)
    page.get_by_label("Compared with", exact=True).select_option(
        label="everybody else together"
    )
    expect(page.locator(".plain .bar").nth(1)).to_contain_text("not B")
    page.get_by_label("Group", exact=True).select_option(label="all 5 groups")
    expect(page.locator(".plain .bar")).to_have_count(5)
    page.get_by_label("Compared with", exact=True).select_option(label="A")
    expect(page.locator("#group + .ghost")).to_have_text("all 5 groups")
    expect(page.locator("#other + .ghost")).to_have_text("A")


@pytest.mark.usefixtures("people")
def test_several_attributes_and_several_values(page):
    choose(page, "origin", "job", "clerk")
    page.get_by_label("One more protected attribute").select_option(label="hired")
    expect(page.locator(".plain .bar")).to_have_count(10)
    page.locator("#protected-1").select_option(label="(no second one)")
    expect(page.locator(".plain .bar")).to_have_count(5)
    page.get_by_label("What is counted").select_option(label="each value or a better one")
    order = page.locator("#more ol li bdi")
    expect(page.locator("[id^=next-]").first).to_be_visible()
    while page.locator("[id^=next-]").count():
        before = order.count()
        page.locator("[id^=next-]").first.click()
        expect(order).not_to_have_count(before)
    first = order.first.inner_text()
    page.locator("[id^=down-]").first.click()
    expect(order.nth(1)).to_have_text(first)
    page.get_by_label("What is counted").select_option(label="every value, each by itself")
    expect(page.locator("#more")).to_contain_text("Every value is compared by itself")
    page.get_by_label("What is counted").select_option(label="clerk")
    page.get_by_label("nurse").check()
    expect(page.locator("#favorable + .ghost")).to_have_text("clerk or nurse")


@pytest.mark.usefixtures("people")
def test_a_box_that_is_as_it_was_changes_nothing(app, page):
    choose(page, "origin", "job", "clerk")
    page.locator("#more summary").click()
    # Both clicks wait behind another change.
    held = []
    page.route("**/api/question", lambda route: held.append(route) or None, times=1)
    page.get_by_label("the exact verdict on these rows").check()
    for _ in range(2):
        page.get_by_label("nurse").click()
    page.get_by_label("driver").click()
    held[0].continue_()
    expect(page.locator("#favorable + .ghost")).to_have_text("clerk or driver")
    page.evaluate("() => queue")
    expect(page.get_by_label("nurse")).not_to_be_checked()
    wait_until(lambda: asked(app).get("favorable") == ["clerk", "driver"])
    assert asked(app)["judge"] == "rows"


def test_values_are_merged_and_columns_left_out(page, people):
    choose(page)
    column(page, "job").click()
    for value in ("clerk", "nurse"):
        page.get_by_label(f"Choose {value}").check()
    page.get_by_label("Count the chosen values as one").fill("office")
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(".classes")).to_contain_text("office")
    counted = Counter(one["job"] for one in people)
    assert shown_rows(page)["office"] == counted["clerk"] + counted["nurse"]
    page.get_by_role("button", name="Count the values of office by themselves").click()
    expect(page.locator(".classes")).not_to_contain_text("office")
    page.get_by_label("nurse in words").fill("who nurse")
    page.get_by_label("nurse in words").press("Tab")
    expect(column(page, "job")).to_contain_text("who nurse")
    page.get_by_role("button", name="Leave the column out").click()
    expect(column(page, "job")).to_contain_text("left out")
    page.get_by_role("button", name="Use the column").click()
    expect(column(page, "job")).to_contain_text("may be held equal")


@pytest.mark.usefixtures("people")
def test_values_chosen_to_be_merged_stay_chosen_in_another_order(app, page):
    change = {"remove": {"data": {"na": ["?"]}}}  # which is suggested as missing
    assert app.call("PATCH", "api/question", change)[0] == 200
    merge = {"column": "job", "value-clerk": True, "value-?": True, "name": "both"}
    assert app.call("PUT", "api/merge", merge)[0] == 200
    page.goto("question?column=job")
    values = page.locator(".classes th bdi")
    before = values.all_inner_texts()
    page.get_by_label("Choose nurse").check()
    page.get_by_role("button", name="Count the values of both by themselves").click()
    expect(page.get_by_label("Choose clerk")).to_be_visible()
    assert values.all_inner_texts().index("nurse") != before.index("nurse")
    expect(page.locator(".classes input:checked")).to_have_count(1)
    expect(page.get_by_label("Choose nurse")).to_be_checked()


@pytest.mark.usefixtures("people")
def test_effects_through_others_and_what_decides(app, page):
    choose(page)
    page.locator("#more summary").click()
    page.get_by_label("Judge effects through").select_option(label="job")
    expect(page.get_by_role("button", name="Remove job: no longer judged")).to_be_visible()
    page.get_by_label("Accept effects through").select_option(label="age")
    page.get_by_label("Measured on").select_option(label="all rows")
    page.get_by_label("the exact verdict on these rows").check()
    page.get_by_label("Compare people of a group only where").fill("5")
    page.get_by_label("Compare people of a group only where").press("Tab")
    expect(page.get_by_label("Compare people of a group only where")).to_have_value("5")
    page.get_by_label("A difference that counts", exact=True).select_option(label="10 points")
    expect(page.locator("#threshold-exact")).to_have_value("1/10")
    chosen = {
        "redlining": ["job"],
        "explained": ["age"],
        "basis": "all",
        "judge": "rows",
        "min_rows": 5,
        "threshold": "1/10",
    }
    file = app.folder / "people.toml"
    wait_until(lambda: file.exists() and chosen.items() <= asked(app).items())
    page.get_by_role("button", name="Remove job: no longer judged").click()
    expect(page.get_by_label("Accept effects through")).to_have_count(0)


@pytest.mark.usefixtures("people")
def test_the_question_is_asked_by_keyboard_alone(page):
    page.get_by_label("Protected attribute").focus()
    for letter in "or":
        page.keyboard.press(letter)
    page.keyboard.press("Tab")
    expect(page.locator("h1 .ghost").first).to_have_text("origin")
    page.get_by_label("Decision").focus()
    page.keyboard.type("hi")
    page.keyboard.press("Tab")
    expect(page.locator(".plain .bar").first).to_be_visible()
    page.locator("#more summary").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Judge effects through")).to_be_visible()
    column(page, "age").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".classes")).to_be_visible()
    expect(column(page, "age")).to_be_focused()

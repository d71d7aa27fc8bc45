"""Whoever presses quickly loses nothing: each press is carried out once, in its order.

A model counts the presses; in the end the question file and the page say the same.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect
from tests.people_table import write_people
from tests.running_app import RunningApp, wait_until

PRESSES = 40
# A column that stays in each tier, so that no tier comes or goes; the others are moved.
STAYING = ("sex", "age", "education", "workclass", "income")
LABELS = {
    "hours": "hours per week",
    "occupation": "occupation",
    "marital_status": "marital status",
    "native_country": "country of birth",
}
MOVED = tuple(LABELS)
SHORT = (0.05, 0.05, 0.1, 0.1, 0.15, 0.2, 0.4)  # seconds between presses
FULL = tuple(step / 20 for step in range(1, 21))

every_pace = pytest.mark.parametrize(
    "pace",
    [pytest.param(SHORT, id="short"), pytest.param(FULL, id="full", marks=pytest.mark.slow)],
)


class Hands:
    """Presses at random times, and what must come of them."""

    def __init__(self, app: RunningApp, page: Any, pace: tuple[float, ...]) -> None:
        self.app, self.page, self._pace = app, page, pace
        self._draw = np.random.default_rng(20170613)
        self.place = dict.fromkeys(MOVED, 2)
        self.sent: list[str] = []
        self.refused: list[str] = []
        self.watch(page)

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self._draw.integers(len(options))]

    def watch(self, page: Any) -> None:
        """Note what a page changes, and what is refused to it."""

        def answered(response: Any) -> None:
            if response.request.method != "GET":
                self.sent.append(response.url.rpartition("/")[2])
            if response.status >= 400:
                self.refused.append(f"{response.status}: {response.url} {response.text()}")

        page.on("response", answered)

    def wait(self) -> None:
        """Wait until the next press."""
        self.page.wait_for_timeout(1000 * self.pick(self._pace))

    def move(self, names: tuple[str, ...] = MOVED) -> tuple[str, str]:
        """A column, and the way in which it is moved now."""
        name = self.pick(names)
        ways = {"later": 1, "earlier": -1}
        way = self.pick([way for way in ways if 0 <= self.place[name] + ways[way] <= 4])
        self.place[name] += ways[way]
        return name, way

    @staticmethod
    def press(page: Any, name: str, way: str) -> None:
        """Move a column by a key, at its box."""
        key = {"later": "Right", "earlier": "Left"}[way]
        page.locator(f'.graph-wide [data-box="{name}"]').press(f"Shift+Arrow{key}")

    def drag(self, name: str, seconds: float = 0) -> None:
        """Drag a column's box to the head of its new tier, where no other box stands."""
        mouse, picture = self.page.mouse, self.page.locator(".graph-wide")
        self.page.evaluate("() => queue.then(() => ending).then(() => queue)")
        box = picture.locator(f'[data-box="{name}"] rect').first.bounding_box()
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        mouse.down()
        zone = picture.locator(".zone").nth(self.place[name]).bounding_box()
        mouse.move(zone["x"] + zone["width"] / 2, zone["y"] + 6, steps=3)
        self.page.wait_for_timeout(1000 * seconds)
        mouse.up()

    def moves(self) -> int:
        return self.sent.count("tiers")

    def check(self, *pages: Any) -> None:
        """All that was pressed is in the file and in the page, and nothing was refused."""
        for page in pages or (self.page,):
            page.evaluate("() => queue")
            expect(page.locator("#problems")).to_be_empty()
            expect(page.locator("#lost")).to_be_hidden()
        assert self.refused == []
        self.app.wait_for_job()
        wait_until(lambda: self.places() == self.place, 5)
        self.page.evaluate("() => queue")
        self.page.goto("graph")
        expect(self.page.locator(".panel")).to_be_visible()
        picture = self.page.locator(".graph-wide")
        for name, place in self.place.items():
            zone = picture.locator(".zone").nth(place).bounding_box()
            box = picture.locator(f'[data-box="{name}"] rect').first.bounding_box()
            assert zone["x"] <= box["x"] <= zone["x"] + zone["width"]

    def places(self) -> dict[str, int]:
        """The tier of each column, as the question file has it."""
        tiers = self.app.tables()["knowledge"]["tiers"]
        at = {name: place for place, tier in enumerate(tiers) for name in tier}
        if "workclass" not in at:
            return {}  # nothing is saved yet
        assert [at[name] for name in STAYING] == [0, 1, 2, 3, 4]
        return {name: at[name] for name in MOVED}


@pytest.fixture
def hands(app: RunningApp, page: Any) -> Iterator[Callable[..., Hands]]:
    """Hands at the graph, with five tiers."""

    def opened(pace: tuple[float, ...]) -> Hands:
        tiers = [["sex", "race"], ["age"], ["education", *MOVED], ["workclass", "relationship"]]
        change = {"knowledge": {"tiers": [*tiers, ["income"]]}}
        assert app.call("PATCH", "api/question", {"change": change})[0] == 200
        app.learn()
        page.goto("graph")
        expect(page.locator(".panel")).to_be_visible()
        return Hands(app, page, pace)

    yield opened
    app.wait_for_job()


@every_pace
def test_by_mouse(hands: Callable[..., Hands], pace: tuple[float, ...]) -> None:
    """A page that comes while a box is dragged does not take it away."""
    by = hands(pace)
    for number in range(PRESSES // 2):
        name, _ = by.move()
        by.drag(name, 0.4 if number % 4 == 0 else 0)
        by.wait()
    by.check()
    assert by.moves() == PRESSES // 2


@every_pace
def test_by_keyboard(hands: Callable[..., Hands], pace: tuple[float, ...]) -> None:
    """The focus stays where it is while pages come and go."""
    by, left = hands(pace), PRESSES
    while left:
        name, way = by.move()
        by.press(by.page, name, way)
        left -= 1
        by.wait()
        step = 1 if way == "later" else -1
        while left and 0 <= by.place[name] + step <= 4:  # the same box again
            by.place[name] += step
            by.page.keyboard.press(f"Shift+Arrow{'Right' if step > 0 else 'Left'}")
            left -= 1
            by.wait()
    by.check()
    assert by.moves() == PRESSES


@every_pace
def test_in_two_tabs(hands: Callable[..., Hands], pace: tuple[float, ...]) -> None:
    by = hands(pace)
    other = by.page.context.new_page()
    other.goto("graph")
    expect(other.locator(".panel")).to_be_visible()
    by.watch(other)
    for _ in range(PRESSES):
        # Of some columns by both, of others by one alone.
        page, names = by.pick([(by.page, MOVED[:3]), (other, MOVED[1:])])
        by.press(page, *by.move(names))
        by.wait()
    by.check(by.page, other)
    assert by.moves() == PRESSES


def test_what_another_tab_chose_is_shown_before_it_can_be_changed(
    hands: Callable[..., Hands],
) -> None:
    by = hands(SHORT)
    change = {"change": {"question": {"threshold": "1/10"}}}
    assert by.app.call("PATCH", "api/question", change)[0] == 200  # in another tab
    by.press(by.page, *by.move())
    by.page.evaluate("() => queue")
    assert by.page.locator("#threshold").input_value() == "10"  # at once
    by.check()


@every_pace
def test_a_mixture(hands: Callable[..., Hands], pace: tuple[float, ...]) -> None:
    """Tiers, the state of an arrow, the threshold by keys, undo and redo."""
    by = hands(pace)
    page, threshold, state = by.page, Fraction(1, 20), ""
    page.goto("graph?a=age&b=income")
    for _ in range(PRESSES):
        way = by.pick(["tiers", "tiers", "state", "threshold", "undo"])
        if way == "tiers":
            by.press(page, *by.move())
        elif way == "state":
            state = by.pick([one for one in ("to", "none") if one != state])
            page.locator(f"#state-{state}").click()
        elif way == "threshold":
            key, step = by.pick([("ArrowRight", 1), ("ArrowLeft", -1)])
            page.locator("#threshold").press(key)  # at once: a page may come meanwhile
            threshold += Fraction(step, 200)
        else:
            page.locator("#undo").click()
            page.locator("#redo").click()
            # A slider starts from what is shown.
            expect(page.locator("#threshold")).to_have_value(f"{float(threshold * 100):g}")
        by.wait()
    by.check()
    page.goto("graph?a=age&b=income")
    expect(page.locator(f"#state-{state}")).to_have_attribute("aria-pressed", "true")
    assert Fraction(by.app.tables()["question"]["threshold"]) == threshold


@every_pace
def test_the_question(open_app: Any, page: Any, pace: tuple[float, ...]) -> None:
    """Cuts that are typed, an order by buttons, choices and boxes."""
    app = open_app("people.csv", lambda folder: write_people(folder / "people.csv"))
    order, cuts, chosen = ["nurse", "clerk", "driver"], [30, 45], {"judge": "answer"}
    data = {"bins": {"age": cuts}, "na": ["?"], "missing": "drop"}
    asked = {
        "protected": "origin",
        "decision": "job",
        "criterion": "cumulative",
        "order": order,
    }
    change = {"question": asked, "data": data}
    assert app.call("PATCH", "api/question", {"change": change})[0] == 200
    page.goto("question")
    page.locator("#more summary").click()
    page.locator("#column-age").click()
    field = page.get_by_label("Cut age at")
    by = Hands(app, page, pace)
    for _ in range(PRESSES):
        way = by.pick(["cut", "cut", "order", "order", "judge", "threshold"])
        if way == "cut":
            cuts[by.pick([0, 1])] += by.pick([1, -1])
            field.fill(", ".join(map(str, cuts)))
            field.press("Enter")
        elif way == "order":
            at, word = by.pick([(0, "worse"), (1, "worse"), (1, "better"), (2, "better")])
            page.get_by_role("button", name=f"{order[at]} is {word}", exact=True).click()
            to = at + (1 if word == "worse" else -1)
            order[at], order[to] = order[to], order[at]
        elif way == "judge":
            chosen["judge"] = by.pick(["rows", "answer"])
            page.locator(f"#judge-{chosen['judge']}").check()
        else:
            chosen["threshold"] = by.pick(["1/20", "1/10", "2/25", "3/25"])
            page.locator("#threshold-exact").fill(chosen["threshold"])
            page.locator("#threshold-exact").press("Enter")
        by.wait()
    page.evaluate("() => queue")
    assert by.refused == []
    expect(page.locator("#problems")).to_be_empty()
    expect(field).to_have_value(", ".join(map(str, cuts)))

    def kept() -> bool:
        """Whether the file holds what was chosen last; it is written a little later."""
        saved = app.tables("people")
        found = saved["question"]
        same = all(found.get(name, "answer") == value for name, value in chosen.items())
        return same and found["order"] == order and saved["data"]["bins"]["age"] == cuts

    wait_until(kept)

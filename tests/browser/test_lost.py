"""The server is gone, another tab was quicker, a file was changed outside, scripts are off."""

import re
import signal

import pytest
from playwright.sync_api import expect
from tests.running_app import running_app, wait_until

SCREENS = ("table", "question", "graph", "evidence", "release", "check")
# A server that is killed may be in the middle of an answer.
GONE = [
    r"ERR_CONNECTION_REFUSED",
    r"ERR_CONNECTION_RESET",
    r"ERR_CONTENT_LENGTH_MISMATCH",
    r"ERR_EMPTY_RESPONSE",
    r"ERR_INCOMPLETE_CHUNKED_ENCODING",
]


def change(threshold):
    return {"change": {"question": {"threshold": threshold}}}


def threshold(app):
    return app.tables()["question"]["threshold"]


def saved(app, chosen):
    """Wait until the question file has a threshold."""
    wait_until(lambda: threshold(app) == chosen)


def act(page, method, path, body):
    """What a button of the page sends, with the page's revision."""
    page.evaluate(
        """([method, path, body]) => {
          const button = document.createElement("button");
          Object.assign(button.dataset, {method, path, body: JSON.stringify(body)});
          button.id = "act";
          document.getElementById("main").append(button);
          button.click();
        }""",
        [method, path, body],
    )


def test_a_server_that_is_gone_is_told_and_the_page_waits(app, page, allowed):
    allowed += GONE
    page.goto("question")
    expect(page.locator("#lost")).to_be_hidden()
    app.stop(signal.SIGKILL)
    act(page, "PATCH", "api/question", change("1/10"))
    banner = page.locator("#lost")
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("start it again and open the address that it prints")
    assert banner.get_attribute("role") == "alert"
    # Another server at the same port does not know this page: the banner stays.
    with running_app(app.folder, "adult.csv", "--port", str(app.port)) as other:
        assert other.token != app.token
        allowed.append("status of 404")
        with page.expect_response(lambda one: one.status == 404):
            pass  # the page asks every second or two whether its server is back
        expect(banner).to_be_visible()
        expect(page.locator("#main")).to_be_visible()
        # At the address that it printed all is there again.
        page.goto(f"{other.address}question")
        expect(banner).to_be_hidden()


def test_a_connection_that_comes_back_lets_the_page_go_on(app, page, allowed):
    allowed += ["ERR_INTERNET_DISCONNECTED", "ERR_FAILED"]
    page.goto("question")
    page.route("**/*", lambda route: route.abort())
    act(page, "PATCH", "api/question", change("1/10"))
    expect(page.locator("#lost")).to_be_visible()
    assert threshold(app) == "1/20"
    page.unroute("**/*")
    expect(page.locator("#lost")).to_be_hidden()
    act(page, "PATCH", "api/question", change("1/10"))
    saved(app, "1/10")


def test_a_server_that_sleeps_is_told_and_what_was_sent_arrives(app, page):
    page.clock.install()
    page.goto("question")
    app.process.send_signal(signal.SIGSTOP)
    try:
        act(page, "PATCH", "api/question", change("1/10"))
        page.clock.run_for(16_000)
        expect(page.locator("#lost")).to_be_visible()
    finally:
        app.process.send_signal(signal.SIGCONT)
    expect(page.locator("#lost")).to_be_hidden()
    saved(app, "1/10")


def test_an_old_tab_is_told_and_shows_what_is_there_now(app, new_page):
    old, new = new_page(), new_page()
    for page in (old, new):
        page.goto("graph")
        expect(page.locator("#now")).to_contain_text("groups")
    act(new, "PATCH", "api/question", change("1/10"))
    expect(new.locator("#now")).to_contain_text("10")
    act(old, "PATCH", "api/question", change("1/5"))
    expect(old.locator("#problems")).to_contain_text("This page is not the newest")
    expect(old.locator("#now")).to_have_text(new.locator("#now").text_content())
    act(old, "PATCH", "api/question", change("1/5"))  # now it knows
    expect(old.locator("#problems")).to_be_empty()
    saved(app, "1/5")


def test_a_restart_restores_all(app, page, start_app):
    page.goto("graph")
    expect(page.locator("#now")).to_contain_text("groups")
    app.call("PATCH", "api/question", change("1/10"))
    app.call("POST", "api/graph", {"a": "age", "b": "income", "state": "none"})
    page.goto("graph")
    said = page.locator("#now").inner_text()
    app.stop()
    again = start_app(app.folder, "adult.csv")
    app.origins.add(again.origin)
    page.goto(f"{again.address}graph")
    expect(page.locator("#now")).to_have_text(re.compile(re.escape(said.split()[-1])))
    assert page.locator("#now").inner_text() == said
    assert (app.folder / "adult.toml").read_text().startswith("# What is asked of Adult.\n")


@pytest.mark.parametrize(("button", "kept"), [("Take over", "1/4"), ("Write what", "1/10")])
def test_a_question_file_that_was_changed_outside_is_asked_about(app, page, button, kept):
    path = app.folder / "adult.toml"
    page.goto("question")
    app.call("PATCH", "api/question", change("1/10"))
    saved(app, "1/10")
    path.write_text(path.read_text().replace('"1/10"', '"1/4"'))
    page.goto("question")
    expect(page.locator("#main")).to_contain_text("The question file was changed outside")
    app.call("PATCH", "api/question", {"change": {"labels": {"columns": {"hours": "hours"}}}})
    page.wait_for_timeout(500)  # longer than the app waits before it saves
    assert threshold(app) == "1/4"  # theirs is left as it is
    page.goto("question")
    page.get_by_role("button", name=button).click()
    expect(page.locator("#main")).not_to_contain_text("was changed outside")
    saved(app, kept)


def test_a_table_that_was_changed_on_the_disk_is_asked_about(app, page):
    page.goto("graph")
    expect(page.locator("#now")).to_contain_text("groups")
    before = page.locator("#now").inner_text()
    path = app.folder / "adult.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[: len(lines) // 2]) + "\n")
    for name in SCREENS:
        page.goto(name)
        expect(page.locator("body")).to_contain_text("The table was changed on the disk")
    for path in ("api/certificate", "api/report", "api/release"):
        status, content = app.call("POST", path, {"file": "x.csv", "name": "x.json"})
        assert (path, status) == (path, 422)
        assert "changed on the disk" in str(content)
    page.goto("graph")
    page.get_by_role("button", name="Read it again").click()
    expect(page.locator("body")).not_to_contain_text("was changed on the disk")
    expect(page.locator("#now")).to_contain_text("groups")
    assert page.locator("#now").inner_text() != before


LISTEN = """() => {
  window.spoken = [];
  const live = "[role=status], [role=alert], [aria-live]";
  for (const one of document.querySelectorAll(live))
    new MutationObserver(() => {
      if (!one.hidden && one.textContent.trim()) spoken.push(one.id);
    }).observe(one, {childList: true, subtree: true, characterData: true});
}"""


def test_a_verdict_that_changes_is_spoken_once_on_every_screen(app, page):
    app.learn()
    for name in SCREENS:
        page.goto(name)
        expect(page.locator("#now")).to_contain_text("5 points")
        if name == "release":  # an open link keeps it from being worked out
            expect(page.locator("#open-ends")).to_be_visible()
        page.evaluate(LISTEN)
        act(page, "PATCH", "api/question", change("1/4"))
        expect(page.locator("#now")).to_contain_text("25 points")
        assert (name, page.evaluate("spoken")) == (name, ["now"])
        # What leaves the verdict as it is is not spoken.
        act(page, "PATCH", "api/question", {"change": {"labels": {"columns": {"age": name}}}})
        page.evaluate("() => queue")
        page.evaluate("() => show(location.href)")
        assert (name, page.evaluate("spoken")) == (name, ["now"])
        # A live region that comes with the page would be read out with each page.
        assert page.locator("main [role=status], main [role=alert]").count() == 0
        assert page.locator("main [aria-live]").count() == 0
        app.call("PATCH", "api/question", change("1/20"))


def test_how_many_groups_a_filter_leaves_is_spoken(app, page):
    app.learn()
    page.goto("evidence")
    page.evaluate(LISTEN)
    page.locator("#words").fill("<=37")
    page.locator("#words").press("Enter")
    expect(page.locator("#said")).to_contain_text(" of 58")
    assert page.evaluate("spoken") == ["said"]


def test_without_a_network_everything_is_there(app, new_page):
    """Only this machine's own address is reachable, and no other is asked for."""
    page = new_page()
    page.context.route(
        "**/*",
        lambda route: (
            route.continue_() if route.request.url.startswith(app.origin) else route.abort()
        ),
    )
    for name in SCREENS:
        page.goto(name)
        expect(page.locator("h1, h2").first).to_be_visible()


def test_pages_are_read_without_scripts(app, page, new_page):
    page.goto("graph")
    expect(page.locator("#now")).to_contain_text("groups")  # learned once
    app.wait_for_job()
    plain = new_page(java_script_enabled=False)
    for name in SCREENS:
        plain.goto(name)
        expect(plain.locator("h1, h2").first).to_be_visible()
        expect(plain.locator("#now")).to_contain_text("groups")
        assert "Without JavaScript these pages can be read" in plain.content()
    plain.locator("#steps a", has_text="Question").click()
    expect(plain).to_have_title("adult.csv · Question · evenhand")
    expect(plain.locator("#lost")).to_be_hidden()


@pytest.mark.parametrize("leave", ["blur", "Enter"])
def test_a_text_typed_while_the_page_is_renewed_is_sent_once_it_is_done(app, page, leave):
    app.learn()
    edit = {"a": "marital_status", "b": "income", "state": "to"}
    assert app.call("POST", "api/graph", edit)[0] == 200
    page.goto("graph")
    reason = page.locator(".past input")
    reason.fill("people marry first")
    page.evaluate("show(location.href)")  # as the end of a job does
    expect(reason).to_have_value("people marry first")
    with page.expect_response("**/api/reason"):
        reason.blur() if leave == "blur" else reason.press(leave)
    wait_until(lambda: "people marry first" in str(app.tables().get("graph")))


def test_what_is_typed_and_selected_stays_while_the_page_is_renewed_and_is_not_sent(app, page):
    app.learn()
    page.goto("evidence")
    sent = []
    page.on("request", lambda request: sent.append(request.post_data))
    field = page.locator("#exact-threshold")
    for typed, keys in (("", ()), ("0.06", ()), ("0.07", ("Home", "ArrowRight"))):
        if typed:
            field.fill(typed)
        field.select_text()
        for key in keys:
            field.press(key)
        page.evaluate("show(location.href)")  # as the end of a job does
        page.keyboard.insert_text("0")
        expect(field).to_have_value("00.07" if keys else "0")
    assert not any(sent)
    with page.expect_request("**/api/question") as request:
        field.press("Enter")
    assert "00.07" in request.value.post_data


@pytest.mark.usefixtures("app")
def test_what_is_selected_in_a_field_of_numbers_stays_too(page):
    """No script is told what is selected there."""
    page.goto("question")
    page.locator("#more summary").click()
    field = page.locator("#min_rows")
    sent = []
    page.on("request", lambda request: sent.append(request.post_data))
    for typed, key, right in (("", "", "5"), ("7", "", "5"), ("7", "End", "75")):
        if typed:
            field.fill(typed)
        field.select_text()
        if key:
            field.press(key)
        page.evaluate("show(location.href)")
        page.keyboard.insert_text("5")
        expect(field).to_have_value(right)
    assert not any(sent)
    with page.expect_request("**/api/question") as request:
        field.press("Tab")
    assert '"75"' in request.value.post_data


def test_a_form_that_is_being_filled_in_stays_when_work_ends(app, page):
    app.learn()
    page.goto("evidence")
    page.locator("#hangs-fold summary").first.click()
    page.locator("#resamples").fill("8")
    with page.expect_response("**/api/bootstrap"):
        page.locator("#bootstrap").click()
    page.locator("#certificate-name").fill("mine.json")
    page.locator("#report-name").focus()
    expect(page.locator("#bootstrap-title ~ .result").first).to_be_attached()
    expect(page.locator("#certificate-name")).to_have_value("mine.json")


def test_nothing_can_be_typed_before_it_is_listened_to(app, page):
    app.learn()
    edit = {"a": "marital_status", "b": "income", "state": "to"}
    assert app.call("POST", "api/graph", edit)[0] == 200
    held = []
    page.route("**/static/app.js", lambda route: held.append(route))  # noqa: PLW0108  # playwright marks it
    page.goto("graph", wait_until="commit")
    page.wait_for_timeout(500)
    reason = page.locator(".past input")
    expect(reason).to_have_count(0)
    held[0].continue_()
    reason.fill("people marry first")
    with page.expect_response("**/api/reason"):
        reason.blur()

"""The fixtures notice what they are there to notice."""

from tests.browser import conftest

from evenhand.web.jobs import unexpected

FAULTS = {
    "console.error('something broke')": "console: something broke",
    "setTimeout(() => { throw new Error('thrown'); })": "page error: thrown",
    "fetch('http://127.0.0.1:9/').catch(() => 0)": "policy violated: connect-src",
    "document.body.setAttribute('style', 'color: red')": "policy violated: style-src",
}


def test_faults_are_noted(app, browser):
    """What the fixture ``page`` fails on, made to happen."""
    for script, fault in FAULTS.items():
        faults = []
        context = browser.new_context(base_url=app.address)
        context.add_init_script(conftest._REPORT_VIOLATIONS)
        conftest._watch(context, app, faults)
        page = context.new_page()
        page.goto("table")
        assert faults == []
        page.evaluate(script)
        page.wait_for_timeout(100)
        context.close()
        assert any(fault in one for one in faults), (script, faults)


def test_an_answer_of_a_server_that_broke_is_noted(app, browser):
    faults = []
    context = browser.new_context(base_url=app.address)
    conftest._watch(context, app, faults)
    page = context.new_page()
    page.route("**/table", lambda route: route.fulfill(status=500, body="nothing"))
    page.goto("table")
    context.close()
    assert f"500: GET {app.address}table" in faults


def test_work_that_broke_is_noted(app, browser):
    """Its problem comes with an event, and not as an answer."""
    context = browser.new_context(base_url=app.address)
    page = context.new_page()
    page.goto("table")
    assert conftest._broken_work(context) == []
    page.evaluate("text => complain(`<p>${text}</p>`)", unexpected(ValueError("no")).what)
    assert len(conftest._broken_work(context)) == 1
    context.close()


def test_a_request_elsewhere_is_noted(app, browser):
    faults = []
    context = browser.new_context()
    conftest._watch(context, app, faults)
    page = context.new_page()
    page.route("**", lambda route: route.fulfill(body="nothing"))
    page.goto("http://example.org/")
    context.close()
    assert faults == ["foreign request: http://example.org/"]

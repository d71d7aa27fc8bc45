"""Strangers at the door: other pages in the same browser, links out, uploads, the policy."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

SCREENS = ("table", "question", "graph", "evidence", "release", "check")


@pytest.fixture
def stranger():
    """Another page of this machine: it tries what a page may try, and counts who asks it."""
    asked = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(dict(self.headers))
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>stranger</title><body>stranger</body>")

        def log_message(self, *_):
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.asked = asked
    yield server
    server.shutdown()
    server.server_close()


def test_another_page_can_do_nothing_even_with_the_token(app, browser, stranger):
    """The token may leak; requests of another page are still told apart."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{stranger.server_port}/")
    before = app.call("GET", "question")[1]
    tried = page.evaluate(
        """async (address) => {
          const body = JSON.stringify({change: {question: {threshold: "1/2"}}});
          const tries = {
            read: [address + "question", {}],
            change: [address + "api/question", {method: "PATCH", body,
              headers: {"content-type": "application/json"}}],
            simple: [address + "api/undo", {method: "POST", body}],
            blind: [address + "api/close", {method: "POST", mode: "no-cors", body}],
            upload: [address + "api/upload/table?name=x", {method: "PUT", body,
              headers: {"content-type": "application/octet-stream"}}],
          };
          const found = {};
          for (const [name, [url, options]] of Object.entries(tries)) {
            found[name] = await fetch(url, options).then((one) => one.type, () => "refused");
          }
          return found;
        }""",
        app.address,
    )
    assert tried == dict.fromkeys(("read", "change", "simple", "blind", "upload"), "refused")
    # Neither framed, nor sent a form, nor shown as a picture or script.
    page.evaluate(
        """(address) => {
          const frame = document.createElement("iframe");
          frame.src = address + "question";
          document.body.append(frame);
          const form = document.createElement("form");
          Object.assign(form, {method: "post", action: address + "api/close", target: "_blank",
            enctype: "text/plain"});
          document.body.append(form);
          form.submit();
        }""",
        app.address,
    )
    page.wait_for_timeout(300)
    assert all("evenhand" not in frame.content() for frame in page.frames[1:])
    context.close()
    assert app.process.poll() is None
    assert app.call("GET", "question")[1] == before


def test_the_address_does_not_leak_to_who_is_linked(app, page, stranger, allowed):
    allowed += ["foreign request", "policy violated", "Refused|violates"]
    page.goto("table")
    page.evaluate(
        """(to) => { const link = document.createElement("a"); link.href = to; link.id = "out";
          link.textContent = "out"; document.getElementById("main").prepend(link); }""",
        f"http://127.0.0.1:{stranger.server_port}/",
    )
    page.locator("#out").click()
    expect(page).to_have_title("stranger")
    assert stranger.asked
    for headers in stranger.asked:
        assert str(app.port) not in headers.get("Referer", "")
        assert app.token not in str(headers)


def test_no_cookie_and_no_storage_holds_anything(page):
    for name in SCREENS:
        page.goto(name)
    assert page.context.cookies() == []
    assert page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def test_no_screen_violates_the_policy_with_or_without_a_verdict(app, page):
    """What the fixture notes: inline styles, scripts, handlers, foreign addresses."""
    for _ in range(2):
        for name in SCREENS:
            page.goto(name)
            expect(page.locator("#main")).to_be_visible()
            assert page.locator("[style], [onclick], [onload], script:not([src])").count() == 0
        page.goto("graph")
        expect(page.locator("#now")).to_contain_text("groups")
        app.wait_for_job()


def test_an_injected_handler_or_script_does_not_run(page, allowed):
    allowed += ["policy violated", "Content Security Policy", "Refused", "status of 404"]
    page.goto("table")
    page.evaluate(
        """() => {
          window.ran = [];
          const main = document.getElementById("main");
          main.insertAdjacentHTML("beforeend", '<img src="x" onerror="ran.push(1)">');
          const script = document.createElement("script");
          script.textContent = "ran.push(2)";
          main.append(script);
          setTimeout(() => {
            try { setTimeout("ran.push(3)"); } catch {}
            try { new Function("ran.push(4)")(); } catch {}
          });
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("ran") == []


def test_the_word_of_the_first_address_works_once(browser, folder, start_app, tmp_path):
    """The browser that is started follows a private page, which is gone afterwards."""
    note = tmp_path / "opened"
    opener = tmp_path / "opener"
    opener.write_text(f'#!/bin/sh\necho "$1" > {note}\n')
    opener.chmod(0o700)
    app = start_app(folder, "adult.csv", browser=True, BROWSER=str(opener))
    for _ in range(100):
        if note.exists() and note.read_text().strip():
            break
        threading.Event().wait(0.05)
    address = note.read_text().strip()
    assert address.startswith("file:///")
    word = re.search(r"http://[^\"]+", Path(urlsplit(address).path).read_text()).group()
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    expect(page).to_have_title("adult.csv · Question · evenhand")
    assert page.url.startswith(app.address)
    assert not Path(urlsplit(address).path).exists()
    # Whoever comes the same way later gets nothing, and the open page is locked out.
    thief = context.new_page()
    assert thief.goto(word).status == 404
    assert "printed last" in thief.content()
    assert page.reload().status == 404
    context.close()


def test_a_file_over_the_limit_is_refused_before_it_is_sent(page, tmp_path):
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(500_000_001)
    page.goto("table")
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    page.locator("[data-drop] input[type=file], input[type=file]").first.set_input_files(large)
    expect(page.locator("#problems")).to_contain_text("larger than a page may send")
    expect(page.locator("#problems")).to_contain_text("500 MB")
    assert "PUT" not in sent
    expect(page.locator("#lost")).to_be_hidden()

"""The page as a browser meets it: nothing runs, nothing is fetched, data are text."""

import ast
import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import meta, nodes
from tests.report_pages import admissions_audit, contrast

import evenhand as eh
import evenhand.report
from evenhand.display import visible
from evenhand.report import report
from evenhand.report.rendering import environment, style_sheet

NASTY = (
    "<script>alert(1)</script>",
    '" onload="alert(1)',
    "' onclick='x",
    "</script>",
    "</style><b>",
    "</title>",
    "javascript:alert(1)",
    "]]>",
    "<!--",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "&amp;",
    "\u202egnirts",
    "a\u200bb\u2066c",
    "two\nlines\r\n\ttab\x00null\x1b[31m",
    "\u2028\u2029",
    "👩🏽‍⚖️",
    "=cmd|' /C calc'!A0",
    "x" * 200,
    "שלום",
    "**",
    "https://example.org/?q=1",
    " ",
)


class Reader(HTMLParser):
    """Collects elements, attributes and the text directly within each element."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.stack = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop() != tag:
            pass

    def handle_data(self, data):
        if self.stack and self.stack[-1] != "style":
            self.texts.append((self.stack[-1], data))

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def parsed(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def example_html(names=("c", "a", "b", "e"), values=("0", "1"), **options):
    """A report on two causes of a decision under any names and values."""
    protected, first, second, decision = names
    pairs = [(x, y, z, w) for x in "01" for y in "01" for z in "01" for w in "01"]
    columns = {
        name: [values[0] if pair[at] == "0" else values[1] for pair in pairs]
        for at, name in enumerate(names)
    }
    counts = eh.CountTable.of(columns, [10 + 3 * at for at in range(16)])
    graph = eh.CausalGraph(
        tuple(names),
        frozenset(
            {(protected, decision), (first, decision), (second, decision), (protected, first)}
        ),
    )
    asked = eh.Question(
        protected=protected, group=values[0], decision=decision, favorable=values[0]
    )
    audit = eh.audit(counts, asked, graph=graph)
    return report(audit, audit.release(seed=1), generated="today", **options).html


PLAIN = parsed(example_html())
SHAPE = {(tag, name) for tag, name, _ in PLAIN.attributes}


def assert_is_harmless(reader):
    assert reader.tags == PLAIN.tags
    assert {(tag, name) for tag, name, _ in reader.attributes} <= SHAPE
    for tag, name, value in reader.attributes:
        assert not name.startswith("on")
        assert name not in {
            "href",
            "src",
            "srcset",
            "action",
            "style",
            "xlink:href",
            "data",
            "ping",
        }
        assert not value.lstrip().lower().startswith("javascript:") or name in {
            "aria-label",
            "data-label",
        }
        assert "url(" not in value or name in {"aria-label", "data-label"}, (tag, name)


@settings(max_examples=50)
@given(
    names=st.lists(
        st.sampled_from(NASTY) | st.text(min_size=1, max_size=12),
        min_size=4,
        max_size=4,
        unique=True,
    ),
    value=st.sampled_from(NASTY) | st.text(max_size=12),
)
def test_names_and_values_are_text_whatever_they_contain(names, value):
    reader = parsed(example_html(names, (f"{value}0", f"{value}1")))
    assert_is_harmless(reader)
    titles = {text for tag, text in reader.texts if tag == "title"}
    assert {visible(name) for name in names} <= titles
    headings = "".join(text for tag, text in reader.texts if tag in ("h1", "h2"))
    expected = re.sub("[“”]", "", f"Does {visible(names[0])} itself change {visible(names[3])}")
    assert expected.strip("?") in re.sub("[“”]", "", headings)


def test_titles_labels_and_dates_are_text_too():
    for text in NASTY:
        html = example_html(
            title=text,
            labels=eh.QuestionFile.parse(
                "[question]\nprotected='c'\ngroup='0'\ndecision='e'\nfavorable='0'\n"
            ).labels,
        )
        reader = parsed(html)
        assert_is_harmless(reader)
        assert visible(text) in {data for tag, data in reader.texts if tag == "span"}


def test_nothing_unseen_is_left_in_a_page():
    html = example_html(("c\u202e", "a\u200b", "b\x00", "e\u2028"), ("v\u20660", "v\u20661"))
    assert not set(html) & set("\u202e\u200b\x00\u2028\u2066")


def test_a_page_runs_nothing_and_asks_for_nothing():
    html = example_html()
    reader = parsed(html)
    assert not reader.tags & {
        "script",
        "iframe",
        "object",
        "embed",
        "img",
        "link",
        "form",
        "a",
        "base",
    }
    assert "http:" not in html
    assert "https:" not in html
    assert "@import" not in html
    assert "url(" not in html
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [
        v for t, n, v in reader.attributes if (t, n) == ("meta", "content") and "default" in v
    ]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")


def test_what_a_narrow_page_hides_it_says_otherwise():
    """Captions are the same at every width, so nothing that they speak of may go."""
    style = style_sheet("pictures.css", "style.css")
    narrow = style[style.index("@media (max-width:640px)") : style.index("@page")]
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", narrow.partition("{")[2])
    hidden = {
        selector.strip()
        for selectors, declared in rules
        if "display:none" in declared
        for selector in selectors.split(",")
    }
    assert hidden == {
        ".graph-wide",  # drawn a second time, for narrow pages
        ".stacked .rates svg",  # in words: .narrow
        ".key .of-rates",  # what the dots of those pictures mean
        ".stacked thead .rates",  # its words name both sides
        ".words thead .label",  # said in every cell: people
        ".words thead .id",
    }
    text = "".join(data for _, data in PLAIN.texts)
    assert "Share who had “e = 0”, and the difference" in text
    assert ("span", "c = 0 43.5%, c = 1 47.9%") in PLAIN.texts


def test_the_style_sheet_keeps_red_for_what_is_shown():
    style = style_sheet("pictures.css", "style.css", "against.css", "paths.css")
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", style)
    red = [selectors for selectors, declared in rules if "var(--bad)" in declared]
    assert red
    assert all("shown" in selectors for selectors in red)
    palettes = [declared for _, declared in rules if "--bad:" in declared]
    assert len(palettes) == 3  # light, dark, printed
    for palette in palettes:
        colors = re.findall(r"--[\w-]+:(#\w+)", palette)
        assert colors.count(re.search(r"--bad:(#\w+)", palette).group(1)) == 1


def test_text_of_every_color_can_be_read_on_paper_and_on_cards():
    style = style_sheet("pictures.css", "style.css")
    for palette in re.findall(r":root\{([^{}]*--bad[^{}]*)\}", style):
        colors = dict(re.findall(r"--([\w-]+):(#\w+)", palette))
        for ground in ("paper", "card"):
            for name in ("ink", "text", "muted", "bad", "ok", "unknown", "group", "other"):
                assert contrast(colors[name], colors[ground]) >= 4.5, (name, ground)


def test_every_id_of_a_page_is_unique():
    ids = [value for _, name, value in PLAIN.attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_every_picture_has_words_or_is_hidden_from_readers():
    html = example_html()
    for picture in html.split("<svg")[1:]:
        opening = picture[: picture.index(">")]
        nested = 'overflow="visible"' in opening
        assert nested or "aria-hidden" in opening or "aria-label" in opening


def templates():
    for name in environment().list_templates():
        if name.endswith(".j2"):
            source, _, _ = environment().loader.get_source(environment(), name)
            yield name, environment().parse(source)


TEMPLATES = Path(evenhand.report.__file__).parent / "templates"


def test_a_diff_can_show_the_lines_of_templates_and_style_sheets():
    long = [
        f"{path.name}:{number}"
        for path in sorted(TEMPLATES.iterdir())
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if len(line) > 110
    ]
    assert long == []


def test_style_sheets_name_the_heads_of_columns_and_do_not_count_them():
    sheets = "".join(path.read_text("utf-8") for path in TEMPLATES.glob("*.css"))
    assert not re.search(r"(?:thead|th|td)\b[^{},]*:nth-(?:child|of-type)", sheets)


@pytest.mark.parametrize(("name", "share"), [("page.html.j2", False), ("shared.html.j2", True)])
def test_the_templates_ask_for_the_values_of_the_page_and_for_nothing_else(name, share):
    asked = meta.find_undeclared_variables(dict(templates())[name]) - {"style", "style_hash"}
    audit = admissions_audit()
    assert asked == {*vars(report(audit, share=share).page)}


def test_nothing_is_made_for_a_view_that_no_template_asks_for():
    used = set()
    for _, tree in templates():
        used |= {found.attr for found in tree.find_all(nodes.Getattr)}
        used |= meta.find_undeclared_variables(tree)
        used |= {
            part
            for found in tree.find_all(nodes.Keyword)
            if found.key == "attribute"
            for part in found.value.as_const().split(".")
        }
    made = {
        keyword.arg
        for path in Path(evenhand.report.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "View"
        for keyword in node.keywords
    }
    assert made - {None, "layer"} <= used  # where a later drawing puts its boxes


def test_an_unknown_name_in_a_template_is_an_error():
    assert environment().undefined is jinja2.StrictUndefined
    assert environment().autoescape is True


def test_one_colour_has_one_meaning():
    css = style_sheet("pictures.css", "style.css", "against.css", "paths.css")
    meaning = {
        "group": r"group|direct|protected",
        "other": r"other",
        "cause": r"cause|held|possible|yes|focus",
        "bad": r"shown",
        "ok": r"certified",
    }
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        for colour in re.findall(r"var\(--(group|other|cause|bad|ok)\)", body):
            assert re.search(meaning[colour], selectors), (colour, selectors)


def groups_html(names=("race", "town", "hired"), races=("red", "green", "blue"), **question):
    """A report on three groups in two towns, under any names."""
    protected, cause, decision = names
    cells = [(race, town, hired) for race in races for town in "AB" for hired in ("yes", "no")]
    columns = dict(zip(names, zip(*cells, strict=True), strict=True))
    counts = eh.CountTable.of(columns, [40 + 7 * at for at in range(len(cells))])
    graph = eh.CausalGraph(names, frozenset({(protected, decision), (cause, decision)}))
    asked = eh.Question(protected=protected, decision=decision, favorable="yes", **question)
    audit = eh.audit(counts, asked, graph=graph)
    return report(audit, audit.release(seed=1), generated="today").html


@pytest.mark.parametrize("text", NASTY)
def test_names_of_many_groups_are_text_whatever_they_contain(text):
    plain, page = (
        parsed(groups_html()),
        parsed(
            groups_html(
                (f"{text} r", f"{text} t", f"{text} h"), (f"{text}1", f"{text}2", f"{text}3")
            )
        ),
    )
    assert page.tags == plain.tags
    assert {(tag, name) for tag, name, _ in page.attributes} <= {
        (tag, name) for tag, name, _ in plain.attributes
    }
    heads = "".join(data for tag, data in page.texts if tag == "th")
    assert visible(f"{text}1") in heads


def test_a_matrix_is_a_table_whose_every_cell_has_words():
    html = groups_html()
    (matrix,) = re.findall(r'<table class="against">.*?</table>', html, re.DOTALL)
    assert "<caption>" in matrix
    assert matrix.count('scope="col"') == matrix.count('scope="row"') == 3
    cells = re.findall(r'<td class="a-(\w+)"[^>]*>(.*?)</td>', matrix, re.DOTALL)
    assert len(cells) == 9
    for kind, content in cells:
        assert (kind == "self") == (content == "")
        assert kind == "self" or '<span class="vh">' in content
    ids = [value for _, name, value in parsed(html).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_a_matrix_that_does_not_fit_a_narrow_page_becomes_a_list():
    """What is hidden there is empty: the diagonal, and the mirrors of other cells."""
    style = style_sheet("against.css")
    narrow = style[style.index("@media (max-width:640px)") : style.index("@media print")]
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", narrow.partition("{")[2])
    hidden = {
        selector.strip()
        for selectors, declared in rules
        if "clip-path" in declared or "display:none" in declared
        for selector in selectors.split(",")
    }
    assert hidden == {
        ".listed .against thead",  # said in every cell: data-label
        ".listed .against .a-self",
        ".listed .against .a-mirror",
        ".listed .against .a-absent",  # in the note on pairs, and in the table
    }
    (matrix,) = re.findall(r'<table class="against">.*?</table>', groups_html(), re.DOTALL)
    assert len(re.findall(r'data-label="ahead of (?:red|green|blue)"', matrix)) == 3


def paths_html(names=("race", "zip", "income", "loan"), values=("b", "w"), *, share=False):
    """A report on an effect through an attribute, under any names and values."""
    protected, through, other, decision = names
    cells = [(x, y, z, w) for x in (0, 1) for y in (0, 1) for z in (0, 1) for w in (0, 1)]
    columns = {name: [values[cell[at]] for cell in cells] for at, name in enumerate(names)}
    counts = eh.CountTable.of(columns, [20 + 13 * at % 37 for at in range(16)])
    arrows = {(a, b) for at, a in enumerate(names) for b in names[at + 1 :]}
    graph = eh.CausalGraph(tuple(names), frozenset(arrows - {(through, other)}))
    asked = eh.Question(
        protected=protected,
        group=values[0],
        decision=decision,
        favorable=values[0],
        redlining=[through],
        explained=[other],
    )
    audit = eh.audit(counts, asked, graph=graph)
    return report(audit, audit.release(seed=1), generated="today", share=share).html


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("text", NASTY)
def test_names_of_ways_are_text_whatever_they_contain(text, share):
    plain = parsed(paths_html(share=share))
    reader = parsed(
        paths_html(
            (f"{text} r", f"{text} z", f"{text} i", f"{text} l"),
            (f"{text}0", f"{text}1"),
            share=share,
        )
    )
    assert reader.tags == plain.tags
    assert {(tag, name) for tag, name, _ in reader.attributes} <= {
        (tag, name) for tag, name, _ in plain.attributes
    }
    assert f"hrough “{visible(text)} z”" in "".join(data for _, data in reader.texts)


def test_a_waterfall_runs_nothing_asks_for_nothing_and_has_words():
    html = paths_html()
    assert "url(" not in html
    assert not parsed(html).tags & {"script", "pattern", "use", "a"}
    body = html[html.index("</style>") :]
    charts = re.findall(r'<figure class="waterfall[^"]*">.*?</figure>', body, re.DOTALL)
    assert len(charts) == 4
    for chart in charts:
        rows = re.findall(r"<tr class=.*?</tr>", chart, re.DOTALL)
        assert len(rows) == chart.count('role="img" aria-label="')
        for row in rows:
            number = re.search(r'<td class="size"><b>(.*?)</b>', row)[1]
            assert number in re.search(r'aria-label="(.*?)"', row)[1]
    for picture in body.split("<svg")[1:]:
        opening = picture[: picture.index(">")]
        nested = 'overflow="visible"' in opening
        assert nested or "aria-hidden" in opening or "aria-label" in opening
    ids = [value for _, name, value in parsed(html).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_what_a_narrow_page_shows_of_a_waterfall_is_all_of_it():
    style = style_sheet("paths.css")
    assert "display:none" not in style


def test_a_page_without_paths_does_not_carry_their_style():
    assert style_sheet("paths.css") in paths_html()
    assert style_sheet("paths.css") in paths_html(share=True)
    assert ".waterfall" not in example_html()


def test_a_page_without_a_matrix_does_not_carry_its_style():
    assert style_sheet("against.css") in groups_html()
    assert ".against" not in example_html()


def test_cells_that_are_shown_can_be_read_in_light_dark_and_print():
    style = style_sheet("pictures.css", "style.css")
    for palette in re.findall(r":root\{([^{}]*--bad[^{}]*)\}", style):
        colors = dict(re.findall(r"--([\w-]+):(#\w+)", palette))
        assert contrast(colors["paper"], colors["bad"]) >= 4.5
        assert contrast(colors["text"], colors["band"]) >= 4.5

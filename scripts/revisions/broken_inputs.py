"""Cases that must be refused, or that are odd in a way that must stay what it is."""

from pathlib import Path
from typing import Any

import numpy as np
from revisions.tables import Table

# Options that break any audit, by what is wrong with them.
_OPTIONS = {
    "no such column": ["--decision", "nowhere"],
    "no such group": ["--group", "nobody"],
    "no such favorable value": ["--favorable", "nothing"],
    "threshold of text": ["--threshold", "small"],
    "threshold above 1": ["--threshold", "1.5"],
    "threshold 0": ["--threshold", "0"],
    "coverage above 1": ["--min-coverage", "2"],
    "no such scope": ["--scope", "every"],
    "no such test": ["--test", "t"],
    "no such option": ["--fairness"],
    "no such judge": ["--judge", "jury"],
    "group against itself": ["--group", "a", "--other", "a"],
    "criterion beside favorable": ["--criterion", "every", "--favorable", "a"],
    "no such criterion": ["--criterion", "most"],
    "bins of text": ["--bin", "sex=3,5"],
    "bins that fall": ["--bin", "age=5,3"],
    "no such missing rule": ["--missing", "guess"],
    "frequency of text": ["--frequency", "sex"],
    "least rows 0": ["--min-rows", "0"],
    "significance 2": ["--significance", "2"],
    "decision is protected": ["--decision", "sex", "--protected", "sex"],
    "wrong delimiter": ["--delimiter", "#"],
    "everything excluded": ["--exclude", "sex,said,school"],
    "graph is absent": ["--graph", "../absent.txt"],
    "tiers of no column": ["--tiers", "nowhere|*"],
    "certificate in no folder": ["--certificate", "absent/c.json"],
}
# Files that cannot be read as tables.
_TABLES = {
    "empty file": ("t.csv", b""),
    "header only": ("t.csv", b"sex,school,hired\n"),
    "ragged": ("t.csv", b"sex,school,hired\nf,a,yes\nm,a\nf,b,no\n"),
    "column twice": ("t.csv", b"sex,school,hired,sex\nf,a,yes,f\nm,a,no,m\n"),
    "not UTF-8": ("t.csv", b"sex,school,hired\nf,\xe9,yes\nm,a,no\n"),
    "quote left open": ("t.csv", b'sex,school,hired\nf,"a,yes\nm,a,no\n'),
    "broken Parquet": ("t.parquet", b"PAR1 but not really PAR1"),
    "broken Arrow": ("t.arrow", b"ARROW1\0\0nothing"),
    "unknown ending": ("t.xyz", b"sex,school,hired\nf,a,yes\n"),
    "one group": ("t.csv", b"sex,school,hired\n" + b"f,a,yes\nf,b,no\n" * 20),
    "one decision": ("t.csv", b"sex,school,hired\n" + b"f,a,yes\nm,b,yes\n" * 20),
    "negative count": ("t.csv", b"sex,school,hired,people\nf,a,yes,-3\nm,a,no,2\n"),
}
_GRAPHS = {
    "cycle": "sex -> hired -> sex",
    "unknown node": "sex -> hired; nowhere -> hired",
    "hidden cause": "sex <-> hired",
    "not a graph": "???",
    "decision is absent": "sex -> school",
}
_QUESTIONS = {
    "not TOML": "[question\nprotected = ",
    "unknown key": '[question]\nprotected = "sex"\ndecisions = "hired"\n',
    "nothing": "",
    "a list for a text": '[question]\nprotected = "sex"\ndecision = ["hired"]\nfavorable = 1\n',
    "order with a gap": '[question]\nprotected = "sex"\ndecision = "hired"\n'
    'criterion = "cumulative"\norder = ["yes"]\n',
    "rule is the decision": '[question]\nprotected = "sex"\ndecision = "hired"\n'
    'favorable = "yes"\nrule = ["hired"]\n',
    "known against known": '[question]\nprotected = "sex"\ndecision = "hired"\n'
    'favorable = "yes"\n[knowledge]\nrequire = ["hired -> sex"]\nforbid = ["hired -> sex"]\n',
}
_RELEASES = {
    "no such method": ["--method", "magic", "--output", "o.csv"],
    "no such policy": ["--policy", "kind", "--output", "o.csv"],
    "seed of text": ["--seed", "x", "--output", "o.csv"],
    "no output": [],
    "output is the input": ["--output", "../good.csv", "--overwrite"],
    "output of unknown kind": ["--output", "o.xyz"],
    "no guarantee": ["--policy", "paper", "--output", "o.csv"],
    "margin beyond the threshold": ["--margin", "0.9", "--output", "o.csv"],
    "rank of text": ["--rank", "school", "--output", "o.csv"],
    "only for nobody": ["--only", "nobody", "--output", "o.csv"],
    "column of the graph dropped": ["--drop", "school", "--output", "o.csv"],
}
_GOOD = ["--protected", "sex", "--group", "f", "--decision", "hired", "--favorable", "yes"]


def break_case(
    rng: np.random.Generator, case: dict[str, Any], table: Table, folder: Path, asks: list[str]
) -> list[dict[str, Any]]:
    """Steps of which one is refused; the table itself serves those that break an option."""
    places = ("option", "option", "table", "graph", "question", "release", "record")
    place = places[rng.integers(len(places))]
    by_place: dict[str, dict[str, Any]] = {
        "option": _OPTIONS,
        "table": _TABLES,
        "graph": _GRAPHS,
        "question": _QUESTIONS,
        "release": _RELEASES,
        "record": dict.fromkeys(("not JSON", "another format", "not there")),
    }
    what = [*by_place[place]][rng.integers(len(by_place[place]))]
    case["broken"] = f"{place}: {what}"
    lines = [
        f"{s},{m},{'yes' if (at * 7) % 10 < 4 + 3 * (s == 'm') else 'no'}"
        for at, (s, m) in enumerate([("f", "a"), ("m", "a"), ("f", "b"), ("m", "b")] * 20)
    ]
    (folder / "good.csv").write_text("\n".join(["sex,school,hired", *lines]) + "\n")
    audit = ["audit", "../good.csv", *_GOOD, "--json"]
    if place == "option":
        own = table.plain and rng.random() < 0.5
        start = ["audit", case["data"], *asks] if own else audit[:-1]
        return [{"run": [*start, *_OPTIONS[what], "--json"]}]
    if place == "table":
        name, content = _TABLES[what]
        (folder / name).write_bytes(content)
        counted = ["--frequency", "people"] if b"people" in content else []
        verb = ("audit", "audit", "inspect", "init", "discover")[rng.integers(5)]
        return [{"run": [verb, f"../{name}", *(_GOOD if verb != "discover" else []), *counted]}]
    if place == "graph":
        (folder / "bad.txt").write_text(_GRAPHS[what])
        return [{"run": [*audit, "--graph", "../bad.txt"]}]
    if place == "question":
        (folder / "bad.toml").write_text(_QUESTIONS[what])
        return [{"run": ["audit", "../good.csv", "--question", "../bad.toml", "--json"]}]
    if place == "release":
        return [{"run": ["release", *audit[1:], *_RELEASES[what]]}, {"read": "../good.csv"}]
    if what != "not there":
        text = "{" if what == "not JSON" else '{"format": "evenhand certificate 0"}'
        (folder / "bad.json").write_text(text)
    return [{"run": ["verify", "../bad.json", "--json"]}, {"check": ["../bad.json"]}]

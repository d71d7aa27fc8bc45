"""What ``find_causes`` finds, as text, HTML and JSON."""

import json

from evenhand import CountTable, Tiers, find_causes


def test_a_result_says_itself_in_text_html_and_json():
    counts = CountTable.of({"a": list("0011"), "b": list("0101")}, counts=[40, 10, 10, 40])
    found = find_causes(counts, "b", knowledge=Tiers(["a"], ["b"]))
    assert str(found).startswith("Causes of b: a\n")
    assert "<table>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["parents"] == ["a"]

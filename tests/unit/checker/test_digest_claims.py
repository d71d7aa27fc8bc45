"""Seals and digests."""

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st
from tests.certificate_records import CERTIFICATE, compared, forged, verify

from evenhand.checker.partition_claims import digest


def test_any_change_breaks_the_seal():
    document = json.loads(CERTIFICATE.to_json())
    document["assumptions"][0] = "None."
    status, notes = verify(json.dumps(document))
    assert (status, len(notes)) == (1, 1)
    assert notes[0].startswith("seal: ")


def test_a_dropped_row_is_false_though_sealed():
    def change(document):
        del document["partitions"][0]["table"][1]

    status, notes = forged(change)
    assert status == 1
    assert any(note.startswith("rows.examined: it says 2200") for note in notes)
    assert any(note.startswith("partitions[0].digest") for note in notes)


def test_the_digest_is_that_of_lines_of_json_as_they_are_read():
    asked = compared(
        group="weiblich",
        other="männlich",
        groups=["weiblich", "männlich"],
        favorable="ja",
        decisions=["ja", "nein"],
    )
    lines = [
        '["sex", "straße", "zusage"]',
        '["männlich", "Süd", "ja", 3]',
        '["weiblich", "Süd", "ja", 1]',
        '["weiblich", "Süd", "nein", 2]',
    ]
    right = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest(asked, "zusage", ["straße"], {("Süd",): ((1, 2), (3, 0))}) == right


def test_a_sign_of_percent_in_a_label_is_one_like_others():
    asked = compared(group="50%s", groups=["50%s", "m"], favorable="%d", decisions=["%d", "%%"])
    lines = ['["d", "sex", "x"]', '["%%", "m", "100%", 4]', '["%d", "50%s", "100%", 1]']
    right = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest(asked, "d", ["x"], {("100%",): ((1, 0), (0, 4))}) == right


def test_groups_of_two_attributes_are_digested_under_one_name():
    asked = compared(
        protected=["sex", "race"],
        group=None,
        other=None,
        groups=["f & a", "f & b", "m & a"],
        favorable=None,
        criterion="every",
        decisions=["x", "y", "z"],
    )
    lines = [
        '["loan", "sex & race"]',
        '["x", "f & a", 4]',
        '["y", "m & a", 5]',
        '["z", "f & b", 6]',
    ]
    right = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    counts = ((4, 0, 0), (0, 0, 6), (0, 5, 0))
    assert digest(asked, "loan", [], {(): counts}) == right


labels = st.text(st.sampled_from('ab"\\/ ,]\t\x01éﬀ😀'), max_size=3)


@given(
    st.dictionaries(st.tuples(labels, labels), st.lists(st.integers(0, 11), min_size=4)),
    st.permutations(["a", "sex", "x"]),
)
def test_the_lines_are_sorted_as_text_wherever_the_groups_stand(table, columns):
    first, decision, second = columns[0], "h", columns[1]
    asked = compared(protected=columns[2])
    table = {people: ((*n[:2],), (*n[2:4],)) for people, n in table.items()}
    lines = [
        [dict(zip(columns, (*people, group), strict=True)) | {decision: kind}, n[at][to]]
        for people, n in table.items()
        for at, group in enumerate(asked.groups)
        for to, kind in enumerate(asked.kinds)
    ]
    texts = [
        json.dumps([*(values[name] for name in sorted(values)), many], ensure_ascii=False)
        for values, many in lines
        if many
    ]
    text = "\n".join([json.dumps(sorted([*columns, decision])), *sorted(texts)])
    right = hashlib.sha256(text.encode()).hexdigest()
    assert digest(asked, decision, [first, second], table) == right

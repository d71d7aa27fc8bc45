"""CSV files are read as the codings say."""

import csv
import json
from dataclasses import replace

import pytest
from tests.admission import QUESTION
from tests.certificate_records import CERTIFICATE, csv_of, sealed, verify

from evenhand import datasets
from evenhand.checker.people_in_csv import (
    NoClassError,
    encode,
    read_people,
    spelling,
    unique_names,
    widest_delimiter,
)
from evenhand.evidence import certify
from evenhand.graph import CausalGraph
from evenhand.rows import read


def test_a_column_that_the_data_lack_is_found(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("gender,major\nfemale,CS\n")
    assert verify(CERTIFICATE.to_json(), str(path))[0] == 1


@pytest.mark.parametrize("codings", [{"columns": ["age"]}, {"bins": {"age": ["37"]}}])
def test_a_column_that_the_codings_name_and_the_data_lack_is_found(tmp_path, codings):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    document = json.loads(CERTIFICATE.to_json())
    document["codings"] |= codings
    status, notes = verify(sealed(document), path)
    assert (status, "a column is lacking" in notes[0]) == (1, True)


def test_an_empty_file_says_nothing_against_a_record(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b"")
    status, notes = verify(CERTIFICATE.to_json(), str(path))
    assert (status, notes) == (3, [f"cannot be checked: {path}: this file is empty"])


def test_data_that_cannot_be_read_say_nothing_against_a_record(tmp_path):
    path = tmp_path / "data.csv"
    header = b"gender,major,test_score,admission\n"
    path.write_bytes(header + b"\xff,CS,L,no\n")
    status, notes = verify(CERTIFICATE.to_json(), str(path))
    assert (status, notes[0].startswith("cannot be checked: ")) == (3, True)
    document = json.loads(CERTIFICATE.to_json())
    document["rows"]["examined"] += 1
    assert verify(sealed(document), str(path))[0] == 1


def test_empty_lines_before_the_header_are_passed_over(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("\n\nsex,job\nf,cook\n")
    people = read_people(str(path), {"missing": "error"}, ["job", "sex"])
    assert [*people] == [(4, ("cook", "f"), 1)]


FREQUENCIES = ("0.5", "-1", "many", "NaN", "Infinity", "1e999999999")
CODED = """sex;age;job;town;hired;times
f;20;cook;x;yes;10
f;37;Cook;x;no;12
f;38;guard;y;yes;9
m;20.5;cook;x;yes;11
m;36;cook;;no;12
m;99;guard;y;no;4
m;50;guard;y;yes;5
d;50;guard;y;yes;3
d;;guard;y;later;3
m;40;?;y;no;2
f;41;"a;b";y;no;2
m;41;"a;b";y;yes;2
"""


@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("other", ["m", "rest"])
def test_data_are_read_as_the_codings_say(tmp_path, missing, other):
    path = tmp_path / "data.csv"
    path.write_text("\ufeff" + CODED, encoding="utf-8")
    rows = read(
        path,
        columns=["sex", "job", "town", "hired"] if missing == "level" else None,
        bins={} if missing == "level" else {"age": [37, ">=50"]},
        merge={"job": {"kitchen": ["cook", "Cook"], "else": ["*"]}},
        missing=missing,
        na=["?"],
        frequency="times",
    )
    question = replace(
        QUESTION,
        protected="sex", group="f", other=other, decision="hired", favorable="yes",
    )  # fmt: skip
    names = [name for name in rows.columns if name != "hired"]
    graph = CausalGraph.parse("; ".join(f"{name} -> hired" for name in names))
    certificate = certify(
        rows.count(), graph, question, codings=rows.codings, dropped=rows.dropped
    )
    assert verify(certificate.to_json(), str(path)) == (0, [])
    path.write_text(path.read_text("utf-8-sig").replace(";yes;9", ";yes;8"), encoding="utf-8")
    status, notes = verify(certificate.to_json(), str(path))
    assert status == 1
    assert any(note.startswith("partitions[0].table[") for note in notes)


COUNTED = "s,x,d,n\nf,a,y,5\nf,a,n,5\nm,a,y,5\nm,a,n,5\n"
HIRING = replace(QUESTION, protected="s", group="f", decision="d", favorable="y")
CAUSES = CausalGraph.parse("s -> d; x -> d")


def record_of(path, **options):
    rows = read(path, **options)
    return certify(
        rows.count(), CAUSES, HIRING, codings=rows.codings, dropped=rows.dropped
    ).to_json()


ODD_TEXTS = {
    "backslash": r'"a\"b"',
    "space after a quote": '"a" ',
    "text after a quote": '"a"b',
    "quote in a text": 'a"b',
    "two quotes": '"a""b"',
    "lines": '"a\n\r\nb"',
    "space before a quote": ' "a"',
    "long": "a" * 200_000,
    "long in quotes": f'"{"a,b" * 100_000}"',
}


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_odd_texts_are_read_as_the_engine_reads_them(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED.replace(",a,", f",{text},"), newline="")
    record = record_of(path, frequency="n")
    csv.field_size_limit(131_072)  # as in a process of its own
    assert verify(record, str(path)) == (0, [])


@pytest.mark.parametrize(
    ("old", "new", "is_true"),
    [
        ("a,y,5", "a,y,5.9", False),
        ("a,y,5", "a,y,5.5", False),
        ("m,a,y,5", "m,a,y,6\nm,a,y,-1", False),
        ("f,a,y,5", "f,a,y,", False),
        ("s,x,d,n", "s,s,d,n", False),
        ("s,x,d,n", "s,y,d,n", False),
        ("f,a,y,5", "f,a,y,5,5", False),
        ("f,a,y,5", "f,a,y", False),
        # lines that never occur
        ("f,a,y,5", "f,b,y,0\nq,b,y,0\nf,a,y,5", True),
        ("f,a,y,5", "f,a,y,5\nf,,y,0", True),
        ("f,a,y,5", "f,a,y,5\nm,a,y,0.0\n", True),
    ],
)
def test_other_lines_refute_the_record_unless_they_count_nobody(tmp_path, old, new, is_true):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED)
    text = record_of(path, frequency="n")
    assert verify(text, str(path)) == (0, [])
    path.write_text(COUNTED.replace(old, new, 1))
    assert verify(text, str(path))[0] == (0 if is_true else 1)


@pytest.mark.parametrize(
    ("old", "new", "options"),
    [
        ("s,x,d,n", 's,x,d,"n;;;;|"', {"frequency": "n;;;;|"}),
        *((",", mark, {"frequency": "n", "delimiter": mark}) for mark in ":~ ;"),
    ],
)
def test_the_delimiter_is_found_or_that_which_was_given(tmp_path, old, new, options):
    path = tmp_path / "data.csv"
    path.write_text(COUNTED.replace(old, new))
    text = record_of(path, **options)
    assert json.loads(text)["codings"].get("delimiter") == options.get("delimiter")
    assert verify(text, str(path)) == (0, [])


def test_a_missing_value_that_was_not_announced_is_found(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    path.write_text(path.read_text().replace("male,EE,L,admitted", "male,,L,admitted", 1))
    status, notes = verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert "no value of 'major'" in notes[-1]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("1", "1"),
        ("1.0", "1"),
        ("-1.50", "-1.5"),
        ("1e+02", "100"),
        ("5E-1", "0.5"),
        ("-0.0", "0"),
        ("-0", "0"),
        ("True", "true"),
        ("FALSE", "false"),
        ("01", "01"),
        ("1e3", "1e3"),
        ("yes", "yes"),
        ("2020-01-31 09:30:10", "2020-01-31 09:30:10"),
        ("2020-01-31T09:30:10.500", "2020-01-31 09:30:10.5"),
        ("2020-01-31T09:30:10.000", "2020-01-31 09:30:10"),
        ("2020-01-31T00:00:00.000", "2020-01-31"),
        ("2020-01-31 00:00:00", "2020-01-31"),
        ("00:00:00", "00:00:00"),
        ("09:30:10", "09:30:10"),
        ("09:30:10.50", "09:30:10.5"),
        ("2020-01-31T00:00:00Z", "2020-01-31 00:00:00+00:00"),
        ("09:30:10+0130", "09:30:10+01:30"),
        ("2020-01-31 09:30:10-05", "2020-01-31 09:30:10-05:00"),
        ("2020-01-31T09:30:10.0+02:00", "2020-01-31 09:30:10+02:00"),
    ],
)
def test_equal_numbers_and_times_have_one_label(text, label):
    assert spelling(text) == label


@pytest.mark.parametrize(("uneven", "mark"), [(20, ";"), (21, ",")])
def test_the_delimiter_is_that_of_the_first_twenty_lines(uneven, mark):
    head = ["1;2,3,4\n"] * (uneven - 1) + ["1;2\n"] * 9
    assert widest_delimiter(head) == mark


def test_where_no_delimiter_is_even_the_header_decides():
    assert widest_delimiter(["a,b;c;d\te|f\n", "1\n"]) == ";"


def test_a_long_header_is_not_all_that_is_looked_at(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("sex,hired,a note; with; many; marks; in; its; long; name\nf,yes,none\n")
    columns = ["sex", "hired"]
    (person,) = read_people(str(path), {"missing": "error", "columns": columns}, columns)
    assert person[1:] == (("f", "yes"), 1)


def test_of_several_missing_values_the_first_is_named(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("sex,job,town\nf,,\n")
    with pytest.raises(ValueError, match="no value of 'job'"):
        [*read_people(str(path), {"missing": "error"}, ["sex"])]


@pytest.mark.parametrize(
    "line", ["f,cook", "f,cook,1,1", *map("f,cook,{}".format, FREQUENCIES)]
)
def test_a_line_of_other_fields_or_no_whole_frequency_is_named(tmp_path, line):
    path = tmp_path / "data.csv"
    path.write_text(f"sex,job,n\nm,cook,2.0\n{line}\n")
    codings = {"missing": "error", "frequency": "n", "delimiter": ","}
    with pytest.raises(ValueError, match="line 3: too many fields, too few, or no whole"):
        [*read_people(str(path), codings, ["sex", "job"])]


def test_a_coded_column_that_is_not_read_is_left_alone(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("sex,job\nf,cook\n\nm,guard\n")
    merge = {"sex": {"w": ["f"]}, "job": {"any": ["*"]}}
    codings = {"missing": "error", "columns": ["sex"], "merge": merge}
    assert [*read_people(str(path), codings, ["sex"])] == [(2, ("w",), 1), (4, ("m",), 1)]


def test_columns_of_one_name_have_numbers(tmp_path):
    assert unique_names(["a", "b", "a", "a.1", "a"]) == ["a", "b", "a.2", "a.1", "a.3"]
    path = tmp_path / "data.csv"
    path.write_text("sex,job,job\nf,cook,1.0\nm,guard,True\n")
    codings = {"missing": "error", "na": ["9"]}
    people = [who for _, who, _ in read_people(str(path), codings, ["sex", "job", "job.1"])]
    assert people == [("f", "cook", "1"), ("m", "guard", "true")]
    path.write_text("sex,job\nf,9.0\n")
    with pytest.raises(ValueError, match="no value of 'job'"):
        [*read_people(str(path), codings, ["sex"])]
    with pytest.raises(ValueError, match="a column is lacking"):
        [*read_people(str(path), codings | {"columns": ["sex", "town"]}, ["sex"])]


SOME = ("under 2", "2 to 5", "7.5 or more")
ALL = ("up to 5", "over 5")


@pytest.mark.parametrize(
    ("text", "classes", "label"),
    [
        *(("1", SOME, "under 2"), ("2", SOME, "2 to 5"), ("5", SOME, "2 to 5")),
        ("7.5", SOME, "7.5 or more"),
        ("5", ["over 5 to 7", "up to 5"], "up to 5"),
        ("7", ["over 5 to under 7", "7"], "7"),
        *(("1e400", ALL, "over 5"), ("1e-400", ALL, "up to 5")),
    ],
)
def test_a_number_lies_in_the_class_whose_words_hold_it(text, classes, label):
    assert encode("age", text, {"bins": {"age": classes}}) == label


def test_a_number_that_lies_in_no_class_is_refused():
    for text, classes in (
        ("6", ["up to 5", "7 or more"]),
        ("6", ["up to five", "over 5"]),
        ("old", ["up to 5", "over five to 6"]),
        ("old", ["five to -5", "up to 6"]),
        ("old", ["over five to -5", "up to 6"]),
    ):
        with pytest.raises(NoClassError, match=f"'{text}' lies in no class of 'age'"):
            encode("age", text, {"bins": {"age": classes}})


@pytest.mark.parametrize("text", ["old", "nan", "Infinity", "1e401", "1e-999999999"])
def test_a_text_that_is_no_number_contradicts_classes_of_numbers(text):
    with pytest.raises(ValueError, match=f"'{text}' is no number, but 'age' has classes"):
        encode("age", text, {"bins": {"age": ["up to 5", "over 5"]}})

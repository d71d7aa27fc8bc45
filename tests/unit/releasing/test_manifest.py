import copy
import hashlib
import json
from dataclasses import replace

import jsonschema
import pandas as pd
import pytest
from tests import several_groups
from tests.certificate_records import csv_of
from tests.hiring import COLUMNS, QUESTION, audited, csv_text, people, released, table
from tests.loans import APART, asking, loans

from evenhand import audit
from evenhand.errors import InputError
from evenhand.releasing import replay
from evenhand.releasing.manifest import Manifest, commitment, schema
from evenhand.releasing.release import release
from evenhand.removal import LocalPreferentialSampling, ModifyData, ModifyGraph


def test_the_manifest_holds_what_a_replay_needs(source, tmp_path):
    written = released(source, seed=12345).write(tmp_path / "out.csv")
    found = json.loads(written.manifest.read_text())
    assert found["seed"] == "12345"
    assert "no records about persons" in found["notice"]
    assert (
        found["input"]["files"][0]["sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()
    )
    assert found["output"]["sha256"] == hashlib.sha256(written.data.read_bytes()).hexdigest()
    assert found["plan"]["changed_rows"] == sum(move["rows"] for move in found["plan"]["moves"])
    assert set(found["versions"]) == {"python", "evenhand", "numpy", "pyarrow"}


def test_the_certificate_is_bound_to_the_seed_and_does_not_tell_it(source, tmp_path):
    seed = 0xFEDCBA9876543210
    written = released(source, seed=seed).write(tmp_path / "out.csv")
    manifest = json.loads(written.manifest.read_text())
    certificate = json.loads(written.certificate.read_text())
    plain = bytes.fromhex(manifest["nonce"]) + seed.to_bytes(16, "big")
    assert len(bytes.fromhex(manifest["nonce"])) == 16
    assert certificate["release"]["seed_commitment"] == hashlib.sha256(plain).hexdigest()
    assert str(seed) not in written.certificate.read_text()
    assert manifest["nonce"] not in written.certificate.read_text()


@pytest.mark.parametrize(
    "name", ["out.csv", "out.csv.gz", "out.parquet", "out.arrow", "out.arrows"]
)
def test_a_replay_gives_the_same_bytes(source, tmp_path, name):
    written = released(source, method=ModifyGraph(), seed=None).write(tmp_path / name)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert replay(written.manifest, source).is_same
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_replay_knows_codings_and_pooled_groups(tmp_path):
    frame = pd.DataFrame(table(groups="fmx"))
    frame["degree"] = frame["degree"].map({"none": 1, "some": 2, "most": 3})
    frame.loc[::9, "pay"] = None
    path = tmp_path / "people.csv"
    frame.to_csv(path, index=False)
    made = released(
        path, question=replace(QUESTION, other="rest"), bins={"degree": [2]}, missing="drop"
    )
    assert replay(made.write(tmp_path / "out.csv").manifest, path).is_same


def test_a_replay_of_a_frame_or_of_left_out_rows_works_too(tmp_path):
    frame = pd.DataFrame(table())
    made = released(frame, method=LocalPreferentialSampling(), uncertified=True)
    assert replay(made.write(tmp_path / "out.parquet").manifest, frame).is_same


@pytest.mark.parametrize("by", [ModifyData(), ModifyGraph()])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_replay_of_counts_gives_the_same_bytes(source, tmp_path, name, by):
    rows, found = audited(source)
    counts = rows.count()
    written = release(counts, by.plan(found), seed=None).write(tmp_path / name)
    assert replay(written.manifest, counts).is_same
    others = replace(counts, counts=counts.counts[::-1].copy())
    with pytest.raises(InputError, match="counts: The rows are not those that were counted"):
        replay(written.manifest, others)


@pytest.mark.parametrize("into", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["counted.csv", "counted.parquet", "frame"])
def test_a_replay_of_a_counted_table_gives_the_same_bytes(tmp_path, kind, into):
    frame = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("rows").reset_index()
    counted = frame if kind == "frame" else tmp_path / kind
    if kind == "counted.csv":
        frame.to_csv(counted, index=False)
    elif kind == "counted.parquet":
        frame.to_parquet(counted, index=False)
    made = released(counted, frequency="rows")
    written = made.write(tmp_path / f"out.{into}")
    assert replay(written.manifest, counted).is_same


def test_counts_that_were_generated_are_not_made_from_their_manifest(source, tmp_path):
    rows, found = audited(source)
    counts = rows.count()
    made = release(counts, ModifyGraph(generate=True).plan(found), seed=7)
    with pytest.raises(InputError, match="generated"):
        replay(made.write(tmp_path / "out.csv").manifest, counts)


def test_another_seed_or_other_bytes_show(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv")
    found = json.loads(written.manifest.read_text())
    altered = Manifest(found | {"seed": "8"})
    with pytest.raises(InputError, match="committed"):
        replay(altered, source)
    nonce = bytes.fromhex(found["nonce"])
    hidden = Manifest(found | {"seed": "8", "seed_commitment": commitment(nonce, 8)})
    assert not replay(hidden, source).is_same


def test_rows_that_are_not_those_released_are_refused(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv")
    source.write_text(csv_text(people()[1:]), newline="")
    with pytest.raises(InputError, match="not those that were counted"):
        replay(written.manifest, source)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format":"evenhand manifest 1"}', '{"format":1,"plan":[]}']
)
def test_other_files_are_no_manifests(tmp_path, text):
    path = tmp_path / "x.manifest.json"
    path.write_text(text)
    with pytest.raises(InputError, match="no manifest"):
        Manifest.read(path)


WRONG = (..., None, True, -1, 2**70, "x", "", [], ["x"], {}, {"x": 1}, {"x": "y"}, 1.5)


def places(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else ()
    parts = enumerate(value[:1]) if isinstance(value, list) else parts
    for key, part in parts:
        yield from places(part, (*path, key))


@pytest.fixture(scope="module")
def manifest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manifest")
    (folder / "people.csv").write_text(csv_text(people(60)), newline="")
    made = released(folder / "people.csv", method=ModifyGraph(), uncertified=True)
    return json.loads(made.write(folder / "out.csv").manifest.read_text())


def test_a_manifest_keeps_to_its_schema(manifest):
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(manifest, schema())


@pytest.mark.parametrize("part", ["input", "nonce", "seed", "question", "plan", "output"])
def test_a_manifest_with_anything_wrong_in_a_place_is_refused_in_words(
    manifest, tmp_path, part
):
    """What is valid may be read; nothing else may be raised than that it is no manifest."""
    validator, refused = jsonschema.Draft202012Validator(schema()), 0
    for path in places(manifest[part], (part,)):
        for value in WRONG:
            document = copy.deepcopy(manifest)
            inner = document
            for key in path[:-1]:
                inner = inner[key]
            if value is ...:
                del inner[path[-1]]
            else:
                inner[path[-1]] = value
            (tmp_path / "m.json").write_text(json.dumps(document))
            try:
                Manifest.read(tmp_path / "m.json")
            except InputError as error:
                assert "no manifest" in str(error)  # noqa: PT017  # most are refused
                refused += 1
            else:
                assert validator.is_valid(document), (path, value)
    assert refused > 8


def test_a_plan_for_columns_that_are_not_there_is_refused(manifest, tmp_path):
    (tmp_path / "people.csv").write_text(csv_text(people(60)), newline="")
    altered = copy.deepcopy(manifest)
    altered["plan"]["redrawn"][0]["parents"][0]["name"] = "absent"
    with pytest.raises(InputError, match="no column 'absent'"):
        replay(Manifest(altered), tmp_path / "people.csv")


def test_a_later_form_is_named(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv")
    text = written.manifest.read_text().replace("evenhand manifest 1", "evenhand manifest 2")
    written.manifest.write_text(text)
    with pytest.raises(InputError, match="later"):
        Manifest.read(written.manifest)


def test_a_generated_table_is_not_made_from_its_manifest(source, tmp_path):
    written = released(source, method=ModifyGraph(generate=True)).write(tmp_path / "out.csv")
    with pytest.raises(InputError, match="generated"):
        replay(written.manifest, source)


@pytest.mark.parametrize("end", ["csv", "parquet"])
@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_releases_of_many_groups_and_values_are_replayed(name, end, tmp_path):
    source = tmp_path / f"in.{end}"
    frame = pd.DataFrame(several_groups.people())
    frame.to_csv(source, index=False) if end == "csv" else frame.to_parquet(source, index=False)
    found = audit(
        source,
        several_groups.RELEASED[name],
        graph=several_groups.GRAPH,
        codings=several_groups.CODINGS,
    )
    written = found.release().write(tmp_path / f"out.{end}")
    plain = json.loads(written.manifest.read_text())
    jsonschema.validate(plain, schema())
    assert sum(move["rows"] for move in plain["plan"]["moves"]) == plain["plan"]["changed_rows"]
    assert replay(written.manifest, source).is_same
    other = frame.assign(score=frame.score.replace({"Low": "High", "High": "Low"}))
    other.to_csv(source, index=False) if end == "csv" else other.to_parquet(source, index=False)
    with pytest.raises(InputError, match="not those that were counted"):
        replay(written.manifest, source)


@pytest.mark.parametrize(
    "fields",
    [{}, {"explained": ["income"]}, {"redlining_threshold": "1/25"}, {"basis": "all"}],
    ids=lambda fields: next(iter(fields), "redlining"),
)
def test_a_release_that_removed_an_effect_through_attributes_is_replayed(fields, tmp_path):
    source = csv_of(loans(), tmp_path / "loans.csv")
    written = audit(source, asking(**fields), graph=APART).release().write(tmp_path / "out.csv")
    plain = json.loads(written.manifest.read_text())
    assert {"redlining", *fields} <= {*plain["question"]}
    jsonschema.validate(plain, schema())
    assert replay(written.manifest, source).is_same

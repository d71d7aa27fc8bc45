"""What a manifest holds, and releases that its seed reproduces."""

import hashlib
import json
from dataclasses import replace

import pandas as pd
import pytest
from tests.certificate_records import csv_of
from tests.hiring import COLUMNS, QUESTION, audited, is_reproduced, released, table
from tests.loans import APART, asking, loans

from evenhand import audit
from evenhand.releasing.release import release
from evenhand.releasing.release_targets import released_name
from evenhand.removal import LocalPreferentialSampling, ModifyData, ModifyGraph


def test_the_manifest_holds_what_reproducing_the_release_needs(source, tmp_path):
    """The certificate is bound to the seed, and does not tell it."""
    seed = 0xFEDCBA9876543210
    written = released(source, seed=seed).write(tmp_path / "out.csv")
    found = json.loads(written.manifest.read_text())
    assert found["seed"] == str(seed)
    nonce = bytes.fromhex(found["nonce"])
    assert len(nonce) == 16
    stated = written.certificate.read_text()
    bound = hashlib.sha256(nonce + seed.to_bytes(16, "big")).hexdigest()
    assert json.loads(stated)["release"]["seed_commitment"] == bound
    assert str(seed) not in stated
    assert found["nonce"] not in stated
    assert "not records about persons" in found["notice"]
    assert (
        found["input"]["files"][0]["sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()
    )
    assert found["output"]["sha256"] == hashlib.sha256(written.data.read_bytes()).hexdigest()
    assert found["plan"]["changed_rows"] == sum(move["rows"] for move in found["plan"]["moves"])
    assert set(found["versions"]) == {"python", "evenhand", "numpy", "pyarrow"}


@pytest.mark.parametrize(
    "method", [ModifyData(), ModifyGraph(), ModifyGraph(generate=True)], ids=str
)
@pytest.mark.parametrize(
    "name", ["out.csv", "out.csv.gz", "out.parquet", "out.arrow", "out.arrows"]
)
def test_files_are_reproduced_by_the_seed(source, tmp_path, name, method):
    written = released(source, method=method, seed=None).write(tmp_path / name)
    assert is_reproduced(written, lambda seed: released(source, method=method, seed=seed))


def _with_codings(folder):
    frame = pd.DataFrame(table(groups="fmx"))
    frame["degree"] = frame["degree"].map({"none": 1, "some": 2, "most": 3})
    frame.loc[::9, "pay"] = None
    frame.to_csv(folder / "coded.csv", index=False)
    asked = replace(QUESTION, other="rest")
    return folder / "coded.csv", {
        "bins": {"degree": [2]}, "missing": "drop", "question": asked
    }  # fmt: skip


def _left_out(_folder):
    return pd.DataFrame(table()), {"method": LocalPreferentialSampling(), "uncertified": True}


def _counted(kind):
    def make(folder):
        frame = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("n").reset_index()
        if kind == "csv":
            frame.to_csv(folder / "counted.csv", index=False)
        elif kind == "parquet":
            frame.to_parquet(folder / "counted.parquet", index=False)
        return frame if kind == "frame" else folder / f"counted.{kind}", {"frequency": "n"}

    return make


@pytest.mark.parametrize("into", ["csv", "parquet"])
@pytest.mark.parametrize(
    "make", [_with_codings, _left_out, *map(_counted, ("csv", "parquet", "frame"))]
)
def test_coded_left_out_and_counted_rows_are_reproduced(tmp_path, make, into):
    source, options = make(tmp_path)
    written = released(source, **options).write(tmp_path / f"out.{into}")
    assert is_reproduced(written, lambda seed: released(source, seed=seed, **options))


@pytest.mark.parametrize("by", [ModifyData(), ModifyGraph(), ModifyGraph(generate=True)])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_counts_are_reproduced(source, tmp_path, name, by):
    rows, found = audited(source)
    counts, plan = rows.count(), by.plan(found)
    written = release(counts, plan, seed=None).write(tmp_path / name)
    assert is_reproduced(written, lambda seed: release(counts, plan, seed=seed))


def test_another_seed_gives_other_bytes(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv")
    assert not is_reproduced(written, lambda seed: released(source, seed=seed + 1))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"output":[]}', '{"output":{"name":1}}', "{" * 99999, "\x00"]
)
def test_what_does_not_say_whose_it_is_names_no_rows(tmp_path, text):
    path = tmp_path / "x.manifest.json"
    assert released_name(path) is None
    path.write_text(text)
    assert released_name(path) is None
    path.write_text('{"output":{"name":"folder/x.csv"}}')
    assert released_name(path) == "x.csv"


@pytest.mark.parametrize(
    "fields",
    [{}, {"explained": ["income"]}, {"redlining_threshold": "1/25"}, {"basis": "all"}],
    ids=lambda fields: next(iter(fields), "redlining"),
)
def test_a_release_that_removed_an_effect_through_attributes_is_reproduced(fields, tmp_path):
    source = csv_of(loans(), tmp_path / "loans.csv")
    found = audit(source, asking(**fields), graph=APART)
    written = found.release().write(tmp_path / "out.csv")
    plain = json.loads(written.manifest.read_text())
    assert {"redlining", *fields} <= {*plain["question"]}
    assert is_reproduced(written, lambda seed: found.release(seed=seed))

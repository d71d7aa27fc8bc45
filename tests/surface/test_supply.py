"""What is installed is listed beside the wheel, and nothing is fetched when evenhand runs."""

import json
import re
import runpy
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path
from shutil import which
from zipfile import ZipFile, ZipInfo

import pytest

ROOT = Path(__file__).parents[2]
BILL = runpy.run_path(str(ROOT / "scripts/bill_of_materials.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Whatever reaches out fails, by name or by address.
NO_NETWORK = """
import sys
def refuse(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__":
        raise RuntimeError(f"{event} {arguments}")
sys.addaudithook(refuse)
"""
DEMO = "import sys; sys.argv = ['evenhand', 'demo', '--output', {!r}]\n"
DEMO += "from evenhand.cli import main; main()"
CALL = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"


@pytest.fixture
def folder(tmp_path):
    make_wheel(tmp_path)
    return tmp_path


def make_wheel(folder, comment=b""):
    """A wheel that holds nothing but its metadata."""
    extras = [
        f"{one}; extra == '{name}'"
        for name, group in PROJECT["optional-dependencies"].items()
        for one in group
    ]
    required = "".join(f"Requires-Dist: {one}\n" for one in PROJECT["dependencies"] + extras)
    metadata = f"Metadata-Version: 2.4\nName: evenhand\nVersion: 0.1.0\n{required}"
    metadata += "License-Expression: Apache-2.0\n"
    path = folder / "evenhand-0.1.0-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.comment = comment
        archive.writestr(ZipInfo("evenhand-0.1.0.dist-info/METADATA"), metadata)
    return path


def test_the_bill_has_what_its_schema_requires(folder):
    path = BILL["write_bill"](folder)
    assert path.name == "evenhand-0.1.0.cdx.json"
    bill = json.loads(path.read_text("utf-8"))
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(
        r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"]
    )
    whole = bill["metadata"]["component"]
    (wheel,) = folder.glob("*.whl")
    assert whole["hashes"] == [
        {"alg": "SHA-256", "content": sha256(wheel.read_bytes()).hexdigest()}
    ]
    for one in (whole, *bill["components"]):
        assert one["type"] in {"application", "library"}
        assert one["name"]
        assert one["version"]
        assert one["purl"] == one["bom-ref"] == f"pkg:pypi/{one['name']}@{one['version']}"
    references = [one["bom-ref"] for one in (whole, *bill["components"])]
    assert len({*references}) == len(references)
    assert {one["ref"] for one in bill["dependencies"]} == {*references}
    assert {ref for one in bill["dependencies"] for ref in one["dependsOn"]} <= {*references}


def test_the_bill_lists_what_the_project_needs_and_no_extra(folder):
    bill = BILL["bill"](next(folder.glob("*.whl")))
    names = {one["name"] for one in bill["components"]}
    needed = {re.split(r"[^\w-]", one)[0] for one in PROJECT["dependencies"]}
    assert needed <= names
    assert "markupsafe" in names  # needed by what is needed
    extras = [one for group in PROJECT["optional-dependencies"].values() for one in group]
    assert not names & {re.split(r"[^\w-]", one)[0] for one in extras} - needed


def test_ibis_comes_with_a_sqlglot_that_it_speaks():
    """A table is made through ibis 12 with sqlglot 29, and not with 30: it loses the name."""
    extras = PROJECT["optional-dependencies"]
    having = [name for name in extras if "ibis-framework" in " ".join(extras[name])]
    assert having == ["ibis", "spark"]
    assert all("sqlglot<30" in extras[name] for name in having)


def test_the_same_wheel_gives_the_same_bill(folder):
    first = BILL["write_bill"](folder).read_bytes()
    assert BILL["write_bill"](folder).read_bytes() == first
    make_wheel(folder, b"another")
    assert BILL["write_bill"](folder).read_bytes() != first


def run(program, *before):
    command = [*before, sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


def test_what_reaches_for_the_network_would_be_seen():
    assert "socket." in run(NO_NETWORK + CALL).stderr


def test_the_demo_opens_no_connection(tmp_path):
    done = run(NO_NETWORK + DEMO.format(str(tmp_path)))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "report.html").exists()


def test_the_demo_runs_where_there_is_no_network(tmp_path):
    alone = [str(which("unshare")), "--map-root-user", "--net"]
    if which("unshare") is None or run("", *alone).returncode:
        pytest.skip("this system does not let us leave the network (unshare --net)")
    assert run(CALL, *alone).returncode
    assert run(DEMO.format(str(tmp_path)), *alone).returncode == 0
    assert (tmp_path / "report.html").exists()

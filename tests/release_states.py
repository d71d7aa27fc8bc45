"""Whether a folder holds one whole release, an earlier one, or none: by its files alone."""

import hashlib
import json
import shutil

from tests.hiring import csv_text, people

from evenhand import checker

ASKED = (
    "people.csv --protected sex --group f --set other=m --decision hired --favorable yes "
    "--set columns=sex,degree,hired,pay --graph graph.txt"
)
AUDIT = f"audit {ASKED} --certificate c.json --report page.html --overwrite".split()
NAMES = {
    "data": "out.csv",
    "certificate": "out.certificate.json",
    "manifest": "out.manifest.json",
    "shared": "out.shared.certificate.json",
}
EARLIER, FIRST, NEXT = "1/10", "1/20", "1/5"  # thresholds that tell releases apart
INPUTS = ("people.csv", "graph.txt")


def write_people(folder):
    """Write what the commands read."""
    (folder / "people.csv").write_text(csv_text(people(200)))
    (folder / "graph.txt").write_text("sex -> hired; degree -> hired; sex -> degree")


def release(threshold, *, share=False, overwrite=False, report=False):
    """What is typed for a release; the threshold tells it from others."""
    command = f"release {ASKED} --output out.csv --threshold {threshold} --seed 7"
    command += " --share" * share + " --overwrite" * overwrite
    return (command + " --report page.html" * report).split()


def contents(folder):
    """The bytes of all files, by name; None for a folder."""
    return {
        path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()
    }


def copied(folder, name):
    """A copy of a folder beside it, in place of an earlier copy."""
    target = folder.with_name(name)
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(folder, target)


def threshold_of(files):
    """The threshold of the release in these files, None if there is none.

    Fails unless the release is whole: each paper belongs to the data, and says the truth.
    """
    papers = {role: files[name] for role, name in NAMES.items() if name in files}
    if "data" not in papers:
        return None
    data, certificate, manifest = (papers[role] for role in ("data", "certificate", "manifest"))
    output = json.loads(manifest)["output"]
    assert output["sha256"] == hashlib.sha256(data).hexdigest()
    assert output["certificate_sha256"] == hashlib.sha256(certificate).hexdigest()
    document = json.loads(certificate)
    assert document["verdict"] == "certified"
    threshold = document["question"]["threshold"]
    if "shared" in papers:
        assert json.loads(papers["shared"])["question"]["threshold"] == threshold
    return threshold


def check_whole(folder):
    """Check that a folder holds a whole release or none of its papers; return its threshold."""
    files = contents(folder)
    threshold = threshold_of(files)
    present = {name for name in NAMES.values() if name in files}
    assert threshold is not None or not present, present
    left = [name for name in files if name.startswith(".evenhand")]
    assert not left, left
    if "page.html" in files:
        assert files["page.html"].rstrip().endswith(b"</html>")
    for role in ("certificate", "shared"):
        if NAMES[role] in files:
            answer = checker.verify(files[NAMES[role]].decode(), str(folder / NAMES["data"]))
            assert answer.status == 0, answer
    return threshold

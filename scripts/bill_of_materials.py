"""Writes the software bill of materials of the wheel: what `pip install evenhand` brings.

    python scripts/bill_of_materials.py dist

Run by `make package` in the environment into which the wheel was installed, so that versions
are those of constraints.txt. The file lies beside the wheel, in the JSON form of CycloneDX 1.6;
the same wheel and versions give the same bytes.
"""

import json
import re
import sys
from collections.abc import Iterator
from email import message_from_bytes
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from zipfile import ZipFile

ROOT = "evenhand"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def write_bill(folder: Path) -> Path:
    """Write the bill of the one wheel in the folder, and return its path."""
    (wheel,) = folder.glob("*.whl")
    target = folder / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json"
    target.write_text(json.dumps(bill(wheel), indent=2, sort_keys=True) + "\n", "utf-8")
    return target


def bill(wheel: Path) -> dict[str, Any]:
    """The bill of materials: the wheel, everything it needs, and which needs which."""
    whole = _metadata(wheel)
    found, needs, waiting = {ROOT: whole}, dict[str, list[str]](), [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in needs:
            found.setdefault(name, distribution(name).metadata if name != ROOT else whole)
            needs[name] = sorted(_needed(found[name]))
            waiting += needs[name]
    address = {name: f"pkg:pypi/{name}@{one['Version']}" for name, one in found.items()}
    digest = {"alg": "SHA-256", "content": sha256(wheel.read_bytes()).hexdigest()}
    parts = {
        name: {
            "type": "application" if name == ROOT else "library",
            "bom-ref": address[name],
            "name": name,
            "version": one["Version"],
            "purl": address[name],
            **_licenses(one),
        }
        for name, one in sorted(found.items())
    }
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": parts.pop(ROOT) | {"hashes": [digest]}},
        "components": [*parts.values()],
        "dependencies": [
            {"ref": address[name], "dependsOn": [address[one] for one in needs[name]]}
            for name in sorted(needs)
        ],
    }
    identity = uuid5(NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return content | {"serialNumber": f"urn:uuid:{identity}"}


def _metadata(wheel: Path) -> Any:  # noqa: ANN401  # a message, as of an installed distribution
    with ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def _needed(metadata: Any) -> Iterator[str]:  # noqa: ANN401
    """The installed distributions that are required, without those of extras."""
    for requirement in metadata.get_all("Requires-Dist") or ():
        named, marker = _NAME.match(requirement), requirement.partition(";")[2]
        if named is None or "extra" in marker:
            continue
        name = re.sub(r"[-_.]+", "-", named.group()).lower()
        try:
            distribution(name)
        except PackageNotFoundError:
            if not marker:  # a marker may be of another system or version of Python
                raise
            continue
        yield name


def _licenses(metadata: Any) -> dict[str, Any]:  # noqa: ANN401
    expression = metadata["License-Expression"]
    return {"licenses": [{"expression": expression}]} if expression else {}


if __name__ == "__main__":
    sys.stdout.write(f"{write_bill(Path(sys.argv[1]))}\n")

"""What lies beside the setup program: its sha256, and a bill of materials (CycloneDX 1.6)."""

from __future__ import annotations

import json
import re
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from installer import locks
from installer.inputs import STDLIB
from installer.steps import sha256

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from installer.payload import Source

_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def write_sha256(path: Path) -> Path:
    """Write `<file>.sha256` as sha256sum reads it."""
    out = path.with_name(path.name + ".sha256")
    out.write_text(f"{sha256(path)}  {path.name}\n", encoding="ascii", newline="\n")
    return out


def write_sbom(out: Path, source: Source, debs: Iterable[str]) -> None:
    """Write the bill of materials: what is inside, and what is fetched at the first start."""
    components = [_describe_deb(name) for name in debs]
    for part, scope in (("tools", "required"), ("base", "required"), ("engine", "optional"), ("nvidia", "optional")):
        text = locks.lock_file(part).read_text(encoding="utf-8")
        components += [
            _describe_wheel(name, entry, part, scope) for name, entry in sorted(locks.split_entries(text).items())
        ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'firstlight/{source.commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(source.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "name": "firstlight",
                "version": source.version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "properties": [{"name": "commit", "value": source.commit}],
            },
        },
        "components": components,
    }
    out.write_text(json.dumps(document, indent=1) + "\n", encoding="ascii", newline="\n")


def _describe_wheel(name: str, entry: str, part: str, scope: str) -> dict[str, Any]:
    version = locks.read_entries(entry)[name]
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "scope": scope,
        # more than one: the lock allows any of the files of this version
        "properties": [
            {"name": "part", "value": part},
            *({"name": "sha256", "value": value} for value in _HASH.findall(entry)),
        ],
    }


def _describe_deb(file_name: str) -> dict[str, Any]:
    name, version, _ = file_name.replace("%2b", "+").split("_")
    known = next((deb.sha256 for deb in STDLIB if (deb.name, deb.version) == (name, version)), None)
    hashes = [{"alg": "SHA-256", "content": known}] if known else []
    purl = f"pkg:deb/debian/{name}@{version}?arch=amd64"
    return {"type": "library", "name": name, "version": version, "purl": purl, "scope": "required", "hashes": hashes}

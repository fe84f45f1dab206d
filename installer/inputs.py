"""Fetches what the build takes in: wheels by hash, Debian's packages by exact version, and keeps them in a cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from installer import locks
from installer.steps import BuildError, fresh_folder, run, sha256

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Deb:
    """One of Debian's packages with Python's standard library, as this commit was built and tested with."""

    name: str
    version: str
    sha256: str

    @property
    def file_name(self) -> str:
        """How apt names the file."""
        return f"{self.name}_{self.version}_amd64.deb"


# Python's own files of the standard library: 3.11.2 with Debian's security patches. A later patch of the same 3.11.2
# replaces them on the servers; it is taken, told, and recorded in the SBOM.
STDLIB = (
    Deb(
        "libpython3.11-stdlib",
        "3.11.2-6+deb12u9",
        "10f13e000ee757f5f2d2d3569f9e30546214a0c850acd78695feae373bfa3e53",
    ),
    Deb(
        "libpython3.11-minimal",
        "3.11.2-6+deb12u9",
        "69f41cfa3f4ba17284e538f843069d7529c53c207d2ae17a5b02785944870e33",
    ),
)
_SERIES = "3.11.2-6+deb12u"


def fetch_wheels(part: str, cache: Path) -> list[Path]:
    """The wheels of `locks/<part>.lock`, in the lock's order.

    Raises:
        BuildError: one cannot be had, or its hash is another.
    """
    lock, folder = locks.lock_file(part), cache / part
    wanted = locks.read_entries(lock.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    found = _find(folder, wanted)
    hashes = lock.read_text(encoding="utf-8")
    if len(found) != len(wanted) or any(sha256(path) not in hashes for path in found):
        locks.download(lock, fresh_folder(folder))
        found = _find(folder, wanted)
    if len(found) != len(wanted):
        raise BuildError(f"{lock.name} names {len(wanted)} packages, and {len(found)} wheels have come")
    return found


def fetch_debs(cache: Path) -> list[Path]:
    """Debian's packages of the standard library. apt checks that they are Debian's.

    Raises:
        BuildError: this machine's apt has neither these nor a later patch of the same version.
    """
    folder = cache / "debs"
    folder.mkdir(parents=True, exist_ok=True)
    return [_fetch_deb(deb, folder) for deb in STDLIB]


def _find(folder: Path, wanted: Iterable[str]) -> list[Path]:
    wheels = {
        path.name.split("-")[0].lower().replace("_", "-").replace(".", "-"): path for path in folder.glob("*.whl")
    }
    return [wheels[name] for name in wanted if name in wheels]


def _fetch_deb(deb: Deb, folder: Path) -> Path:
    exact = folder / deb.file_name
    if exact.is_file() and sha256(exact) == deb.sha256:
        return exact
    try:
        run(["apt-get", "download", f"{deb.name}={deb.version}"], cwd=folder)
    except BuildError:
        run(["apt-get", "download", deb.name], cwd=folder)
    else:
        if sha256(exact) == deb.sha256:
            return exact
        raise BuildError(f"{exact.name} is not the file that its sha256 in installer/inputs.py tells of")
    later = sorted(folder.glob(f"{deb.name}_{_SERIES.replace('+', '%2b')}*.deb")) or sorted(
        folder.glob(f"{deb.name}_{_SERIES}*.deb")
    )
    if not later:
        raise BuildError(f"apt has no {deb.name} {_SERIES}*: the build wants a Debian 12, or a cache from one")
    return later[-1]

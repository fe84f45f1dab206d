"""Makes and signs the manifest that installed programs ask for: `python -m installer.update_manifest`.

... key FILE                               make a secret key, and print the public one for build.py --update-key
... sign --key FILE --url URL --notes FILE SETUP OUT     write the manifest for a setup program
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import sys
from pathlib import Path

from app.services import ed25519
from installer.steps import BuildError, sha256


def make_key(path: Path) -> bytes:
    """Write a new secret key, readable by its owner alone, and return the public one.

    Raises:
        FileExistsError: a key is never overwritten.
    """
    secret = secrets.token_bytes(32)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret.hex() + "\n")
    return ed25519.public_key(secret)


def make_manifest(setup: Path, url: str, notes: str, secret: bytes) -> str:
    """The manifest of a setup program that will lie at `url`.

    Raises:
        BuildError: the file's name tells no version.
    """
    version = re.fullmatch(r"Firstlight-([\d.]+)-setup\.exe", setup.name)
    if not version:
        raise BuildError(f"{setup.name} is not the name of a setup program")
    payload = {"version": version[1], "url": url, "size": setup.stat().st_size, "sha256": sha256(setup), "notes": notes}
    text = json.dumps(payload, sort_keys=True)
    return json.dumps({"payload": text, "signature": ed25519.sign(secret, text.encode()).hex()}, indent=1) + "\n"


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m installer.update_manifest", description=(__doc__ or "").split("\n")[0]
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("key").add_argument("file", type=Path)
    sign = commands.add_parser("sign")
    sign.add_argument("--key", type=Path, required=True)
    sign.add_argument("--url", required=True)
    sign.add_argument("--notes", type=Path, required=True)
    sign.add_argument("setup", type=Path)
    sign.add_argument("out", type=Path)
    args = parser.parse_args()
    if args.command == "key":
        sys.stdout.write(make_key(args.file).hex() + "\n")
        return 0
    secret = bytes.fromhex(args.key.read_text(encoding="ascii").strip())
    args.out.write_text(make_manifest(args.setup, args.url, args.notes.read_text(encoding="utf-8"), secret))
    return 0


if __name__ == "__main__":
    sys.exit(main())

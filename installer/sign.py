"""Signs one file in place: `sign.py CERTIFICATE KEY [TIMESTAMP_URL] FILE`. NSIS calls it, and so does the build.

The certificate comes from outside: PEM files, or a `pkcs11:` address as the key. Only what is ours is signed; Python,
Qt and NVIDIA's files keep their makers' signatures.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def sign(certificate: str, key: str, timestamp: str, file: Path) -> None:
    """Sign `file`; it is replaced only when all went well.

    Raises:
        subprocess.CalledProcessError: osslsigncode has failed.
    """
    signed = file.with_name(file.name + ".signed")
    signed.unlink(missing_ok=True)
    stamp = ["-ts", timestamp] if timestamp else []
    what = ["-n", "Firstlight", "-h", "sha256"]
    command = ["osslsigncode", "sign", "-certs", certificate, "-key", key, *what, *stamp]
    subprocess.run([*command, "-in", str(file), "-out", str(signed)], check=True, stdout=subprocess.DEVNULL)
    signed.replace(file)


def main() -> int:
    """Read the command line and sign."""
    certificate, key, *more = sys.argv[1:]
    timestamp = more[0] if len(more) == 2 else ""
    sign(certificate, key, timestamp, Path(more[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Models behind a plain https address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from app.services import files
from app.services.hub import AccessDenied, Denial
from app.services.transfer import PICKLES, TransferFailed, check_url
from pipelines import checkpoints
from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    import httpx2

_SECRETS = ("token", "key", "secret", "password", "auth", "sig", "credential")
_OTHER_FORMATS = (".zip", ".7z", ".rar", ".tar", ".gz", ".onnx")


def check_link(link: str) -> None:
    """Refuse an address that cannot lead to a model, or that holds a secret: it is kept in the queue's file."""
    check_url(link)
    parts = urlsplit(link)
    secret = next((key for key, _ in parse_qsl(parts.query) if any(word in key.casefold() for word in _SECRETS)), "")
    if parts.username or parts.password or secret:
        raise InvalidRequest(
            "The address holds a token or a password, and it would be kept in a file.",
            f"Take it out and store it with 'firstlight models token {parts.hostname}'.",
        )
    suffix = Path(unquote(parts.path)).suffix.casefold()
    if suffix in PICKLES:
        raise UnusableFile(
            f"The address leads to a pickle file ({suffix}), which could run any program.",
            "Get the model as a safetensors file.",
        )
    if suffix in _OTHER_FORMATS:
        raise UnusableFile(f"{suffix} files cannot be used.", "Give the address of a safetensors file.")


def file_name(link: str) -> str:
    """The name that a linked file gets here."""
    last = unquote(urlsplit(link).path.rstrip("/").rpartition("/")[2])
    suffix = next((suffix for suffix in checkpoints.SUFFIXES if last.endswith(suffix)), checkpoints.SUFFIXES[0])
    return f"{files.safe_name(last.removesuffix(suffix))}{suffix}"


def explain_link(response: httpx2.Response, host: str, *, has_token: bool) -> UnusableFile:
    """What a refusal of the server means."""
    if response.status_code in (401, 403):
        problem = "does not accept the token" if has_token else "wants a login"
        return AccessDenied(
            f"{host} {problem}.",
            f"Get a token on its pages and store it with 'firstlight models token {host}'.",
            f"https://{host}",
            Denial.bad_token if has_token else Denial.login,
        )
    if response.status_code in (404, 410):
        return TransferFailed(f"There is no such file at {host}.", "Check the address.")
    return TransferFailed(f"{host} answers {response.status_code}.", "Try again later.")

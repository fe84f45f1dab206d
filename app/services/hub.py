"""The hub's protocol: the files of a repository, their hashes, and what its refusals mean.

Addresses and the meaning of errors are huggingface_hub's; the bytes are fetched by `transfer`, since its own
downloader neither pauses nor checks a hash. https://huggingface.co/docs/hub/api
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, cast

from app.services import files
from app.services.part import HashKind, RemoteFile
from app.services.transfer import TransferFailed, check_url
from pipelines.errors import UnusableFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import httpx2

HUB = "https://huggingface.co"
# What a diffusers model consists of: no other formats or variants beside it, no pictures
DIFFUSERS_FILES = ("model_index.json", "*/*.json", "*/*.txt", "*/*.model", "*/*.safetensors")
_VARIANTS = (
    "*.fp16.safetensors",
    "*.non_ema.safetensors",
    "*.ema.safetensors",
    "*.fp16-*.safetensors",
    "*fp16.safetensors.index*.json",
)
_NEVER = ("safety_checker/*", "*_onnx/*", "onnx/*", "*/openvino*", "*/flax*")
_REPOSITORY = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")


class Denial(Enum):
    """What a server wants before it gives a file."""

    no_token = "no token"
    bad_token = "bad token"
    no_scope = "no scope"  # the token is good, but may not read gated repositories
    no_licence = "no licence"  # the token's account has not accepted it
    login = "login"  # of a server that is no hub


class AccessDenied(UnusableFile):
    """A server wants a login, another token or a licence accepted; `page` is where that is done."""

    def __init__(self, message: str, action: str, page: str, denial: Denial) -> None:
        super().__init__(message, action)
        self.page = page
        self.denial = denial


@dataclass(frozen=True, slots=True)
class Repository:
    """A model on the hub, at one commit. `gated`: its licence must be accepted on its page first."""

    name: str
    commit: str
    licence: str
    files: tuple[RemoteFile, ...]
    gated: bool = False

    @property
    def size(self) -> int:
        """Bytes to fetch."""
        return sum(file.size or 0 for file in self.files)


class Hub:
    """One hub, at `endpoint` (`HF_ENDPOINT`, else huggingface.co)."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.endpoint = environment.get("HF_ENDPOINT", "").strip().rstrip("/") or HUB
        self.host = check_url(self.endpoint).host
        self._is_offline = environment.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")

    def page(self, repository: str) -> str:
        """The page of a repository, where its licence is."""
        return f"{self.endpoint}/{repository}"

    @property
    def tokens_page(self) -> str:
        """Where tokens are made."""
        return f"{self.endpoint}/settings/tokens"

    def list_files(self, client: httpx2.Client, name: str, token: str, commit: str = "") -> Repository:
        """What a download of the repository `name` (owner/model) consists of, at `commit` or else the newest.

        Raises:
            UnusableFile: no connection, no such repository, a refusal, or nothing in it that can be used.
        """
        self.check(name)
        try:
            revision = f"/revision/{commit}" if commit else ""
            response = client.get(f"{self.endpoint}/api/models/{name}{revision}?blobs=true", headers=authorise(token))
        except _transport_error() as error:
            raise TransferFailed(
                f"{self.host} cannot be reached: {error or type(error).__name__}.", "Check the connection."
            ) from error
        if response.status_code != 200:
            raise self.explain(response, name, has_token=bool(token))
        facts = _parse(response)
        commit = str(facts.get("sha") or "main")
        chosen = [file for file in _siblings(facts) if _is_wanted(str(file.get("rfilename")))]
        names = {str(file["rfilename"]) for file in chosen}
        if "model_index.json" not in names or not any(name.endswith(".safetensors") for name in names):
            raise UnusableFile(
                f"{name} holds no model in the diffusers layout with safetensors weights.",
                "Use another repository, or give the https address of one .safetensors file.",
            )
        card = facts.get("cardData")
        licence = cast("dict[str, object]", card).get("license", "") if isinstance(card, dict) else ""
        remotes = tuple(self._remote(name, commit, file) for file in chosen)
        return Repository(
            name, commit, str(licence), remotes, gated=bool(facts.get("gated"))
        )  # "auto", "manual", false

    def check(self, name: str) -> None:
        """Refuse what cannot be a repository, and everything while `HF_HUB_OFFLINE` is set."""
        if self._is_offline:
            raise UnusableFile("HF_HUB_OFFLINE is set, so nothing is fetched.", "Unset it to download.")
        if not _REPOSITORY.fullmatch(name) or ".." in name:
            raise UnusableFile(f"{name!r} is no repository of the hub.", "Give it as owner/model.")

    def explain(self, response: httpx2.Response, name: str, *, has_token: bool) -> UnusableFile:
        """What a refusal means: which of the four things is missing, or that there is nothing there."""
        from huggingface_hub import errors
        from huggingface_hub.utils import hf_raise_for_status

        try:
            hf_raise_for_status(response)
        except errors.GatedRepoError:
            return self._explain_gate(response, name, has_token=has_token)
        except errors.HfHubHTTPError as error:
            if response.status_code in (401, 403) and has_token:
                return self._explain_gate(response, name, has_token=True)
            missing = (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.EntryNotFoundError)
            if isinstance(error, missing) or response.status_code in (404, 410):
                return TransferFailed(
                    f"There is no {name} at {self.host}, or not all of it.",
                    "Check the name; a private model needs a token ('firstlight models token').",
                )
            if response.status_code in (401, 403):
                return self._no_token(name)
        return TransferFailed(f"{self.host} answers {response.status_code} for {name}.", "Try again later.")

    def _explain_gate(self, response: httpx2.Response, name: str, *, has_token: bool) -> UnusableFile:
        said = response.headers.get("X-Error-Message", "").casefold()
        if not has_token:
            return self._no_token(name)
        if response.status_code == 401 and "not in the authorized list" not in said:
            return AccessDenied(
                f"{self.host} does not accept the token: it is wrong, or it was withdrawn.",
                f"Make a new one at {self.tokens_page} and store it with 'firstlight models token'.",
                self.tokens_page,
                Denial.bad_token,
            )
        if "fine-grained" in said or "token" in said:
            return AccessDenied(
                "The token may not read gated repositories.",
                f'Allow it "Read access to contents of all public gated repos" at {self.tokens_page}.',
                self.tokens_page,
                Denial.no_scope,
            )
        return AccessDenied(
            f"The account of the token has not accepted the licence of {name}, or is not admitted yet.",
            f"Read and accept it at {self.page(name)}, then start again.",
            self.page(name),
            Denial.no_licence,
        )

    def _no_token(self, name: str) -> AccessDenied:
        return AccessDenied(
            f"{name} is only given to accounts that have accepted its licence, and no token is stored.",
            f"Accept it at {self.page(name)}, make a token at {self.tokens_page}, and store it with "
            "'firstlight models token'.",
            self.page(name),
            Denial.no_token,
        )

    def _remote(self, name: str, commit: str, file: Mapping[str, object]) -> RemoteFile:
        from huggingface_hub import hf_hub_url

        path = str(files.check_relative(str(file["rfilename"])))
        url = hf_hub_url(name, path, revision=commit, endpoint=self.endpoint)
        large = file.get("lfs")
        size = file.get("size")
        bytes_ = size if isinstance(size, int) and size >= 0 else None
        if isinstance(large, dict):
            return RemoteFile(url, path, bytes_, HashKind.sha256, str(cast("dict[str, object]", large).get("sha256")))
        kind = HashKind.git if bytes_ is not None and file.get("blobId") else HashKind.sha256
        return RemoteFile(url, path, bytes_, kind, str(file["blobId"]) if kind is HashKind.git else "")


def authorise(token: str) -> dict[str, str]:
    """The header that carries a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def _transport_error() -> type[Exception]:
    import httpx2

    return httpx2.TransportError


def _parse(response: httpx2.Response) -> dict[str, object]:
    try:
        value: object = response.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise TransferFailed(f"{response.url.host} does not answer as a hub does.", "Check HF_ENDPOINT.")
    return cast("dict[str, object]", value)


def _siblings(facts: Mapping[str, object]) -> list[dict[str, object]]:
    listed = facts.get("siblings")
    items = cast("list[object]", listed) if isinstance(listed, list) else []
    return [cast("dict[str, object]", item) for item in items if isinstance(item, dict)]


def _is_wanted(path: str) -> bool:
    def matches(any_of: Sequence[str]) -> bool:
        return any(fnmatch.fnmatchcase(path, pattern) for pattern in any_of)

    return matches(DIFFUSERS_FILES) and not matches(_VARIANTS) and not matches(_NEVER)

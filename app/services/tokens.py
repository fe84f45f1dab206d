"""Tokens for servers that want a login. They live in the system's keyring and go nowhere else."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pipelines.errors import InvalidRequest, UnusableFile

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger(__name__)

_SERVICE = "firstlight"


class Tokens:
    """The tokens by host.

    For the hub, `HF_TOKEN` of the environment goes first and the login of its own tools (`hf auth login`) last.
    """

    def __init__(self, hub_host: str, environment: Mapping[str, str]) -> None:
        self._hub_host = hub_host
        self._environment = environment

    def find(self, host: str) -> str:
        """The token for `host`; empty where there is none."""
        is_hub = host == self._hub_host
        given = self._environment.get("HF_TOKEN", "").strip() if is_hub else ""
        return given or _read(host) or (_hub_login() if is_hub else "")

    def store(self, host: str, token: str) -> None:
        """Keep `token` for `host`; an empty one removes what is kept.

        Raises:
            InvalidRequest: it cannot be a token.
            UnusableFile: this system has no keyring that can be used.
        """
        import keyring
        import keyring.errors

        token = token.strip()
        if not token.isascii() or not token.isprintable() or " " in token:
            raise InvalidRequest("That is no token: it has characters that a token cannot have.", "Copy it again.")
        try:
            if token:
                keyring.set_password(_SERVICE, host, token)
            elif keyring.get_password(_SERVICE, host) is not None:
                keyring.delete_password(_SERVICE, host)
        except keyring.errors.KeyringError as error:
            log.warning("The keyring cannot be written: %s", type(error).__name__)
            raise UnusableFile(
                "This system has no keyring in which a token could be kept.",
                "Set the variable HF_TOKEN for this one command instead, or install a keyring.",
            ) from None  # an error's text or traceback might show the token


def _read(host: str) -> str:
    import keyring

    try:
        return keyring.get_password(_SERVICE, host) or ""
    except Exception as error:  # noqa: BLE001  # a probe of whatever keyring there is: without one, there is no token
        log.info("The keyring cannot be read: %s", type(error).__name__)
        return ""


def _hub_login() -> str:
    from huggingface_hub import get_token

    return get_token() or ""

"""The hub's protocol: which files, and what a refusal means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.services.hub import AccessDenied, Hub
from app.services.part import HashKind
from app.services.transfer import make_client
from pipelines.errors import UnusableFile
from tests.app.hub_server import COMMIT, Content, HubServer, safetensors

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2

NAME = "maker/model-1.0"


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with make_client(stall_seconds=5) as client:
        yield client


@pytest.fixture
def service(hub: HubServer) -> Hub:
    hub.repositories[NAME] = {
        "model_index.json": Content(b"{}"),
        "vae/config.json": Content(b"{}"),
        "vae/model.safetensors": safetensors(1000),
    }
    return Hub({"HF_ENDPOINT": hub.endpoint + "/"})


def test_files_come_with_size_hash_and_the_commit(client: httpx2.Client, service: Hub, hub: HubServer) -> None:
    found = service.list_files(client, NAME, "")
    assert (found.commit, found.licence) == (COMMIT, "test")
    weights = next(file for file in found.files if file.name == "vae/model.safetensors")
    assert weights.url == f"{hub.endpoint}/{NAME}/resolve/{COMMIT}/vae/model.safetensors"
    assert (weights.hash_kind, weights.hash) == (HashKind.sha256, safetensors(1000).sha256)
    small = next(file for file in found.files if file.name == "model_index.json")
    assert (small.size, small.hash_kind, small.hash) == (2, HashKind.git, Content(b"{}").git)
    assert found.size == sum(content.size for content in hub.repositories[NAME].values())


def test_other_formats_and_variants_are_left_out(client: httpx2.Client, service: Hub, hub: HubServer) -> None:
    for extra in (
        "README.md",
        "picture.png",
        "flux1-dev.safetensors",
        "vae/model.fp16.safetensors",
        "vae/model.fp16-00001-of-00002.safetensors",
        "vae/pytorch_model.bin",
        "unet/model.onnx",
        "safety_checker/model.safetensors",
    ):
        hub.repositories[NAME][extra] = Content(b"{}")
    hub.repositories[NAME]["tokenizer/merges.txt"] = Content(b"{}")
    names = {file.name for file in service.list_files(client, NAME, "").files}
    assert names == {"model_index.json", "vae/config.json", "vae/model.safetensors", "tokenizer/merges.txt"}


@pytest.mark.parametrize(
    "path", ["vae/../../x.json", "vae\\..\\x/y.json", "con/x.json", "vae/a:b.json", "vae/x.\n.json", "a /x.json"]
)
def test_a_file_that_would_leave_the_folder_is_refused(
    client: httpx2.Client, service: Hub, hub: HubServer, path: str
) -> None:
    hub.repositories[NAME][path] = Content(b"{}")
    with pytest.raises(UnusableFile, match="may not have"):
        service.list_files(client, NAME, "")


def test_a_repository_without_a_model_is_refused(client: httpx2.Client, service: Hub, hub: HubServer) -> None:
    del hub.repositories[NAME]["vae/model.safetensors"]
    with pytest.raises(UnusableFile, match="no model in the diffusers layout"):
        service.list_files(client, NAME, "")


def test_what_is_not_there(client: httpx2.Client, service: Hub, hub: HubServer) -> None:
    hub.gate.admitted = {"good"}
    for token in ("", "good"):
        with pytest.raises(UnusableFile, match="There is no maker/none at"):
            service.list_files(client, "maker/none", token)


@pytest.mark.parametrize("name", ["x", "a/b/c", "../b", "a/..", "a/b?c", ""])
def test_what_is_no_repository(client: httpx2.Client, service: Hub, hub: HubServer, name: str) -> None:
    with pytest.raises(UnusableFile, match="no repository"):
        service.list_files(client, name, "")
    assert hub.api_tokens == []


def test_offline_nothing_is_asked(client: httpx2.Client, service: Hub, hub: HubServer) -> None:
    with pytest.raises(UnusableFile, match="HF_HUB_OFFLINE"):
        Hub({"HF_ENDPOINT": hub.endpoint, "HF_HUB_OFFLINE": "1"}).list_files(client, NAME, "")
    assert hub.api_tokens == []


def test_an_endpoint_without_https_is_refused() -> None:
    with pytest.raises(UnusableFile, match="https"):
        Hub({"HF_ENDPOINT": "http://hub.example.com"})


def test_no_hub_there(client: httpx2.Client) -> None:
    with pytest.raises(UnusableFile, match="cannot be reached"):
        Hub({"HF_ENDPOINT": "http://127.0.0.1:9"}).list_files(client, NAME, "")


def test_the_four_refusals_are_told_apart_with_the_page_to_open(
    client: httpx2.Client, service: Hub, hub: HubServer
) -> None:
    hub.gated = {NAME}
    hub.gate.admitted, hub.gate.without_scope, hub.gate.without_licence = {"good"}, {"hf_narrow"}, {"hf_early"}
    url = service.list_files(client, NAME, "").files[0].url  # the list is for everyone

    def refuse(token: str) -> AccessDenied:
        response = client.get(url, headers={"Authorization": f"Bearer {token}"} if token else {})
        failure = service.explain(response, NAME, has_token=bool(token))
        assert isinstance(failure, AccessDenied)
        assert failure.page in failure.action
        assert not token or token not in str(failure)
        return failure

    page, tokens = f"{hub.endpoint}/{NAME}", f"{hub.endpoint}/settings/tokens"
    told = [refuse(token) for token in ("", "hf_wrong", "hf_narrow", "hf_early")]
    assert [one.page for one in told] == [page, tokens, tokens, page]
    words = ["no token is stored", "does not accept the token", "may not read gated", "has not accepted the licence"]
    for word, one in zip(words, told, strict=True):
        assert word in one.message
    assert len({one.message for one in told}) == 4
    assert client.get(url, headers={"Authorization": "Bearer good"}).status_code == 200

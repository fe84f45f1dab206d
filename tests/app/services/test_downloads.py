"""The queue of downloads against a real server: whole models, pause, cancel, failures, restarts."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from app.services.crew import Meter
from app.services.downloads import DownloadProgress, Downloads, Outcome
from app.services.hub import AccessDenied, Hub
from app.services.importing import Kind
from app.services.models import Models
from app.services.queue import State
from app.services.registry import Keeping
from app.services.transfer import make_client
from pipelines.errors import Cancelled, InvalidRequest, NoRoom, UnusableFile
from pipelines.events import Notice
from tests.app.hub_server import Content, HubServer, safetensors
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.app.services.test_tokens import Memory

REPOSITORY = "maker/model-1.0"
SIZE = 300_000
FILES = {
    "model_index.json": Content(b'{"_class_name": "FluxPipeline"}'),
    "transformer/config.json": Content(b"{}"),
    "transformer/a-00001-of-00002.safetensors": safetensors(SIZE),
    "transformer/a-00002-of-00002.safetensors": safetensors(SIZE + 1),
    "vae/x.safetensors": safetensors(1000),
}


class Log:
    """A report that keeps everything; `act` is called with each event."""

    def __init__(self, act: Callable[[DownloadProgress], None] = lambda event: None) -> None:
        self.progress: list[DownloadProgress] = []
        self.notices: list[str] = []
        self.act = act

    def __call__(self, event: DownloadProgress | Notice, /) -> None:
        if isinstance(event, Notice):
            self.notices.append(event.message)
        else:
            self.progress.append(event)
            self.act(event)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def models(data: Path, tmp_path: Path) -> Models:
    return Models(data, tmp_path / "cache")


@pytest.fixture
def downloads(hub: HubServer, data: Path, models: Models) -> Downloads:
    hub.repositories[REPOSITORY] = dict(FILES)
    return make(data, models)


def make(data: Path, models: Models) -> Downloads:
    """The service as a new process would make it."""
    from app.services.tokens import Tokens

    service = Hub(os.environ)
    tokens = Tokens(service.host, {})
    return Downloads(data, models, service, tokens, connect=lambda: make_client(1.0), first_wait=0.01)


def only(outcomes: tuple[Outcome, ...]) -> Outcome:
    assert len(outcomes) == 1
    return outcomes[0]


def test_a_repository_becomes_a_model(downloads: Downloads, models: Models, hub: HubServer) -> None:
    downloads.add(REPOSITORY)
    log = Log()
    model = only(downloads.run(log)).model
    assert model is not None
    assert (model.name, model.kind, model.family) == ("model-1.0", Kind.pipeline, "flux")
    assert (model.keeping, model.source, model.licence) == (Keeping.downloaded, REPOSITORY, "test")
    assert model.location == models.folder / "model-1.0"
    for name, content in FILES.items():
        assert (model.location / name).read_bytes() == content.read(0, content.size)
    assert {file.name: file.sha256 for file in model.files} == {name: one.sha256 for name, one in FILES.items()}
    assert models.find("MODEL-1.0") == model
    assert downloads.queue.all() == ()
    assert [path.name for path in models.folder.iterdir()] == ["model-1.0"]
    total = sum(content.size for content in FILES.values())
    assert (log.progress[-1].done, log.progress[-1].total) == (total, total)
    assert all(file.problem == "" for file in models.verify(model, lambda progress: None))


def test_several_at_once_but_never_more_than_three(downloads: Downloads, hub: HubServer) -> None:
    hub.repositories[REPOSITORY] |= {
        f"extra/{number}.safetensors": safetensors(200_000 + number) for number in range(6)
    }
    hub.slow = 0.02
    downloads.add(REPOSITORY)
    assert only(downloads.run(Log())).model
    assert hub.most_at_once == 3


def test_a_row_of_the_catalog_is_found_by_its_name(downloads: Downloads, models: Models, hub: HubServer) -> None:
    hub.repositories["black-forest-labs/FLUX.1-schnell"] = dict(FILES)
    assert downloads.add("FLUX.1-Schnell").name == "flux.1-schnell"
    model = only(downloads.run(Log())).model
    assert model is not None
    assert models.locate("flux.1-schnell") == str(model.location)


def test_an_offer_is_known_before_anything_is_fetched(downloads: Downloads, hub: HubServer) -> None:
    offer = downloads.offer(REPOSITORY)
    assert (offer.size, offer.licence) == (sum(content.size for content in FILES.values()), "test")
    assert hub.requests == []
    assert downloads.queue.all() == ()


def test_the_speed_is_that_of_the_last_seconds_and_of_new_bytes() -> None:
    now = [0.0]
    meter = Meter(lambda: now[0])
    meter.add(1000, fresh=False)  # found on the disk
    assert meter.read(5000) == (1000, 5000, 0.0, None)
    told = None
    for _ in range(20):
        now[0] += 1
        meter.add(100, fresh=True)
        told = meter.read(5000)
    assert told == (3000, 5000, 100.0, 20.0)
    now[0] += 60
    assert meter.read(None)[2:] == (0.0, None)  # a stall


def test_a_link_becomes_a_model(downloads: Downloads, models: Models, hub: HubServer) -> None:
    hub.links["My Model v2.safetensors"] = safetensors(SIZE)
    downloads.add(hub.link("My%20Model%20v2.safetensors"))
    model = only(downloads.run(Log())).model
    assert model is not None
    assert model.name == "my-model-v2"
    assert model.location == models.folder / "my-model-v2" / "my-model-v2.safetensors"
    assert model.files[0].sha256 == safetensors(SIZE).sha256


def test_what_arrives_whole_but_is_no_model_is_not_kept(downloads: Downloads, models: Models, hub: HubServer) -> None:
    hub.links["x.safetensors"] = Content(b"<!DOCTYPE html><html>please log in</html>")
    downloads.add(hub.link("x.safetensors"))
    failure = only(downloads.run(Log())).failure
    assert isinstance(failure, UnusableFile)
    assert "web page" in failure.message
    assert models.all() == ()
    assert not (models.folder / "x").exists()
    assert downloads.queue.all()[0].state is State.failed


def test_a_wrong_hash_leaves_no_model(downloads: Downloads, models: Models, hub: HubServer) -> None:
    hub.stated_hash = "0" * 64
    downloads.add(REPOSITORY)
    failure = only(downloads.run(Log())).failure
    assert failure is not None
    assert "promised" in failure.message
    assert [path.name for path in models.folder.iterdir()] == ["model-1.0.part"]
    assert models.all() == ()


def test_pause_keeps_what_is_there_and_resume_fetches_the_rest(
    downloads: Downloads, data: Path, models: Models, hub: HubServer
) -> None:
    hub.slow = 0.02

    def pause(event: DownloadProgress) -> None:
        if event.done > 150_000:
            downloads.pause("model-1.0")

    downloads.add(REPOSITORY)
    outcome = only(downloads.run(Log(pause)))
    assert (outcome.model, outcome.failure) == (None, None)
    assert downloads.queue.all()[0].state is State.paused
    assert downloads.run(Log()) == ()  # paused is not waiting
    hub.slow = 0
    again = make(data, models)
    again.resume("model-1.0")
    log = Log()
    assert only(again.run(log)).model
    resumed = [request for request in hub.requests if request.start]
    assert resumed  # not everything again


def test_cancel_deletes_what_is_there(downloads: Downloads, models: Models, hub: HubServer) -> None:
    hub.slow = 0.02
    downloads.add(REPOSITORY)
    outcome = only(downloads.run(Log(lambda event: downloads.cancel("model-1.0") if event.done > 100_000 else None)))
    assert (outcome.model, outcome.failure) == (None, None)
    assert downloads.queue.all() == ()
    assert list(models.folder.iterdir()) == []


def test_cancel_of_one_that_waits(downloads: Downloads, models: Models) -> None:
    downloads.add(REPOSITORY)
    downloads.cancel("model-1.0")
    assert downloads.run(Log()) == ()


def test_a_stop_by_the_report_pauses(downloads: Downloads, hub: HubServer) -> None:
    hub.holds = [100_000]

    def stop(event: DownloadProgress) -> None:
        if hub.held.is_set():
            raise Cancelled

    downloads.add(REPOSITORY)
    began = time.monotonic()
    with pytest.raises(Cancelled):
        downloads.run(Log(stop))
    assert time.monotonic() - began < 5
    assert downloads.queue.all()[0].state is State.paused


def test_one_failure_does_not_end_the_queue(downloads: Downloads, hub: HubServer) -> None:
    downloads.add("maker/none")
    downloads.add(REPOSITORY)
    first, second = downloads.run(Log())
    assert first.failure is not None
    assert second.model is not None
    assert [one.name for one in downloads.queue.all()] == ["none"]


def test_a_licence_that_is_not_accepted_is_kept_with_its_page(downloads: Downloads, hub: HubServer) -> None:
    hub.gated = {REPOSITORY}
    downloads.add(REPOSITORY)
    failure = only(downloads.run(Log())).failure
    assert isinstance(failure, AccessDenied)
    kept = downloads.queue.all()[0]
    assert (kept.state, kept.page) == (State.failed, f"{hub.endpoint}/{REPOSITORY}")
    assert kept.failure is not None
    assert kept.failure.message == failure.message


def test_a_token_goes_to_its_host_and_is_written_nowhere(
    downloads: Downloads,
    data: Path,
    hub: HubServer,
    keys: Memory,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
) -> None:
    token = "hf_verySecretToken"
    hub.gated, hub.gate.admitted = {REPOSITORY}, {token}
    keys.set_password("firstlight", "127.0.0.1", token)
    hub.cuts = [100_000]
    downloads.add(REPOSITORY)
    with caplog.at_level(logging.DEBUG):
        assert only(downloads.run(Log())).model
    assert hub.api_tokens == [token]
    assert {request.token for request in hub.requests if request.host.startswith("localhost")} == {""}  # the CDN
    assert token not in caplog.text
    assert caplog.text.count("attempt ended") >= 1  # something was logged
    for file in data.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("https://example.com/x.safetensors?token=abc", "holds a token"),
        ("https://example.com/x.safetensors?a=1&api_key=abc", "holds a token"),
        ("https://user:pass@example.com/x.safetensors", "holds a token"),
        ("http://example.com/x.safetensors", "not be protected"),
        ("https://example.com/x.ckpt", "pickle"),
        ("https://example.com/x.onnx", "cannot be used"),
        ("starter", "part of Firstlight"),
        ("sd-2.1", "not offered"),
        ("flux.1-dve", "no model named"),
    ],
)
def test_what_cannot_be_downloaded_is_refused_at_once(downloads: Downloads, link: str, words: str) -> None:
    with pytest.raises((InvalidRequest, UnusableFile), match=words):
        downloads.add(link)
    assert downloads.queue.all() == ()


def test_the_same_is_not_fetched_twice(downloads: Downloads) -> None:
    assert downloads.add(REPOSITORY) == downloads.add(REPOSITORY)
    assert len(downloads.queue.all()) == 1
    downloads.run(Log())
    with pytest.raises(InvalidRequest, match="already"):
        downloads.add(REPOSITORY)


def test_only_what_is_damaged_is_fetched_again(downloads: Downloads, models: Models, hub: HubServer) -> None:
    downloads.add(REPOSITORY)
    model = only(downloads.run(Log())).model
    assert model is not None
    assert downloads.repair(model, lambda progress: None) is None
    bad = model.location / "transformer/a-00001-of-00002.safetensors"
    data = bytearray(bad.read_bytes())
    data[-1] ^= 1
    bad.write_bytes(data)
    (model.location / "vae/x.safetensors").unlink()
    assert downloads.repair(model, lambda progress: None) is not None
    assert models.find(model.name) is None  # not offered while it is damaged
    hub.requests.clear()
    assert only(downloads.run(Log())).model == model
    assert len(hub.requests) == 2
    assert bad.read_bytes() == FILES["transformer/a-00001-of-00002.safetensors"].read(0, 10**9)


def test_two_processes_do_not_download_at_once(
    downloads: Downloads, data: Path, models: Models, hub: HubServer
) -> None:
    hub.holds = [100_000]
    downloads.add(REPOSITORY)
    thread = threading.Thread(target=lambda: downloads.run(Log()))
    thread.start()
    assert hub.held.wait(10)
    with pytest.raises(UnusableFile, match="Another Firstlight"):
        make(data, models).run(Log())
    downloads.cancel("model-1.0")
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"downloads": 7}', '{"downloads": [1, {"name": "x"}, null]}'])
def test_a_damaged_queue_is_an_empty_one(downloads: Downloads, data: Path, content: str) -> None:
    data.mkdir(exist_ok=True)
    (data / "downloads.json").write_text(content)
    assert downloads.queue.all() == ()
    downloads.add(REPOSITORY)
    assert [one["name"] for one in json.loads((data / "downloads.json").read_text())["downloads"]] == ["model-1.0"]


def test_too_little_room_is_seen_before_a_byte_is_fetched(downloads: Downloads, hub: HubServer) -> None:
    hub.repositories[REPOSITORY]["unet/huge.safetensors"] = Huge()
    downloads.add(REPOSITORY)
    failure = only(downloads.run(Log())).failure
    assert isinstance(failure, NoRoom)
    assert "TB are needed" in failure.message
    assert hub.requests == []


class Huge(Content):
    """More than any disk of today has, as the hub would state it."""

    def __init__(self) -> None:
        super().__init__(b"", 10**15)

    @property
    def sha256(self) -> str:
        return "1" * 64

    @property
    def git(self) -> str:
        return "1" * 40

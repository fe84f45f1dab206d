"""One file from a real server that fails in every way: what arrives is whole or has another name."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING

import pytest

from app.services.part import HashKind, RemoteFile
from app.services.transfer import Server, TransferFailed, check_url, fetch, make_client
from pipelines.errors import UnusableFile
from tests.app.hub_server import Content, HubServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import httpx2

SIZE = 400_000
CONTENT = Content(b"firstlight", SIZE)


class Stop(Exception):
    pass


class Watch:
    """A `Control` that keeps what it is told."""

    def __init__(self) -> None:
        self.done = self.fresh = 0
        self.said: list[str] = []
        self.stop_at = -1
        self.wake: Callable[[], None] = lambda: None

    def check(self) -> None:
        if 0 <= self.stop_at <= self.done:
            raise Stop

    def add(self, count: int, *, fresh: bool) -> None:
        self.done += count
        self.fresh += count if fresh else 0

    def say(self, message: str) -> None:
        self.said.append(message)

    def attach(self, wake: Callable[[], None]) -> None:
        self.wake = wake


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with make_client(stall_seconds=0.5) as client:
        yield client


@pytest.fixture
def server(client: httpx2.Client) -> Server:
    def explain(response: httpx2.Response) -> UnusableFile:
        return TransferFailed(f"refused with {response.status_code}")

    return Server(client, {"Authorization": "Bearer secret"}, explain, first_wait=0.01)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "x.bin"


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def remote(hub: HubServer) -> RemoteFile:
    hub.links["x.bin"] = CONTENT
    return RemoteFile(hub.link("x.bin"), "x.bin", SIZE, HashKind.sha256, CONTENT.sha256)


def unknown(remote: RemoteFile) -> RemoteFile:
    """The same, of which nobody says what it is."""
    return RemoteFile(remote.url, remote.name)


def assert_whole(target: Path) -> None:
    assert target.read_bytes() == CONTENT.read(0, SIZE)
    assert [file.name for file in target.parent.iterdir()] == [target.name]


def starts(hub: HubServer) -> list[int | None]:
    return [request.start for request in hub.requests]


def stop_after(server: Server, remote: RemoteFile, target: Path, count: int) -> Path:
    """Begin and stop; the path of what is there."""
    watch = Watch()
    watch.stop_at = count
    with pytest.raises(Stop):
        fetch(server, remote, target, watch)
    assert not target.exists()
    return target.with_name("x.bin.part")


def test_a_file_arrives_whole(server: Server, remote: RemoteFile, target: Path, watch: Watch) -> None:
    fetched = fetch(server, remote, target, watch)
    assert (fetched.size, fetched.sha256) == (SIZE, CONTENT.sha256)
    assert (watch.done, watch.fresh, watch.said) == (SIZE, SIZE, [])
    assert_whole(target)


def test_git_hashes_are_checked_too(server: Server, remote: RemoteFile, target: Path, watch: Watch) -> None:
    whole = RemoteFile(remote.url, remote.name, SIZE, HashKind.git, CONTENT.git)
    fetch(server, whole, target, watch)
    assert_whole(target)
    other = RemoteFile(remote.url, remote.name, SIZE, HashKind.git, "0" * 40)
    with pytest.raises(TransferFailed, match="git hash differs"):
        fetch(server, other, target.with_name("other"), watch)


@pytest.mark.parametrize("known", [True, False])
def test_only_what_is_missing_is_fetched_again(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch, known: bool
) -> None:
    wanted = remote if known else unknown(remote)
    there = stop_after(server, wanted, target, 100_000).stat().st_size
    assert 100_000 <= there < SIZE
    fetch(server, wanted, target, watch)
    assert starts(hub) == [None, there]
    assert (watch.done, watch.fresh) == (SIZE, SIZE - there)
    assert_whole(target)


def test_a_line_that_is_cut_is_taken_up_again(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.cuts = [50_000, 120_000, 390_000]
    fetch(server, remote, target, watch)
    assert starts(hub) == [None, 50_000, 120_000, 390_000]
    assert hub.sent == SIZE
    assert_whole(target)


def test_a_server_that_stalls_is_asked_again(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.holds = [150_000]
    fetch(server, remote, target, watch)
    assert starts(hub) == [None, 150_000]
    assert_whole(target)


def test_a_wait_for_bytes_can_be_ended(hub: HubServer, remote: RemoteFile, target: Path, watch: Watch) -> None:
    hub.holds = [150_000]
    with make_client(stall_seconds=30) as client:
        server = Server(client, {}, lambda response: UnusableFile("no"), 0.01)
        ended = threading.Event()

        def work() -> None:
            with pytest.raises(Stop):
                fetch(server, remote, target, watch)
            ended.set()

        threading.Thread(target=work, daemon=True).start()
        assert hub.held.wait(10)
        while watch.done < 150_000:
            time.sleep(0.01)
        watch.stop_at = 0
        watch.wake()
        assert ended.wait(5)
    assert target.with_name("x.bin.part").stat().st_size == 150_000


def test_without_ranges_it_begins_again_and_says_so(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    stop_after(server, remote, target, 100_000)
    hub.ranges = False
    fetch(server, remote, target, watch)
    assert watch.done == SIZE
    assert any("begins again" in words for words in watch.said)
    assert_whole(target)


@pytest.mark.parametrize("known", [True, False])
def test_a_server_that_does_not_say_how_long_it_is(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch, known: bool
) -> None:
    hub.chunked = True
    fetch(server, remote if known else unknown(remote), target, watch)
    assert_whole(target)


def test_a_chunked_body_that_is_cut_is_not_taken_for_whole(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.chunked = True
    hub.cuts = [200_000]
    fetch(server, unknown(remote), target, watch)
    assert starts(hub) == [None, 200_000]
    assert_whole(target)


def test_another_file_than_promised_is_refused_and_leaves_no_file(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    other = RemoteFile(remote.url, remote.name, SIZE, HashKind.sha256, "0" * 64)
    with pytest.raises(TransferFailed, match="promised") as caught:
        fetch(server, other, target, watch)
    assert "x.bin" in caught.value.message
    assert starts(hub) == [None, None]  # once more, in case it was damaged on the way
    assert not target.exists()
    assert target.with_name("x.bin.part").stat().st_size == 0


def test_bytes_that_went_bad_on_the_disk_are_found(
    server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    part = stop_after(server, remote, target, 100_000)
    data = bytearray(part.read_bytes())
    data[500] ^= 1
    part.write_bytes(data)
    fetch(server, remote, target, watch)
    assert any("fetched again" in words for words in watch.said)
    assert_whole(target)


@pytest.mark.parametrize("size", [SIZE - 1, SIZE + 1])
def test_another_size_than_promised_is_refused(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch, size: int
) -> None:
    other = RemoteFile(remote.url, remote.name, size, HashKind.sha256, CONTENT.sha256)
    with pytest.raises(TransferFailed, match=f"{SIZE} bytes on the server, and {size} were promised"):
        fetch(server, other, target, watch)
    assert len(hub.requests) == 1
    assert target.with_name("x.bin.part").stat().st_size == 0


def test_a_file_that_changed_on_the_server_begins_again(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.etag = "old"
    stop_after(server, unknown(remote), target, 100_000)
    hub.etag = "new"
    fetch(server, unknown(remote), target, watch)
    assert_whole(target)


def test_a_file_that_is_shorter_now_begins_again(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    there = stop_after(server, unknown(remote), target, 100_000).stat().st_size
    short = hub.links["x.bin"] = Content(b"short")
    hub.etag = CONTENT.sha256  # a server whose validator is not to be trusted
    fetch(server, unknown(remote), target, watch)
    assert starts(hub) == [None, there, None]  # the second was answered with 416
    assert target.read_bytes() == short.read(0, 5)


def test_all_is_there_already(hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch) -> None:
    part = stop_after(server, unknown(remote), target, 300_000)
    missing = SIZE - part.stat().st_size
    with part.open("ab") as stream:
        stream.write(CONTENT.read(SIZE - missing, missing))
    fetch(server, unknown(remote), target, watch)
    assert (watch.done, watch.fresh) == (SIZE, 0)
    assert starts(hub) == [None, SIZE]  # which was answered with 416
    assert_whole(target)


def test_bytes_without_a_note_of_what_they_are_count_for_nothing(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    target.parent.mkdir()
    target.with_name("x.bin.part").write_bytes(b"something else")
    fetch(server, remote, target, watch)
    assert starts(hub) == [None]
    assert_whole(target)


def test_a_busy_server_is_waited_for(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.refusals = [(429, {"Retry-After": "1"}), (503, {}), (500, {})]
    began = time.monotonic()
    fetch(server, remote, target, watch)
    assert time.monotonic() - began >= 1
    assert watch.said == ["The server asks to wait 1 s."]
    assert_whole(target)


def test_a_server_that_wants_too_long_a_wait_is_not_waited_for(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.refusals = [(429, {"Retry-After": "86400"})]
    with pytest.raises(TransferFailed, match="429"):
        fetch(server, remote, target, watch)


def test_a_server_that_stays_broken_is_given_up(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.refusals = [(503, {})] * 20
    with pytest.raises(TransferFailed, match="503") as caught:
        fetch(server, remote, target, watch)
    assert "kept" in caught.value.action
    assert len(hub.requests) == 6


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_refusal_is_explained_at_once(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch, status: int
) -> None:
    hub.refusals = [(status, {})]
    with pytest.raises(TransferFailed, match=f"refused with {status}"):
        fetch(server, remote, target, watch)
    assert len(hub.requests) == 1
    assert not target.exists()


def test_no_server_at_all(server: Server, target: Path, watch: Watch) -> None:
    with pytest.raises(TransferFailed, match=r"cannot be fetched from 127\.0\.0\.1"):
        fetch(server, RemoteFile("http://127.0.0.1:9/x.bin", "x.bin"), target, watch)


@pytest.mark.parametrize("header", ["content_type", "disposition"])
def test_what_is_no_model_is_refused_before_its_bytes_come(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch, header: str
) -> None:
    setattr(hub, header, {"content_type": "text/html; charset=utf-8", "disposition": 'x; filename="m.ckpt"'}[header])
    with pytest.raises(UnusableFile, match=r"web page|pickle"):
        fetch(server, remote, target, watch)
    assert target.with_name("x.bin.part").stat().st_size == 0


@pytest.mark.parametrize("url", ["http://example.com/x", "ftp://example.com/x", "file:///etc/passwd", "x", ""])
def test_only_https_leaves_this_machine(url: str) -> None:
    with pytest.raises(UnusableFile):
        check_url(url)
    assert check_url("https://example.com/x").host == "example.com"


def test_a_redirect_away_from_https_is_not_followed(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    hub.redirect = "http://192.0.2.1/x"
    with pytest.raises(UnusableFile, match="not be protected"):
        fetch(server, remote, target, watch)


def test_a_token_does_not_follow_a_redirect_to_another_host(
    hub: HubServer, server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    fetch(server, remote, target, watch)
    hub.repositories["a/b"] = {"x": CONTENT}
    hub.redirect = f"{hub.cdn}/cdn/{CONTENT.sha256}"
    fetch(server, remote, target.with_name("y.bin"), watch)
    assert [request.token for request in hub.requests] == ["secret", ""]


def test_the_proxy_of_the_environment_is_used(
    hub: HubServer, remote: RemoteFile, target: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", hub.endpoint)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with make_client() as client:
        server = Server(client, {}, lambda response: UnusableFile("no"), 0.01)
        elsewhere = RemoteFile("http://127.0.0.1:9/files/x.bin", "x.bin", SIZE, HashKind.sha256, CONTENT.sha256)
        fetch(server, elsewhere, target, watch)
    assert [request.host for request in hub.requests] == ["127.0.0.1:9"]
    assert_whole(target)


def test_a_link_in_the_place_of_the_part_is_not_written_through(
    server: Server, remote: RemoteFile, target: Path, tmp_path: Path, watch: Watch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("keep me")
    target.parent.mkdir()
    target.with_name("x.bin.part").symlink_to(victim)
    with pytest.raises(UnusableFile):
        fetch(server, remote, target, watch)
    assert victim.read_text() == "keep me"


@pytest.mark.parametrize(
    "folder",
    ["with space", "Ünïcode 図 😄", "/".join(["a long folder name " * 6] * 4)],
    ids=["space", "unicode", "long"],
)
def test_any_path_does(server: Server, remote: RemoteFile, tmp_path: Path, watch: Watch, folder: str) -> None:
    target = tmp_path / folder / "x.bin"
    assert folder[0] != "a" or len(str(target)) > 400
    stop_after(server, remote, target, 100_000)
    fetch(server, remote, target, watch)
    assert_whole(target)


def test_the_notes_beside_a_part_hold_no_address(
    server: Server, remote: RemoteFile, target: Path, watch: Watch
) -> None:
    part = stop_after(server, unknown(remote), target, 100_000)
    notes = part.with_name("x.bin.part.json").read_text()
    assert "127.0.0.1" not in notes
    assert "secret" not in notes
    assert json.loads(notes)["validator"]

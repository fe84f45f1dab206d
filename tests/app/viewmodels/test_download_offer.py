"""The terms of a download, told before it begins; tokens on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.viewmodels.download_offer import DownloadOffer
from app.viewmodels.downloads import DownloadQueue
from app.viewmodels.tokens import TokenDesk
from tests.app.hub_server import Content, HubServer, safetensors
from tests.app.services.test_tokens import keys  # noqa: F401  # a fixture
from tests.app.viewmodels.model_parts import RTX_4070, Ear, given, make_machine, open_services

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.services.wiring import ModelServices
    from tests.app.services.test_tokens import Memory

SCHNELL = "black-forest-labs/FLUX.1-schnell"


@pytest.fixture
def services(hub: HubServer, home: Path, keys: Memory) -> ModelServices:  # noqa: F811
    for name in (SCHNELL, "maker/free"):
        hub.repositories[name] = {
            "model_index.json": Content(b'{"_class_name": "FluxPipeline"}'),
            "transformer/x.safetensors": safetensors(1000),
        }
    hub.gated = {SCHNELL}
    return open_services(given(home, hub))


@pytest.fixture
def offer(services: ModelServices, hub: HubServer, wait: Callable[..., None]) -> Iterator[DownloadOffer]:
    queue = DownloadQueue(services.downloads)
    made = DownloadOffer(services, queue, probe=lambda: make_machine(RTX_4070))
    yield made
    made.close()
    queue.close()


def test_a_gated_model_of_the_catalog(offer: DownloadOffer, hub: HubServer, wait: Callable[..., None]) -> None:
    offer.ask("flux.1-schnell")
    assert offer.asking
    wait(lambda: offer.terms)
    terms = offer.terms
    assert terms is not None
    assert not offer.asking
    assert (terms.title, terms.licence, terms.files) == ("FLUX.1 [schnell]", "Apache-2.0", 2)
    assert terms.size == sum(content.size for content in hub.repositories[SCHNELL].values())
    assert terms.fits_on_disk
    assert terms.gated
    assert terms.licence_page == f"{hub.endpoint}/{SCHNELL}"  # where it is accepted
    assert not terms.has_token
    assert terms.least is not None
    assert not terms.least.fits
    assert terms.memory == RTX_4070.memory_total
    accepted = Ear(offer.accepted)
    offer.accept()  # the licence is not agreed to
    assert not offer.agreed
    offer.agree(agreed=True)
    offer.accept()
    wait(lambda: accepted.heard == ["flux.1-schnell"])


def test_one_that_is_free_needs_no_agreement(offer: DownloadOffer, wait: Callable[..., None]) -> None:
    accepted = Ear(offer.accepted)
    offer.ask(" maker/free ")
    wait(lambda: offer.terms)
    assert offer.agreed
    assert offer.terms is not None
    assert (offer.terms.licence, offer.terms.needs, offer.terms.gated) == ("test", (), False)
    offer.accept()
    wait(lambda: accepted.heard == ["free"])
    offer.ask("maker/free")
    wait(lambda: offer.terms)
    offer.accept()  # is a model by now, or waits: either is told or set going again
    wait(lambda: offer.refusal is not None or len(accepted.heard) == 2)


def test_a_gated_model_that_is_in_no_catalog(offer: DownloadOffer, hub: HubServer, wait: Callable[..., None]) -> None:
    hub.gated.add("maker/free")
    offer.ask("maker/free")
    wait(lambda: offer.terms)
    assert offer.terms is not None
    assert (offer.terms.gated, offer.agreed) == (True, False)
    assert offer.terms.licence_page == f"{hub.endpoint}/maker/free"


def test_only_the_last_question_counts(offer: DownloadOffer, wait: Callable[..., None]) -> None:
    offer.ask("maker/none")
    offer.ask("maker/free")
    wait(lambda: not offer.asking)
    assert offer.terms is not None
    assert offer.terms.wish == "maker/free"
    assert offer.refusal is None
    offer.forget()
    assert offer.terms is None


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("maker/none", "no token"),
        ("starter", "part of Firstlight"),
        ("nonsense", "There is no model named"),
        ("http://example.com/x.safetensors", "not be protected"),
        ("https://example.com/x.ckpt", "pickle"),
        ("sd-2.1", "not offered"),
    ],
)
def test_what_cannot_be_had_is_told(offer: DownloadOffer, wait: Callable[..., None], wish: str, said: str) -> None:
    offer.ask(wish)
    wait(lambda: offer.refusal)
    assert offer.refusal is not None
    assert offer.terms is None
    if said == "no token":
        said = "There is no maker/none"
    assert said in offer.refusal.failure.message


def test_a_link_has_no_size_before_it_begins(offer: DownloadOffer, hub: HubServer, wait: Callable[..., None]) -> None:
    offer.ask(hub.link("x.safetensors"))
    wait(lambda: offer.terms)
    assert offer.terms is not None
    assert (offer.terms.size, offer.terms.files, offer.terms.licence_page) == (0, 1, "")


def test_a_bad_token_is_told_with_the_page(
    offer: DownloadOffer, services: ModelServices, hub: HubServer, wait: Callable[..., None]
) -> None:
    services.tokens.store(services.hub.host, "wrong")
    offer.ask("flux.1-schnell")
    wait(lambda: offer.refusal)
    assert offer.refusal is not None
    assert (offer.refusal.denial, offer.refusal.page) == ("bad token", f"{hub.endpoint}/settings/tokens")


def test_tokens_are_entered_and_removed(services: ModelServices, keys: Memory, wait: Callable[..., None]) -> None:  # noqa: F811
    desk = TokenDesk(services.tokens, services.hub)
    stored, problems = Ear(desk.stored), Ear(desk.problem)
    desk.look()
    wait(lambda: desk.known is False)
    desk.store("hf_abc")
    wait(lambda: desk.known is True and not desk.busy)
    assert keys.kept == {("firstlight", services.hub.host): "hf_abc"}
    assert desk.page == services.hub.tokens_page
    desk.store("")
    wait(lambda: desk.known is False)
    desk.store("two words")
    wait(lambda: problems.heard)
    assert "two words" not in str(problems.heard)
    assert stored.heard == [services.hub.host] * 2
    desk.look("example.com")
    assert desk.page == "https://example.com"
    desk.close()

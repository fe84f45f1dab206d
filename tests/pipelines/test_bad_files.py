"""After every kind of bad file: words for it, memory back to where it was, and the session still draws."""

from __future__ import annotations

import gc
import logging
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from pipelines import devices, images
from pipelines.errors import FirstlightError, UnusableFile
from pipelines.request import GenerationRequest, LoraChoice
from pipelines.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PAGE, POINTER = b"<!DOCTYPE html><html>login</html>", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n"
VAE = "vae/diffusion_pytorch_model.safetensors"  # of the network that is loaded last


def tensor_bytes() -> int:
    """What all tensors of this process hold. Other types, such as those that an export leaves behind, hold nothing."""
    gc.collect()
    storages = {
        one.untyped_storage().data_ptr(): one.untyped_storage().nbytes()
        for one in gc.get_objects()
        if type(one) in (torch.Tensor, torch.nn.Parameter) and one.device.type == "cpu"
    }
    return sum(storages.values())


class Bench:
    """A session with a model in memory, and what it drew."""

    def __init__(self, session: Session, model: Path, folder: Path) -> None:
        self._session = session
        self._target = images.Target.from_out(folder / "drawn.png")
        self.request = GenerationRequest("a red apple", str(model), 64, 64, 1, 3.5, 7)
        self.before = self.draw(self.request)

    def draw(self, request: GenerationRequest) -> bytes:
        (saved,) = self._session.generate(request, self._target, lambda _event: None)
        with Image.open(saved.path) as image:
            return image.tobytes()

    def refuse(self, request: GenerationRequest) -> FirstlightError:
        """The error without tracebacks, which would hold on to everything that they passed."""
        try:
            self.draw(request)
        except UnusableFile as error:
            return UnusableFile(error.message, error.action)
        raise AssertionError("it was drawn")


@pytest.fixture(scope="module")
def bench(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Session(devices.probe()) as session:
        yield Bench(session, tiny_model, tmp_path_factory.mktemp("drawn"))


@pytest.fixture(autouse=True)
def nothing_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    """pytest keeps what is logged, and with an exception everything that it passed."""
    caplog.set_level(logging.CRITICAL + 1, "pipelines.engine.eager")


def rewrite(file: Path, change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]) -> None:
    save_file(change(load_file(file)), file)


def make_pickle(file: Path) -> None:
    torch.save({}, file.with_suffix(".bin"))
    file.unlink()


SPOILS: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda file: file.write_bytes(file.read_bytes()[:-100]), "incomplete"),
    "empty": (lambda file: file.write_bytes(b""), "empty"),
    "web page": (lambda file: file.write_bytes(PAGE), "web page"),
    "pointer": (lambda file: file.write_bytes(POINTER), "Git LFS pointer"),
    "pickle": (make_pickle, "could run any program"),
    "integers": (lambda file: rewrite(file, lambda all_: {n: t.to(torch.int8) for n, t in all_.items()}), "type I8"),
    # What no header tells, so that the networks before it are in memory already
    "lacking": (lambda file: rewrite(file, lambda all_: dict(list(all_.items())[3:])), "3 tensors are missing"),
    "other sizes": (
        lambda file: rewrite(file, lambda all_: {n: t.repeat(2, *[1] * (t.ndim - 1)) for n, t in all_.items()}),
        "expected shape torch.Size([16]), but got torch.Size([32]).",
    ),
}


@pytest.mark.parametrize("kind", SPOILS)
def test_a_spoilt_model(bench: Bench, model_copy: Path, kind: str) -> None:
    spoil, words = SPOILS[kind]
    spoil(model_copy / VAE)
    held = tensor_bytes()
    error = bench.refuse(replace(bench.request, model=str(model_copy)))
    assert words in error.message
    assert error.action
    assert tensor_bytes() <= held
    assert bench.draw(bench.request) == bench.before
    assert tensor_bytes() == held


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (PAGE, "web page"), (POINTER, "Git LFS pointer"), (b"PK\x03\x04data.pkl", "pickle"),
     (b"GGUF\x03\0\0\0" + b"\xff" * 16, "incomplete"), (b"x" * 99, "no safetensors file")],
    ids=["empty", "page", "pointer", "pickle", "gguf", "other"],
)  # fmt: skip
def test_a_bad_single_file(bench: Bench, tmp_path: Path, content: bytes, words: str) -> None:
    held = tensor_bytes()
    file = tmp_path / "model.safetensors"
    file.write_bytes(content)
    assert words in bench.refuse(replace(bench.request, model=str(file))).message
    assert tensor_bytes() == held
    assert bench.draw(bench.request) == bench.before


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        ({"lora_unet_down_blocks_0_attn.lora_down.weight": torch.ones(4, 32),
          "lora_unet_down_blocks_0_attn.lora_up.weight": torch.ones(32, 4)}, "looks like one for Stable Diffusion"),
        ({"transformer.transformer_blocks.0.attn.to_q.lora_A.weight": torch.ones(4, 3072),
          "transformer.transformer_blocks.0.attn.to_q.lora_B.weight": torch.ones(3072, 4)}, "another size"),
        ({"transformer.transformer_blocks.0.attn.to_q.lora_A.weight": torch.ones(4, 32, dtype=torch.int8),
          "transformer.transformer_blocks.0.attn.to_q.lora_B.weight": torch.ones(32, 4, dtype=torch.int8)}, "type I8"),
    ],
    ids=["another family", "another size", "integers"],
)  # fmt: skip
def test_a_bad_lora(bench: Bench, tmp_path: Path, tensors: dict[str, torch.Tensor], words: str) -> None:
    held = tensor_bytes()
    save_file(tensors, tmp_path / "lora.safetensors")
    error = bench.refuse(replace(bench.request, loras=(LoraChoice(tmp_path / "lora.safetensors"),)))
    assert words in error.message
    assert tensor_bytes() == held
    assert bench.draw(bench.request) == bench.before


@pytest.mark.parametrize(
    ("which", "content"), [("image", b""), ("image", PAGE), ("image", b"\x89PNG\r\n\x1a\n"), ("mask_image", b"x" * 99)]
)
def test_a_bad_picture(bench: Bench, tmp_path: Path, which: str, content: bytes) -> None:
    held = tensor_bytes()
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    Image.new("RGB", (64, 64)).save(good)
    bad.write_bytes(content)
    pictures = {"image": good, "mask_image": good} | {which: bad}
    assert (
        str(bad)
        in bench.refuse(replace(bench.request, image=pictures["image"], mask_image=pictures["mask_image"])).message
    )
    assert tensor_bytes() == held
    assert bench.draw(bench.request) == bench.before


def test_the_process_gives_back_what_a_half_loaded_model_held(bench: Bench, model_copy: Path) -> None:
    """With a T5 of 96 MB in fp32, and a VAE after it that does not fit: four times, as the system counts memory."""
    from transformers import T5Config, T5EncoderModel

    config = T5Config(vocab_size=4000, d_model=32, d_kv=32, d_ff=250_000, num_layers=1, num_heads=1)
    shutil.rmtree(model_copy / "text_encoder_2")
    T5EncoderModel(config).half().save_pretrained(model_copy / "text_encoder_2")
    SPOILS["lacking"][0](model_copy / VAE)
    request = replace(bench.request, model=str(model_copy))
    process = psutil.Process(os.getpid())
    for _ in range(3):  # libraries load what they need for good, and each thread's allocator keeps a little: 90 MB
        bench.refuse(request)
    gc.collect()
    held = process.memory_info().rss
    for _ in range(3):
        assert "missing" in bench.refuse(request).message
    gc.collect()
    assert process.memory_info().rss - held < 48 * 2**20
    assert bench.draw(bench.request) == bench.before

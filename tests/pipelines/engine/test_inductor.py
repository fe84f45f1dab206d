"""PyTorch's compiler under the policy, on the CPU: what is compiled, when, and what is kept. Needs a C++ compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import save_file

from pipelines import devices
from pipelines.engine import compiling
from pipelines.engine.adaptive import Threaded
from pipelines.engine.base import Places, Plan
from pipelines.engine.cache import ASIDE
from pipelines.engine.compiling import Build, compile_kinds, pack, unpack
from pipelines.engine.eager import EagerLoader
from pipelines.engine.forms import make_form
from pipelines.engine.inductor import InductorComponent, InductorLoader
from pipelines.engine.inductor_mechanics import InductorMechanics
from pipelines.engine.inductor_regions import Kind, Regions, find_compiled
from pipelines.errors import EngineFailure
from pipelines.events import CacheRead, Kernels, KernelsChanged
from pipelines.families import FLUX
from pipelines.request import Backend, LoraChoice, Precision
from pipelines.weights import find_components

if TYPE_CHECKING:
    from torch import Tensor

    from pipelines.engine.base import Component
    from tests.conftest import Recorder

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="PyTorch compiles for the CPU with g++")
# The compiler's own use of Python's C API for tuples of code objects, and of its own deprecated settings
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*")


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes stay on generic kernels: making others takes half a minute, and is not what the test is about."""

    def refuse(*arguments: object) -> None:
        raise EngineFailure("Nothing is compiled in this test.", "")

    monkeypatch.setattr(InductorMechanics, "specialise", refuse)


def flux_inputs(patches: int = 16, seed: int = 0) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {
        "hidden_states": torch.randn(1, patches, 64, generator=generator),
        "timestep": torch.tensor([0.5]),
        "guidance": torch.tensor([3.5]),
        "pooled_projections": torch.randn(1, 32, generator=generator),
        "encoder_hidden_states": torch.randn(1, 16, 32, generator=generator),
        "txt_ids": torch.zeros(16, 3),
        "img_ids": torch.arange(patches).unsqueeze(1).repeat(1, 3) // 4,
    }


def load(model: Path, events: Recorder, places: Places | None = None, name: str = "transformer") -> Component:
    spec = next(one for one in find_components(model, FLUX.networks) if one.name == name)
    loader = InductorLoader(devices.probe(), places, EagerLoader())
    return loader.load(spec, Plan(Backend.inductor, Precision.fp32, "cpu", "a test"), events)


def load_plain(model: Path, events: Recorder) -> Any:
    spec = next(one for one in find_components(model, FLUX.networks) if one.name == "transformer")
    return EagerLoader().load(spec, Plan(Backend.eager, Precision.fp32, "cpu", "a test"), events)


def live(component: Component, events: Recorder, inputs: dict[str, Tensor]) -> None:
    end = time.monotonic() + 240
    while time.monotonic() < end:
        component(inputs)
        last = events.of(KernelsChanged)[-1]
        if last.kernels is Kernels.specialised or last.reason:
            assert not last.reason, last.reason
            return
        time.sleep(0.05)
    raise AssertionError("never specialised")


def test_networks_without_repeated_blocks_stay_as_they_are(tiny_model: Path, events: Recorder) -> None:
    assert not isinstance(load(tiny_model, events, name="vae"), InductorComponent)


def test_blocks_are_found_watched_and_called_in_another_way(tiny_model: Path, events: Recorder) -> None:
    plain = load_plain(tiny_model, events)
    expected = plain(flux_inputs())["sample"]
    blocks = find_compiled(plain.module)
    assert {type(block).__name__ for block in blocks} == {"FluxTransformerBlock", "FluxSingleTransformerBlock"}
    regions = Regions(plain.module)
    with regions.watch() as kinds:
        assert torch.equal(plain(flux_inputs())["sample"], expected)
        plain(flux_inputs())
    assert len(kinds) == 2  # one of each kind, however often they are called
    assert {name for kind in kinds for name in kind.names} == regions.names()
    called: list[str] = []
    names = {name: block for name, block in plain.module.named_modules() if block in blocks}

    def spy(name: str, forward: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            called.append(name)
            return forward(*args, **kwargs)

        return call

    with regions.call_instead({name: spy(name, block.forward) for name, block in names.items()}):
        assert torch.equal(plain(flux_inputs())["sample"], expected)
    assert set(called) == regions.names()
    called.clear()
    plain(flux_inputs())
    assert not called  # and afterwards as before


@pytest.mark.parametrize("batch", [1, 2])
def test_forms_give_what_the_blocks_give_and_share_their_weights(
    tiny_model: Path, events: Recorder, batch: int
) -> None:
    plain = load_plain(tiny_model, events)
    inputs = {
        name: tensor if name.endswith("_ids") else tensor.repeat_interleave(batch, 0)
        for name, tensor in flux_inputs().items()
    }
    regions = Regions(plain.module)
    forms = {name: make_form(block) for name, block in plain.module.named_modules() if name in regions.names()}
    assert {type(form).__name__ for form in forms.values()} == {"FluxDouble", "FluxSingle"}
    for factor in (1.0, 0.5):
        for block in find_compiled(plain.module):
            for weight in block.parameters():
                weight.mul_(factor)
        expected = plain(inputs)["sample"]
        with regions.call_instead({name: partial(form.__call__) for name, form in forms.items()}):
            torch.testing.assert_close(plain(inputs)["sample"], expected, atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('no such kernel')", "The compiler failed: no such kernel."),
        ("import os; os._exit(9)", "The compiler failed: code 9."),
        ("pass", "The compiler failed: code 0."),
    ],
)
def test_a_compiler_that_fails_says_why_and_leaves_nothing(
    tiny_model: Path, events: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, words: str
) -> None:
    monkeypatch.setattr(compiling, "_CODE", code)
    with pytest.raises(EngineFailure) as caught:
        compile_kinds(watch(tiny_model, events), "cpu", tmp_path, threading.Event())
    assert caught.value.message == words
    assert not list(tmp_path.iterdir())


def test_compilers_that_nobody_waits_for_are_ended(
    tiny_model: Path, events: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each says that it is there, and then would sleep for longer than any test
    code = "import sys, time; open(sys.argv[1] + '/log.txt', 'a').write('here'); time.sleep(900)"
    monkeypatch.setattr(compiling, "_CODE", code)
    kinds, stop = watch(tiny_model, events), threading.Event()

    def make(_: threading.Event) -> None:
        compile_kinds(kinds, "cpu", tmp_path, stop)

    work = Threaded(make, "kernels")
    end = time.monotonic() + 60
    while not (logs := [file for file in tmp_path.glob("*/log.txt") if file.stat().st_size]):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert logs
    stop.set()
    work.join(30)
    outcome = work.poll()
    assert outcome is not None
    assert "Nobody waits" in outcome.failure
    assert not list(tmp_path.iterdir())


def test_what_is_no_build_is_turned_down(tmp_path: Path) -> None:
    with pytest.raises(EngineFailure, match="PyTorch turns it down"):
        compiling.load(b"no artefact of PyTorch", tmp_path, "name")
    assert not list(tmp_path.iterdir())


def watch(model: Path, events: Recorder) -> list[Kind]:
    plain = load_plain(model, events)
    with Regions(plain.module).watch() as kinds:
        plain(flux_inputs())
    return kinds


def test_builds_are_packed_and_unpacked(tmp_path: Path) -> None:
    builds = {"one": [Build(b"a", ("x", "y"), "spec"), Build(b"", ("z",), "other")], "two": []}
    assert unpack(pack(builds)) == builds
    for damage in (b"", b"no archive", pack(builds)[:-9]):
        with pytest.raises((zipfile.BadZipFile, ValueError, KeyError, TypeError)):
            unpack(damage)


@pytest.mark.usefixtures("uncompiled")
def test_loras_are_merged_and_taken_out_bit_for_bit(tiny_model: Path, events: Recorder, tmp_path: Path) -> None:
    component, plain = load(tiny_model, events), load_plain(tiny_model, events)
    assert isinstance(component, InductorComponent)
    base = component(flux_inputs())["sample"]
    layer = "transformer.transformer_blocks.0.attn.to_q"
    tensors = {f"{layer}.lora_A.weight": torch.randn(4, 32), f"{layer}.lora_B.weight": torch.randn(32, 4)}
    save_file(tensors, tmp_path / "lora.safetensors")
    for _ in range(10):
        choices = [LoraChoice(tmp_path / "lora.safetensors", 0.5)]
        component.set_loras(choices)
        plain.set_loras(choices)
        given, expected = component(flux_inputs())["sample"], plain(flux_inputs())["sample"]
        torch.testing.assert_close(given, expected, atol=1e-4, rtol=1e-3)
        assert not torch.allclose(given, base, atol=1e-3)
    component.set_loras([])
    assert torch.equal(component(flux_inputs())["sample"], base)


@pytest.mark.slow
@needs_compiler
def test_a_shape_is_compiled_in_the_background_swapped_in_and_kept(
    tiny_model: Path, events: Recorder, tmp_path: Path
) -> None:
    places = Places(tmp_path / "engines", tmp_path / "kernels")
    component = load(tiny_model, events, places)
    assert isinstance(component, InductorComponent)
    expected = component(flux_inputs())["sample"]
    live(component, events, flux_inputs())
    torch.testing.assert_close(component(flux_inputs())["sample"], expected, atol=1e-4, rtol=1e-3)
    states = [event.kernels for event in events.of(KernelsChanged)]
    assert list(dict.fromkeys(states)) == [Kernels.generic, Kernels.specialising, Kernels.specialised]
    assert component(flux_inputs(24))["sample"].shape == (1, 24, 64)  # another size runs at once
    component.close()
    (file,) = places.kernels.glob("*.cache")
    assert file.stat().st_size > 1000
    code = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from pathlib import Path
from pipelines.engine.base import Places
from pipelines.events import CacheRead, KernelsChanged
from tests.conftest import Recorder
from tests.pipelines.engine.test_inductor import flux_inputs, live, load
events = Recorder()
component = load(Path({str(tiny_model)!r}), events, Places(Path('x'), Path({str(places.kernels)!r})))
before = time.monotonic()
first = component(flux_inputs())["sample"]
print(time.monotonic() - before)
assert events.of(CacheRead)[0].hit, events.events
assert [event.kernels.value for event in events.of(KernelsChanged)] == ["specialised"], events.events
import torch
from torch._dynamo.utils import counters
assert not counters["stats"] and not counters["inductor"]["fxgraph_cache_miss"], counters  # nothing is compiled again
torch.save(first, {str(tmp_path / "first.pt")!r})
"""
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": os.environ["TORCHINDUCTOR_CACHE_DIR"]}  # its C++ stays built
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    torch.testing.assert_close(torch.load(tmp_path / "first.pt"), expected, atol=1e-4, rtol=1e-3)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("damage", [b"", b"no artefacts of PyTorch" * 9])
def test_artefacts_that_pytorch_turns_down_are_set_aside(
    tiny_model: Path, events: Recorder, tmp_path: Path, damage: bytes
) -> None:
    places = Places(tmp_path / "engines", tmp_path / "kernels")
    component = load(tiny_model, events, places)
    assert isinstance(component, InductorComponent)
    keeper: Any = component._mechanics._keeper  # pyright: ignore[reportPrivateUsage]
    component(flux_inputs())
    shape = component.statistics().shapes[0].shape
    assert keeper.keep(shape, damage)
    component.close()
    events.events.clear()
    again = load(tiny_model, events, places)
    told = events.of(CacheRead)
    again(flux_inputs())
    if damage:
        assert not told[0].hit
        assert "PyTorch turns it down" in told[0].reason
        assert (places.kernels / ASIDE).is_dir()

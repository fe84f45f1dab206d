"""What all tests share: a tiny FLUX.1 pipeline of random weights, and the option for slow tests."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before PyTorch: threads that spin slow a busy machine down
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

import resources

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from pipelines.events import Event

T = TypeVar("T")
_KERNELS_PATIENCE = 240.0  # seconds

try:
    import PySide6.QtWidgets as _  # noqa: F401

    NO_WIDGETS = ""
except ImportError as error:  # a bare Linux lacks libEGL and the like
    NO_WIDGETS = (
        f"no window can be opened here: {error}; on Debian: apt-get install libegl1 libfontconfig1 libxkbcommon0"
    )

pytest_plugins = () if NO_WIDGETS else ("pytestqt.plugin",)

_VAE_CONFIG = {
    "down_block_types": ["DownEncoderBlock2D"] * 4,
    "up_block_types": ["UpDecoderBlock2D"] * 4,
    "block_out_channels": [8, 8, 16, 16],
    "layers_per_block": 1,
    "latent_channels": 16,
    "norm_num_groups": 4,
    "scaling_factor": 0.8,
    "shift_factor": 0.1,
    "use_quant_conv": False,
    "use_post_quant_conv": False,
}
_OWN_SETTINGS = {
    "width": 64,
    "height": 64,
    "steps": 2,
    "guidance_scale": 3.5,
    "min_pixels": 64 * 64,
    "max_pixels": 128 * 128,
    "max_side": 256,
    "max_sequence_length": 16,
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    if NO_WIDGETS:
        for name in ("qt_api", "qt_log_level_fail", "qt_log_ignore"):  # pyproject.toml has them for pytest-qt
            parser.addini(name, "for pytest-qt, which is not loaded")


def pytest_configure(config: pytest.Config) -> None:
    if NO_WIDGETS:
        for name in ("no_qt_log", "qt_log_level_fail", "qt_no_exception_capture"):
            config.addinivalue_line("markers", f"{name}: for pytest-qt, which is not loaded")
    # diffusers 0.42's older schedulers make arrays of tensors in a way that NumPy 2 announces the end of.
    for message, module in (
        ("__array__ implementation doesn't accept a copy keyword", "diffusers.schedulers"),
        ("__array_wrap__ must accept context and return_scalar", "diffusers.schedulers"),
        ("__array_wrap__ must accept context and return_scalar", "numpy._core.fromnumeric"),
    ):
        config.addinivalue_line("filterwarnings", f"ignore:{message}:DeprecationWarning:{module}")


class _NoWidgets(pytest.Module):
    """Tests of the window on a system that has none: skipped, with the reason."""

    def collect(self) -> NoReturn:
        pytest.skip(NO_WIDGETS)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    if NO_WIDGETS and not {"views", "window"}.isdisjoint(module_path.parts):
        return cast("pytest.Module", _NoWidgets.from_parent(parent, path=module_path))
    return None


if NO_WIDGETS:

    @pytest.fixture
    def qtbot() -> NoReturn:
        """Tests outside the window's folders that need one."""
        pytest.skip(NO_WIDGETS)

    @pytest.fixture
    def qapp() -> NoReturn:
        pytest.skip(NO_WIDGETS)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test logged or printed crosses from one process to another as UTF-8, which has no lone surrogates."""
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # The longest first: where files are spread over processes, no other waits for it in the end.
    items.sort(key=lambda item: item.path.name != "test_starter_model.py")
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow") is not None:
                item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.fixture(autouse=True)
def kernels_end_with_the_test() -> Iterator[None]:
    """PyTorch compiles and exports with state of the whole process: a thread that still compiles breaks later tests."""
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("kernels "):  # pipelines.engine.adaptive.Threaded
            thread.join(_KERNELS_PATIENCE)
            assert not thread.is_alive(), f"the thread of {thread.name} does not end"


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A diffusers folder in FLUX.1's true layout, with the starter model's tokenizers; do not change it."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    make_tiny_model(folder)
    return folder


@pytest.fixture
def model_copy(tiny_model: Path, tmp_path: Path) -> Path:
    """A tiny model to damage."""
    return Path(shutil.copytree(tiny_model, tmp_path / "model"))


@pytest.fixture
def events() -> Recorder:
    return Recorder()


class Recorder:
    """A report that keeps what it is told, and can cancel."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.on_event: Callable[[Event], None] | None = None

    def __call__(self, event: Event, /) -> None:
        self.events.append(event)
        if self.on_event is not None:
            self.on_event(event)

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]


def make_tiny_model(folder: Path) -> None:
    """Write it: one block of each kind, one head of 32, in two files for the transformer."""
    import torch
    from diffusers.models.autoencoders.autoencoder_kl import AutoencoderKL
    from diffusers.models.transformers.transformer_flux import FluxTransformer2DModel
    from diffusers.schedulers.scheduling_flow_match_euler_discrete import FlowMatchEulerDiscreteScheduler
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer, T5Config, T5EncoderModel

    starter = resources.folder() / "starter"
    for tokenizer in ("tokenizer", "tokenizer_2"):
        shutil.copytree(starter / tokenizer, folder / tokenizer)
    clip_tokenizer = CLIPTokenizer.from_pretrained(str(folder / "tokenizer"), local_files_only=True)
    torch.manual_seed(0)
    CLIPTextModel(
        CLIPTextConfig(
            vocab_size=len(clip_tokenizer),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=1,
            bos_token_id=clip_tokenizer.bos_token_id,
            eos_token_id=clip_tokenizer.eos_token_id,
        )
    ).half().save_pretrained(folder / "text_encoder")
    T5EncoderModel(
        T5Config(vocab_size=4000, d_model=32, d_kv=32, d_ff=32, num_layers=1, num_heads=1)
    ).half().save_pretrained(folder / "text_encoder_2")
    FluxTransformer2DModel(
        in_channels=64,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=32,
        num_attention_heads=1,
        joint_attention_dim=32,
        pooled_projection_dim=32,
        guidance_embeds=True,
        axes_dims_rope=(8, 12, 12),
    ).half().save_pretrained(folder / "transformer", max_shard_size="80KB")
    vae = cast("AutoencoderKL", AutoencoderKL.from_config(_VAE_CONFIG))
    vae.half().save_pretrained(folder / "vae")
    FlowMatchEulerDiscreteScheduler(shift=3.0, use_dynamic_shifting=True).save_pretrained(folder / "scheduler")
    (folder / "model_index.json").write_text(json.dumps(_model_index()), encoding="utf-8")
    (folder / "starter.json").write_text(json.dumps(_OWN_SETTINGS), encoding="utf-8")


def _model_index() -> dict[str, object]:
    return {
        "_class_name": "FluxPipeline",
        "_diffusers_version": "0.42.1",
        "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"],
        "text_encoder": ["transformers", "CLIPTextModel"],
        "text_encoder_2": ["transformers", "T5EncoderModel"],
        "tokenizer": ["transformers", "CLIPTokenizer"],
        "tokenizer_2": ["transformers", "T5TokenizerFast"],
        "transformer": ["diffusers", "FluxTransformer2DModel"],
        "vae": ["diffusers", "AutoencoderKL"],
    }

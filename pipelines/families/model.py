"""What all families share on diffusers' pipelines: denoise the latents of one picture, decode them.

Importing this loads PyTorch and diffusers.
"""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import torch
from torch import Tensor

from pipelines.catalog import read_json
from pipelines.errors import UnusableFile
from pipelines.events import Progress, Report, Stage
from pipelines.families import FAMILIES, Picture, clip_vocabulary, schedulers
from pipelines.families.standins import NotFinite, StandIn, read_config
from pipelines.previews import Previews

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import ModuleType

    from PIL import Image

    from pipelines.catalog import Entry
    from pipelines.engine.base import Component
    from pipelines.families import Files
    from pipelines.families.control import Control
    from pipelines.families.standins import Vae
    from pipelines.framing import Start
    from pipelines.previews import Scheduler
    from pipelines.request import GenerationRequest
    from pipelines.sizes import RenderSize

Conditioning = dict[str, Tensor | list[Tensor]]  # encoded prompts, by the names of the pipelines' arguments
_VOCABULARIES = ("tokenizer.json", "vocab.json")  # of a tokenizer's folder
_BLACK = -0.999  # colours run from -1


@dataclass(frozen=True, slots=True)
class Pass:
    """One way through the denoiser: a picture of `seed` and `size`, from noise or from `start`.

    It stops after the share `end` of the steps. A refiner goes on from there, with the other's `latents` and what its
    scheduler is configured with.
    """

    seed: int
    size: RenderSize
    start: Start | None = None
    controls: tuple[Control, ...] = ()
    end: float = 1.0
    latents: Tensor | None = None
    scheduler: Mapping[str, object] | None = None


class Tokenizer(Protocol):
    """What is used of transformers' tokenizers."""

    def __call__(self, text: str, **options: object) -> Mapping[str, list[int]]:
        """Token numbers as `input_ids`."""
        ...


class _TokenizerClass(Protocol):
    def from_pretrained(self, folder: str, *, local_files_only: bool) -> Tokenizer: ...


class _Processor(Protocol):
    def postprocess(self, image: Tensor, output_type: str) -> list[Image.Image]: ...


class Pipeline(Protocol):
    """What is used of diffusers' pipelines, with types."""

    image_processor: _Processor
    num_timesteps: int
    scheduler: Any

    def __call__(self, **arguments: object) -> tuple[Tensor]:
        """Latents, with `output_type` "latent"."""
        ...

    def set_progress_bar_config(self, *, disable: bool) -> None:
        """Say nothing on the terminal."""
        ...


class Model:
    """One checkpoint, ready to draw. `components` are its networks by name; they run on `device`.

    With `previews`, `Preview` events are reported while it denoises. `files` are its configuration and tokenizers.

    Raises:
        UnusableFile: a tokenizer, the scheduler or a configuration cannot be loaded.
    """

    family: ClassVar[str]
    # What stands in for each network, and the network's class where the pipelines ask for its configuration
    stand_ins: ClassVar[dict[str, tuple[type[StandIn], type[torch.nn.Module] | None]]]
    tokenizer_classes: ClassVar[dict[str, str]] = {"tokenizer": "CLIPTokenizer"}
    # The pipelines: from the prompt alone, from a start picture, and with a mask too
    kinds: tuple[type, type, type]

    def __init__(
        self, entry: Entry, files: Files, components: Mapping[str, Component], device: str, *, previews: bool = False
    ) -> None:
        self.entry = entry
        self.device = torch.device(device)
        self.index = read_json(files.folder / "model_index.json")
        self.parts = {
            name: kind(components[name], read_config(network, files.folder / name) if network else {}, device)
            for name, (kind, network) in self.stand_ins.items()
        }
        self.scheduler_config = read_json(files.folder / "scheduler" / "scheduler_config.json")
        self.tokenizers = {
            name: load_tokenizer(kind, files.tokenizer(name)) for name, kind in self.tokenizer_classes.items()
        }
        self._previews = Previews(self._decode) if previews else None

    def replace(self, name: str, component: Component) -> None:
        """Let another component do the work of the network `name`."""
        self.parts[name].component = component

    def tile_vae(self, side: int) -> None:
        """Let the VAE work in tiles of `side` pixels; 0: on whole pictures."""
        cast("Vae", self.parts["vae"]).tile = side

    def encode(self, request: GenerationRequest) -> Conditioning:
        """Encode the prompt, and the negative prompt where there is one."""
        raise NotImplementedError

    def count_tokens(self, prompt: str) -> int:
        """How many tokens the prompt is for an encoder that reads a limited number; 0 where any number is read."""
        return len(list(self.tokenizers.values())[-1](prompt)["input_ids"])

    def extras(self) -> dict[str, object]:
        """What the pipelines' constructors want beside networks and scheduler."""
        return dict(self.tokenizers)

    def arguments(self, request: GenerationRequest, size: RenderSize, start: Start | None) -> dict[str, object]:
        """What this family's pipelines want beside the common arguments; the same names replace those."""
        return {}

    def spread(self, latents: Tensor, size: RenderSize) -> Tensor:
        """Latents as the denoiser has them to (1, channels, height / 8, width / 8)."""
        return latents

    def look(self, pipeline: Pipeline, latents: Tensor, size: RenderSize, step: int) -> tuple[Tensor, Scheduler]:
        """What `Previews.step` wants, after step number `step` from 0."""
        return self.spread(latents, size), pipeline.scheduler

    def choose_kind(self, work: Pass) -> type:
        """The pipeline for what the pass begins with, and for its ControlNets."""
        kinds = _control().KINDS[self.family] if work.controls else self.kinds
        if work.latents is not None:
            return kinds[1]
        if work.start is None:
            return kinds[0]
        return kinds[1] if work.start.mask is None else kinds[2]

    def denoise(self, request: GenerationRequest, conditioning: Conditioning, work: Pass, report: Report) -> Tensor:
        """Draw the latents of one picture, as the denoiser has them.

        Raises:
            NotFinite: the denoiser overflowed, or the VAE with the start picture.
            Cancelled: from `report`, which is called after each step.
        """
        kind, size, start = self.choose_kind(work), work.size, work.start
        arguments: dict[str, object] = {
            "height": size.height,
            "width": size.width,
            "num_inference_steps": request.num_inference_steps,
            "guidance_scale": request.guidance_scale,
            # On the CPU, and fp32 as the whole pipeline is: a seed means the same noise on every device.
            "generator": torch.Generator("cpu").manual_seed(work.seed),
            "output_type": "latent",
            "return_dict": False,
            "callback_on_step_end": self._reporter(size, report),
            **conditioning,
        }
        if start is not None:
            arguments |= {"image": start.picture, "strength": _at_least_a_step(request)}
            if start.mask is not None:
                arguments["mask_image"] = start.mask
        if work.controls:
            arguments |= _control().arguments(work)
        if work.latents is not None:
            arguments |= {"image": work.latents, "denoising_start": work.end}
        elif work.end < 1:
            arguments["denoising_end"] = work.end
        arguments |= self.arguments(request, size, start)
        accepted = inspect.signature(kind.__call__).parameters
        latents = self._pipeline_for(kind, request, work)(
            **{name: value for name, value in arguments.items() if name in accepted}
        )[0]
        if not bool(torch.isfinite(latents).all()):
            raise NotFinite(FAMILIES[self.family].denoiser)
        return latents

    def decode(self, latents: Tensor, size: RenderSize) -> Image.Image:
        """Turn latents into the picture that was drawn, `size.width` x `size.height`.

        Raises:
            NotFinite: the VAE overflowed.
        """
        spread = self.spread(latents, size)
        sample = self._decode(spread)
        if not bool(torch.isfinite(sample).all()) or float(sample.max()) <= _BLACK:
            raise NotFinite("vae")
        if self._previews is not None:
            self._previews.learn(spread, sample)
        pipeline = self.pipeline(self.kinds[0], schedulers.DEFAULT)
        return pipeline.image_processor.postprocess(sample, output_type="pil")[0]

    def pipeline(self, kind: type, scheduler: str) -> Pipeline:
        """A pipeline over the same networks; making one costs about a millisecond."""
        return self._make_pipeline(kind, scheduler, self.scheduler_config)

    def _pipeline_for(self, kind: type, request: GenerationRequest, work: Pass) -> Pipeline:
        config = self.scheduler_config
        if work.scheduler is not None:  # the same steps, and what this network was trained to predict
            config = {**work.scheduler, "prediction_type": config.get("prediction_type", "epsilon")}
        more = {"controlnet": _control().ControlNets([one.network for one in work.controls])} if work.controls else {}
        return self._make_pipeline(kind, request.scheduler, config, **more)

    def _make_pipeline(self, kind: type, scheduler: str, config: Mapping[str, object], **more: object) -> Pipeline:
        made = kind(scheduler=schedulers.build(scheduler, config, self.family), **self.parts, **self.extras(), **more)
        pipeline = cast("Pipeline", made)
        pipeline.set_progress_bar_config(disable=True)
        return pipeline

    def _decode(self, latents: Tensor) -> Tensor:
        """Latents (1, channels, height / 8, width / 8) to colours (1, 3, height, width) in -1 … 1."""
        vae = cast("Vae", self.parts["vae"])
        scaling, shift = vae.number("scaling_factor"), vae.number("shift_factor")
        with torch.no_grad():
            return vae.sample(latents / scaling + shift)

    def _reporter(
        self, size: RenderSize, report: Report
    ) -> Callable[[Pipeline, int, object, dict[str, Any]], dict[str, Any]]:
        """diffusers' step callback that reports and, through the report, cancels."""
        previews = self._previews
        if previews is not None:
            previews.begin()

        def on_step_end(pipeline: Pipeline, step: int, timestep: object, tensors: dict[str, Any]) -> dict[str, Any]:
            report(Progress(Stage.denoising, step + 1, pipeline.num_timesteps))
            if previews is not None:
                preview = previews.step(*self.look(pipeline, tensors["latents"], size, step))
                if preview is not None:
                    report(preview)
            return tensors

        return on_step_end


def _control() -> ModuleType:
    """Loading it takes a quarter of a second, which most pictures need not wait."""
    return importlib.import_module("pipelines.families.control")


def _at_least_a_step(request: GenerationRequest) -> float:
    """The strength, but never so little that no step is left: some of diffusers' pipelines fail then."""
    least = (1 + 1e-6) / request.num_inference_steps  # they round down
    return min(1.0, max(request.strength, least))


def what_a_picture_is(entry: Entry) -> Picture:
    """What a start picture is to the model."""
    return FAMILIES[entry.family].pictures.get(entry.model_class, Picture.start)


def load_tokenizer(class_name: str, folder: Path) -> Tokenizer:
    """A tokenizer of transformers.

    Raises:
        UnusableFile: it is missing or damaged.
    """
    if not folder.is_dir():
        raise UnusableFile(f"The folder {str(folder)!r} is missing.", "Get the model again.")
    if class_name == "CLIPTokenizer" and not any((folder / name).is_file() for name in _VOCABULARIES):
        return clip_vocabulary.make(folder)
    kind = cast("_TokenizerClass", getattr(importlib.import_module("transformers"), class_name))
    try:
        return kind.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:  # the tokenizers library raises plain Exception for a damaged file
        raise UnusableFile(f"The tokenizer in {str(folder)!r} cannot be loaded.", "Get the model again.") from error

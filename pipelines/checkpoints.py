"""Models in a single file, as A1111, ComfyUI and Black Forest Labs lay them out, in safetensors or GGUF.

Reads headers only.

Configuration and tokenizers of the known models ship in `resources/configs`, a folder for each row of the catalog, so
nothing is fetched. What a file lacks (a FLUX.1 file is often the transformer alone) is taken from beside it: from a
diffusers folder of the same family, or from single files in the folders that ComfyUI has for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import resources
from pipelines import gguf_header, recognition, weights
from pipelines.catalog import read_json
from pipelines.engine.base import ComponentSpec
from pipelines.errors import UnusableFile
from pipelines.recognition import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pipelines.catalog import Entry
    from pipelines.weights import TensorInfo

SUFFIXES = (".safetensors", ".gguf")  # of the files that models are read from
TEXT_PREFIXES = ("cond_stage_model.transformer.", "cond_stage_model.model.")
_PREFIXES = {
    "unet": (recognition.UNET,),
    "transformer": (recognition.UNET, ""),
    "vae": ("first_stage_model.", "vae."),
    "text_encoder": (*TEXT_PREFIXES, "conditioner.embedders.0.transformer.", "text_encoders.clip_l.transformer."),
    "text_encoder_2": (
        "conditioner.embedders.1.model.",
        "conditioner.embedders.0.model.",
        "text_encoders.t5xxl.transformer.",
    ),
}
CONTROLNET = "controlnet"  # its name as a network
_DENOISERS = ("unet", "transformer")
_NEAR = ("vae", "text_encoders", "clip")  # ComfyUI's folders, beside the one that the file is in


@dataclass(frozen=True, slots=True)
class OriginalSpec(ComponentSpec):
    """A network in an original layout: those tensors of its one file whose names begin with `prefix`."""

    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Companion:
    """What lies beside a checkpoint: diffusers folders, and single networks by their kind."""

    folders: tuple[Path, ...]
    files: tuple[Path, ...]


def configs(row: str) -> Path:
    """The folder with the configuration of a known model."""
    return resources.folder() / "configs" / row


def read_header(file: Path) -> dict[str, TensorInfo]:
    """The tensors of a single file, after every check that needs no tensor's value.

    Raises:
        UnusableFile: see `weights.read_header` and `gguf_header.read`.
    """
    if gguf_header.is_gguf(file):
        return gguf_header.read(file).tensors
    return weights.read_header(file)


def check_types(file: Path, header: Mapping[str, TensorInfo]) -> None:
    """Refuse weights of a type that cannot be read; of a GGUF file, `read_header` did.

    Raises:
        UnusableFile: there are such.
    """
    if not gguf_header.is_gguf(file):
        weights.check_types(file, header)


def find_entry(file: Path, entries: tuple[Entry, ...]) -> Entry:
    """The row of the catalog that a single file is of, with the file as its place.

    Raises:
        UnusableFile: it is damaged, no model, or of a family that this version cannot draw with.
    """
    header = read_header(file)
    name = recognition.find_row(header, file.stem)
    row = next((entry for entry in entries if entry.name == name), None)
    if row is None:
        raise _not_a_model(file, header)
    return replace(
        row,
        name=file.name,
        title=f"{file.stem} ({row.title})",
        location=file,
        licence="see the model's page",
        licence_page="",
        repository="",
        source=str(file),
        layout=name,
    )


def find_components(file: Path, expected: Mapping[str, tuple[str, str]]) -> tuple[ComponentSpec, ...]:
    """The networks of a single file, in the order of `expected`, which maps a name to (library, class).

    Raises:
        UnusableFile: a network is neither in it nor beside it.
    """
    header = read_header(file)
    row = recognition.find_row(header, file.stem)
    if not row:
        raise _not_a_model(file, header)
    check_types(file, header)
    found: dict[str, ComponentSpec] = {}
    for name, (library, class_name) in expected.items():
        prefix = next((one for one in _PREFIXES[name] if _has(header, one, name)), None)
        if prefix is not None:
            own = {key: tensor for key, tensor in header.items() if key.startswith(prefix)}
            count = weights.count_parameters(own)
            found[name] = OriginalSpec(name, library, class_name, configs(row) / name, (file,), count, prefix=prefix)
    missing = [name for name in expected if name not in found]
    if missing:
        beside = _look_beside(file)
        for name in missing:
            found[name] = _borrow(file, name, expected[name], configs(row) / name, beside)
    return tuple(found[name] for name in expected)


def t5_tokenizer() -> Path:
    """The folder of T5's tokenizer, which is the same for all of FLUX.1 and in no single file."""
    return configs("t5") / "tokenizer_2"


def find_controlnet(file: Path) -> OriginalSpec:
    """The network of a ControlNet's file. Its configuration is beside it, or that of the UNet that it is a copy of.

    Raises:
        UnusableFile: it is damaged, no ControlNet, or of a kind that this version cannot run.
    """
    header = weights.read_header(file)
    other = recognition.name_other_controlnet(header)
    if other or recognition.classify(header)[0] is not Kind.controlnet:
        raise UnusableFile(f"The file {str(file)!r} is {other or 'no ControlNet'}.", "Use another ControlNet.")
    weights.check_types(file, header)
    config = file.parent
    if not (config / "config.json").is_file():
        row = recognition.find_control_row(header)
        if not row:
            raise UnusableFile(
                f"The ControlNet {str(file)!r} is of a kind that its file alone does not tell.",
                "Put the config.json of its page beside it, or use another ControlNet.",
            )
        config = configs(row) / "unet"
    prefix = recognition.CONTROL if _has(header, recognition.CONTROL, CONTROLNET) else ""
    count = weights.count_parameters(header)
    return OriginalSpec(CONTROLNET, "diffusers", "ControlNetModel", config, (file,), count, prefix=prefix)


def _has(header: Mapping[str, TensorInfo], prefix: str, name: str) -> bool:
    if name in _DENOISERS and not prefix:
        return recognition.classify(header)[0] in (Kind.network, Kind.checkpoint)
    return any(key.startswith(prefix) for key in header)


def _borrow(file: Path, name: str, expected: tuple[str, str], config: Path, beside: Companion) -> ComponentSpec:
    """A network from beside the file."""
    library, class_name = expected
    for folder in beside.folders:
        if read_json(folder / "model_index.json").get(name) == [library, class_name] and (folder / name).is_dir():
            return weights.find_components(folder, {name: expected})[0]
    for other in beside.files:
        header = read_header(other)
        if _is_that(header, class_name):
            check_types(other, header)
            count = weights.count_parameters(header)
            return OriginalSpec(name, library, class_name, config, (other,), count, prefix="")
    raise UnusableFile(
        f"The file {str(file)!r} holds no {name.replace('_', ' ')}, and there is none beside it.",
        "Put a diffusers folder of the same family beside it, or the network's own file into the folder "
        f"{'vae' if name == 'vae' else 'text_encoders'} beside the file's folder.",
    )


def _is_that(header: Mapping[str, TensorInfo], class_name: str) -> bool:
    """Whether a network's own file is that of FLUX.1: of Stable Diffusion every checkpoint holds all of them."""
    if class_name == "T5EncoderModel":
        return any(name in header for name in recognition.T5_NAMES)
    if class_name == "CLIPTextModel":
        token = header.get("text_model.embeddings.token_embedding.weight")
        return token is not None and token.shape[-1] == 768
    latent = header.get("decoder.conv_in.weight")
    return class_name == "AutoencoderKL" and latent is not None and latent.shape[1:2] == (16,)


def _look_beside(file: Path) -> Companion:
    """Folders and files that may complete it, the nearest first; links are not followed."""
    places = (file.parent, file.parent.parent)
    folders = [one for place in places for one in _folders(place) if (one / "model_index.json").is_file()]
    near = [file.parent, *(file.parent.parent / name for name in _NEAR)]
    files = [one for place in near if place.is_dir() for one in _model_files(place) if one != file]
    return Companion(tuple(folders), tuple(one for one in files if _is_whole(one)))


def _model_files(place: Path) -> list[Path]:
    return sorted(one for one in place.iterdir() if one.suffix.casefold() in SUFFIXES and one.is_file())


def _folders(place: Path) -> Iterator[Path]:
    try:
        yield from sorted(one for one in place.iterdir() if one.is_dir() and not one.is_symlink())
    except OSError:
        return


def _is_whole(file: Path) -> bool:
    try:
        read_header(file)
    except UnusableFile:
        return False
    return True


def _not_a_model(file: Path, header: Mapping[str, TensorInfo]) -> UnusableFile:
    kind, _ = recognition.classify(header)
    other = recognition.name_other(header)
    if kind is Kind.controlnet:
        return UnusableFile(
            f"The file {str(file)!r} is a ControlNet and no model.", "Use it with --control, beside a model."
        )
    if kind is Kind.lora:
        return UnusableFile(f"The file {str(file)!r} is a LoRA and no model.", "Use it with --lora, beside a model.")
    if other:
        return UnusableFile(
            f"The file {str(file)!r} is a model of {other}, which this version cannot run.", "Use another model."
        )
    what = "no model that is known" if kind is Kind.unknown else f"a {kind.value} alone and no whole model"
    return UnusableFile(
        f"The file {str(file)!r} is {what}.", "Pass a checkpoint of FLUX.1 or Stable Diffusion, or a diffusers folder."
    )

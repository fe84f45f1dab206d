"""What the command line is told in its own words, in those of the window. Other languages have the window's words."""

from __future__ import annotations

_ENGINE = "Set the engine to {} in the settings"
_PRECISION = "Set the precision to {} in the settings."
_TOKEN = "store it on the Models page, under Add models"

WINDOW_WORDS = {
    "Accept it at {0}, make a token at {1}, and store it with 'firstlight models token'.": (
        f"Accept it at {{0}}, make a token at {{1}}, and {_TOKEN}."
    ),
    "Check the name; a private model needs a token ('firstlight models token').": (
        "Check the name; a private model needs a token."
    ),
    "Choose another file or folder with --out.": "Choose another file or folder.",
    "Delete it for good instead (--permanently on the command line).": "Delete it for good instead.",
    "Files that are here are added, not downloaded ('firstlight models add').": (
        "Files that are here are added, not downloaded."
    ),
    "Free some space there, or choose another place with --out.": "Free some space there, or choose another folder.",
    "Get a token on its pages and store it with 'firstlight models token {0}'.": (
        f"Get a token on its pages and {_TOKEN} ({{0}})."
    ),
    "Get it with 'firstlight models download {0}', or pass the path of its diffusers folder.": (
        "Get it on the Models page ({0}), or add its diffusers folder there."
    ),
    "Give a file or a folder with --out.": "Choose a file or a folder.",
    "Give both, with --image and --mask, or use another model.": "Choose both, or use another model.",
    "Give it another name (--name).": "Give it another name.",
    "Give the mask with --mask.": "Choose a mask.",
    "Give the picture with --image.": "Choose a start picture.",
    "If you have its files, add them ('firstlight models add').": "If you have its files, add them on the Models page.",
    "Leave --precision out.": _PRECISION.format("automatic"),
    "Make a new one at {0} and store it with 'firstlight models token'.": f"Make a new one at {{0}} and {_TOKEN}.",
    "Remove it first, or give another name (--name).": "Remove it first, or give another name.",
    "Report this with 'firstlight doctor'.": "Save a report on the Settings page and send it to us.",
    "Take it out and store it with 'firstlight models token {0}'.": f"Take it out and {_TOKEN} ({{0}}).",
    "Use --backend auto or eager.": f"{_ENGINE.format('automatic or PyTorch')}.",
    "Use --backend auto.": f"{_ENGINE.format('automatic')}.",
    "Use --backend eager, and report it.": f"{_ENGINE.format('PyTorch')}, and report it.",
    "Use --backend eager.": f"{_ENGINE.format('PyTorch')}.",
    "Use --backend eager; the log has the details.": f"{_ENGINE.format('PyTorch')}; the log has the details.",
    "Use --precision auto, bf16, fp16 or fp8.": _PRECISION.format("automatic, bf16, fp16 or fp8"),
    "Use --precision auto, int8 or int4.": _PRECISION.format("automatic, int8 or int4"),
    "Use --precision auto.": _PRECISION.format("automatic"),
    "Use --precision bf16 or fp16.": _PRECISION.format("bf16 or fp16"),
    "Use --precision bf16, fp16 or fp8.": _PRECISION.format("bf16, fp16 or fp8"),
    "Use --precision bf16.": _PRECISION.format("bf16"),
    "Use --precision fp16.": _PRECISION.format("fp16"),
    "Use --precision fp32 or bf16.": _PRECISION.format("fp32 or bf16"),
    "Use it with --control, beside a model.": "Use it as a ControlNet, beside a model.",
    "Use it with --lora, beside a model.": "Use it as a LoRA, beside a model.",
    "Use the model without one: --backend eager.": f"{_ENGINE.format('PyTorch')}, which needs none.",
}

"""`python -m resources.starter.train`: make the starter model from nothing, or go on where a run stopped."""

from __future__ import annotations

import argparse
import logging
import os
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).parent
STARTER = HERE.parent
STAGES = ("pack", "tokenizers", "vae", "decoder", "flow", "guide", "export", "gallery")
log = logging.getLogger("starter.train")


def main() -> None:
    """Run the stages that are asked for, as far as the time given reaches."""
    args = _arguments()
    first = os.environ.get("RANK", "0") == "0"
    logging.basicConfig(
        level=logging.INFO if first else logging.WARNING, format="%(asctime)s %(message)s", datefmt="%H:%M:%S"
    )
    args.work.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + args.run_seconds
    pictures = args.work / "pack"
    if "pack" in args.stages and not (args.pack or args.work / "pack.tar").exists():
        from resources.starter.train import pack

        pack.build(args.work / "packages", args.work / "pack.tar")
    if not pictures.exists():
        with tarfile.open(args.pack or args.work / "pack.tar") as archive:
            archive.extractall(pictures, filter="data")
    if "tokenizers" in args.stages and not (STARTER / "tokenizer").exists():
        from resources.starter.train import tokenizers
        from resources.starter.train.compose import load_sprites

        tokenizers.train(load_sprites(pictures)[0], STARTER)
    if set(args.stages) & {"vae", "decoder", "flow", "guide", "export"}:
        from resources.starter.train.run import Run

        Run(args, STARTER, pictures, deadline).stages()
    if "gallery" in args.stages and first:
        from resources.starter.train import gallery

        gallery.build(pictures, STARTER.parents[1] / "tests" / "starter" / "gallery.npz")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m resources.starter.train", description=__doc__)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    parser.add_argument("--work", type=Path, default=Path("build/starter"), help="checkpoints and pictures")
    parser.add_argument("--pack", type=Path, help="a pack.tar that exists already")
    parser.add_argument(
        "--start", type=Path, help="an exported model whose weights to go on from, such as the shipped one"
    )
    parser.add_argument("--out", type=Path, default=STARTER, help="where export writes the model")
    parser.add_argument(
        "--vgg", type=Path, help="the VGG tensors as safetensors, where stlpips-pytorch is not installed"
    )
    parser.add_argument(
        "--run-seconds", type=float, default=float("inf"), help="stop this run after so long, resumably"
    )
    parser.add_argument("--vae-seconds", type=float, default=270)
    parser.add_argument("--decoder-seconds", type=float, default=600)
    parser.add_argument("--no-compile", action="store_true", help="train without torch.compile")
    parser.add_argument("--small-seconds", type=float, default=360, help="flow at 64 tokens")
    parser.add_argument("--large-seconds", type=float, default=600, help="flow at 256 and 576 tokens")
    parser.add_argument("--guide-seconds", type=float, default=150)
    parser.add_argument("--fill-seconds", type=float, default=8, help="for the first scenes of a stage")
    parser.add_argument("--workers", type=int, default=8, help="processes that draw scenes and captions")
    parser.add_argument("--seed", type=int, default=0, help="of the scenes; give each run that resumes its own")
    return parser.parse_args()


if __name__ == "__main__":
    main()

from __future__ import annotations

from pathlib import Path

import pytest

from app.argument_values import parse_control, parse_lora, parse_refiner
from app.arguments import make_parser
from pipelines.errors import InvalidRequest
from pipelines.request import Backend, ControlChoice, HiresFix, LoraChoice, Outpaint, Precision


def test_what_is_left_out_is_left_open() -> None:
    args = make_parser().parse_args(["generate", "a cat"])
    assert (args.prompt, args.seed, args.count, args.upscale) == ("a cat", -1, 1, 1)
    assert args.model is args.size is args.steps is args.guidance is args.out is args.image is args.mask is None
    assert (args.backend, args.precision, args.json) == (Backend.auto, Precision.auto, False)


def test_everything_that_can_be_asked_for() -> None:
    line = (
        "generate cat --negative dog --model m --size 512x256 --steps 4 --guidance 2.5 --count 3 "
        "--scheduler s --seed 18446744073709551615 --lora a.safetensors --lora b.safetensors:-0.5 --json "
        "--image i.png --strength 0.4 --mask k.png --upscale 4 --backend eager --precision bf16 --out o.png "
        "--safety-check"
    )
    args = make_parser().parse_args(line.split())
    assert (args.size, args.steps, args.guidance, args.seed) == ((512, 256), 4, 2.5, 2**64 - 1)
    assert args.lora == [LoraChoice(Path("a.safetensors")), LoraChoice(Path("b.safetensors"), -0.5)]
    assert (args.image, args.mask, args.strength, args.upscale) == (Path("i.png"), Path("k.png"), 0.4, 4)
    assert args.safety_check
    assert not make_parser().parse_args(["generate", "cat"]).safety_check
    assert (args.backend, args.precision, args.out, args.json) == (
        Backend.eager,
        Precision.bf16,
        "o.png",
        True,
    )


@pytest.mark.parametrize("prompt", ["-apple", "--json", "-1", "-h"])
def test_a_prompt_may_begin_with_a_dash_after_two(prompt: str) -> None:
    args = make_parser().parse_args(["generate", "--seed", "-1", "--", prompt])
    assert (args.prompt, args.seed, args.json) == (prompt, -1, False)


def test_a_negative_prompt_may_begin_with_a_dash() -> None:
    assert make_parser().parse_args(["generate", "x", "--negative=-blurry"]).negative == "-blurry"


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("style.safetensors", LoraChoice(Path("style.safetensors"))),
        ("style.safetensors:0.8", LoraChoice(Path("style.safetensors"), 0.8)),
        (r"C:\loras\style.safetensors", LoraChoice(Path(r"C:\loras\style.safetensors"))),
        (r"C:\loras\style.safetensors:1", LoraChoice(Path(r"C:\loras\style.safetensors"), 1.0)),
        ("a:b.safetensors:-2.5e-1", LoraChoice(Path("a:b.safetensors"), -0.25)),
        ("UPPER.SafeTensors:2", LoraChoice(Path("UPPER.SafeTensors"), 2.0)),
        ("pickle.ckpt", LoraChoice(Path("pickle.ckpt"))),  # refused later, with the reason
    ],
)
def test_lora_file_and_weight(text: str, choice: LoraChoice) -> None:
    assert parse_lora(text) == choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("canny:a.png", ControlChoice("canny", Path("a.png"))),
        ("c.safetensors:a.png:0.5", ControlChoice("c.safetensors", Path("a.png"), 0.5)),
        ("c:/nets/c:/home/a.png:1:0:0.75", ControlChoice("c:/nets/c", Path("/home/a.png"), 1.0, 0.0, 0.75)),
        (r"C:\n\c.safetensors:D:\a b.png:2:.1", ControlChoice(r"C:\n\c.safetensors", Path(r"D:\a b.png"), 2.0, 0.1)),
    ],
)
def test_a_control_is_a_model_a_picture_and_numbers(text: str, choice: ControlChoice) -> None:
    assert parse_control(text) == choice


@pytest.mark.parametrize(
    ("text", "refiner"),
    [
        ("refiner", ("refiner", 0.8)),
        ("refiner:0.7", ("refiner", 0.7)),
        (r"C:\refiner", (r"C:\refiner", 0.8)),
        ("C:/refiner.safetensors:1", ("C:/refiner.safetensors", 1.0)),
    ],
)
def test_a_refiner_is_a_model_and_where_it_begins(text: str, refiner: tuple[str, float]) -> None:
    assert parse_refiner(text) == refiner


def test_margins_and_second_passes() -> None:
    args = make_parser().parse_args(["generate", "x", "--outpaint", "0,16,256,0", "--hires", "1.5:0.4:12"])
    assert args.outpaint == Outpaint(0, 16, 256, 0)
    assert args.hires == HiresFix(1.5, 0.4, 12)
    assert make_parser().parse_args(["generate", "x", "--hires", "2"]).hires == HiresFix(2.0)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["generate", "x", "--outpaint", "64"], "margins '64' are not understood"),
        (["generate", "x", "--outpaint", "0,0,9999,0"], "margin of 9999 is not possible"),
        (["generate", "x", "--hires", "5"], "hires scale of 5.0 is not possible"),
        (["generate", "x", "--hires", "2:much"], "hires strength 'much' is not a number"),
        (["generate", "x", "--control", "canny"], "control 'canny' is not understood"),
        (["generate", "x", "--control", "c:a.png:0.5:0.9:0.1"], "control start of 0.9 is not possible"),
        (["generate", "x", "--steps", "many"], "number of steps 'many' is not a whole number"),
        (["generate", "x", "--steps", "2.5"], "not a whole number"),
        (["generate", "x", "--seed", "9" * 5000], "not a whole number"),  # beyond int()'s own limit
        (["generate", "x", "--guidance", "strong"], "guidance 'strong' is not a number"),
        (["generate", "x", "--size", "big"], "size 'big' is not understood"),
        (["generate", "x", "--size", "0x0"], "0x0 is not possible"),
        (["generate", "x", "--size", "256"], "not understood"),
        (["generate", "x", "--size", "99999x64"], "64 to 4096"),
        (["generate", "x", "--lora", "s.safetensors:much"], "LoRA weight 'much'"),
        (["generate", "x", "--image", ""], "file name ''"),
        (["generate", "x", "--backend", "cuda"], "backend 'cuda'"),
        (["generate", "x", "--precision", "int3"], "precision 'int3'"),
        (["generate", "x", "--prec", "fp16"], "unrecognized arguments: --prec"),
        (["generate"], "PROMPT"),
        (["generate", "x", "y"], "unrecognized arguments: y"),
        (["generate", "-apple"], "after --"),
        (["generate", "x", "--negative", "-ugly"], "--option=-text"),
        (["models"], "ACTION"),
        (["paint"], "invalid choice: 'paint'"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(line: list[str], words: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        make_parser().parse_args(line)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 400
    assert caught.value.action


def test_help_is_ascii_so_that_every_console_can_show_it() -> None:
    parser = make_parser()
    with pytest.raises(SystemExit):
        parser.parse_args(["--help"])
    assert parser.format_help().isascii()


def test_help_of_generate_is_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser().parse_args(["generate", "--help"])
    text = capsys.readouterr().out
    assert text.isascii()
    assert "--negative" in text

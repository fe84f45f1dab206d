"""The training code's parts whose right answer is known, and a whole run in miniature."""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image

from resources.starter.train import architecture, compose, feed, flow, muon, start, state, vae
from resources.starter.train.concepts import HUES, PALETTE, STYLES, held_out, load_concepts
from resources.starter.train.scenes import Ground, Placed, Scene, SceneSampler

if TYPE_CHECKING:
    from resources.starter.train.concepts import Concept

# autocast runs diffusers' RMSNorm in bf16 with fp32 weights: slower, as torch says, but meant
pytestmark = pytest.mark.filterwarnings("ignore:Mismatch dtype between input and weight")
STARTER = Path(architecture.__file__).parents[1]


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of six things: discs of one colour in the middle of a transparent square."""
    folder = tmp_path_factory.mktemp("pack")
    names = ("apple", "kiwi fruit", "grapes", "red heart", "trophy", "drum")
    colours = ((220, 30, 30), (90, 200, 60), (120, 60, 200), (230, 20, 60), (240, 200, 40), (60, 120, 230))
    yy, xx = np.mgrid[:256, :256] - 127.5
    disc = (np.hypot(yy, xx) < 100).astype(np.uint8) * 255
    for style in STYLES:
        (folder / style).mkdir()
        for number, colour in enumerate(colours):
            rgba = np.dstack([*(np.full((256, 256), c, np.uint8) for c in colour), disc])
            Image.fromarray(rgba).save(folder / style / f"1f0{number:02x}.webp", lossless=True)
    rows = [
        {
            "k": f"1f0{n:02x}",
            "label": name,
            "group": "food-drink",
            "sub": "food-fruit",
            "tags": ["shared"],
            "kw": [f"word{n}"],
        }
        for n, name in enumerate(names)
    ]
    (folder / "captions.json").write_text(json.dumps(rows))
    return folder


@pytest.fixture(scope="module")
def loaded(pack: Path) -> tuple[list[Concept], torch.Tensor]:
    return compose.load_sprites(pack)


def test_concepts_have_their_label_their_own_keywords_and_their_hue(
    loaded: tuple[list[Concept], torch.Tensor], pack: Path
) -> None:
    concepts, sprites = loaded
    assert concepts[0].names == ("apple", "word0")  # "shared" names six things, so it names none
    assert concepts[3].noun == "heart"
    assert [round(c.hue or 0) % 360 for c in concepts[:2]] == [0, 107]
    assert sprites.shape == (18, 4, 256, 256)
    assert load_concepts(pack)[0].hue is None


def test_one_pair_in_twenty_is_held_out_and_order_does_not_matter() -> None:
    keys = [f"{n:x}" for n in range(2000)]
    share = np.mean([held_out("background", k, c) for k in keys for c in PALETTE])
    assert share == pytest.approx(0.05, abs=0.005)
    assert all(held_out("pair", a, b) == held_out("pair", b, a) for a, b in itertools.pairwise(keys))


def test_no_scene_shows_a_held_out_pair(loaded: tuple[list[Concept], torch.Tensor]) -> None:
    concepts, _ = loaded
    sampler = SceneSampler(concepts, seed=3)
    grounds = set[Ground]()
    for _ in range(3000):
        scene = sampler.sample(1.0)
        grounds.add(scene.ground)
        things = [concepts[placed.sprite // len(STYLES)] for placed in scene.objects]
        if scene.ground is Ground.plain:
            colour = min(
                PALETTE, key=lambda n: sum((a - b / 255) ** 2 for a, b in zip(scene.first, PALETTE[n], strict=True))
            )
            assert colour in scene.caption
            assert not any(held_out("background", thing.key, colour) for thing in things)
    assert grounds == set(Ground)


def test_scenes_stay_on_their_canvas_and_say_how_many(loaded: tuple[list[Concept], torch.Tensor]) -> None:
    sampler = SceneSampler(loaded[0], seed=4)
    for aspect in (1.0, 16.0, 1 / 16, 2.0):
        for _ in range(300):
            scene = sampler.sample(aspect)
            for placed in scene.objects:
                half_x, half_y = placed.size / 2 / max(aspect, 1), placed.size / 2 / max(1 / aspect, 1)
                assert -0.06 < placed.x - half_x < placed.x + half_x < 1.06
                assert -0.06 < placed.y - half_y < placed.y + half_y < 1.06
            for word, count in (("two ", 2), ("three ", 3), ("four ", 4)):
                if word in scene.caption:
                    assert len(scene.objects) == count


def test_same_seed_same_scenes(loaded: tuple[list[Concept], torch.Tensor]) -> None:
    one, two = (SceneSampler(loaded[0], seed=9) for _ in range(2))
    assert [one.sample(1.0) for _ in range(20)] == [two.sample(1.0) for _ in range(20)]


def test_painting_puts_colours_where_they_belong(loaded: tuple[list[Concept], torch.Tensor]) -> None:
    blue = (0.0, 0.0, 1.0)
    scene = Scene("", Ground.plain, blue, blue, [Placed(0, 0.25, 0.5, 0.5)])
    turned = Scene("", Ground.plain, blue, blue, [Placed(0, 0.25, 0.5, 0.5, hue_shift=120.0)])
    painted = compose.Painter(loaded[1], "cpu").paint(compose.SceneBatch.pack([scene, turned]), 64, 128)
    assert painted.shape == (2, 3, 64, 128)
    corner, centre = painted[0, :, 2, 120], painted[0, :, 32, 32]
    assert torch.allclose(corner, torch.tensor([-1.0, -1.0, 1.0]), atol=1e-3)
    assert torch.allclose((centre + 1) * 127.5, torch.tensor([220.0, 30.0, 30.0]), atol=2)
    assert torch.allclose((painted[1, :, 32, 32] + 1) * 127.5, torch.tensor([30.0, 220.0, 30.0]), atol=2)
    assert bool((painted[0, 0, :, 64:] < -0.9).all())  # nothing red on the right half


@pytest.mark.parametrize("degrees", sorted(HUES.values()))
def test_turning_a_hue_is_hsv_rotation(degrees: int) -> None:
    import colorsys

    colours = [tuple(random.Random(n).random() for _ in range(3)) for n in range(50)]
    pictures = torch.tensor(colours)[:, :, None, None]
    turned = compose.turn_hue(pictures, torch.full((50,), float(degrees)))[:, :, 0, 0]
    for before, after in zip(colours, turned.tolist(), strict=True):
        h, s, v = colorsys.rgb_to_hsv(*before)
        assert after == pytest.approx(colorsys.hsv_to_rgb((h + degrees / 360) % 1, s, v), abs=1e-4)


def test_caption_ids_are_what_the_pipeline_makes_of_a_prompt() -> None:
    pipeline = architecture.pipeline(STARTER)
    pipeline.text_encoder_2.eval()  # T5 trains with dropout
    text = "A RED Apple, on a Blue background — élan 😄"
    clip, t5 = feed.CaptionIds(STARTER)([text])
    with torch.no_grad():
        embeds, pooled, _ = pipeline.encode_prompt(text, text, max_sequence_length=architecture.TEXT_LENGTH)
        for ours, theirs in (
            (pipeline.text_encoder(clip).pooler_output, pooled),
            (pipeline.text_encoder_2(t5)[0], embeds),
        ):
            assert torch.equal(torch.as_tensor(ours), torch.as_tensor(theirs))


def test_tokenizers_fold_case_and_know_every_letter() -> None:
    ids = feed.CaptionIds(STARTER)
    assert all(torch.equal(a, b) for a, b in zip(ids(["a RED apple"]), ids(["a red apple"]), strict=True))
    unknown = 2
    assert unknown not in ids(["the quick brown fox jumps over the lazy dog"])[1]


def test_noise_levels_are_shifted_as_the_pipeline_shifts_them() -> None:
    from diffusers.pipelines.flux.pipeline_flux import calculate_shift

    torch.manual_seed(0)
    for tokens in (64, 256, 576):
        mu = calculate_shift(tokens, 256, 4096, 0.5, 1.15)
        median = flow.sample_sigmas(20001, tokens, torch.device("cpu")).median().item()
        assert median == pytest.approx(math.exp(mu) / (math.exp(mu) + 1), abs=0.01)


def test_muon_makes_updates_orthogonal_and_of_adamws_size() -> None:
    torch.manual_seed(0)
    for shape in ((3, 64, 256), (2, 256, 64)):
        values = torch.linalg.svdvals(muon.orthogonalize(torch.randn(shape)))
        assert 0.3 < values.min() < values.max() < 1.4
    parameter = torch.nn.Parameter(torch.zeros(128, 32))
    optimizer = muon.Muon([parameter], lr=0.01)
    parameter.grad = torch.randn(128, 32)
    optimizer.step()
    # 0.2 x sqrt(128) x an orthogonal 128x32 matrix, whose root mean square is 1 / sqrt(128)
    assert parameter.square().mean().sqrt().item() == pytest.approx(0.01 * 0.2, rel=0.3)


def test_rates_rise_hold_and_end_at_zero() -> None:
    assert state.warm_then_linear(0.0, 0) < 0.01
    assert state.warm_then_linear(0.3, 1000) == 1.0
    assert state.warm_then_linear(0.75, 1000) == pytest.approx(0.5)
    assert state.warm_then_linear(1.0, 1000) == 0.0


def test_guidance_target_of_the_teacher_is_classifier_free_guidance(loaded: tuple[list[Concept], torch.Tensor]) -> None:
    """A student equal to the teacher errs by exactly what guidance adds, so with guidance 1 by nothing."""
    trainer = _trainer(Path("nowhere"))
    teacher = trainer.average.twin
    assert isinstance(teacher, flow.Networks)
    ids = feed.CaptionIds(STARTER)(["a drum", "an apple"])
    batch = flow.Batch(feed.Canvas(2, 2, 1.0), torch.randn(2, 4, 64), *ids)
    torch.manual_seed(1)
    assert flow._guidance_loss(trainer, teacher, batch).item() > 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow, "GUIDANCE_RANGE", (1.0, 1.0))
        assert flow._guidance_loss(trainer, teacher, batch).item() < 1e-6


def _trainer(folder: Path) -> flow.Trainer:
    torch.manual_seed(0)
    return flow.Trainer(folder, STARTER, torch.device("cpu"), compiled=False)


def test_a_run_in_miniature_resumes_and_exports(pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All stages that train, a second each, twice; then on from the export. The numbers mean nothing, the path does."""
    from resources.starter.train.__main__ import main

    monkeypatch.setattr(feed, "CHUNK", 4)
    monkeypatch.setattr(flow, "CHUNK", 4)
    monkeypatch.setattr(vae, "CANVASES", (feed.Canvas(9, 9, 1.0),))
    for name in ("SMALL_CANVASES", "LARGE_CANVASES"):
        monkeypatch.setattr(flow, name, (feed.Canvas(2, 2, 0.5), feed.Canvas(1, 4, 0.5)))
    monkeypatch.setattr("resources.starter.train.run.TOKENS_A_STEP", 32)
    monkeypatch.setattr("resources.starter.train.vae.vgg_weights", lambda path: _random_vgg())
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "pack").symlink_to(pack)
    seconds = [f"--{stage}-seconds=1" for stage in ("vae", "decoder", "small", "large", "guide", "fill")]
    common = ["train", f"--work={tmp_path / 'work'}", f"--out={tmp_path / 'model'}", "--workers=0", *seconds]
    stages = ["--stages", "vae", "decoder", "flow", "guide", "export"]
    monkeypatch.setattr("sys.argv", [*common, *stages])
    main()
    trained = torch.load(tmp_path / "work" / "flow.pt", weights_only=True)
    assert set(trained["spent"]) == {"small", "large", "guide"}
    main()  # everything is done: this loads the checkpoints and exports again
    assert torch.load(tmp_path / "work" / "flow.pt", weights_only=True)["step"] == trained["step"]

    from diffusers.pipelines.flux.pipeline_flux import FluxPipeline

    pipeline = FluxPipeline.from_pretrained(tmp_path / "model", dtype=torch.float32)
    weight = "transformer_blocks.0.attn.to_q.weight"
    exported = pipeline.transformer.state_dict()[weight]
    assert torch.allclose(exported, trained["average"][f"transformer.{weight}"], rtol=2e-3, atol=1e-3)
    start.unpack(tmp_path / "model", tmp_path / "next", STARTER)
    again = torch.load(tmp_path / "next" / "flow.pt", weights_only=True)["networks"]
    for name in (f"transformer.{weight}", "text_encoder_2.encoder.embed_tokens.weight"):
        assert torch.allclose(again[name], trained["average"][name], rtol=2e-3, atol=1e-3)


def _random_vgg() -> dict[str, torch.Tensor]:
    widths = {"1.0": (64, 3), "1.2": (64, 64), "2.6": (128, 64), "2.8": (128, 128)}
    widths |= {"3.12": (256, 128), "3.14": (256, 256), "3.16": (256, 256)}
    weights = {"scaling_layer.shift": torch.zeros(1, 3, 1, 1), "scaling_layer.scale": torch.ones(1, 3, 1, 1)}
    for place, (out, into) in widths.items():
        weights[f"net.slice{place}.weight"] = torch.randn(out, into, 3, 3) * 0.05
        weights[f"net.slice{place}.bias"] = torch.zeros(out)
    for place, width in (("2.5", 64), ("3.11", 128)):
        weights[f"net.slice{place}.filt"] = torch.full((width, 1, 3, 3), 1 / 9)
    return weights

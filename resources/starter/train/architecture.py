"""The starter model's networks: FLUX.1's layout at toy size, 19.3 M parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from diffusers import AutoencoderKL, FluxPipeline, FluxTransformer2DModel
    from transformers import CLIPTextModel, CLIPTokenizer, T5EncoderModel, T5Tokenizer

TEXT_LENGTH = 32  # T5 tokens; FluxPipeline uses no mask, so the app must pad to the length of training
CLIP_LENGTH = 77
LATENT_CHANNELS = 16
VAE_FACTOR = 8
PATCH = 2
_TEXT_WIDTH, _POOLED_WIDTH = 256, 128


def transformer() -> FluxTransformer2DModel:
    """3 double and 6 single blocks of width 256, distilled guidance."""
    from diffusers import FluxTransformer2DModel

    return FluxTransformer2DModel(
        patch_size=1,
        in_channels=LATENT_CHANNELS * PATCH * PATCH,
        num_layers=3,
        num_single_layers=6,
        attention_head_dim=64,
        num_attention_heads=4,
        joint_attention_dim=_TEXT_WIDTH,
        pooled_projection_dim=_POOLED_WIDTH,
        guidance_embeds=True,
        axes_dims_rope=(8, 28, 28),
    )


def vae() -> AutoencoderKL:
    """FLUX.1's VAE layout: 16 latent channels, factor 8, no quant convolutions."""
    from diffusers import AutoencoderKL

    channels = (32, 64, 96, 96)
    return AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * len(channels),
        up_block_types=("UpDecoderBlock2D",) * len(channels),
        block_out_channels=channels,
        layers_per_block=1,
        latent_channels=LATENT_CHANNELS,
        norm_num_groups=16,
        sample_size=256,
        scaling_factor=1.0,
        shift_factor=0.0,
        use_quant_conv=False,
        use_post_quant_conv=False,
        force_upcast=False,
    )


def text_encoders(tokenizer: CLIPTokenizer, tokenizer_2: T5Tokenizer) -> tuple[CLIPTextModel, T5EncoderModel]:
    """A small CLIP for the pooled vector, a small T5 for the sequence."""
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

    clip = CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=_POOLED_WIDTH,
        intermediate_size=4 * _POOLED_WIDTH,
        projection_dim=_POOLED_WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=CLIP_LENGTH,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    t5 = T5Config(
        vocab_size=len(tokenizer_2),
        d_model=_TEXT_WIDTH,
        d_kv=64,
        d_ff=2 * _TEXT_WIDTH,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
        is_encoder_decoder=False,
        use_cache=False,
        tie_word_embeddings=False,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    return CLIPTextModel(clip), T5EncoderModel(t5)


def pipeline(tokenizers: Path) -> FluxPipeline:
    """The whole model with random weights; `tokenizers` holds the folders `tokenizer` and `tokenizer_2`."""
    from diffusers import FlowMatchEulerDiscreteScheduler, FluxPipeline
    from transformers import CLIPTokenizer, T5Tokenizer

    tokenizer = CLIPTokenizer.from_pretrained(tokenizers / "tokenizer")
    tokenizer_2 = T5Tokenizer.from_pretrained(tokenizers / "tokenizer_2")
    text_encoder, text_encoder_2 = text_encoders(tokenizer, tokenizer_2)
    # FLUX.1-dev's values: a picture of 256x256 lies exactly on base_image_seq_len.
    scheduler = FlowMatchEulerDiscreteScheduler(
        shift=3.0,
        use_dynamic_shifting=True,
        base_shift=0.5,
        max_shift=1.15,
        base_image_seq_len=256,
        max_image_seq_len=4096,
    )
    return FluxPipeline(
        scheduler=scheduler,
        vae=vae(),
        text_encoder=text_encoder,
        tokenizer=tokenizer,
        text_encoder_2=text_encoder_2,
        tokenizer_2=tokenizer_2,
        transformer=transformer(),
    )

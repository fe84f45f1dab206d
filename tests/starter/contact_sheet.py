"""`python -m tests.starter.contact_sheet` draws the README's sheet anew. The n-th prompt has seed n; none is picked."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from tests.starter.artist import Artist

OUT = Path(__file__).parents[2] / "resources" / "starter" / "contact_sheet.png"
COLUMNS, SIDE = 6, 192  # tiles, pixels
PROMPTS = (
    "a red apple on a blue background",
    "a cat on grass under a blue sky",
    "3d render of a rocket in the night sky with stars",
    "two tropical fish on a turquoise background",
    "an octopus on the beach",
    "cartoon of a penguin in the snow",
    "a sunflower on a pink and white polka dot background",
    "three mushrooms on a green background",
    "a blue apple on a beige background",
    "flat icon of a bicycle on a yellow background",
    "a castle on grass under a blue sky, cartoon",
    "smiling face with sunglasses on a light blue background",
    "a banana to the left of a strawberry on a white background",
    "a small butterfly on a purple background",
    "a dog",
    "an astronaut in the night sky with stars",
    "a hot air balloon above a house",
    "a guitar on an orange and yellow gradient background",
    "a robot on a gray background",
    "a slice of pizza on a red background",
    "four balloons on a light blue background",
    "a fox in the snow",
    "a palm tree on the beach",
    "a purple dragon on a black background",
)


def main() -> None:
    """Draw, tile, save."""
    rows = -(-len(PROMPTS) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * SIDE, rows * SIDE))
    with Artist() as artist:
        for number, prompt in enumerate(PROMPTS):
            tile = artist.draw(prompt, number).resize((SIDE, SIDE), Image.Resampling.LANCZOS)
            sheet.paste(tile, (number % COLUMNS * SIDE, number // COLUMNS * SIDE))
    sheet.save(OUT, optimize=True)


if __name__ == "__main__":
    main()

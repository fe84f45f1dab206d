"""How the starter model was made: `python -m resources.starter.train --help`.

Order: pack (pictures from packages) → tokenizers → vae → flow → guide → export. Everything but `pack` and `tokenizers`
wants a CUDA GPU; each stage checkpoints and resumes.
"""

"""How networks run: one small seam (`base`), the choice between backends (`select`), and the backends."""

"""`firstlight` and `python -m app`: hands the process over to the command line."""

from __future__ import annotations

import multiprocessing
import sys

from app.cli import main

if __name__ == "__main__":
    multiprocessing.freeze_support()  # the engine process of an installed app comes in here, too
    sys.exit(main())

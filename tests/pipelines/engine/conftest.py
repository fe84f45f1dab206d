"""What several tests of engines share: a deep transformer, and its graph, which takes a while to export."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.engine.interfaces import Part
from pipelines.request import Precision
from tests.pipelines.engine.rtx_workshop import export_once
from tests.pipelines.engine.stack import make_stack

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.engine.export import Exported


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A diffusers folder with a FLUX.1 transformer of five blocks; do not change it."""
    return make_stack(tmp_path_factory.mktemp("stack"))


@pytest.fixture(scope="session")
def stack_graph(stack: Path, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export_once(stack, Part.transformer, Precision.fp32, tmp_path_factory.mktemp("stack_graph"))

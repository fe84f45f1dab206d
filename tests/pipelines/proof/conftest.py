from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines import devices

if TYPE_CHECKING:
    from pipelines.devices import Machine


@pytest.fixture(scope="session")
def machine() -> Machine:
    return devices.probe()

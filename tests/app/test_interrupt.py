from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.interrupt import Interrupt

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_stops_at_once_and_is_remembered(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(number)
    with Interrupt() as interrupt:
        assert not interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        assert interrupt.requested
    assert signal.getsignal(number) is before
    assert capfd.readouterr().err == "\nfirstlight: Stopping ...\n"


def test_an_impatient_second_press_does_nothing() -> None:
    with Interrupt() as interrupt:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested


def test_a_press_after_the_grace_ends_the_process() -> None:
    script = (
        "import signal, time, app.interrupt as i\n"
        "i.GRACE_SECONDS = 0.0\n"
        "with i.Interrupt():\n"
        "    try: signal.raise_signal(signal.SIGINT)\n"
        "    except KeyboardInterrupt: pass\n"
        "    time.sleep(0.01)\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "    print('still here')\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode == 130
    assert "still here" not in run.stdout


def test_another_thread_can_use_it_without_handlers() -> None:
    seen: list[bool] = []

    def work() -> None:
        with Interrupt() as interrupt:
            seen.append(interrupt.requested)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


def test_nobody_listening_is_no_fault() -> None:
    kept = os.dup(2)
    try:
        os.close(2)
        with Interrupt(), pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def test_an_interrupt_that_fell_into_an_eval_does_not_change_the_exit_code(tmp_path: Path) -> None:
    """CPython remembers such a KeyboardInterrupt although it was caught, and ends the process by SIGINT."""
    script = tmp_path / "script.py"
    script.write_text(
        "import signal, sys, app.interrupt as i\n"
        "with i.Interrupt():\n"
        "    try:\n"
        "        eval('signal.raise_signal(signal.SIGTERM)')\n"
        "    except KeyboardInterrupt:\n"
        "        pass\n"
        "sys.exit(130)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "script"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 130

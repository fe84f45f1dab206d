"""Training on several GPUs of one machine under `torchrun`; on one, everything here does nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import torch
from torch import distributed

if TYPE_CHECKING:
    from collections.abc import Sequence


def start() -> torch.device:
    """Join the other processes, if there are any, and return this one's device."""
    gpu = torch.cuda.is_available()
    if "WORLD_SIZE" in os.environ:
        distributed.init_process_group("nccl" if gpu else "gloo")
    if not gpu:
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


def world() -> int:
    """How many processes train together."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def rank() -> int:
    """This process's number; 0 logs and saves."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def wait() -> None:
    """Until all have come here."""
    if distributed.is_initialized():
        distributed.barrier()


def flat_gradients(parameters: Sequence[torch.nn.Parameter]) -> torch.Tensor:
    """One buffer that all gradients are views of, so that one call averages them over the GPUs."""
    flat = torch.zeros(sum(p.numel() for p in parameters), device=parameters[0].device)
    at = 0
    for parameter in parameters:
        parameter.grad = flat[at : at + parameter.numel()].view_as(parameter)
        at += parameter.numel()
    return flat


def average_(gradients: torch.Tensor) -> None:
    """Average in place over the GPUs."""
    if distributed.is_initialized():
        distributed.all_reduce(gradients)
        gradients /= distributed.get_world_size()


def agree(fraction: float, over: bool, device: torch.device) -> tuple[float, bool]:
    """The first process's view of the clock, for all: their learning rates must not differ."""
    if not distributed.is_initialized():
        return fraction, over
    view = torch.tensor([fraction, float(over)], device=device, dtype=torch.float64)
    distributed.broadcast(view, src=0)
    return float(view[0]), bool(view[1])

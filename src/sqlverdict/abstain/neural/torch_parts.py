"""torch and transformers, loaded when first needed, and where models run."""

from __future__ import annotations

import warnings
from typing import Any

from sqlverdict.errors import MissingExtra, UsageError

_LARGE = 100_000_000


def load_torch() -> Any:
    """The module torch.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("t5", "t5") from error
    return torch


def load_transformers() -> Any:
    """The module transformers, without its advice on the screen.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra("t5", "t5") from error
    module: Any = transformers
    module.utils.logging.set_verbosity_error()
    module.utils.logging.disable_progress_bar()
    return module


def pick_device(name: str) -> Any:
    """The device: ``auto`` takes a GPU where there is one.

    Raises:
        UsageError: there is no such device.
    """
    torch = load_torch()
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise UsageError(
            f"device {name!r} is not there: {error}. Expected auto, cpu or cuda"
        ) from error
    if device.type == "cuda":
        # Products of 32-bit numbers may use a GPU's faster units. Not elsewhere: a CPU without
        # them only gets slower.
        torch.backends.cuda.matmul.allow_tf32 = True
    return device


def half_precision(device: Any, model: Any) -> Any:
    """A context in which a GPU computes in bfloat16, where the model is large enough to gain.

    A small model waits for its kernels to be started, and casting would start more of them. On
    a CPU nothing changes.
    """
    torch = load_torch()
    large = device.type == "cuda" and sum(part.numel() for part in model.parameters()) > _LARGE
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=large)

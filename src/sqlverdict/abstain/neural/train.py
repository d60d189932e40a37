"""Training a sequence-to-sequence model on pairs of texts: on a CPU or a GPU, repeatable by seed.

Plain teacher forcing with AdamW, a warm-up and a linear descent of the learning rate. Pairs of
similar length go together, so that little is computed on padding. Where validation pairs are
given, the weights are kept that wrote most of them word for word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any

from sqlverdict.abstain.neural.decode import Decoding, decode_texts
from sqlverdict.abstain.neural.model import half_precision, load_torch
from sqlverdict.errors import DataError

_IGNORED = -100
_LOOK_AHEAD = 20
_PROBED = 64
_STRIDE = 16


@dataclass(frozen=True)
class Training:
    """How a model is trained.

    Attributes:
        epochs: How often each pair is seen.
        batch: Pairs a step.
        rate: The highest learning rate.
        warm_up: The share of all steps in which the rate rises.
        clip: The largest norm of a gradient.
        smoothing: How much of the probability the other tokens get.
        longest_source: Tokens of a source; what is beyond is cut off.
        longest_target: Tokens of a target.
        probe: How many validation pairs are written to choose the best weights.
        every: After how many epochs that is done.
        seconds: Stop after so long; the rate then falls with the time. 0: no limit, and the
            same seed gives the same weights on the same machine.
        seed: For the order of the pairs and the dropout.
    """

    epochs: int = 10
    batch: int = 16
    rate: float = 1e-4
    warm_up: float = 0.05
    clip: float = 1.0
    smoothing: float = 0.0
    longest_source: int = 512
    longest_target: int = 512
    probe: int = 200
    every: int = 1
    seconds: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Epoch:
    """Loss, share of exact outputs and seconds of one epoch."""

    number: int
    loss: float
    exact: float | None
    seconds: float


def train(
    model: Any,
    tokenizer: Any,
    pairs: Sequence[tuple[str, str]],
    how: Training,
    device: Any,
    validation: Sequence[tuple[str, str]] = (),
    say: Callable[[str], None] = lambda _: None,
) -> list[Epoch]:
    """Train a model in place.

    Raises:
        DataError: there is nothing to train on.
    """
    if not pairs:
        raise DataError(
            "found no questions with SQL to train on; expected at least one", reason="empty"
        )
    torch = load_torch()
    torch.manual_seed(how.seed)
    draw = Random(how.seed)  # noqa: S311 (an order, no secret)
    encoded = _encode(tokenizer, pairs, how)
    probe = draw.sample(list(validation), min(how.probe, len(validation)))
    model.to(device).train()
    steps = how.epochs * math.ceil(len(encoded) / how.batch)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=how.rate, weight_decay=0.01, fused=device.type == "cuda"
    )
    started = perf_counter()
    loss_of = torch.nn.CrossEntropyLoss(ignore_index=_IGNORED, label_smoothing=how.smoothing)
    history: list[Epoch] = []
    best: tuple[float, dict[str, Any]] | None = None
    step, progress = 0, 0.0
    for number in range(1, how.epochs + 1):
        began, total, seen = perf_counter(), torch.zeros((), device=device), 0
        for batch in _batches(encoded, how.batch, draw):
            spent = (perf_counter() - started) / how.seconds if how.seconds else 0.0
            progress = max(step / steps, spent)
            if progress >= 1:
                break
            for group in optimizer.param_groups:
                group["lr"] = how.rate * _share(progress, how.warm_up)
            inputs = _tensors(batch, tokenizer.pad_token_id, device)
            with half_precision(device, model):
                output = model(**inputs)
                logits = output.logits.float().view(-1, output.logits.shape[-1])
                loss = loss_of(logits, inputs["labels"].view(-1))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), how.clip)
            optimizer.step()
            step += 1
            total += loss.detach() * len(batch)
            seen += len(batch)
        exact = None
        last = number == how.epochs or progress >= 1
        if probe and (number % how.every == 0 or last):
            exact = _exact(model, tokenizer, probe, how, device)
            if best is None or exact >= best[0]:
                weights = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
                best = (exact, weights)
            model.train()
        mean = float(total) / seen if seen else math.nan
        history.append(Epoch(number, mean, exact, perf_counter() - began))
        say(_line(history[-1], how))
        if last:
            break
    if best is not None:
        model.load_state_dict(best[1])
    model.eval()
    return history


def _share(progress: float, warm_up: float) -> float:
    """How much of the highest rate is used: up in the warm-up, then down to nothing."""
    if progress < warm_up:
        return max(progress, 1e-3) / warm_up
    return (1 - progress) / (1 - warm_up)


def _line(epoch: Epoch, how: Training) -> str:
    exact = "" if epoch.exact is None else f", {epoch.exact:.1%} of the probe word for word"
    return (
        f"epoch {epoch.number} of {how.epochs}: loss {epoch.loss:.4f}{exact} "
        f"({epoch.seconds:.1f} s)"
    )


def _exact(
    model: Any, tokenizer: Any, probe: Sequence[tuple[str, str]], how: Training, device: Any
) -> float:
    texts = decode_texts(
        model,
        tokenizer,
        [source for source, _ in probe],
        Decoding(max(how.batch, _PROBED), how.longest_source, how.longest_target),
        device,
    )
    right = sum(
        " ".join(decoded.text.split()) == " ".join(target.split())
        for decoded, (_, target) in zip(texts, probe, strict=True)
    )
    return right / len(probe)


def _encode(
    tokenizer: Any, pairs: Sequence[tuple[str, str]], how: Training
) -> list[tuple[list[int], list[int]]]:
    sources = tokenizer(
        [source for source, _ in pairs], truncation=True, max_length=how.longest_source
    )["input_ids"]
    targets = tokenizer(
        [target for _, target in pairs], truncation=True, max_length=how.longest_target
    )["input_ids"]
    return list(zip(sources, targets, strict=True))


def _batches(
    encoded: list[tuple[list[int], list[int]]], size: int, draw: Random
) -> Iterator[list[tuple[list[int], list[int]]]]:
    """All pairs in a new order, similar lengths together within a stretch."""
    order = list(range(len(encoded)))
    draw.shuffle(order)
    batches = []
    for start in range(0, len(order), size * _LOOK_AHEAD):
        stretch = sorted(
            order[start : start + size * _LOOK_AHEAD],
            key=lambda position: len(encoded[position][1]),
        )
        batches += [stretch[at : at + size] for at in range(0, len(stretch), size)]
    draw.shuffle(batches)
    for batch in batches:
        yield [encoded[position] for position in batch]


def _tensors(batch: Sequence[tuple[list[int], list[int]]], pad: int, device: Any) -> dict[str, Any]:
    torch = load_torch()
    # Few different shapes: a GPU's libraries choose their ways anew for each.
    longest = _rounded(max(len(source) for source, _ in batch))
    widest = _rounded(max(len(target) for _, target in batch))
    ids = [source + [pad] * (longest - len(source)) for source, _ in batch]
    mask = [[1] * len(source) + [0] * (longest - len(source)) for source, _ in batch]
    labels = [target + [_IGNORED] * (widest - len(target)) for _, target in batch]
    return {
        "input_ids": torch.tensor(ids, device=device),
        "attention_mask": torch.tensor(mask, device=device),
        "labels": torch.tensor(labels, device=device),
    }


def _rounded(length: int) -> int:
    return -(-length // _STRIDE) * _STRIDE

"""The two kinds of training: on golds, and by rewards (GRPO), and the look at held-out questions.

GRPO here is the plain form: for each question a group of replies is sampled, a reply's advantage is
its reward less the group's mean, over the group's deviation, and one step is taken on the batch.
Replies are of the policy that is trained, so no ratio is needed, and there is no reference model.
An unscored reply is no part of its group.
"""

from __future__ import annotations

import json
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import LlamaForCausalLM

from train_data import Question
from train_model import END, read_model, token_logps, write
from train_rewards import MATCHES, MEASURE, RewardPool

MOST_PROMPT = 640
"""Longer prompts are left out of training; on held-out questions none is."""
_MICRO = 10_000
"""So many tokens are read at once when gradients are taken."""
_LOOK = 256
"""So many held-out questions are answered at once."""


class Trainer:
    """A model in 32 bits that is trained, and its copy in 16 that writes."""

    def __init__(self, path: Path, tokenizer: Tokenizer, rate: float, seed: int) -> None:
        torch.manual_seed(seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.tokenizer = tokenizer
        self.model: LlamaForCausalLM = read_model(path).to(self.device)
        self.writer: LlamaForCausalLM = deepcopy(self.model).to(torch.bfloat16).eval()
        self.generator = torch.Generator(self.device).manual_seed(seed)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.0
        )
        self.rate = rate

    def load(self, path: Path) -> None:
        self.model.load_state_dict(torch.load(path, map_location=self.device))
        self.sync()

    def save(self, path: Path) -> None:
        torch.save(self.model.state_dict(), path)

    def sync(self) -> None:
        """Give the writer the weights of the model."""
        with torch.no_grad():
            for target, source in zip(
                self.writer.parameters(), self.model.parameters(), strict=True
            ):
                target.copy_(source)

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text).ids)

    def clock(self) -> float:
        """Now, with nothing left to do on the device."""
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    def step(
        self,
        prompts: Sequence[Sequence[int]],
        texts: Sequence[Sequence[int]],
        weights: Sequence[float],
    ) -> float:
        """One step towards texts by their weights; the mean loss of a token."""
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        count, total = sum(map(len, texts)), 0.0
        for part in micro_batches([len(a) + len(b) for a, b in zip(prompts, texts, strict=True)]):
            with torch.autocast(self.device.type, torch.bfloat16):
                logps, rows = token_logps(
                    self.model, [prompts[at] for at in part], [texts[at] for at in part]
                )
            weight = torch.tensor([weights[at] for at in part], device=self.device)[rows]
            loss = -(logps * weight).sum() / count
            loss.backward()
            total += float(loss.detach())
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return total

    def set_rate(self, share: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * share


def tune(
    trainer: Trainer, questions: Sequence[Question], *, epochs: int, batch: int, seconds: float
) -> list[dict[str, Any]]:
    """Train on golds; the losses by epoch."""
    examples = []
    for question in questions:
        prompt = trainer.encode(question.prompt)
        if len(prompt) <= MOST_PROMPT:
            examples.append((prompt, [*trainer.encode(" " + question.gold), END]))
    order, log = random.Random(1), []
    began, done = trainer.clock(), 0
    total = epochs * math.ceil(len(examples) / batch)
    for epoch in range(epochs):
        order.shuffle(examples)
        losses = []
        for start in range(0, len(examples), batch):
            part = examples[start : start + batch]
            trainer.set_rate(min(1.0, (done + 1) / 20) * (1.0 - 0.95 * done / total))
            prompts, texts = [each[0] for each in part], [each[1] for each in part]
            losses.append(trainer.step(prompts, texts, [1.0] * len(part)))
            done += 1
            if trainer.clock() - began > seconds:
                break
        log.append(
            {
                "epoch": epoch,
                "steps": done,
                "loss": statistics.mean(losses),
                "seconds": trainer.clock() - began,
            }
        )
        print(json.dumps(log[-1]), flush=True)
        if trainer.clock() - began > seconds:
            break
    trainer.sync()
    return log


def reward_step(
    trainer: Trainer,
    pool: RewardPool,
    kind: str,
    questions: Sequence[Question],
    *,
    group: int,
    length: int,
) -> dict[str, Any]:
    """One step of GRPO, and what it took."""
    start = trainer.clock()
    prompts = [trainer.encode(question.prompt) for question in questions]
    texts = write(
        trainer.writer, prompts, samples=group, length=length, generator=trainer.generator
    )
    replies = trainer.clock()
    replies = [decode(trainer.tokenizer, each) for each in texts]
    tasks = [
        (question.gold, question.db_id, reply)
        for question, reply in zip(questions, replies, strict=True)
    ]
    scores = pool.score(kind, tasks)
    scored = trainer.clock()
    picks = [
        (prompt, text, weight)
        for prompt, group_texts, group_scores in zip(prompts, texts, scores.replies, strict=True)
        for text, weight in zip(
            group_texts, advantages([score for score, _ in group_scores]), strict=True
        )
        if weight
    ]
    if picks:
        trainer.step(*(list(column) for column in zip(*picks, strict=True)))
        trainer.sync()
    outcomes = Counter(outcome for each in scores.replies for _, outcome in each)
    values = [score for each in scores.replies for score, _ in each if score is not None]
    count = len(questions) * group
    return {
        "reward": statistics.mean(values) if values else None,
        "outcomes": dict(outcomes),
        "replies": count,
        "tokens": sum(len(text) for each in texts for text in each) / count,
        "distinct": sum(len(set(each)) for each in replies) / count,
        "trained": len(picks) / count,
        "write_s": replies - start,
        "reward_s": scored - replies,
        "reward_busy_s": scores.busy,
        "step_s": trainer.clock() - scored,
    }


def look(
    trainer: Trainer,
    pool: RewardPool,
    questions: Sequence[Question],
    *,
    length: int,
    samples: int = 0,
) -> dict[str, Any]:
    """Answer held-out questions; replies, outcomes after a search for witnesses, and shares.

    Args:
        trainer: The trainer.
        pool: Who scores.
        questions: The questions.
        length: Tokens of a reply at most.
        samples: Sample so many replies to each question; 0: the likeliest reply.
    """
    order = sorted(questions, key=lambda question: len(question.prompt))
    generator = torch.Generator(trainer.device).manual_seed(7) if samples else None
    replies: dict[str, list[str]] = {}
    size = max(1, _LOOK * 2 // max(1, samples))
    for start in range(0, len(order), size):
        part = order[start : start + size]
        prompts = [trainer.encode(question.prompt) for question in part]
        texts = write(
            trainer.writer,
            prompts,
            samples=max(1, samples),
            length=length,
            generator=generator,
        )
        for question, each in zip(part, texts, strict=True):
            replies[question.id] = decode(trainer.tokenizer, each)
    tasks = [(question.gold, question.db_id, replies[question.id]) for question in questions]
    scores = pool.score(MEASURE, tasks)
    outcomes = [[outcome for _, outcome in each] for each in scores.replies]
    every = [outcome for each in outcomes for outcome in each]
    matched = sum(outcome in MATCHES for outcome in every)
    return {
        "ids": [question.id for question in questions],
        "outcomes": outcomes,
        "replies": [replies[question.id] for question in questions],
        "ex": matched / len(every),
        "refuted": sum("refuted" in outcome or "constant" in outcome for outcome in every)
        / max(matched, 1),
        "reward_s": scores.seconds,
        "reward_busy_s": scores.busy,
    }


def decode(tokenizer: Tokenizer, texts: Sequence[Sequence[int]]) -> list[str]:
    """The replies' text, without the token that ends them."""
    return [
        str(tokenizer.decode([token for token in text if token != END])).strip() for text in texts
    ]


def micro_batches(lengths: Sequence[int]) -> list[list[int]]:
    """Places of texts, those of like length together, so many as may be read at once."""
    parts: list[list[int]] = []
    for at in sorted(range(len(lengths)), key=lambda at: lengths[at]):
        if parts and (len(parts[-1]) + 1) * lengths[at] <= _MICRO:
            parts[-1].append(at)
        else:
            parts.append([at])
    return parts


def advantages(scores: Sequence[float | None]) -> list[float]:
    """Each score less the group's mean, over its deviation; 0 where a reply is unscored."""
    known = [score for score in scores if score is not None]
    if len(known) < 2:
        return [0.0] * len(scores)
    mean, spread = statistics.mean(known), statistics.pstdev(known)
    if spread == 0:
        return [0.0] * len(scores)
    return [0.0 if score is None else (score - mean) / (spread + 1e-4) for score in scores]

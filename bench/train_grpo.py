"""What a reward is worth: SmolLM2-135M, tuned on golds, then trained by GRPO with three rewards.

``tune`` trains on the golds of half of the training databases. ``run`` trains one model by one
reward on the questions of the other half, and looks at held-out questions (Spider dev) every
``--look-every`` steps. ``runs`` starts several of these as processes that share a GPU. Everything
is written to ``--out`` as it comes, so that a run that is stopped leaves its figures;
``train_figures.py`` makes tables of them.

The rewards are those of ``train_rewards.py``. Runs of one seed see the same questions in the same
order. TRL is not used: its trainer needs packages that the machine with the GPU did not have, and a
loop of our own shows how long the GPU waits.

Run: ``python bench/train_grpo.py tune --out OUT``, then ``python bench/train_grpo.py runs --out
OUT``; needs SQLVERDICT_DATA, torch, transformers and gguf, and the model (``smollm.py`` says how).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from train_data import Parts, Question, read_parts
from train_rewards import REWARDS, RewardPool

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
TUNED = "tuned.pt"


def tune(options: argparse.Namespace, parts: Parts, pool: RewardPool) -> None:
    """Train on golds, look at held-out questions, and keep the model."""
    from train_steps import Trainer, look
    from train_steps import tune as tune_model

    trainer = make_trainer(options, Trainer)
    log = tune_model(
        trainer,
        parts.tuning,
        epochs=options.epochs,
        batch=options.batch,
        seconds=options.seconds,
    )
    trainer.save(options.work / TUNED)
    outcomes = {"log": log, "sizes": sizes(parts)}
    keep(options.out / "tune.json", outcomes)
    outcomes["look"] = look(trainer, pool, parts.held_out, length=options.length)
    keep(options.out / "tune.json", outcomes)
    print("tuned", outcomes["look"]["ex"], outcomes["look"]["refuted"], flush=True)


def run(options: argparse.Namespace, parts: Parts, pool: RewardPool) -> None:
    """Train one model by one reward."""
    from train_steps import MOST_PROMPT, Trainer, look, reward_step

    began = time.monotonic()
    trainer = make_trainer(options, Trainer)
    trainer.load(options.work / TUNED)
    short = [
        question
        for question in parts.training
        if len(trainer.encode(question.prompt)) <= MOST_PROMPT
    ]
    stream = endless(short, options.seed)
    path = options.out / f"run-{options.reward}-{options.seed}.json"
    outcomes: dict[str, Any] = {
        "reward": options.reward,
        "seed": options.seed,
        "workers": options.workers,
        "group": options.group,
        "questions": options.questions,
        "steps": [],
        "looks": {},
    }
    while len(outcomes["steps"]) < options.steps:
        if time.monotonic() - began > options.seconds:
            break
        trainer.set_rate(min(1.0, (len(outcomes["steps"]) + 1) / 5))
        part = [next(stream) for _ in range(options.questions)]
        step = reward_step(
            trainer, pool, options.reward, part, group=options.group, length=options.length
        )
        outcomes["steps"].append(step)
        number = len(outcomes["steps"])
        times = " ".join(f"{step[name]:.2f}" for name in ("write_s", "reward_s", "step_s"))
        print(options.reward, options.seed, number, step["reward"], times, flush=True)
        if number % options.look_every == 0 or number == options.steps:
            outcomes["looks"][number] = look(trainer, pool, parts.held_out, length=options.length)
            keep(path, outcomes)
            print("look", options.reward, options.seed, number, outcomes["looks"][number]["ex"])
    if options.samples:
        outcomes["samples"] = look(
            trainer, pool, parts.held_out, length=options.length, samples=options.samples
        )
    keep(path, outcomes)


def runs(options: argparse.Namespace) -> int:
    """Start one process for each reward and seed; the number that failed."""
    own = [sys.executable, __file__, "run"]
    shared = [
        part
        for name in (
            *("out", "work", "model", "workers", "seconds", "rate", "questions", "group"),
            *("steps", "look_every", "samples", "length", "limit"),
        )
        for part in (f"--{name.replace('_', '-')}", str(getattr(options, name)))
    ]
    started = []
    for seed in options.seeds.split(","):
        for reward in options.rewards.split(","):
            log = (options.out / f"log-{reward}-{seed}.txt").open("w")
            command = [*own, *shared, "--reward", reward, "--seed", seed]
            started.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
    return sum(process.wait() != 0 for process in started)


def make_trainer(options: argparse.Namespace, maker: Any) -> Any:
    from smollm import find_smollm
    from train_model import read_tokenizer

    path = Path(options.model) if options.model else find_smollm()
    return maker(path, read_tokenizer(path), options.rate, options.seed)


def endless(questions: list[Question], seed: int) -> Any:
    """The questions in a random order, again and again."""
    order = random.Random(seed)
    while True:
        yield from order.sample(questions, len(questions))


def sizes(parts: Parts) -> dict[str, list[int]]:
    """Questions and databases of each part."""
    return {
        name: [len(part), len({question.db_id for question in part})]
        for name, part in vars(parts).items()
    }


def keep(path: Path, outcomes: object) -> None:
    """Write a file whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(outcomes))
    part.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stage", choices=("tune", "run", "runs"))
    parser.add_argument("--out", type=Path, required=True, help="figures go here")
    parser.add_argument("--work", type=Path, help="the tuned model lies here (that of --out)")
    parser.add_argument("--model", default="", help="the GGUF file (where smollm.py finds it)")
    parser.add_argument("--workers", type=int, default=2, help="processes for rewards")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--reward", choices=tuple(REWARDS), default="ex")
    parser.add_argument("--rewards", default=",".join(REWARDS))
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--questions", type=int, default=64, help="a step")
    parser.add_argument("--group", type=int, default=8, help="replies to each question")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--look-every", type=int, default=20)
    parser.add_argument("--samples", type=int, default=4, help="replies a question at the end")
    parser.add_argument("--length", type=int, default=96, help="tokens of a reply at most")
    parser.add_argument("--limit", type=int, default=0, help="questions of each part (0: all)")
    options = parser.parse_args()
    options.work = options.work or options.out
    options.out.mkdir(parents=True, exist_ok=True)
    if options.stage == "runs":
        return runs(options)
    parts = read_parts(DATA / "spider")
    if options.limit:
        parts = Parts(
            *(part[:: max(1, len(part) // options.limit)] for part in vars(parts).values())
        )
    pool = RewardPool(str(DATA / "spider" / "database"), options.workers)
    try:
        (tune if options.stage == "tune" else run)(options, parts, pool)
    finally:
        pool.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

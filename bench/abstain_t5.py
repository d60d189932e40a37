"""A small T5, trained from scratch on EHRSQL's questions, and the detectors that look inside it.

``train`` learns from the 4,674 answerable training questions, chooses weights on the validation
questions, then answers validation and test (934 answerable, 233 unanswerable questions) and
keeps drafts, token figures and encoder states. It needs torch and transformers only, and takes a
GPU where there is one. ``score`` marks the drafts right or wrong, finds thresholds on validation
questions, and prints accuracy and RS(0), RS(10), RS(N) for T5 alone, with RF before, RF* after,
and with MAXENT, MAXPROB, FEATMD and FEATRMD inside. Nothing is tuned on the test questions.

Three tables of the database have no rows, so 371 test golds cannot be run; those items are left
out of every figure but the count of answers that read as the gold.

Run: ``python bench/abstain_t5.py train OUT [--data DIR] [--set width=384 ...]``, then
``python bench/abstain_t5.py score OUT``; needs SQLVERDICT_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.generators.t5 import T5
from sqlverdict.abstain.method import (
    Ask,
    Draft,
    GeneratorNeeds,
    Tools,
    TrainingData,
    TrainingExample,
)

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
DB = "mimic_iv"
FILES = {
    "train": "ehrsql2024_train_v1.0.jsonl",
    "valid": "ehrsql2024_valid_v1.0.jsonl",
    "test": "ehrsql2024_test_v1.0_systems.jsonl",
    "background": "triagesql_test.jsonl",
}


def rows(data: Path, part: str) -> list[dict[str, Any]]:
    lines = (data / FILES[part]).read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    for number, row in enumerate(results):
        row.setdefault("id", f"{part}-{number}")
    return results


def examples(data: Path, part: str) -> list[TrainingExample]:
    """The questions of a part; TriageSQL's are of no database and none is answerable here."""
    from sqlverdict.parse.schemas.sqlite import read_sqlite

    path = data / "mimic_iv_demo_partial.sqlite"
    schema = read_sqlite(path, DB)
    if part == "background":
        return [
            TrainingExample(
                Ask(row["id"], "triagesql", row["question"], schema=schema), answerable=False
            )
            for row in rows(data, part)
            if row["type"] != "answerable"
        ]
    return [
        TrainingExample(
            Ask(row["id"], DB, row["question"], schema=schema, database=str(path)),
            row["answerable"],
            row["gold_sql"],
        )
        for row in rows(data, part)
    ]


def train(data: Path, out: Path, settings: dict[str, str], seed: int) -> None:
    import numpy as np
    import torch
    import transformers

    out.mkdir(parents=True, exist_ok=True)
    kinds = {name: type(getattr(T5(), name)) for name in T5.__dataclass_fields__}
    inputs = {
        name: value == "true" if kinds[name] is bool else kinds[name](value)
        for name, value in settings.items()
        if name != "rate"
    }
    t5 = T5(**inputs, rate=float(settings["rate"]) if "rate" in settings else None)
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {device}")
    known = {part: examples(data, part) for part in FILES}
    tools = Tools(say=lambda line: print(line, flush=True), seed=seed)
    answerable = [example for example in known["train"] if example.answerable]
    began = perf_counter()
    t5.fit(TrainingData(train=answerable, validation=known["valid"]), tools)
    trained = perf_counter() - began
    assert t5._ready is not None
    weights = sum(part.numel() for part in t5._ready[0].parameters())
    print(f"{weights:,} weights, trained in {trained:.0f} s")
    states: dict[str, Any] = {}
    for part, needs in (
        ("train", GeneratorNeeds(text=False, states=True)),
        ("background", GeneratorNeeds(text=False, states=True)),
        ("valid", GeneratorNeeds(tokens=True, states=True)),
        ("test", GeneratorNeeds(tokens=True, states=True)),
    ):
        began = perf_counter()
        cases_of_part = answerable if part == "train" else known[part]
        drafts = t5.generate([example.ask for example in cases_of_part], needs, tools)
        # Half precision: a distance changes by less than a hundredth of itself.
        states[part] = np.asarray([draft.state for draft in drafts], dtype=np.float16)
        with (out / f"{part}.jsonl").open("w", encoding="utf-8") as stream:
            for example, draft in zip(cases_of_part, drafts, strict=True):
                line = {
                    "id": example.ask.id,
                    "sql": draft.sql,
                    "raw": draft.raw,
                    "probabilities": [round(share, 6) for share in draft.probabilities],
                    "entropies": [round(entropy, 6) for entropy in draft.entropies],
                }
                stream.write(json.dumps(line) + "\n")
        print(f"{part}: {len(cases_of_part)} in {perf_counter() - began:.0f} s", flush=True)
    np.savez_compressed(out / "states.npz", **states)
    about = {
        "settings": settings,
        "seed": seed,
        "weights": weights,
        "seconds": trained,
        "device": device,
        "history": [vars(epoch) for epoch in t5.history],
    }
    (out / "about.json").write_text(json.dumps(about, indent=1))


LINES = (
    "abstain_all",
    "recorded",
    "rf > recorded",
    "recorded > rf_star",
    "rf > recorded > rf_star",
    "recorded > error_gate",
    "recorded[maxent]",
    "recorded[maxprob]",
    "recorded[maxprob(penalty=10)]",
    "recorded[featmd]",
    "recorded[featrmd]",
)


def drafts(out: Path, part: str) -> dict[str, Draft]:
    """What the model wrote, with its states where they came back."""
    from sqlverdict.parse.ehrsql import fill_in

    lines = [json.loads(line) for line in (out / f"{part}.jsonl").read_text().splitlines()]
    states: Any = None
    if (out / "states.npz").is_file():
        import numpy as np

        with np.load(out / "states.npz") as archive:
            states = archive[part].astype(float)
    return {
        line["id"]: Draft(
            fill_in(line["sql"]) if line["sql"] else None,
            probabilities=tuple(line["probabilities"]),
            entropies=tuple(line["entropies"]),
            state=() if states is None else tuple(states[number]),
        )
        for number, line in enumerate(lines)
    }


def score(data: Path, out: Path) -> None:
    from sqlverdict.execute.engine import Limits
    from sqlverdict.execute.query_runner import QueryRunner
    from sqlverdict.load.benchmark import BENCHMARKS

    about = json.loads((out / "about.json").read_text())
    print(
        f"T5 from scratch, {about['weights']:,} weights, {len(about['history'])} epochs in "
        f"{about['seconds']:.0f} s on {about['device']}: {about['settings']}"
    )
    database = data / "mimic_iv_demo_partial.sqlite"
    reader = BENCHMARKS.get("ehrsql2024")
    cases = {
        part: list(reader.read(data / FILES[part], databases=database).cases)
        for part in ("train", "valid", "test")
    }
    databases = DatabaseIndex({DB: str(database)})
    known = {part: [databases.example(case) for case in result] for part, result in cases.items()}
    background = examples(data, "background")
    train = [example for example in known["train"] if example.answerable]
    training = TrainingData(train=train, validation=known["valid"], background=background)
    learned = {
        k: d for part in ("train", "valid", "background") for k, d in drafts(out, part).items()
    }
    answers = drafts(out, "test")
    runner = QueryRunner("sqlite", Limits())
    tools = Tools(runner=runner)
    texts(cases["test"], answers, runner)
    has_states = bool(next(iter(answers.values())).state)
    print(
        "\n| composition | threshold | answered | ANS: RS(0) | RS(10) | RS(N) | ANS+UnANS: RS(0) "
        "| RS(10) | RS(N) | over-refusal | detection | AUC answerable | AUC right |"
    )
    print("| --- " * 13 + "|")
    for line in LINES:
        if has_states or "feat" not in line:
            report(line, training, cases["test"], (learned, answers), tools)
    runner.close()


def texts(cases: list[Any], answers: dict[str, Draft], runner: Any) -> None:
    """How many answers are right: word for word, and by execution where that can be told."""
    from sqlverdict.abstain.calibrate import mark_drafts
    from sqlverdict.parse.tokens import normalised

    known = [case for case in cases if case.answerable]
    same = [normalised(answers[c.id].sql or "") == normalised(c.golds[0]) for c in known]
    marks = mark_drafts(
        [replace(DatabaseIndex().example(c), draft=answers[c.id]) for c in known], runner
    )
    scored = [one.correct for one in marks if one.correct is not None]
    print(
        f"test, {len(known)} answerable: {sum(same)} ({sum(same) / len(same):.1%}) read as the "
        f"gold; of {len(scored)} whose gold can be run, {sum(scored)} "
        f"({sum(scored) / len(scored):.1%}) answer as it does"
    )


def report(
    line: str,
    training: TrainingData,
    cases: list[Any],
    drafts: tuple[dict[str, Draft], dict[str, Draft]],
    tools: Tools,
) -> None:
    from sqlverdict.abstain.generators.recorded import RecordedGenerator
    from sqlverdict.abstain.workflow import FittedComposition
    from sqlverdict.score.reliability.reliability_score import ANS, EVERYTHING, rates, rs

    composition = FittedComposition(line)
    if isinstance(composition.generator, RecordedGenerator):
        composition.generator.drafts = drafts[0]
    composition.fit(training, tools)
    if isinstance(composition.generator, RecordedGenerator):
        composition.generator.drafts = drafts[1]
    databases = DatabaseIndex.of(cases)
    decisions = composition.answer([databases.ask(case) for case in cases], tools)
    table = outcomes(cases, decisions, tools.runner)
    cells = []
    for view in (ANS, EVERYTHING):
        cells += [f"{100 * (rs(table, c, view) or 0):.1f}" for c in (0.0, 10.0, "N")]
    result = rates(table)
    level = ", ".join(f"{one.threshold:.4g}" for one in composition.calibrations)
    answered = sum(not decision.abstained for decision in decisions)
    within = composition.within
    separation = separations(cases, decisions, drafts[1], tools.runner) if within else " | "
    print(
        f"| {line.replace('recorded', 't5')} | {level} | {answered} | {' | '.join(cells)} | "
        f"{100 * (result.over_refusal or 0):.1f} | {100 * (result.detection or 0):.1f} | "
        f"{separation} |",
        flush=True,
    )


def separations(
    cases: list[Any], decisions: list[Any], answers: dict[str, Draft], runner: Any
) -> str:
    """Whatever the threshold: how well the confidence tells what has an answer, and what is right.

    The chance that a random good item is surer than a random bad one; ties count half.
    """
    from sqlverdict.abstain.calibrate import mark_drafts
    from sqlverdict.load.ehrsql import UNSCORABLE

    sure = {one.ask.id: one.confidence for one in decisions}
    known = [sure[case.id] for case in cases if case.answerable]
    strange = [sure[case.id] for case in cases if not case.answerable]
    scored = [case for case in cases if case.answerable and UNSCORABLE not in case.tags]
    marks = mark_drafts(
        [replace(DatabaseIndex().example(c), draft=answers[c.id]) for c in scored], runner
    )
    right = [sure[case.id] for case, one in zip(scored, marks, strict=True) if one.correct]
    wrong = [sure[case.id] for case, one in zip(scored, marks, strict=True) if not one.correct]
    return f"{auc(known, strange):.3f} | {auc(right, wrong):.3f}"


def auc(good: list[float], bad: list[float]) -> float:
    from bisect import bisect_left, bisect_right

    order = sorted(bad)
    wins = sum((bisect_left(order, one) + bisect_right(order, one)) / 2 for one in good)
    return wins / (len(good) * len(bad))


def outcomes(cases: list[Any], decisions: list[Any], runner: Any) -> Any:
    """The five cells over the items that can be scored, whoever is asked."""
    from sqlverdict.abstain.calibrate import mark_drafts
    from sqlverdict.load.ehrsql import UNSCORABLE
    from sqlverdict.score.reliability.outcomes import OutcomeTable

    cells = dict.fromkeys(OutcomeTable().cells(), 0)
    unscored = 0
    for case, decision in zip(cases, decisions, strict=True):
        if UNSCORABLE in case.tags:
            unscored += 1
        elif decision.abstained:
            cells["abstained_answerable" if case.answerable else "abstained_unanswerable"] += 1
        elif not case.answerable:
            cells["answered_unanswerable"] += 1
        else:
            (one,) = mark_drafts(
                [replace(DatabaseIndex().example(case), draft=Draft(decision.sql))], runner
            )
            cells["correct" if one.correct else "wrong"] += 1
    return OutcomeTable(**cells, unscored=unscored)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("train", "score"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, default=DATA / "trustsql")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if not (arguments.data / FILES["train"]).is_file():
        parser.error(f"no data at {arguments.data}: set SQLVERDICT_DATA")
    if arguments.what == "train":
        train(
            arguments.data,
            arguments.out,
            dict(pair.split("=", 1) for pair in arguments.set),
            arguments.seed,
        )
    else:
        score(arguments.data, arguments.out)


if __name__ == "__main__":
    main()

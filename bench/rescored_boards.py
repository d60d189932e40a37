"""The boards of ``docs/rescored.md``: published predictions, their questions and sets of golds.

A board is evaluated by ``sqlverdict evaluate``, once for each set of golds. Inputs that the
published files do not have in a form that it reads (other golds as overlays, BIRD mini-dev as files
of cases and predictions) are written to ``FOLDER/inputs``. An interrupted evaluation is continued.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.load.predictions import load_predictions
from sqlverdict.records import Prediction, Result
from sqlverdict.runlog.run import read_run

DATA = Path(os.environ.get("SQLVERDICT_DATA", Path(__file__).parents[2] / "shared" / "data"))
SOME_UNSCORED = 4
"""The exit code of ``evaluate`` where databases are missing."""

BIRD_MARK = "\t----- bird -----\t"
"""What stands between a reply and its database in BIRD's files."""

AS_WRITTEN = "ex[bird] as written"
"""EX of the text of a reply, with its code fences and prose, as mini-dev's script runs it."""

PRINTED_MINI_DEV = {
    "gpt-35-turbo_cot_SQLite": 41.6,
    "gpt-4-o_cot_SQLite": 63.0,
    "gpt-4-turbo_cot_SQLite": 58.0,
    "meta-llama-3-70b-instruct2_cot_SQLite": 42.8,
    "gpt-35-turbo-instruct_sqlite": 33.6,
    "gpt-35-turbo_sqlite": 38.0,
    "gpt-4-32k_sqlite": 47.0,
    "gpt-4-turbo_sqlite": 45.8,
    "gpt-4_sqlite": 47.8,
    "meta-llama-3-70b-instruct-2_sqlite": 40.8,
    "meta-llama-3-8b-instruct-2_sqlite": 24.4,
    "mistralai-mixtral-8x7b-instru-4_sqlite": 21.6,
    "phi-3-medium-128k-instruct-1_sqlite": 30.6,
}
"""EX on SQLite over all 500 questions, as bird-bench/mini_dev's README prints it at 059b455; it
calls the files with ``cot`` "TA +"."""


@dataclass(frozen=True)
class GoldSet:
    """A set of golds: the benchmark's own, or with others in place of some of them.

    Attributes:
        name: Its name in the facts.
        overlay: The file of the others.
        changed: The questions whose golds are not those of the board's first set.
    """

    name: str
    overlay: Path | None = None
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Board:
    """Systems that are compared on the same questions.

    Attributes:
        name: Its name in the facts and in options.
        cases: The options of ``evaluate`` that name the cases.
        metrics: What the benchmark's scorers compute, the one that it ranks by first.
        golds: The sets of golds.
        predictions: The file of each system.
        printed: What was printed for a system, in percent, over questions that may be others.
        parts: Questions that are also looked at by themselves, by what they are.
        reference: The official script's verdicts, by metric, system and question.
        replies: The texts of the systems' replies in the official form, by system and question,
            where :data:`AS_WRITTEN` is among the metrics.
    """

    name: str
    cases: tuple[str, ...]
    metrics: tuple[str, ...]
    golds: tuple[GoldSet, ...]
    predictions: Mapping[str, Path]
    printed: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reference: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    replies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def evaluate_board(
    board: Board, folder: Path, only: Sequence[str] = (), workers: int = 1
) -> dict[str, dict[str, dict[str, Result]]]:
    """The results of a board, by set of golds, system and question; ``only``: of these questions.

    Under other golds than the first ones only the questions whose golds differ are evaluated.
    """
    results: dict[str, dict[str, dict[str, Result]]] = {}
    first: dict[str, dict[str, Result]] = {name: {} for name in board.predictions}
    for golds in board.golds:
        ids = [each for each in golds.changed if each in only] if only else golds.changed
        if results and not ids:
            results[golds.name] = first
            continue
        out = folder / board.name / golds.name.replace(" ", "-")
        runs = _evaluate(board, golds, out, ids if results else only, workers)
        results[golds.name] = {name: first[name] | runs[name] for name in board.predictions}
        first = first if len(results) > 1 else results[golds.name]
    return results


def _evaluate(
    board: Board, golds: GoldSet, out: Path, only: Sequence[str], workers: int
) -> dict[str, dict[str, Result]]:
    """The results of one set of golds, by system and question."""
    words = [*board.cases, "--no-llm", "--quiet", "--workers", str(workers)]
    words += [f"--golds={golds.overlay}"] if golds.overlay else []
    metrics = [metric for metric in board.metrics if metric != AS_WRITTEN]
    runs = _run(
        [
            *words,
            *(["--only", ",".join(only)] if only else []),
            "--metrics",
            ",".join((*metrics, "verdict")),
        ],
        board.predictions,
        out,
    )
    return _add_as_written(board, words, out, runs) if AS_WRITTEN in board.metrics else runs


def _add_as_written(
    board: Board, words: Sequence[str], out: Path, runs: dict[str, dict[str, Result]]
) -> dict[str, dict[str, Result]]:
    """Results with the EX of replies as they are; those that are SQL alone need no other run."""
    others = {
        (name, case_id)
        for name, replies in board.replies.items()
        for case_id, reply in replies.items()
        if case_id in runs.get(name, {})
        and reply.partition(BIRD_MARK)[0].strip() != (runs[name][case_id].prediction or "").strip()
    }
    files = {}
    for name in sorted({name for name, _ in others}):
        files[name] = out.parent / f"{name}.json"
        _write(files[name], [dict(enumerate(board.replies[name].values()))])
    ids = ",".join(sorted({case_id for _, case_id in others}))
    options = ["--only", ids, "--set", "prediction-format=bird_order", "--metrics", "ex[bird]"]
    texts = _run([*words, *options], files, out.with_name(f"{out.name}-as-written")) if ids else {}
    return {
        name: {
            case_id: msgspec.structs.replace(
                result,
                scores={
                    AS_WRITTEN: (texts if (name, case_id) in others else runs)[name][
                        case_id
                    ].scores["ex[bird]"],
                    **result.scores,
                },
            )
            for case_id, result in results.items()
        }
        for name, results in runs.items()
    }


def _run(
    words: Sequence[str], predictions: Mapping[str, Path], out: Path
) -> dict[str, dict[str, Result]]:
    """What ``evaluate`` says, by system and question."""
    command = [sys.executable, "-m", "sqlverdict", "evaluate", *words, "--out", str(out)]
    command += [f"--predictions={name}={path}" for name, path in predictions.items()]
    status = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    if status not in (0, SOME_UNSCORED):
        sys.exit(f"evaluate ended with exit code {status}: {' '.join(command)}")
    folders = {name: out / name if len(predictions) > 1 else out for name in predictions}
    return {
        name: {each.id: each for each in read_run(folder).results()}
        for name, folder in folders.items()
    }


def single_board(board: Board, system: str, file: Path) -> Board:
    """A board with one system of somebody's own in place of the published ones.

    Where replies count as they are written, its file's are read; a query alone is its own reply.
    """
    replies = {}
    if AS_WRITTEN in board.metrics:
        published = next(iter(board.replies.values()))
        loaded = load_predictions(file, list(published))
        replies[system] = {
            case_id: f"{_reply(loaded[case_id])}{BIRD_MARK}{text.rpartition(BIRD_MARK)[2]}"
            for case_id, text in published.items()
        }
    return replace(board, predictions={system: file}, printed={}, reference={}, replies=replies)


def _reply(prediction: Prediction) -> str:
    return (prediction.raw or prediction.sql or "").partition(BIRD_MARK)[0]


def boards(folder: Path) -> tuple[Board, ...]:
    """All boards; their inputs are written to a folder."""
    inputs = folder / "inputs"
    inputs.mkdir(parents=True, exist_ok=True)
    return _spider(), _bird(inputs), _mini_dev(inputs)


def _spider() -> Board:
    paper = json.loads(
        (Path(__file__).parents[1] / "docs/papers/etm.json").read_text(encoding="utf-8")
    )
    printed = {
        cell["row"]: float(cell["paper"])
        for exhibit in paper["exhibits"]
        if exhibit["names"] == ["table 4"]
        for cell in exhibit["cells"]
        if cell["column"] == "EXE"
    }
    marks = {
        str(line["question_id"])
        for line in _lines(DATA / "labels/error_types.jsonl")
        if line["benchmark"] == "spider" and "Gold Error" in line["error_types"]
    }
    predictions = _predictions("spider")
    verdicts = {name: _lines(DATA / f"spider_reference/dev_{name}.jsonl") for name in predictions}
    keys = {"ex[spider]": "exec", "ex[spider_distinct]": "exec_keep_distinct"}
    return Board(
        "spider",
        ("--benchmark", "spider", "--root", str(DATA / "spider")),
        tuple(keys),
        (GoldSet("published"),),
        predictions,
        printed,
        {"not marked": _other_ids(json.loads(_text("spider/dev.json")), marks)},
        {
            metric: {
                name: {str(line["idx"]): line[key] for line in lines if key in line}
                for name, lines in verdicts.items()
            }
            for metric, key in keys.items()
        },
    )


def _bird(inputs: Path) -> Board:
    questions = json.loads(_text("bird/dev.json"))
    former = [line.partition("\t")[0] for line in _text("bird/etm_gold.txt").splitlines()]
    overlay = inputs / "bird-2024-06-27.jsonl"
    changed = {
        str(item["question_id"]): gold
        for item, gold in zip(questions, former, strict=True)
        if gold.split() != item["SQL"].split()
    }
    _write(overlay, ({"id": case_id, "gold": gold} for case_id, gold in changed.items()))
    fates = {
        str(line["question_id"]): line["revision_20251106"]
        for line in _lines(DATA / "labels/bird_revisions.jsonl")
    }
    predictions = _predictions("bird")
    return Board(
        "bird",
        ("--benchmark", "bird", "--root", str(DATA / "bird")),
        ("ex[bird]",),
        (GoldSet("2024-06-27", overlay), GoldSet("ties mended", None, tuple(changed))),
        predictions,
        {},
        {
            "known": frozenset(fates),
            "untouched": frozenset(each for each in fates if fates[each] == "untouched"),
        },
        {
            "ex[bird]": {
                name: {
                    str(line["idx"]): line["exec"]
                    for line in _lines(DATA / f"bird_reference/dev_{name}.jsonl")
                }
                for name in predictions
            }
        },
    )


def _mini_dev(inputs: Path) -> Board:
    items = _lines(DATA / "labels/corrected_golds.jsonl")
    cases, overlay = inputs / "mini_dev.jsonl", inputs / "mini_dev-corrected.jsonl"
    keys = ("id", "db_id", "question", "evidence", "gold")
    _write(cases, ({key: item[key] for key in keys} for item in items))
    changed = [item for item in items if item["gold"].split() != item["corrected_gold"].split()]
    _write(overlay, ({"id": item["id"], "gold": item["corrected_gold"]} for item in changed))
    predictions, replies = {}, {}
    for name in items[0]["predictions"]:
        predictions[name] = inputs / f"mini_dev-{name}.jsonl"
        answers = {item["id"]: item["predictions"][name] for item in items}
        _write(predictions[name], ({"id": key, "prediction": answers[key]} for key in answers))
        replies[name] = {
            item["id"]: f"{answers[item['id']]}{BIRD_MARK}{item['db_id']}" for item in items
        }
    verdicts: dict[str, dict[str, int]] = {name: {} for name in predictions}
    for line in _lines(DATA / "bird_mini_dev/verdicts_sqlite.jsonl"):
        verdicts[line["system"]][str(line["question_id"])] = line["ex"]
    return Board(
        "mini_dev",
        ("--cases", str(cases), "--databases", str(DATA / "bird/databases")),
        (AS_WRITTEN, "ex[bird]"),
        (
            GoldSet("published"),
            GoldSet("corrected", overlay, tuple(item["id"] for item in changed)),
        ),
        predictions,
        PRINTED_MINI_DEV,
        {},
        {AS_WRITTEN: verdicts},
        replies,
    )


def _predictions(benchmark: str) -> dict[str, Path]:
    return {path.stem: path for path in sorted((DATA / benchmark / "predictions/dev").iterdir())}


def _other_ids(questions: Sequence[object], ids: set[str]) -> frozenset[str]:
    return frozenset(str(number) for number in range(len(questions))) - ids


def _text(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    """Write records, one a line; a file that has them already is not touched."""
    text = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")

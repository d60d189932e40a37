"""Published predictions, scored again: the facts behind ``docs/rescored.md``.

Four systems on Spider dev, three on BIRD dev, thirteen on BIRD mini-dev, each under every set of
golds at hand (``rescored_boards.py``). The facts are what each answer came out as, question by
question: one letter for each metric of the benchmark and one for its situation. From these
``docs/rescored_page.py`` computes every figure of the page. No query of a benchmark or a system is
in them but those of the cases that the page explains.

Run: ``python bench/rescored.py FOLDER``; needs SQLVERDICT_DATA. ``FOLDER`` gets the runs, and the
same command continues what was interrupted. ``--predictions spider:NAME=FILE`` adds a system to a
board (``spider``, ``bird`` or ``mini_dev``): only such systems are evaluated then, the others are
those of ``docs/rescored.json``, and the facts go to the file of ``--facts``. A question that a new
system's run could not score leaves its board. ``python docs/rescored_page.py FILE`` prints the page
of such facts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_letters
from typing import Any

from rescored_boards import Board, boards, evaluate_board, single_board
from sqlverdict.errors import PredictionError
from sqlverdict.evidence import Proved, Refuted
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.one_run.answers import answer_lines
from sqlverdict.report.one_run.witness import witness_lines
from sqlverdict.score.deciding import VERDICT
from sqlverdict.situations import Situation

FACTS = Path(__file__).parents[1] / "docs" / "rescored.json"
LETTERS = dict(zip(Situation, ascii_letters, strict=False))
NO_SQL = "-"
CASES = (
    ("spider", "published", "RESDSQL", "206"),
    ("spider", "published", "RESDSQL", "47"),
    ("spider", "published", "RESDSQL", "966"),
    ("bird", "2024-06-27", "DAIL", "1396"),
    ("mini_dev", "published", "gpt-4-o_cot_SQLite", "207"),
)
"""The cases that the page explains: board, set of golds, system and question."""

JsonObject = dict[str, Any]
Results = Mapping[str, Mapping[str, Mapping[str, Result]]]
"""By set of golds, system and question."""


def common_questions(board: Board, results: Results) -> list[str]:
    """The questions that every run of a board could score under every metric, in their order."""
    every = [each for systems in results.values() for each in systems.values()]
    return [
        case_id
        for case_id in every[0]
        if all(
            answers[case_id].verdict is not Verdict.UNSCORED
            and all(answers[case_id].scores[metric] is not None for metric in board.metrics)
            for answers in every
        )
    ]


def outcomes(board: Board, answers: Mapping[str, Result], ids: Sequence[str]) -> dict[str, str]:
    """What one system's answers came out as: a letter for each question, by metric."""
    texts = {
        metric: "".join(str(int(answers[case_id].scores[metric] == 1)) for case_id in ids)
        for metric in board.metrics
    }
    texts[VERDICT] = "".join(
        LETTERS[Situation(answers[case_id].situation)] if answers[case_id].situation else NO_SQL
        for case_id in ids
    )
    return texts


def board_facts(board: Board, results: Results) -> JsonObject:
    """The facts of one board."""
    ids = common_questions(board, results)
    first, *_ = results.values()
    every = next(iter(first.values()))
    chosen_ids = set(ids)
    left_out = Counter(each.db_id for each in every.values() if each.id not in chosen_ids)
    results_of_first = [answers[case_id] for answers in first.values() for case_id in ids]
    golds = {name: next(iter(systems.values())) for name, systems in results.items()}
    own = golds[board.golds[0].name]
    return {
        "name": board.name,
        "cases": len(every),
        "left_out": dict(left_out),
        "questions": ids,
        "metrics": list(board.metrics),
        "golds": {
            name: [case_id for case_id in ids if answers[case_id].gold != own[case_id].gold]
            for name, answers in golds.items()
        },
        "parts": {
            name: [case_id for case_id in ids if case_id in members]
            for name, members in board.parts.items()
        },
        "reference": {
            metric: _agreement(metric, systems, first)
            for metric, systems in board.reference.items()
        },
        "timeouts": sum(Reason.EXECUTION_TIMEOUT in each.reasons for each in results_of_first),
        "cut_by_time": sum(not each.final for each in results_of_first),
        "systems": [
            {
                "name": name,
                "printed": board.printed.get(name),
                "outcomes": {
                    golds: outcomes(board, systems[name], ids) for golds, systems in results.items()
                },
            }
            for name in board.predictions
        ],
    }


def add_system(facts: JsonObject, board: Board, results: Results) -> JsonObject:
    """The facts of a board with one more system, on the questions that it could score too.

    Args:
        facts: The facts of the board.
        board: The board with the new system alone.
        results: Its results.
    """
    scored = set(common_questions(board, results))
    places = [n for n, case_id in enumerate(facts["questions"]) if case_id in scored]
    ids = [facts["questions"][n] for n in places]
    ((name, first),) = next(iter(results.values())).items()
    lost = Counter(first[each].db_id for each in facts["questions"] if each not in scored)
    others = [
        each
        | {
            "outcomes": {
                golds: {metric: "".join(text[n] for n in places) for metric, text in texts.items()}
                for golds, texts in each["outcomes"].items()
            }
        }
        for each in facts["systems"]
    ]
    own = board_facts(board, results)
    texts = {golds: outcomes(board, systems[name], ids) for golds, systems in results.items()}
    return facts | {
        "left_out": dict(Counter(facts["left_out"]) + lost),
        "questions": ids,
        "golds": _members(facts["golds"], scored),
        "parts": _members(facts["parts"], scored),
        "timeouts": facts["timeouts"] + own["timeouts"],
        "cut_by_time": facts["cut_by_time"] + own["cut_by_time"],
        "systems": [*others, {"name": name, "printed": None, "outcomes": texts}],
    }


def _members(parts: Mapping[str, Sequence[str]], ids: set[str]) -> dict[str, list[str]]:
    return {name: [each for each in part if each in ids] for name, part in parts.items()}


def _agreement(
    metric: str,
    verdicts: Mapping[str, Mapping[str, int]],
    results: Mapping[str, Mapping[str, Result]],
) -> dict[str, int]:
    """On how many answers the official script was run, and on how many it says the same."""
    pairs = [
        (verdict, results[name][case_id].scores[metric])
        for name, system in verdicts.items()
        for case_id, verdict in system.items()
        if case_id in results[name]
    ]
    scored = [(verdict, ours) for verdict, ours in pairs if ours is not None]
    return {"answers": len(scored), "same": sum(verdict == ours for verdict, ours in scored)}


def case_facts(board: str, golds: str, system: str, case_id: str, results: Results) -> JsonObject:
    """What the page shows of one case, and what other golds than these make of it."""
    result = results[golds][system][case_id]
    witness = next((piece for piece in result.evidence if isinstance(piece, Refuted)), None)
    proof = next((piece for piece in result.evidence if isinstance(piece, Proved)), None)
    others = {name: systems[system][case_id] for name, systems in results.items()}
    return {
        "board": board,
        "golds": golds,
        "system": system,
        "id": case_id,
        "database": result.db_id,
        "question": result.question_line,
        "gold": _one_line(result.gold[0]),
        "prediction": _one_line(result.prediction or ""),
        "scores": dict(result.scores),
        "situation": result.situation,
        "answers": answer_lines(result.answers),
        "witness": [witness.sentence, *witness_lines(witness)] if witness else [],
        "proof": list(proof.steps) if proof else [],
        "other_golds": {
            name: {"gold": _one_line(other.gold[0]), "situation": other.situation}
            for name, other in others.items()
            if other.gold != result.gold
        },
    }


def _one_line(sql: str) -> str:
    return " ".join(sql.split()).removesuffix(";")


def main() -> None:
    """Evaluate all boards and write the facts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--predictions", action="append", default=[], metavar="BOARD:NAME=FILE")
    parser.add_argument("--facts", type=Path, default=FACTS, metavar="FILE")
    parser.add_argument("--workers", type=int, default=1, metavar="N")
    args = parser.parse_args()
    every = {board.name: board for board in boards(args.folder)}
    try:
        own = [_read_system(text, every) for text in args.predictions]
        if len({(board.name, system) for board, system, _ in own}) < len(own):
            raise ValueError("--predictions names one system twice")
        if own and args.facts == FACTS:
            raise ValueError("--predictions goes with --facts FILE: docs/ has published systems")
    except ValueError as error:
        parser.error(str(error))
    if own:
        facts = json.loads(FACTS.read_text(encoding="utf-8"))
        for board, system, file in own:
            try:
                alone = single_board(board, system, file)
            except PredictionError as error:
                sys.exit(f"error: {error}")
            folder = args.folder / "own" / system
            results = evaluate_board(alone, folder, workers=args.workers)
            facts["boards"] = [
                add_system(each, alone, results) if each["name"] == board.name else each
                for each in facts["boards"]
            ]
        _write_facts(args.facts, facts)
        return
    parts, cases = [], []
    for board in every.values():
        results = evaluate_board(board, args.folder, workers=args.workers)
        parts.append(board_facts(board, results))
        cases += [case_facts(*entry, results=results) for entry in CASES if entry[0] == board.name]
    facts = {
        "situations": {letter: situation.value for situation, letter in LETTERS.items()},
        "boards": parts,
        "cases": cases,
    }
    _write_facts(args.facts, facts)


def _write_facts(path: Path, facts: JsonObject) -> None:
    path.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_system(text: str, every: Mapping[str, Board]) -> tuple[Board, str, Path]:
    """``BOARD:NAME=FILE``, read.

    Raises:
        ValueError: it is none, or the name is a published system's.
    """
    entry, _, file = text.partition("=")
    name, _, system = entry.partition(":")
    if name not in every:
        raise ValueError(f"there is no board {name!r} in {text!r}: give BOARD:NAME=FILE")
    if not system or "/" in system or system.startswith("."):
        raise ValueError(f"{text!r} names no system: give BOARD:NAME=FILE, NAME without a slash")
    if system in every[name].predictions:
        raise ValueError(f"{system} is a published system of {name}: choose another name")
    if not Path(file).is_file():
        raise ValueError(f"there is no file {file!r}")
    return every[name], system, Path(file).resolve()


if __name__ == "__main__":
    main()

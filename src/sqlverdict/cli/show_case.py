"""How one case of a run is printed, by ``show`` and by ``demo``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.evidence import Refuted, Related
from sqlverdict.reasons import reason_words
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.report.one_run.answers import answer_lines
from sqlverdict.report.one_run.case import (
    VERDICTS,
    because,
    other_policies,
    piece_lines,
    prediction_text,
    shown_evidence,
)
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.report.one_run.score_parts import case_score
from sqlverdict.report.one_run.sections import usage_words
from sqlverdict.report.one_run.witness import witness_lines
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import printable
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.score.deciding import VERDICT, deciding_metric, reasons_by, verdict_by

_WITHOUT_SQL = (Reason.REFUSED_IN_WORDS, Reason.NO_SQL_PRODUCED, Reason.ANSWERED_UNANSWERABLE)
"""Reasons for which no answer was compared: "wrong answer" would say too little."""
_RESULT = "-- result "
"""How the log begins to write a gold or a prediction that is a result and no query."""


def show_case(screen: Screen, result: Result, folder: Path, manifest: Manifest) -> None:
    """One case in full.

    Args:
        screen: Where to.
        result: The case.
        folder: Its run's folder, so that files are named where they lie.
        manifest: The run's manifest: what decides, by which policy.
    """
    level = f", {result.difficulty}" if result.difficulty else ""
    answerable = "" if result.answerable else ", unanswerable"
    screen.line(f"{result.id} ({result.db_id}{level}{answerable})", "heading")
    _field(screen, "in short", first_sentence(result, because(result)))
    _field(screen, "question", result.full_question)
    if result.knowledge:
        _field(screen, "knowledge", result.knowledge)
    for gold in result.gold or ("(none: no query answers this question)",):
        _field(screen, "gold", gold)
    confidence = "" if result.confidence is None else f"  (confidence {result.confidence:g})"
    _field(screen, "prediction", prediction_text(result) + confidence)
    _show_verdict(screen, result, manifest)
    for piece in shown_evidence(result):
        for line in piece_lines(piece, folder, has_rows=result.answers is not None):
            _field(screen, "" if line.startswith(" ") else "evidence", line)
        if isinstance(piece, Refuted):
            _field(screen, "witness", "\n".join(witness_lines(piece)))
    _field(screen, "rows", "\n".join(answer_lines(result.answers)))


def _show_verdict(screen: Screen, result: Result, manifest: Manifest) -> None:
    """What the run calls the case, what decides that, and why."""
    deciding = deciding_metric(manifest.metrics, manifest.binary)
    verdict, why = verdict_by(result, deciding), reasons_by(result, deciding)
    by_policy = deciding in (None, VERDICT)
    details = [f"policy {manifest.policy}" if by_policy else f"by {deciding}"]
    if verdict is Verdict.UNSCORED:
        details = [f"fault: {result.fault}"] if result.fault else []
    elif result.abstained or not result.answerable:
        # Settled before any policy or metric is asked.
        details = []
    brackets = f" ({', '.join(details)})" if details else ""
    style = "good" if verdict in (Verdict.CORRECT, Verdict.ABSTAINED_RIGHT) else "bad"
    meaning = reason_words(why[0]) if why and why[0] in _WITHOUT_SQL else VERDICTS[verdict]
    _field(screen, "verdict", f"{verdict}{brackets}: {meaning}", style)
    for reason in why:
        words = reason_words(reason)
        _field(screen, "reason", f"{words} ({reason})" if words != meaning else str(reason))
    if by_policy:
        _field(screen, "because", because(result))
        judged = "judge" in manifest.stages
        _field(screen, "policies", other_policies(result, manifest.policy, judged=judged))


def show_more(screen: Screen, result: Result, manifest: Manifest) -> None:
    """The figures of a case: what it counts as under each metric, timings, tags."""
    scores = {label: case_score(result, label, manifest.binary) for label in manifest.metrics}
    _field(screen, "scores", ", ".join(f"{label} {_score(each)}" for label, each in scores.items()))
    times = [f"{side} {seconds * 1000:.2f} ms" for side, seconds in result.timings.items()]
    _field(screen, "time", ", ".join(times))
    _field(screen, "usage", usage_words(result.usage))
    for key, text in result.tags.items():
        _field(screen, key, text)


def _score(score: float | str | None) -> str:
    if score is None:
        return "unscored"
    return score if isinstance(score, str) else f"{score:g}"


def is_unexplained(result: Result) -> bool:
    """Whether the answers differ on the real data, and the log has no small database for it."""
    is_different = any(
        isinstance(piece, Related) and not piece.recorded for piece in result.evidence
    )
    has_queries = result.prediction is not None and not result.prediction.startswith(_RESULT)
    return is_different and has_queries and not _gold(result).startswith(_RESULT)


def show_search(
    screen: Screen, result: Result, manifest: Manifest, databases: Mapping[str, str]
) -> None:
    """The command that searches for a small database on which the two queries differ.

    Args:
        screen: Where to.
        result: The case, one that :func:`is_unexplained`.
        manifest: The run's manifest.
        databases: The databases of cases, by id.
    """
    database = databases.get(result.id)
    queries = [_gold(result), result.prediction or ""]
    options = ["--db", database or "DATABASE"]
    if manifest.preset != DEFAULT_PRESET:
        options += ["--preset", manifest.preset]
    words = ["sqlverdict", "refute", *queries, *options]
    if any(query.startswith("-") for query in queries):
        # A query that begins with a comment is no option.
        words = ["sqlverdict", "refute", *options, "--", *queries]
    missing = "" if database else f"; the run does not say where the database {result.db_id} is"
    _field(screen, "next", f"search for a small database on which they differ{missing}:")
    # No indentation: the lines of a query are copied as they are.
    screen.line(" ".join(map(_shell_word, words)))


def _shell_word(text: str) -> str:
    """A word for a shell; SQL with quotes stays readable where double quotes can hold it."""
    if "'" in text and not set(text) & set('"$`\\!'):
        return f'"{text}"'
    return shlex.quote(text)


def _gold(result: Result) -> str:
    """The gold that was compared with the prediction."""
    index = 0 if result.answers is None else result.answers.gold
    return result.gold[index] if index < len(result.gold) else ""


def _field(screen: Screen, name: str, text: str, style: str = "") -> None:
    if text:
        indented = printable(text).replace("\n", "\n" + " " * 14)
        screen.line(f"  {name:<11} {indented}", style)

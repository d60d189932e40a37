"""A composition over many cases: a predictions file that grows, and its manifest beside it.

Every answered case is one line; the same call goes on where it stopped. The file holds whole lines
only, and one process at a time writes to it. A case whose model could not be asked is not written:
a missing prediction is never an abstention.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from sqlverdict import __version__
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.decision import Decision
from sqlverdict.abstain.learn.saved import read_json, write_json
from sqlverdict.abstain.method import Ask, Tools
from sqlverdict.abstain.predictions import line_of
from sqlverdict.abstain.prompting.prompt import PROMPTS
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.errors import DataError, OptionName, RunLogError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.lock import writing_file
from sqlverdict.files.sealed import AppendFile
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Case

_CHUNK = 128
_TEXTLESS = ("recorded", "abstain_all")
"""Generators that answer without reading the question."""


@dataclass
class SessionCounts:
    """How many questions were answered, held back or failed.

    Attributes:
        cases: All cases.
        resumed: Those answered by an earlier call.
        answered: Cases with a query.
        no_sql: Cases whose text holds no query, and that nobody held back.
        abstained: Abstentions, by who held back.
        open: Cases without an answer because a model could not be asked.
        problem: Why, for one of them.
        budget: Whether the cost limit was the reason.
    """

    cases: int = 0
    resumed: int = 0
    answered: int = 0
    no_sql: int = 0
    abstained: Counter[str] = field(default_factory=Counter)
    open: int = 0
    problem: str = ""
    budget: bool = False

    def add(self, decision: Decision) -> None:
        """Count one decision."""
        if decision.problem is not None:
            self.open += 1
            self.problem = self.problem or decision.problem.message
            self.budget = self.budget or decision.problem.budget
        elif decision.abstained:
            self.abstained[decision.by] += 1
        elif decision.sql is None:
            self.no_sql += 1
        else:
            self.answered += 1


def manifest_path(out: Path) -> Path:
    """Where the manifest of a predictions file lies: ``p.jsonl`` has ``p.manifest.json``."""
    return out.with_name(f"{out.stem}.manifest.json")


def answer_cases(
    fitted: FittedComposition,
    cases: Iterable[Case],
    out: Path,
    tools: Tools,
    *,
    inputs: Mapping[str, str],
    schemas: Mapping[str, Schema] | None = None,
    overwrite: bool = False,
) -> SessionCounts:
    """Answer cases and write the predictions.

    Args:
        fitted: The composition, fitted.
        cases: The cases, which are gone through twice; their golds are not looked at.
        out: The predictions file, JSONL.
        tools: What methods may use beside their input.
        inputs: What else decides the answers: digests of the benchmark and of what was learned.
        schemas: Schemas by database, for cases without a database file.
        overwrite: Start anew where the file holds other predictions.

    Raises:
        RunLogError: the file holds predictions of something else.
        UsageError: another process is writing to it.
        OSError: it cannot be written; it holds what was answered before.
    """
    with writing_file(out):
        return _answer_cases(fitted, cases, out, tools, inputs, schemas, overwrite)


def _answer_cases(
    fitted: FittedComposition,
    cases: Iterable[Case],
    out: Path,
    tools: Tools,
    inputs: Mapping[str, str],
    schemas: Mapping[str, Schema] | None,
    overwrite: bool,
) -> SessionCounts:
    databases = DatabaseIndex.of(cases, schemas)
    about = _about(fitted, tools, {**inputs, "databases": databases.digest()})
    done = _done(out, about, overwrite)
    tally = SessionCounts(resumed=len(done))
    started = datetime.now(UTC).isoformat(timespec="seconds")
    write_json(manifest_path(out), about | {"started": started, "finished": ""})
    reads = fitted.generator.name not in _TEXTLESS
    waiting = _waiting(cases, done, tally, reads)
    with closing(AppendFile(out)) as file:
        while chunk := list(islice(waiting, _CHUNK)):
            asks = [databases.ask(case) for case in chunk]
            decisions = fitted.answer(asks, tools)
            lines = [_line(each) + "\n" for each in decisions if each.problem is None]
            file.append("".join(lines).encode())
            for decision in decisions:
                tally.add(decision)
            if tally.budget:
                break
    finished = datetime.now(UTC).isoformat(timespec="seconds") if not tally.open else ""
    counts = {
        "cases": tally.cases,
        "answered": tally.answered,
        "no_sql": tally.no_sql,
        "abstained": dict(tally.abstained),
        "open": tally.open,
    }
    write_json(
        manifest_path(out),
        about | {"started": started, "finished": finished, "last_call": counts},
    )
    return tally


def _waiting(
    cases: Iterable[Case], done: set[str], tally: SessionCounts, reads: bool
) -> Iterator[Case]:
    """The cases that are still to be answered; without its text no question can be."""
    for case in cases:
        tally.cases += 1
        if case.id in done:
            continue
        if reads and not case.question.strip():
            tally.open += 1
            tally.problem = f"the text of question {case.id!r} is not known."
            continue
        yield case


def _line(decision: Decision) -> str:
    ask: Ask = decision.ask
    return line_of(decision.prediction(), ask.db_id, decision.draft, decision.about())


def _about(fitted: FittedComposition, tools: Tools, inputs: Mapping[str, str]) -> dict[str, Any]:
    deciding = {
        **fitted.about(),
        "model": tools.model,
        "prompts": _prompts(tools) if "answerer" in fitted.needs else {},
        "seed": tools.seed,
        "max_tokens": tools.max_tokens,
        "inputs": dict(inputs),
        "sqlverdict": __version__,
    }
    digest = hashlib.sha256(json.dumps(deciding, sort_keys=True).encode())
    return deciding | {"fingerprint": digest.hexdigest()}


def _prompts(tools: Tools) -> dict[str, int | str]:
    """The versions of our prompts, and a digest of the user's own."""
    versions: dict[str, int | str] = {name: PROMPTS.load(name).version for name in PROMPTS.names()}
    own = {} if tools.prompts is None else {"own": PROMPTS.digest(tools.prompts)}
    return versions | own


def _done(out: Path, about: Mapping[str, Any], overwrite: bool) -> set[str]:
    """The ids that an earlier, equal call has answered."""
    if not out.exists() or not out.stat().st_size:
        return set()
    if overwrite:
        out.unlink()
        return set()
    try:
        earlier = read_json(manifest_path(out))
    except DataError as error:
        raise RunLogError(
            f"{out} is there already and has no manifest. Give another ",
            OptionName("out"),
            ", or ",
            OptionName("overwrite", True),
            reason="unknown_inputs",
        ) from error
    if earlier.get("fingerprint") != about["fingerprint"]:
        changed = [name for name in about if earlier.get(name) != about[name]]
        changed = [name for name in changed if name not in ("fingerprint", "inputs")]
        before, now = earlier.get("inputs", {}), about["inputs"]
        changed += [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
        raise RunLogError(
            f"{out} holds predictions of something else ({', '.join(changed)} differ). Give "
            "another ",
            OptionName("out"),
            ", or start over with ",
            OptionName("overwrite", True),
            reason="another_run",
        )
    return _whole_lines(out)


def _whole_lines(out: Path) -> set[str]:
    """The ids in a predictions file; a last line that was cut off is taken away.

    A line ends with its line feed: without it, the next one would be written behind it.
    """
    end = 0
    ids: set[str] = set()
    content = out.read_bytes()
    # Bytes, for a text may hold other characters that end a line.
    for line in content.splitlines(keepends=True):
        try:
            case_id = str(json.loads(line)["id"])
        except (ValueError, KeyError, TypeError):
            break
        if not line.endswith(b"\n"):
            break
        ids.add(case_id)
        end += len(line)
    if end < len(content):
        write_at_once(out, content[:end])
    return ids

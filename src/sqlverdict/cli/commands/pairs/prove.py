"""Prove that two queries agree on every legal database, or check a saved proof."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, argument, group, option
from sqlverdict.cli.options.pair import PairOfQueries, SchemaArgs, check_queries, query_text
from sqlverdict.cli.options.shared import FILE, json_option, print_json
from sqlverdict.dialects import dialect_of
from sqlverdict.errors import Contradiction, UsageError
from sqlverdict.execute.engine import ENGINES
from sqlverdict.files.references import file_of
from sqlverdict.files.text import count
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.certificate import (
    check_certificate,
    load_certificate,
    make_certificate,
    save_certificate,
)
from sqlverdict.prove.check import CheckedProof, InvalidProof, replay_lines
from sqlverdict.prove.differing_clauses import differing_clauses
from sqlverdict.prove.on_data import prove_on_data, where_both_run
from sqlverdict.prove.profile import PROFILES
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.resolve.readable import with_own_words
from sqlverdict.records import Query
from sqlverdict.report.terminal.console import Screen
from sqlverdict.run.plan import SOUND

NOT_PROVED = 1
"""The exit code where there is no proof, the checker rejects it, or the data break it."""

_EXAMPLES = (
    "sqlverdict prove 'SELECT DISTINCT id FROM singer' 'SELECT id FROM singer' \\",
    "    --schema schema.sql",
    "sqlverdict prove @gold.sql @mine.sql --schema tables.json --db-id concert_singer",
    "sqlverdict prove @gold.sql @mine.sql --db pets_1.sqlite --without join_to_parent_is_idle",
    "sqlverdict prove @gold.sql @mine.sql --schema schema.sql --out proof.json",
    "sqlverdict prove --check proof.json",
)


@dataclass(frozen=True, kw_only=True)
class ProveArgs:
    """The options of ``prove``."""

    gold: str | None = argument(metavar="[GOLD", required=False)
    prediction: str | None = argument(metavar="PRED]", required=False)
    source: SchemaArgs = group(SchemaArgs)
    engine: str | None = option(
        "--engine",
        rare=True,
        heading=Heading.DATA,
        help="The engine that the queries of a --schema are written for. [default: sqlite]",
    )
    profile: str = option(
        "--profile", default="sound", heading=Heading.EVIDENCE, help="Which rules to use."
    )
    without: tuple[str, ...] = option(
        "--without",
        multiple=True,
        metavar="RULE",
        heading=Heading.EVIDENCE,
        help="Do not use this rule. Repeatable.",
    )
    facts: bool = option(
        "--facts", is_flag=True, help="Show what the schema says about the tables."
    )
    out: Path | None = option("--out", type=FILE, help="Save the proof in this file.")
    check: Path | None = option(
        "--check",
        type=FILE,
        heading=Heading.DATA,
        help="Check the proof in this file, without queries.",
    )
    as_json: bool = json_option()


@command(ProveArgs, examples=_EXAMPLES)
def prove(args: ProveArgs) -> int:
    """Rewrite GOLD and PRED by rules until they are the same, and show every step.

    GOLD and PRED are SQL, or @FILE. A proof is about every database that obeys the schema. With
    --db, the facts that it uses are checked on that database: if the data break one, the proof
    holds under the declared schema only, and the broken facts are shown. If no proof is found, the
    two may still be equal: both normal forms are shown, and what only one of them has. The exit
    code is 0 if there is a proof (or the saved one holds), 1 if not or if the data break it, and 2
    if a query does not parse or run.
    """
    if args.check is not None:
        if args.gold is not None or args.out is not None:
            raise UsageError("--check takes a file and no queries; leave out GOLD, PRED and --out")
        return _check(args.check, args)
    if args.gold is None or args.prediction is None:
        raise UsageError("give two queries, GOLD and PRED, or --check FILE")
    schema = args.source.read()
    source = args.source
    if args.engine is not None and source.db is not None:
        raise UsageError("--engine goes with --schema: --db says by itself which engine it has")
    texts = query_text(args.gold), query_text(args.prediction)
    pair = PairOfQueries(*texts, schema, args.engine or source.engine, source.db)
    check_queries(pair)
    return _prove(pair, args)


def _check(file: Path, args: ProveArgs) -> int:
    saved = load_certificate(file)
    has_schema = args.source.db is not None or args.source.schema is not None
    verdict = check_certificate(saved, args.source.read() if has_schema else None)
    if args.as_json:
        print_json(_verdict_json(saved.proof, verdict))
    else:
        _show_check(saved.proof, verdict)
    return 0 if verdict.holds else NOT_PROVED


def _prove(pair: PairOfQueries, args: ProveArgs) -> int:
    with ExitStack() as stack:
        session = None
        engine = ENGINES.get(pair.engine)
        if pair.database is not None and not engine.in_python:
            session = engine.open(pair.database, pair.limits)
            stack.callback(session.close)
        result = prove_on_data(
            parse(pair.gold, pair.dialect),
            parse(pair.prediction, pair.dialect),
            pair.schema,
            engine,
            file_of(pair.database) if pair.database and args.profile == SOUND else None,
            profile=args.profile,
            without=frozenset(args.without),
            run=session.run if session is not None else None,
        )
        if session is not None:
            result = where_both_run(result, session.run)
    facts = _facts(pair) if args.facts else []
    if isinstance(result, Proof):
        return _proved(result, pair.schema, facts, args)
    if result.declared is not None:
        return _proved(result.declared, pair.schema, facts, args, result.broken)
    if args.as_json:
        print_json({**_not_proved_json(result), **({"facts": facts} if args.facts else {})})
    else:
        _show_not_proved(result, facts)
    return NOT_PROVED


def _proved(
    proof: Proof,
    schema: Schema,
    facts: list[str],
    args: ProveArgs,
    broken: tuple[str, ...] = (),
) -> int:
    checkable = make_certificate(proof, schema)
    verdict = check_certificate(checkable)
    if args.out is not None:
        save_certificate(checkable, args.out)
    if not verdict.holds:
        raise Contradiction(
            f"the checker rejects the prover's proof: {_why(verdict)}. This is a bug of "
            "sqlverdict: please report it with the two queries and the schema"
        )
    if args.as_json:
        more: dict[str, Any] = {"unchecked": proof.unchecked, "open_choices": proof.open_choices}
        if args.facts:
            more |= {"facts": facts}
        if broken:
            more |= {"verdict": "proved_under_declared_schema", "broken": broken}
        print_json({**_verdict_json(proof, verdict), **more})
    else:
        _show_proof(proof, verdict, facts, args.out, broken)
    return NOT_PROVED if broken else 0


def _facts(pair: PairOfQueries) -> list[str]:
    """What the schema says about the tables of the queries, in words."""
    tables = set()
    for _, sql in pair.queries:
        query = parse(sql, pair.dialect)
        if isinstance(query, Query):
            tables |= set(map(fold, query.tables))
    facts = facts_of(pair.schema, pair.dialect)
    return sorted(str(fact) for fact in facts if fold(fact.table) in tables)


def _why(verdict: CheckedProof) -> str:
    if not isinstance(verdict, InvalidProof):
        return ""
    where = "" if verdict.step is None else f"step {verdict.step + 1}: "
    return f"{where}{verdict.why}"


def _verdict_json(proof: Proof, verdict: CheckedProof) -> dict[str, Any]:
    return {
        "verdict": "proved_equivalent" if verdict.holds else "rejected",
        "reason": verdict.reason if isinstance(verdict, InvalidProof) else None,
        "why": _why(verdict),
        "profile": proof.profile,
        "trust": proof.trust,
        "dialect": proof.dialect,
        "rules": proof.rules,
        "gold": proof.gold_sql,
        "prediction": proof.prediction_sql,
        "lines": [
            {"side": line.side, "statement": line.statement, "sql": line.sql}
            for line in verdict.lines
        ],
        "form": proof.form,
        "columns": proof.columns,
    }


def _not_proved_json(result: NotProved) -> dict[str, Any]:
    return {
        "verdict": "not_proved",
        "message": result.message,
        "reason": None if result.reason is None else str(result.reason),
        "gold_form": result.gold_form,
        "prediction_form": result.prediction_form,
        "rules": result.rules,
        "only_in": _differing_clauses(result),
    }


def _differing_clauses(result: NotProved) -> dict[str, tuple[str, ...]]:
    if not result.gold_form or not result.prediction_form:
        return {"gold": (), "prediction": ()}
    return differing_clauses(result.gold_form, result.prediction_form)


def _show_proof(
    proof: Proof,
    verdict: CheckedProof,
    facts: list[str],
    saved: Path | None,
    broken: tuple[str, ...],
) -> None:
    screen = Screen()
    steps = count(len(proof.steps), "step")
    where = "under the declared schema only, " if broken else ""
    style = "warning" if broken else "good"
    title = dialect_of(proof.dialect).title or proof.dialect
    screen.line(f"proved {where}in {steps} ({proof.profile}; trust: {proof.trust}; {title})", style)
    screen.line(f"this shows: {PROFILES.get(proof.profile).about}", "quiet")
    _show_data(proof, broken)
    _show_facts(facts)
    screen.line()
    for line in replay_lines(verdict):
        screen.line(line)
    if proof.columns and list(proof.columns) != sorted(proof.columns):
        order = ", ".join(str(index + 1) for index in proof.columns)
        screen.line(f"the gold's columns are the prediction's columns {order}")
    if saved is not None:
        screen.line()
        screen.line(f"saved in {saved}; check it with: sqlverdict prove --check {saved}")


def _show_data(proof: Proof, broken: tuple[str, ...]) -> None:
    """What the real data say about the facts that a proof uses."""
    screen = Screen()
    if broken:
        screen.heading("the data break what the proof uses, so it says nothing about them")
    for each in broken:
        screen.line(f"  {each}", "bad")
    for each in proof.left_out:
        screen.line(f"the proof does without what the data break: {each}", "quiet")
    for each in proof.unchecked:
        screen.line(each, "warning")
    for choice in proof.open_choices:
        screen.line(f"both leave open {choice}", "quiet")


def _show_not_proved(result: NotProved, facts: list[str]) -> None:
    screen = Screen()
    screen.line(f"not proved: {result.message}", "warning")
    screen.line("this does not show that they differ; sqlverdict refute searches for that", "quiet")
    _show_facts(facts)
    if not result.gold_form:
        return
    for side, form in (("gold", result.gold_form), ("prediction", result.prediction_form)):
        screen.heading(f"the {side} becomes")
        screen.line(f"  {with_own_words(form)}")
    for side, parts in _differing_clauses(result).items():
        if parts:
            screen.heading(f"only in the {side}")
            for part in parts:
                screen.line(f"  {with_own_words(part)}")
    screen.line()
    screen.line(f"rules that fired: {', '.join(result.rules) or 'none'}", "quiet")


def _show_check(proof: Proof, verdict: CheckedProof) -> None:
    screen = Screen()
    for line in replay_lines(verdict):
        screen.line(line)
    screen.line()
    if verdict.holds:
        steps = count(len(proof.steps), "step")
        screen.line(f"the proof holds: {steps} ({proof.profile}; trust: {proof.trust})", "good")
    else:
        screen.line(f"rejected: {_why(verdict)}", "bad")


def _show_facts(facts: list[str]) -> None:
    screen = Screen()
    if facts:
        screen.heading("what the schema says")
    for fact in facts:
        screen.line(f"  {fact}")

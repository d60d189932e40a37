"""Prove that two queries agree on every legal database, step by step; or check a kept proof."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import ANY_PATH, FILE, as_json, examples, null_keys, print_json

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema
    from sqlverdict.prove.check import Verdict
    from sqlverdict.prove.proof import NotProved, Proof

REJECTED = 1
NOT_KEPT = 1


@click.command(
    epilog=examples(
        "sqlverdict prove 'SELECT DISTINCT id FROM singer' 'SELECT id FROM singer' \\",
        "    --schema schema.sql",
        "sqlverdict prove @gold.sql @mine.sql --schema tables.json --db-id concert_singer",
        "sqlverdict prove @gold.sql @mine.sql --db pets_1.sqlite --without join_to_parent_is_idle",
        "sqlverdict prove @gold.sql @mine.sql --schema schema.sql --save proof.json",
        "sqlverdict prove --check proof.json",
    )
)
@click.argument("gold", metavar="[GOLD", required=False)
@click.argument("prediction", metavar="PRED]", required=False)
@click.option("--db", type=FILE, help="A SQLite database: its schema and its data.")
@click.option("--schema", type=ANY_PATH, help="tables.json, .sql, DDL JSON, a folder.")
@click.option("--db-id", help="Which database, where --schema holds several.")
@null_keys
@click.option("--profile", default="sound", show_default=True, help="Which rules.")
@click.option("--without", multiple=True, metavar="RULE", help="Switch a rule off; repeatable.")
@click.option("--facts", is_flag=True, help="Show what the schema says about the tables.")
@click.option("--save", type=FILE, help="Keep the proof in this file.")
@click.option("--check", type=FILE, help="Check the proof in this file; no queries are given.")
@as_json
def prove(**said: Any) -> int:
    """Rewrite GOLD and PRED by rules until they are the same, and show every step.

    GOLD and PRED are SQL, or @FILE. A proof speaks about every database that obeys the schema.
    With --db, the facts that it uses are checked on that database: where the data break one, the
    proof holds under the declared schema only, and the broken facts are shown. Not finding a
    proof never means that the two differ: both normal forms are shown, and what only one of them
    has. Exit code 0 where a proof was found (or the kept one holds), 1 where not or where the
    data break it, 2 where a query does not parse or run.
    """
    from sqlverdict.errors import UsageError

    if said["check"] is not None:
        if said["gold"] is not None or said["save"] is not None:
            raise UsageError("--check takes a file and no queries; leave GOLD, PRED, --save out")
        return _check(said)
    if said["gold"] is None or said["prediction"] is None:
        raise UsageError("give two queries, GOLD and PRED, or --check FILE")
    return _prove(said)


def _check(said: dict[str, Any]) -> int:
    from sqlverdict.cli.options.pair import one_schema
    from sqlverdict.prove.certificate import check_certificate, load

    kept = load(said["check"])
    given = said["db"] is not None or said["schema"] is not None
    schema = (
        one_schema(said["db"], said["schema"], said["db_id"], null_keys=said["null_keys"])
        if given
        else None
    )
    verdict = check_certificate(kept, schema)
    if said["as_json"]:
        print_json(_verdict_json(kept.proof, verdict))
    else:
        _show_check(kept.proof, verdict)
    return 0 if verdict.holds else REJECTED


def _prove(said: dict[str, Any]) -> int:
    from sqlverdict.cli.options.pair import PairRequest, one_schema, problems, query_text
    from sqlverdict.errors import UsageError
    from sqlverdict.prove.on_data import prove_on_data
    from sqlverdict.prove.proof import Proof
    from sqlverdict.run.prove_stage import SOUND

    schema = one_schema(said["db"], said["schema"], said["db_id"], null_keys=said["null_keys"])
    gold, prediction = query_text(said["gold"]), query_text(said["prediction"])
    broken = problems(
        PairRequest(gold, prediction, schema, None, "strict", 1, 1.0, 0, None, bank=False)
    )
    if broken:
        raise UsageError(". ".join(f"the {side} query: {why}" for side, why in broken.items()))
    found = prove_on_data(
        gold,
        prediction,
        schema,
        said["db"] if said["profile"] == SOUND else None,
        profile=said["profile"],
        without=frozenset(said["without"]),
    )
    facts = _facts(schema, gold, prediction) if said["facts"] else []
    if isinstance(found, Proof):
        return _proved(found, schema, facts, said)
    if found.declared is not None:
        return _proved(found.declared, schema, facts, said, found.broken)
    if said["as_json"]:
        print_json({**_not_proved_json(found), **({"facts": facts} if said["facts"] else {})})
    else:
        _show_not_proved(found, facts)
    return 1


def _proved(
    proof: Proof,
    schema: Schema,
    facts: list[str],
    said: dict[str, Any],
    broken: tuple[str, ...] = (),
) -> int:
    from sqlverdict.errors import Contradiction
    from sqlverdict.prove.certificate import certificate, check_certificate, save

    kept = certificate(proof, schema)
    verdict = check_certificate(kept)
    if said["save"] is not None:
        save(kept, said["save"])
    if not verdict.holds:
        raise Contradiction(
            f"the checker rejects the prover's proof: {_why(verdict)}. This is a bug of ours: "
            "please report it with the two queries and the schema"
        )
    if said["as_json"]:
        more: dict[str, Any] = {"facts": facts} if said["facts"] else {}
        if broken:
            more |= {"verdict": "proved_under_declared_schema", "broken": broken}
        print_json({**_verdict_json(proof, verdict), "unchecked": proof.unchecked, **more})
    else:
        _show_proof(proof, verdict, facts, said["save"], broken)
    return NOT_KEPT if broken else 0


def _facts(schema: Schema, *queries: str) -> list[str]:
    """What the schema says about the tables that the queries name, in words."""
    from sqlverdict.parse.facts import facts_of
    from sqlverdict.parse.query import parse
    from sqlverdict.parse.tokens import fold
    from sqlverdict.records import Query

    named = set()
    for sql in queries:
        query = parse(sql)
        if isinstance(query, Query):
            named |= set(map(fold, query.tables))
    return sorted(str(fact) for fact in facts_of(schema) if fold(fact.table) in named)


def _why(verdict: Verdict) -> str:
    from sqlverdict.prove.check import InvalidProof

    if not isinstance(verdict, InvalidProof):
        return ""
    where = "" if verdict.step is None else f"step {verdict.step + 1}: "
    return f"{where}{verdict.why}"


def _verdict_json(proof: Proof, verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": "proved_equivalent" if verdict.holds else "rejected",
        "why": _why(verdict),
        "profile": proof.profile,
        "trust": proof.trust,
        "rules": proof.rules,
        "gold": proof.gold_sql,
        "prediction": proof.prediction_sql,
        "lines": [
            {"side": line.side, "said": line.said, "sql": line.sql} for line in verdict.lines
        ],
        "form": proof.form,
        "columns": proof.columns,
    }


def _not_proved_json(found: NotProved) -> dict[str, Any]:
    return {
        "verdict": "not_proved",
        "message": found.message,
        "reason": None if found.reason is None else str(found.reason),
        "gold_form": found.gold_form,
        "prediction_form": found.prediction_form,
        "rules": found.rules,
        "only_in": _unlike(found),
    }


def _unlike(found: NotProved) -> dict[str, tuple[str, ...]]:
    from sqlverdict.prove.differing_clauses import unlike

    if not found.gold_form or not found.prediction_form:
        return {"gold": (), "prediction": ()}
    return unlike(found.gold_form, found.prediction_form)


def _show_proof(
    proof: Proof,
    verdict: Verdict,
    facts: list[str],
    saved: Path | None,
    broken: tuple[str, ...],
) -> None:
    from sqlverdict.prove.check import explained
    from sqlverdict.prove.profile import PROFILES
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    count = len(proof.steps)
    steps = f"{count} step{'' if count == 1 else 's'}"
    where = "under the declared schema only, " if broken else ""
    style = "warning" if broken else "good"
    screen.line(f"proved {where}in {steps} ({proof.profile}; trust: {proof.trust})", style)
    screen.line(f"this shows: {PROFILES.get(proof.profile).about}", "quiet")
    _show_data(proof, broken)
    _show_facts(facts)
    screen.line()
    for line in explained(verdict):
        screen.line(line)
    if proof.columns and list(proof.columns) != sorted(proof.columns):
        order = ", ".join(str(place + 1) for place in proof.columns)
        screen.line(f"the gold's columns are the prediction's columns {order}")
    if saved is not None:
        screen.line()
        screen.line(f"kept in {saved}; check it with: sqlverdict prove --check {saved}")


def _show_data(proof: Proof, broken: tuple[str, ...]) -> None:
    """What the real data say about the facts that a proof uses."""
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    if broken:
        screen.heading("the data break what the proof uses, so it says nothing about them")
    for each in broken:
        screen.line(f"  {each}", "bad")
    for each in proof.left_out:
        screen.line(f"the proof does without what the data break: {each}", "quiet")
    for each in proof.unchecked:
        screen.line(each, "warning")


def _show_not_proved(found: NotProved, facts: list[str]) -> None:
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    screen.line(f"not proved: {found.message}", "warning")
    screen.line("this does not say that they differ; sqlverdict refute searches for that", "quiet")
    _show_facts(facts)
    if not found.gold_form:
        return
    for side, form in (("gold", found.gold_form), ("prediction", found.prediction_form)):
        screen.heading(f"the {side} becomes")
        screen.line(f"  {form}")
    for side, parts in _unlike(found).items():
        if parts:
            screen.heading(f"only in the {side}")
            for part in parts:
                screen.line(f"  {part}")
    screen.line()
    screen.line(f"rules that fired: {', '.join(found.rules) or 'none'}", "quiet")


def _show_check(proof: Proof, verdict: Verdict) -> None:
    from sqlverdict.prove.check import explained
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    for line in explained(verdict):
        screen.line(line)
    screen.line()
    if verdict.holds:
        count = len(proof.steps)
        said = f"{count} step{'' if count == 1 else 's'}"
        screen.line(f"the proof holds: {said} ({proof.profile}; trust: {proof.trust})", "good")
    else:
        screen.line(f"rejected: {_why(verdict)}", "bad")


def _show_facts(facts: list[str]) -> None:
    from sqlverdict.report.terminal.console import Screen

    screen = Screen()
    if facts:
        screen.heading("what the schema says")
    for fact in facts:
        screen.line(f"  {fact}")

"""Show all evidence there is about two queries: parse, execution, relations, witness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import examples, print_json
from sqlverdict.cli.options.pair import pair_options

if TYPE_CHECKING:
    from sqlverdict.cli.options.pair import PairRequest
    from sqlverdict.report.terminal.console import Screen


@click.command(
    epilog=examples(
        "sqlverdict pair 'SELECT max(age) FROM singer' \\",
        "    'SELECT age FROM singer ORDER BY age DESC LIMIT 1' --db concert_singer.sqlite",
        "sqlverdict pair @gold.sql @mine.sql --schema tables.json --db-id concert_singer --json",
    )
)
@pair_options
def pair(**said: Any) -> int:
    """Explain what can be known about GOLD and PRED, SQL or @FILE.

    What each is made of; with --db, what they return there and how the answers relate; and
    whether a database on which they differ was found. Exit code 2 where one does not parse or
    run.
    """
    from sqlverdict.cli.options.pair import asked, problems, refutation_json, saved, search
    from sqlverdict.refute.witness import NotRefuted
    from sqlverdict.report.terminal.console import Screen

    given = asked(said)
    broken = problems(given)
    parsed = {side: _made_of(sql) for side, sql in given.queries}
    real = _on_database(given) if given.database is not None and not broken else None
    found = None if broken else search(given)
    paths = saved(given, found) if found is not None and not isinstance(found, NotRefuted) else []
    if said["as_json"]:
        print_json(
            {
                "queries": parsed,
                "problems": broken,
                "execution": real and real["json"],
                "refutation": found and refutation_json(found, paths),
            }
        )
        return 2 if broken else 0
    screen = Screen()
    _show_parts(screen, parsed)
    for side, why in broken.items():
        screen.line(f"the {side} query: {why}", "bad")
    if real is not None:
        _show_execution(screen, given, real)
    if found is not None:
        from sqlverdict.cli.options.pair import show_refutation

        screen.heading("search for a difference")
        show_refutation(screen, found, paths)
    return 2 if broken else 0


def _made_of(sql: str) -> dict[str, Any]:
    from sqlverdict.parse.hardness import spider_hardness, trustsql_hardness
    from sqlverdict.parse.query import parse
    from sqlverdict.records import ParseFailure

    query = parse(sql)
    if isinstance(query, ParseFailure):
        return {"sql": sql, "parsed": False, "message": f"{query.reason}: {query.message}"}
    return {
        "sql": sql,
        "parsed": True,
        "tables": list(query.tables),
        "columns": list(query.columns),
        "features": sorted(query.features),
        "spider hardness": spider_hardness(sql),
        "trustsql hardness": trustsql_hardness(sql),
    }


def _on_database(given: PairRequest) -> dict[str, Any]:
    """Both queries on the real database: answers, comparison, relations."""
    from sqlverdict.compare.preset import QueryPair
    from sqlverdict.compare.related.relate import relate
    from sqlverdict.execute.engine import ENGINES, Limits
    from sqlverdict.records import Answer
    from sqlverdict.refute.trial.rebuild import compare_on

    assert given.database is not None
    session = ENGINES.get("sqlite").open(given.database, Limits())
    try:
        gold, prediction, compared = compare_on(
            session.run, given.gold, given.prediction, given.preset
        )
        relations: tuple[Any, ...] = ()
        if compared.equal is False and isinstance(gold, Answer) and isinstance(prediction, Answer):
            pair_ = QueryPair(given.gold, given.prediction, probe=session.run)
            relations = relate(gold, prediction, pair_)
    finally:
        session.close()
    shapes = {
        side: [len(found.rows), len(found.columns)]
        if isinstance(found, Answer)
        else f"{found.reason}: {found.message}"
        for side, found in (("gold", gold), ("prediction", prediction))
    }
    json = {
        "preset": given.preset,
        "equal": compared.equal,
        "reasons": [str(reason) for reason in compared.reasons],
        "message": compared.message,
        "answers": shapes,
        "relations": [{"kind": r.kind, "detail": r.detail} for r in relations],
    }
    return {"json": json, "answers": {"gold": gold, "prediction": prediction}}


def _show_parts(screen: Screen, parsed: Mapping[str, Mapping[str, Any]]) -> None:
    from sqlverdict.report.terminal.tables import table

    for side, found in parsed.items():
        screen.line(f"{side}: {found['sql']}", "heading")
    names = ("tables", "columns", "features", "spider hardness", "trustsql hardness")
    rows = [(name, *(_words(found.get(name)) for found in parsed.values())) for name in names]
    screen.table(table(("part", *parsed), rows, left=(0, 1, 2)))
    screen.line()


def _words(value: list[str] | str | None) -> str:
    return (", ".join(value) if isinstance(value, list) else value) or "none"


def _show_execution(screen: Screen, given: PairRequest, real: Mapping[str, Any]) -> None:
    from sqlverdict.cli.options.pair import show_answer
    from sqlverdict.report.one_run.case import relation_text

    found = real["json"]
    screen.heading(f"on {given.database}")
    words = {True: ("equal", "good"), False: ("different", "bad"), None: ("open", "warning")}
    word, style = words[found["equal"]]
    reasons = f": {', '.join(found['reasons'])}" if found["reasons"] else ""
    screen.line(f"{word} under the preset {given.preset}{reasons}", style)
    if found["message"]:
        screen.line(found["message"], "quiet")
    for relation in found["relations"]:
        screen.line(relation_text(relation["kind"], relation["detail"]))
    if found["equal"] is not True:
        for side, outcome in real["answers"].items():
            show_answer(screen, side, outcome, most=5)

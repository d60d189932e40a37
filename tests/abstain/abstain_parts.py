"""Small stand-ins that the tests of abstention methods share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from sqlverdict.abstain.method import Ask, Draft, TrainingExample
from sqlverdict.llm.request import NoReply, Reply, Request, TokenChoice
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case

SHOP = (
    "CREATE TABLE item (item_id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL);"
    "CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL "
    "REFERENCES item (item_id), day TEXT NOT NULL);"
)
ROWS = (
    "INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'pad', 2.5), (3, 'ink', 4.0);"
    "INSERT INTO sale VALUES (1, 1, '2024-01-01'), (2, 1, '2024-01-02'), (3, 3, '2024-01-02');"
)
SCHEMA = read_ddl(SHOP, "shop")
QUESTIONS = (
    ("How many items are there?", "SELECT count(*) FROM item"),
    ("List the names of all items.", "SELECT name FROM item"),
    ("Which items cost more than 2?", "SELECT name FROM item WHERE price > 2"),
    ("How many sales are there?", "SELECT count(*) FROM sale"),
    (
        "Which items were sold?",
        "SELECT DISTINCT item.name FROM item JOIN sale ON item.item_id = sale.item_id",
    ),
    (
        "Which item is the dearest?",
        "SELECT name FROM item WHERE price = (SELECT max(price) FROM item)",
    ),
)
STRANGE = (
    "Who won the race yesterday?",
    "What is the weather in Paris?",
    "Draw a pie chart of the prices.",
    "When was the shop's manager born?",
)


def make_database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SHOP + ROWS)
    return path


def ask(text: str, number: int = 0, database: Path | None = None) -> Ask:
    where = None if database is None else str(database)
    return Ask(f"q{number}", "shop", text, schema=SCHEMA, database=where)


def known(database: Path | None = None) -> list[TrainingExample]:
    return [TrainingExample(ask(q, n, database), sql=sql) for n, (q, sql) in enumerate(QUESTIONS)]


def strange() -> list[TrainingExample]:
    return [
        TrainingExample(Ask(f"s{n}", "none", q), answerable=False) for n, q in enumerate(STRANGE)
    ]


@dataclass
class Script:
    """An answerer whose replies a function writes; it keeps what it was asked."""

    reply: Callable[[Request], str | NoReply]
    requests: list[Request] = field(default_factory=list)
    logprobs: tuple[TokenChoice, ...] = ()
    lock: Lock = field(default_factory=Lock, repr=False)

    def ask(self, request: Request) -> Reply | NoReply:
        with self.lock:
            self.requests.append(request)
        text = self.reply(request)
        if isinstance(text, NoReply):
            return text
        return Reply(text, "stop", 1, 1, 0.0, logprobs=self.logprobs)

    @property
    def text(self) -> str:
        """All that the last request showed the model."""
        return "\n".join(message.content for message in self.requests[-1].messages)


def cases(database: Path) -> list[Case]:
    answerable = [
        Case(f"q{n}", "shop", question, (sql,), str(database))
        for n, (question, sql) in enumerate(QUESTIONS)
    ]
    return answerable + [
        Case(f"s{n}", "shop", question, (), str(database), answerable=False)
        for n, question in enumerate(STRANGE)
    ]


def drafts(*sqls: str | None, **more: object) -> dict[str, Draft]:
    return {f"q{n}": Draft(sql, **more) for n, sql in enumerate(sqls)}  # type: ignore[arg-type]

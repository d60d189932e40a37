"""Spider's questions as prompts for a small model, and the three parts that training needs.

``tuning`` and ``training`` are the training questions of different databases: a model that has
seen a question with its query samples that query alone, and a reward has nothing to tell apart.
``held_out`` are the questions of dev, whose databases are in neither part.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SPLIT_SEED = 0


@dataclass(frozen=True)
class Question:
    """A question, its gold, and what the model reads."""

    id: str
    db_id: str
    text: str
    gold: str
    prompt: str


@dataclass(frozen=True)
class Parts:
    """The questions of each part."""

    tuning: tuple[Question, ...]
    training: tuple[Question, ...]
    held_out: tuple[Question, ...]


def read_parts(spider: Path) -> Parts:
    """The three parts of a folder of Spider's files.

    A question of the last two needs its database's file. The databases of the training questions
    are shuffled once, and every second one trains; those without a file tune.
    """
    schemas = {entry["db_id"]: schema_text(entry) for entry in _read(spider / "tables.json")}
    train = _questions(spider / "train_spider.json", "train", schemas)
    dev = _questions(spider / "dev.json", "dev", schemas)
    here = {name for name in schemas if (spider / "database" / name / f"{name}.sqlite").is_file()}
    names = sorted({question.db_id for question in train} & here)
    random.Random(_SPLIT_SEED).shuffle(names)
    trains = set(names[::2])
    return Parts(
        tuning=tuple(question for question in train if question.db_id not in trains),
        training=tuple(question for question in train if question.db_id in trains),
        held_out=tuple(question for question in dev if question.db_id in here),
    )


def schema_text(entry: dict[str, Any]) -> str:
    """The tables of a database, a line each, then the pairs of columns that foreign keys join."""
    tables = entry["table_names_original"]
    columns = entry["column_names_original"]
    lines = []
    for index, table in enumerate(tables):
        names = ", ".join(name for owner, name in columns if owner == index)
        lines.append(f"{table}({names})")
    for column, target in entry["foreign_keys"]:
        (table, name), (other, key) = columns[column], columns[target]
        lines.append(f"{tables[table]}.{name} = {tables[other]}.{key}")
    return "\n".join(lines)


def _questions(path: Path, part: str, schemas: dict[str, str]) -> list[Question]:
    questions = []
    for number, entry in enumerate(_read(path)):
        text, db_id = " ".join(entry["question"].split()), entry["db_id"]
        prompt = f"{schemas[db_id]}\nQuestion: {text}\nSQL:"
        gold = " ".join(entry["query"].split())
        questions.append(Question(f"{part}-{number}", db_id, text, gold, prompt))
    return questions


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))

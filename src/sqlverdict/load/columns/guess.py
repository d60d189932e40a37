"""Which columns of a user's file are the gold, the prediction and the question, by names and cells.

The ids are guessed by ``ids.py``, where one column alone may hold them.

The cells show which columns hold queries. Their names (``words.py``) show which of two is
the gold; their order shows nothing. Two names that say nothing, such as ``query`` and ``response``,
are told apart by code blocks: models write them, authors of golds do not. Where there are more such
columns, or neither tells, nothing is taken: :class:`~sqlverdict.errors.UnclearColumns` lists the
choices.

In a table of predictions (:func:`answer_columns`) a lone column of queries is the prediction. A
column that is called ``nr`` or ``#`` holds the ids if each cell is the id of a case. Other
ids are never guessed, as a wrong one pairs answers with other questions: the message lists the
columns whose cells are ids.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import permutations, product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlverdict.errors import Choice, Part, UnclearColumns, column_option
from sqlverdict.files.sqlite import open_in_memory
from sqlverdict.files.text import few_of
from sqlverdict.load.columns.column_map import LEAVE_OUT
from sqlverdict.load.columns.ids import is_number_name, number_columns, whole_columns
from sqlverdict.load.columns.words import Role, is_question_name, role_of
from sqlverdict.load.fields import ANSWER_KEYS, CASE_ALIASES, FIELD_NAMES, ID_KEYS
from sqlverdict.load.replies.fenced import extract_sql

HEAD = 200
"""So many rows are looked at to say what a column holds."""
HOLDS_QUERIES = "as it holds queries"
HOLDS_IDS = "as its cells are ids of cases"
_FROM_NAMES = "a guess from the columns' names and cells"
_GOLDS = ("gold", "gold_rows", "answerable")
_EITHER = "sql"
"""Our name for a prediction that others give the gold: it counts as ours only beside a gold."""
_QUERY = re.compile(r"[\s(;]*(?:select|with|values)\b", re.IGNORECASE)
_SYNTAX = ("syntax error", "unrecognized token", "incomplete input")
_ANSWERS = frozenset(key for key in ANSWER_KEYS if key not in ("sql", "abstained"))
_PAIRS = (
    {Role.GOLD, Role.PREDICTION},
    {Role.GOLD, Role.EITHER},
    {Role.GOLD, Role.MODEL},
    {Role.PREDICTION, Role.EITHER},
)
"""The pairs of names that tell which is the gold."""
_MOST_CHOICES = 6
_BLOCK = "```"


@dataclass(frozen=True)
class GuessedColumns:
    """What was made of the columns of a file.

    Attributes:
        header: The names of the columns.
        queries: The columns of queries for which neither the user nor their name has a field.
        columns: What was guessed, from names of columns to our fields.
        has_gold: Whether there is a gold, the guess included.
        has_prediction: Whether there is a prediction, the guess included.
        may_be_ids: The columns that may hold the ids, where nothing was taken for them.
    """

    header: tuple[str, ...]
    queries: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    has_gold: bool = False
    has_prediction: bool = False
    may_be_ids: tuple[str, ...] = ()

    @property
    def clear_gold(self) -> str | None:
        """The gold among three or more columns of queries, where their names leave one."""
        if len(self.queries) < 3:
            return None
        roles = {name: role_of(name) for name in self.queries}
        golds = [name for name, role in roles.items() if role is Role.GOLD]
        others = [name for name, role in roles.items() if role is not Role.PREDICTION]
        clear = golds or others
        return clear[0] if len(clear) == 1 else None

    def sentence(self, file: str) -> tuple[Part, ...]:
        """What was guessed and how to change it; empty where nothing was."""
        if not self.columns:
            return ()
        read = ", ".join(f"{name!r} as {target}" for name, target in self.columns.items())
        target = "gold" if "gold" in self.columns.values() else next(iter(self.columns.values()))
        return (
            f"{file}: read {read}, {_FROM_NAMES}. If it is wrong, say which column is which: ",
            column_option("NAME", target),
        )

    def missing(self, problem: str) -> UnclearColumns:
        """The error where a file has no gold, or no prediction and none are given elsewhere.

        Args:
            problem: What is missing, in a sentence.
        """
        fields = [
            name
            for name, has in (("gold", self.has_gold), ("prediction", self.has_prediction))
            if not has
        ]
        if "gold" in fields and len(self.queries) < 2:
            # A lone column of queries is the gold; the predictions may be in another file.
            fields = ["gold"]
        holds = f" Columns with SQL: {few_of(self.queries, 8)}." if self.queries else ""
        text = (
            f"{problem} Expected {'columns' if len(fields) > 1 else 'a column'} "
            f"{' and '.join(map(repr, fields))}; found "
            f"{few_of(self.header, 12)}.{holds}"
        )
        return UnclearColumns(text, tuple(self._choices(fields)))

    def _choices(self, fields: Sequence[str]) -> list[Choice]:
        """The column maps that may be meant, the likeliest first."""
        every = [
            tuple(zip(names, fields, strict=True))
            for names in permutations(self.queries, len(fields))
        ]
        if len(fields) > 1 and self.clear_gold is not None:
            return [choice for choice in every if (self.clear_gold, "gold") in choice]
        if fields == ["prediction"]:
            return sorted(every, key=_contradictions) or [(("NAME", "prediction"),)]
        # A lone prediction is not offered as the gold.
        likely = [choice for choice in every if len(every) > 1 or not _contradictions(choice)]
        unknown: Choice = tuple(("NAME", name) for name in fields)
        return sorted(likely, key=_contradictions)[:_MOST_CHOICES] or [unknown]


def is_column_note(note: str) -> bool:
    """Whether a note says which columns were guessed: it is said at the start of a first run."""
    return any(why in note for why in (_FROM_NAMES, HOLDS_QUERIES, HOLDS_IDS))


def guess_columns(
    header: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    spellings: Mapping[str, str] = MappingProxyType({}),
) -> GuessedColumns:
    """Guess which columns are the gold, the prediction and the question.

    Args:
        header: The names of the columns.
        rows: The first rows.
        columns: The user's column map.
        spellings: Columns that have a name of ours in another spelling.

    Raises:
        UnclearColumns: several columns have names of the gold and differ.
    """
    _check_golds(header, rows, columns, spellings)
    columns = {**columns, **spellings}
    fields = {name: _field(name, columns) for name in header}
    # A dotted name leads into an object, which is no column.
    known = {*fields.values(), *(columns[name] for name in columns if "." in name)}
    has_gold = not known.isdisjoint(_GOLDS)
    has_prediction = not known.isdisjoint(_ANSWERS)
    open_ = [name for name, ours in fields.items() if ours not in FIELD_NAMES and ours != LEAVE_OUT]
    queries = query_columns(open_, rows)
    if _EITHER in known and (not has_gold or (queries and not has_prediction)):
        queries = query_columns([n for n in header if n in open_ or fields[n] == _EITHER], rows)
    else:
        has_prediction = has_prediction or _EITHER in known
    guess = {} if has_gold and has_prediction else _told_apart(queries, has_gold, has_prediction)
    if not (has_gold or has_prediction or guess):
        guess = _by_code_blocks(queries, rows)
    questions = [] if "question" in known else _questions(open_, queries, rows)
    rest = [name for name in open_ if name not in (*queries, *questions)]
    numbers = [] if "id" in known else number_columns(rest, rows)
    ids = numbers if len(numbers) == 1 else []
    return GuessedColumns(
        tuple(header),
        tuple(name for name in queries if name not in guess),
        {**guess, **dict.fromkeys(questions, "question"), **dict.fromkeys(ids, "id")},
        has_gold or "gold" in guess.values(),
        has_prediction or "prediction" in guess.values(),
        () if ids or "id" in known else tuple(numbers or whole_columns(rest, rows)),
    )


def _check_golds(
    header: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    spellings: Mapping[str, str],
) -> None:
    """Refuse several golds that differ, unless the user named one; the rest would not be read."""
    golds = [name for name in header if _field(name, {**columns, **spellings}) == "gold"]
    is_chosen = "gold" in {_field(name, columns) for name in columns}
    if is_chosen or all(row.get(name) == row.get(golds[0]) for row in rows for name in golds[1:]):
        return
    others = {name: tuple((each, LEAVE_OUT) for each in golds if each != name) for name in golds}
    raise UnclearColumns(
        f"{few_of(golds)} differ, and each may be the gold.", tuple(others.values())
    )


def query_columns(header: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns in which a third of the cells or more hold a query.

    Not most of them: where many questions cannot be answered, many replies are refusals.
    """
    return [
        name
        for name in header
        if (texts := _texts(name, rows)) and sum(map(is_query, texts)) * 3 >= len(texts)
    ]


def is_query(text: str) -> bool:
    """Whether a text is a query, or a reply that holds one; "Select a name for me" is none."""
    sql = extract_sql(text)
    return sql is not None and _QUERY.match(sql) is not None and _is_grammatical(sql)


def _is_grammatical(sql: str) -> bool:
    with closing(open_in_memory()) as connection:
        try:
            connection.execute(f"EXPLAIN {sql}")
        except sqlite3.Error as error:
            if not any(words in str(error) for words in _SYNTAX):
                return True
        else:
            return True
    # It may be the SQL of another engine.
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        return bool(sqlglot.parse(sql))
    except (SqlglotError, RecursionError):
        return False


def _told_apart(queries: Sequence[str], has_gold: bool, has_prediction: bool) -> dict[str, str]:
    """The fields of one or two columns of queries, where their names tell."""
    roles = {name: role_of(name) for name in queries}
    match list(roles.items()):
        case [(name, Role.GOLD | Role.EITHER)] if not has_gold:
            return {name: "gold"}
        case [(name, Role.PREDICTION | Role.EITHER | Role.MODEL)] if (
            has_gold and not has_prediction
        ):
            return {name: "prediction"}
        case [(one, first), (other, second)] if not has_gold and not has_prediction:
            if {first, second} in _PAIRS:
                golds_first = first is Role.GOLD or second is Role.PREDICTION
                gold, prediction = (one, other) if golds_first else (other, one)
                return {gold: "gold", prediction: "prediction"}
    return {}


def _by_code_blocks(queries: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The fields of two columns of queries of which one, and only one, has code blocks."""
    if len(queries) != 2 or any(role_of(name) is not Role.EITHER for name in queries):
        return {}
    cells = {name: _texts(name, rows) for name in queries}
    blocks = {name: sum(_BLOCK in text for text in texts) for name, texts in cells.items()}
    gold, reply = sorted(queries, key=blocks.__getitem__)
    if blocks[gold] or blocks[reply] * 2 < len(cells[reply]):
        return {}
    return {gold: "gold", reply: "prediction"}


def _questions(
    header: Iterable[str], queries: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The column of questions, where there is exactly one by name or by question marks."""
    prose = [name for name in header if name not in queries and _is_prose(_texts(name, rows))]
    by_name = [name for name in prose if is_question_name(name)]
    if len(by_name) == 1:
        return by_name
    by_mark = [
        name
        for name in by_name or prose
        if sum(text.endswith("?") for text in _texts(name, rows)) * 2 > len(rows)
    ]
    return by_mark if len(by_mark) == 1 else []


def _is_prose(texts: Sequence[str]) -> bool:
    return sum(len(text.split()) > 2 or text.endswith("?") for text in texts) * 2 > len(texts)


def _texts(name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The cells of a column that hold text."""
    cells = (row.get(name) for row in rows)
    return [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]


def _field(name: str, columns: Mapping[str, str]) -> str:
    target = columns.get(name, name)
    return CASE_ALIASES.get(target, target)


def _contradictions(choice: Choice) -> int:
    """How many names of columns say otherwise."""
    wrong = {"gold": Role.PREDICTION, "prediction": Role.GOLD}
    return sum(role_of(name) is wrong[target] for name, target in choice)


def answer_columns(
    path: Path,
    header: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    case_ids: Sequence[str],
) -> dict[str, str]:
    """The columns of predictions that have no name of ours, as a column map.

    Args:
        path: The file, for messages.
        header: The names of its columns.
        rows: Its rows.
        columns: The user's column map, with other spellings of our names.
        case_ids: The ids of the cases.

    Raises:
        UnclearColumns: no column has the name of an id, or several columns may be the prediction.
    """
    fields = {columns.get(name, name) for name in header}
    names = [name for name in header if columns.get(name, name) not in (*FIELD_NAMES, LEAVE_OUT)]
    queries = query_columns(names, rows[:HEAD]) if fields.isdisjoint(ANSWER_KEYS) else []
    guess = [name for name in queries if role_of(name) is not Role.GOLD]
    ids = _id_columns(names, rows, case_ids) if fields.isdisjoint(ID_KEYS) else []
    numbers = [name for name in ids if is_number_name(name)]
    id_guess = numbers if len(numbers) == 1 else []
    lacks_id = fields.isdisjoint(ID_KEYS) and not id_guess
    if not lacks_id and len(guess) < 2:
        return {**dict.fromkeys(id_guess, "id"), **dict.fromkeys(guess, "prediction")}
    parts = []
    if lacks_id:
        parts.append([(name, "id") for name in ids or ["NAME"]])
    if len(guess) > 1:
        parts.append([(name, "prediction") for name in guess])
    known_ids = "" if not lacks_id else f" Ids of the cases are {few_of(case_ids, 2)}."
    problem = "found no id" if lacks_id else f"each of {few_of(guess)} may be the prediction"
    raise UnclearColumns(
        f"{path}: {problem} among {few_of(header, 8)}. Expected 'id' or 'question_id' and "
        f"'prediction' or 'sql' in every record: records are never paired by position.{known_ids}",
        tuple(product(*parts))[:_MOST_CHOICES],
    )


def answer_field(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, str]:
    """The field of records that holds the predictions, where no name says so and one alone may.

    Args:
        rows: The first records.
        columns: The user's column map.
    """
    header = dict.fromkeys(name for row in rows for name in row)
    fields = {columns.get(name, name) for name in header}
    if not (fields | {*columns.values()}).isdisjoint(ANSWER_KEYS):
        return {}
    names = [name for name in header if columns.get(name, name) not in (*FIELD_NAMES, LEAVE_OUT)]
    queries = [name for name in query_columns(names, rows) if role_of(name) is not Role.GOLD]
    if len(queries) > 1:
        # A prompt may have examples.
        queries = [name for name in queries if not is_question_name(name)]
    return {queries[0]: "prediction"} if len(queries) == 1 else {}


def _id_columns(
    names: Sequence[str], rows: Sequence[Mapping[str, Any]], case_ids: Sequence[str]
) -> list[str]:
    """The columns in which each cell is the id of a case, and no two are the same."""
    known = set(case_ids)
    columns = {name: [str(row.get(name)) for row in rows] for name in names}
    return [
        name
        for name, cells in columns.items()
        if cells and known.issuperset(cells) and len(set(cells)) == len(cells)
    ]

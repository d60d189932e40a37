"""A witness for people: one sentence, a few small tables, and its evidence.

The sentence names a circumstance only where taking that circumstance away makes the two
queries agree; where none is found it says what the two return and nothing more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sqlverdict.compare.preset import DEFAULT_PRESET
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema, Table, is_view
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer, Contract, Query, Reason, Row
from sqlverdict.refute.explain.wording import column, outcome_text
from sqlverdict.refute.read.views import written_out
from sqlverdict.refute.trial.rebuild import touched
from sqlverdict.refute.witness import Witness, with_moment

if TYPE_CHECKING:
    from sqlverdict.refute.explain.spellings import Spelling
    from sqlverdict.refute.explain.what_if import WhatIf

_START = "they differ when "


def sentence(
    witness: Witness,
    *,
    preset: str = DEFAULT_PRESET,
    contract: Contract | None = None,
    spellings: Sequence[Spelling] | None = None,
) -> str:
    """Say when the two queries differ, in plain words: "they differ when ...".

    Args:
        witness: The witness.
        preset: The preset under which it was found.
        contract: The case's own contract, where it had some.
        spellings: How the engine writes the parts of both queries, where they are translations.
    """
    return with_moment(_sentence(witness, preset, contract, spellings), witness.now)


def names_cause(words: str) -> bool:
    """Whether a sentence says when two queries differ, and not what they return."""
    return words.startswith(_START)


def _sentence(
    witness: Witness,
    preset: str,
    contract: Contract | None,
    spellings: Sequence[Spelling] | None,
) -> str:
    if witness.kind == "undetermined_prediction" and witness.other is not None:
        may = f"{outcome_text(witness.prediction)} or {outcome_text(witness.other)}"
        return (
            f"the prediction leaves open what the gold decides: it may return {may}, "
            f"the gold returns {outcome_text(witness.gold)}"
        )
    plain = _from_answers(witness)
    if plain is not None:
        return plain
    from sqlverdict.refute.explain.what_if import WhatIf

    what_if = WhatIf(witness, preset, contract, spellings)
    cause = _cause(what_if) if what_if.usable else None
    if cause is not None:
        return _START + cause
    return _from_what_is_returned(witness)


def _from_answers(witness: Witness) -> str | None:
    """What needs no search: a failure, another number of columns, no rows at all."""
    gold, prediction = witness.gold, witness.prediction
    for side, outcome, other in (
        ("gold", gold, prediction),
        ("prediction", prediction, gold),
    ):
        if not isinstance(outcome, Answer) and isinstance(other, Answer):
            name = "prediction" if side == "gold" else "gold"
            return (
                f"they differ on this database: the {side} fails ({outcome.message}), "
                f"the {name} returns {outcome_text(other)}"
            )
    if not isinstance(gold, Answer) or not isinstance(prediction, Answer):
        return None
    ours, theirs = len(gold.columns), len(prediction.columns)
    if ours != theirs:
        return (
            f"they differ in the number of columns: the gold returns {ours}, "
            f"the prediction {theirs}"
        )
    if not witness.instance.size:
        tables = [t for t in _tables(witness) if not is_view(t)]
        if len(tables) == 1:
            return f"{_START}table {column(tables[0].name)} is empty"
        return f"{_START}all tables are empty"
    return None


def _cause(what_if: WhatIf) -> str | None:
    from sqlverdict.refute.explain import causes_in_queries as queries
    from sqlverdict.refute.explain import causes_in_rows as rows

    for find in (
        queries.lone_condition,
        queries.other_group_condition,
        rows.boundary,
        rows.null,
        rows.letter_case,
        rows.missing_partner,
        rows.tie,
        rows.duplicate,
        rows.empty_table,
        queries.other_condition,
        queries.other_join,
        queries.distinct,
        queries.limit,
        queries.outputs,
    ):
        cause = find(what_if)
        if cause is not None:
            return cause
    return None


def _from_what_is_returned(witness: Witness) -> str:
    ours, theirs = outcome_text(witness.gold), outcome_text(witness.prediction)
    both = f"the gold returns {ours}, the prediction {theirs}"
    if witness.reasons == (Reason.ORDER_MISMATCH,):
        return f"they differ in the order of the rows: {both}"
    return f"they differ on this database: {both}"


@dataclass(frozen=True)
class WitnessTable:
    """A table of a witness with only the columns that matter."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def with_columns(self, names: Collection[str] | None) -> WitnessTable:
        """The table with the columns of these names, in lower case; ``None``: with all."""
        if names is None:
            return self
        indexes = [index for index, name in enumerate(self.columns) if fold(name) in names]
        return WitnessTable(
            self.name,
            tuple(self.columns[index] for index in indexes),
            tuple(tuple(row[index] for index in indexes) for row in self.rows),
        )


def rows_table(witness: Witness) -> list[WitnessTable]:
    """The witness's tables: columns that either query names, and keys."""
    schema, rows = witness.instance.schema, witness.instance.rows
    names = columns_named((witness.gold_sql, witness.prediction_sql), schema)
    return [
        witness_table(table, rows.get(table.name, ()), names)
        for table in _tables(witness)
        if not is_view(table)
    ]


def _tables(witness: Witness) -> list[Table]:
    instance = witness.instance
    return touched(instance.schema, (witness.gold_sql, witness.prediction_sql), instance.rows)


def columns_named(queries: Iterable[str], schema: Schema) -> set[str] | None:
    """The columns that queries read, in lower case; ``None`` where all may matter.

    Args:
        queries: The queries.
        schema: The tables; what a view or a computed column reads is read, too.
    """
    names: set[str] = set()
    for sql in queries:
        query = parse(sql)
        if not isinstance(query, Query) or "star" in query.features:
            return None
        names.update(map(fold, query.columns))
        # In `s.a`, s may be a structure.
        for each in query.tree.find_all(exp.Column):
            names.update(fold(part.name) for part in each.parts[:-1])
        tree = written_out(query.tree, schema)
        if tree is not query.tree:
            names.update(fold(each.name) for each in tree.find_all(exp.Column, exp.Alias))
    return names


def witness_table(table: Table, rows: Iterable[Row], names: set[str] | None) -> WitnessTable:
    """A table with its keys and the columns of these names; ``None``: with all.

    A computed column is left out where its values are not known.
    """
    rows = tuple(rows)
    own = {fold(each.name) for each in table.columns} if names is None else names
    own = own | {fold(name) for name in table.primary_key}
    own -= {
        fold(each.name)
        for index, each in enumerate(table.columns)
        if each.generated is not None and all(row[index] is None for row in rows)
    }
    return WitnessTable(table.name, tuple(c.name for c in table.columns), rows).with_columns(own)

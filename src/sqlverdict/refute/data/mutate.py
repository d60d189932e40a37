"""Instances made of real rows: a second source, closer to the real data than any generator.

A sample starts at one real row and takes along the rows that it joins with: by declared
foreign keys, by mined inclusions, by columns of the same name. Then a few cells change,
around the constants of the queries, and rows come and go. Every instance is checked: what is
not legal is not handed out.

The first instance, and some later ones, are real rows as they are. Every second one changes
only so far as it keeps what the real data show, so that an ordinary witness has its chance.

Of a table that is too large a sample is read; a row whose parent is not in it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from sqlverdict.parse.facts import Affinity, Fact, References, affinity, facts_of
from sqlverdict.parse.schema import ColumnRef, Schema
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Cell, Row
from sqlverdict.refute.data.mine.across import Inclusion
from sqlverdict.refute.data.real_rows import RealRows, real_rows
from sqlverdict.refute.trial.legal import as_stored, legal
from sqlverdict.refute.witness import Instance

_ROWS = 12
"""How many rows a table gets at most: enough for groups and ties, few enough to be shrunk soon."""
_KEY_DISTANCE = 1_000_000
"""So far a copied row's number may be moved: keys nearby are likely to be taken."""
_KEY_ENDINGS = (2, 9)
"""The digits behind a copied row's text: one digit makes it another key."""
_UNCHANGED = 0.15
"""How often real rows are tried as they are."""
_FILLED = 0.7
"""How often every table gets a row; otherwise some stay empty."""
_MOST_CHANGES = 5
"""How many cells or rows change at most; a witness should stay like the real rows."""
_TRIES = 8
"""How many samples are drawn for one instance: some are not legal."""
_STARTS = (1, 1, 2, 3)
"""From how many rows a sample starts; usually one, with all that joins it."""
_PARTNERS = (1, 1, 2, 3)
"""How many partners of a row come along; several make groups."""
_START_AT_CONSTANT = 0.5
"""How often a sample starts at a row that holds a value of the queries."""
_DROP_ROW, _ADD_ROW = 0.1, 0.1
"""How often a change drops a row, or repeats one under another key; otherwise a cell changes."""
_COMPARED_COLUMN = 0.7
"""How often the changed cell is of a column that the queries compare."""
_AT_CONSTANT = 0.8
"""How often its new value is a value of the queries, or next to one."""


def real_instances(
    database: Path,
    schema: Schema,
    tables: Sequence[str],
    constants: Mapping[tuple[str, str], Sequence[Cell]],
    *,
    seed: int,
    count: int,
    rows: int = _ROWS,
) -> Iterator[Instance]:
    """Legal instances made of a database's rows, the same for the same seed.

    Args:
        database: The SQLite file; it is only read.
        schema: The tables; rows are written in its columns' order.
        tables: The tables that the queries read, as the schema writes them.
        constants: Values that the queries compare a column with, by table and column.
        seed: Decides every choice.
        count: How many instances at most; fewer where the data give no more.
        rows: How many rows a table gets at most; a row's parents come on top.

    Raises:
        DatabaseError: the file is missing or cannot be read.
    """
    real = real_rows(database, schema)
    present = [table for table in tables if real.rows.get(table)]
    if not present:
        return
    facts = facts_of(schema)
    maker = _Maker(real, schema, tables, constants, facts, rows)
    # A sample has the parents of its rows: where all rows are legal, it is.
    lawful = real.keep(facts, schema)
    yields = 0
    for number in range(count * _TRIES):
        if yields == count:
            return
        rng = Random(f"{seed}/{number}")  # noqa: S311 - to choose rows, not to keep secrets
        content = maker.sample(rng, present)
        instance = _instance(schema, content)
        if not content or (not lawful and legal(instance, facts)):
            continue
        if rng.random() >= _UNCHANGED and yields:
            instance = maker.mutated(rng, instance, careful=yields % 2 == 0)
        yields += 1
        yield instance


def _instance(schema: Schema, content: Mapping[str, Iterable[Row]]) -> Instance:
    return Instance(schema, {name: tuple(rows) for name, rows in content.items() if rows})


class _Maker:
    """Makes instances for one pair of queries."""

    def __init__(
        self,
        real: RealRows,
        schema: Schema,
        tables: Sequence[str],
        constants: Mapping[ColumnRef, Sequence[Cell]],
        facts: frozenset[Fact],
        most: int,
    ) -> None:
        self.real, self.schema, self.facts, self.most = real, schema, facts, most
        self.tables = tuple(tables)
        self.constants = {
            column_ref: tuple(values) for column_ref, values in constants.items() if values
        }
        self.indexes = {t.name: {c.name: n for n, c in enumerate(t.columns)} for t in schema.tables}
        self.read = {(table, name) for table in self.tables for name in self.indexes.get(table, {})}
        self.references = sorted((fact for fact in facts if isinstance(fact, References)), key=repr)
        self.partners = self._partners()
        self.inclusions = [
            inclusion
            for inclusion in real.regularities.of(Inclusion)
            if inclusion.table in self.tables and inclusion.other_table in self.tables
        ]

    def _partners(self) -> dict[str, list[tuple[int, str, int]]]:
        """From each table: the column, and the table and column it joins with."""
        partners: dict[str, list[tuple[int, str, int]]] = {}
        joins = {(one, two) for one, others in self.real.joins.items() for two in others}
        by_name: dict[str, list[ColumnRef]] = {}
        for table in self.tables:
            for column in self.indexes.get(table, {}):
                by_name.setdefault(fold(column), []).append((table, column))
        joins |= {(a, b) for group in by_name.values() for a in group for b in group}
        for one, two in sorted(joins):
            if one != two and two[0] in self.tables and one[1] in self.indexes[one[0]]:
                edge = (self.indexes[one[0]][one[1]], two[0], self.indexes[two[0]][two[1]])
                partners.setdefault(one[0], []).append(edge)
        return partners

    def sample(self, rng: Random, present: Sequence[str]) -> dict[str, list[Row]]:
        """Real rows that belong together, with the parents of each."""
        limit = rng.randint(1, self.most)
        picked: dict[str, dict[int, None]] = {}
        for _ in range(rng.choice(_STARTS)):
            self._take(rng, rng.choice(present), limit, picked)
        # An empty table is a corner of its own: most of the time each has a row.
        if rng.random() < _FILLED:
            for table in present:
                if table not in picked:
                    self._take(rng, table, limit, picked)
        return self._closed(picked)

    def _take(
        self, rng: Random, table: str, limit: int, picked: dict[str, dict[int, None]]
    ) -> None:
        """A row and what joins with it, and so on, while there is room."""
        waiting = [(table, self._start(rng, table))]
        while waiting:
            name, number = waiting.pop(0)
            numbers = picked.setdefault(name, {})
            if number not in numbers and len(numbers) < limit:
                numbers[number] = None
                waiting += self._joined(rng, name, self.real.rows[name][number])

    def _start(self, rng: Random, table: str) -> int:
        """Any row; half of the time one that a constant picks."""
        constants = [
            (column_ref, value)
            for column_ref, values in self.constants.items()
            if column_ref[0] == table and column_ref[1] in self.indexes[table]
            for value in values
        ]
        if constants and rng.random() < _START_AT_CONSTANT:
            column_ref, value = rng.choice(constants)
            matches = self.real.where(table, (self.indexes[table][column_ref[1]],), (value,))
            if matches:
                return rng.choice(matches)
        return rng.randrange(len(self.real.rows[table]))

    def _joined(self, rng: Random, table: str, row: Row) -> Iterator[tuple[str, int]]:
        for at, other, index in self.partners.get(table, ()):
            if row[at] is not None:
                partners = self.real.where(other, (index,), (row[at],))
                for number in rng.sample(partners, min(len(partners), rng.choice(_PARTNERS))):
                    yield other, number

    def _closed(self, picked: dict[str, dict[int, None]]) -> dict[str, list[Row]]:
        """The chosen rows with all their parents, without those that have a parent missing."""
        waiting = [(table, number) for table, numbers in picked.items() for number in numbers]
        pointing = dict.fromkeys(waiting)
        while waiting:
            table, number = waiting.pop()
            row = self.real.rows[table][number]
            parents = list(self._parents(table, row))
            # Inclusions are kept as long as that takes few rows; they are no law.
            if len(pointing) < self.most * len(self.tables):
                parents += self._included(table, row)
            for other, candidates in parents:
                numbers = picked.setdefault(other, {})
                if candidates and not any(number in numbers for number in candidates):
                    numbers[candidates[0]] = None
                    pointing[other, candidates[0]] = None
                    waiting.append((other, candidates[0]))
        lost = True
        while lost:
            lost = False
            for table, number in list(pointing):
                for parent, candidates in self._parents(table, self.real.rows[table][number]):
                    if not any(other in picked[parent] for other in candidates):
                        del picked[table][number], pointing[table, number]
                        lost = True
                        break
        return {
            table: [self.real.rows[table][number] for number in numbers]
            for table, numbers in picked.items()
            if numbers
        }

    def _parents(self, table: str, row: Row) -> Iterator[tuple[str, Sequence[int]]]:
        for fact in self.references:
            if fact.table == table:
                key = tuple([row[self.indexes[table][name]] for name in fact.columns])
                if None not in key:
                    indexes = tuple([self.indexes[fact.parent][n] for n in fact.parent_columns])
                    parents = self.real.where(fact.parent, indexes, key)
                    if not parents:
                        columns = [(fact.parent, name) for name in fact.parent_columns]
                        kinds = map(self._affinity, columns)
                        stored = tuple(map(as_stored, key, kinds))
                        parents = self.real.where(fact.parent, indexes, stored)
                    yield fact.parent, parents

    def _included(self, table: str, row: Row) -> Iterator[tuple[str, Sequence[int]]]:
        for inclusion in self.inclusions:
            value = row[self.indexes[table][inclusion.column]] if inclusion.table == table else None
            if value is not None:
                at = self.indexes[inclusion.other_table][inclusion.other_column]
                yield inclusion.other_table, self.real.where(inclusion.other_table, (at,), (value,))

    def mutated(self, rng: Random, instance: Instance, careful: bool) -> Instance:
        """The instance with a few cells or rows changed, each change legal.

        ``careful``: no change breaks a regularity of the tables that the queries read.
        """
        for _ in range(rng.randint(1, _MOST_CHANGES)):
            content = {name: list(rows) for name, rows in instance.rows.items()}
            usable = [name for name in content if name in self.tables] or list(content)
            if not usable:
                return instance
            table = rng.choice(usable)
            column_ref = self._change(rng, content, table)
            changed = _instance(self.schema, content)
            column = None if column_ref is None else column_ref[1]
            if legal(changed, self.facts, table, column) or (
                careful and self._breaks(changed, instance, column_ref)
            ):
                continue
            instance = changed
        return instance

    def _breaks(self, changed: Instance, before: Instance, column_ref: ColumnRef | None) -> bool:
        """Whether a change breaks what the rows kept before; ``column_ref`` if only it changed."""
        regularities = self.real.regularities
        if column_ref is None:
            broken = regularities.broken
            return bool(set(broken(changed, self.read)) - set(broken(before, self.read)))
        about = [
            member
            for member in regularities.about(*column_ref)
            if self.read.issuperset(member.column_refs)
        ]
        return any(not member.holds(changed) and member.holds(before) for member in about)

    def _change(self, rng: Random, content: dict[str, list[Row]], table: str) -> ColumnRef | None:
        """Change the rows of a table; returns the column whose cell changed, if it was a cell."""
        rows = content[table]
        number = rng.randrange(len(rows))
        kind = rng.random()
        if kind < _DROP_ROW:
            del rows[number]
        elif kind < _DROP_ROW + _ADD_ROW:
            rows.append(self._renumbered(rng, table, rows[number]))
        else:
            columns = list(self.indexes[table])
            compared = [name for name in columns if (table, name) in self.constants]
            name = rng.choice(compared if compared and rng.random() < _COMPARED_COLUMN else columns)
            at = self.indexes[table][name]
            value = self._value(rng, (table, name), [row[at] for row in rows], rows[number][at])
            rows[number] = (*rows[number][:at], value, *rows[number][at + 1 :])
            return table, name
        return None

    def _renumbered(self, rng: Random, table: str, row: Row) -> Row:
        """A second row like the first, with another key."""
        declared = self.schema.table(table)
        keys = set(declared.primary_key) if declared is not None else set()
        cells = list(row)
        for name, at in self.indexes[table].items():
            cell = cells[at]
            if name in keys and isinstance(cell, int):
                cells[at] = cell + rng.randint(1, _KEY_DISTANCE)
            elif name in keys and isinstance(cell, str):
                cells[at] = f"{cell}{rng.randint(*_KEY_ENDINGS)}"
        return tuple(cells)

    def _value(self, rng: Random, column_ref: ColumnRef, column: Sequence[Cell], now: Cell) -> Cell:
        """A value worth trying: a constant, its neighbour, another row's, or a corner."""
        known = self.constants.get(column_ref, ())
        base = rng.choice(known) if known and rng.random() < _AT_CONSTANT else now
        real = self.real.rows[column_ref[0]]
        at = self.indexes[column_ref[0]][column_ref[1]]
        # The base is there twice: to meet a constant exactly separates most often.
        choices: list[Cell] = [base, base, rng.choice(column), rng.choice(real)[at], None]
        if isinstance(base, int | float):
            choices += [base - 1, base + 1, -base, 0]
        elif isinstance(base, str):
            choices += [base.swapcase(), base + "a", base[:-1], ""]
        return as_stored(rng.choice(choices), self._affinity(column_ref))

    def _affinity(self, column_ref: ColumnRef) -> Affinity:
        declared = self.schema.table(column_ref[0])
        column = declared.column(column_ref[1]) if declared is not None else None
        if column is None or self.schema.source == "tables_json":
            return "BLOB"
        return affinity(column.type)

"""Tables, columns, keys and constraints as PostgreSQL's catalogue has them.

The tables are those of every schema that the role may use, but for the server's own. One that a
query finds without naming its schema goes by its own name: those of ``public``, unless the role's
search path says otherwise. Any other one goes by ``schema.table``. What holds is told, and nothing
else:

* a constraint that was not validated is left out;
* a materialized view is a view: its rows are never others than its query may give;
* a partition and a child by inheritance are left out: their rows are rows of the parent, too;
* the keys of a table with children by inheritance are left out, because rows of the children
  need not keep them;
* an enum is the type's name and a CHECK over its labels; a domain is its base type, its NOT NULL
  and its CHECKs over the column;
* a collation that is not the database's default stands behind the type, with its schema where a
  user made it;
* unique indexes that are partial, over expressions or take NULLs for equal are in ``indexes``, and
  so are those of EXCLUDE.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

import psycopg

from sqlverdict.dialects import dialect_of
from sqlverdict.errors import SchemaError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.engines.postgres.connection import Connection, connect
from sqlverdict.execute.engines.postgres.sandbox import DIALECT
from sqlverdict.execute.engines.postgres.unique_indexes import EQUAL_NULLS
from sqlverdict.execute.lexemes import Lex, lexemes
from sqlverdict.files.references import Reference
from sqlverdict.files.sqlite import quote_name, quote_text
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.schemas.hidden import hidden_name, with_plain_views
from sqlverdict.parse.tokens import fold

_TABLES: Final = """
SELECT c.oid::int8, n.nspname, c.relname, pg_catalog.pg_table_is_visible(c.oid),
  c.relkind::text,
  CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END,
  c.relkind <> 'p' AND EXISTS (SELECT FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = c.oid)
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits AS i WHERE i.inhrelid = c.oid)
AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e'
  AND d.classid = 'pg_catalog.pg_class'::regclass)
ORDER BY pg_catalog.pg_table_is_visible(c.oid) DESC, c.oid
"""
_COLUMNS: Final = """
SELECT a.attrelid::int8, a.attname,
  pg_catalog.format_type(CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END,
    CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END)
    || CASE WHEN a.attcollation NOT IN (0, 100) THEN ' COLLATE ' || (
      SELECT CASE WHEN s.nspname = 'pg_catalog' THEN ''
        ELSE pg_catalog.quote_ident(s.nspname) || '.' END || pg_catalog.quote_ident(l.collname)
      FROM pg_catalog.pg_collation AS l
      JOIN pg_catalog.pg_namespace AS s ON s.oid = l.collnamespace WHERE l.oid = a.attcollation)
      ELSE '' END,
  a.attnotnull OR t.typnotnull, pg_catalog.pg_get_expr(f.adbin, f.adrelid),
  a.attgenerated::text, a.atttypid::int8, t.typtype::text
FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_attrdef AS f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
WHERE a.attrelid = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attrelid, a.attnum
"""
_ENUMS: Final = """
SELECT enumtypid::int8, enumlabel FROM pg_catalog.pg_enum ORDER BY enumtypid, enumsortorder
"""
_DOMAIN_CHECKS: Final = """
SELECT contypid::int8, pg_catalog.pg_get_expr(conbin, 0) FROM pg_catalog.pg_constraint
WHERE contypid <> 0 AND contype = 'c' AND convalidated ORDER BY conname
"""
_CONSTRAINTS: Final = """
SELECT k.conrelid::int8, k.contype::text,
  ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(n, place)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.n
    ORDER BY u.place),
  k.confrelid::int8, p.relname,
  ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(n, place)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.confrelid AND a.attnum = u.n
    ORDER BY u.place),
  CASE WHEN k.contype = 'c' THEN pg_catalog.pg_get_expr(k.conbin, k.conrelid) END,
  k.connoinherit
FROM pg_catalog.pg_constraint AS k LEFT JOIN pg_catalog.pg_class AS p ON p.oid = k.confrelid
WHERE k.conrelid = ANY (%s) AND k.contype IN ('p', 'u', 'f', 'c') AND k.convalidated
ORDER BY k.conrelid, k.conname
"""
_INDEXES: Final = """
SELECT i.indrelid::int8, i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
  AND NOT EXISTS (SELECT FROM unnest(i.indkey::int2[], i.indcollation::oid[]) AS u(n, own)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = u.n
    JOIN pg_catalog.pg_collation AS c ON c.oid = a.attcollation
    WHERE u.own <> a.attcollation AND NOT c.collisdeterministic),
  ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS u(n, place)
    JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = u.n
    WHERE u.place <= i.indnkeyatts ORDER BY u.place),
  pg_catalog.pg_get_indexdef(i.indexrelid)
FROM pg_catalog.pg_index AS i
WHERE i.indrelid = ANY (%s) AND (i.indisunique OR i.indisexclusion) AND i.indisvalid
AND NOT i.indisprimary
ORDER BY i.indexrelid
"""

Rows = list[tuple[Any, ...]]


def database_schema(database: Reference, db_id: str | None) -> Schema:
    """The schema of a URL's database, which is its name where none is given.

    Raises:
        DatabaseError: the server does not answer.
        SchemaError: the catalogue cannot be read.
    """
    with connect(database, Limits().seconds) as connection:
        return read_schema(connection, db_id or connection.info.dbname)


def read_schema(connection: Connection, db_id: str) -> Schema:
    """The schema that a connection sees.

    Raises:
        SchemaError: the catalogue cannot be read.
    """
    try:
        tables = connection.execute(_TABLES).fetchall()
        names = _names(tables)
        parts = _Parts(connection, names)
    except psycopg.Error as error:
        raise SchemaError(
            f"the schema of {db_id} cannot be read: {error}", reason="unreadable"
        ) from error
    schema = Schema(db_id, tuple(parts.table(*row) for row in tables), "catalogue")
    return with_plain_views(schema, DIALECT, dialect_of(DIALECT).quote)


def _names(tables: Rows) -> dict[int, str]:
    """The one name of each table, those that are found without their schema first."""
    names: dict[int, str] = {}
    in_use: set[str] = set()
    for oid, schema, table, visible, *_ in tables:
        names[oid] = table if visible else hidden_name(schema, table, in_use)
        in_use.add(fold(names[oid]))
    return names


class _Parts:
    """What the catalogue says, grouped by table."""

    def __init__(self, connection: Connection, names: dict[int, str]) -> None:
        oids = list(names)
        self._names = names
        self._database = connection.info.dbname
        self._columns = _grouped(connection.execute(_COLUMNS, (oids,)).fetchall())
        self._constraints = _grouped(connection.execute(_CONSTRAINTS, (oids,)).fetchall())
        self._indexes = _grouped(connection.execute(_INDEXES, (oids,)).fetchall())
        self._enums = _grouped(connection.execute(_ENUMS).fetchall())
        self._domains = _grouped(connection.execute(_DOMAIN_CHECKS).fetchall())

    def table(
        self,
        oid: int,
        schema: str,
        own_name: str,
        _: bool,
        kind: str,
        view: str | None,
        has_children: bool,
    ) -> Table:
        name = self._names[oid]
        paths = ((schema, own_name), (self._database, schema, own_name))
        columns = tuple(_column(*row) for row in self._columns[oid])
        if kind in ("v", "m"):
            text = f"CREATE VIEW {quote_name(name)} AS {(view or '').strip()}"
            return Table(name, columns, sql=text, paths=paths)
        constraints, indexes = self._constraints[oid], self._indexes[oid]
        checks = [
            condition
            for what, *_, condition, own in constraints
            if what == "c" and not (own and has_children)
        ]
        checks += self._type_checks(oid)
        if has_children:
            return Table(name, columns, checks=tuple(checks), paths=paths)
        return Table(
            name,
            columns,
            primary_key=next((tuple(row[1]) for row in constraints if row[0] == "p"), ()),
            uniques=tuple(sorted({tuple(row[1]) for row in indexes if row[0] and row[1]})),
            foreign_keys=tuple(
                # A parent that is not read, a partition say, is no table of that name.
                ForeignKey(
                    tuple(keys),
                    self._names.get(parent_oid) or parent,
                    tuple(parent_keys) if parent_oid in self._names else (),
                )
                for what, keys, parent_oid, parent, parent_keys, *_ in constraints
                if what == "f"
            ),
            checks=tuple(checks),
            indexes=tuple(row[2] for row in indexes if not row[0] or EQUAL_NULLS in row[2]),
            paths=paths,
        )

    def _type_checks(self, oid: int) -> list[str]:
        """What enums and domains say about the values of columns."""
        checks = []
        for name, _, _, _, _, type_oid, kind in self._columns[oid]:
            if kind == "e":
                labels = ", ".join(quote_text(label) for (label,) in self._enums[type_oid])
                checks.append(f"{quote_name(name)} IN ({labels})")
            elif kind == "d":
                conditions = [condition for (condition,) in self._domains[type_oid]]
                checks += [_over_column(condition, name) for condition in conditions]
        return checks


def _column(
    name: str, type_: str, not_null: bool, value: str | None, generated: str, *_: object
) -> Column:
    return Column(
        name,
        type_,
        not_null,
        default=None if generated else value,
        generated=value if generated else None,
    )


def _over_column(condition: str, name: str) -> str:
    """The CHECK of a domain, about a column instead of VALUE."""
    return "".join(
        quote_name(name) if part.kind is Lex.WORD and part.name == "value" else part.text
        for part in lexemes(condition, "postgres")
    )


def _grouped(rows: Rows) -> defaultdict[int, Rows]:
    groups: defaultdict[int, Rows] = defaultdict(list)
    for first, *rest in rows:
        groups[first].append(tuple(rest))
    return groups

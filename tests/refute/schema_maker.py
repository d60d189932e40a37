"""Random schemas of everything that SQLite lets people declare, and pairs of queries on them."""

from __future__ import annotations

from random import Random

TYPES = ("INTEGER", "INT", "TEXT", "VARCHAR(20)", "REAL", "NUMERIC", "DATE", "BLOB", "", "BOOLEAN")
STRICT_TYPES = ("INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY")
NAMES = ("id", "name", "my col", "größe", "order", "select", 'a"b', "n", "kind", "day", "Wert")
TABLES = ("t", "group", "zwei Wörter", "U", "child of t")
NUMERIC = ("INT", "REAL", "NUM")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class RandomSchema:
    """One random schema: its DDL, and what queries need to know of it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.tables: dict[str, list[tuple[str, str]]] = {}
        self.keys: dict[str, list[str]] = {}
        self.statements: list[str] = []
        for name in rng.sample(TABLES, rng.randint(1, 3)):
            self._table(name)
        if rng.random() < 0.4:
            self._view()

    @property
    def ddl(self) -> str:
        return ";\n".join(self.statements)

    def _table(self, name: str) -> None:
        rng = self.rng
        strict = rng.random() < 0.25
        types = STRICT_TYPES if strict else TYPES
        columns = [(c, rng.choice(types)) for c in rng.sample(NAMES, rng.randint(2, 5))]
        lines, key = [], []
        shape = rng.random()
        alias = without = False
        for n, (column, kind) in enumerate(columns):
            line = f"{quoted(column)} {kind}"
            if n == 0 and shape < 0.3:
                columns[0], alias, key = (column, "INTEGER"), True, [column]
                line = f"{quoted(column)} INTEGER PRIMARY KEY"
                line += " AUTOINCREMENT" if rng.random() < 0.3 else ""
            elif n == 0 and shape < 0.6:
                key = [column]
                line += " PRIMARY KEY"
                without = rng.random() < 0.4
            else:
                line += self._column(column, kind, strict)
            lines.append(line)
        if not key and shape > 0.8:
            key = [column for column, _ in columns[:2]]
            lines.append(f"PRIMARY KEY ({', '.join(map(quoted, key))})")
            without = rng.random() < 0.4
        if rng.random() < 0.3:
            base = rng.choice(columns)[0]
            expression = rng.choice(("upper({})", "{} || 'x'", "length({})", "typeof({})"))
            how = rng.choice(("STORED", "VIRTUAL"))
            computed = quoted("made of it")
            kind = "ANY" if strict else "TEXT"
            at = len(columns)
            lines.insert(at, f"{computed} {kind} AS ({expression.format(quoted(base))}) {how}")
            columns.append(("made of it", "TEXT"))
        lines += self._constraints(name, columns, key, strict)
        options = [
            word
            for word, on in (("WITHOUT ROWID", without and not alias), ("STRICT", strict))
            if on
        ]
        body = ",\n  ".join(lines)
        self.statements.append(f"CREATE TABLE {quoted(name)} (\n  {body}\n) {', '.join(options)}")
        self.tables[name], self.keys[name] = columns, key
        if rng.random() < 0.3:
            self._index(name)

    def _column(self, column: str, kind: str, strict: bool) -> str:
        rng, text = self.rng, ""
        numeric = kind.upper().startswith(NUMERIC)
        if rng.random() < 0.5:
            text += " NOT NULL"
        if rng.random() < 0.15:
            text += " UNIQUE"
        if rng.random() < 0.2:
            text += f" COLLATE {rng.choice(('NOCASE', 'RTRIM', 'BINARY'))}"
        if rng.random() < 0.2:
            text += " DEFAULT " + (
                "(1 + 1)" if numeric else "('a' || 'b')" if not strict else "NULL"
            )
        if rng.random() < 0.2:
            name = quoted(column)
            choices = (
                (
                    f"{name} > 0",
                    f"{name} IN (1, 2, 3)",
                    f"{name} BETWEEN -5 AND 50",
                    f"abs({name}) < 99",
                )
                if numeric
                else (f"length({name}) < 30", f"{name} <> ''", f"{name} IS NULL OR {name} <> 'zz'")
            )
            text += f" CHECK ({rng.choice(choices)})"
        return text

    def _constraints(
        self, name: str, columns: list[tuple[str, str]], own_key: list[str], strict: bool
    ) -> list[str]:
        rng, result = self.rng, []
        # A table may reference itself.
        parents = {**self.keys, name: own_key if rng.random() < 0.4 else []}
        for parent, key in parents.items():
            if not key or rng.random() < 0.4 or len(columns) < len(key) + 1:
                continue
            # SQLite itself does not find 4 for a REAL 4.0 of a WITHOUT ROWID table.
            fitting = [c for c, kind in columns if c != "made of it" and kind != "REAL"]
            own = fitting[-len(key) :]
            kinds = dict(columns)
            # Nor a number for its text where a row references itself.
            mixed = parent == name and [kinds[c] for c in own] != [kinds[c] for c in key]
            if len(own) < len(key) or mixed:
                continue
            match = rng.choice(("", "", " MATCH FULL", " MATCH SIMPLE"))
            defer = rng.choice(("", " DEFERRABLE INITIALLY DEFERRED", " ON DELETE CASCADE"))
            child, other = (", ".join(map(quoted, names)) for names in (own, key))
            result.append(
                f"FOREIGN KEY ({child}) REFERENCES {quoted(parent)} ({other}){match}{defer}"
            )
        plain = [c for c, _ in columns if c != "made of it"]
        if rng.random() < 0.15 and len(plain) > 1:
            result.append(f"UNIQUE ({quoted(plain[0])}, {quoted(plain[1])})")
        if rng.random() < 0.15 and len(plain) > 2 and not strict:
            one, two = map(quoted, rng.sample(plain, 2))
            result.append(f"CHECK ({one} IS NULL OR {two} IS NULL OR {one} <> {two} OR 1)")
        return result

    def _index(self, name: str) -> None:
        rng = self.rng
        column = quoted(rng.choice(self.tables[name])[0])
        other = quoted(rng.choice(self.tables[name])[0])
        what = rng.choice(
            (f"lower({column})", column, f"{column} COLLATE NOCASE", f"{column}, {other}")
        )
        where = rng.choice(("", f" WHERE {other} IS NOT NULL", f" WHERE {other} > 1"))
        number = len(self.statements)
        self.statements.append(f"CREATE UNIQUE INDEX i{number} ON {quoted(name)} ({what}){where}")

    def _view(self) -> None:
        name = self.rng.choice(list(self.tables))
        columns = [column for column, _ in self.tables[name]][:2]
        names = ", ".join(map(quoted, columns))
        where = f"{quoted(columns[-1])} IS NOT NULL"
        self.statements.append(
            f'CREATE VIEW "a view" ({names}) AS SELECT {names} FROM {quoted(name)} WHERE {where}'
        )
        self.tables["a view"] = [(column, "") for column in columns]

    def pair(self) -> tuple[str, str]:
        """Two queries that differ in one place."""
        rng = self.rng
        name = rng.choice(list(self.tables))
        columns = [quoted(column) for column, _ in self.tables[name]]
        one, two = rng.choice(columns), rng.choice(columns)
        value = rng.choice(("1", "2.5", "'a'", "'2020-01-02'", "x'61'", "NULL", "9e999"))
        table = quoted(name)
        plain = f"SELECT {one} FROM {table}"
        others = (
            f"SELECT DISTINCT {one} FROM {table}",
            f"{plain} WHERE {two} = {value}",
            f"{plain} WHERE {two} IS NOT NULL",
            f"SELECT {two} FROM {table}",
            f"{plain} ORDER BY {two} LIMIT 1",
            f"SELECT max({one}) FROM {table}",
            f"SELECT count({one}) FROM {table}",
            f"SELECT {one} FROM {table} GROUP BY {two}",
            f"SELECT a.{one} FROM {table} AS a JOIN {table} AS b ON a.{one} = b.{two}",
            f"SELECT upper({one}) || {two} FROM {table}",
        )
        joined = [quoted(other) for other in self.tables if other != name]
        if joined and rng.random() < 0.4:
            other = rng.choice(joined)
            return (
                f"SELECT a.{one} FROM {table} AS a, {other} AS b",
                f"SELECT DISTINCT a.{one} FROM {table} AS a, {other} AS b",
            )
        return rng.choice(others), rng.choice((plain, *others))

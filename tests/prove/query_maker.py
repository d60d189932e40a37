"""Random queries over a small schema, as text.

Everything is chosen through a ``random.Random``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

DDL = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER NOT NULL, s TEXT, r REAL);
CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t(id), w INTEGER, s TEXT UNIQUE);
CREATE TABLE v (t_id INTEGER NOT NULL REFERENCES t(id), a INTEGER, s TEXT NOT NULL, n NUMERIC,
  PRIMARY KEY (a, s));
CREATE TABLE x (p, q INTEGER)
"""

TABLES: dict[str, dict[str, str]] = {
    "t": {"id": "int", "a": "int", "b": "int", "s": "text", "r": "real"},
    "u": {"id": "int", "t_id": "int", "w": "int", "s": "text"},
    "v": {"t_id": "int", "a": "int", "s": "text", "n": "any"},
    "x": {"p": "any", "q": "int"},
}
JOINS = (
    *("t.id = u.t_id", "t.id = v.t_id", "t.a = v.a", "t.s = u.s", "u.id = t.id", "u.s = v.s"),
    *("t.a = u.w", "x.q = t.id", "x.p = t.s", "v.n = t.r"),
)
LITERALS = {
    "int": ("0", "1", "2", "3", "-1", "1", "2", "NULL"),
    "text": ("'a'", "'A'", "'b'", "''", "'1'", "'1.0'", "'a%'", "NULL"),
    "real": ("0.0", "1.0", "1.5", "2.0", "NULL"),
    "any": ("1", "'1'", "1.0", "'a'"),
}


@dataclass(frozen=True)
class Item:
    """A source in a FROM clause."""

    alias: str
    columns: dict[str, str]
    table: str = ""


@dataclass
class Maker:
    """Makes the text of one query.

    Attributes:
        rng: Where all choices come from.
        size: How much may still be nested.
    """

    rng: Random
    size: int = 3
    _aliases: int = 0
    scopes: list[list[Item]] = field(default_factory=list)

    # Choices

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) >= 100 - percent

    def pick(self, *options: str) -> str:
        return options[self.rng.randrange(len(options))]

    def among(self, *ways: Callable[[], str]) -> str:
        return ways[self.rng.randrange(len(ways))]()

    def alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"

    # Queries

    def top(self) -> str:
        width = self.rng.randrange(1, 4)
        kinds = [self.pick("int", "int", "text", "any", "real") for _ in range(width)]
        if self.chance(10):
            return self.with_cte(kinds)
        return self.query(kinds, outermost=True)

    def with_cte(self, kinds: list[str]) -> str:
        inner = Maker(self.rng, self.size - 1)
        text = inner.query(["int", "text"], names=("id", "s"))
        TABLES["cte"] = {"id": "int", "s": "text"}
        try:
            body = self.query(kinds, outermost=True)
        finally:
            del TABLES["cte"]
        return f"WITH cte AS ({text}) {body}"

    def query(
        self, kinds: list[str], *, outermost: bool = False, names: tuple[str, ...] = ()
    ) -> str:
        if self.size > 1 and self.chance(12):
            self.size -= 1
            operator = self.pick("UNION", "UNION ALL", "INTERSECT", "EXCEPT")
            left = self.select(kinds, names)
            right = self.select(kinds, names)
            self.size += 1
            tail = f" ORDER BY {self.rng.randrange(len(kinds)) + 1}" if self.chance(30) else ""
            limit = f" LIMIT {self.pick('1', '2')}" if tail and self.chance(40) else ""
            return f"{left} {operator} {right}{tail}{limit}"
        return self.select(kinds, names, tail=outermost or self.chance(15))

    def select(self, kinds: list[str], names: tuple[str, ...] = (), *, tail: bool = False) -> str:
        sources, start = self.sources()
        self.scopes.append(sources)
        where = f" WHERE {self.condition()}" if self.chance(65) else ""
        group = having = ""
        if self.chance(25):
            terms = [self.column(kind) or "1+0" for kind in kinds if self.chance(60)]
            if not terms or self.chance(20):
                terms.append(self.any_column())
            group = f" GROUP BY {', '.join(terms)}" if self.chance(85) else ""
            terms = terms if group else []
            having = f" HAVING {self.having(terms)}" if group and self.chance(40) else ""
            outputs = [self.grouped(kind, terms) for kind in kinds]
            ordering = [*terms, "COUNT(*)"]
        else:
            outputs = [self.expression(kind) for kind in kinds]
            ordering = [self.any_column(), self.any_column()]
        distinct = "DISTINCT " if self.chance(22) else ""
        ends = self.tail(outputs, ordering, bool(distinct)) if tail else ""
        self.scopes.pop()
        if names:
            outputs = [f"{text} AS {name}" for text, name in zip(outputs, names, strict=True)]
        return f"SELECT {distinct}{', '.join(outputs)}{start}{where}{group}{having}{ends}"

    def tail(self, outputs: list[str], ordering: list[str], distinct: bool) -> str:
        if not self.chance(40):
            return f" LIMIT {self.pick('0', '1', '-1')}" if self.chance(4) else ""
        direction = self.pick("", " DESC", " ASC")
        if self.chance(50):
            # All columns: nothing is left to chance, and the order itself is checked.
            terms = [f"{n + 1}{direction}" for n in range(len(outputs))]
        else:
            ordering = ordering if not distinct else [str(n + 1) for n in range(len(outputs))]
            terms = [f"{self.rng.choice(ordering)}{direction}"]
        order = f" ORDER BY {', '.join(terms)}"
        if self.chance(50):
            order += f" LIMIT {self.pick('1', '1', '2', '5')}"
            order += f" OFFSET {self.pick('0', '1')}" if self.chance(20) else ""
        return order

    def sources(self) -> tuple[list[Item], str]:
        count = 1 + self.chance(45) + self.chance(20)
        items = [self.source()]
        text = f" FROM {self.reference(items[0])}"
        for _ in range(count - 1):
            item = self.source()
            how = self.pick(*["JOIN"] * 4, *["LEFT JOIN"] * 3, ",", ",", "RIGHT JOIN", "FULL JOIN")
            text += f"{how} " if how == "," else f" {how} "
            text += self.reference(item)
            items.append(item)
            if how != ",":
                text += f" ON {self.link(items)}"
        return items, text

    def reference(self, item: Item) -> str:
        return f"{item.table} AS {item.alias}"

    def source(self) -> Item:
        if self.size > 1 and self.chance(15):
            self.size -= 1
            # A derived table does not see its neighbours; what is around it may be seen.
            inner = self.query(["int", "text", "int"], names=("c", "d", "e"))
            self.size += 1
            columns = {"c": "int", "d": "text", "e": "int"}
            return Item(self.alias(), columns, f"({inner})")
        table = self.pick(*TABLES, "t", "u", "t")
        return Item(self.alias(), TABLES[table], table)

    def link(self, items: list[Item]) -> str:
        last = items[-1]
        fits = []
        for other in items[:-1]:
            for text in JOINS:
                left, right = text.split(" = ")
                for one, two in ((left, right), (right, left)):
                    (a, b), (c, d) = one.split("."), two.split(".")
                    if a == other.table and c == last.table:
                        fits.append(f"{other.alias}.{b} = {last.alias}.{d}")
                    elif other.table == last.table and a == other.table:
                        fits.append(f"{other.alias}.{b} = {last.alias}.{b}")
        self.scopes.append(items)
        condition = self.pick(*fits) if fits and not self.chance(10) else self.comparison()
        if self.chance(25):
            condition += f" AND {self.predicate()}"
        self.scopes.pop()
        return condition

    # Columns

    def column(self, kind: str, *, outer: bool = False) -> str | None:
        scopes = self.scopes[:-1] if outer else self.scopes[-1:]
        results = [
            f"{item.alias}.{name}"
            for scope in scopes
            for item in scope
            for name, kind_of_column in item.columns.items()
            if kind == "any" or kind_of_column == kind
        ]
        return self.pick(*results) if results else None

    def any_column(self) -> str:
        return self.column("any") or "1+0"

    # Expressions

    def expression(self, kind: str, depth: int = 2) -> str:
        if depth == 0 or self.chance(60):
            column = self.column(kind)
            if column is not None:
                return column
        if kind == "any":
            kind = self.pick("int", "text", "real")
        ways: list[Callable[[], str]] = [lambda: self.pick(*LITERALS[kind])]
        if depth:
            ways += [
                lambda: self.case(kind, depth - 1),
                lambda: self.null_function(kind, depth - 1),
            ]
            if self.size > 1:
                ways.append(lambda: self.scalar(kind))
            if kind in ("int", "real"):
                ways += [lambda: self.arithmetic(kind, depth - 1)] * 2
            if kind == "int":
                ways += [lambda: f"({self.predicate()})", lambda: self.integer_function(depth - 1)]
            if kind == "text":
                ways += [lambda: self.text_function(depth - 1)] * 2
        return self.among(*ways)

    def arithmetic(self, kind: str, depth: int) -> str:
        operator = self.pick("+", "-", "*", "/", "%") if kind == "int" else self.pick("+", "*")
        return f"({self.expression(kind, depth)} {operator} {self.expression(kind, depth)})"

    def integer_function(self, depth: int) -> str:
        inner = self.expression(self.pick("text", "int", "real"), depth)
        way = self.pick("LENGTH({})", "ABS({})", "CAST({} AS INTEGER)", "-({})", "ROUND({})")
        return way.format(inner)

    def text_function(self, depth: int) -> str:
        inner = self.expression("text", depth)
        way = self.pick("UPPER({})", "LOWER({})", "SUBSTR({}, 1, 1)", "({} || 'a')", "TRIM({})")
        return way.format(inner)

    def case(self, kind: str, depth: int) -> str:
        text = self.expression(kind, depth)
        default = f" ELSE {self.expression(kind, depth)}" if self.chance(60) else ""
        if self.chance(25):
            tested = self.expression("int", depth)
            return f"CASE {tested} WHEN {self.expression('int', 0)} THEN {text}{default} END"
        if self.chance(30) and default:
            return f"IIF({self.predicate()}, {text},{default.replace(' ELSE', '', 1)})"
        return f"CASE WHEN {self.predicate()} THEN {text}{default} END"

    def null_function(self, kind: str, depth: int) -> str:
        name = self.pick("COALESCE", "IFNULL", "NULLIF")
        return f"{name}({self.expression(kind, depth)}, {self.expression(kind, depth)})"

    def scalar(self, kind: str) -> str:
        self.size -= 1
        sources, start = self.sources()
        self.scopes.append(sources)
        inner = self.column(kind if kind != "any" else "int") or "1"
        if self.chance(30):
            inner = f"DISTINCT {inner}"
        text = self.pick(f"MAX({inner})", f"MIN({inner})", f"COUNT({inner})", "COUNT(*)")
        where = f" WHERE {self.condition()}" if self.chance(60) else ""
        self.scopes.pop()
        self.size += 1
        return f"(SELECT {text}{start}{where})"

    def aggregate(self, kind: str) -> str:
        inner = self.expression(kind if self.chance(60) else "int", 1)
        if self.chance(20):
            inner = f"DISTINCT {inner}"
        names = ("COUNT", "SUM", "MAX", "MIN", "AVG") if kind != "text" else ("MAX", "MIN")
        return self.pick("COUNT(*)", *(f"{name}({inner})" for name in names))

    def grouped(self, kind: str, terms: list[str]) -> str:
        if terms and self.chance(55):
            return self.rng.choice(terms)
        return self.aggregate(kind)

    def having(self, terms: list[str]) -> str:
        ways = [f"{self.aggregate('int')} {self.comparator()} {self.pick('0', '1', '2')}"]
        if terms:
            ways.append(f"{self.rng.choice(terms)} {self.pick('IS NOT NULL', 'IS NULL', '> 1')}")
        return self.pick(*ways)

    # Conditions

    def comparator(self) -> str:
        return self.pick("=", "=", "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT")

    def condition(self) -> str:
        text = self.predicate()
        while self.chance(40):
            text = f"{text} {self.pick('AND', 'AND', 'OR')} {self.predicate()}"
        return text

    def predicate(self) -> str:
        ways: list[Callable[[], str]] = [self.comparison] * 5
        ways += [self.null_test, self.between, self.in_list, self.like, self.constant]
        ways += [lambda: f"NOT ({self.condition()})", lambda: f"({self.condition()})"]
        if self.size > 1:
            ways += [self.in_query, self.in_query, self.exists, self.exists]
        return self.among(*ways)

    def comparison(self) -> str:
        kind = self.pick("int", "int", "text", "real")
        left = self.expression(kind, 1)
        if self.chance(12):
            kind = self.pick("int", "text", "real", "any")
        if len(self.scopes) > 1 and self.chance(25):
            outer = self.column(kind, outer=True)
            if outer is not None:
                return f"{left} {self.comparator()} {outer}"
        right = self.pick(*LITERALS[kind]) if self.chance(45) else self.expression(kind, 1)
        return f"{left} {self.comparator()} {right}"

    def null_test(self) -> str:
        return f"{self.expression('any', 1)} {self.pick('IS NULL', 'IS NOT NULL')}"

    def between(self) -> str:
        kind = self.pick("int", "text")
        low, high = self.expression(kind, 0), self.expression(kind, 0)
        return f"{self.expression(kind, 1)} {self.pick('', 'NOT ')}BETWEEN {low} AND {high}"

    def in_list(self) -> str:
        kind = self.pick("int", "text")
        members = [self.pick(*LITERALS[kind]) for _ in range(1 + self.rng.randrange(3))]
        return f"{self.expression(kind, 1)} {self.pick('', 'NOT ')}IN ({', '.join(members)})"

    def like(self) -> str:
        pattern = self.pick("'a%'", "'A%'", "'%b'", "'a'", "'_'", "'%'")
        return f"{self.expression('text', 1)} {self.pick('', 'NOT ')}LIKE {pattern}"

    def constant(self) -> str:
        return self.pick("1", "0", "1 = 1", "1 = 2", "TRUE", "NULL", "2 > 1", "'a' = 'A'")

    def in_query(self) -> str:
        kind = self.pick("int", "int", "text")
        tested = self.expression(kind, 1)
        self.size -= 1
        inner = self.query([kind])
        self.size += 1
        return f"{tested} {self.pick('', 'NOT ')}IN ({inner})"

    def exists(self) -> str:
        self.size -= 1
        inner = self.query(["int"]) if self.chance(15) else self.correlated()
        self.size += 1
        return f"{self.pick('', 'NOT ')}EXISTS ({inner})"

    def correlated(self) -> str:
        sources, start = self.sources()
        self.scopes.append(sources)
        kind = self.pick("int", "int", "text")
        inner, outer = self.column(kind), self.column(kind, outer=True)
        link = f"{inner} = {outer}" if inner and outer else self.comparison()
        more = f" AND {self.predicate()}" if self.chance(40) else ""
        self.scopes.pop()
        return f"SELECT {self.pick('1', '*')}{start} WHERE {link}{more}"

"""What differs from one SQL dialect to the next: one record a dialect, named by behaviour.

Code that must know a peculiarity asks the record (``dialect_of(query.dialect).division_by_zero``)
and compares no name. A dialect without a record, such as one that only sqlglot knows, gets the
defaults: they promise nothing, and no rule counts as checked in it. What concerns the database
system (files, limits, how witnesses are searched) stands in the record of ``execute/engine.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

from sqlverdict import dialect_words as words
from sqlverdict.patterns import late_pattern

if TYPE_CHECKING:
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect

DEFAULT_DIALECT = "sqlite"
"""The dialect of a query that names none; the forms of proofs and messages are written in it."""

Values = Literal[
    "integer",
    "real",
    "number",
    "text",
    "collated",
    "boolean",
    "date",
    "time",
    "timestamp",
    "uuid",
    "other",
]
"""What a column holds. ``real`` is a double; ``number`` any other number: decimals, and floats of
four bytes. Two texts that are ``collated`` can be equal and differ."""

RuleGroup = Literal[
    "affinities",
    "exact_texts",
    "any_texts",
    "if_function",
    "filter_clause",
    "full_join",
    "nulls_place",
    "number_conditions",
    "row_comparisons",
    "etm_paper",
]
"""What a rule of the prover leans on: affinities; that equal texts are the same; neither; a
function that stands for CASE; FILTER behind an aggregate; FULL JOIN; NULLS FIRST; that a condition
is 1 or 0; that rows are compared part by part; the ETM paper's reading."""

Clause = Literal["where", "group", "having", "order", "window"]
_NONE = re.compile(r"(?!)")


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What a dialect's SQL looks like and means.

    Attributes:
        name: Its name, as sqlglot has it.
        title: Its name for people.

        in_python: Python's ``sqlite3`` reads it: its own parser says what is a syntax error and
            what a schema accepts, and its files are opened directly.
        plain_tokens: ``parse/tokens.py`` cuts its texts: no comment runs, and letter case outside
            of strings never counts.
        unsure_text: What a text may hold whose meaning depends on the server's settings.
        foreign_text: What our parser reads in a text and the engine does not: operators, functions
            and types of others.
        refusals: What else our parser reads and the engine does not.
        reserved_words: Words that are no names without quotes, unless a dot stands beside them.
        names_case: Whether names that differ in letter case are one. ``folded``: always.
            ``tables``: names of tables and aliases may be two. ``quoted``: quoted names are two.
        quote: What stands around a quoted name.
        blobs: How bytes are written: as ``x'00ff'``, as a text cast to bytea, as a text of escapes.
        backslashes: A backslash in a string is an escape.
        bare_sides: A side of a set operation stands without parentheses around it.
        bare_derived: A derived table needs no alias. PostgreSQL before version 16 wants one.
        query_words: Words that begin a query, beside SELECT, WITH and VALUES.

        lenient: It takes what others refuse, and has a rule for it: ambiguous names, words in
            double quotes that are texts, the first of several rows where one value is meant,
            columns beside an aggregate.
        alias_clauses: The clauses whose expressions see aliases of the SELECT list. A whole term of
            GROUP BY or ORDER BY sees them in every dialect. ``window``: what stands behind OVER.
        determined_columns: Where a column may stand beside an aggregate if the grouped columns
            determine it. ``by_key``: everywhere, if they hold the primary key of its table.
        distinct_order: By what a SELECT DISTINCT is sorted: what it shows, or over shown columns.

        typed: A column holds values of its declared type alone. Otherwise a type is an affinity.
        types: What columns of its own types hold, beside those that all typed dialects have.
        type_suffixes: Words behind a type that do not change what it holds.
        exact_collations: Collations under which equal texts are the same; "" is the usual one.
        exact_texts: The usual collation is one of them.
        padded_types: Types whose values are compared without the spaces at their ends.
        padded_collations: Those under which spaces at the end of a text do not count.
        caseless_collations: Those under which a letter of ASCII is equal to its capital.
        typed_quotes: A text in quotes is read as a value of the type beside it.
        strict_types: Some types have no order or no MAX; NULL out of a query or a CASE is a text.
        full_joins: What ON of a FULL JOIN must have: nothing, or an equality of its two sides.
        nested_texts: Texts with parts: ``brackets``: ``[1, 2]``, ``{'x': 1}``; ``braces``: ``{1}``.
        sample_types: A declaration for each kind of values, for tables that test a rule.
        indexable_text: The type of texts that a key may have, where TEXT has no length.
        byte_keys: A key compares the bytes of texts, whatever collation their column has.
        zero_dates: It has the date 0000-00-00, which ``IS NULL`` takes for NULL in some places.
        digit_dates: In arithmetic a date is the number of its digits.
        endless_years: The year of an endless day is infinite; elsewhere it is NULL.
        most_hours: The greatest TIME: a day's end, or a span of several days.

        hands_on_order: A query around one source shows its rows in the order of the source's own
            ORDER BY, where it says nothing of order itself. MariaDB drops that ORDER BY.
        loses_groups: Of a DISTINCT of what is computed of groups its engine drops rows.
        nulls: Where NULLs stand in an ORDER BY that does not say so.
        division_by_zero: ``null``; ``error``; ``signed``: NULL by 0, while 0.0 and -0.0 divide.
        short_division: A quotient of decimals has a few digits more than its dividend.
        wide_sums: A sum of integers may be a decimal, which is not divided as an integer is.
        row_values: A value may have several parts, and IS NULL looks at them.
        number_conditions: A number is a condition: true where it is not 0.
        row_id: The column that tells rows of a table apart; empty: there is none.
        spells_number: The condition under which a text, ``{0}``, spells a number; empty: not known.

        rules: The groups of rules that were checked on its engine (``check_rule``).

        file_header: How a file of its engine, or a dump, begins.
        server: Its databases are on servers: such a file is a dump, to be loaded there.
        attaches: The URL of a file may name further files, whose tables queries read, too.
        ddl_words: What CREATE statements hold that others do not know.
        source: How a database of its engine is named.
        julian_day: The days since the beginning of the Julian calendar up to ``{}``.
        weekday: The number of the weekday of ``{}`` as a text, if ``strftime`` has no word for it.
    """

    name: str
    title: str = ""

    in_python: bool = False
    plain_tokens: bool = False
    unsure_text: re.Pattern[str] | None = None
    foreign_text: re.Pattern[str] | None = None
    refusals: frozenset[words.Construct] = frozenset()
    reserved_words: frozenset[str] = frozenset()
    names_case: Literal["folded", "tables", "quoted"] = "quoted"
    quote: str = '"'
    blobs: Literal["hex", "bytea", "escapes"] = "hex"
    backslashes: bool = False
    bare_sides: bool = False
    bare_derived: bool = False
    query_words: frozenset[str] = frozenset()

    lenient: bool = False
    alias_clauses: frozenset[Clause] = frozenset()
    determined_columns: Literal["nowhere", "outside_having", "by_key", "everywhere"] = "nowhere"
    distinct_order: Literal["outputs", "columns", "anything"] = "outputs"

    typed: bool = True
    types: Mapping[str, Values] = field(default_factory=dict)
    type_suffixes: tuple[str, ...] = ()
    exact_collations: re.Pattern[str] = _NONE
    exact_texts: bool = False
    padded_types: re.Pattern[str] = _NONE
    padded_collations: re.Pattern[str] = _NONE
    caseless_collations: re.Pattern[str] = _NONE
    typed_quotes: bool = False
    strict_types: bool = False
    full_joins: Literal["any", "equalities"] = "any"
    nested_texts: Literal["none", "brackets", "braces"] = "none"
    sample_types: tuple[tuple[Values, str], ...] = ()
    indexable_text: str | None = None
    byte_keys: bool = False
    zero_dates: bool = False
    digit_dates: bool = False
    endless_years: bool = False
    most_hours: int = 24

    hands_on_order: bool = False
    loses_groups: bool = False
    nulls: Literal["small", "large", "last"] = "small"
    division_by_zero: Literal["null", "signed", "error"] = "error"
    short_division: bool = False
    wide_sums: bool = True
    row_values: bool = True
    number_conditions: bool = False
    row_id: str = ""
    spells_number: str = ""

    rules: frozenset[RuleGroup] = frozenset()

    file_header: re.Pattern[bytes] | None = None
    server: bool = False
    attaches: bool = False
    ddl_words: re.Pattern[str] | None = None
    source: str = ""
    julian_day: str | None = None
    weekday: str | None = None

    def quoted(self, name: str) -> str:
        """A name as the dialect writes it, whatever characters it has."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def nulls_first(self, falls: bool) -> bool:
        """Whether NULLs come first in an ORDER BY that does not say so."""
        return self.nulls != "last" and falls == (self.nulls == "large")


_CLAUSES: frozenset[Clause] = frozenset({"where", "group", "having", "order"})
_BYTE_COLLATIONS = late_pattern(r"|c|posix|ucs_basic|binary")

_NUMBER_TEXT = "^[+-]*[0-9][0-9.]*$"

_SQLITE = Dialect(
    name=DEFAULT_DIALECT,
    title="SQLite",
    in_python=True,
    plain_tokens=True,
    names_case="folded",
    bare_sides=True,
    bare_derived=True,
    lenient=True,
    alias_clauses=_CLAUSES,
    determined_columns="everywhere",
    distinct_order="anything",
    typed=False,
    exact_texts=True,
    hands_on_order=True,
    division_by_zero="null",
    wide_sums=False,
    row_values=False,
    number_conditions=True,
    row_id="rowid",
    spells_number="ltrim({0}, '+-') GLOB '[0-9]*' AND ltrim({0}, '+-') NOT GLOB '*[^0-9.]*'",
    rules=frozenset(get_args(RuleGroup)),
)

_TYPED_RULES: frozenset[RuleGroup] = frozenset(
    {"exact_texts", "any_texts", "filter_clause", "full_join", "nulls_place"}
)
_POSTGRES = Dialect(
    name="postgres",
    title="PostgreSQL",
    foreign_text=words.POSTGRES_FOREIGN,
    blobs="bytea",
    refusals=frozenset({"open_escapes"}),
    determined_columns="by_key",
    types={"boolean": "boolean", "bool": "boolean", "uuid": "uuid"},
    exact_collations=_BYTE_COLLATIONS,
    exact_texts=True,
    padded_types=late_pattern(r"(?i:char|character|bpchar)\s*\(\s*\d+\s*\)"),
    typed_quotes=True,
    strict_types=True,
    full_joins="equalities",
    nested_texts="braces",
    sample_types=(
        *(("integer", "INTEGER"), ("text", "TEXT"), ("real", "DOUBLE PRECISION")),
        *(("number", "NUMERIC"), ("date", "DATE"), ("boolean", "BOOLEAN")),
    ),
    endless_years=True,
    hands_on_order=True,
    nulls="large",
    spells_number=f"{{0}} ~ '{_NUMBER_TEXT}'",
    rules=_TYPED_RULES | {"row_comparisons"},
    file_header=re.compile(rb"PGDMP|(?s:.{0,40})PostgreSQL database"),
    server=True,
    ddl_words=words.POSTGRES_DDL,
    source="postgresql://HOST/",
    julian_day="DATE_PART('julian', CAST({} AS TIMESTAMP))",
    weekday="CAST(EXTRACT(dow FROM {}) AS TEXT)",
)

_CASELESS = r"utf8(?:mb[34])?_(?:general|unicode|uca1400_ai)_ci|latin1_(?:swedish|general)_ci"
_MYSQL_EXACT = "VARCHAR(40) COLLATE utf8mb4_nopad_bin"
_MYSQL = Dialect(
    name="mysql",
    title="MySQL or MariaDB",
    # Comments that run, minus signs that are no comment, and escapes that a mode switches off.
    unsure_text=late_pattern(r"/\*!|/\*M!|--(?!\s)|\\"),
    foreign_text=words.MYSQL_FOREIGN,
    refusals=frozenset({"limited_members", "distinct_on"}),
    reserved_words=words.MYSQL_RESERVED,
    names_case="tables",
    quote="`",
    backslashes=True,
    alias_clauses=frozenset({"group", "having", "order", "window"}),
    determined_columns="outside_having",
    distinct_order="columns",
    types={
        **dict.fromkeys(("char", "tinytext", "mediumtext", "longtext"), "text"),
        **dict.fromkeys(("boolean", "bool"), "integer"),
        # Shown in the time zone of the session.
        "timestamp": "other",
    },
    type_suffixes=(" unsigned",),
    # Trailing spaces count, too. The usual collation is not among them.
    exact_collations=late_pattern(r"binary|\w+_nopad_bin|\w+_0900_bin"),
    padded_collations=late_pattern(rf"{_CASELESS}|(?:utf8(?:mb[34])?|latin1)_bin"),
    caseless_collations=late_pattern(rf"{_CASELESS}|utf8mb4_0900_ai_ci"),
    sample_types=(
        ("integer", "INTEGER"),
        ("text", _MYSQL_EXACT),
        ("collated", "VARCHAR(40)"),
        ("real", "DOUBLE"),
        ("number", "DECIMAL(12, 3)"),
        ("date", "DATE"),
    ),
    indexable_text="VARCHAR(255)",
    zero_dates=True,
    digit_dates=True,
    most_hours=838,
    loses_groups=True,
    division_by_zero="null",
    short_division=True,
    wide_sums=False,
    row_values=False,
    number_conditions=True,
    spells_number=f"{{0}} REGEXP '{_NUMBER_TEXT}'",
    rules=frozenset({"any_texts", "if_function", "number_conditions", "row_comparisons"}),
    file_header=re.compile(rb"-- (?:MySQL|MariaDB) dump|/\*M?!\d"),
    server=True,
    ddl_words=late_pattern(r"(?i)\bauto_increment\b|\bengine\s*=|\benum\s*\(|\bunsigned\b"),
    source="mysql://HOST/",
    julian_day="(TO_DAYS({}) + 1721059.5)",
)

_DUCKDB = Dialect(
    name="duckdb",
    title="DuckDB",
    foreign_text=words.DUCKDB_FOREIGN,
    refusals=frozenset({"natural_product"}),
    names_case="folded",
    blobs="escapes",
    bare_derived=True,
    query_words=frozenset({"FROM", "PIVOT", "UNPIVOT"}),
    alias_clauses=_CLAUSES,
    distinct_order="anything",
    types={
        **dict.fromkeys(("string", "char", "bpchar"), "text"),
        **dict.fromkeys(("boolean", "bool"), "boolean"),
        "uuid": "uuid",
    },
    exact_collations=_BYTE_COLLATIONS,
    exact_texts=True,
    typed_quotes=True,
    nested_texts="brackets",
    sample_types=(
        *(("integer", "INTEGER"), ("text", "VARCHAR"), ("real", "DOUBLE")),
        *(("number", "DECIMAL(12, 3)"), ("date", "DATE"), ("boolean", "BOOLEAN")),
    ),
    byte_keys=True,
    hands_on_order=True,
    nulls="last",
    division_by_zero="signed",
    wide_sums=False,
    row_values=False,
    row_id="rowid",
    spells_number=f"regexp_matches({{0}}, '{_NUMBER_TEXT}')",
    rules=_TYPED_RULES,
    file_header=re.compile(rb"(?s).{8}DUCK"),
    attaches=True,
    ddl_words=late_pattern(r"\bstruct\s*\(|\bcreate macro\b|\[\]|\bhugeint\b", re.IGNORECASE),
    source="FILE.duckdb",
    julian_day="JULIAN(CAST({} AS TIMESTAMP))",
)

DIALECTS: Mapping[str, Dialect] = {
    each.name: each for each in (_SQLITE, _DUCKDB, _POSTGRES, _MYSQL)
}
"""The dialects that have a record, by name."""


def dialect_of(name: str) -> Dialect:
    """The record of a dialect; the defaults for one that has none."""
    return DIALECTS.get(name) or Dialect(name=name)


@lru_cache(maxsize=32)
def parser_dialect(name: str) -> SqlglotDialect:
    """A dialect of sqlglot, to parse and write with: to find it by its name takes longer.

    Raises:
        ValueError: sqlglot knows no such dialect.
    """
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect

    return SqlglotDialect.get_or_raise(name)


def checked_dialects(group: RuleGroup) -> tuple[str, ...]:
    """The dialects on whose engines a group of rules was checked, sorted as they stand here."""
    return tuple(each.name for each in DIALECTS.values() if group in each.rules)


def guessing_order() -> list[Dialect]:
    """The dialects as a text is tried in them: the usual one, those of servers, the others."""
    return sorted(DIALECTS.values(), key=lambda each: (not each.in_python, not each.server))

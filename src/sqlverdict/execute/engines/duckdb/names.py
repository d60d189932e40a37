"""Names of functions and tables that every DuckDB database has, and what a query may do with them.

The engine itself lists them, so that those of a newer version are not forgotten: a table function
or a table of the system that is not known here is blocked, and a function that is not known here
is not quick.

A query is quick where it is sure to stop when it is told to, and to stay within the memory limit.
DuckDB looks whether it is to stop between two batches of rows, and not inside a function, nor while
it plans; and the texts and lists that functions make do not count against its memory limit. A query
is plain where all its words are known to be harmless. The words are those of the whole text,
comments and strings included, so that no rule for quotes or comments matters: whatever name DuckDB
reads in the text is among them. Whatever is not plain is run in a process that can be killed.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import ceil
from typing import NamedTuple

import duckdb

from sqlverdict.parse.measure import SHORTEST_UNFOLDING, count_unfolded
from sqlverdict.parse.tokens import word_set

_TABLE_FUNCTIONS = word_set(
    "duckdb_columns duckdb_constraints duckdb_indexes duckdb_tables duckdb_views "
    "generate_series json_each json_tree range repeat repeat_row unnest"
)
"""Table functions that read nothing but their arguments, and what the tables are."""
_TABLES = word_set(
    "character_sets check_constraints columns constraint_column_usage constraint_table_usage "
    "key_column_usage referential_constraints schemata table_constraints tables views "
    "duckdb_columns duckdb_constraints duckdb_indexes duckdb_schemas duckdb_tables duckdb_types "
    "duckdb_views sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema "
    "pg_am pg_attrdef pg_attribute pg_class pg_collation pg_constraint pg_depend pg_description "
    "pg_enum pg_index pg_indexes pg_namespace pg_proc pg_sequence pg_sequences pg_tables pg_type "
    "pg_views"
)
"""Tables of the system that tell what is in the database, and not where it is or how it is set."""
_BLOCKED_TABLES = word_set(
    "duckdb_databases duckdb_logs duckdb_settings duckdb_secrets pg_database "
    "pg_prepared_statements pg_settings pg_tablespace pragma_database_list"
)
_BLOCKED_FUNCTIONS = word_set(
    "current_setting getenv getvariable get_block_size nextval pg_sleep setval sleep_ms write_log "
    "json_execute_serialized_sql json_serialize_plan json_serialize_sql json_deserialize_sql "
    "combine combine_aggr finalize index_key parse_duckdb_log_message stats to_aggregate_state "
    "variant_bytes_to_variant vector_type"
)
"""Functions that do or tell more than their arguments say: they read settings, wait, write, plan a
text, or take bytes for what the engine has in its memory."""
_INTERNAL = "__"

_QUICK = word_set(
    "abs acos age any_value arbitrary asin atan atan2 avg bool_and bool_or cbrt ceil ceiling "
    "century char_length character_length cos count count_if count_star countif cume_dist "
    "current_date current_schema date_diff date_part date_trunc datediff datepart datetrunc day "
    "dayname dayofmonth dayofweek dayofyear decade degrees dense_rank exp first "
    "first_value floor greatest hour if isfinite isinf isnan isodow isoyear julian lag last "
    "last_day last_value lcase lead least left len length ln log log10 log2 lower make_date "
    "max mean microsecond millisecond min minute mod month monthname now nth_value "
    "ntile nullif percent_rank pi pow power quarter radians random rank right round row_number "
    "second sign sin sqrt stddev stddev_pop stddev_samp strftime strlen substr substring "
    "sum tan today trunc typeof ucase upper user var_pop var_samp variance version week "
    "weekday weekofyear year"
)
"""Functions whose time and memory grow with the length of their arguments and no faster."""
_SLOW_WORDS = word_set(
    "array at bignum bit bitstring blob bytea call collate columns cube delete describe escape "
    "exclude explain following glob groups ilike insert lambda merge pivot preceding recursive "
    "rollup rows sample sets show similar summarize tablesample truncate unpivot update "
    "varbinary varint"
)
"""Words of the language behind which a function stands, or which make a query unusual."""
_WRITES = word_set("delete insert merge truncate update")
_DESCRIPTIONS = word_set("describe explain export_state show summarize")


_ONE_THREAD = {"threads": "1"}
_ONE_READER = {"async_threads": "1"}
"""DuckDB 1.5 has no such setting."""

Settings = dict[str, str | bool | int | float | list[str]]


@lru_cache(maxsize=1)
def _threads() -> dict[str, str]:
    settings = {**_ONE_THREAD, **_ONE_READER}
    try:
        duckdb.connect(config={**settings}).close()
    except duckdb.InvalidInputException:
        return _ONE_THREAD
    return settings


def thread_settings() -> Settings:
    """What is set for every connection: one thread for queries, and one that reads.

    More would make sums of floats and the order of rows depend on the machine. DuckDB 2 also starts
    four threads a core that read, for each connection. Each takes address space, which is limited
    where queries run: on a machine with many cores none would be left.
    """
    return {**_threads()}


class SystemNames(NamedTuple):
    """What the names of a version of DuckDB mean, in lower case."""

    functions: frozenset[str]
    """Functions that must not be called."""
    table_functions: frozenset[str]
    """Table functions that must not be called."""
    tables: frozenset[str]
    """Tables that must not be read."""
    suspicious: frozenset[str]
    """Words without which a text is sure to do nothing of this, whatever else it means."""
    slow: frozenset[str]
    """Words without which a text calls nothing but quick functions."""
    reserved: frozenset[str]
    """Words that are no names, unless they stand in quotes."""


@lru_cache(maxsize=1)
def names() -> SystemNames:
    """The names of this version; read once a process."""
    connection = duckdb.connect(config=thread_settings())
    try:
        kinds = connection.execute(
            "SELECT lower(function_name), function_type FROM duckdb_functions() WHERE internal"
        ).fetchall()
        views = connection.execute(
            "SELECT lower(view_name) FROM duckdb_views() WHERE internal"
        ).fetchall()
        keywords = connection.execute(
            "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
        ).fetchall()
    finally:
        connection.close()
    every = frozenset(name for name, _ in kinds)
    readers = {name for name, kind in kinds if kind in ("table", "table_macro")}
    others = {name for name, kind in kinds if kind not in ("table", "table_macro", "pragma")}
    internal = {name for name in every if name.startswith(_INTERNAL)}
    functions = frozenset((readers - others - _TABLE_FUNCTIONS) | _BLOCKED_FUNCTIONS | internal)
    table_functions = frozenset((readers - _TABLE_FUNCTIONS) | functions)
    tables = (frozenset(name for (name,) in views) - _TABLES) | _BLOCKED_TABLES
    suspicious = functions | table_functions | tables | _WRITES | _DESCRIPTIONS
    return SystemNames(
        functions,
        table_functions,
        tables,
        suspicious,
        (suspicious | every | _SLOW_WORDS) - _QUICK,
        frozenset(name for (name,) in keywords),
    )


_LONGEST = 4_000
_MOST_PARTS = 40
"""Commas, joins and queries: to plan a join of 60 tables takes half a second, of 280 minutes."""
_MOST_UNFOLDED = 64
_MOST_STARS = 8
"""Two stars a query double the columns with each level: to plan 2 to the 14th takes 10 seconds."""
_MOST_COPIES = 10_000
"""So often an expression may be written out: a name that another column of the same query has is
replaced by what it stands for, ``nullif`` writes its argument twice, and BETWEEN, IN and CASE with
an operand write it once for every value, one level inside the other."""
_MOST_WILDCARDS = 2
"""In a pattern with ``_``: its time grows with a power of the text's length."""
_WORDS = re.compile(r"\w+")
_ODD = re.compile(r"(?i)\(\s*desc\b|--|/\*|->|\|\||!(?!=)|[\[\]{}~\\$@#^&?`\x00-\x08\x0b-\x1f\x7f]")
"""A description in brackets, comments, operators that call functions, lists, escapes."""
_LIKE = re.compile(r"\blike\b")
_NAME = re.compile(r'"?\b[^\W\d]\w*\b"?(?!\s*[(.])')
"""What may be the use of a column's name: it stands before no bracket and no dot."""
_NULLIF = re.compile(r"\bnullif\b")
_BETWEEN = re.compile(r"\bbetween\b")
_IN = re.compile(r"\bin\s*\((?!\s*select\b)")
_CASE = re.compile(r"\bcase\b(?!\s*when\b)")
_WHEN = re.compile(r"\bwhen\b")
_PATTERN = re.compile(r"\blike\s*'([^']{0,60})'(?!\s*['.:\[])")


def words_of(text: str) -> frozenset[str]:
    """All words of a text, in lower case, wherever they stand."""
    return frozenset(_WORDS.findall(text.lower()))


@lru_cache(maxsize=16_384)
def is_plain(sql: str) -> bool:
    """Whether a text is a short query of quick functions, whatever the database's own are."""
    if len(sql) > _LONGEST or _ODD.search(sql) is not None:
        return False
    lower = sql.lower()
    if not names().slow.isdisjoint(_WORDS.findall(lower)):
        return False
    if lower.count(",") + lower.count("join") + lower.count("select") > _MOST_PARTS:
        return False
    if lower.count("*") > _MOST_STARS or _copies(lower) > _MOST_COPIES:
        return False
    if "like" in lower and not _has_short_patterns(lower):
        return False
    unfolds = len(sql) >= SHORTEST_UNFOLDING and "with" in lower
    return not unfolds or count_unfolded(sql) <= _MOST_UNFOLDED


def _copies(lower: str) -> int:
    """How often an expression is written out at most, as if every name stood for one."""
    uses = Counter(
        name.strip('"') if name not in names().reserved else "" for name in _NAME.findall(lower)
    )
    del uses[""]
    copies = 1 << len(_NULLIF.findall(lower))
    copies *= _nested(len(_BETWEEN.findall(lower)), 2)
    lists = len(_IN.findall(lower))
    copies *= _nested(lists, lower.count(",") / max(1, lists) + 1)
    cases = len(_CASE.findall(lower))
    copies *= _nested(cases, len(_WHEN.findall(lower)) / max(1, cases))
    for count in uses.values():
        copies *= max(1, count - 1)
        if copies > _MOST_COPIES:
            break
    return copies


def _nested(levels: int, values: float) -> int:
    """How often the innermost operand is written out, were all of them inside each other.

    Measured on DuckDB 2.0, the time grows by a little more than the number of values a level.
    """
    return ceil(min((values + 1) ** min(levels, _MOST_PARTS), _MOST_COPIES + 1))


def _has_short_patterns(lower: str) -> bool:
    """Whether every pattern is a short constant that is quick to look for."""
    patterns = _PATTERN.findall(lower)
    return len(patterns) == len(_LIKE.findall(lower)) and all(
        "_" not in pattern or pattern.count("%") <= _MOST_WILDCARDS for pattern in patterns
    )

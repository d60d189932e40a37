"""Words by which a text is told to be none of a dialect: data for the records of ``dialects.py``.

The patterns are sought in a text in small letters, with one space for all that stands between
words, and without what strings hold.
"""

from __future__ import annotations

import re
from typing import Literal

from sqlverdict.patterns import late_pattern

Construct = Literal[
    "limited_members",
    "distinct_on",
    "natural_product",
    "open_escapes",
]
"""What our parser reads and an engine may refuse: LIMIT in a query behind IN, ANY or ALL; DISTINCT
ON; NATURAL JOIN without common names; a pattern of LIKE that ends in a backslash."""

_INVENTED = (
    r"date_to_date_str|time_to_time_str|ts_or_ds_to_date_str|str_position|startswith|charindex"
    r"|logical_and|logical_or|booland_agg|boolor_agg|timestamp_trunc"
)
"""Functions that our parser knows and no engine has."""
_LAST_COMMA = r", ?(?:\)|from\b|where\b|having\b|order\b|limit\b|;|$)"

POSTGRES_FOREIGN = late_pattern(
    rf"<=>|==|! ?[(\w]|\b(?:{_INVENTED}|ifnull|nvl|len|ucase|lcase|iif|group_concat|listagg"
    rf"|year|locate|instr|contains) ?\(|{_LAST_COMMA}"
    r"|\blimit \d+ ?,|(?:\bas |::)(?:int64|signed|number|string|long|double) ?\)"
)

POSTGRES_DDL = late_pattern(
    r"::|\b(?:big)?serial\b|\busing btree\b|\bcreate (?:type|domain|extension|sequence)\b"
    r"|\bowner to\b|\bnextval\s*\(|\bpg_catalog\b",
    re.IGNORECASE,
)

MYSQL_FOREIGN = late_pattern(
    rf"==|::|\[|\b(?:{_INVENTED}|len|iif|string_agg|listagg|array_agg) ?\("
    r"|\b(?:count|sum|avg|min|max|substr|substring|group_concat) \("
    rf"|\bisnull\b(?! ?\()|\bnotnull\b|(?<!\bis )\bnot null\b|\bilike\b|{_LAST_COMMA}"
    r"|\bis (?:not )?distinct\b|(?<!\d )\boffset\b|\boffset \d+ (?:rows?|limit)\b|\bfrom \""
    r"|\bas (?:int64|bigint|number|numeric|long|double precision) ?\)"
)

DUCKDB_FOREIGN = late_pattern(
    rf"<=>|! ?[(\w]|\b(?:{_INVENTED}|nvl|convert|iif|locate) ?\(|\blimit \d+ ?,"
)

_MYSQL_RESERVED = (
    "accessible add all alter analyze and as asc asensitive before between bigint binary blob "
    "both by call cascade case change char character check collate column condition constraint "
    "continue convert create cross cube current_date current_role current_time "
    "current_timestamp current_user cursor databases day_hour day_microsecond day_minute "
    "day_second dec decimal declare default delayed delete delete_domain_id desc describe "
    "deterministic distinct distinctrow div do_domain_ids double drop dual each else elseif "
    "enclosed escaped except exists exit explain false fetch float float4 float8 for force "
    "foreign from fulltext grant group having high_priority hour_microsecond hour_minute "
    "hour_second if ignore ignore_domain_ids in index infile inner inout insensitive insert int "
    "int1 int2 int3 int4 int8 integer intersect interval into is iterate join key keys kill "
    "leading leave left like limit linear lines load localtime localtimestamp lock long "
    "longblob longtext loop low_priority master_demote_to_replica master_demote_to_slave "
    "master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext middleint "
    "minute_microsecond minute_second mod modifies natural no_write_to_binlog not null numeric "
    "offset on optimize optionally or order out outer outfile over page_checksum "
    "parse_vcol_expr partition portion precision primary procedure purge range read read_write "
    "reads real recursive ref_system_id references regexp release rename repeat replace require "
    "resignal restrict return returning revoke right rlike rollup row_number rows schemas "
    "second_microsecond select sensitive separator set show signal smallint spatial specific "
    "sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning "
    "ssl starting stats_auto_recalc stats_persistent stats_sample_pages straight_join system "
    "table terminated then tinyblob tinyint tinytext to trailing trigger true undo union unique "
    "unlock unsigned update usage use using utc_date utc_time utc_timestamp values varbinary "
    "varchar varcharacter varying when where while window with write xor year_month zerofill"
)
MYSQL_RESERVED = frozenset(_MYSQL_RESERVED.split())
"""The words that MariaDB 10.11 refuses as a bare name: each of its keywords was tried as an alias,
a table's alias, a column and the name of a common table expression. What MySQL 8 alone reserves
(``rank``, ``groups``) is not among them."""

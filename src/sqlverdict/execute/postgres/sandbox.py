"""What a text may not contain on PostgreSQL, and what the server's errors mean.

The server does most of the work: every query is one statement in a read-only transaction. Here the
text must begin with SELECT, WITH, VALUES or TABLE, so that it is no command. A query could still
read files, sleep, lock, notify and set options through functions. Those are refused by name, in
every spelling, before the text is sent; ``catalogue.py`` adds the names that the server knows.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sqlverdict.execute.lexemes import Lex, Lexeme, solid_lexemes
from sqlverdict.execute.servers.refusals import query_refusal, write_blocked
from sqlverdict.execute.servers.session import unavailable
from sqlverdict.parse.tokens import word_set
from sqlverdict.records import Failure, Reason

DIALECT: Final = "postgres"
_WRITERS = word_set(
    "abort alter analyze begin call checkpoint close cluster comment commit copy create deallocate "
    "declare delete discard do drop end execute fetch grant import insert listen load lock merge "
    "move notify prepare reassign refresh reindex release reset revoke rollback savepoint security "
    "set start truncate unlisten update vacuum"
)
_PLANS = word_set("explain show")

BLOCKED_FUNCTIONS: Final = word_set(
    "current_logfile database_to_xml database_to_xml_and_xmlschema database_to_xmlschema "
    "cursor_to_xml cursor_to_xmlschema query_to_xml query_to_xml_and_xmlschema query_to_xmlschema "
    "schema_to_xml schema_to_xml_and_xmlschema schema_to_xmlschema table_to_xml "
    "table_to_xml_and_xmlschema table_to_xmlschema ts_stat ts_rewrite "
    "set_config nextval setval currval lastval loread lowrite lo_close lo_creat lo_create "
    "lo_export lo_from_bytea lo_get lo_import lo_lseek lo_lseek64 lo_open lo_put lo_tell lo_tell64 "
    "lo_truncate lo_truncate64 lo_unlink "
    "crosstab connectby xpath_table"
)
"""Functions that run texts or read whole schemas, set options, or move sequences."""
_BLOCKED_STARTS: Final = (
    *("pg_sleep", "pg_read_", "pg_ls_", "pg_stat_file", "pg_file_", "pg_logdir", "pg_current_log"),
    *("pg_advisory", "pg_try_advisory", "pg_notify", "pg_cancel", "pg_terminate", "pg_reload"),
    *("pg_rotate", "pg_create_", "pg_drop_", "pg_copy_", "pg_logical", "pg_replication"),
    *("pg_switch_", "pg_promote", "pg_export_", "pg_backup", "pg_start_backup", "pg_stop_"),
    *("pg_wal_", "pg_log_", "pg_hba_file", "pg_ident_file", "pg_show_all_file", "pg_file_settings"),
    *("pg_stat_reset", "pg_stat_clear", "pg_stat_force", "pg_import_", "pg_extension_config"),
    *("pg_stat_get_activity", "pg_stat_activity", "pg_stat_statements", "pg_stat_replication"),
    *("pg_stat_ssl", "pg_stat_gssapi", "pg_authid", "pg_shadow", "pg_user_mapping", "pg_config"),
    *("pg_largeobject", "pg_prewarm", "pg_buffercache", "pg_surgery", "pg_nextoid", "pg_locks"),
    *("dblink", "binary_upgrade_", "brin_summarize", "brin_desummarize", "gin_clean_"),
)
"""How the names of what reads files, waits, locks or administrates begin; columns are not called
so, and a name that is used without parentheses counts too."""
_WORD: Final = re.compile(r"[a-z_][a-z0-9_$]*")


def refusal(sql: str, blocked: frozenset[str]) -> Failure | None:
    """Why a text is not sent to the server; ``None`` where it may be.

    Args:
        sql: The text.
        blocked: Names of functions that the catalogue adds.
    """
    if _is_plain_select(sql, blocked):
        return None
    parts = solid_lexemes(sql, DIALECT)
    while parts and parts[-1].text == ";":
        parts.pop()
    reply = query_refusal(parts, _WRITERS, _PLANS)
    return reply if reply is not None else blocked_name(parts, blocked)


@lru_cache(maxsize=8)
def _raw_words(sql: str) -> frozenset[str]:
    """Every word of a text, those in strings and comments too."""
    return frozenset(_WORD.findall(sql.lower()))


def names_in(sql: str) -> frozenset[str]:
    """Every name in a text, quoted or not; more than these where they are easily told."""
    if sql.isascii() and '"' not in sql:
        return _raw_words(sql)
    parts = solid_lexemes(sql, DIALECT)
    return frozenset(part.name for part in parts if part.kind in (Lex.WORD, Lex.NAME))


def _is_plain_select(sql: str, blocked: frozenset[str]) -> bool:
    """Whether a text is a harmless SELECT in any reading, without cutting it into lexemes.

    Words in strings and comments count here: who has such words is looked at more closely.
    """
    if sql[:6].upper() != "SELECT" or ";" in sql.rstrip().removesuffix(";") or not sql.isascii():
        return False
    names = _raw_words(sql)
    return (
        "&" not in sql
        and names.isdisjoint(BLOCKED_FUNCTIONS)
        and names.isdisjoint(blocked)
        and not any(name.startswith(_BLOCKED_STARTS) for name in names)
    )


def blocked_name(parts: list[Lexeme], blocked: frozenset[str]) -> Failure | None:
    """The refusal of the first name that no text may use."""
    for at, part in enumerate(parts):
        if part.kind not in (Lex.WORD, Lex.NAME):
            continue
        if part.text[:2].lower() == "u&":
            return Failure(
                Reason.UNSUPPORTED_FEATURE, "a name with Unicode escapes; write it in plain letters"
            )
        name = part.name
        if name.startswith(_BLOCKED_STARTS):
            return write_blocked(name)
        if name not in BLOCKED_FUNCTIONS and name not in blocked:
            continue
        # ``('x'::text).ts_stat`` is a call too.
        behind = at + 1 < len(parts) and parts[at + 1].text == "("
        if behind or (at > 1 and parts[at - 1].text == "." and parts[at - 2].text in (")", "]")):
            return write_blocked(f"{name}()")
    return None


_REASONS: Final = {
    "25006": Reason.WRITE_BLOCKED,  # a read-only transaction
    "42P11": Reason.WRITE_BLOCKED,  # a cursor over what writes
    "42601": Reason.PARSE_ERROR,
    "42P02": Reason.PARSE_ERROR,
    "08P01": Reason.PARSE_ERROR,  # $1 without a value
    "42622": Reason.PARSE_ERROR,
    "54001": Reason.PARSE_ERROR,  # the stack is not deep enough
    "54011": Reason.PARSE_ERROR,
    "54023": Reason.PARSE_ERROR,
    "54000": Reason.MEMORY_LIMIT,
    "53200": Reason.MEMORY_LIMIT,
    "53400": Reason.MEMORY_LIMIT,
    "53100": Reason.MEMORY_LIMIT,
}
_WRITES: Final = re.compile(r' INTO |"(?i:insert|update|delete|merge)"')
_UNAVAILABLE: Final = ("55P03", "58", "XX001", "XX002", "53300")
"""A lock that somebody holds, a disk that fails, data that are damaged."""


def failure_of(state: str, message: str, seconds: float) -> Failure:
    """Name what the server said.

    Args:
        state: The SQLSTATE of the error.
        message: Its message.
        seconds: How long the query ran.
    """
    if state.startswith(_UNAVAILABLE):
        return unavailable(f"the database cannot be read: {message}")
    reason = _REASONS.get(state, Reason.EXECUTION_ERROR)
    if "memory alloc request size" in message or "enlarge string buffer" in message:
        reason = Reason.MEMORY_LIMIT
    # Keywords are in every language's messages: a cursor over WITH ... DELETE, over SELECT INTO,
    # and a syntax error at the verb of WITH ... UPDATE.
    if _WRITES.search(message) if state == "42601" else state == "0A000" and "DECLARE" in message:
        reason = Reason.WRITE_BLOCKED
    if reason is Reason.WRITE_BLOCKED:
        message = f"only reading is allowed; blocked: {message}"
    elif reason is Reason.MEMORY_LIMIT:
        message = f"the engine's memory limit was reached: {message}"
    return Failure(reason, message, seconds=seconds, repeatable=state != "53100")

"""PostgreSQL's own parser: what a text says, and the text that says it in one spelling.

libpg_query is the server's parser as a library; the package ``postgast`` brings it. A text is
parsed and output anew, and the text that comes out is the one that is looked at and sent. So it is
of no account how the text that came in is cut into strings and comments. The library forgets some
parentheses, as in ``(NOT a) IS NULL``: such a text is written anew from its tokens, where these are
so plain that every server cuts them alike.

What a syntax tree may hold is a list: the kinds of nodes, and the fields of each. A node or a field
that is not listed is refused by its name, whatever a newer parser adds.

The library descends into a tree by recursion and ends the process where the stack is too small. A
text with many signs that could nest is read in a thread with a stack for all of them.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from threading import Lock, Thread, stack_size
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from sqlverdict.errors import MissingExtra
from sqlverdict.execute.lexemes import Lex, lexemes
from sqlverdict.parse.tokens import word_set

NODE: Final = "Node"
"""The type of a field that holds a node of any kind, or a list of them."""
VALUE: Final = ""
"""The type of a field that holds a number, a text, a flag or a name of an enumeration."""

QUERY_NODES: Final = word_set(
    "A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias BitString BoolExpr Boolean "
    "BooleanTest CTECycleClause CTESearchClause CaseExpr CaseWhen CoalesceExpr CollateClause "
    "ColumnDef ColumnRef CommonTableExpr Float FuncCall GroupingFunc GroupingSet Integer JoinExpr "
    "JsonAggConstructor JsonArgument JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor "
    "JsonBehavior JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg "
    "JsonObjectConstructor JsonOutput JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr "
    "JsonTable JsonTableColumn JsonTablePathSpec JsonValueExpr List MinMaxExpr NamedArgExpr "
    "NullTest ParamRef RangeFunction RangeSubselect RangeTableFunc RangeTableFuncCol "
    "RangeTableSample RangeVar ResTarget RowExpr SQLValueFunction SelectStmt SetToDefault SortBy "
    "String SubLink TypeCast TypeName WindowDef WithClause XmlExpr XmlSerialize"
)
"""What a query is made of."""
CHANGES: Final = word_set(
    "InsertStmt UpdateStmt DeleteStmt MergeStmt TruncateStmt CreateStmt CreateTableAsStmt ViewStmt "
    "IndexStmt AlterTableStmt RenameStmt DropStmt CommentStmt CreateSeqStmt AlterSeqStmt "
    "CreateEnumStmt AlterEnumStmt CompositeTypeStmt CreateDomainStmt AlterDomainStmt"
)
"""Statements that change tables, their rows, or what belongs to them."""
CHANGE_NODES: Final = (
    QUERY_NODES
    | CHANGES
    | word_set(
        "AlterTableCmd Constraint DefElem InferClause IntoClause IndexElem MergeWhenClause "
        "MultiAssignRef OnConflictClause PartitionBoundSpec PartitionElem PartitionSpec "
        "ReturningClause ReturningOption TableLikeClause ObjectWithArgs"
    )
)
"""What such statements are made of."""
NEVER: Final = frozenset(
    {"tableSpaceName", "tablespacename", "tableSpace", "indexspace", "fdwoptions", "newowner"}
)
"""Fields that lead to places on the disk or to other servers."""
_SCALARS: Final = frozenset({"xpr", "cooked_expr", "cooked_default", "cooked_in", "cooked_out"})


@cache
def fields(names: frozenset[str]) -> dict[str, dict[str, str]]:
    """The fields that each kind of node may have, with the type of each.

    Args:
        names: The kinds of nodes.
    """
    from postgast import pg_query_pb2

    messages = pg_query_pb2.DESCRIPTOR.message_types_by_name
    table: dict[str, dict[str, str]] = {}
    for name in names:
        table[name] = {}
        for field in messages[name].fields if name in messages else ():
            kind = field.message_type.name if field.message_type is not None else VALUE
            allowed = kind in (NODE, VALUE) or kind in names
            if allowed and field.json_name not in NEVER | _SCALARS:
                table[name][field.json_name] = kind
    return table


MOST_SIGNS: Final = 20_000
"""Signs that could nest; a text with more of them is not read."""
MOST_LISTED: Final = 50_000
"""Commas and dots: to write a long list anew takes more than its length of time."""
_FEW_SIGNS: Final = 50
"""So many levels fit into the smallest stack that a thread has."""
_STACK: Final = 2_048
"""Bytes of stack for one level of a chain of operators."""
_DEEP_LEVELS, _DEEP_STACK = 4_000, 8_192
"""So many levels of other kinds the parser takes at most, and bytes of stack for each."""
_SIGN: Final = re.compile(
    r"[-+*/<>=~!@#%^&|`?:(\[]"
    r"|\b(?:join|union|intersect|except|is|isnull|notnull|collate|at|like|ilike|similar|between|in"
    r"|not|overlaps|operator|case|select|escape)\b",
    re.IGNORECASE,
)
_PLACES: Final = re.compile(
    rb'(?:,|(?<=\{))"(?:(?:stmt_|name_)?location|stmt_len|(?:rexpr_)?list_(?:start|end))":-?\d+'
)
"""Where something stands; inside of a string every quotation mark is escaped."""
_PLAIN_TOKENS: Final = {
    Lex.WORD: re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
    Lex.NAME: re.compile(r'"[^\\]*"'),
    Lex.STRING: re.compile(r"'[^\\]*'"),
    Lex.NUMBER: re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    Lex.SYMBOL: re.compile(r"[-+*/<>=~!@#%^&|`?:.,()\[\]]{1,2}"),
    Lex.GAP: re.compile(r".*", re.DOTALL),
}
"""Tokens that every server cuts alike, by kind."""
_PAGE, _LEAST = 2**16, 2**20
"""Stacks are whole pages; one has so many bytes at least."""
_LARGE: Final = 20_000
"""Bytes of a tree that may be deep."""
_threads: Final = Lock()
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_Result = TypeVar("_Result")


class ParserError(Exception):
    """A text that the parser does not accept.

    Attributes:
        is_syntax: It is no SQL; otherwise it cannot be output anew.
    """

    def __init__(self, message: str, *, is_syntax: bool = True) -> None:
        super().__init__(message)
        self.is_syntax = is_syntax


class Tree(NamedTuple):
    """A text as the server's parser reads it.

    Attributes:
        text: The text in one spelling, without comments.
        statements: Its statements: the name of a node, and its fields.
    """

    text: str
    statements: tuple[tuple[str, dict[str, Any]], ...]


def parse_statements(sql: str) -> Tree:
    """Read a text, and write it anew.

    Raises:
        ParserError: it is no SQL, or cannot be output anew with the same meaning.
        MissingExtra: there is no parser.
    """
    signs = count_signs(sql)
    if sql.count(",") + sql.count(".") > MOST_LISTED:
        raise ParserError(f"the text has more than {MOST_LISTED:,} commas and dots")
    if signs > MOST_SIGNS:
        raise ParserError(f"the text has more than {MOST_SIGNS:,} operators and parentheses")
    text, encoded = with_stack(lambda: _rewrite(sql), signs)
    parts = _content(encoded).get("stmts", ())
    return Tree(text, tuple(next(iter(part["stmt"].items())) for part in parts if "stmt" in part))


def parse_messages(sql: str) -> Any:
    """The tree of a text as postgast's messages.

    Raises:
        postgast.PgQueryError: it is no SQL.
        ParserError: it is nested more deeply than messages are read.
    """
    import postgast
    from google.protobuf.message import DecodeError

    try:
        return postgast.parse(sql)
    except DecodeError as error:
        raise ParserError("the text is nested too deeply") from error


def syntax_error(sql: str) -> str | None:
    """What the parser holds against a text; ``None`` where it reads it, or it is too long."""
    import postgast

    signs = count_signs(sql)
    if signs > MOST_SIGNS:
        return None
    try:
        with_stack(lambda: parse_messages(sql), signs)
    except postgast.PgQueryError as error:
        return str(error)
    except (ParserError, RecursionError):
        return None
    return None


def count_signs(sql: str) -> int:
    """How many signs of a text could nest; 0 where they are few."""
    # One level takes two characters at least.
    return len(_SIGN.findall(sql)) if len(sql) > 2 * _FEW_SIGNS else 0


def with_stack(work: Callable[[], _Result], signs: int) -> _Result:
    """What a function gives that descends into a text with so many signs that could nest."""
    if signs <= _FEW_SIGNS:
        return work()
    return _with_stack(work, signs * _STACK + min(signs, _DEEP_LEVELS) * _DEEP_STACK)


def _rewrite(sql: str) -> tuple[str, bytes]:
    """The text in one spelling, and the tree of that."""
    original = sql.encode()
    tree = _tree(original)
    if len(tree) > _LARGE:
        # To write a tree takes a time that grows with the square of its depth.
        _content(tree)
    for write in (_deparsed, _plain):
        text = write(original)
        if text == original:
            return sql, tree
        again = None if text is None else _tree_or_none(text)
        if text is not None and again is not None and _same(tree, again):
            return text.decode(), again
    message = "the text cannot be written again with the same meaning"
    raise ParserError(message, is_syntax=False)


def _same(tree: bytes, other: bytes) -> bool:
    """Whether two trees say the same, wherever in their texts."""
    return _PLACES.sub(b"", tree) == _PLACES.sub(b"", other)


def _plain(sql: bytes) -> bytes | None:
    """The text with a space for spaces and comments; ``None`` where some token is not plain.

    Plain are words and signs in ASCII, numbers in digits, and texts and names in quotes, without
    escapes: no setting of a server and no version changes where such a token ends.
    """
    parts = lexemes(sql.decode(), "postgres")
    while parts and (parts[-1].kind is Lex.GAP or parts[-1].text == ";"):
        parts.pop()
    for part, following in zip_longest(parts, parts[1:]):
        is_plain = _PLAIN_TOKENS[part.kind].fullmatch(part.text) is not None
        if not is_plain or (part.kind is Lex.NUMBER and following and following.kind is Lex.WORD):
            return None
    return "".join(" " if part.kind is Lex.GAP else part.text for part in parts).encode()


def _content(tree: bytes) -> dict[str, Any]:
    try:
        return _decode(tree)
    except RecursionError as error:
        raise ParserError("the text is nested too deeply") from error


def _library() -> Any:
    try:
        from postgast.native import lib
    except (ImportError, OSError) as error:
        raise MissingExtra("PostgreSQL's parser (postgast)", "postgres") from error
    return lib


def _deparsed(sql: bytes) -> bytes | None:
    """The text in the library's spelling; ``None`` where it has none."""
    library = _library()
    parsed = library.pg_query_parse_protobuf(sql)
    try:
        _check(parsed)
        output = library.pg_query_deparse_protobuf(parsed.parse_tree)
        try:
            return None if output.error else bytes(output.query)
        finally:
            library.pg_query_free_deparse_result(output)
    finally:
        library.pg_query_free_protobuf_parse_result(parsed)


def _tree_or_none(sql: bytes) -> bytes | None:
    """The syntax tree; ``None`` where the text is no SQL."""
    try:
        return _tree(sql)
    except ParserError:
        return None


def _tree(sql: bytes) -> bytes:
    """The syntax tree as JSON."""
    library = _library()
    parsed = library.pg_query_parse(sql)
    try:
        _check(parsed)
        return ctypes.string_at(parsed.parse_tree)
    finally:
        library.pg_query_free_parse_result(parsed)


def _check(result: Any) -> None:
    if result.error:
        message = bytes(result.error.contents.message or b"").decode("utf-8", "backslashreplace")
        raise ParserError(message)


def _with_stack(work: Callable[[], _Result], size: int) -> _Result:
    """What a function gives in a thread with a stack of at least so many bytes."""
    results: list[_Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            errors.append(error)

    thread = Thread(target=run)
    with _threads:
        usual = stack_size(-(-size // _PAGE) * _PAGE + _LEAST)
        try:
            thread.start()
        except (RuntimeError, MemoryError) as error:
            raise ParserError("the text is nested too deeply for the memory") from error
        finally:
            stack_size(usual)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]

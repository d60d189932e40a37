"""Whether our reading of a query is SQLite's: both are compiled, and the programs agree.

Our parser is not SQLite's. Where the two read a text differently (an operator that binds
otherwise, parentheses that make a scalar, a type of another affinity, a plus that takes an
affinity away, a name that means another column), a proof about the tree says nothing about the
text. No list of such places is ever whole. So the resolved tree is written back, with
parentheses around every operand, and both texts are compiled on the same empty tables. The same
program gives the same answer on any rows; where none of the ways to write the tree gives the
program of the text, the query is refused. Nothing is run.

Common table expressions are written where they are used in a resolved tree, and SQLite makes
another program of that. There the text is compared with the parsed tree first, and then the
parsed tree, told not to keep their rows (``NOT MATERIALIZED``), with the resolved one.

The cursors of a program are numbered in order of use. Two texts that say the same may number
their cursors differently: a common table expression takes a number of its own. Which operand of
an instruction is a cursor stands below. A program with an instruction that is in neither list
keeps its numbers, and equals no other by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, parser_dialect
from sqlverdict.parse.grammar import explain_rows
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.resolve.parser_losses import cast_affinity
from sqlverdict.prove.resolve.query import resolve_in_python
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import put_parentheses, runnable
from sqlverdict.records import Query

Instruction = tuple[object, ...]

_CURSOR = frozenset(
    (
        *("OpenRead", "OpenEphemeral", "OpenAutoindex", "OpenPseudo", "OpenDup", "SorterOpen"),
        *("ReopenIdx", "Close", "ColumnsUsed", "SeekLT", "SeekLE", "SeekGE", "SeekGT", "SeekHit"),
        *("SeekScan", "SeekRowid", "SeekEnd", "IfNotOpen", "IfNoHope", "NoConflict", "NotFound"),
        *("Found", "NotExists", "Sequence", "SequenceTest", "RowData", "Rowid", "NullRow", "Last"),
        *("IfSmaller", "SorterSort", "Sort", "Rewind", "IfEmpty", "SorterNext", "Prev", "Next"),
        *("IdxInsert", "SorterInsert", "ResetSorter", "DeferredSeek", "FinishSeek", "IdxRowid"),
        *("IdxLE", "IdxGT", "IdxLT", "IdxGE", "SorterCompare", "SorterData", "Column", "Offset"),
        *("Count", "VOpen", "VFilter", "VColumn", "VNext"),
    )
)
"""Instructions whose first operand is a cursor."""

_SECOND, _THIRD = frozenset({"OpenDup"}), frozenset({"DeferredSeek", "SorterData"})
"""Instructions with a further cursor, in their second or third operand."""

_OTHER = frozenset(
    (
        *("Init", "Goto", "Gosub", "Return", "InitCoroutine", "EndCoroutine", "Yield"),
        *("HaltIfNull", "Halt", "Integer", "Int64", "Real", "String8", "String", "Null"),
        *("SoftNull", "Blob", "Variable", "Move", "Copy", "SCopy", "IntCopy", "ResultRow"),
        *("Concat", "Add", "Subtract", "Multiply", "Divide", "Remainder", "BitAnd", "BitOr"),
        *("ShiftLeft", "ShiftRight", "BitNot", "AddImm", "MustBeInt", "RealAffinity", "Cast"),
        *("Eq", "Ne", "Lt", "Le", "Gt", "Ge", "ElseEq", "ZeroOrNull", "Permutation", "Compare"),
        *("Jump", "And", "Or", "IsTrue", "Not", "Once", "If", "IfNot", "IsNull", "NotNull"),
        *("Affinity", "MakeRecord", "Transaction", "Function", "PureFunc", "AggStep", "AggStep1"),
        *("AggInverse", "AggFinal", "AggValue", "DecrJumpZero", "IfPos", "OffsetLimit"),
        *("IfNotZero", "Noop", "Explain", "Filter", "FilterAdd", "RowSetAdd", "RowSetRead"),
        *("RowSetTest", "CollSeq", "BeginSubrtn", "ClrSubtype", "GetSubtype", "SetSubtype"),
        "ReleaseReg",
    )
)
"""Instructions without a cursor."""


def program(sql: str, schema: Schema) -> list[Instruction] | None:
    """The program that SQLite compiles a query to, on empty tables; ``None`` where it does not."""
    rows = explain_rows(sql, schema)
    return None if rows is None else comparable(rows)


def comparable(rows: Iterable[Sequence[object]]) -> list[Instruction]:
    """A program, as EXPLAIN lists it, in a form that can be compared.

    Args:
        rows: Address, instruction, three operands, a fourth and a fifth.
    """
    instructions = [(*row[1:5], _fourth(row), row[6]) for row in rows]
    if any(name not in _CURSOR and name not in _OTHER for name, *_ in instructions):
        return instructions
    numbers: dict[object, int] = {}

    def number(cursor: object) -> int:
        return numbers.setdefault(cursor, len(numbers))

    numbered: list[Instruction] = []
    for name, one, two, three, *rest in instructions:
        one = number(one) if name in _CURSOR else one
        two = number(two) if name in _SECOND else two
        three = number(three) if name in _THIRD else three
        numbered.append((name, one, two, three, *rest))
    return numbered


def _fourth(row: Sequence[object]) -> object:
    """The fourth operand; one function goes by two names, and a note for people does nothing."""
    if row[1] == "Explain":
        return None
    is_substring = row[1] in ("Function", "PureFunc") and str(row[5]).startswith("substring(")
    return str(row[5]).replace("substring(", "substr(", 1) if is_substring else row[5]


LOST = "our parser and SQLite may read the text differently"
_REMEMBERED = 1024


@lru_cache(maxsize=_REMEMBERED)
def loss(sql: str, schema: Schema) -> str | None:
    """Why our reading of a query cannot be relied on; ``None`` where it is SQLite's.

    Args:
        sql: The text of a query that runs on the schema.
        schema: The tables.
    """
    query = parse(sql)
    if not isinstance(query, Query):
        return query.message
    try:
        tree = resolve_in_python(query.tree, schema).tree
    except Unsupported as beyond:
        return str(beyond)
    resolved = runnable(tree, as_it_stands=True)
    if _compiles_to(resolved, program(sql, schema), schema):
        return None
    if query.tree.find(exp.CTE) is None:
        return LOST
    parsed = query.tree.copy()
    put_parentheses(parsed)
    if not _compiles_to(parsed, program(sql, schema), schema):
        return LOST
    for cte in parsed.find_all(exp.CTE):
        cte.set("materialized", False)
    unfolded = (program(text, schema) for text in _texts(parsed))
    return None if any(_compiles_to(resolved, each, schema) for each in unfolded) else LOST


def _compiles_to(tree: Expr, instructions: list[Instruction] | None, schema: Schema) -> bool:
    return instructions is not None and any(
        program(text, schema) == instructions for text in _texts(tree)
    )


def _texts(tree: Expr) -> Iterator[str]:
    """The ways to write a tree, to be compiled, in which it does not tell two spellings apart.

    IS NOT is the NOT of an IS in a tree, and a comma between sources is CROSS JOIN, which says
    more: that they keep their order. The types of casts are changed in place.
    """
    dialect = parser_dialect(DEFAULT_DIALECT)
    for cast in tree.find_all(exp.Cast):
        # All that counts of the type is the affinity that we read.
        cast.set("to", exp.DataType(this=exp.DType.USERDEFINED, kind=cast_affinity(cast)))
    spellings = [tree]
    if next(_negations(tree), None) is not None:
        spellings.insert(0, _with_is_not(tree.copy()))
    for spelling in spellings:
        yield spelling.sql(dialect, copy=False)
        if next(_cross_joins(spelling), None) is not None:
            yield _with_commas(spelling.copy()).sql(dialect, copy=False)


def _negations(tree: Expr) -> Iterator[exp.Not]:
    """Each NOT of an IS."""
    return (node for node in tree.find_all(exp.Not) if isinstance(node.this.unnest(), exp.Is))


def _with_is_not(tree: Expr) -> Expr:
    """Write IS NOT for each NOT of an IS, in place; the parser reads ``IS (NOT x)`` otherwise."""
    for node in list(_negations(tree)):
        inner = node.this.unnest()
        text = exp.Is(this=inner.this, expression=exp.Not(this=inner.expression))
        if node is tree:
            tree = text
        else:
            node.replace(text)
    return tree


def _cross_joins(tree: Expr) -> Iterator[exp.Join]:
    """Each plain CROSS JOIN."""
    for join in tree.find_all(exp.Join):
        if join.kind == "CROSS" and not (join.side or join.method or join.args.get("on")):
            yield join


def _with_commas(tree: Expr) -> Expr:
    """Write a comma for each plain CROSS JOIN, in place."""
    for join in list(_cross_joins(tree)):
        join.set("kind", None)
    return tree

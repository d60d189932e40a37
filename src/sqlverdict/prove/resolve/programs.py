"""The program that SQLite makes of a query, its cursors numbered in order of use.

Two texts that say the same may number their cursors differently: a common table expression
takes a number of its own. Which operand of an instruction is a cursor stands below. A program
with an instruction that is in neither list keeps its numbers, and equals no other by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlverdict.parse.accepted import explain_rows
from sqlverdict.parse.schema import Schema

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

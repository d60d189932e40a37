"""A query in common SQL: what PostgreSQL alone can read becomes a call of an unknown function.

``date_trunc('month', t.day)`` becomes ``sqlverdict_timestamp_total_3f...(t.day)``: a function of
the columns, aggregates and queries in the expression, whose name stands for all the rest of it. Two
expressions have the same name only if they are the same but for these, to PostgreSQL's own parser.
So the prover can compare queries without knowing what the functions do. The name's middle parts say
what kind of value the function gives and when it fails (``expressions.py``).

A condition is replaced as a whole, up to AND, OR and NOT, or, where a query is read with arithmetic
as it stands, a comparison stays around calls whose kinds are known. Elsewhere a whole value is
replaced: a term of a list, or what an aggregate reads. In a CASE a condition that may fail is not
replaced on its own, as the branches before it may guard it. Functions whose value depends on more
than their arguments, the session and the clock are not replaced, nor are windows, collations and
calls in FROM: such a query has no text. An expression that the query groups by is an argument where
it stands in a larger one.

Before that, other words for the same become one (``spellings.py``, ``date_parts.py``), and in a
condition ``5 < x`` is ``x > 5`` (``mirrored.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sqlverdict.execute.common_text import UNKNOWN_FUNCTION, NoCommonText, unknown_name
from sqlverdict.execute.engines.postgres.common.date_parts import unify_date_parts
from sqlverdict.execute.engines.postgres.common.expression_text import expression_text
from sqlverdict.execute.engines.postgres.common.expressions import (
    AGGREGATES,
    COMPARISONS,
    FUNCTIONS,
    OWN_SCHEMA,
    enum_name,
    function_of,
    is_comparison,
    is_const,
    is_day,
    is_leaf,
    is_null,
    is_own,
    is_total_pattern,
    operands,
    risk_of,
    value_kind,
)
from sqlverdict.execute.engines.postgres.common.idle_distinct import drop_idle_distinct
from sqlverdict.execute.engines.postgres.common.meaning import part_meaning
from sqlverdict.execute.engines.postgres.common.mirrored import (
    orient_comparisons,
    tells_mirrored_apart,
)
from sqlverdict.execute.engines.postgres.common.plain_arithmetic import unify_arithmetic
from sqlverdict.execute.engines.postgres.common.result_names import target_name
from sqlverdict.execute.engines.postgres.common.spellings import nodes_inside, unify_spellings
from sqlverdict.execute.engines.postgres.common.wrappers import is_steady, unwrap
from sqlverdict.execute.engines.postgres.guard.parser import MOST_SIGNS as _MOST
from sqlverdict.execute.engines.postgres.guard.parser import (
    ParserError,
    count_signs,
    parse_messages,
    with_stack,
)
from sqlverdict.parse.tokens import word_set

LONGEST: Final = 8_000
"""Characters; a longer text is not worth the time."""
_COMMON_FUNCTIONS: Final = word_set("abs length lower upper")
_SUMS: Final = frozenset({"+", "-", "*"})
_NUMBERS: Final = _SUMS | {"/", "%"}
_COMMON_KINDS: Final = word_set(
    "AEXPR_IN AEXPR_LIKE AEXPR_BETWEEN AEXPR_NOT_BETWEEN AEXPR_DISTINCT AEXPR_NOT_DISTINCT "
    "AEXPR_NULLIF"
)
_COMPARED_KINDS: Final = word_set("number arithmetic text varchar date timestamp")
_CLOCK: Final = word_set(
    "SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIMESTAMP SVFOP_LOCALTIME "
    "SVFOP_LOCALTIMESTAMP SVFOP_CURRENT_TIME_N SVFOP_CURRENT_TIMESTAMP_N SVFOP_LOCALTIME_N "
    "SVFOP_LOCALTIMESTAMP_N"
)


def write_common_text(sql: str, arithmetic: bool) -> str | None:
    """The query in common SQL; ``None`` where it has something that no call can stand for.

    Args:
        sql: The query.
        arithmetic: Whether +, - and * stay as they are, and comparisons around calls.
    """
    writer = _Writer(arithmetic)
    return _rewritten(sql, writer.statement, any_type=False)


def write_plain_text(sql: str) -> str | None:
    """The query as the parser writes it, in one of several words for the same.

    A query around it that only passes its rows on is left out, and a DISTINCT that drops no row.

    Returns:
        The text; ``None`` where the parser does not read the query, or chance may be in it.
    """
    return _rewritten(sql, _unwrap_steady, any_type=True)


def _unwrap_steady(select: Any) -> None:
    if not is_steady(select):
        raise NoCommonText
    unwrap(select)
    drop_idle_distinct(select)


def _rewritten(sql: str, change: Callable[[Any], None], *, any_type: bool) -> str | None:
    if len(sql) > LONGEST or (signs := count_signs(sql)) > _MOST:
        return None
    try:
        return with_stack(lambda: _text(sql, change, any_type), signs)
    except (NoCommonText, ParserError, RecursionError):
        return None


def _text(sql: str, change: Callable[[Any], None], any_type: bool) -> str:
    import postgast

    try:
        tree = parse_messages(sql)
        if len(tree.stmts) != 1 or tree.stmts[0].stmt.WhichOneof("node") != "select_stmt":
            raise NoCommonText
        statement = tree.stmts[0].stmt
        unify_spellings(statement, any_type=any_type)
        unify_date_parts(statement)
        change(statement.select_stmt)
        if any_type:
            # What stood in a query inside may be shown by the outermost one now.
            unify_date_parts(statement)
        text = str(postgast.deparse(tree))
        if part_meaning(parse_messages(text)) != part_meaning(tree):
            raise NoCommonText  # What is read from here on is the text, not the tree.
        return text
    except postgast.PgQueryError as error:
        raise NoCommonText from error


class _Writer:
    """Replaces what is not common in a tree, in place."""

    def __init__(self, arithmetic: bool) -> None:
        self.arithmetic = arithmetic
        self.operators = COMPARISONS | _SUMS if arithmetic else COMPARISONS
        self.oriented = False

    def statement(self, select: Any) -> None:
        """Replace expressions of a whole statement."""
        self.oriented = not tells_mirrored_apart(select)
        if self.oriented:
            unify_arithmetic(select)
        self.query(select)

    def query(self, select: Any) -> None:
        """Replace expressions of a query."""
        if select.values_lists or select.window_clause or select.locking_clause:
            raise NoCommonText
        for cte in select.with_clause.ctes if select.HasField("with_clause") else ():
            self._subquery(cte.common_table_expr.ctequery)
        for side in ("larg", "rarg"):
            if select.HasField(side):
                self.query(getattr(select, side))
        for item in select.from_clause:
            self._source(item)
        self._keep_groups(select)
        for target in select.target_list:
            self._target(target.res_target)
        for term in select.group_clause:
            self._value(term)
        for term in select.sort_clause:
            self._value(term.sort_by.node)
        for clause in ("where_clause", "having_clause"):
            if select.HasField(clause):
                self._condition(getattr(select, clause))

    def _subquery(self, node: Any) -> None:
        if node.WhichOneof("node") != "select_stmt":
            raise NoCommonText
        self.query(node.select_stmt)

    def _source(self, item: Any) -> None:
        match item.WhichOneof("node"):
            case "range_var":
                return
            case "range_subselect" if not item.range_subselect.lateral:
                self._subquery(item.range_subselect.subquery)
            case "join_expr":
                self._source(item.join_expr.larg)
                self._source(item.join_expr.rarg)
                if item.join_expr.HasField("quals"):
                    self._condition(item.join_expr.quals)
            case _:
                raise NoCommonText

    def _keep_groups(self, select: Any) -> None:
        """Replace what the query groups by wherever it stands behind the grouping."""
        for term in select.group_clause:
            if term.WhichOneof("node") in ("column_ref", "a_const"):
                continue
            meaning = part_meaning(term)
            self._value(term)
            for target in select.target_list:
                if target.res_target.val.WhichOneof("node") and not target.res_target.name:
                    target.res_target.name = target_name(target.res_target.val)
                _put(term, meaning, target.res_target.val)
            for part in (*(each.sort_by.node for each in select.sort_clause), select.having_clause):
                _put(term, meaning, part)

    def _target(self, target: Any) -> None:
        name = target_name(target.val)
        if not self._is_common(target.val):
            _replace(target.val)
            # A query around this one may use the name.
            target.name = target.name or name

    def _condition(self, node: Any) -> None:
        """Replace what is not common in a condition, part by part."""
        if node.WhichOneof("node") == "bool_expr":
            for part in node.bool_expr.args:
                self._condition(part)
        elif not self._is_common(node):
            if self.oriented:
                orient_comparisons(node)
            if not self._keeps_comparison(node):
                _replace(node, "boolean")

    def _keeps_comparison(self, node: Any) -> bool:
        """Whether a comparison stays around calls; their kinds must be known."""
        if not self.arithmetic or not is_comparison(node):
            return False
        others = [each for each in operands(node.a_expr) if not is_day(each)]
        calls = [each for each in others if not self._is_common(each)]
        if any(value_kind(each) not in _COMPARED_KINDS for each in calls):
            return False
        for each in calls:
            _replace(each)
        return True

    def _value(self, node: Any) -> None:
        if not self._is_common(node):
            _replace(node)

    def _is_common(self, node: Any) -> bool:
        """Whether an expression is common SQL; conditions and aggregates inside it are made so."""
        kind = node.WhichOneof("node")
        match kind:
            case "column_ref":
                return True
            case "a_const":
                return bool(node.a_const.WhichOneof("val") != "bsval")
            case "a_expr":
                return is_const(node) or self._is_common_operation(node.a_expr)
            case "bool_expr":
                if risk_of(node) != "total" and not self._visit(node.bool_expr.args):
                    return False
                self._condition(node)
                return True
            case "null_test" | "boolean_test":
                return self._is_common(getattr(node, kind).arg)
            case "case_expr":
                return self._is_common_case(node.case_expr)
            case "coalesce_expr":
                return self._visit(node.coalesce_expr.args)
            case "min_max_expr":
                self._visit(node.min_max_expr.args)
                return False
            case "a_array_expr":
                self._visit(node.a_array_expr.elements)
                return False
            case "func_call":
                return self._is_common_call(node.func_call)
            case "type_cast":
                self._is_common(node.type_cast.arg)
                return False
            case "sqlvalue_function":
                if enum_name(node.sqlvalue_function, "op") not in _CLOCK:
                    raise NoCommonText
                return False
            case "sub_link":
                if node.sub_link.HasField("testexpr") and not self._is_common(
                    node.sub_link.testexpr
                ):
                    raise NoCommonText
                self._subquery(node.sub_link.subselect)
                return True
        raise NoCommonText

    def _visit(self, nodes: Iterable[Any]) -> bool:
        """Whether all expressions are common; each is looked at."""
        common = True
        for node in nodes:
            common = self._is_common(node) and common
        return common

    def _is_common_operation(self, operation: Any) -> bool:
        parts = operands(operation)
        common = self._visit(parts)
        if len(operation.name) > 1 and operation.name[0].string.sval != OWN_SCHEMA:
            raise NoCommonText
        kind = enum_name(operation, "kind")
        if kind == "AEXPR_OP":
            if operation.name[-1].string.sval in _NUMBERS and all(map(is_null, parts)):
                # PostgreSQL does not know whose sum NULL + NULL is.
                raise NoCommonText
            return common and operation.name[-1].string.sval in self.operators
        if kind == "AEXPR_LIKE" and not is_total_pattern(operation):
            return False
        return common and kind in _COMMON_KINDS

    def _is_common_case(self, case: Any) -> bool:
        results = [branch.case_when.result for branch in case.args]
        if case.HasField("defresult"):
            results.append(case.defresult)
        conditions = [branch.case_when.expr for branch in case.args]
        if case.HasField("arg"):
            return self._visit([case.arg, *conditions, *results])
        may_fail = any(risk_of(condition) != "total" for condition in conditions)
        if may_fail and not self._visit(conditions):
            self._visit(results)
            return False
        for condition in conditions:
            self._condition(condition)
        return self._visit(results)

    def _is_common_call(self, call: Any) -> bool:
        name = function_of(call)
        if call.HasField("over") or call.agg_within_group or call.agg_order or call.func_variadic:
            raise NoCommonText
        if not is_own(call):
            raise NoCommonText
        if name in AGGREGATES:
            for argument in call.args:
                self._value(argument)
            return True
        if call.HasField("agg_filter") or call.agg_star or call.agg_distinct:
            raise NoCommonText
        if UNKNOWN_FUNCTION.fullmatch(name):
            return True
        common = self._visit(call.args)
        if name in _COMMON_FUNCTIONS:
            return common
        if name not in FUNCTIONS:
            raise NoCommonText
        return False


def _put(term: Any, meaning: bytes, node: Any) -> None:
    """Put a copy of a term in the place of every expression that means the same."""
    kind = node.WhichOneof("node")
    if kind is None:
        return
    if part_meaning(node) == meaning:
        node.CopyFrom(term)
        return
    if kind != "sub_link" and not (
        kind == "func_call" and function_of(node.func_call) in AGGREGATES
    ):
        for part in nodes_inside(getattr(node, kind)):
            _put(term, meaning, part)


def _replace(node: Any, kind: str | None = None) -> None:
    """Put the call of an unknown function in the place of an expression."""
    from postgast import pg_query_pb2 as trees

    kind, risk = kind or value_kind(node), risk_of(node)
    arguments: dict[bytes, Any] = {}
    expression = trees.Node()
    expression.CopyFrom(node)
    for leaf in list(_leaves(expression)):
        copy = trees.Node()
        copy.CopyFrom(leaf)
        key = part_meaning(copy)
        arguments.setdefault(key, copy)
        leaf.Clear()
        leaf.param_ref.number = list(arguments).index(key) + 1
    node.Clear()
    node.func_call.funcname.add().string.sval = unknown_name(
        kind, risk, part_meaning(expression), expression_text
    )
    node.func_call.funcformat = trees.COERCE_EXPLICIT_CALL
    for argument in arguments.values():
        node.func_call.args.append(argument)


def _leaves(node: Any) -> Iterator[Any]:
    """The columns, aggregates and queries of an expression, outermost first."""
    kind = node.WhichOneof("node")
    if is_leaf(node):
        yield node
    elif kind is not None:
        for part in nodes_inside(getattr(node, kind)):
            yield from _leaves(part)

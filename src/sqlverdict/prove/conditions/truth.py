"""A condition as a table: its truth in every case of its subjects.

Conditions over the same subjects are told apart by their tables, in SQL's three truth values. What
cannot be looked into (LIKE, EXISTS, a comparison with a query) is a subject of its own, which is
true, false or NULL. Cases that no row can be in may be in the table; a case that a row can be in
is never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.conditions.subjects import (
    FALSE,
    NULL,
    TRUE,
    CaseSubject,
    TooManyCases,
    affirm,
    constant_right,
    fixed_number,
    is_fixed,
    is_null_test,
    is_safe_number,
    is_strict_like,
    is_truth_word,
    make_subject,
    require_safe,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import is_truth_value
from sqlverdict.prove.reasoning.shape import has_subquery
from sqlverdict.prove.tree_key import expression_key

IS_FALSE, IS_NULL, IS_TRUE = 0, 1, 2
"""The three truth values, in the order in which AND takes the least and OR the greatest."""

State = tuple[int, ...]
Truth = Callable[[State], int]

MOST_STATES = 512
MOST_BOUNDS = 24

_HOLDS: dict[type[Expr], tuple[bool, bool, bool]] = {
    exp.LT: (True, False, False),
    exp.LTE: (True, True, False),
    exp.EQ: (False, True, False),
    exp.GTE: (False, True, True),
    exp.GT: (False, False, True),
    exp.NEQ: (True, False, True),
}
"""Whether an operator holds where its left side is below, at and above the right one."""

_NULL_SAFE = (exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is)


@dataclass
class _Comparand:
    """An expression, and what a condition compares it with."""

    node: Expr
    bounds: dict[str, Expr] = field(default_factory=dict)
    is_ordered: bool = False
    is_condition: bool = False


class TruthTable:
    """The subjects of some conditions, and the truth of each condition in each of their cases.

    Args:
        facts: What holds where the first condition stands.
        conditions: The conditions; what the others are about occurs in the first one.

    Attributes:
        subjects: The subjects, by name.
        parts: The expressions that make a subject NULL, by its name.

    Raises:
        TooManyCases: there are more than can be listed, or a part must not be moved.
    """

    def __init__(self, facts: Facts, conditions: Sequence[Expr]) -> None:
        self.facts = facts
        self.subjects: dict[str, CaseSubject] = {}
        self._comparands: dict[str, _Comparand] = {}
        self._pairs: dict[str, tuple[Expr, Expr]] = {}
        self._wholes: dict[str, Expr] = {}
        self._places: dict[tuple[str, str], tuple[str, int]] = {}
        self.parts: dict[str, tuple[str, ...]] = {}
        for condition in conditions:
            self._collect(condition, tests_null=False)
        self._settle()
        self._index = {key: number for number, key in enumerate(self.subjects)}
        self._conditions = conditions

    @property
    def names(self) -> set[str]:
        """What two conditions share where the truth of one depends on that of the other."""
        return set(self.subjects).union(*self.parts.values())

    @cached_property
    def states(self) -> list[State]:
        """A case of each subject, for all that go together."""
        size = 1
        for subject in self.subjects.values():
            size *= len(subject.cases())
            if size > MOST_STATES:
                raise TooManyCases
        every = product(*(subject.cases() for subject in self.subjects.values()))
        return [state for state in every if self._fits(state)]

    @cached_property
    def truths(self) -> list[Truth]:
        """For each condition its truth in a state."""
        return [self._truth(condition) for condition in self._conditions]

    # What the conditions are about

    def _collect(self, node: Expr, *, tests_null: bool) -> None:
        match node:
            case exp.And() | exp.Or() | exp.Not():
                for part in node.iter_expressions():
                    self._collect(part, tests_null=tests_null)
            case exp.Like() | exp.Glob() if node.args.get("negate"):
                self._collect(affirm(node), tests_null=tests_null)
            case exp.Boolean() | exp.Null():
                pass
            case exp.Literal() if not node.is_string:
                pass
            case exp.Is() if is_truth_value(node.this) and is_truth_word(node.expression):
                self._collect(node.this, tests_null=isinstance(node.expression, exp.Null))
            case exp.Is() | exp.NullSafeEQ() | exp.NullSafeNEQ() if is_null_test(node):
                self._ask(node.this)
            case _:
                self._collect_atom(node, tests_null=tests_null)

    def _collect_atom(self, node: Expr, *, tests_null: bool) -> None:
        pairs = self._comparisons(node)
        if pairs is None:
            if isinstance(node, exp.Column) and not self.facts.record.number_conditions:
                self._ask(node).is_condition = True
                return
            require_safe(node, self.facts)
            self._wholes.setdefault(expression_key(node), node)
            if tests_null and is_strict_like(node):
                self._ask(node.this)
            return
        for left, right, kind in pairs:
            if isinstance(right, exp.Null) or is_fixed(left):
                continue
            if is_fixed(right):
                comparand = self._ask(left)
                comparand.bounds.setdefault(self._bound(left, right), right)
                comparand.is_ordered |= kind not in (exp.EQ, exp.NEQ)
                comparand.is_condition |= isinstance(right, exp.Boolean)
                if len(comparand.bounds) > MOST_BOUNDS:
                    raise TooManyCases
                continue
            keys = expression_key(left), expression_key(right)
            if tests_null or keys[0] == keys[1] or isinstance(node, _NULL_SAFE):
                self._ask(left)
                self._ask(right)
            if keys[0] != keys[1]:
                require_safe(left, self.facts)
                require_safe(right, self.facts)
                sides = (left, right) if keys[0] < keys[1] else (right, left)
                self._pairs.setdefault(_pair_key(*keys), sides)

    def _ask(self, node: Expr) -> _Comparand:
        require_safe(node, self.facts)
        return self._comparands.setdefault(expression_key(node), _Comparand(node))

    def _comparisons(self, node: Expr) -> list[tuple[Expr, Expr, type[Expr]]] | None:
        """A comparison as pairs with an operator, constants right; ``None`` where it is a whole."""
        pairs: list[tuple[Expr, Expr, type[Expr]]] = []
        if type(node) in _HOLDS:
            pairs.append(constant_right(node.this, node.expression, type(node)))
        elif isinstance(node, _NULL_SAFE):
            pairs.append(constant_right(node.this, node.expression, exp.EQ))
        elif self.facts.record.number_conditions and not is_truth_value(node):
            if self.facts.kind(node) in ("integer", "real"):
                pairs.append((node, exp.Literal.number(0), exp.NEQ))
        elif isinstance(node, exp.In) and node.expressions:
            pairs += [constant_right(node.this, member, exp.EQ) for member in node.expressions]
        known = all(self._is_known(node, left, right) for left, right, _ in pairs)
        return pairs if pairs and known else None

    def _is_known(self, node: Expr, left: Expr, right: Expr) -> bool:
        """Whether a comparison is one of values that we know the order of, or one alone."""
        if isinstance(right, exp.Null):
            return not has_subquery(left) and not isinstance(node, _NULL_SAFE)
        if has_subquery(left) or has_subquery(right):
            return False
        if is_fixed(left):
            return is_safe_number(fixed_number(left)) and is_safe_number(fixed_number(right))
        if isinstance(right, exp.Boolean):
            is_equality = isinstance(node, exp.EQ | exp.NEQ | exp.Is)
            return is_equality and not self.facts.record.number_conditions
        if isinstance(node, exp.In) and not is_fixed(right):
            # SQLite converts the members of a list otherwise than operands of an equality.
            return self.facts.record.typed or self.facts.comparable(left, right)
        return not isinstance(left, exp.Null)

    def _bound(self, node: Expr, bound: Expr) -> str:
        """A name for a constant: one for 1 and 1.0, where numbers are compared."""
        number = fixed_number(bound)
        if number is None or not self._compares_numbers(node):
            return expression_key(bound)
        return str(number.normalize())

    def _compares_numbers(self, node: Expr) -> bool:
        if self.facts.record.typed:
            return True
        if self.facts.kind(node) in ("integer", "real", "number"):
            return True
        return self.facts.affinity(node) in ("INTEGER", "REAL", "NUMERIC")

    def _settle(self) -> None:
        """Make the subjects of what was collected."""
        for key, comparand in self._comparands.items():
            may_be_null = not self.facts.never_null(comparand.node)
            if comparand.is_condition:
                self.subjects[key] = CaseSubject(
                    comparand.node, whole=True, may_be_null=may_be_null
                )
                continue
            numbers = self._compares_numbers(comparand.node)
            subject = make_subject(
                comparand.node, comparand.bounds.values(), self.facts, numbers, comparand.is_ordered
            )
            if subject is not None:
                subject.may_be_null = may_be_null
                self.subjects[key] = subject
                for name, bound in comparand.bounds.items():
                    self._places[key, name] = key, subject.bound_index(bound)
                continue
            # Nothing is known of the order of its bounds: each is a subject beside it.
            self.subjects[key] = CaseSubject(comparand.node, may_be_null=may_be_null)
            for name, bound in comparand.bounds.items():
                own = f"{key} ? {name}"
                self.subjects[own] = CaseSubject(comparand.node, [bound], may_be_null=may_be_null)
                self._places[key, name] = own, 0
                self.parts[own] = (key,)
        for key, (left, right) in self._pairs.items():
            never_null = self.facts.never_null(left) and self.facts.never_null(right)
            self.subjects[key] = CaseSubject(
                left, [right], may_be_null=not never_null, partner=right
            )
            self.parts[key] = (expression_key(left), expression_key(right))
        for key, node in self._wholes.items():
            if key in self.subjects:
                # A text is compared, and is a condition by itself: two subjects of one name.
                raise TooManyCases
            self.subjects[key] = CaseSubject(
                node, whole=True, may_be_null=not self.facts.never_null(node)
            )
            if is_strict_like(node):
                self.parts[key] = (expression_key(node.this),)

    # The table

    def _fits(self, state: State) -> bool:
        """Whether a comparison is NULL where a side of it is, and only there."""
        for key, sides in self.parts.items():
            nulls = [
                state[self._index[side]] == NULL if side in self._index else None for side in sides
            ]
            is_null = state[self._index[key]] == NULL
            if True in nulls and not is_null:
                return False
            if is_null and None not in nulls and True not in nulls:
                return False
        return True

    def _truth(self, node: Expr) -> Truth:
        match node:
            case exp.And() | exp.Or():
                one, other = self._truth(node.this), self._truth(node.expression)
                choose = min if isinstance(node, exp.And) else max
                return lambda state: choose(one(state), other(state))
            case exp.Not():
                inner = self._truth(node.this)
                return lambda state: IS_TRUE - inner(state)
            case exp.Like() | exp.Glob() if node.args.get("negate"):
                positive = self._truth(affirm(node))
                return lambda state: IS_TRUE - positive(state)
            case exp.Null():
                return _constant(IS_NULL)
            case exp.Boolean():
                return _constant(IS_TRUE * bool(node.this))
            case exp.Literal() if not node.is_string:
                return _constant(IS_TRUE * (float(node.this) != 0))
            case exp.Is() if is_truth_value(node.this) and is_truth_word(node.expression):
                tested, word = self._truth(node.this), self._truth(node.expression)
                return lambda state: IS_TRUE if tested(state) == word(state) else IS_FALSE
            case exp.Is() | exp.NullSafeEQ() | exp.NullSafeNEQ() if is_null_test(node):
                at, asks = self._index[expression_key(node.this)], type(node) is not exp.NullSafeNEQ
                return lambda state: IS_TRUE if (state[at] == NULL) is asks else IS_FALSE
        pairs = self._comparisons(node)
        if pairs is None:
            at = self._index[expression_key(node)]
            return lambda state: _WHOLE[state[at]]
        if isinstance(node, _NULL_SAFE):
            return self._null_safe(node, pairs[0])
        tests = [self._compare(*pair) for pair in pairs]
        return lambda state: max(test(state) for test in tests)

    def _compare(self, left: Expr, right: Expr, kind: type[Expr]) -> Truth:
        below, equal, above = _HOLDS[kind]
        if isinstance(right, exp.Null):
            return _constant(IS_NULL)
        one, other = fixed_number(left), fixed_number(right)
        if one is not None and other is not None:
            return _constant(IS_TRUE * (below if one < other else equal if one == other else above))
        key = expression_key(left)
        if isinstance(right, exp.Boolean):
            target, at = TRUE if right.this else FALSE, self._index[key]
            return lambda state: (
                IS_NULL if state[at] == NULL else IS_TRUE * ((state[at] == target) == equal)
            )
        if is_fixed(right):
            name, position = self._places[key, self._bound(left, right)]
        elif expression_key(right) == key:
            at = self._index[key]
            return lambda state: IS_NULL if state[at] == NULL else IS_TRUE * equal
        else:
            name, position = _pair_key(key, expression_key(right)), 0
            if key > expression_key(right):
                below, above = above, below
        index, bound = self._index[name], 2 * position + 2
        points = self.subjects[name].points

        def truth(state: State) -> int:
            case = state[index]
            if case == NULL:
                return IS_NULL
            if case == bound:
                return IS_TRUE * equal
            return IS_TRUE * (below if case < bound or points else above)

        return truth

    def _null_safe(self, node: Expr, pair: tuple[Expr, Expr, type[Expr]]) -> Truth:
        left, right, _ = pair
        equal = self._compare(left, right, exp.EQ)
        at = [self._index[expression_key(side)] for side in (left, right) if not is_fixed(side)]
        negated = isinstance(node, exp.NullSafeNEQ)

        def truth(state: State) -> int:
            nulls = [state[index] == NULL for index in at] + [False] * (2 - len(at))
            same = all(nulls) if any(nulls) else equal(state) == IS_TRUE
            return IS_TRUE * (same != negated)

        return truth


_WHOLE = {NULL: IS_NULL, FALSE: IS_FALSE, TRUE: IS_TRUE}


def _constant(truth: int) -> Truth:
    def always(_state: State) -> int:
        return truth

    return always


def _pair_key(one: str, other: str) -> str:
    return " ? ".join(sorted((one, other)))

"""The one form of a condition: what its table of truths says, as AND of ORs or OR of ANDs.

A clause is a case or several of some subjects, joined by OR; a term is the same joined by AND. The
clauses that are needed and cannot be made shorter, and the terms, follow from the table alone, so
two conditions with the same table get the same form. Of the two forms the shorter one is taken.
What is found is compared with the condition again, case by case, before it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from operator import and_

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.conditions.subjects import NULL, CaseSubject, TooManyCases
from sqlverdict.prove.conditions.truth import IS_TRUE, State, TruthTable
from sqlverdict.prove.reasoning.copies import count_tabulated
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import constant, constant_truth, is_truth_value
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    all_of,
    any_of,
    column_name,
    columns_in,
    own_nodes,
    parts,
    whole_number,
)
from sqlverdict.prove.tree_key import expression_key

MOST_CUBES = 32
MOST_SUBJECTS = 8

Cube = tuple[int, ...]
"""Cases of each subject, a bit for each."""


def one_form(node: Expr, facts: Facts, *, only_truth: bool) -> Expr | None:
    """A step towards the form of a condition; ``None`` where it has it, or none is known.

    Conjuncts that are about the same subjects are looked at together; the first of these groups
    that has another form is given this.

    Args:
        node: The condition, in its tree.
        facts: What holds there.
        only_truth: Whether it makes no difference if the condition is false or NULL.
    """
    conditions = parts(node)
    apart = _apart(conditions)
    if all(apart):
        return None
    groups = _groups(conditions, apart, facts)
    for at, (group, is_apart) in enumerate(groups):
        if is_apart:
            continue
        # A step leans on what its own conditions lean on.
        facts.cited.clear()
        form = _form_of(group, facts, only_truth)
        if form is not None:
            others = [part for other, _ in (*groups[:at], *groups[at + 1 :]) for part in other]
            return _beside(form, others, node, only_truth)
    return None


def _apart(conditions: Sequence[Expr]) -> list[bool]:
    """For each condition whether it is in its form, and no other one is about the same columns."""
    subjects = [_subject(condition) for condition in conditions]
    tested = Counter(columns[0] for columns in subjects if columns and len(columns) == 1)
    compared = Counter(subjects)
    elsewhere = {
        column_name(column)
        for condition, columns in zip(conditions, subjects, strict=True)
        if columns is None
        for column in columns_in(condition)
    }
    return [
        columns is not None
        and compared[columns] == 1
        and elsewhere.isdisjoint(columns)
        and (len(columns) == 1 or not any(tested[name] for name in columns))
        for columns in subjects
    ]


def _subject(condition: Expr) -> tuple[Hashable, ...] | None:
    """The columns of a plain comparison: one, or two in order; a query is like no other."""
    inner = condition.this if isinstance(condition, exp.Not) else condition
    if isinstance(inner, exp.Exists) or (isinstance(inner, exp.In) and inner.args.get("query")):
        return (object(),)
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return (column_name(inner.this),) if isinstance(inner.this, exp.Column) else None
    if type(condition) in COMPARISONS:
        left, right = condition.this, condition.expression
        if isinstance(left, exp.Subquery) or isinstance(right, exp.Subquery):
            return (object(),)
        if not isinstance(left, exp.Column):
            left, right = right, left
        if not isinstance(left, exp.Column):
            return None
        if isinstance(right, exp.Column):
            names = sorted((column_name(left), column_name(right)))
            return tuple(names) if names[0] != names[1] else None
        is_text = isinstance(right, exp.Literal) and right.is_string
        return (column_name(left),) if is_text or whole_number(right) is not None else None
    if isinstance(condition, exp.Like) and not condition.args.get("negate"):
        plain = isinstance(condition.this, exp.Column) and isinstance(
            condition.expression, exp.Literal
        )
        return (column_name(condition.this),) if plain else None
    return None


def _beside(form: Expr, others: Sequence[Expr], node: Expr, only_truth: bool) -> Expr | None:
    """A form in the place of some conjuncts of a node, with the other ones."""
    truth = constant_truth(form)
    if truth is False or (truth and not others):
        return constant(bool(truth), node)
    if not truth:
        return all_of([*others, form])
    if len(others) == 1 and not only_truth and not is_truth_value(others[0]):
        return None
    return all_of(others)


def _groups(
    conditions: Sequence[Expr], apart: Sequence[bool], facts: Facts
) -> list[tuple[list[Expr], bool]]:
    """Conditions that are about the same subjects, together; whether one is apart from the others.

    Args:
        conditions: The conditions.
        apart: For each whether it is known to be apart.
        facts: What holds where they stand.
    """
    if len(conditions) == 1:
        return [([*conditions], apart[0])]
    groups: list[tuple[set[str], list[Expr], bool]] = []
    for condition, is_apart in zip(conditions, apart, strict=True):
        names: set[str] = set()
        if not is_apart:
            with suppress(TooManyCases):
                names = TruthTable(facts, [condition]).names
        own = [condition]
        others = []
        for group in groups:
            if group[0] & names:
                names |= group[0]
                own = group[1] + own
            else:
                others.append(group)
        groups = [*others, (names, own, is_apart)]
    return [(group, is_apart) for _, group, is_apart in groups]


def _form_of(group: list[Expr], facts: Facts, only_truth: bool) -> Expr | None:
    try:
        table = TruthTable(facts, group)
        count_tabulated(group)
        form = _shortest(table)
        keys = {expression_key(part) for part in parts(form)}
        if keys == {expression_key(condition) for condition in group} or _has_twice_a_query(form):
            return None
        return form if _agree(TruthTable(facts, [*group, form]), only_truth) else None
    except TooManyCases:
        return None


def _agree(table: TruthTable, only_truth: bool) -> bool:
    """Whether the last condition of a table says what the others say together."""
    *conditions, form = table.truths
    for state in table.states:
        one, other = min(condition(state) for condition in conditions), form(state)
        if one != other and (not only_truth or IS_TRUE in (one, other)):
            return False
    return True


def _shortest(table: TruthTable) -> Expr:
    """The shorter one of the two forms."""
    truths = table.truths
    true: list[State] = []
    false: list[State] = []
    for state in table.states:
        side = true if all(truth(state) == IS_TRUE for truth in truths) else false
        side.append(state)
    if not false or not true:
        return exp.Boolean(this=not false)
    grid = _Grid(list(table.subjects.values()), true, false)
    clauses = [grid.complement(cube) for cube in grid.needed(grid.cubes(grid.true), grid.false)]
    terms = grid.needed(grid.cubes(grid.false), grid.true)
    both = all_of([any_of(grid.tests(clause)) for clause in clauses])
    either = any_of([all_of(grid.tests(term)) for term in terms])
    return both if _length(both) <= _length(either) else either


class _Grid:
    """The states of a table, with one case for all cases that nothing tells apart.

    A case is a bit here, and cases of a subject are a number.
    """

    def __init__(
        self, subjects: Sequence[CaseSubject], true: Sequence[State], false: Sequence[State]
    ) -> None:
        merged = [_merged(at, subject, true, false) for at, subject in enumerate(subjects)]
        several = [at for at, bits in enumerate(merged) if len(set(bits.values())) > 1]
        if len(several) > MOST_SUBJECTS:
            raise TooManyCases
        self._subjects = [subjects[at] for at in several]
        self._merged = [merged[at] for at in several]
        self._every: Cube = tuple(sum(set(merged[at].values())) for at in several)
        self.true = sorted({tuple(merged[at][state[at]] for at in several) for state in true})
        self.false = sorted({tuple(merged[at][state[at]] for at in several) for state in false})

    def complement(self, cube: Cube) -> Cube:
        """For each subject the cases that a cube leaves out."""
        return tuple(every - cases for every, cases in zip(self._every, cube, strict=True))

    def tests(self, cube: Cube) -> list[Expr]:
        """A test for the cases of each subject that counts."""
        tests = []
        for subject, merged, every, cases in zip(
            self._subjects, self._merged, self._every, cube, strict=True
        ):
            if cases and cases != every:
                own = frozenset(case for case, bit in merged.items() if bit & cases)
                tests.append(subject.write(own))
        return tests

    def cubes(self, avoided: Iterable[Cube]) -> list[Cube]:
        """The largest sets of cases that hold none of some states."""
        cubes: list[Cube] = [self._every]
        for state in avoided:
            free = [cube for cube in cubes if not _holds(cube, state)]
            split: dict[Cube, None] = {}
            for cube in cubes:
                if _holds(cube, state):
                    for at, cases in enumerate(cube):
                        if cases != state[at]:
                            split[(*cube[:at], cases - state[at], *cube[at + 1 :])] = None
            new = [
                cube
                for cube in split
                if not any(_within(cube, other) for other in free)
                and not any(_within(cube, other) for other in split if other is not cube)
            ]
            cubes = free + new
            if len(cubes) > MOST_CUBES:
                raise TooManyCases
        return cubes

    def needed(self, cubes: Sequence[Cube], states: Sequence[Cube]) -> list[Cube]:
        """Cubes that hold all states together, none of them idle; the plain ones stay."""
        holds = {cube: {state for state in states if _holds(cube, state)} for cube in cubes}
        needed = [cube for cube in cubes if holds[cube]]
        for cube in sorted(needed, key=self._effort, reverse=True):
            rest = {state for other in needed if other is not cube for state in holds[other]}
            if holds[cube] <= rest:
                needed.remove(cube)
        return sorted(needed, key=self._effort)

    def _effort(self, cube: Cube) -> tuple[int, str]:
        """What makes a cube harder to read than another one; a test for NULL alone says least."""
        effort, about = 0, []
        for subject, merged, every, cases in zip(
            self._subjects, self._merged, self._every, cube, strict=True
        ):
            if cases == every:
                continue
            about.append(expression_key(subject.node))
            null = merged.get(NULL, 0)
            tests_null = bool(null) and cases in (null, every - null)
            # Of a comparison that is NULL, its operand tells as much.
            is_made = subject.whole or subject.partner is not None
            effort += 1 + tests_null + (tests_null and is_made)
        return effort, f"{' '.join(about)} {cube}"


def _merged(
    at: int, subject: CaseSubject, true: Sequence[State], false: Sequence[State]
) -> dict[int, int]:
    """For each case of a subject a bit, the same for cases that nothing tells apart."""
    rows: dict[int, set[tuple[State, bool]]] = {case: set() for case in subject.cases()}
    for states, truth in ((true, True), (false, False)):
        for state in states:
            rows[state[at]].add(((*state[:at], *state[at + 1 :]), truth))
    bits: dict[frozenset[tuple[State, bool]], int] = {}
    return {case: bits.setdefault(frozenset(row), 1 << len(bits)) for case, row in rows.items()}


def _holds(cube: Cube, state: Cube) -> bool:
    return all(map(and_, cube, state))


def _within(cube: Cube, other: Cube) -> bool:
    """Whether the other cube holds all that a cube holds."""
    return not any(a & ~b for a, b in zip(cube, other, strict=True))


def _length(node: Expr) -> int:
    """The number of tests in a condition."""
    if isinstance(node, exp.Connector):
        return sum(_length(part) for part in node.iter_expressions())
    return 1


def _has_twice_a_query(form: Expr) -> bool:
    """Whether a query would run twice that ran once."""
    queries = [expression_key(part) for part in own_nodes(form) if isinstance(part, exp.Query)]
    return len(set(queries)) < len(queries)

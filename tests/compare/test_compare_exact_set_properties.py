"""Exact set match on random queries: names and order never count, a missing condition does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from exact_set_parts import match
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlverdict.compare.exact_set.match import SetMatch

T = TypeVar("T")
FEW = settings(max_examples=40)
JOINED = "FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id"

COLUMNS = {
    "singer": ("id", "name", "age", "country"),
    "concert": ("id", "singer_id", "year", "stadium"),
}
AGGREGATES = ("", "max", "min", "count", "sum", "avg")


@dataclass(frozen=True)
class Spec:
    """A query before names are chosen; columns are (table, name)."""

    tables: tuple[str, ...]
    select: tuple[tuple[str, tuple[str, str]], ...]
    where: tuple[tuple[tuple[str, str], str, str], ...]
    link: str
    order: tuple[tuple[str, str], ...]
    limit: bool
    inner: Spec | None = None

    def text(self, names: dict[str, str], inside: dict[str, str]) -> str:
        """The query with these aliases, and those in the query inside it."""

        def column(reference: tuple[str, str]) -> str:
            return f"{names[reference[0]]}.{reference[1]}"

        columns = [f"{agg}({column(c)})" if agg else column(c) for agg, c in self.select]
        conditions = [f"{column(c)} {operator} {value}" for c, operator, value in self.where]
        if self.inner is not None:
            nested = self.inner.text(inside, inside)
            conditions.append(f"{column(self.select[0][1])} IN ({nested})")
        parts = [
            f"SELECT {', '.join(columns)}",
            f"FROM {' JOIN '.join(f'{table} AS {names[table]}' for table in self.tables)}",
            f"WHERE {f' {self.link} '.join(conditions)}" if conditions else "",
            f"ORDER BY {', '.join(map(column, self.order))}" if self.order else "",
            "LIMIT 3" if self.limit else "",
        ]
        return " ".join(filter(None, parts))


def specs(*, nested: bool = True) -> st.SearchStrategy[Spec]:
    def of(tables: tuple[str, ...]) -> st.SearchStrategy[Spec]:
        column = st.sampled_from([(table, name) for table in tables for name in COLUMNS[table]])
        operator = st.sampled_from(("=", "!=", "<", ">=", "LIKE", "NOT LIKE"))
        value = st.sampled_from(("1", "'x'", "2.5"))
        return st.builds(
            Spec,
            st.just(tables),
            st.lists(st.tuples(st.sampled_from(AGGREGATES), column), min_size=1, max_size=3).map(
                tuple
            ),
            st.lists(st.tuples(column, operator, value), max_size=3).map(tuple),
            st.sampled_from(("AND", "OR")),
            st.lists(column, max_size=2).map(tuple),
            st.booleans(),
            st.none() | specs(nested=False) if nested else st.none(),
        )

    return st.sampled_from([("singer",), ("concert",), ("singer", "concert")]).flatmap(of)


ALIASES = st.permutations(["T1", "T2", "a", "singer_", "concert", "x y"]).map(
    lambda names: {"singer": f'"{names[0]}"', "concert": f'"{names[1]}"'}
)
PLAIN = {"singer": "singer", "concert": "concert"}


@FEW
@given(specs(), ALIASES, ALIASES, st.booleans())
def test_renaming_aliases_changes_nothing(
    spec: Spec, names: dict[str, str], inside: dict[str, str], counts: bool
) -> None:
    plain, renamed = spec.text(PLAIN, PLAIN), spec.text(names, inside)
    assert match(plain, renamed, counts=counts) == SetMatch(True)


@FEW
@given(specs(), st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_conjuncts_columns_and_tables_changes_nothing(
    spec: Spec, random: Random, counts: bool
) -> None:
    def shuffled(items: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(random.sample(items, len(items)))

    other = replace(
        spec,
        where=shuffled(spec.where),
        # The first column stands before IN, which must stay.
        select=(spec.select[0], *shuffled(spec.select[1:])),
        tables=shuffled(spec.tables),
    )
    assert match(spec.text(PLAIN, PLAIN), other.text(PLAIN, PLAIN), counts=counts).equal is True


@FEW
@given(specs(), specs(), st.booleans())
def test_a_match_has_the_same_parts(one: Spec, two: Spec, counts: bool) -> None:
    """The converse on these queries: a match has as many of everything."""
    if match(one.text(PLAIN, PLAIN), two.text(PLAIN, PLAIN), counts=counts).equal:
        assert sorted(one.tables) == sorted(two.tables)
        assert sorted(agg for agg, _ in one.select) == sorted(agg for agg, _ in two.select)
        assert len(one.where) == len(two.where)
        assert len(one.order) == len(two.order)
        assert one.limit == two.limit
        assert (one.inner is None) == (two.inner is None)


@FEW
@given(specs(), st.booleans())
def test_a_condition_less_is_seen(spec: Spec, counts: bool) -> None:
    if spec.where:
        fewer = replace(spec, where=spec.where[1:])
        result = match(spec.text(PLAIN, PLAIN), fewer.text(PLAIN, PLAIN), counts=counts)
        assert "where" in result.differs

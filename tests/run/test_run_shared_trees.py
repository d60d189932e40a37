"""Trees of queries are shared by threads and caches: no stage changes one, not even for a moment."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

import same_bytes
from sqlverdict.parse import query as parsing
from sqlverdict.parse.query import Query, parse, parse_as
from sqlverdict.prove.form_cache import FormCache

pytestmark = pytest.mark.slow


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Where a tree of the parser or a normal form is changed, or its node gets another parent."""
    shared: dict[int, exp.Expr] = {}
    places: Counter[str] = Counter()
    original = parsing._parsed

    def parsed(sql: str, dialect: str) -> object:
        query = original(sql, dialect)
        if isinstance(query, Query):
            shared[id(query.tree)] = query.tree
        return query

    get = FormCache.get

    def form(self: FormCache[Any], key: Hashable, make: Callable[[], Any]) -> Any:
        tree = get(self, key, make)
        shared[id(tree.tree)] = tree.tree
        return tree

    def is_shared(node: object) -> bool:
        while isinstance(node, exp.Expr) and node.parent is not None:
            node = node.parent
        return id(node) in shared

    def note() -> None:
        stack = [frame for frame in traceback.extract_stack() if "/sqlverdict/" in frame.filename]
        places[f"{stack[-1].filename}:{stack[-1].lineno}" if stack else "?"] += 1

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        def change(self: exp.Expr, *args: Any, **options: Any) -> Any:
            if is_shared(self):
                note()
            return method(self, *args, **options)

        return change

    take = exp.Expression._set_parent

    def taking(self: exp.Expr, key: str, value: Any, *more: Any) -> Any:
        values = value if isinstance(value, list) else [value]
        if not is_shared(self) and any(is_shared(each) for each in values):
            note()
        return take(self, key, value, *more)

    parse_as.cache_clear()
    monkeypatch.setattr(FormCache, "get", form)
    monkeypatch.setattr(parsing, "_parsed", parsed)
    monkeypatch.setattr(exp.Expression, "set", guarded(exp.Expression.set))
    monkeypatch.setattr(exp.Expression, "append", guarded(exp.Expression.append))
    monkeypatch.setattr(exp.Expression, "_set_parent", taking)
    return places


def test_no_stage_changes_the_tree_of_a_query(
    changes: Counter[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same_bytes.main(tmp_path, 0, 4)
    assert capsys.readouterr().out
    assert not changes


def test_the_guard_sees_a_change_that_is_undone(changes: Counter[str]) -> None:
    query = parse("SELECT a FROM t WHERE b = 1 AND c = 2")
    assert isinstance(query, Query)
    node = query.tree.find(exp.EQ)
    assert node is not None
    stand_in = exp.Literal.number(1)
    node.replace(stand_in)
    stand_in.replace(node)
    assert changes
    changes.clear()
    exp.And(this=query.tree.find(exp.Where), expression=stand_in)
    assert changes

"""What a rewriting rule is, and how rule files make themselves known.

A rule is a document, pairs that it joins, pairs that it must keep apart, and one function of its
name. It is one file in ``prove/rules``, whose docstring is the document. A profile's own rules may
share a file by topic, as those of the ETM paper do: each function's docstring is the document.
Everything else (walking, repeating, keeping the steps) belongs to ``normalise.py``.
"""

from __future__ import annotations

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqlverdict.dialects import checked_dialects
from sqlverdict.errors import RegistryError
from sqlverdict.prove.proof import TRUSTS, Trust
from sqlverdict.registry import Registry, sections_of

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.parse.facts import Fact
    from sqlverdict.prove.reasoning.facts import Facts

SQLITE = checked_dialects("affinities")
"""SQLite alone: a rule that leans on its affinities."""
TYPED = checked_dialects("exact_texts")
"""SQLite, and the engines in which equal texts are the same."""
EVERYWHERE = checked_dialects("any_texts")
"""All engines on which rules were checked."""
WITH_IF = checked_dialects("if_function")
"""The engines that have a function for CASE."""
WITH_FILTER = checked_dialects("filter_clause")
"""The engines in which an aggregate may have a FILTER."""
WITH_FULL_JOIN = checked_dialects("full_join")
"""The engines that have a FULL JOIN."""
WITH_NULLS_PLACE = checked_dialects("nulls_place")
"""The engines that have NULLS FIRST and NULLS LAST."""
WITH_NUMBERS = checked_dialects("number_conditions")
"""The engines in which a condition is 1 or 0."""
WITH_ROWS = checked_dialects("row_comparisons")
"""The engines that compare rows of several values part by part, as AND does."""

SECTIONS = ("Statement", "Holds when", "Why", "Limits", "Source")

Rewrite = Callable[[Any, "Facts"], "Expr | None"]
"""One node in; the node that stands for it, or ``None`` where the rule does not apply.

The rule may change the node and what is below it, and return it. It changes nothing above or
beside it, and nothing at all where it returns ``None``.
"""


@dataclass(frozen=True)
class Pair:
    """Two queries, and the facts under which they are, or are not, equal.

    Attributes:
        left: One query.
        right: The other.
        facts: The facts that it takes; ``Typed`` facts of the rule's schema always hold.
        because: Why a different pair differs.
    """

    left: str
    right: str
    facts: tuple[Fact, ...] = ()
    because: str = ""


@dataclass(frozen=True)
class Rule:
    """A rule as its file declares it."""

    name: str
    rewrite: Rewrite
    matches: tuple[type, ...]
    trust: Trust
    profiles: tuple[str, ...]
    schema: str
    equal: tuple[Pair, ...]
    different: tuple[Pair, ...]
    document: str
    paper: tuple[str, ...] = ()
    corners: tuple[Pair, ...] = ()
    """Pairs that a heuristic rule joins though a legal database tells them apart."""
    dialects: tuple[str, ...] = SQLITE
    """The dialects in which it holds: it was checked on their engines, and is used there alone."""
    needs: tuple[type, ...] = ()
    """The node types of which a query has one wherever the rule applies; none named: any query."""

    @property
    def title(self) -> str:
        """The first line of its document."""
        return self.document.split("\n", 1)[0].strip()

    @cached_property
    def sections(self) -> dict[str, str]:
        """The document's text by heading; a missing heading is absent."""
        return sections_of(self.document, SECTIONS)


RULES: Registry[Rule] = Registry(
    "rule", ("sqlverdict.prove.rules", "sqlverdict.prove.etm_paper.rules"), "sqlverdict.rules"
)


def rule(
    *,
    trust: Trust,
    schema: str,
    equal: Iterable[Pair],
    different: Iterable[Pair],
    profiles: tuple[str, ...] = ("sound",),
    paper: tuple[str, ...] = (),
    corners: Iterable[Pair] = (),
    dialects: tuple[str, ...] = SQLITE,
    needs: tuple[type, ...] = (),
) -> Callable[[Rewrite], Rewrite]:
    """Register the decorated function as a rule: of its file's name, or with its own document.

    Args:
        trust: ``proved`` (an argument in *Why* covers all cases), ``tested`` (the argument is
            plain and the search finds nothing against it), ``heuristic`` (a corner is known).
        schema: CREATE TABLE statements, for the pairs.
        equal: Pairs that the rule joins.
        different: Pairs that it must keep apart, each with ``because``.
        profiles: The profiles that it belongs to.
        paper: The numbers of the paper's rules that it stands for: ``("P3",)``, ``("14",)``.
        corners: Pairs that a heuristic rule joins though they differ, each with ``because``.
        dialects: The dialects in which it holds; ``check_rule(rule, engine)`` shows it on each.
        needs: Node types of which a query has one wherever the rule applies. It saves time alone:
            in a query without any of them the rule is not tried.
    """

    def register(rewrite: Rewrite) -> Rewrite:
        home, name = rewrite.__module__, rewrite.__name__
        file = home.rpartition(".")[2]
        document = (sys.modules[home].__doc__ if name == file else rewrite.__doc__) or ""
        if name != file and not sections_of(document, SECTIONS):
            raise RegistryError(
                f"{file}.py must define {file}(), not {name}(); or {name}() has a docstring with "
                f"{', '.join(SECTIONS)}"
            )
        if trust not in TRUSTS:
            raise RegistryError(f"{name}: trust is {trust!r}; expected one of {', '.join(TRUSTS)}")
        member = Rule(
            name,
            rewrite,
            _matches(rewrite),
            trust,
            profiles,
            schema,
            tuple(equal),
            tuple(different),
            inspect.cleandoc(document),
            paper,
            tuple(corners),
            dialects,
            needs,
        )
        RULES.register(member, name, home)
        return rewrite

    return register


def _matches(rewrite: Rewrite) -> tuple[type, ...]:
    """The node types that a rule looks at: the annotation of its first argument."""
    first = next(iter(inspect.signature(rewrite).parameters))
    module = sys.modules[rewrite.__module__]
    annotation = rewrite.__annotations__[first]
    if isinstance(annotation, str):
        annotation = eval(annotation, vars(module))  # noqa: S307 - a rule file's own annotation
    if isinstance(annotation, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)

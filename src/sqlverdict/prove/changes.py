"""The SQL that each step of a proof changes: what a reader looks at beside rule and facts."""

from __future__ import annotations

from difflib import SequenceMatcher

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT, parser_dialect
from sqlverdict.evidence_parts import StepChange
from sqlverdict.parse.facts import Fact
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import pieces
from sqlverdict.prove.certificate import make_certificate
from sqlverdict.prove.check import ProofCheck, node_at
from sqlverdict.prove.proof import Proof, Side, Step
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import copied, nodes_in
from sqlverdict.prove.resolve.readable import readable_sql
from sqlverdict.prove.resolve.text import runnable

MOST_CHANGES = 40
"""Steps whose SQL is written; a derivation that needs more is read by nobody."""
LONGEST = 300
"""Characters of a changed part; a longer one is cut where nothing changes, then at its end."""
_AROUND = 40
_CLAUSES = ("where", "group", "having", "windows", "qualify", "order", "limit", "offset")
_KNOWN_ARGUMENTS = frozenset({"expressions", "distinct", "from_", "joins", *_CLAUSES})


def step_changes(
    proof: Proof, schema: Schema, *, fixed_columns: bool = False
) -> tuple[StepChange, ...]:
    """Do a proof again, as the checker does, and write what each of the first steps changes.

    Args:
        proof: The proof.
        schema: The tables that it speaks of.
        fixed_columns: Whether the order of columns counts, too.

    Raises:
        RejectedProof: the checker rejects the proof, which is a bug of ours.
    """
    if not proof.steps:
        return ()
    assumed = make_certificate(proof, schema).facts
    replay = _Replay(proof, schema, assumed, fixed_columns)
    try:
        replay.run()
    except RecursionError:
        # Both queries were written once; what lies deeper is not worth a stop.
        return ()
    return tuple(replay.changes)


class _Replay(ProofCheck):
    """The checker, which writes the nodes that steps change instead of whole queries."""

    def __init__(
        self, proof: Proof, schema: Schema, facts: frozenset[Fact], fixed_columns: bool
    ) -> None:
        super().__init__(proof, schema, facts, fixed_columns)
        self.changes: list[StepChange] = []
        self._latest: tuple[Expr, list[str]] | None = None
        self._labels: list[str] = []
        self._readable: dict[str, str] = {}

    def start(self, side: Side, sql: str) -> tuple[Expr, Facts]:
        """A query's tree before the first step; its sources are noted."""
        tree, facts = super().start(side, sql)
        self._labels = [
            node.alias for node in nodes_in(tree) if isinstance(node, exp.Table | exp.Subquery)
        ]
        self._readable = {}
        return tree, facts

    def say(self, side: Side, statement: str, tree: Expr) -> None:
        """Nothing: whole queries are not asked for."""

    def _parts(self, node: Expr | None) -> list[str]:
        parts = _parts(node)
        for part in parts:
            # A step leaves most clauses as they are.
            if part not in self._readable:
                self._readable[part] = readable_sql(part, self._labels)
        return [self._readable[part] for part in parts]

    def take(self, step: Step, tree: Expr, facts: Facts) -> Expr:
        """Do one step, and write the node at its place before and after."""
        if len(self.changes) >= MOST_CHANGES:
            return super().take(step, tree, facts)
        node = node_at(tree, step.path)
        if self._latest is not None and self._latest[0] is node:
            before = self._latest[1]
        else:
            before = self._parts(node)
        tree = super().take(step, tree, facts)
        node = node_at(tree, step.path)
        after = self._parts(node)
        self._latest = None if node is None else (node, after)
        self.changes.append(_change(before, after))
        return tree


def _parts(node: Expr | None) -> list[str]:
    """A node as text, a SELECT clause by clause."""
    if node is None:
        return []
    dialect = parser_dialect(DEFAULT_DIALECT)
    select = runnable(copied(node), as_it_stands=False, spare=True)
    if not isinstance(select, exp.Select) or not _has_only_clauses(select):
        return [str(select.sql(dialect, copy=False))]
    columns = exp.Select(expressions=select.expressions, distinct=select.args.get("distinct"))
    sources = exp.Select(from_=select.args.get("from_"), joins=select.args.get("joins"))
    clauses = [select.args[name] for name in _CLAUSES if select.args.get(name)]
    texts = [str(clause.sql(dialect, copy=False)).strip() for clause in (columns, *clauses)]
    texts.insert(1, str(sources.sql(dialect, copy=False)).removeprefix("SELECT").strip())
    return [part for part in texts if part]


def _has_only_clauses(select: Expr) -> bool:
    return all(name in _KNOWN_ARGUMENTS for name, value in select.args.items() if value)


def _change(before: list[str], after: list[str]) -> StepChange:
    """The parts that differ, in order."""
    old: list[str] = []
    new: list[str] = []
    for kind, i, j, k, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            old += before[i:j]
            new += after[k:end]
    return StepChange(*_cut(" ".join(old), " ".join(new)))


def _cut(before: str, after: str) -> tuple[str, str]:
    """Both texts, each of bounded length: what they share is left out first."""
    if max(len(before), len(after)) <= LONGEST:
        return before, after
    old, new = pieces(before), pieces(after)
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    return _around(old, head, tail), _around(new, head, tail)


def _shared(one: list[str], other: list[str]) -> int:
    """How many tokens both start with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _around(tokens: list[str], head: int, tail: int) -> str:
    """The changed tokens with some of what stands around them."""
    end = len(tokens) - tail
    before, changed, after = (
        "".join(tokens[:head]),
        "".join(tokens[head:end]),
        "".join(tokens[end:]),
    )
    if len(before) > _AROUND:
        before = "… " + before[-_AROUND:].partition(" ")[2]
    if len(changed) > LONGEST:
        return before + changed[:LONGEST] + " …"
    if len(after) > _AROUND:
        after = after[:_AROUND].rpartition(" ")[0] + " …"
    return before + changed + after

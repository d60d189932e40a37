"""Both queries of a pair on one instance, on the engine that decides.

A process has one scratch database for each part of a schema, and keeps it for the next pair.
"""

from __future__ import annotations

import atexit
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product, starmap

from sqlverdict.compare.preset import Preset, QueryPair
from sqlverdict.errors import DatabaseError
from sqlverdict.execute.engine import Engine, Scratch, ScratchEngine, ServerEngine
from sqlverdict.execute.servers.scratch import RowsScratch
from sqlverdict.files.references import scheme_of
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.reasoning.open_choices import shows_any_row
from sqlverdict.records import Answer, Comparison, Contract, Failure, Outcome, Query, Reason
from sqlverdict.refute.make.constraints import SchemaConstraints
from sqlverdict.refute.read import refusal
from sqlverdict.refute.shrink import Shrinker
from sqlverdict.refute.target.chosen_texts import NO_PLACES, Places, equal_but_for_texts
from sqlverdict.refute.trial.determined import arrangements, keeps_answer
from sqlverdict.refute.trial.pair_trial import Difference
from sqlverdict.refute.trial.rebuild import SMALL, compare_outcomes
from sqlverdict.refute.trial.tie_breaks import broken_ties
from sqlverdict.refute.witness import Content, NotRefuted

_ORDERS = 4
"""How many other orders of the rows are tried; a server needs some milliseconds for each."""
_RECOUNTED = 8
"""On so many instances of a search the rows of open answers are counted in all orders."""


class EngineTrial:
    """Runs the two queries of a pair on instances.

    Args:
        scratch: The scratch database.
        gold: The gold query.
        prediction: The predicted query.
        preset: When two answers are the same.
        contract: What the case asks of answers.
        text_choices: Where the engine chooses which of several equal texts each query shows.
    """

    def __init__(
        self,
        scratch: Scratch,
        gold: Query,
        prediction: Query,
        preset: Preset,
        contract: Contract | None,
        text_choices: tuple[Places, Places] = NO_PLACES,
    ) -> None:
        self._text_choices = text_choices
        self._scratch, self._gold, self._prediction = scratch, gold, prediction
        self._preset, self._contract = preset, contract
        self.rejected = 0
        """How many instances the engine did not take; nothing was tried on them."""
        self.stopped = 0
        """On how many instances the prediction gave up where the gold answered."""
        self._recounted = 0

    @property
    def in_queries(self) -> bool:
        """Whether the rows are written into the queries; else there are tables."""
        return isinstance(self._scratch, RowsScratch)

    def declaration(self, schema: Schema) -> Schema:
        """The schema as a replay needs it, on another server too."""
        return self._scratch.declaration(schema)

    def _run(self, sql: str) -> Outcome:
        """What a query gives.

        Raises:
            DatabaseError: the engine is at fault; what was found so far says nothing.
        """
        outcome = self._scratch.run(sql)
        if isinstance(outcome, Failure) and outcome.fault is not None:
            raise DatabaseError(outcome.message, reason="unreachable") from ConnectionError(
                outcome.message
            )
        return outcome

    def on_empty_tables(self) -> tuple[tuple[str, Outcome], tuple[str, Outcome]]:
        """What the gold and the prediction give where no table has a row."""
        self._scratch.load({})
        gold, prediction = map(self._run, (self._gold.sql, self._prediction.sql))
        return ("gold", gold), ("prediction", prediction)

    def both_answer(self, rows: Content) -> bool:
        """Whether the engine takes these rows, and both queries give an answer that stays."""
        if not self._scratch.load(rows):
            return False
        outcomes = [self._run(query.sql) for query in (self._gold, self._prediction)]
        return all(isinstance(each, Answer) and not each.volatile for each in outcomes)

    def difference(self, rows: Content) -> Difference | None:
        """The difference between the two queries on these rows, if the engine accepts them all."""
        if not self._scratch.load(rows):
            self.rejected += 1
            return None
        gold = self._run(self._gold.sql)
        prediction = self._run(self._prediction.sql)
        if (
            isinstance(gold, Answer)
            and isinstance(prediction, Answer)
            and gold.rows == prediction.rows
        ):
            # Two answers without rows are the same, whatever their columns.
            return None
        self.stopped += isinstance(gold, Answer) and _gives_up(prediction)
        comparison = self._compare(gold, prediction)
        if comparison.equal is not False:
            return None
        return Difference(dict(rows), gold, prediction, comparison)

    def determined_difference(self, rows: Content) -> Difference | None:
        """The difference on these rows, if both answers are the queries' own in any order."""
        difference = self.difference(rows)
        return difference if difference is not None and self._is_determined(difference) else None

    def differs_determined(self, rows: Content) -> bool:
        """Whether the queries differ on these rows with determined answers."""
        return self.determined_difference(rows) is not None

    def _compare(self, gold: Outcome, prediction: Outcome) -> Comparison:
        dialect, texts = self._gold.dialect, (self._gold.sql, self._prediction.sql)
        pair = QueryPair(*texts, dialect, self._contract, self._run)
        comparison = compare_outcomes(gold, prediction, self._preset, pair)
        if comparison.equal is not False:
            return comparison
        if isinstance(gold, Answer) and isinstance(prediction, Answer):
            answers = (gold, prediction)
            is_other = equal_but_for_texts(self._preset, answers, pair, self._text_choices) is False
        else:
            failed = [each for each in (gold, prediction) if isinstance(each, Failure)]
            is_other = failed[0].fault is None
        return comparison if is_other else Comparison(None, comparison.reasons)

    def _is_determined(self, difference: Difference) -> bool:
        """Whether both answers stay as they are: ties broken both ways, rows in other orders.

        Answers that change are as good where they keep their numbers of rows, and these differ:
        ``FETCH FIRST 1 ROWS WITH TIES`` gives two rows in any order where ``LIMIT 1`` gives one.
        """
        answers: list[list[Outcome]] = [[difference.gold], [difference.prediction]]
        numbers = [_number_of_rows(first) for (first,) in answers]
        is_open = False
        for query, now, is_same in self._variants(difference):
            if is_same:
                continue
            known = answers[0 if query is self._gold else 1]
            if not is_open:
                if None in numbers or numbers[0] == numbers[1] or self._recounted >= _RECOUNTED:
                    return False
                is_open, self._recounted = True, self._recounted + 1
            if now is known[0] or _number_of_rows(now) != _number_of_rows(known[0]):
                return False
            known.append(now)
        return not is_open or all(
            compared.equal is False for compared in starmap(self._compare, product(*answers))
        )

    def second_answer(self, difference: Difference) -> Answer | None:
        """Another answer that the prediction may give where the gold gives one and the same.

        The gold's own answer is preferred. ``None`` where the gold is open too, or the prediction
        is not.
        """
        if not isinstance(difference.gold, Answer) or not isinstance(difference.prediction, Answer):
            return None
        # Other rows may have been tried since.
        if not self._scratch.load(difference.rows):
            return None
        answer: Answer | None = None
        for query, now, is_same in self._variants(difference):
            if query is self._gold and not is_same:
                return None
            if query is self._prediction and not is_same and isinstance(now, Answer):
                if now.volatile:
                    return None
                fits = self._compare(difference.gold, now).equal is True
                answer = now if fits or answer is None else answer
        return answer

    def leaves_open(self, rows: Content) -> bool:
        """Whether the prediction leaves open on these rows what the gold decides."""
        difference = self.difference(rows)
        return difference is not None and self.second_answer(difference) is not None

    def open_answer(
        self,
        gold: Query,
        schema: Schema,
        differences: Iterable[Difference],
        shrinking: tuple[SchemaConstraints, int] | None = None,
    ) -> tuple[Difference, Answer] | None:
        """A difference where the gold gives one answer, and another that the prediction may give.

        It is the first of some differences that shows it, on fewer rows where it is to be shrunk.

        Args:
            gold: The gold query, as it was given.
            schema: Its tables.
            differences: Differences of which one answer is not determined.
            shrinking: What smaller instances must obey, and how many are tried.
        """
        if shows_any_row(gold, schema):
            # Nothing of the gold is decided.
            return None
        for difference in differences:
            other = self.second_answer(difference)
            if other is None:
                continue
            if shrinking is not None:
                constraints, tries = shrinking
                small = Shrinker(constraints, self.leaves_open, tries).fewer(difference.rows)
                last = self.difference(small) if small is not None else None
                last_other = self.second_answer(last) if last is not None else None
                if last is not None and last_other is not None:
                    return last, last_other
            return difference, other
        return None

    def _variants(self, difference: Difference) -> Iterator[tuple[Query, Outcome, bool]]:
        """What else the queries may give: with ties broken both ways, with rows in other orders.

        Yields:
            The query, what it gives now, and whether that is what it gave.
        """
        sides = ((self._gold, difference.gold), (self._prediction, difference.prediction))
        for query, before in sides:
            for text in broken_ties(query.sql):
                now = self._run(text)
                # A text that the engine does not take says nothing.
                if isinstance(now, Answer):
                    yield query, now, self._same(query, before, now)
        for rows in islice(arrangements(difference.rows), _ORDERS):
            if not self._scratch.load(rows):
                yield self._gold, difference.gold, False
                return
            for query, before in sides:
                now = self._run(query.sql)
                yield query, now, self._same(query, before, now)

    def _same(self, query: Query, before: Outcome, now: Outcome) -> bool:
        pair = QueryPair(query.sql, query.sql, query.dialect, probe=self._run)
        if keeps_answer(before, now, self._preset, pair):
            return True
        if not isinstance(before, Answer) or not isinstance(now, Answer):
            return False
        own = self._text_choices[0 if query is self._gold else 1]
        is_open = before.volatile or now.volatile
        return not is_open and bool(
            equal_but_for_texts(self._preset, (before, now), pair, (own, own))
        )


def _number_of_rows(outcome: Outcome) -> int | None:
    """How many rows an answer has; ``None`` where there is none, or it may be another next time."""
    if not isinstance(outcome, Answer) or outcome.volatile:
        return None
    return len(outcome.rows)


def _gives_up(outcome: Outcome) -> bool:
    """Whether a limit stopped a query, or it failed with an error that the engine calls its own."""
    at_fault = isinstance(outcome, Failure) and outcome.fault is not None
    return at_fault or refusal.is_stopped(outcome)


def unrunnable_pair(trial: EngineTrial) -> NotRefuted | None:
    """Why two queries are not searched: one fails on tables without rows, or is not repeatable."""
    for which, outcome in trial.on_empty_tables():
        if isinstance(outcome, Failure):
            # A text that is no SQL is none without rows, too.
            has_rows = trial.in_queries and outcome.reason is not Reason.PARSE_ERROR
            where = ", with rows written into it" if has_rows else ""
            message = f"the {which}{where}: {outcome.message}"
            return NotRefuted(0, reason=outcome.reason, message=message, blame=which)
        if outcome.volatile:
            message = f"the {which} depends on the clock or on chance"
            unable = Reason.UNSUPPORTED_FEATURE
            return NotRefuted(0, reason=unable, message=message, blame=which)
    return None


def check_alike(engine: Engine, scratch: str, database: str | None) -> None:
    """Refuse a server that may answer otherwise than that of the real database.

    Raises:
        DatabaseError: it is of another engine or version, or does not answer.
    """
    if not isinstance(engine, ServerEngine) or scheme_of(scratch) not in engine.schemes:
        raise DatabaseError(
            f"witnesses are searched on {scratch} (setting scratch), which is no database of the "
            f"engine {engine.name}",
            reason="not_a_database",
        )
    if database is None:
        return
    here, there = (engine.server_version(each) for each in (database, scratch))
    if here != there:
        raise DatabaseError(
            f"witnesses are searched on {scratch} (setting scratch), whose server is {there}; "
            f"that of {database} is {here}, and another version may answer otherwise",
            reason="unsupported",
        )


_OPEN_AT_ONCE = 8
"""How many are kept open: each may be a connection of a server."""


class Scratches:
    """Opens scratch databases and closes the least recently used ones.

    Args:
        engine: The engine on which they are made.
        near: The reference of the real database, on whose server they are made.
        trust_role: Queries run as the role of the reference, whatever it may do.
    """

    def __init__(self, engine: Engine, near: str | None, *, trust_role: bool = False) -> None:
        self._engine, self._near = engine, near
        self._limits = replace(SMALL, trust_role=trust_role)
        self._open: OrderedDict[Schema, Scratch] = OrderedDict()
        atexit.register(self.close)

    def of(self, schema: Schema) -> Scratch:
        """An empty or used scratch database with these tables.

        Raises:
            DatabaseError: the engine cannot make one.
        """
        scratch = self._open.get(schema)
        if scratch is None:
            if not isinstance(self._engine, ScratchEngine):
                raise DatabaseError(
                    f"{self._engine.name} has no scratch databases", reason="unsupported"
                )
            scratch = self._open[schema] = self._engine.scratch(schema, self._limits, self._near)
            if len(self._open) > _OPEN_AT_ONCE:
                _, oldest = self._open.popitem(last=False)
                oldest.close()
        self._open.move_to_end(schema)
        return scratch

    def forget(self, schema: Schema) -> None:
        """Close a scratch database that no longer answers."""
        scratch = self._open.pop(schema, None)
        if scratch is not None:
            with suppress(DatabaseError):
                scratch.close()

    def close(self) -> None:
        """Remove all of them."""
        atexit.unregister(self.close)
        for schema in list(self._open):
            self.forget(schema)

"""A reader's slow query holds up nobody else, and too much of it is is_busy at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from threading import Event, get_ident
from typing import Any

import pytest

from sqlverdict.web.refusals import Busy
from sqlverdict.web.work_pool import MOST_THREADS, MOST_WAITING, WorkPool
from timeouts import HANG_SECONDS


class Resource:
    """Remembers the thread that opened it."""

    def __init__(self) -> None:
        self.opened_by = get_ident()
        self.closed_by = 0

    def close(self) -> None:
        self.closed_by = get_ident()


def own_thread(resource: Resource) -> bool:
    return resource.opened_by == get_ident()


def wait_for(_: Resource, started: Event, end: Event) -> str:
    started.set()
    assert end.wait(HANG_SECONDS)
    return "slow"


async def refusal(work: Awaitable[Any]) -> bool:
    try:
        await work
    except Busy:
        return True
    return False


def test_a_second_reader_is_answered_while_the_first_ones_query_runs() -> None:
    pool = WorkPool(Resource, Resource.close, readers=2)

    async def run() -> tuple[bool, str]:
        started, end = Event(), Event()
        slow = asyncio.ensure_future(pool.run("ann", wait_for, started, end))
        await asyncio.to_thread(started.wait, HANG_SECONDS)
        answer = await pool.run("bob", own_thread)
        assert not slow.done()
        end.set()
        return answer, await slow

    try:
        assert asyncio.run(run()) == (True, "slow")
    finally:
        pool.close()


def test_a_reader_has_one_thread_and_a_bounded_number_of_requests() -> None:
    pool = WorkPool(Resource, Resource.close, readers=3)

    async def run() -> list[bool]:
        started, end = Event(), Event()
        slow = [
            asyncio.ensure_future(pool.run("ann", wait_for, started, end))
            for _ in range(MOST_WAITING)
        ]
        await asyncio.to_thread(started.wait, HANG_SECONDS)
        is_busy = await refusal(pool.run("ann", own_thread))
        others = [await pool.run(name, own_thread) for name in ("bob", "dee")]
        end.set()
        assert await asyncio.gather(*slow) == ["slow"] * MOST_WAITING
        return [is_busy, *others, await pool.run("ann", own_thread)]

    try:
        assert asyncio.run(run()) == [True] * 4
    finally:
        pool.close()


def test_where_all_threads_are_taken_the_next_reader_is_refused_at_once() -> None:
    pool = WorkPool(Resource, Resource.close, readers=100)

    async def run() -> bool:
        end = Event()
        starts = [Event() for _ in range(MOST_THREADS)]
        slow = [
            asyncio.ensure_future(pool.run(f"reader {number}", wait_for, start, end))
            for number, start in enumerate(starts)
        ]
        for start in starts:
            await asyncio.to_thread(start.wait, HANG_SECONDS)
        is_busy = await refusal(pool.run("one more", own_thread))
        end.set()
        await asyncio.gather(*slow)
        return is_busy and await pool.run("one more", own_thread)

    try:
        assert asyncio.run(run())
    finally:
        pool.close()


def test_what_a_thread_opened_it_closes() -> None:
    opened: list[Resource] = []

    def open_one() -> Resource:
        opened.append(Resource())
        return opened[-1]

    pool = WorkPool(open_one, Resource.close, readers=2)
    asyncio.run(pool.run("ann", own_thread))
    pool.close()
    assert [one.opened_by == one.closed_by for one in opened] == [True]


def test_an_error_frees_the_thread() -> None:
    pool = WorkPool(Resource, Resource.close)

    def fail(_: Resource) -> None:
        raise ValueError("no")

    try:
        with pytest.raises(ValueError, match="no"):
            asyncio.run(pool.run("ann", fail))
        assert asyncio.run(pool.run("ann", own_thread))
    finally:
        pool.close()

"""What a query may spend, and where answers are cached."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import click

from sqlverdict.cli.options.fields import Heading, option, setting
from sqlverdict.cli.options.shared import (
    FILE,
    timeout_option,
    trust_role_setting,
    workers_option,
)
from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import AnswerCache, default_path
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner


class MomentType(click.DateTime):
    """A date, or a date with a time; the error shows one, not the codes of its parts."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Read it."""
        try:
            moment: datetime = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is no time; expected 2025-01-31 or 2025-01-31T12:00:00", param)
        return moment


MOMENT = MomentType(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])


@dataclass(frozen=True, kw_only=True)
class CacheArgs:
    """Where answers are cached."""

    HEADING: ClassVar[Heading] = Heading.LIMITS

    cache: Path | None = setting("cache", type=FILE, help="The file of cached answers.")
    no_cache: bool = option("--no-cache", rare=True, is_flag=True, help="Run every query again.")

    @property
    def path(self) -> Path | None:
        """The cache's file; ``None`` where nothing is cached.

        Raises:
            UsageError: both are there.
        """
        if self.cache is not None and self.no_cache:
            raise UsageError("the setting cache and --no-cache cannot be combined")
        return None if self.no_cache else self.cache or default_path()


@dataclass(frozen=True, kw_only=True)
class LimitArgs:
    """How many processes run queries, at what time, and what one query may spend."""

    HEADING: ClassVar[Heading] = Heading.LIMITS

    workers: int | None = workers_option()
    on: str = option(
        "--on",
        rare=True,
        default="",
        metavar="ray[://HOST:PORT]",
        help="Work on a Ray cluster: that of RAY_ADDRESS or of this machine, or the one at an "
        "address. --workers are its actors. [default: this machine]",
    )
    copy_databases: bool = option(
        "--copy-databases",
        rare=True,
        is_flag=True,
        help="Copy the databases to the nodes of the cluster, once per node. "
        "[default: each node has them at the same path]",
    )
    now: datetime | None = setting(
        "now",
        type=MOMENT,
        metavar="TIME",
        help="What the clock shows to queries, such as 2025-01-31 or 2025-01-31T12:00:00.",
    )
    database_version: str = setting(
        "database-version",
        default="",
        metavar="TEXT",
        help="Stands for the content of databases on a server. Change it when they change. "
        "[default: their content is read and digested]",
    )
    timeout: float = timeout_option(is_setting=False)
    max_rows: int = setting(
        "max-rows",
        type=click.IntRange(1),
        default=Limits().rows,
        help="Rows that one query may return.",
    )
    max_steps: int = setting(
        "max-steps",
        type=click.IntRange(1),
        default=Limits().steps,
        help="Engine steps that one query may take.",
    )
    trust_role: bool = trust_role_setting()

    @property
    def limits(self) -> Limits:
        """The limits of one query."""
        return Limits(
            seconds=self.timeout,
            rows=self.max_rows,
            steps=self.max_steps,
            trust_role=self.trust_role,
        )


def open_runner(
    engine: str, timeout: float, cache: Path | None, *, trust_role: bool
) -> QueryRunner:
    """A runner of queries; the caller closes it.

    Args:
        engine: The engine's name.
        timeout: Seconds that one query may take.
        cache: The file of cached answers; ``None`` caches nothing.
        trust_role: Queries run as the role of a URL, whatever it may do.
    """
    answers = AnswerCache(cache) if cache is not None else None
    return QueryRunner(engine, Limits(seconds=timeout, trust_role=trust_role), answers)

"""A cache for what two threads must not use at the same time, such as an open database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def cache_by_thread(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As :func:`functools.lru_cache`, with a cache for each thread, which ends with it."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        local = threading.local()

        @wraps(function)
        def cached(*args: P.args, **kwargs: P.kwargs) -> T:
            own: Callable[P, T] | None = getattr(local, "cached", None)
            if own is None:
                own = local.cached = cast(Callable[P, T], lru_cache(maxsize)(function))
            return own(*args, **kwargs)

        return cached

    return decorate

"""One deadline for everything a call does on its connection.

The time-outs of an HTTP library start over with every byte, so a server that sends one byte now
and then holds a thread for as long as it likes, be it in the header. Here every read and write
of a thread gets what is left until that thread's deadline.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ssl import SSLContext
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpcore
    import httpx

_local = threading.local()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Bound all that this thread reads and writes from here on."""
    _local.until = monotonic() + seconds
    try:
        yield
    finally:
        _local.until = None


def keep_deadlines(client: httpx.Client) -> None:
    """Make every connection of a client keep its thread's deadline, those of proxies too."""
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if pool is not None and backend is not None:
            pool._network_backend = _Backend(backend)


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    until = getattr(_local, "until", None)
    if until is None:
        return timeout
    left: float = until - monotonic()
    if left <= 0:
        raise late("the call's deadline has passed")
    return left if timeout is None else min(timeout, left)


class _Backend:
    """A network whose streams keep deadlines."""

    def __init__(self, inner: httpcore.NetworkBackend) -> None:
        self._inner = inner

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _Stream:
        import httpcore

        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_tcp(host, port, left, local_address, socket_options))

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> _Stream:
        import httpcore

        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_unix_socket(path, left, socket_options))

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream:
    """A connection that keeps deadlines."""

    def __init__(self, inner: httpcore.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        import httpcore

        return self._inner.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        import httpcore

        self._inner.write(buffer, _left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> _Stream:
        import httpcore

        left = _left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

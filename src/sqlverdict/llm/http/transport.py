"""The one place that touches the network: pooled connections, deadlines, repetitions.

The time-outs of an HTTP library start over with every byte, so a server that sends one byte now
and then holds a thread for as long as it likes, be it in the header. Here the whole exchange has
one deadline: every read and write of a thread gets what is left until that thread's deadline.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ssl import SSLContext
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from sqlverdict.errors import MissingExtra
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.http.faults import CallFailed, Stopped, from_status
from sqlverdict.llm.rate import Clock, Pace

if TYPE_CHECKING:
    import httpcore
    import httpx


T = TypeVar("T")

_FEATURE = "asking a language model"
_LARGEST = 64 * 2**20
_LONGEST_BACKOFF = 30.0


@dataclass(frozen=True)
class Exchange:
    """One answered call: its bytes, and the seconds from sending to the last of them."""

    body: bytes
    seconds: float


class Transport:
    """Sends to one endpoint. Threads may share it.

    ``sent`` counts every call that went out, ``repeated`` those that were repetitions.
    """

    def __init__(self, endpoint: Endpoint, clock: Clock | None = None) -> None:
        self.endpoint = endpoint
        self.stopped = threading.Event()
        self.sent = 0
        self.repeated = 0
        self._lock = threading.Lock()
        self._seats = threading.BoundedSemaphore(endpoint.concurrency)
        self._pace = Pace(endpoint.max_per_minute, clock, self.stopped)
        self._http = _open(endpoint)

    def __repr__(self) -> str:
        return f"Transport({self.endpoint.base_url!r})"

    def repeat(self, call: Callable[[], T]) -> T:
        """The call's value, once a try succeeds.

        Raises:
            CallFailed: all tries failed, or one in a way that no other try mends. Its
                ``attempts`` says how many were made.
        """
        import stamina

        tries = 0
        try:
            for attempt in stamina.retry_context(
                on=lambda error: isinstance(error, CallFailed) and error.again,
                attempts=self.endpoint.retries + 1,
                timeout=None,
                wait_initial=self.endpoint.backoff,
                wait_jitter=self.endpoint.backoff,
                wait_max=max(_LONGEST_BACKOFF, self.endpoint.backoff),
            ):
                with attempt:
                    tries = attempt.num
                    if tries > 1:
                        with self._lock:
                            self.repeated += 1
                    return call()
        except CallFailed as error:
            error.attempts = tries
            raise
        raise AssertionError("stamina ends with a value or an exception")

    def send(
        self,
        method: str,
        url: str,
        *,
        content: bytes | None = None,
        files: Mapping[str, Any] | None = None,
        data: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        limit: int = _LARGEST,
        sink: Callable[[bytes], object] | None = None,
    ) -> Exchange:
        """One call, once a seat is free and its turn has come.

        Args:
            method: ``GET`` or ``POST``.
            url: The whole URL, without a query.
            content: A JSON body.
            files: Files, for a form.
            data: Fields, for a form.
            params: Query parameters beside the endpoint's.
            limit: The most bytes a reply may have.
            sink: Takes the reply's bytes as they come, instead of the exchange.

        Raises:
            CallFailed: there is no usable reply.
            Stopped: the run was stopped before it was sent.
        """
        with self._seat():
            start = perf_counter()
            request = self._http.build_request(
                method,
                url,
                content=content,
                files=files,
                data=data,
                params={**self.endpoint.query, **(params or {})},
                headers=self.endpoint.all_headers()
                | ({"Content-Type": "application/json"} if content is not None else {}),
            )
            try:
                body = self._exchange(request, start, limit, sink)
            except CallFailed as error:
                if error.wait is not None and error.again:
                    self._pace.hold(error.wait)
                raise
            return Exchange(body, perf_counter() - start)

    def _exchange(
        self,
        request: httpx.Request,
        start: float,
        limit: int,
        sink: Callable[[bytes], object] | None,
    ) -> bytes:
        import httpx

        where, timeout = self.endpoint.base_url, self.endpoint.timeout
        late = CallFailed(
            f"no complete reply from {where} within {timeout:g} s. Allow more time or ask a "
            "faster server",
            again=True,
            billed=True,
        )
        try:
            with deadline(timeout - (perf_counter() - start)):
                response, chunks = self._receive(request, limit, sink)
        except (httpx.ConnectTimeout, httpx.ConnectError, httpx.PoolTimeout) as error:
            raise CallFailed(
                f"cannot connect to {where}: {self.endpoint.scrub(str(error)) or 'no answer'}. "
                "Check that the server runs and the address is right",
                again=True,
            ) from None
        except httpx.TimeoutException:
            raise late from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            kind = type(error).__name__
            raise CallFailed(
                f"the exchange with {where} broke off ({kind}: {self.endpoint.scrub(str(error))})",
                again=isinstance(error, httpx.TransportError),
                billed=True,
            ) from None
        if not response.is_success:
            headers = {name.lower(): value for name, value in response.headers.items()}
            raise from_status(self.endpoint, response.status_code, headers, b"".join(chunks))
        return b"".join(chunks)

    def _receive(
        self, request: httpx.Request, limit: int, sink: Callable[[bytes], object] | None
    ) -> tuple[httpx.Response, list[bytes]]:
        """The response and its bytes, those that a sink took left out."""
        response = self._http.send(request, stream=True)
        chunks: list[bytes] = []
        size = 0
        try:
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > (limit if response.is_success else 10**6):
                    raise CallFailed(
                        f"{self.endpoint.base_url} sent more than {limit} bytes",
                        again=False,
                        billed=response.is_success,
                    )
                if response.is_success and sink is not None:
                    sink(chunk)
                else:
                    chunks.append(chunk)
        finally:
            response.close()
        return response, chunks

    @contextmanager
    def _seat(self) -> Iterator[None]:
        """One of the places for calls in flight, and the right to start now."""
        with self._seats:
            if not self._pace.take_turn():
                raise Stopped("stopped before it was sent; the same command resumes")
            with self._lock:
                self.sent += 1
            yield

    def stop(self) -> None:
        """Send nothing any more; what is in flight may still arrive."""
        self.stopped.set()

    def close(self) -> None:
        """Let go of the connections."""
        self.stop()
        self._http.close()


_SILENCE = logging.NullHandler()


def _quieten() -> None:
    """Keep the libraries' logs from showing a key, and from reaching the terminal unasked."""
    # It logs whole headers of replies, and a server may echo what it was sent.
    wire = logging.getLogger("httpcore")
    wire.setLevel(max(wire.level, logging.INFO))
    # Without a handler of its own, its note on each repetition goes to stderr.
    logging.getLogger("stamina").addHandler(_SILENCE)


def _open(endpoint: Endpoint) -> httpx.Client:
    try:
        import httpx
        import stamina  # noqa: F401
    except ImportError:
        raise MissingExtra(_FEATURE, "judge") from None
    from sqlverdict import __version__

    _quieten()
    client = httpx.Client(
        timeout=httpx.Timeout(endpoint.timeout, connect=min(endpoint.timeout, 10.0), pool=None),
        limits=httpx.Limits(
            max_connections=endpoint.concurrency,
            max_keepalive_connections=endpoint.concurrency,
        ),
        # A proxy is for the outside world; a server on this machine is asked directly.
        trust_env=not endpoint.local,
        # Loading the certificates takes longer than a call, and nothing here would use them.
        verify=not (endpoint.local and endpoint.base_url.startswith("http:")),
        follow_redirects=False,
        headers={"User-Agent": f"sqlverdict/{__version__}"},
    )
    keep_deadlines(client)
    return client


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

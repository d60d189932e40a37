"""Where a model is asked: any server that speaks OpenAI's chat-completions protocol.

The base URL alone tells OpenAI, Azure, Together, vLLM, llama.cpp, Ollama and others apart:

=====================================================  =====================================
base URL                                               what follows from it
=====================================================  =====================================
``https://api.openai.com/v1``                          ``Authorization``, ``OPENAI_API_KEY``
``https://NAME.openai.azure.com/openai/v1``            ``api-key``, ``AZURE_OPENAI_API_KEY``
``https://NAME.openai.azure.com?api-version=DATE``     the same; the model is the deployment
``https://api.together.xyz/v1``                        ``TOGETHER_API_KEY``
``http://127.0.0.1:8080/v1`` (llama.cpp, vLLM)         no key, unless its variable is named
``http://localhost:11434`` (Ollama)                    the same; ``/v1`` is added
=====================================================  =====================================

A key is read from the environment when a call is made. It is part of no record, so that
neither a log, a representation, a pickle nor a cache can hold it, and it is sent over plain
``http`` only where the user names its variable.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from sqlverdict.errors import UsageError
from sqlverdict.files.secrets import REDACTED, secret_values, shown_query
from sqlverdict.llm.request import Request

TokensField = Literal["max_tokens", "max_completion_tokens"]

_AZURE = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
_KEYS_BY_HOST = (
    *((ending, "AZURE_OPENAI_API_KEY") for ending in _AZURE),
    (".together.xyz", "TOGETHER_API_KEY"),
    (".together.ai", "TOGETHER_API_KEY"),
)
_SECRET_HEADERS = {"authorization", "proxy-authorization", "api-key", "x-api-key", "cookie"}
_CHAT = "/chat/completions"
_SHORTEST_SCRUBBED = 6
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Endpoint:
    """A server, how to speak to it, and how much of it to use.

    Attributes:
        base_url: The address, up to and without ``/chat/completions``.
        model: The model's name there.
        key_variable: The environment variable that holds the key; by the host where not given.
        timeout: Seconds one call may take, from sending to the last byte.
        concurrency: The most calls at the same time.
        retries: How often a failed call is repeated.
        max_per_minute: The most calls a minute; ``None``: as many as the server takes.
        backoff: Seconds before the first repetition; they double, with a random part.
        longest_wait: The longest ``Retry-After`` that is obeyed rather than given up on.
        headers: More headers. Never a key.
        query: More query parameters, such as Azure's ``api-version``. Never a key.
        extra: More fields of the request's body; they become part of the content address.
        omit: Fields of the body to leave out, for servers that refuse them.
        tokens_field: The name of the field that limits the reply.
        key_header: The header that carries the key; by the host where not given.
    """

    base_url: str
    model: str
    key_variable: str = ""
    timeout: float = 120.0
    concurrency: int = 8
    retries: int = 5
    max_per_minute: float | None = None
    backoff: float = 0.5
    longest_wait: float = 120.0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict)
    omit: tuple[str, ...] = ()
    tokens_field: TokensField = "max_tokens"
    key_header: str = ""

    def __post_init__(self) -> None:
        for name, least in (("timeout", 1e-3), ("concurrency", 1), ("retries", 0), ("backoff", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} is {getattr(self, name)}; expected at least {least}")
        if self.max_per_minute is not None and self.max_per_minute <= 0:
            raise UsageError(f"max_per_minute is {self.max_per_minute}; expected more than 0")
        base, query = _clean(self.base_url)
        merged = {**query, **self.query}
        _refuse_secrets(merged, "query parameter")
        _refuse_secrets(self.headers, "header")
        set_field = object.__setattr__
        set_field(self, "base_url", base)
        set_field(self, "query", merged)
        set_field(self, "key_variable", self.key_variable or self._usual_variable())
        set_field(self, "key_header", self.key_header or ("api-key" if self.azure else ""))
        if self.azure and "/deployments/" in base and "api-version" not in merged:
            raise UsageError(
                f"{base} is an Azure deployment without an API version. Add it to the base URL, "
                "as in ...?api-version=2024-10-21, or use .../openai/v1"
            )

    @property
    def host(self) -> str:
        """The server's name, without the port."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def azure(self) -> bool:
        """Whether this is one of Azure's hosts."""
        return self.host.endswith(_AZURE)

    @property
    def local(self) -> bool:
        """Whether the server is this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def root(self) -> str:
        """Where files and batches are, on Azure too, where chats may lie deeper."""
        if not urlsplit(self.base_url).path:
            tail = (
                ("/openai" if "api-version" in self.query else "/openai/v1")
                if self.azure
                else ("/v1")
            )
            return self.base_url + tail
        return self.base_url.partition("/deployments/")[0]

    def chat(self, model: str) -> str:
        """The URL that chats are posted to."""
        if self.azure and not urlsplit(self.base_url).path and "api-version" in self.query:
            return f"{self.root}/deployments/{quote(model, safe='')}{_CHAT}"
        within = self.base_url if "/deployments/" in self.base_url else self.root
        return within + _CHAT

    @property
    def server(self) -> str:
        """The address as it may be shown, one for all its spellings."""
        parts = urlsplit(self.root)
        port = f":{parts.port}" if parts.port not in (None, _PORTS.get(parts.scheme)) else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        query = shown_query(urlencode(sorted(self.query.items())))
        return f"{parts.scheme}://{host}{port}{parts.path}" + (f"?{query}" if query else "")

    def address(self, request: Request) -> str:
        """The content address of a request: the server, its digest, and whatever else is sent.

        Two servers may give one name to two models, so a reply of one is none of the other.
        """
        parts = [self.server, urlsplit(self.chat(request.model)).path, request.digest()]
        more = json.dumps([*parts, dict(self.extra), sorted(self.omit)], sort_keys=True)
        return hashlib.sha256(more.encode()).hexdigest()

    def key(self) -> str:
        """The key, from the environment; empty where there is none.

        Raises:
            UsageError: it could not be sent as a header.
        """
        key = os.environ.get(self.key_variable, "").strip() if self.key_variable else ""
        if not (key.isascii() and key.isprintable()):
            # The HTTP library would quote the whole header in its error.
            raise UsageError(
                f"the key in {self.key_variable} has characters that no header can carry; "
                "expected printable ASCII. Set it again, without line breaks"
            )
        return key

    def all_headers(self) -> dict[str, str]:
        """Every header of a call, the key among them: for the wire only."""
        headers = {"Accept": "application/json", **self.headers}
        key = self.key()
        if key and self.key_header:
            headers[self.key_header] = key
        elif key:
            headers["Authorization"] = f"Bearer {key}"
        return headers

    def scrub(self, text: str) -> str:
        """The text without the key and the URL's secrets, should a server have echoed them."""
        key = self.key()
        if len(key) >= _SHORTEST_SCRUBBED:
            text = text.replace(key, "[key]")
        for value in secret_values(self.query.items()):
            text = text.replace(value, REDACTED)
        return text

    def about_the_key(self) -> str:
        """Which variable is read and whether it is set, in words."""
        if not self.key_variable:
            return "no key is sent over plain http unless its variable is named"
        state = "set" if self.key() else "not set"
        return f"the key is read from {self.key_variable}, which is {state}"

    def _usual_variable(self) -> str:
        if urlsplit(self.base_url).scheme == "http":
            return ""
        known = (name for ending, name in _KEYS_BY_HOST if f".{self.host}".endswith(ending))
        return next(known, "OPENAI_API_KEY")


def _clean(url: str) -> tuple[str, dict[str, str]]:
    """The URL without its query and trailing parts, and the query."""
    try:
        parts = urlsplit(url.strip())
        host, port, userinfo = parts.hostname, parts.port, parts.username or parts.password
    except ValueError as error:
        what = "its port is not a number" if "port" in str(error).lower() else "it is not a URL"
        raise UsageError(f"the base URL cannot be read ({what}); {_EXPECTED}") from None
    if userinfo:
        raise UsageError("the base URL holds a user name or password; keys come from the "
                         "environment only. Remove it and name the variable")  # fmt: skip
    if parts.scheme not in ("http", "https") or not host:
        # Without a scheme nothing tells which part of it is secret.
        address = url.partition("?")[0].rpartition("@")[2]
        raise UsageError(f"the base URL {address!r} has no scheme or host; {_EXPECTED}")
    address = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix(_CHAT).rstrip("/")
    base = f"{parts.scheme}://{address}{'' if port is None else f':{port}'}{path}"
    return base, dict(parse_qsl(parts.query))


_EXPECTED = "expected something like https://api.openai.com/v1 or http://127.0.0.1:8080/v1"


def _refuse_secrets(names: Mapping[str, str], what: str) -> None:
    for name in names:
        plain = name.lower().replace("_", "-")
        if plain in _SECRET_HEADERS or plain.endswith(("key", "token", "secret")):
            raise UsageError(
                f"the {what} {name!r} looks like a key; keys come from the environment only. "
                "Name its variable, and the header it goes into, instead"
            )

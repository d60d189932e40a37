"""Who may ask a local server: by token, host and origin; and the headers of every reply."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from error_parts import asks_for
from sqlverdict.web.assets import one_file, read_asset
from sqlverdict.web.security import HEADERS, LARGEST_BODY, TOKEN_HEADER, RequestGuard, new_token
from sqlverdict.web.server import front_address, is_local, open_socket

TOKEN = new_token()
GOOD = {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:8000", TOKEN_HEADER: TOKEN}


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    text = f"{scope['identity']} {len(body)}".encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text})


def ask(
    method: str = "POST",
    path: str = "/api/vote",
    parts: tuple[bytes, ...] = (b"{}",),
    front: str = "",
    **changes: str | None,
) -> tuple[int, str, dict[bytes, bytes]]:
    """A request with the right headers but for the changes; ``None`` leaves one out."""
    names = {name.replace("_", "-"): value for name, value in changes.items()}
    headers = {name: value for name, value in (GOOD | names).items() if value is not None}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[Any] = []
    rest = list(parts)

    async def receive() -> Any:
        return {"type": "http.request", "body": rest.pop(0), "more_body": bool(rest)}

    async def send(message: Any) -> None:
        sent.append(message)

    guard = RequestGuard(echo, {TOKEN: "ann"}, "127.0.0.1", 8000, front)
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], sent[1]["body"].decode(), dict(sent[0]["headers"])


def test_a_request_of_the_own_page_is_answered() -> None:
    status, text, _ = ask()
    assert (status, text) == (200, "ann 2")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({TOKEN_HEADER.replace("-", "_"): None}, "token"),
        ({TOKEN_HEADER.replace("-", "_"): TOKEN[:-1]}, "token"),
        ({"origin": None}, "origin"),
        ({"origin": "http://evil.example"}, "origin"),
        ({"origin": "null"}, "origin"),
        ({"origin": "https://127.0.0.1:8000"}, "origin"),
        ({"host": "evil.example:8000", "origin": "http://evil.example:8000"}, "host"),
        ({"host": "127.0.0.1:9", "origin": "http://127.0.0.1:9"}, "host"),
        ({"host": None}, "host"),
        ({"sec_fetch_site": "cross-site"}, "another site"),
    ],
)
def test_anything_else_is_refused(changes: dict[str, str | None], words: str) -> None:
    status, text, headers = ask(**changes)
    assert status == 403
    assert words in text
    assert headers[b"content-security-policy"]


FRONT = "https://label.example.org/team"


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("label.example.org", "https://label.example.org", 200),
        ("127.0.0.1:8000", "https://label.example.org", 200),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", 200),
        ("label.example.org", "http://label.example.org", 403),
        ("label.example.org", "https://evil.example", 403),
        ("label.example.org", None, 403),
        ("label.example.org", "", 403),
        ("label.example.org:8000", "https://label.example.org", 403),
        ("evil.example", "https://label.example.org", 403),
        ("evil.example", "https://evil.example", 403),
    ],
)
def test_behind_a_proxy_the_address_that_people_use_is_ours(
    host: str, origin: str | None, status: int
) -> None:
    assert ask(front=FRONT, host=host, origin=origin)[0] == status
    if host != "127.0.0.1:8000":
        assert ask(host=host, origin=origin)[0] == 403, "nobody named that address"


def test_an_address_of_a_proxy_is_one_of_a_page() -> None:
    assert front_address("https://example.org/label/") == "https://example.org/label"
    for text in ("example.org", "ftp://x", "https://", "http://[", "https://x/?a=1", "https://u@x"):
        with asks_for("address"):
            front_address(text)


def test_pages_need_no_token_and_cannot_be_written() -> None:
    bare = {TOKEN_HEADER.replace("-", "_"): None, "origin": None}
    assert ask("GET", "/label.js", **bare)[0] == 200
    assert ask("GET", "/api/state", **bare)[0] == 403
    assert ask("POST", "/label.js")[0] == 403


def test_every_reply_has_the_headers_and_no_script_may_be_inline() -> None:
    _, _, headers = ask()
    assert {
        name.encode(): value.encode() for name, value in HEADERS.items()
    }.items() <= headers.items()
    assert "unsafe" not in HEADERS["content-security-policy"]


def test_a_body_without_end_is_cut() -> None:
    part = b"x" * (LARGEST_BODY // 2)
    assert ask(parts=(part, part, part))[1] == f"ann {2 * len(part)}"


def test_a_port_that_is_taken_is_named() -> None:
    listener = open_socket("127.0.0.1", 0)
    port = listener.getsockname()[1]
    try:
        with asks_for("port", "host"):
            open_socket("127.0.0.1", port)
    finally:
        listener.close()


def test_local_addresses() -> None:
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert is_local("localhost")
    assert not is_local("0.0.0.0")
    assert not is_local("example.org")


def test_only_files_of_the_pages_are_read() -> None:
    assert read_asset("sqlverdict.label.page", "label.js")
    for name in ("../session.py", "__init__.py", "label", "no.js", "label.js/", "..", "a/b.js"):
        assert read_asset("sqlverdict.label.page", name) is None


def test_one_file_holds_everything_and_its_policy_names_each_script() -> None:
    data = b'{"text": "</script><script>alert(1)</script>"}'
    html = one_file("sqlverdict.label.page", "label.html", {}, data)
    assert " src=" not in html
    assert "<link" not in html
    assert "</script><script>alert" not in html
    assert html.count("'sha256-") == html.count("<script>") + html.count("<style>")

"""Where calls go and what key goes with them, told from the base URL alone."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from judge_asking import question

from sqlverdict.errors import UsageError
from sqlverdict.llm.http.endpoint import Endpoint

AZURE = "https://name.openai.azure.com"


@pytest.mark.parametrize(
    ("base", "chat", "batches", "variable", "header"),
    [
        (
            "https://api.openai.com/v1/",
            "https://api.openai.com/v1/chat/completions",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            "Authorization",
        ),
        (
            "https://api.openai.com",
            "https://api.openai.com/v1/chat/completions",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            "Authorization",
        ),
        (
            "https://api.together.xyz/v1",
            "https://api.together.xyz/v1/chat/completions",
            "https://api.together.xyz/v1",
            "TOGETHER_API_KEY",
            "Authorization",
        ),
        (
            f"{AZURE}/openai/v1/",
            f"{AZURE}/openai/v1/chat/completions",
            f"{AZURE}/openai/v1",
            "AZURE_OPENAI_API_KEY",
            "api-key",
        ),
        (
            AZURE,
            f"{AZURE}/openai/v1/chat/completions",
            f"{AZURE}/openai/v1",
            "AZURE_OPENAI_API_KEY",
            "api-key",
        ),
        (
            f"{AZURE}?api-version=2024-10-21",
            f"{AZURE}/openai/deployments/my%20model/chat/completions",
            f"{AZURE}/openai",
            "AZURE_OPENAI_API_KEY",
            "api-key",
        ),
        (
            f"{AZURE}/openai/deployments/dep/chat/completions?api-version=2024-10-21",
            f"{AZURE}/openai/deployments/dep/chat/completions",
            f"{AZURE}/openai",
            "AZURE_OPENAI_API_KEY",
            "api-key",
        ),
        (
            "http://localhost:11434",
            "http://localhost:11434/v1/chat/completions",
            "http://localhost:11434/v1",
            "",
            "",
        ),
        (
            "http://[::1]:8000/v1",
            "http://[::1]:8000/v1/chat/completions",
            "http://[::1]:8000/v1",
            "",
            "",
        ),
    ],
)
def test_the_base_url_says_it_all(
    monkeypatch: pytest.MonkeyPatch, base: str, chat: str, batches: str, variable: str, header: str
) -> None:
    for name in ("OPENAI_API_KEY", "TOGETHER_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.setenv(name, f"value-of-{name}")
    local = Endpoint(base, "my model")
    for endpoint in (local, replace(local, timeout=1.0), pickle.loads(pickle.dumps(local))):
        assert endpoint.chat("my model") == chat
        assert endpoint.root == batches
        assert endpoint.key_variable == variable
        sent = endpoint.all_headers()
        carrying = {name for name, value in sent.items() if "value-of" in value}
        assert carrying == ({header} if header else set())
        assert endpoint.query == ({"api-version": "2024-10-21"} if "api-version" in base else {})
        if header == "Authorization":
            assert sent[header] == f"Bearer value-of-{variable}"


def test_a_key_goes_over_plain_http_only_where_its_variable_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-mine")
    quiet = Endpoint("http://10.0.0.5:8000/v1", "m")
    endpoint = Endpoint("http://10.0.0.5:8000/v1", "m", key_variable="OPENAI_API_KEY")
    assert "a-key-of-mine" not in str(quiet.all_headers())
    assert endpoint.all_headers()["Authorization"] == "Bearer a-key-of-mine"
    assert "named" in quiet.about_the_key()
    assert endpoint.about_the_key() == "the key is read from OPENAI_API_KEY, which is set"


def test_a_header_of_another_name_can_carry_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE", "a-key-of-mine")
    gate = Endpoint("https://gate.example/v1", "m", key_variable="GATE", key_header="X-Gate")
    assert gate.all_headers()["X-Gate"] == "a-key-of-mine"
    assert "Authorization" not in gate.all_headers()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "api.openai.com/v1"}, "no scheme or host"),
        ({"base_url": "ftp://x/v1"}, "no scheme or host"),
        ({"base_url": "http://[::1/v1"}, "cannot be read"),
        ({"base_url": "http://x:99999/v1"}, "cannot be read"),
        ({"base_url": "https://user:hidden-word@x/v1"}, "environment only"),
        ({"base_url": "https://x/v1?api_key=hidden-word"}, "environment only"),
        ({"base_url": "https://x/v1", "headers": {"Authorization": "hidden-word"}}, "environment"),
        ({"base_url": "https://x/v1", "headers": {"X-Api-Key": "hidden-word"}}, "environment"),
        ({"base_url": "https://x/v1", "query": {"access_token": "hidden-word"}}, "environment"),
        ({"base_url": f"{AZURE}/openai/deployments/d"}, "api-version"),
        ({"base_url": "https://x/v1", "concurrency": 0}, "concurrency is 0"),
        ({"base_url": "https://x/v1", "retries": -1}, "retries is -1"),
        ({"base_url": "https://x/v1", "max_per_minute": 0}, "max_per_minute is 0"),
    ],
)
def test_what_cannot_work_is_refused_without_showing_secrets(
    settings: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError, match=words) as result:
        Endpoint(model="m", **settings)  # type: ignore[arg-type]
    assert "hidden-word" not in str(result.value)


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk-caf\N{LATIN SMALL LETTER E WITH ACUTE}"])
def test_a_key_that_no_header_carries_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as result:
        Endpoint("https://api.openai.com/v1", "m").all_headers()
    assert "sk-" not in str(result.value)


def test_space_around_a_key_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " a-key-of-mine\n")
    assert Endpoint("https://api.openai.com/v1", "m").key() == "a-key-of-mine"


def test_local_servers_are_known_as_such() -> None:
    local = {
        url: Endpoint(url, "m").local
        for url in ("http://localhost:1", "http://127.0.0.9:1", "http://[::1]:1", "http://10.0.0.1")
    }
    assert list(local.values()) == [True, True, True, False]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://API.example.com/v1", "https://api.example.com:443/v1/"),
        ("http://localhost:80", "http://localhost/v1/chat/completions"),
        ("https://api.example.com/v1?code=one-secret", "https://api.example.com/v1?code=other"),
    ],
)
def test_one_server_has_one_address_however_it_is_written(one: str, other: str) -> None:
    first, second = Endpoint(one, "m"), Endpoint(other, "m")
    assert first.server == second.server
    assert first.address(question()) == second.address(question())


@pytest.mark.parametrize(
    "other",
    [
        "https://api.example.org/v1",
        "http://api.example.com/v1",
        "https://api.example.com:8443/v1",
        "https://api.example.com/v2",
        "https://api.example.com/v1?api-version=2",
    ],
)
def test_another_server_has_another_address(other: str) -> None:
    here = Endpoint("https://api.example.com/v1", "m")
    assert here.address(question()) != Endpoint(other, "m").address(question())


@pytest.mark.parametrize(
    "url",
    [
        "https://fn.example.com/v1?code=SECRETSECRET",
        "https://fn.example.com/v1?api-version=1&sig=SECRETSECRET",
        "user:SECRETSECRET@fn.example.com/v1",
        "https://user:SECRETSECRET@fn.example.com/v1",
        "fn.example.com/v1?code=SECRETSECRET",
        "https://fn.example.com:SECRETSECRET/v1",
        "https://[SECRETSECRET/v1",
    ],
)
def test_what_may_be_secret_in_a_base_url_is_not_shown(url: str) -> None:
    try:
        there = Endpoint(url, "m")
    except UsageError as refusal:
        assert "SECRETSECRET" not in str(refusal)  # noqa: PT017
        return
    for text in (repr(there), str(there), there.server, there.base_url, there.scrub(f"GET {url}")):
        assert "SECRETSECRET" not in text
    assert "SECRETSECRET" in there.query.values()

"""A real model server for the whole session, and a cache of replies for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlverdict.llm.cache import ReplyCache
from tiny_llm import LlmServer, make_tiny_gguf, serve_gguf


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of half a megabyte with random weights."""
    return make_tiny_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="session")
def llm(tiny_gguf: Path) -> Iterator[LlmServer]:
    """llama.cpp, serving that model on loopback."""
    with serve_gguf(tiny_gguf) as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    """An empty cache of replies."""
    replies = ReplyCache(tmp_path / "replies.sqlite")
    yield replies
    replies.close()

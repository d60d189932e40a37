"""The server's side of batches: files up and down, batches begun, found again and looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlverdict.llm.batch.store import Batch, save_batch
from sqlverdict.llm.cache import ReplyCache
from sqlverdict.llm.http.endpoint import Endpoint
from sqlverdict.llm.http.faults import CallFailed
from sqlverdict.llm.http.transport import Transport
from sqlverdict.llm.http.wire import Malformed, decode, encode

_TAG = "sqlverdict"
_LARGEST_OUTPUT = 4 * 2**30
_FOR_FILES = 1800.0


def open_transport(endpoint: Endpoint) -> Transport:
    """A transport with time enough for large files."""
    return Transport(replace(endpoint, timeout=max(endpoint.timeout, _FOR_FILES)))


def chat_path(endpoint: Endpoint) -> str:
    """What a batch's requests are for; Azure names it without a version."""
    return "/chat/completions" if endpoint.azure else "/v1/chat/completions"


def state_of(transport: Transport, batch: Batch) -> dict[str, Any]:
    """What the server says about a batch."""
    return _json(transport, "GET", f"/batches/{batch.batch_id}")


def start_batch(transport: Transport, cache: ReplyCache, batch: Batch) -> Batch:
    """Bring a batch to ``running``, from wherever it was left; to ``done`` if its file is gone."""
    if batch.state == "written":
        if not batch.file.exists():
            # It was never sent, so nothing is lost by giving it up.
            message = f"the file {batch.file} is gone; its requests may be asked again"
            return save_batch(cache, replace(batch, state="done", message=message))
        with batch.file.open("rb") as file:
            answer = _json(
                transport,
                "POST",
                "/files",
                data={"purpose": "batch"},
                files={"file": (batch.file.name, file, "application/jsonl")},
                rewind=file,
            )
        batch = replace(batch, state="uploaded", file_id=_id(transport, answer))
        save_batch(cache, batch)
        batch_id = None
    else:
        # Its creation may have been interrupted after the server had begun.
        batch_id = _find(transport, batch)
    return save_batch(
        cache, replace(batch, state="running", batch_id=batch_id or _create(transport, batch))
    )


def _create(transport: Transport, batch: Batch) -> str:
    """Start the batch at the server; a failure may hide a success, so look before repeating."""
    endpoint = transport.endpoint
    content = encode(
        {
            "input_file_id": batch.file_id,
            "endpoint": chat_path(endpoint),
            "completion_window": "24h",
            "metadata": {_TAG: batch.name},
        }
    )

    def once() -> str:
        try:
            exchange = transport.send("POST", f"{endpoint.root}/batches", content=content)
            return _id(transport, _decoded(transport, exchange.body))
        except CallFailed as error:
            if not error.again:
                raise
            batch_id = _find(transport, batch)
            if batch_id is None:
                raise
            return batch_id

    return transport.repeat(once)


def _find(transport: Transport, batch: Batch) -> str | None:
    """The server's name for a batch of ours, should it have one."""
    answer = _json(transport, "GET", "/batches", params={"limit": "100"})
    for each in answer.get("data") or ():
        if isinstance(each, dict) and (each.get("metadata") or {}).get(_TAG) == batch.name:
            return _id(transport, each)
    return None


def download(transport: Transport, file_id: str, path: Path) -> None:
    """Bring one of the server's files here."""
    url = f"{transport.endpoint.root}/files/{file_id}/content"

    def once() -> None:
        with path.open("wb") as file:
            transport.send("GET", url, sink=file.write, limit=_LARGEST_OUTPUT)

    transport.repeat(once)


def _json(
    transport: Transport, method: str, path: str, rewind: Any = None, **sent: Any
) -> dict[str, Any]:
    def once() -> dict[str, Any]:
        if rewind is not None:
            rewind.seek(0)
        exchange = transport.send(method, transport.endpoint.root + path, **sent)
        return _decoded(transport, exchange.body)

    return transport.repeat(once)


def _decoded(transport: Transport, body: bytes) -> dict[str, Any]:
    where = transport.endpoint.base_url
    try:
        answer = decode(body)
    except Malformed as error:
        raise CallFailed(f"{where} sent {error}", again=True) from None
    if not isinstance(answer, dict):
        raise CallFailed(f"{where} sent a JSON {type(answer).__name__}", again=True)
    return answer


def _id(transport: Transport, answer: dict[str, Any]) -> str:
    if not isinstance(answer.get("id"), str):
        raise CallFailed(
            f"{transport.endpoint.base_url} gave no id; expected the Batch API", again=False
        )
    return str(answer["id"])

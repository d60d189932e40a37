"""A server with the Batch API, small: files, batches, and as many faults as it is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, completion


class BatchApi:
    """Answers calls as OpenAI's ``/files`` and ``/batches`` do.

    ``status`` is what every batch is said to be; ``fault`` may answer a call in its place;
    ``outcome`` makes the output line of one input line.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.status = "completed"
        self.fault: Callable[[FakeCall], FakeAnswer | None] = lambda call: None
        self.after: Callable[[FakeCall], FakeAnswer | None] = lambda call: None
        self.outcome: Callable[[dict[str, Any]], dict[str, Any] | None] = good

    def __call__(self, call: FakeCall) -> FakeAnswer:
        broken = self.fault(call)
        if broken is not None:
            return broken
        done = self.handle(call)
        return self.after(call) or done

    def handle(self, call: FakeCall) -> FakeAnswer:
        parts = call.path.removeprefix("/v1/").split("/")
        match call.method, parts:
            case "POST", ["files"]:
                return self.upload(call)
            case "POST", ["batches"]:
                return self.create(call.json())
            case "GET", ["batches"]:
                return FakeAnswer({"data": [self.describe(name) for name in self.batches]})
            case "GET", ["batches", name]:
                return FakeAnswer(self.describe(name))
            case "GET", ["files", name, "content"]:
                return FakeAnswer(self.files[name])
        return FakeAnswer({"error": {"message": "no such path"}}, status=404)

    def upload(self, call: FakeCall) -> FakeAnswer:
        boundary = call.headers["content-type"].partition("boundary=")[2].encode()
        parts = call.body.split(b"--" + boundary)
        fields = {
            head.partition(b'name="')[2].partition(b'"')[0]: data.removesuffix(b"\r\n")
            for head, _, data in (part.partition(b"\r\n\r\n") for part in parts[1:-1])
        }
        assert fields[b"purpose"] == b"batch"
        name = f"file-{len(self.files)}"
        self.files[name] = fields[b"file"]
        return FakeAnswer({"id": name, "object": "file"})

    def create(self, request: dict[str, Any]) -> FakeAnswer:
        assert request["completion_window"] == "24h"
        assert request["endpoint"] == "/v1/chat/completions"
        name = f"batch-{len(self.batches)}"
        self.batches[name] = request
        return FakeAnswer({"id": name, "status": "validating"})

    def describe(self, name: str) -> dict[str, Any]:
        request = self.batches[name]
        batch = {"id": name, "status": self.status, "metadata": request["metadata"]}
        if self.status in ("completed", "expired"):
            lines = [json.loads(line) for line in self.inputs(name)]
            outcomes = [self.outcome(line) for line in lines]
            output = "\n".join(json.dumps(line) for line in outcomes if line is not None)
            self.files[f"{name}-output"] = output.encode()
            batch["output_file_id"] = f"{name}-output"
        return batch

    def inputs(self, name: str) -> list[bytes]:
        return self.files[self.batches[name]["input_file_id"]].splitlines()


def good(line: dict[str, Any]) -> dict[str, Any]:
    text = line["body"]["messages"][-1]["content"]
    return {
        "custom_id": line["custom_id"],
        "response": {"status_code": 200, "body": completion(f"you said: {text}")},
        "error": None,
    }

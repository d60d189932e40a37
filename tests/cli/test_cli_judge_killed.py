"""``evaluate`` with a judge, killed in the middle: the same command goes on from there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sqlverdict.testing.fake_llm import FakeAnswer, FakeCall, FakeLlm, completion
from timeouts import HANG_SECONDS, wait_until

RIGHT = 'It does.\n```json\n{"correct": true}\n```'


def many(tmp_path: Path, count: int) -> Path:
    """Cases that each need a call: differences without a relation."""
    path = tmp_path / "many.jsonl"
    lines = []
    for number in range(count):
        table = {"gold_exec_text": "| 1 |\nshape=(1, 1)", "pred_exec_text": "| 7 |\nshape=(1, 1)"}
        queries = {"gold_sql": "SELECT 1", "pred_sql": f"SELECT 7, {number}", "ex": 0}
        start = {"set": "NEQ", "i": number, "db_id": "shop", "question": f"Number {number}?"}
        lines.append(json.dumps({**start, **queries, **table}))
    path.write_text("\n".join(lines) + "\n")
    return path


def questions(server: FakeLlm) -> set[bytes]:
    """The different requests that arrived whole; a kill may cut one off while it is sent."""
    return {call.body for call in server.calls if call.whole}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_killed_in_the_middle_nothing_is_lost_and_nothing_paid_twice(tmp_path: Path) -> None:
    count, at_once = 60, 4

    killed = threading.Event()

    def answer(call: FakeCall) -> FakeAnswer:
        if call.number > 2 * count // 3:
            killed.wait(HANG_SECONDS)
        return FakeAnswer(completion(RIGHT))

    with FakeLlm(answer) as server:
        root = many(tmp_path, count)
        where = ["--out", tmp_path / "run", "--set", f"reply-cache={tmp_path / 'replies.sqlite'}"]
        judge = ["--model", "m", "--base-url", server.base_url, "--set", f"concurrency={at_once}"]
        command = ["evaluate", "--benchmark", "flex", "--root", root, "--metrics", "flex,verdict"]
        line = [sys.executable, "-c", "from sqlverdict.cli.main import main; main()"]
        line += [str(word) for word in (*command, *where, *judge, "--judge", "flex", "--quiet")]
        first = subprocess.Popen(line, stderr=subprocess.PIPE)
        assert wait_until(lambda: len(server.calls) >= count // 3)
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        killed.set()
        before = len(server.calls)
        assert before < count
        second = subprocess.run(
            line, capture_output=True, text=True, check=False, timeout=HANG_SECONDS
        )
        assert second.returncode == 0, second.stderr
        assert len(server.calls) <= count + at_once, "only what was in flight is asked again"
        assert len(questions(server)) == count
        assert len((tmp_path / "run" / "results.jsonl").read_text().splitlines()) == count
        third = subprocess.run(
            [*line, "--overwrite"],
            capture_output=True,
            text=True,
            check=False,
            timeout=HANG_SECONDS,
        )
        assert third.returncode == 0, third.stderr
        assert len(questions(server)) == count
        assert len(server.calls) <= count + at_once, "the replies are at hand"

"""The snippets of docs/rewards.md run."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import sys
from pathlib import Path
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import pytest

from sqlverdict.rl import nemo_gym

PAGE = Path(__file__).parents[2] / "docs" / "rewards.md"
GOLD = "SELECT name FROM t WHERE n > 1"


class Task:
    """As verifiers' class, which is written with the type of its data."""

    def __class_getitem__(cls, data: Any) -> type[Task]:
        return cls


def run(code: CodeType, names: dict[str, Any]) -> None:
    result = FunctionType(code, names)()
    if inspect.iscoroutine(result):
        asyncio.run(result)


def test_the_snippets_run(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "spider" / "database" / "concert_singer"
    folder.mkdir(parents=True)
    (folder / "concert_singer.sqlite").write_bytes(db.read_bytes())
    (tmp_path / "bird" / "databases").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for name in ("skyrl_gym", "skyrl_gym.envs", "skyrl_gym.envs.sql", "skyrl_gym.envs.sql.env"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, sys.modules[name])
    served: list[Any] = []
    monkeypatch.setattr(nemo_gym, "serve", lambda rewarder, port: served.append(rewarder))
    names: dict[str, Any] = {
        "__name__": "snippets",
        "gold": GOLD,
        "reply": f"```sql\n{GOLD}\n```",
        "dataset": [],
        "GRPOTrainer": lambda **settings: settings["reward_funcs"],
        "SqlData": object,
        "vf": SimpleNamespace(Task=Task, reward=lambda function: function),
    }
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 6
    for block in blocks:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        run(compile(block, str(PAGE), "exec", flags=flags), names)
    assert names["reward"].score == 1.0
    batch = {"gold": [GOLD], "db_id": ["concert_singer"]}
    assert names["trainer"](["?"], [GOLD], **batch) == [1.0]
    assert len(served) == 1

"""Outlines of runs as they were frozen in ``tests/corpus/runs``: one line per case."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "corpus" / "runs"
METRICS = ("ex", "esm", "etm", "proved", "witness_accuracy", "verdict")


def digest(value: object) -> str:
    """A short name for something long."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def outline(line: dict[str, Any]) -> dict[str, Any]:
    """What is compared of one line of a run log."""
    record: dict[str, Any] = {
        "id": line["id"],
        "verdict": line["verdict"],
        "scores": [line["scores"].get(metric) for metric in METRICS],
    }
    if "flex" in line["scores"]:
        record["flex"] = line["scores"]["flex"]
    for key in ("fault", "situation", "reasons"):
        if line.get(key):
            record[key] = line[key]
    for evidence in line["evidence"]:
        if evidence["type"] == "proved":
            record["proof"] = digest([evidence.get("form", ""), evidence.get("rules", [])])
        elif evidence["type"] == "refuted":
            grade = evidence.get("grade", "ungraded")
            record["witness"] = [grade, evidence["size"], digest(evidence.get("rows", {}))]
        elif evidence["type"] == "related" and "relations" in evidence:
            record["relations"] = [relation["kind"] for relation in evidence["relations"]]
        elif evidence["type"] == "signs":
            sides = [evidence.get(side, ()) for side in ("gold", "prediction")]
            record["signs"] = [each["name"] for side in sides for each in side]
    return record


def frozen(name: str) -> dict[str, dict[str, Any]]:
    """The outlines as they were written, by id."""
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    return {record["id"]: record for record in map(json.loads, lines)}

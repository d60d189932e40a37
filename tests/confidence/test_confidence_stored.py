"""Models in files: what was written comes back, and what is no model is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlverdict.confidence.counts import Count, LabelSet
from sqlverdict.confidence.model import Model
from sqlverdict.confidence.stored import built_in, read_label_model, write_label_model
from sqlverdict.errors import UsageError


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    file = tmp_path / "counts.json"
    own = Model(
        (LabelSet("ours", "by us", 4, "duckdb"),), {"match": {"ours": Count(3.0, 4.0, 2.0)}}, "ours"
    )
    for model in (built_in(), own, Model()):
        file.write_bytes(write_label_model(model))
        again = read_label_model(file)
        assert again == model
        assert again.expect("match") == model.expect("match")
        assert write_label_model(again) == write_label_model(model)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"schema": 1, "policies": {}}',
        '{"schema": 2, "sets": [], "cells": {}}',
        '{"schema": 3}',
        '{"schema": 3, "sets": [], "cells": {"fewer_columns": {"b": [1, 2, 2]}}}',
        '{"schema": 3, "sets": [], "cells": {"match": {"b": [3, 2, 1]}}}',
        '{"schema": 3, "sets": [], "cells": {"match": {"b": [1, 2, 3]}}}',
        '{"schema": 3, "sets": [], "cells": {"match": {"b": [1, 2]}}}',
        '{"schema": 3, "sets": [], "cells": {"match": {"b": ["x", 2, 1]}}}',
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "counts.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=file.name):
        read_label_model(file)
    with pytest.raises(UsageError, match=r"nothing\.json.*agree --calibrate"):
        read_label_model(tmp_path / "nothing.json")


def test_the_counts_are_json_that_a_person_can_read() -> None:
    stored = json.loads(write_label_model(built_in()))
    assert stored["schema"] == 3
    assert stored["sets"][0]["about"]
    assert stored["cells"]["difference"]["flex"] == [3.0, 40.0, 37.0]

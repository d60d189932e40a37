"""TrustSQL's tables 1, 4 and 5: how many questions, tables and columns there are, and how hard."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed, grid
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.printed import LEVELS, TYPES
from sqlverdict.parse.hardness import trustsql_hardness
from sqlverdict.parse.schemas.sqlite import read_sqlite

FOLDER = "trustsql"
SPIDER_TEST = "trustsql_spider_test.jsonl"
EHRSQL_TRAIN = "ehrsql2024_train_v1.0.jsonl"
EHRSQL_TEST = "trustsql_ehrsql_test.jsonl"
MIMIC = "mimic_iv_demo_partial.sqlite"
_EHRSQL = {
    "train": EHRSQL_TRAIN,
    "valid": "ehrsql2024_valid_v1.0.jsonl",
    "test": EHRSQL_TEST,
}
INFERRED_TYPES: Mapping[str, str] = {
    "surface": "column-surface",
    "related": "column-related",
    "unrelated": "column-unrelated",
    "non-sql": "non-sql",
    "out-of-domain": "ext-know",
}
"""The paper's types, and the types of the recovered file."""
TABLE_1: Printed = grid(
    """
    data set  ANS train  ANS valid  ANS test  UnANS  surface  related  unrelated  non-sql  out-of-domain
    Spider    7K         0.5K       0.5K      525    100      100      100        100      125
    ATIS      1K         0.5K       0.5K      476    93       98       94         99       92
    Advising  1.2K       0.5K       0.5K      533    102      107      110        110      104
    EHRSQL    4.7K       0.9K       0.9K      934    185      189      187        191      182
    """  # noqa: E501
)
TABLE_4: Printed = grid(
    """
    data set  tables  columns  samples
    Spider    818     4291     8034
    EHRSQL    17      113      10083
    """
)
TABLE_5: Printed = grid(
    """
    split         easy  medium  hard
    Spider train  3571  2410    1019
    Spider valid  264   175     68
    Spider test   280   156     91
    EHRSQL train  452   0       4222
    EHRSQL valid  114   0       817
    EHRSQL test   122   0       812
    """
)


def records(data: PaperData, file: str) -> list[dict[str, Any]]:
    """The records of a JSONL file of TrustSQL's folder."""
    return [json.loads(line) for line in data.lines(FOLDER, file)]


def inferred_type(record: Mapping[str, Any]) -> str | None:
    """The type of an unanswerable question by the paper's name, as a reader inferred it."""
    names = {inferred: name for name, inferred in INFERRED_TYPES.items()}
    return names.get(str(record.get("unans_type_inferred")))


def size_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 1."""
    spider = _spider_golds(data)
    test = records(data, SPIDER_TEST)
    for part in ("train", "valid", "test"):
        yield _size("Spider", f"ANS {part}", len(spider[part]))
    strange = [record for record in test if not record["answerable"]]
    more = "the public file has two questions more than the paper counts"
    yield _size("Spider", "UnANS", len(strange), more)
    types = Counter(map(inferred_type, strange))
    for kind in TYPES:
        yield _size("Spider", kind, types[kind], "types were inferred by reading, not published")
    ehrsql = _ehrsql_golds(data)
    for part, golds in ehrsql.items():
        yield _size("EHRSQL", f"ANS {part}", len(golds))
    others = [record for record in records(data, EHRSQL_TEST) if not record["answerable"]]
    yield _size("EHRSQL", "UnANS", len(others))


def schema_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 4."""
    train, dev = (_json(data, f"{name}.json") for name in ("train_spider", "dev"))
    used = {item["db_id"] for item in (*train, *dev)}
    schemas = [schema for schema in _json(data, "tables.json") if schema["db_id"] in used]
    yield _size("Spider", "tables", sum(len(one["table_names"]) for one in schemas))
    # The first column of each database is "*".
    yield _size("Spider", "columns", sum(len(one["column_names"]) - 1 for one in schemas))
    yield _size("Spider", "samples", len(train) + len(dev))
    tables = read_sqlite(data.path(FOLDER, MIMIC), "mimic_iv").tables
    later = "the shared task's database; which tables the paper leaves out is not known"
    yield _size("EHRSQL", "tables", len(tables), later)
    yield _size("EHRSQL", "columns", sum(len(table.columns) for table in tables), later)
    golds = sum(map(len, _ehrsql_golds(data).values()))
    yield _size("EHRSQL", "samples", golds, "TrustSQL's part alone, as the paper says below it")


def hardness_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 5."""
    by_text = "the paper counts by the query's text: the word join, or a comma behind from"
    for name, parts in (("Spider", _spider_golds(data)), ("EHRSQL", _ehrsql_golds(data))):
        for part, golds in parts.items():
            data.tell(f"hardness of {len(golds):,} queries of {name} {part}")
            levels = Counter(str(trustsql_hardness(gold)) for gold in golds)
            for level in LEVELS:
                yield PaperCell(f"{name} {part}", level, levels[level], "", len(golds), by_text)


def _size(row: str, column: str, number: int, reason: str = "") -> PaperCell:
    return PaperCell(row, column, number, n=number, reason=reason)


def _json(data: PaperData, file: str) -> Any:
    return json.loads(data.path("spider", file).read_text(encoding="utf-8"))


def _spider_golds(data: PaperData) -> dict[str, list[str]]:
    """The golds of Spider's parts: TrustSQL halves the development set by database."""
    test = records(data, SPIDER_TEST)
    databases = {record["db_id"] for record in test if record["answerable"]}
    dev = _json(data, "dev.json")
    return {
        "train": _queries(_json(data, "train_spider.json")),
        "valid": _queries([item for item in dev if item["db_id"] not in databases]),
        "test": _queries([item for item in dev if item["db_id"] in databases]),
    }


def _queries(items: Sequence[Mapping[str, Any]]) -> list[str]:
    return [item["query"] for item in items]


def _ehrsql_golds(data: PaperData) -> dict[str, list[str]]:
    return {
        part: [record["gold_sql"] for record in records(data, file) if record["answerable"]]
        for part, file in _EHRSQL.items()
    }

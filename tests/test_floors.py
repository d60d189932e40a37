"""The house keeps its floors: who may import whom, no circles, no giants, no stray prints.

Floors, ground first. A module imports its own folder and floors below; on its own floor other
folders too, as long as the folders make no circle. It counts where an import stands nowhere:
inside a function or for types alone it is held to the same.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from source_imports import (
    KINDS,
    MODULES,
    Import,
    Kind,
    circle,
    every_import,
    imports,
    module_circles,
)
from source_trees import source_files, source_nodes

FLOORS = (
    {
        "reasons",
        "evidence_parts",
        "evidence",
        "case_parts",
        "records",
        "dialects",
        "dialect_words",
        "errors",
        "error_reasons",
        "exact_number",
        "patterns",
        "registry",
        "situations",
    },
    {"files"},
    {"parse", "confidence", "account"},
    {"llm", "web"},
    {"load", "execute", "compare", "prove", "judge", "score", "runlog", "estimate"},
    {"find_situation", "harmless", "verdicts"},
    {"refute", "signs", "abstain", "run"},
    {"report"},
    {"audit", "pipeline", "api"},
    {"integrations", "rl", "label", "view", "papers"},
    {"cli", "__main__"},
)
FLOOR = {stage: number for number, stages in enumerate(FLOORS) for stage in stages}
FLOOR |= dict.fromkeys(("testing", ""), len(FLOORS) - 1.5)  # type: ignore[arg-type]
"""``testing`` and the package's front door see everything below ``cli``."""

DEFERRED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "prove",
        (
            *("abstain.benchmark.meaning", "abstain.detectors.voting", "api.calls"),
            *("prove.differing_clauses", "prove.resolve.text"),
            *("run.contradictions", "run.prove_stage"),
        ),
        "the prover loads sqlglot and all of its rules",
    ),
    (
        "refute",
        (
            *("api.calls", "refute.data.grade", "refute.explain.evidence"),
            *("refute.explain.sentence", "refute.sources", "refute.witness_text"),
            *("run.contradictions", "run.judging.brief_parts", "run.plan", "run.refute_stage"),
            *("run.refuter", "signs.sign"),
        ),
        "a search loads sqlglot and all strategies",
    ),
    (
        "parse.qualified",
        ("compare.tags", "run.inputs", "run.signs_stage", "signs.look", "signs.sign"),
        "it loads sqlglot, as parse.query does",
    ),
    (
        "parse.query",
        (
            *("compare.order", "compare.related.constants", "compare.related.question_columns"),
            *("compare.tags", "run.inputs", "run.pool.worker_pool", "signs.look"),
        ),
        "most comparisons read tokens alone, without the parser",
    ),
    (
        "compare.tags",
        ("report.one_run.case", "run"),
        "tags load the parser; only differences have any",
    ),
    (
        "run.prove_stage",
        ("run.scoring", "run.stages"),
        "runs without proofs load none of what a proof is",
    ),
    ("prove.evidence", ("run.stages",), "runs without proofs load none of what a proof is"),
    ("run.signs_stage", ("run.stages",), "runs that do not explain look for no signs"),
    ("load.descriptions", ("run.task",), "only runs with a judge read what columns mean"),
    ("signs.mend", ("run",), "it loads sqlglot; few golds have a sign"),
    ("label.spelling.tree", ("label",), "it loads sqlglot; a start without a page needs none"),
    (
        "judge",
        ("cli.options.judge", "run.contradictions", "run.judging.asking"),
        "only runs with a judge load it",
    ),
    (
        "run.judging",
        ("cli.options.judge", "run.examine", "run.plan", "run.pool.coordinate"),
        "only runs with a judge load it",
    ),
    ("llm", ("cli",), "only commands that call a model load the client"),
    (
        "report",
        (
            *("api.golds", "api.pair_result", "api.whole_run", "cli.commands.runs.evaluate"),
            *("cli.commands.runs.table", "cli.show_run", "report.files", "report.html.build"),
        ),
        "who asks for no report, page or comparison need not wait for it",
    ),
    ("view", ("cli",), "the extra web"),
    ("label.app", ("cli",), "the extra web"),
    ("run.pool.ray_pool", ("run",), "the extra ray"),
    ("execute.engines.duckdb", ("execute.engines.duckdb",), "the extra duckdb"),
    ("execute.engines.sqlite", ("execute.engines.sqlite",), "only a search makes instances"),
    ("execute.engines.postgres", ("execute.engines.postgres",), "the extra postgres"),
    ("execute.reversed_copy", ("run.contradictions",), "contradictions are rare"),
    (
        "cli",
        ("cli",),
        "a command loads its own part: --help loads none, most errors load no command",
    ),
    ("errors", ("cli.main",), "--help loads nothing"),
    (
        "api.scorer",
        ("integrations.pytest_plugin",),
        "every run of pytest loads the plug-in",
    ),
    ("estimate", ("runlog",), "only who asks for the accuracy by labels needs them"),
    ("load.people", ("runlog",), "only who asks for the accuracy by labels needs them"),
    ("api.calls", ("cli.label_panel",), "most labels are of the run's own predictions"),
    ("files.atomic", ("integrations.pytest_plugin",), "every run of pytest loads the plug-in"),
    (
        "integrations.common",
        ("integrations.pytest_plugin",),
        "every run of pytest loads the plug-in",
    ),
)
"""What is imported inside functions: the module or folder, by which ones, and why."""

SEES_PIPELINE = {"api", "cli", "audit", "papers", "testing", ""}
LINES = 400
REPOSITORY = Path(__file__).resolve().parent.parent
PARTS = ("src", "tests", "bench", "docs", "examples")


def stage(module: str) -> str:
    return module.partition(".")[0]


def nodes_of(module: str) -> list[ast.AST]:
    return source_nodes()[MODULES[module]]


def lines_of(module: str) -> list[str]:
    return source_files()[MODULES[module]].read_text("utf-8").splitlines()


def by_of(each: Import) -> tuple[str, str]:
    by = "" if each.by == "__init__" else stage(each.by)
    return by, stage(each.of)


def test_the_reader_of_imports_sees_them() -> None:
    tree = ast.parse(
        "from sqlverdict.records import Case\n"
        "from sqlverdict import __version__\n"
        "import sqlverdict.load.spider\n"
        "import os\n"
        "def f():\n    from sqlverdict.parse import query\n"
        "class A:\n    from sqlverdict import errors\n"
        "if f():\n    pass\nelse:\n    import sqlverdict.files\n"
        "try:\n    pass\nexcept OSError:\n    import sqlverdict.llm\n"
        "finally:\n    import sqlverdict.run\n"
        "match f():\n    case 1:\n        import sqlverdict.signs\n"
        "if TYPE_CHECKING:\n    import sqlverdict.cli\n"
        "with f():\n    import sqlverdict.audit\n"
    )
    results = [(each.of, each.kind) for each in imports("run.inputs", tree)]
    assert results == [
        ("records", "top"),
        ("load.spider", "top"),
        ("parse.query", "function"),
        ("errors", "top"),
        ("files", "top"),
        ("run", "top"),
        ("llm", "top"),
        ("signs", "top"),
        ("cli", "typing"),
        ("audit", "top"),
    ]
    assert len(every_import()) > 300


def test_every_folder_has_a_floor() -> None:
    assert {stage(name) for name in MODULES} <= set(FLOOR)


def test_nobody_imports_from_a_floor_above() -> None:
    wrong = [str(each) for each in every_import() if FLOOR[by_of(each)[0]] < FLOOR[by_of(each)[1]]]
    assert wrong == []


def test_in_a_run_the_pool_stands_above_the_way_of_a_case() -> None:
    """Whoever examines a case does not know which process it is in."""
    of_pool = [each for each in every_import() if is_within(each.of, "run.pool")]
    from_run = [each for each in of_pool if is_within(each.by, "run")]
    assert [str(each) for each in from_run if not is_within(each.by, "run.pool")] == []


def test_judges_and_abstention_methods_do_not_know_each_other() -> None:
    """What both use of language models is in ``llm``."""
    pairs = {("judge", "abstain"), ("abstain", "judge")}
    assert [str(each) for each in every_import() if by_of(each) in pairs] == []


def test_only_the_top_sees_the_pipeline_and_nobody_the_command_line() -> None:
    wrong = [
        str(each)
        for each in every_import()
        for by, of in [by_of(each)]
        if (of == "pipeline" and by not in SEES_PIPELINE)
        or (of == "cli" and by not in ("cli", "__main__"))
    ]
    assert wrong == []


def test_the_search_for_circles_finds_one() -> None:
    assert circle(iter([("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])) != []
    assert circle(iter([("a", "b"), ("b", "c"), ("a", "c")])) == []


@pytest.mark.parametrize("kinds", [KINDS[:1], KINDS[:2], KINDS])
def test_modules_make_no_circle(kinds: tuple[Kind, ...]) -> None:
    """Neither by imports at the top, nor with those inside functions, nor with those for types."""
    assert module_circles(kinds) == []


def is_within(module: str, folder: str) -> bool:
    return folder in ("", module) or module.startswith(f"{folder}.")


def test_imports_stand_at_the_top_but_for_those_with_a_reason() -> None:
    allowed = {(of, by) for of, importers, _ in DEFERRED for by in importers}
    used = set()
    wrong = []
    for each in every_import():
        if each.kind != "function":
            continue
        edges = [
            edge for edge in allowed if is_within(each.of, edge[0]) and is_within(each.by, edge[1])
        ]
        used.update(edges)
        if not edges:
            wrong.append(str(each))
    assert wrong == [], "move them to the top of the file, or add them to DEFERRED"
    assert allowed - used == set()


def test_folders_make_no_circle() -> None:
    assert circle(by_of(each) for each in every_import()) == []


def test_no_file_is_a_giant() -> None:
    files = [path for part in PARTS for path in (REPOSITORY / part).rglob("*.py")]
    assert len(files) > len(MODULES)
    sizes = {str(path): len(path.read_text("utf-8").splitlines()) for path in files}
    giants = {name: lines for name, lines in sizes.items() if lines > LINES}
    assert giants == {}, f"split them by idea; {LINES} lines are allowed"


def test_only_the_command_line_and_reports_print() -> None:
    wrong = [
        f"{name}:{node.lineno}"
        for name in MODULES
        if stage(name) not in ("cli", "report")
        for node in nodes_of(name)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert wrong == []


def test_no_blind_except() -> None:
    """Bare, or of everything, unless the line says why it is a border."""
    wrong = []
    for name in MODULES:
        lines = lines_of(name)
        for node in nodes_of(name):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = "" if node.type is None else ast.unparse(node.type)
            blind = caught in ("", "Exception", "BaseException")
            raises = any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
            if blind and not raises and "BLE001 - " not in lines[node.lineno - 1]:
                wrong.append(f"{name}:{node.lineno}")
    assert wrong == []


def test_no_class_inherits_from_one_of_the_parser() -> None:
    """The compiled parser (the extra ``fast``) makes no object of such a class."""
    wrong = [
        f"{name}: {node.name}"
        for name, nodes in source_nodes().items()
        for parser in [_parser_names(nodes)]
        for node in nodes
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).split(".")[0] in parser for base in node.bases)
    ]
    assert wrong == []


def _parser_names(nodes: list[ast.AST]) -> set[str]:
    """What a file imports from sqlglot."""
    return {
        alias.asname or alias.name.split(".")[0]
        for node in nodes
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlglot"))
        or isinstance(node, ast.Import)
        for alias in node.names
        if isinstance(node, ast.ImportFrom) or alias.name.startswith("sqlglot")
    }

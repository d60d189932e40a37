"""The first part of ``rescored.md``: which ranking to trust, and what moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rescored_figures import BoardFigures, Ranking
from rescored_words import BOARDS, COLUMNS, short_name

from sqlverdict.files.markdown import markdown_table
from sqlverdict.records import Verdict
from sqlverdict.situations import Situation

_MOST = 3
"""More names than these are counted."""

_ADVICE = """\
**Trust a difference between two systems where a test tells them apart, and no finer order.** The
best systems mostly share the first rank, and their order within it may be chance. Which measure to
read depends on what you want to know ([definitions](#how-to-read-the-tables)):

- **To check a published number, read EX.** It is the official script's. It counts lucky matches as
  right, and it depends on the script's options.
- **To choose a system whose answers people will accept, read `intent`, under the best golds there
  are.** Each verdict has its evidence, and what evidence cannot settle is left to review. It
  accepts nearly every answer that matches on the data, as people do.
- **To know whose queries stay right on other data, or to train on a score, read `strict`.** A match
  that a few ordinary rows undo is wrong there. So may be a right query where the gold is wrong.
- **Under any measure, name the golds.** A handful of golds decides whether two systems share a
  rank."""


def trust(boards: Sequence[BoardFigures]) -> str:
    """Which ranking to trust, with a table of who is first by what."""
    rows = [row for board in boards for row in _rows(board)]
    header = ("board", "golds", "n", "EX", "verdict, `intent`", "verdict, `strict`")
    systems = sum(len(board.systems) for board in boards)
    return "\n\n".join(
        (
            "## Which ranking should you trust?",
            _ADVICE,
            f"Who shares the first rank, best first, of {systems} published prediction files on n "
            "questions. In brackets: how many pairs of systems are told apart, of all pairs. A "
            "pair is told apart by McNemar's exact test at 5 %, with Holm's correction for all "
            "pairs; a rank tests against the best of a group alone, so that a lower rank takes "
            "less. EX is by Spider's script with its default options, or by BIRD's.",
            markdown_table(header, rows, (2,)),
            _evidence(boards),
        )
    )


def _evidence(boards: Sequence[BoardFigures]) -> str:
    """How much of what ``intent`` calls right is proved, or has a witness against it."""
    parts = []
    for board in boards:
        golds = board.golds[0]
        right = sum(entry.right for entry in board.rank(golds, "intent").places)
        counts = sum((board.evidence(each, golds) for each in board.systems), Counter[str]())
        parts.append(
            f"on {BOARDS[board.name].short} {counts['proved'] / right:.0%} "
            f"({counts['proved']:,} of {right:,})"
        )
    return (
        "Of the answers that `intent` calls right, all systems together, these are proved equal to "
        f"the gold: {', '.join(parts)}. The rest match on the data or differ in what benchmarks "
        "do not compare; each board says how many of them a witness tells from the gold."
    )


def _rows(board: BoardFigures) -> Iterator[tuple[str, ...]]:
    words = BOARDS[board.name]
    for golds in board.golds:
        rankings = [board.rank(golds, measure) for measure in (board.metric, "intent", "strict")]
        n = f"{len(board.questions):,}"
        yield (words.short, words.golds[golds], n, *(_first(ranking) for ranking in rankings))


def _first(ranking: Ranking) -> str:
    names = [short_name(name) for name in ranking.first]
    rest = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    size = len(ranking.places)
    pairs = f"{ranking.pairs_apart} of {size * (size - 1) // 2}"
    return f"{', '.join(names[:_MOST])}{rest} ({pairs})"


def findings(boards: Sequence[BoardFigures]) -> str:
    """What moved and why, on the published facts; tests hold each sentence to them."""
    spider, bird, mini_dev = boards
    return "\n\n".join(
        ("## What moved, and why", _spider(spider), _bird(bird), _mini_dev(mini_dev))
    )


def _spider(board: BoardFigures) -> str:
    script, with_distinct = (board.rank("published", metric) for metric in board.metrics)
    strict = board.rank("published", "strict")
    counts = board.disagreements("published", board.metrics[0])
    lucky = counts[Situation.ORDINARY_WITNESS, Verdict.CORRECT]
    by_option = counts[Situation.DIFFERENCE, Verdict.CORRECT]
    proved = counts[Situation.PROVED, Verdict.INCORRECT]
    right = sum(entry.right for entry in script.places)
    falls = ", ".join(
        f"{short_name(entry.system)} {_share(script, entry.system)} to {entry.share * 100:.1f}"
        for entry in strict.places
    )
    return (
        f"**Spider: an option of the official script decides who is first.** With DISTINCT removed "
        f"it is {_leader(script)}, with DISTINCT kept {_leader(with_distinct)}, as by every "
        f"verdict. Either lead may be chance; all measures agree only that "
        f"{short_name(script.places[-1].system)} is behind. Of {right:,} answers that are right "
        f"by {COLUMNS[board.metrics[0]]}, {lucky} match by luck: a few ordinary rows tell them "
        f"from the gold. {by_option} are right only because DISTINCT was removed, and {proved} "
        f"that it calls wrong are proved equal to the gold. From EX to `strict`: {falls}."
    )


def _bird(board: BoardFigures) -> str:
    first, second = board.golds
    metric = board.metrics[0]
    before, after = board.rank(first, metric), board.rank(second, metric)
    known, untouched = (
        board.rank(first, "intent", board.facts["parts"][part]) for part in ("known", "untouched")
    )
    changed = len(board.facts["golds"][second])
    last = before.places[-1].system
    return (
        f"**BIRD: {changed} golds of {len(board.questions)} move a rank.** "
        f"By EX under the golds of {first} {short_name(last)} shares rank "
        f"{before.by_system[last].rank} with {short_name(before.places[0].system)}; with ties "
        f"mended it has rank {after.by_system[last].rank}, though no share moves by a point. "
        f"The test was near its limit, no more: of all pairs {before.pairs_apart} are told apart "
        f"under the first golds and {after.pairs_apart} under the second. By `intent`, on the "
        f"{known.places[0].n} questions of which it is known what BIRD did to them in 2025, "
        f"{_leader(known)} is first; on the {untouched.places[0].n} of these that BIRD left as "
        f"they were, {_leader(untouched)} is. These are too few to tell any two systems apart."
    )


def _mini_dev(board: BoardFigures) -> str:
    first, second = board.golds
    as_written, of_sql = (board.rank(first, metric) for metric in board.metrics)
    corrected, intent = board.rank(second, board.metrics[1]), board.rank(second, "intent")
    steps = {
        system: corrected.by_system[system].right - of_sql.by_system[system].right
        for system in board.systems
    }
    most = max(steps, key=lambda system: (steps[system], system))
    moves = sum(
        corrected.by_system[system].rank != of_sql.by_system[system].rank for system in steps
    )
    fences = max(
        board.systems,
        key=lambda system: of_sql.by_system[system].right - as_written.by_system[system].right,
    )
    changed, n = len(board.facts["golds"][second]), len(board.questions)
    return (
        f"**BIRD mini-dev: corrected golds change {moves} of {len(steps)} ranks.** Experts "
        f"replaced {changed} of {n} golds. EX rises for "
        f"{sum(step > 0 for step in steps.values())} of {len(steps)} systems, most for "
        f"{short_name(most)} (by {steps[most]} answers, to {_share(corrected, most)}). Most "
        f"ranks change because the border of a group moved. First by EX: "
        f"{_names(of_sql.first)} under the published golds, {_names(corrected.first)} under the "
        f"corrected ones; there by `intent`: {_names(intent.first)}. The largest step has nothing "
        f"to do with SQL: {short_name(fences)} has {_share(as_written, fences)} by the script, "
        f"which runs code fences as if they were SQL, and {_share(of_sql, fences)} once the SQL "
        "is taken out of its replies."
    )


def _names(systems: Sequence[str]) -> str:
    names = [short_name(system) for system in systems]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _share(ranking: Ranking, system: str) -> str:
    return f"{ranking.by_system[system].share * 100:.1f}"


def _leader(ranking: Ranking) -> str:
    best, second = ranking.places[:2]
    return (
        f"{short_name(best.system)} ({best.share * 100:.1f} for {short_name(second.system)}'s "
        f"{second.share * 100:.1f})"
    )

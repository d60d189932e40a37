"""Other names of metrics: what papers and other tools call them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

ALIASES: Mapping[str, tuple[str, str]] = {
    "acc": ("ex", ""),
    "em": ("esm", "EM is exact set match, as in papers on Spider; text_match compares texts"),
    "exact_match": ("esm", "exact match compares clauses, as Spider's does; text_match texts"),
    "exact_matching": ("esm", ""),
    "exact_set_match": ("esm", ""),
    "exec": ("ex", ""),
    "exec_acc": ("ex", ""),
    "execution": ("ex", ""),
    "execution_accuracy": ("ex", ""),
    "f1": ("soft_f1", ""),
    "logical_form": ("text_match", ""),
    "lf": ("text_match", ""),
    "string_match": ("text_match", ""),
    "test_suite": ("ts", ""),
    "test_suite_accuracy": ("ts", ""),
}
"""The metric that a name stands for, and what should be said about it where it may mislead."""


def metric_by_alias(name: str) -> tuple[str, str]:
    """The metric of a name in any case, and a note where it is not its own name.

    A name that is no alias is returned as it is, in small letters.
    """
    plain = name.lower().replace("-", "_")
    if plain not in ALIASES:
        return plain, ""
    metric, more = ALIASES[plain]
    return metric, f"metric {name!r} is read as {metric!r}" + (f": {more}" if more else "")


def label_by_alias(label_name: str, labels: Collection[str]) -> tuple[str, str]:
    """The one of a run's labels that a user means, and a note where it has another name.

    ``em`` means ``esm``, and ``EX[Bird]`` means ``ex[bird]``. A name that means none of the
    labels is returned as it is.
    """
    if label_name in labels:
        return label_name, ""
    name, bracket, parameter = label_name.strip().partition("[")
    metric, note = metric_by_alias(name)
    label = f"{metric}{bracket}{parameter.lower()}"
    return (label, note) if label in labels else (label_name, "")

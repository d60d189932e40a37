"""An extension of griffe, which reads the code for the API page: roles become links.

A role such as ``:class:`Scorer``` leads to the entry of that name. Where the page has no such
entry, the name is shown as code.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.append(str(Path(__file__).parent))  # griffe loads this file by its path
from docstrings import ROLE


class Roles(griffe.Extension):
    """Replaces the roles in every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace the roles in the docstring of one function, class, attribute or module."""
        if obj.docstring is not None:
            obj.docstring.value = ROLE.sub(lambda match: link(obj, match[1]), obj.docstring.value)


def link(obj: griffe.Object, name: str) -> str:
    """A link to an object by the name that it has in the scope of another."""
    scope = obj if obj.is_class or obj.is_module else obj.parent or obj
    target = name
    if "." not in name:
        try:
            target = scope.resolve(name)
        except griffe.NameResolutionError:
            target = name
    label = name.rpartition(".")[2]
    return f'<autoref optional identifier="{target}"><code>{label}</code></autoref>'

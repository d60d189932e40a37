"""The options of the commands that list the members of a registry."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.cli.command import argument
from sqlverdict.cli.options.shared import json_option


@dataclass(frozen=True, kw_only=True)
class MemberArgs:
    """One member to explain, or none to list all."""

    name: str | None = argument(required=False)
    as_json: bool = json_option()

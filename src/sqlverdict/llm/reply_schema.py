"""Whether a reply fits its JSON schema, checked here: servers may ignore a schema silently.

A part of JSON Schema, the part that servers which do obey can all obey: ``type``, ``enum``,
``const``, ``anyOf``, ``properties``, ``required``, ``additionalProperties``, ``items`` and
bounds on numbers, lengths and counts. Any other keyword is refused before anything is sent,
since a check that skips half of a schema is no check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sqlverdict.errors import UsageError

_SILENT = {"$schema", "$id", "title", "description", "default", "examples", "format"}
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        not isinstance(value, bool)
        and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
    ),
}
_BOUNDS: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("number", lambda value, bound: value >= bound),
    "maximum": ("number", lambda value, bound: value <= bound),
    "exclusiveMinimum": ("number", lambda value, bound: value > bound),
    "exclusiveMaximum": ("number", lambda value, bound: value < bound),
    "minLength": ("string", lambda value, bound: len(value) >= bound),
    "maxLength": ("string", lambda value, bound: len(value) <= bound),
    "minItems": ("array", lambda value, bound: len(value) >= bound),
    "maxItems": ("array", lambda value, bound: len(value) <= bound),
}
_NESTED = {"type", "enum", "const", "anyOf", "properties", "required", "items"}
_KNOWN = _SILENT | _NESTED | {"additionalProperties"} | set(_BOUNDS)


def check_schema(schema: Mapping[str, Any], where: str = "the schema") -> None:
    """Refuse a schema that could not be checked here.

    Raises:
        UsageError: a keyword or type is beyond the part described above.
    """
    unknown = sorted(set(schema) - _KNOWN)
    if unknown:
        raise UsageError(
            f"{where} uses {', '.join(unknown)}, which is not checked here; expected only "
            f"{', '.join(sorted(_KNOWN - _SILENT))}"
        )
    for name in _types(schema):
        if name not in _TYPES:
            raise UsageError(f"{where} has the type {name!r}; expected {', '.join(_TYPES)}")
    for name, inner in schema.get("properties", {}).items():
        check_schema(inner, f"{where}, property {name!r}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), Mapping):
            check_schema(schema[keyword], f"{where}, {keyword}")
    for inner in schema.get("anyOf", ()):
        check_schema(inner, f"{where}, anyOf")


def text_fits(text: str, schema: Mapping[str, Any]) -> bool:
    """Whether the text is JSON, nothing else, and of that schema."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
        return problem(value, schema) is None
    except (ValueError, RecursionError):
        return False


def problem(value: Any, schema: Mapping[str, Any], where: str = "$") -> str | None:
    """What does not fit, in words; ``None`` where all does."""
    types = _types(schema)
    if types and not any(_TYPES[name](value) for name in types):
        return f"{where} is not of type {' or '.join(types)}"
    if "const" in schema and not _same(value, schema["const"]):
        return f"{where} is not {schema['const']!r}"
    if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
        return f"{where} is none of {schema['enum']!r}"
    for keyword, (kind, holds) in _BOUNDS.items():
        if keyword in schema and _TYPES[kind](value) and not holds(value, schema[keyword]):
            return f"{where} breaks {keyword} {schema[keyword]}"
    options = schema.get("anyOf")
    if options and all(problem(value, each, where) is not None for each in options):
        return f"{where} fits none of the schemas in anyOf"
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return _first(
            problem(each, schema["items"], f"{where}[{number}]")
            for number, each in enumerate(value)
        )
    return _problem_in_object(value, schema, where) if isinstance(value, dict) else None


def strict(schema: Mapping[str, Any]) -> bool:
    """Whether OpenAI's strict mode takes it: every object closed, every property required."""
    if "object" in _types(schema):
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(
            schema.get("required", ())
        ) != set(properties):
            return False
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    if isinstance(schema.get("items"), Mapping):
        inner.append(schema["items"])
    return all(strict(each) for each in inner)


def _problem_in_object(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str | None:
    for name in schema.get("required", ()):
        if name not in value:
            return f"{where} has no {name!r}"
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, each in value.items():
        if name in properties:
            message = problem(each, properties[name], f"{where}.{name}")
        elif isinstance(others, Mapping):
            message = problem(each, others, f"{where}.{name}")
        else:
            message = None if others else f"{where} has an unexpected {name!r}"
        if message is not None:
            return message
    return None


def _types(schema: Mapping[str, Any]) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _same(left: Any, right: Any) -> bool:
    """Equal as JSON: Python's ``True == 1`` does not hold there."""
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _first(problems: Any) -> str | None:
    return next((each for each in problems if each is not None), None)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")

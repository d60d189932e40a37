"""What models and chat templates write around an answer: thoughts, tags, JSON, boxes, end marks.

Each function takes a reply and returns what is inside; ``None`` where the form is absent. All are
linear in the length of the text. docs/inputs.md lists the forms, each with an example.
"""

from __future__ import annotations

import json
import re

from sqlverdict.patterns import late_pattern

_TAGS = ("answer", "final_answer", "sql", "sql_query", "final_sql", "query", "solution")
_TAG = late_pattern(rf"[<\[](?P<close>/?)(?P<name>{'|'.join(_TAGS)})[ \t]{{0,8}}+[>\]]", re.I)
_KEYS = ("sql", "final_sql", "sql_query", "query", "answer", "final_answer", "solution")
_OBJECT = re.compile(r"\{\s{0,40}+\"")
BOX = "\\boxed{"
"""What opens a box."""
_BRACE = re.compile(r"\\boxed\{|[{}]")
_TEXT = re.compile(r"\s*+\\text(?:tt|rm)?\{(?P<body>.*)\}\s*+", re.S)
_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.I)
_OPEN_THOUGHT = re.compile(r"\s*+<(?P<name>think|thinking|thought|reasoning)>", re.I)
END_MARK = (
    r"<(?:\|[\w-]{1,40}+\|>|/[A-Za-z][\w-]{0,40}+[ \t]{0,8}+>|\uff5c[^\uff5c\n]{1,60}+\uff5c>|"
    r"end_of_turn>|eos>)|\[/[A-Za-z]{1,20}+\]"
)
"""What closes an answer: a tag, or a mark of a chat template. No SQL has it outside of quotes."""
HAS_END_MARK = late_pattern(END_MARK)


def behind_thoughts(reply: str) -> str:
    """What a reply says behind its thoughts; nothing where it was cut off while thinking."""
    ends = [thought.end() for thought in _THOUGHT.finditer(reply)]
    if ends:
        return reply[ends[-1] :].strip()
    return "" if _OPEN_THOUGHT.match(reply) else reply


def ends_thought(reply: str, at: int) -> bool:
    """Whether a thought ends at a place."""
    return _THOUGHT.match(reply, at) is not None


def tag_content(reply: str) -> tuple[str, bool] | None:
    """What stands in the last closed tag that announces an answer, and whether it is closed.

    Without a closed one the last open one counts: the reply may be cut off.
    """
    closed, opens = _tags(reply)
    if closed:
        return closed[-1], True
    return (reply[max(opens.values()) :].strip(), False) if opens else None


def tag_contents(reply: str, tag: str | None = None) -> list[str]:
    """What stands in each closed tag that announces an answer, or in each closed ``<tag>``."""
    if tag is None:
        return _tags(reply)[0]
    parts = reply.split(f"</{tag}>")[:-1]
    return [part.rpartition(f"<{tag}>")[2].strip() for part in parts if f"<{tag}>" in part]


def _tags(reply: str) -> tuple[list[str], dict[str, int]]:
    """What stands in closed tags, and where tags begin that are not closed."""
    opens: dict[str, int] = {}
    closed: list[str] = []
    for tag in _TAG.finditer(reply):
        name = tag["name"].lower()
        if not tag["close"]:
            opens[name] = tag.end()
        elif name in opens:
            closed.append(reply[opens.pop(name) : tag.start()].strip())
    return closed, opens


def answer_in_tag(reply: str, tag: str) -> str | None:
    """What stands in the last closed ``<tag>``.

    ``None`` where the tag is missing or not closed: a prompt that asks for it is part of the task.
    """
    end = reply.rfind(f"</{tag}>")
    start = reply.rfind(f"<{tag}>", 0, end) if end >= 0 else -1
    return reply[start + len(tag) + 2 : end].strip() if start >= 0 else None


def box_contents(reply: str) -> list[str]:
    r"""What stands in each ``\boxed{...}``, to the brace that closes it; a cut-off one is none.

    Of a box in a box only the inner one counts.
    """
    if BOX not in reply:
        return []
    opens: list[int | None] = []
    boxes: list[str] = []
    last = 0
    for brace in _BRACE.finditer(reply):
        if brace[0] != "}":
            opens.append(brace.end() if brace[0] == BOX else None)
        elif opens and (start := opens.pop()) is not None and start > last:
            body, last = reply[start : brace.start()], start
            text = _TEXT.fullmatch(body)
            boxes.append((text["body"] if text else body).strip())
    return boxes


def object_value(reply: str) -> tuple[str | None] | None:
    """The answer in a JSON object; ``(None,)`` where the object gives none."""
    first = _OBJECT.search(reply)
    if first is None:
        return None
    try:
        # A line end in a string is common, and no JSON.
        read = json.loads(reply[first.start() : reply.rfind("}") + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    values = {key.lower(): value for key, value in read.items()}
    for key in _KEYS:
        if key in values:
            value = values[key]
            return (value,) if value is None or isinstance(value, str) else None
    return None

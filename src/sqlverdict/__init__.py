"""sqlverdict: whether a text-to-SQL system's answers are right, with evidence."""

__version__ = "0.1.0"

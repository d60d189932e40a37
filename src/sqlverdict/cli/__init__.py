"""The command line: one file a command, imported when it is asked for.

A command is a module that defines one click command under its own name (or as ``command``);
the first line of its docstring stands in ``sqlverdict --help``. Names with a leading underscore
are helpers.
"""

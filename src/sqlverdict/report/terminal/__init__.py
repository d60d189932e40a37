"""How reports look on a screen.

``tables``    tables as records, shown alike in a terminal, a pipe and Markdown; LaTeX and CSV, too
``console``   where commands write: rich tables on a terminal, plain text everywhere else
``progress``  live progress of a run
"""

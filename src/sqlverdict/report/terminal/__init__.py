"""How reports look on a screen.

``tables``    tables as records, so that a terminal, a pipe and Markdown show the same one
``exports``   tables as LaTeX, CSV and Markdown
``console``   where commands write: rich tables on a terminal, plain text everywhere else
``progress``  live progress of a run
"""

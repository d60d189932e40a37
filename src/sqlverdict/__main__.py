"""``python -m sqlverdict``: the command line."""

from __future__ import annotations

from sqlverdict.cli.main import main

if __name__ == "__main__":
    main()

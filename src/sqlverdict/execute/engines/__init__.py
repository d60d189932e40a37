"""The engines, one folder each; see ``sqlverdict.execute.engine`` for what an engine is."""

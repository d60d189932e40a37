"""The engines, one file each; see ``sqlverdict.execute.engine`` for what an engine is."""

"""The judges, one file each; see ``sqlverdict.judge.judge`` for what a judge is."""

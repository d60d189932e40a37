"""The commands, one file each; a folder is a section of ``sqlverdict --help``."""

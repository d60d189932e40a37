"""One file a preset; the file's name is the preset's name."""

"""The signs, one file each; the document of each file says what it looks at and why."""

"""Search strategies: one file a way to make instances; the file is the member."""

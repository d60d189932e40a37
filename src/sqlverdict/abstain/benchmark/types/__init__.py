"""The types of unanswerable questions, one file each."""

"""Work with human labels."""

"""List what there is."""

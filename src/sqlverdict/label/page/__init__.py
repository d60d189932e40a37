"""The labelling pages: HTML, styles and scripts, and no Python."""

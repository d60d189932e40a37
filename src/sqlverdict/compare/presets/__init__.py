"""One file per preset: when two answers count as the same; ``docs/presets.md`` lists them."""

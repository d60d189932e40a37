"""List metrics, presets, rules and other members."""
